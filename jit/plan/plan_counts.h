// Counts of template code (vm/api/methodcounts.h) in plans. They are read once, when a method becomes part of the plan,
// and are kept in the plan.
#ifndef CABERNET_JIT_PLAN_PLAN_COUNTS_H
#define CABERNET_JIT_PLAN_PLAN_COUNTS_H

#include "jit/plan/plan.h"

// Reads the method's current counts into the plan: blocks, calls, receivers. Without counts, a call with a certain
// target is assumed to be made as often as the target was entered.
void counts_read(Plan *plan);
// Whether code is left where the block's branch takes that edge (Plan.never).
bool counts_leave_edge(const Plan *plan, uint32_t block, uint32_t edge);
// Whether the method's code may leave a branch or call that it has begun to the interpreter, which executes it again.
bool counts_may_leave(const Plan *root, const Plan *plan);
// How often the block around `bci` began; 0 without counts.
uint64_t counts_at(const Plan *plan, uint32_t bci);
// How often control went from a block to each of its successors, in their order, as far as the block counts determine
// it. An edge that they do not determine gets the rest. False: there are no counts, or the block hardly ran.
bool counts_of_edges(const Plan *plan, uint32_t block, uint64_t *edges);
// Accesses per call of `m` to fields that the caller, or a method that it is inlined in, accesses too; 0 without
// counts.
double counts_shared_fields(const Plan *caller, Method *m);
// Bytecodes of `m` that would be compiled in that plan, without those after never-taken branches, where the code is
// left.
uint32_t counts_hot_part(const Plan *root, Method *m);
// PlanSnapshot of a root whose counts have been read.
PlanSnapshot counts_describe(const Plan *root);

#endif
