// Levels of methods (levels.h). Levels that fit all calls would need to know all of them; they are given as plans are made. Callees are mostly compiled
// before their callers, which then come above them. Some room is left for calls that are found out later.
//
// Any compile thread; no locks.
#include "jit/plan/levels.h"

#include <stdlib.h>

#include "jit/plan/intrinsics.h"
#include "jit/plan/plan_internal.h"

// A level is so much above what is called. OF_UNKNOWN: of what has not been compiled when it is called.
enum { LOWEST = 1, ROOM = 4, OF_UNKNOWN = 8, HIGHEST = UINT8_MAX };

// ---- which methods code calls ------------------------------------------------------------------------

static bool is_called(const Method *m) {
    IntrinsicForm form = intrinsics_form(m);
    return form == INTRINSIC_CALLED || form == INTRINSIC_FAST_PATH;
}

uint32_t levels_called(const PlanSite *ps, Method *called[PLAN_TARGETS]) {
    uint32_t count = 0;
    switch (ps->site.kind) {
        case SITE_CALL_DIRECT: case SITE_CALL_VTABLE: case SITE_CALL_INTERFACE: case SITE_CALL_LINKED: case SITE_CALL_BASIC: case SITE_CALL_LINK_TO: break;
        default: return 0;
    }
    Method *m = plan_callee(ps);
    if (!m && ps->site.kind == SITE_CALL_DIRECT) m = ps->site.method;
    if (!m || (ps->call == CALL_GUARDED && !ps->leaves)) return CALLS_ANYBODY;
    if (!ps->inlined && is_called(m)) called[count++] = m;
    for (uint32_t i = 0; i < ps->more_count; i++)
        if (!ps->more[i].inlined && is_called(ps->more[i].target)) called[count++] = ps->more[i].target;
    return count;
}

// Native methods call whom they like. What the VM tries before a method's bytecode calls nobody (vm/natives/intrinsics.h).
static bool can_have_level(const Method *m) {
    CompilerIntrinsic kind = compiler_intrinsic(m);
    return m->info && m->info->code && !method_is_native(m) && m->sigpoly == 0 && (kind == COMPILER_NO_INTRINSIC || kind == COMPILER_TRY);
}

static void add_lower(Plan *root, uint32_t *room, Method *m) {
    uint32_t i = 0;
    while (i < root->lower_count && root->lower[i].method != m) i++;
    if (i == root->lower_count) {
        root->lower = plan_grow(root->lower, room, root->lower_count, sizeof *root->lower);
        root->lower[root->lower_count++] = (PlanLevel){.method = m};
    }
    root->lower[i].calls++;
}

// All that the code calls into root->lower. False: not all of it is known, or the method calls itself.
static bool collect(Plan *root, const Plan *plan, uint32_t *room) {
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const PlanSite *ps = &plan->sites[i];
        Method *called[PLAN_TARGETS];
        uint32_t count = levels_called(ps, called);
        if (count == CALLS_ANYBODY) return false;
        for (uint32_t k = 0; k < count; k++) {
            if (!can_have_level(called[k]) || called[k] == root->method) return false;
            add_lower(root, room, called[k]);
        }
        for (uint32_t k = 0; k < PLAN_TARGETS; k++)
            if (plan_inlined(ps, k) && !collect(root, plan_inlined(ps, k), room)) return false;
    }
    return true;
}

// A loop's check is at its header; then the entry has one as well (code_versions.c).
static bool has_loop(const Plan *plan) {
    for (uint32_t b = 0; b < plan->flow->block_count; b++)
        if (plan->flow->cfg->blocks[plan->flow->blocks[b].cfg_block].loop_depth) return true;
    for (uint32_t i = 0; i < plan->site_count; i++)
        for (uint32_t k = 0; k < PLAN_TARGETS; k++)
            if (plan_inlined(&plan->sites[i], k) && has_loop(plan_inlined(&plan->sites[i], k))) return true;
    return false;
}

// ---- levels ----------------------------------------------------------------------------------------------

static void forget_lower(Plan *root) {
    free(root->lower);
    root->lower = NULL;
    root->lower_count = 0;
}

// All that is called, together; at *unknown, how many calls there are of methods without a level, which do not count.
static uint64_t sum_of(Plan *root, uint32_t *unknown) {
    uint64_t sum = 0;
    *unknown = 0;
    for (uint32_t i = 0; i < root->lower_count; i++) {
        PlanLevel *lower = &root->lower[i];
        lower->level = compiler_call_level(lower->method, 0);
        sum += (uint64_t)lower->level * lower->calls;
        if (!lower->level) *unknown += lower->calls;
    }
    return sum;
}

static bool asks_for_levels(const Plan *root) {
    const CompilerSampling *s = &root->sampling;
    return s->on && !s->exits && s->dup == DUP_FULL && s->checks == CHECKS_ALL && root->osr_bci < 0;
}

// Whether the entry could do without a check, by its code alone.
static bool may_do_without(Plan *root) {
    uint32_t room = 0;
    return asks_for_levels(root) && !has_loop(root) && compiler_intrinsic(root->method) != COMPILER_TRY && collect(root, root, &room);
}

// The method's own level, given now if need be, and with it those of methods without one that it calls. 0: the calls do not fit.
static uint8_t own_level(Plan *root) {
    uint32_t unknown;
    uint64_t own = compiler_call_level(root->method, 0), sum = sum_of(root, &unknown), most = own ? own : HIGHEST;
    if (sum + unknown >= most) return 0;
    uint64_t each = unknown ? (most - 1 - sum) / unknown : 0;
    if (!own && each > OF_UNKNOWN) each = OF_UNKNOWN;
    for (uint32_t i = 0; i < root->lower_count; i++) compiler_call_level(root->lower[i].method, (uint8_t)each);
    // Other threads may have given other levels.
    sum = sum_of(root, &unknown);
    if (unknown || sum >= HIGHEST) return 0;
    own = compiler_call_level(root->method, (uint8_t)(sum < HIGHEST - ROOM ? sum + ROOM : HIGHEST));
    return sum < own ? (uint8_t)own : 0;
}

void levels_decide(Plan *root) {
    bool may = may_do_without(root);
    if (asks_for_levels(root)) {
        if (may) root->level = own_level(root);
        // Its check stays: it takes no room from its callers.
        if (!root->level) compiler_call_level(root->method, LOWEST);
    }
    if (!root->level) forget_lower(root);
}

void levels_decide_again(Plan *root, uint8_t level) {
    if (level && may_do_without(root)) {
        uint32_t unknown;
        uint8_t own = compiler_call_level(root->method, level);
        if (sum_of(root, &unknown) < own && !unknown) root->level = own;
    }
    if (!root->level) forget_lower(root);
}
