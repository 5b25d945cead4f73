// Exact counts without calls (vm/api/compiler.h, "Counters"). This pass between emission and optimisation decides which
// edges of the emitted control flow carry a counter, and places the increments.
//
// The events of one block happen equally often, and control leaves a block as often as it enters it. So counters on the
// chords of a spanning tree of the control-flow graph give the counts of all blocks (D. E. Knuth, F. R. Stevenson,
// "Optimal measurement points for program frequency counts", BIT 13, 1973; T. Ball, J. R. Larus, "Optimally profiling
// and tracing programs", TOPLAS 16, 1994). Exceptions, deoptimisations and polls are ordinary branches of the emitted
// code: the tree contains the hot edges, and an exit from the middle of a block is counted where it leaves.
#ifndef CABERNET_JIT_COUNTERS_H
#define CABERNET_JIT_COUNTERS_H

#include "jit/backend/unit.h"

// Names in the code's object for distances from the thread: to the code's counters, to its path counters, to those of
// calls that select (CodeSelectedCalls), and to the inline caches of other calls (CodeCallEntry).
#define COUNTERS_SYMBOL "counters"
#define PATHS_SYMBOL "path_counts"
#define SELECTED_SYMBOL "selected_calls"
#define CALLS_SYMBOL "call_caches"
// One of these distances as an i64. Its value is known only when the code is linked. Because it is a symbol below 2^31,
// it becomes an immediate operand.
LLVMValueRef counters_distance(Unit *unit, const char *symbol);

// Places the counters for unit->marks, and fills the unit's tables that derive the counts from them. Does nothing
// without marks. False with unit->bailout set.
bool counters_place(Unit *unit);

#endif
