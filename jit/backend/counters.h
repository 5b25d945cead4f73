// Exact counts without calls (vm/api/compiler.h, "Counters"): the pass between emission and optimisation that decides
// which edges of the emitted control flow carry a counter, and puts the increments there.
//
// The events of one block happen equally often, and what comes into a block leaves it. So counters on the chords of a
// spanning tree of the control-flow graph give the counts of all blocks (D. E. Knuth, F. R. Stevenson, "Optimal
// measurement points for program frequency counts", BIT 13, 1973; T. Ball, J. R. Larus, "Optimally profiling and
// tracing programs", TOPLAS 16, 1994). Exceptional exits, deoptimisations and polls are branches of the emitted code
// like any others: the tree has the hot edges, and what leaves in the middle is counted where it leaves.
#ifndef CABERNET_JIT_COUNTERS_H
#define CABERNET_JIT_COUNTERS_H

#include "jit/backend/unit.h"

// What the distances from the thread are called in the code's object: of its counters, of those of paths, of those of calls
// that select (CodeSelectedCalls), and of the inline caches of the others (CodeCallEntry).
#define COUNTERS_SYMBOL "counters"
#define PATHS_SYMBOL "path_counts"
#define SELECTED_SYMBOL "selected_calls"
#define CALLS_SYMBOL "call_caches"
// One of them as a number (i64). It is known when the code is linked; as a symbol that is less than 2^31 it becomes a
// part of instructions.
LLVMValueRef counters_distance(Unit *unit, const char *symbol);

// Counters for unit->marks, and what is derived from them: unit->counts. Nothing without marks. False with
// unit->bailout set.
bool counters_place(Unit *unit);

#endif
