// What the started profile needs of the VM: events and how they are delivered, from what each analysis needs.
#ifndef CABERNET_PROFILER_NEEDS_H
#define CABERNET_PROFILER_NEEDS_H

#include "vm/api/events.h"

EventSet needs_events(void);
EventSet needs_placed_events(void);
EventSet needs_counts(void);
bool needs_waits(void);
bool needs_ring(void);
bool needs_overwriting(void);
bool needs_walks(void);
bool needs_stamps(void);
bool needs_contexts(void);

// Events that are only counted by every analysis that takes them.
EventSet needs_only_counts(void);

#endif
