// Makes the plan of a compilation (plan.h). This file collects the facts of each method; inlining.h decides what is
// inlined.
//
// Decisions are a pure function of the bytecode, the facts (compiler_site and similar functions) and the options. A
// fact is queried once, here, and the answer is kept in the plan. So the plan stays valid while the program runs: facts
// only become more precise, except for unique targets, which are dependencies.
//
// Without a profile, methods are expanded breadth first, so the limit on the total size cuts off the deepest ones. With
// a profile, the hottest calls are expanded first (inlining.h).
//
// Any compile thread; malloc only. Reads the Java heap only through plan_constants.h.
#include "jit/plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/methodflow.h"
#include "bytecode/classfile/opcodes.h"
#include "jit/plan/plan_constants.h"
#include "jit/plan/plan_counts.h"
#include "jit/plan/plan_explain.h"
#include "jit/plan/inlining.h"
#include "jit/plan/plan_internal.h"
#include "vm/api/advice.h"

enum { ATTEMPTS = 4 };  // to make a plan, if collections intervene

// ---- one method -----------------------------------------------------------------------------------

void plan_bail_out(PlanBailout *why, int bailout, const char *detail) {
    why->bailout = bailout;
    snprintf(why->detail, sizeof why->detail, "%s", detail ? detail : "");
}

Plan *plan_new(Method *m, Plan *parent, uint32_t parent_bci, PlanBailout *why) {
    char error[160] = "";
    int bailout = compiler_bailout(m);
    if (bailout < 0 && (!m->info || !m->info->code)) bailout = BAILOUT_no_code;
    if (bailout >= 0) {
        plan_bail_out(why, bailout, NULL);
        return NULL;
    }
    compiler_prepare(m);
    Dataflow *flow = methodflow_build(m->cls->file, m->info->code, m->desc->text, method_is_static(m), error,
                                      sizeof error);
    if (!flow || !flow->balanced_locks) {
        plan_bail_out(why, flow ? BAILOUT_unbalanced_monitors : BAILOUT_irregular_code, flow ? NULL : error);
        if (flow) dataflow_free(flow);
        return NULL;
    }
    if (!flow->structured_locks || m->mflags & MF_CHECKED_LOCKS) {
        plan_bail_out(why, BAILOUT_unstructured_monitors, NULL);
        dataflow_free(flow);
        return NULL;
    }
    Plan *plan = plan_alloc(sizeof *plan);
    plan->method = m;
    plan->parent = parent;
    plan->parent_bci = parent_bci;
    plan->depth = parent ? parent->depth + 1 : 0;
    plan->flow = flow;
    plan->code = m->info->code;
    plan->events = compiler_events(m);
    plan->osr_bci = -1;
    return plan;
}

void plan_free(Plan *plan) {
    if (!plan) return;
    for (uint32_t i = 0; i < plan->site_count; i++) {
        for (uint32_t k = 0; k < PLAN_TARGETS; k++) plan_free(plan_inlined(&plan->sites[i], k));
        free(plan->sites[i].args);
    }
    if (plan->flow) dataflow_free(plan->flow);
    free(plan->sites);
    free(plan->calls);
    free(plan->receivers);
    free(plan->blocks);
    free(plan->never);
    free(plan->dependencies);
    free(plan);
}

const PlanSite *plan_site(const Plan *plan, uint32_t bci) {
    uint32_t low = 0, high = plan->site_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (plan->sites[middle].bci < bci) low = middle + 1;
        else high = middle;
    }
    return low < plan->site_count && plan->sites[low].bci == bci ? &plan->sites[low] : NULL;
}

// The current facts of all instructions.
void plan_collect_sites(Plan *plan) {
    const ClassFileCode *code = plan->code;
    uint32_t room = 0, length;
    for (uint32_t bci = 0; bci < code->code_len; bci += length) {
        Site site;
        length = opcodes_length(code->code, code->code_len, bci);
        if (length == 0) return;  // impossible: the code was verified
        if (!compiler_site(plan->method, bci, &site) || site.kind == SITE_NONE) continue;
        plan->sites = plan_grow(plan->sites, &room, plan->site_count, sizeof *plan->sites);
        plan->sites[plan->site_count++] = (PlanSite){.bci = bci, .site = site};
    }
}

// Reads the profile's data for these instructions into the plan. NULL: no profile is wanted.
static void collect_calls(Plan *plan, const ProfileSnapshot *snapshot) {
    uint32_t room = 0, receivers_room = 0;
    for (uint32_t i = 0; snapshot && i < plan->site_count; i++) {
        uint32_t bci = plan->sites[i].bci;
        SnapshotSites at = snapshot_at(&snapshot->calls, plan->method->id, (int32_t)bci);
        SnapshotSites receivers = snapshot_at(&snapshot->receivers, plan->method->id, (int32_t)bci);
        for (size_t k = 0; k < at.count; k++) {
            Method *callee = compiler_method_by_id(at.rows[k].what);
            if (!callee) continue;
            plan->calls = plan_grow(plan->calls, &room, plan->calls_count, sizeof *plan->calls);
            plan->calls[plan->calls_count++] = (PlanCalls){bci, callee, at.rows[k].count};
        }
        for (size_t k = 0; k < receivers.count; k++) {
            Class *cls = compiler_class_by_id(receivers.rows[k].what);
            if (!cls) continue;
            plan->receivers = plan_grow(plan->receivers, &receivers_room, plan->receivers_count,
                                        sizeof *plan->receivers);
            plan->receivers[plan->receivers_count++] = (PlanReceivers){bci, cls, receivers.rows[k].count};
        }
    }
}

// ---- targets of calls ------------------------------------------------------------------------------

static void bind_unique(Plan *root, PlanSite *ps, Method *resolved) {
    Method *target = compiler_unique_target(resolved);
    if (!target || method_is_abstract(target)) return;
    ps->call = CALL_UNIQUE;
    ps->target = target;
    for (uint32_t i = 0; i < root->dependency_count; i++)
        if (root->dependencies[i] == resolved) return;
    root->dependencies = realloc(root->dependencies, (root->dependency_count + 1) * sizeof(Method *));
    if (!root->dependencies) abort();
    root->dependencies[root->dependency_count++] = resolved;
}

void plan_bind_call(Plan *root, PlanSite *ps) {
    const Site *site = &ps->site;
    Method *found = ps->found.method;
    ps->instance = ps->found.instance;
    if (site->kind == SITE_CALL_LINK_TO && found) {
        // linkToStatic and linkToSpecial call the MemberName's method itself; the others select one by the receiver.
        int id = site->method->sigpoly;
        bool selects = id == MH_LINK_TO_VIRTUAL || id == MH_LINK_TO_INTERFACE;
        if (!selects && (id == MH_LINK_TO_NATIVE || method_is_abstract(found))) return;
        ps->member = found;
        if (selects) {
            if (!class_is_interface(found->cls)) bind_unique(root, ps, found);
            return;
        }
    }
    if (found) {
        ps->call = CALL_CONSTANT;
        ps->target = found;
    } else if (site->kind == SITE_CALL_VTABLE) {
        bind_unique(root, ps, site->method);
    } else if (site->kind == SITE_CALL_INTERFACE && site->receiver && site->receiver->vt && site->target &&
               !method_is_abstract(site->target)) {
        // The vtable identifies instances of the class, and the method can be called on them.
        ps->call = CALL_GUARDED;
        ps->target = site->target;
        ps->receiver = site->receiver;
    }
}

static void count_targets(const Plan *root, PlanSite *ps) {
    bool selects = ps->site.kind == SITE_CALL_VTABLE || ps->site.kind == SITE_CALL_INTERFACE;
    if (selects && (ps->call == CALL_PLAIN || ps->call == CALL_GUARDED) && root->counted & EVENTS_OF_CALLEES)
        ps->targets = (uint16_t)compiler_call_targets(ps->site.method);
}

bool plan_is_override(const Method *target, const Method *m) {
    return m->vtable_index >= 0 && target->vtable_index == m->vtable_index && target->name == m->name &&
        target->desc == m->desc && !method_is_static(target) && !method_is_abstract(target) &&
        !(target->mflags & MF_OVERPASS) && !class_is_interface(target->cls) && compiler_is_subtype(target->cls, m->cls);
}

Method *plan_callee(const PlanSite *ps) {
    if (ps->call != CALL_PLAIN)
        return ps->call == CALL_CONSTANT && method_is_static(ps->target) && !class_is_initialized(ps->target->cls)
            ? NULL
            : ps->target;
    switch (ps->site.kind) {
        case SITE_CALL_DIRECT:
            return ps->site.initialized || !method_is_static(ps->site.method) ? ps->site.method : NULL;
        case SITE_CALL_LINKED: return ps->site.method;
        default: return NULL;
    }
}

// ---- inlining --------------------------------------------------------------------------------------

static bool is_inlinable(const Method *m) {
    return m->info && m->info->code && !method_is_native(m) && !method_is_abstract(m) && m->sigpoly == 0 &&
        !(m->mflags & (MF_OBJECT_INIT | MF_CLINIT)) && compiler_intrinsic(m) == COMPILER_NO_INTRINSIC &&
        (!method_is_static(m) || class_is_initialized(m->cls));
}

static InliningVerdict decide_by_size(const Plan *root, const Plan *caller, Method *m, const InliningLimits *limits,
                                      double heat, uint32_t *ran) {
    uint32_t size = m->info->code->code_len;
    InliningVerdict verdict = inlining_decide(root, caller, m, size, limits, heat);
    if (!inlining_asks_for_hot_part(root, m, verdict, limits, heat)) return verdict;
    *ran = counts_hot_part(root, m);
    return *ran < size ? inlining_decide(root, caller, m, *ran, limits, heat) : verdict;
}

// heat: -1 without a profile. The decision about the first target is recorded in the site.
static Plan *inline_callee(Plan *root, Plan *caller, PlanSite *ps, const InliningLimits *limits, double heat) {
    Method *m = plan_callee(ps);
    PlanBailout why;
    ps->heat = heat;
    ps->verdict = ps->without = !m ? INLINING_unknown_target : !is_inlinable(m) ? INLINING_no_code : INLINING_undecided;
    if (ps->verdict != INLINING_undecided) return NULL;
    ps->verdict = decide_by_size(root, caller, m, limits, heat, &ps->ran);
    if (inlining_asks_for_fields(root, m, ps->verdict, limits, heat)) {
        ps->shared = counts_shared_fields(caller, m);
        if (inlining_is_worth_fields(ps->shared)) ps->verdict = INLINING_inlined;
    }
    ps->without = inlining_decide(root, caller, m, m->info->code->code_len, limits, -1);
    if (ps->verdict != INLINING_inlined) return NULL;
    Plan *plan = plan_new(m, caller, ps->bci, &why);
    if (!plan) {
        ps->verdict = ps->without = INLINING_no_code;
        return NULL;
    }
    plan->args = ps->args;
    plan->arg_count = ps->arg_count;
    root->bytecodes += plan->code->code_len;
    return ps->inlined = plan;
}

// Inlines a further target of a guarded call. The known facts about the receiver apply to another target, so they are
// not used.
static Plan *inline_guarded(Plan *root, Plan *caller, const PlanSite *ps, PlanGuard *guard,
                            const InliningLimits *limits, double heat) {
    PlanBailout why;
    Method *m = guard->target;
    uint32_t ran;
    if (!is_inlinable(m) || decide_by_size(root, caller, m, limits, heat, &ran) != INLINING_inlined) return NULL;
    Plan *plan = plan_new(m, caller, ps->bci, &why);
    if (plan) root->bytecodes += plan->code->code_len;
    return guard->inlined = plan;
}

// ---- all methods -----------------------------------------------------------------------------------

typedef struct Queue {
    Plan **plans;
    uint32_t count, room;
} Queue;

// The inputs of decisions.
typedef struct Facts {
    InliningLimits limits;
    const ProfileSnapshot *snapshot;  // NULL: none
    bool advised;                     // the advice file is read instead
    bool counted;                     // the counts of template code are read instead
    uint64_t epoch;
} Facts;

static void enqueue(Queue *q, Plan *plan, const Facts *facts) {
    plan_collect_sites(plan);
    constants_find(plan, facts->epoch);
    collect_calls(plan, facts->snapshot);
    if (facts->counted) counts_read(plan);
    else if (facts->advised) inlining_read_advice(plan);
    q->plans = plan_grow(q->plans, &q->room, q->count, sizeof *q->plans);
    q->plans[q->count++] = plan;
}

// Without a profile: breadth first.
static void expand(Plan *root, const Facts *facts) {
    Queue queue = {0};
    enqueue(&queue, root, facts);
    for (uint32_t i = 0; i < queue.count; i++) {
        Plan *plan = queue.plans[i];
        for (uint32_t k = 0; k < plan->site_count; k++) {
            plan_bind_call(root, &plan->sites[k]);
            count_targets(root, &plan->sites[k]);
            Plan *callee = inline_callee(root, plan, &plan->sites[k], &facts->limits, -1);
            if (callee) enqueue(&queue, callee, facts);
        }
    }
    free(queue.plans);
}

// A call whose target may become part of its caller.
typedef struct Candidate {
    Plan *caller;
    PlanSite *site;
    uint32_t which;  // number of the target
    double heat;
} Candidate;

typedef struct Candidates {
    Candidate *list;
    uint32_t count, room;
} Candidates;

static void add_candidates(Candidates *c, Plan *root, Plan *plan) {
    for (uint32_t k = 0; k < plan->site_count; k++) {
        PlanSite *ps = &plan->sites[k];
        plan_bind_call(root, ps);
        inlining_guard(root, plan, ps);
        count_targets(root, ps);
        if (!plan_callee(ps)) {
            ps->verdict = ps->without = INLINING_unknown_target;
            continue;
        }
        for (uint32_t which = 0; which <= ps->more_count; which++) {
            c->list = plan_grow(c->list, &c->room, c->count, sizeof *c->list);
            c->list[c->count++] = (Candidate){plan, ps, which, inlining_heat(plan, ps, which)};
        }
    }
}

// Removes and returns the hottest candidate; of equal ones, the first.
static Candidate take_hottest(Candidates *c) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < c->count; i++)
        if (c->list[i].heat > c->list[best].heat) best = i;
    Candidate hottest = c->list[best];
    c->count--;
    memmove(&c->list[best], &c->list[best + 1], (c->count - best) * sizeof *c->list);
    return hottest;
}

// With a profile: the hottest call first.
static void expand_by_heat(Plan *root, const Facts *facts) {
    Queue queue = {0};
    Candidates candidates = {0};
    root->scale = 1;
    enqueue(&queue, root, facts);
    if (facts->counted) root->snapshot = counts_describe(root);
    add_candidates(&candidates, root, root);
    while (candidates.count > 0) {
        Candidate c = take_hottest(&candidates);
        PlanGuard *guard = c.which ? &c.site->more[c.which - 1] : NULL;
        Plan *callee = guard ? inline_guarded(root, c.caller, c.site, guard, &facts->limits, c.heat)
                             : inline_callee(root, c.caller, c.site, &facts->limits, c.heat);
        if (!callee) continue;
        enqueue(&queue, callee, facts);
        callee->scale = inlining_scale(facts->snapshot, callee, c.heat);
        add_candidates(&candidates, root, callee);
    }
    free(queue.plans);
    free(candidates.list);
}

// On-stack replacement enters at the start of a block.
static bool check_osr(const Plan *plan, PlanBailout *why) {
    for (uint32_t b = 0; b < plan->flow->block_count; b++) {
        const FlowBlock *block = &plan->flow->blocks[b];
        if ((int64_t)block->start != plan->osr_bci || block->context != 0) continue;
        if (plan_enters_at(block)) return true;
        plan_bail_out(why, BAILOUT_stack_not_empty, NULL);
        return false;
    }
    plan_bail_out(why, BAILOUT_irregular_code, "no block begins at the loop header");
    return false;
}

Plan *plan_root(const CompileTask *task, PlanBailout *why) {
    Plan *root = plan_new(task->method, NULL, 0, why);
    if (!root) return NULL;
    root->osr_bci = task->osr_bci;
    root->bytecodes = root->code->code_len;
    root->sampling = compiler_sampling();
    root->counted = compiler_counted();
    root->stress = task->deopt_stress;
    root->careful = task->careful;
    if (root->osr_bci < 0 || check_osr(root, why)) return root;
    plan_free(root);
    return NULL;
}

// Uses the facts that follow from constants. Unless `last`, returns NULL if a collection intervened, because some of
// these facts may then be missing.
static Plan *try_plan(const CompileTask *task, const CompilerOptions *options, const ProfileSnapshot *snapshot,
                      bool last, PlanBailout *why) {
    bool counted = !snapshot && options->decide && compiler_adapts();
    bool advised = !snapshot && !counted && advice_has_calls();
    Facts facts = {inlining_limits(options), snapshot, advised, counted, compiler_epoch()};
    Plan *root = plan_root(task, why);
    if (!root) return NULL;
    if (advised) root->snapshot = (PlanSnapshot){1, PLAN_ADVICE, 1, advice_all_calls()};
    if (snapshot) {
        const SamplingRequest *how = &snapshot->sampling;
        uint32_t interval = how->mode == SAMPLING_TIMER ? how->interval_us : how->interval;
        if (how->mode == SAMPLING_OFF) interval = 1;
        root->snapshot = (PlanSnapshot){snapshot->version, (uint8_t)how->mode, interval, 0};
        for (size_t i = 0; i < snapshot->calls.count; i++) root->snapshot.calls += snapshot->calls.rows[i].count;
    }
    if (snapshot || advised || counted) expand_by_heat(root, &facts);
    else expand(root, &facts);
    if (last || compiler_epoch_is(facts.epoch)) return root;
    plan_free(root);
    return NULL;
}

Plan *plan_make(const CompileTask *task, const CompilerOptions *options, PlanBailout *why) {
    ProfileSnapshot *snapshot = compiler_snapshot();
    Plan *root = NULL;
    for (int i = 0; i < ATTEMPTS && !root && why->bailout == 0; i++)
        root = try_plan(task, options, snapshot, i == ATTEMPTS - 1, why);
    snapshot_release(snapshot);
    if (root && options->explain) explain_plan(root, options);
    return root;
}
