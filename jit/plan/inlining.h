// Which calls become part of their caller, and which target a call that selects one is guarded for. Pure functions of bytecode
// sizes, the plan so far and what the profile says in it (PlanCalls, PlanReceivers): equal plans are extended in the same way.
#ifndef CABERNET_JIT_INLINING_H
#define CABERNET_JIT_INLINING_H

#include "jit/plan/plan_internal.h"

typedef struct InliningLimits {
    uint32_t size, forced, depth, total;  // bytecodes, bytecodes of methods that are there to be inlined, levels, bytecodes
} InliningLimits;

// Of a compilation, before a profile says more.
InliningLimits inlining_limits(const CompilerOptions *options);

// Puts what -Xadvice:FILE says of the method's calls into the plan, as if a snapshot had said it.
void inlining_read_advice(Plan *plan);

// Guards a call for the targets, three at most, that it usually has by the profile; or takes a guard away that it does not have
// usually. A call of which the profile says nothing, or whose target is certain, stays as it is. Code is left for receivers that
// never came, where the counts would have seen them.
void inlining_guard(const Plan *root, const Plan *plan, PlanSite *ps);

// How often a guarded call's test for that target, when it was asked, was true and was not, by what is in the plan. False: that says too little.
bool inlining_guard_counts(const Plan *plan, const PlanSite *ps, uint32_t which, uint64_t counts[2]);

// How often the profile's run has made the call from this copy of the caller; of guarded ones, to that target.
double inlining_heat(const Plan *plan, const PlanSite *ps, uint32_t which);
// Plan.scale of a method that is inlined for a call of that heat, once what was counted of it is in its plan.
double inlining_scale(const ProfileSnapshot *snapshot, const Plan *inlined, double heat);

// Whether `m`, of which code of `size` bytecodes would be made, becomes part of the caller for a call of that heat; without a profile, -1.
InliningVerdict inlining_decide(const Plan *root, const Plan *caller, const Method *m, uint32_t size, const InliningLimits *limits, double heat);

// Whether it may be inlined all the same, if enough of it has never run (partial inlining): a call that is hot by the counts, of a method for
// which it is worth finding out.
bool inlining_asks_for_hot_part(const Plan *root, const Method *m, InliningVerdict verdict, const InliningLimits *limits, double heat);

// Whether such a method may be inlined all the same, if it touches fields that its callers touch as well: then accesses vanish that
// an invocation would force. A call that is hot by the counts, of a method that is somewhat too large, or of a small one where the room is used up.
bool inlining_asks_for_fields(const Plan *root, const Method *m, InliningVerdict verdict, const InliningLimits *limits, double heat);
// So many of those accesses make it worth that, a call.
bool inlining_is_worth_fields(double shared);

#endif
