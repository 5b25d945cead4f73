// Exact counts without calls (vm/api/compiler.h, "Counters"). This pass between emission and optimisation places
// counters on edges of the emitted control flow.
//
// jit/analysis/chords.h chooses the edges. Exceptions, deoptimisations and polls are ordinary branches of the emitted
// code: the spanning tree contains the hot edges, and an exit from the middle of a block is counted where it leaves.
#ifndef CABERNET_JIT_BACKEND_COUNTERS_H
#define CABERNET_JIT_BACKEND_COUNTERS_H

#include "jit/backend/unit.h"

// Names in the code's object for distances from the thread: to the code's counters, to its path counters, to those of
// calls that select (CodeSelectedCalls), to those of allocations (CodeMark.counter), and to the inline caches of other
// calls (CodeCallEntry).
#define COUNTERS_SYMBOL "counters"
#define PATHS_SYMBOL "path_counts"
#define SELECTED_SYMBOL "selected_calls"
#define ALLOCATIONS_SYMBOL "allocation_counts"
#define CALLS_SYMBOL "call_caches"
// One of these distances as an i64. Its value is known only when the code is linked. Because it is a symbol below 2^31,
// it becomes an immediate operand.
LLVMValueRef counters_distance(Unit *unit, const char *symbol);

// Places the counters for unit->marks, and fills the unit's tables that derive the counts from them. Does nothing
// without marks. False with unit->bailout set.
bool counters_place(Unit *unit);

#endif
