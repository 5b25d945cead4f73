// State that compiled code uses itself when it makes events. In the Thread, where it is at constant offsets; the
// profiler fills it (ProfilerInterface.thread_start).
#ifndef CABERNET_VM_API_EVENTPLACES_H
#define CABERNET_VM_API_EVENTPLACES_H

#include "vm/api/calltree.h"

typedef struct EventPlaces {
    uint64_t *ring;           // position of the thread's next event (EVENTS_RING)
    ContextPosition context;  // EVENTS_CONTEXTS
} EventPlaces;

#endif
