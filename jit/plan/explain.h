// -Xadaptive:explain: the decisions of a plan, the counts behind them, and what would have been decided without.
#ifndef CABERNET_JIT_EXPLAIN_H
#define CABERNET_JIT_EXPLAIN_H

#include "jit/plan/plan.h"

// To stderr, at once, if the plan is of a method that options->explain_filter names.
void explain_plan(const Plan *plan, const CompilerOptions *options);

#endif
