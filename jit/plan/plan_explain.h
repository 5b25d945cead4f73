// -Xadaptive:explain: the decisions of a plan, the counts that led to them, and the decisions without those counts.
#ifndef CABERNET_JIT_PLAN_PLAN_EXPLAIN_H
#define CABERNET_JIT_PLAN_PLAN_EXPLAIN_H

#include "jit/plan/plan.h"

// Logs the plan in one piece if options->explain_filter names its method.
void explain_plan(const Plan *plan, const CompilerOptions *options);

#endif
