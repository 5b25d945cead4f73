// What compiled code works on by itself when it makes events. In the thread, where it has constant distances; the
// profiler fills it (ProfilerInterface.thread_start).
#ifndef CABERNET_VM_API_EVENTPLACES_H
#define CABERNET_VM_API_EVENTPLACES_H

#include "vm/api/calltree.h"

typedef struct EventPlaces {
    uint64_t *ring;            // where the thread's next event goes (ProfilerInterface.has_ring)
    ContextPosition context;   // ProfilerInterface.has_contexts
} EventPlaces;

#endif
