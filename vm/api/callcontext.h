// The call context of the current thread, in a profiler's terms. Implemented in vm/instrument, in callcontext.c and
// report.c.
#ifndef CABERNET_VM_API_CALLCONTEXT_H
#define CABERNET_VM_API_CALLCONTEXT_H

#include <stdint.h>

// Most frames of a stack that is taken whole; an analysis cuts a deeper one off here.
enum { CALLCONTEXT_MOST = 1024 };

// Stores the visible frames of the current thread, innermost first: method ids and bytecode indexes, at most `most`.
// Returns their number. For sinks of events that the thread makes itself: the walk neither allocates, locks nor blocks,
// and takes some tens of nanoseconds for each frame.
uint32_t callcontext(uint32_t *methods, int32_t *bcis, uint32_t most);

// For sinks of call_edge that receive only some calls: passes `fn` the calls that led to the present call of `callee`,
// in the form of call_edge, outermost first and without the present one. Calls that make no events, of hidden methods
// and outside scope=, are omitted. On the thread that makes the call, inside the event. Allocates with malloc, ends the
// process when there is no memory, and neither locks nor blocks; takes some tens of nanoseconds for each frame.
typedef void CallContextFn(void *arg, uint32_t caller, int32_t bci, uint32_t callee);
void callcontext_calls(uint32_t callee, CallContextFn *fn, void *arg);

#endif
