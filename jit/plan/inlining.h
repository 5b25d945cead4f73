// Decides which calls become part of their caller, and for which targets a call that selects one is guarded. Pure
// functions of bytecode sizes, the current plan and its profile data (PlanCalls, PlanReceivers), so equal plans are
// extended in the same way.
#ifndef CABERNET_JIT_PLAN_INLINING_H
#define CABERNET_JIT_PLAN_INLINING_H

#include "jit/plan/plan.h"

typedef struct InliningLimits {
    // All in bytecodes, except depth in levels. `forced` is the limit for methods that exist to be inlined.
    uint32_t size, forced, depth, total;
} InliningLimits;

// The limits of a compilation before a profile changes them.
InliningLimits inlining_limits(const CompilerOptions *options);

// Reads what -Xadvice:FILE says of the method's calls into the plan, as if a snapshot had said it.
void inlining_read_advice(Plan *plan);

// Guards a call for its usual targets by the profile, at most three, or removes a guard for an unusual target. A call
// without profile data, or with a certain target, stays unchanged. The code is left for receivers that never came, if
// the counts would have recorded them.
void inlining_guard(const Plan *root, const Plan *plan, PlanSite *ps);

// How often the call was made: the count of its block or the sum of its targets' counts, whichever is larger.
uint64_t inlining_times_made(const Plan *plan, uint32_t bci);

// How often a guarded call's test for that target held and did not hold, by the plan's data. False: too little data.
bool inlining_guard_counts(const Plan *plan, const PlanSite *ps, uint32_t which, uint64_t counts[2]);

// How often the profiled run made the call from this copy of the caller. For a guarded call: to that target.
double inlining_heat(const Plan *plan, const PlanSite *ps, uint32_t which);
// Plan.scale of a method that is inlined for a call of that heat. Its plan must already have its counts.
double inlining_scale(const ProfileSnapshot *snapshot, const Plan *inlined, double heat);

// Whether `m`, whose compiled part has `size` bytecodes, becomes part of the caller for a call of that heat; -1: no
// profile.
InliningVerdict inlining_decide(const Plan *root, const Plan *caller, const Method *m, uint32_t size,
                                const InliningLimits *limits, double heat);

// Whether the method may still be inlined if enough of it never ran (partial inlining). Applies to calls that are hot
// by the counts, if computing the hot part may pay off.
bool inlining_asks_for_hot_part(const Plan *root, const Method *m, InliningVerdict verdict,
                                const InliningLimits *limits, double heat);

// Whether the method may still be inlined if it accesses fields that its callers access too: inlining then removes
// accesses that a call would force. Applies to calls that are hot by the counts, of a method that is somewhat too
// large, or of a small method when the total is used up.
bool inlining_asks_for_fields(const Plan *root, const Method *m, InliningVerdict verdict, const InliningLimits *limits,
                              double heat);
// Whether that many shared accesses per call justify the inlining.
bool inlining_is_worth_fields(double shared);

#endif
