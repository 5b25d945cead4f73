// What template code counts (vm/api/methodcounts.h), in plans.
// It is read once, when a method comes into the plan, and stands in the plan from then on.
#ifndef CABERNET_JIT_COUNTS_H
#define CABERNET_JIT_COUNTS_H

#include "jit/plan/plan_internal.h"

// What was counted of the method so far into the plan: blocks, calls, receivers. Where nothing was, calls whose target is certain
// are taken to be as many as the target has been entered.
void counts_read(Plan *plan);
// Whether the code of a method may leave a branch or call that it has begun to the interpreter, which does it anew.
bool counts_may_leave(const Plan *root, const Plan *plan);
// How often the block around `bci` has begun; 0 without counts.
uint64_t counts_at(const Plan *plan, uint32_t bci);
// How often control went from a block to each of its successors, in their order, as far as it follows from the blocks; an edge
// about which they say nothing gets what the others leave. False: there are no counts, or the block has hardly run.
bool counts_of_edges(const Plan *plan, uint32_t block, uint64_t *edges);
// How often a call of `m` accesses fields that the caller, or a method that this is inlined in, accesses as well; 0: nothing was counted.
double counts_shared_fields(const Plan *caller, Method *m);
// Bytecodes of `m` that code of it would be made of in that plan: without what lies behind branches that never came, where code is left.
uint32_t counts_hot_part(const Plan *root, Method *m);
// PlanSnapshot of a root that has been read.
PlanSnapshot counts_describe(const Plan *root);

#endif
