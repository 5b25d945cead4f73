// What the instructions of a method always work on: which handle a call of invokeBasic, which MemberName a call of linkTo*,
// which receiver a virtual call, and which class Unsafe.allocateInstance meets, where that follows from the constants of
// the class file, linked call sites and fields that do not change. So lambdas, method handles, VarHandles and string
// concatenation become the accesses, calls and allocations that they stand for.
//
// One walk over the blocks in reverse postorder, values by slot. A loop is not walked twice: what it stores is unknown.
// Where a small method of java.lang.invoke, or one that the library spun for it, is called with a constant, it is walked for
// what it returns.
#ifndef CABERNET_JIT_CONSTANTS_H
#define CABERNET_JIT_CONSTANTS_H

#include "jit/plan/plan_internal.h"

// Fills in what was found (PlanSite.found, args) for the sites of `plan`, which is filled and whose callers have been walked.
// Any compile thread; malloc only; reads the heap in the epoch.
void constants_find(Plan *plan, uint64_t epoch);

#endif
