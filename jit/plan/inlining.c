// Inlining: see inlining.h. Without a profile, size and depth decide. With a profile, calls are taken in the order of
// their heat and the limits depend on it. The larger a call's share of all calls, the larger the method may be. A call
// that is never made is not inlined, unless the method is smaller than the call.
//
// A method's counts are sums over all of its copies. The share of one copy is estimated by the inlined call's share of
// the method's calls.
#include "jit/plan/inlining.h"

#include <stdlib.h>
#include <string.h>

#include "jit/plan/plan_counts.h"
#include "jit/plan/plan_internal.h"
#include "vm/api/advice.h"

enum {
    TRIVIAL_SIZE = 8,      // accessors: smaller than the call
    FORCED_SIZE = 325,     // @ForceInline and method-handle code
    RECURSION_LEVELS = 1,  // how often a method may be inlined into itself
    HOT_PER_MILLE = 10,    // of all calls: a hot call
    WARM_PER_MILLE = 1,
    INNERMOST_PER_MILLE = 500,  // of the runs of the method's hottest block
    HOT_FACTOR = 4,             // for a hot call, methods may be larger by this factor
    WARM_FACTOR = 2,
    FEW = 16,               // lower counts are chance
    USUAL_PERCENT = 40,     // of a call's targets: worth a guard
    FURTHER_PERCENT = 10,   // of a call's targets: worth a further guard
    TOGETHER_PERCENT = 90,  // or all guarded targets together
    SEEN_PERCENT = 98,      // of a call's receivers; not all, because threads lose some counts
    PARTIAL_FACTOR = 8,     // for a hot call, a method may be larger by this factor if little of it has run
    FIELDS_FACTOR = 3,      // for a hot call, a method may be larger by this factor if it shares fields with its
                            // callers
    FIELDS_SIZE = 20,       // and may have this size however full the caller is
    FIELDS_SHARED = 2,      // shared accesses per call that justify that
    MANY = 500,             // calls after which no new receiver is expected
};

InliningLimits inlining_limits(const CompilerOptions *options) {
    if (!options->inlining) return (InliningLimits){0, 0, 0, 0};
    return (InliningLimits){options->inline_size, FORCED_SIZE, options->inline_depth, options->inline_total};
}

// ---- the profile -----------------------------------------------------------------------------------

static const PlanSite *call_at(const Plan *plan, uint32_t bci) {
    const PlanSite *ps = plan_site(plan, bci);
    return ps && ps->site.kind >= SITE_CALL_DIRECT && ps->site.kind <= SITE_CALL_LINK_TO ? ps : NULL;
}

// Whether the row is of another version of the method, or about a method that no longer exists. (At an unresolved site
// no method can be called.)
static bool is_stale(const Plan *plan, const char *name, const AdvisedCount *row, bool calls) {
    const char *what = !plan_site(plan, row->bci)   ? "there is no call"
        : calls && compiler_lacks_method(row->name) ? "what it called is not there"
                                                    : NULL;
    if (what) advice_name_stale(name, row->bci, what);
    return what;
}

// Skips names that do not exist, or not yet, because the file may be of another version of the program. Logs stale rows
// of this method.
void inlining_read_advice(Plan *plan) {
    char *name = compiler_method_name(plan->method);
    const AdvisedMethod *said = advice_of_method(name);
    uint32_t room = 0, receivers_room = 0;
    for (uint32_t i = 0; said && i < said->calls.count; i++) {
        const AdvisedCount *row = &said->calls.rows[i];
        if (is_stale(plan, name, row, true)) continue;
        Method *callee = call_at(plan, row->bci) ? compiler_find_method(row->name) : NULL;
        if (!callee) continue;
        plan->calls = plan_grow(plan->calls, &room, plan->calls_count, sizeof *plan->calls);
        plan->calls[plan->calls_count++] = (PlanCalls){row->bci, callee, row->count};
    }
    for (uint32_t i = 0; said && i < said->receivers.count; i++) {
        const AdvisedCount *row = &said->receivers.rows[i];
        if (is_stale(plan, name, row, false)) continue;
        Class *cls = call_at(plan, row->bci) ? compiler_find_class(row->name) : NULL;
        if (!cls) continue;
        plan->receivers = plan_grow(plan->receivers, &receivers_room, plan->receivers_count, sizeof *plan->receivers);
        plan->receivers[plan->receivers_count++] = (PlanReceivers){row->bci, cls, row->count};
    }
    free(name);
}

// ---- guards ------------------------------------------------------------------------------------------

// A target that a call has met: a method, or a receiver's class if that determines the target.
typedef struct Target {
    Method *method;
    Class *receiver;  // NULL: the vtable decides
    uint64_t count;
} Target;

// The most frequent targets, in descending order; of equal ones, the first one first.
typedef struct Targets {
    Target best[PLAN_TARGETS];
    uint32_t count;  // of `best`
    uint64_t guarded, all;
    uint32_t rows;  // number of targets seen
} Targets;

static void add_target(Targets *t, Target target) {
    uint32_t at = t->count;
    t->rows++;
    t->all += target.count;
    while (at > 0 && t->best[at - 1].count < target.count) at--;
    if (at == PLAN_TARGETS) return;
    if (t->count < PLAN_TARGETS) t->count++;
    for (uint32_t i = t->count - 1; i > at; i--) t->best[i] = t->best[i - 1];
    t->best[at] = target;
}

static bool has_percent(uint64_t count, uint64_t total, unsigned percent) {
    return (double)count * 100 >= (double)total * percent;
}

// Keeps the targets that are worth a test, in their order. Keeps none if no target is usual and the kept ones together
// are too few of the calls.
static void keep_usual(Targets *t) {
    uint32_t count = 0;
    t->guarded = 0;
    while (count < t->count && has_percent(t->best[count].count, t->all, count == 0 ? 1 : FURTHER_PERCENT))
        t->guarded += t->best[count++].count;
    t->count = count;
    bool enough = count > 0 &&
        (has_percent(t->best[0].count, t->all, USUAL_PERCENT) || has_percent(t->guarded, t->all, TOGETHER_PERCENT));
    if (t->all < FEW || !enough) t->count = 0;
}

void inlining_guard(const Plan *root, const Plan *plan, PlanSite *ps) {
    bool interface = ps->site.kind == SITE_CALL_INTERFACE;
    uint64_t block = counts_at(plan, ps->bci);
    Targets t = {0};
    if (!(interface && (ps->call == CALL_PLAIN || ps->call == CALL_GUARDED)) &&
        !(ps->site.kind == SITE_CALL_VTABLE && ps->call == CALL_PLAIN))
        return;
    // A virtual call's guard tests the vtable, so a target only has to be one that a vtable can have there.
    for (uint32_t i = 0; !interface && i < plan->calls_count; i++)
        if (plan->calls[i].bci == ps->bci) add_target(&t, (Target){plan->calls[i].callee, NULL, plan->calls[i].count});
    for (uint32_t i = 0; interface && i < plan->receivers_count; i++) {
        const PlanReceivers *r = &plan->receivers[i];
        if (r->bci == ps->bci) add_target(&t, (Target){compiler_selected(r->cls, ps->site.method), r->cls, r->count});
    }
    bool seen = ps->seen_all && t.rows <= PLAN_TARGETS && has_percent(t.all, block, SEEN_PERCENT);
    if (t.all < block) t.all = block;
    if (t.rows == 0 || t.all < FEW) return;
    keep_usual(&t);
    // Cuts the list at the first impossible target, because the rows of a file may be of another program.
    for (uint32_t i = 0; i < t.count; i++) {
        const Target *best = &t.best[i];
        if (!best->method || (!best->receiver && !plan_is_override(best->method, ps->site.method))) t.count = i;
    }
    if (t.count > 0) {
        ps->call = CALL_GUARDED;
        ps->site.target = ps->target = t.best[0].method;
        ps->site.receiver = ps->receiver = t.best[0].receiver;
        for (uint32_t i = 1; i < t.count; i++)
            ps->more[ps->more_count++] = (PlanGuard){t.best[i].method, t.best[i].receiver, NULL};
        ps->leaves = seen && t.count == t.rows && t.all >= MANY && counts_may_leave(root, plan);
    } else if (interface) {
        ps->call = CALL_PLAIN;
        ps->site.target = ps->target = NULL;
        ps->site.receiver = ps->receiver = NULL;
    }
}

static uint64_t times_right(const Plan *plan, const PlanSite *ps, uint32_t which) {
    const Method *target = which == 0 ? ps->target : ps->more[which - 1].target;
    const Class *receiver = which == 0 ? ps->receiver : ps->more[which - 1].receiver;
    uint64_t sum = 0;
    for (uint32_t i = 0; receiver && i < plan->receivers_count; i++)
        if (plan->receivers[i].bci == ps->bci && plan->receivers[i].cls == receiver) sum += plan->receivers[i].count;
    for (uint32_t i = 0; !receiver && i < plan->calls_count; i++)
        if (plan->calls[i].bci == ps->bci && plan->calls[i].callee == target) sum += plan->calls[i].count;
    return sum;
}

uint64_t inlining_times_made(const Plan *plan, uint32_t bci) {
    uint64_t block = counts_at(plan, bci), sum = 0;
    for (uint32_t i = 0; i < plan->calls_count; i++) sum += plan->calls[i].bci == bci ? plan->calls[i].count : 0;
    return sum > block ? sum : block;
}

bool inlining_guard_counts(const Plan *plan, const PlanSite *ps, uint32_t which, uint64_t counts[2]) {
    uint64_t all = inlining_times_made(plan, ps->bci);
    for (uint32_t i = 0; i < which; i++) {
        uint64_t before = times_right(plan, ps, i);
        all -= before < all ? before : all;
    }
    counts[0] = times_right(plan, ps, which);
    counts[1] = all > counts[0] && !(ps->leaves && which == ps->more_count) ? all - counts[0] : 0;
    return all >= FEW;
}

// ---- heat ----------------------------------------------------------------------------------------------

double inlining_heat(const Plan *plan, const PlanSite *ps, uint32_t which) {
    const Method *callee = which == 0 ? plan_callee(ps) : ps->more[which - 1].target;
    uint64_t to_it = 0;
    if (ps->call != CALL_GUARDED) return plan->scale * (double)inlining_times_made(plan, ps->bci);
    for (uint32_t i = 0; i < plan->calls_count; i++)
        if (plan->calls[i].bci == ps->bci && plan->calls[i].callee == callee) to_it += plan->calls[i].count;
    return plan->scale * (double)to_it;
}

double inlining_scale(const ProfileSnapshot *snapshot, const Plan *inlined, double heat) {
    const Method *callee = inlined->method;
    uint64_t entries = inlined->blocks ? inlined->blocks[0] : 0;
    if (inlined->blocks) {
        // These are the method's own counts.
    } else if (snapshot) {
        for (size_t i = 0; i < snapshot->calls.count; i++)
            if (snapshot->calls.rows[i].what == callee->id) entries += snapshot->calls.rows[i].count;
    } else {
        char *name = compiler_method_name(callee);
        const AdvisedMethod *said = advice_of_method(name);
        if (said) entries = said->entries;
        free(name);
    }
    return entries == 0 || heat >= (double)entries ? 1 : heat / (double)entries;
}

// ---- limits ----------------------------------------------------------------------------------------------

// A method's own counts say what it does often, but not whether the program does much else, so they raise the limits
// less. Only a call that runs at least half as often as the hottest block gets the limit that a profile of the whole
// program would allow: a program whose loop calls one method of 150 bytes took half the time with it. The same for
// calls in each hundredth run made json slower.
static uint32_t factor(const Plan *root, double heat) {
    double all = (double)root->snapshot.calls;
    if (heat < FEW) return 1;
    if (root->snapshot.sampling == PLAN_COUNTS)
        return heat * 1000 >= all * INNERMOST_PER_MILLE ? HOT_FACTOR
            : heat * 1000 >= all * HOT_PER_MILLE        ? WARM_FACTOR
                                                        : 1;
    return heat * 1000 >= all * HOT_PER_MILLE ? HOT_FACTOR : heat * 1000 >= all * WARM_PER_MILLE ? WARM_FACTOR : 1;
}

InliningVerdict inlining_decide(const Plan *root, const Plan *caller, const Method *m, uint32_t size,
                                const InliningLimits *limits, double heat) {
    uint32_t times = factor(root, heat), levels = 0;
    if (caller->depth >= limits->depth) return INLINING_deep;
    for (const Plan *p = caller; p; p = p->parent) levels += p->method == m;
    // Recursion through other methods is inlined once: a second round would save one call of many, and is as long to
    // compile as the first.
    if (levels > RECURSION_LEVELS || (levels > 0 && caller->method != m)) return INLINING_recursive;
    if (size <= TRIVIAL_SIZE) return INLINING_inlined;
    if (heat == 0) {  // the call is never made, if the profile has seen the caller run often enough to conclude that
        uint64_t runs = caller->blocks ? caller->blocks[0] : 0;
        for (uint32_t i = 0; i < caller->calls_count; i++) runs += caller->calls[i].count;
        if (caller->scale * (double)runs >= FEW) return INLINING_cold;
    }
    // Some code exists only to be inlined: annotated methods, or those generated for method handles.
    bool forced = m->mflags & (MF_FORCE_INLINE | MF_LAMBDAFORM_COMPILED);
    if (size > (forced ? limits->forced : limits->size * times)) return INLINING_large;
    return root->bytecodes + size <= limits->total * (times > 1 ? 2 : 1) ? INLINING_inlined : INLINING_full;
}

bool inlining_asks_for_hot_part(const Plan *root, const Method *m, InliningVerdict verdict,
                                const InliningLimits *limits, double heat) {
    if (root->snapshot.sampling != PLAN_COUNTS || factor(root, heat) == 1) return false;
    return (verdict == INLINING_large || verdict == INLINING_full) &&
        m->info->code->code_len <= limits->size * PARTIAL_FACTOR;
}

bool inlining_asks_for_fields(const Plan *root, const Method *m, InliningVerdict verdict, const InliningLimits *limits,
                              double heat) {
    uint32_t size = m->info->code->code_len;
    if (root->snapshot.sampling != PLAN_COUNTS || factor(root, heat) == 1) return false;
    if (verdict == INLINING_full) return size <= FIELDS_SIZE;
    return verdict == INLINING_large && size <= limits->size * FIELDS_FACTOR &&
        root->bytecodes + size <= limits->total * 2;
}

bool inlining_is_worth_fields(double shared) { return shared >= FIELDS_SHARED; }
