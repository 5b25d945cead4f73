// State that compiled code uses itself when it makes events. In the Thread, where it is at constant offsets; the
// profiler fills it (ProfilerInterface.thread_start).
#ifndef CABERNET_VM_API_EVENTPLACES_H
#define CABERNET_VM_API_EVENTPLACES_H

#include "vm/api/calltree.h"

typedef struct EventPlaces {
    uint64_t *ring;           // position of the thread's next event (EVENTS_RING)
    ContextPosition context;  // EVENTS_CONTEXTS
    // Green threads: called when the thread loses its processor, on any pthread and inside the scheduler: must not
    // block. NULL: the profiler need not know. `transport` is for the function.
    void (*lost_processor)(struct EventPlaces *places);
    void *transport;
} EventPlaces;

#endif
