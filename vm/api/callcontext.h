// Where the current thread is, as a profiler names places. Implemented in vm/instrument/callcontext.c.
#ifndef CABERNET_VM_API_CALLCONTEXT_H
#define CABERNET_VM_API_CALLCONTEXT_H

#include <stdint.h>

// The visible frames of the current thread, the innermost first: method ids and bytecode indexes, `most` of them at most.
// Returns how many. For sinks of events that the thread makes itself: the walk neither allocates, locks nor blocks, and
// takes some tens of nanoseconds for each frame.
uint32_t callcontext(uint32_t *methods, int32_t *bcis, uint32_t most);

// For sinks of call_edge that hear of some calls only: gives `fn` the calls that have led to the present one, which is of `callee`,
// the outermost first and without it, each as call_edge says it. Calls that make no events, of hidden methods and of those outside
// scope=, are left out. On the thread that makes the call, inside the event. Allocates with malloc, ends the process when there is no memory, and
// neither locks nor blocks; takes some tens of nanoseconds for each frame.
typedef void CallContextFn(void *arg, uint32_t caller, int32_t bci, uint32_t callee);
void callcontext_calls(uint32_t callee, CallContextFn *fn, void *arg);

#endif
