// Where the current thread is, as a profiler names places. Implemented in vm/instrument/callcontext.c.
#ifndef CABERNET_VM_API_CALLCONTEXT_H
#define CABERNET_VM_API_CALLCONTEXT_H

#include <stdint.h>

// The visible frames of the current thread, the innermost first: method ids and bytecode indexes, `most` of them at most.
// Returns how many. For sinks of events that the thread makes itself: the walk neither allocates, locks nor blocks, and
// takes some tens of nanoseconds for each frame.
uint32_t callcontext(uint32_t *methods, int32_t *bcis, uint32_t most);

#endif
