// Constants that a method's instructions always work on: the handle of a call of invokeBasic, the MemberName of a call
// of linkTo*, the receiver of a virtual call, the class of Unsafe.allocateInstance. They follow from the constants of
// the class file, linked call sites and fields that do not change. So lambdas, method handles, VarHandles and string
// concatenation become the accesses, calls and allocations that they denote.
//
// One walk over the blocks in reverse postorder, values by slot. A loop is walked once, so locals stored in it are
// unknown. A small method of java.lang.invoke, or one that the library generated for it, is walked for its result if it
// is called with a constant.
#ifndef CABERNET_JIT_PLAN_PLAN_CONSTANTS_H
#define CABERNET_JIT_PLAN_PLAN_CONSTANTS_H

#include "jit/plan/plan.h"

// Fills in the results (PlanSite.found, args) for the sites of `plan`, whose sites are collected and whose callers have
// been walked. Any compile thread; malloc only; reads the heap in the epoch.
void constants_find(Plan *plan, uint64_t epoch);

#endif
