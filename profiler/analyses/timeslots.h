// When samples of time were taken: a thread's ticks by slot of time and node of its tree of stacks.
//
// A slot is TIMESLOTS_NS << shift long. All threads share the shift, which grows when there are too many entries, so
// the memory does not grow with the length of the run. Slots are numbered in units of TIMESLOTS_NS from the start of
// the profile; with a shift, only multiples of 1 << shift occur. Not thread-safe.
#ifndef CABERNET_PROFILER_ANALYSES_TIMESLOTS_H
#define CABERNET_PROFILER_ANALYSES_TIMESLOTS_H

#include <stdbool.h>
#include <stdint.h>

#define TIMESLOTS_NS INT64_C(20000000)

typedef struct TimeSlot {
    uint64_t node;  // ContextNode.number
    uint32_t slot, ticks;
} TimeSlot;

// Open addressing; an entry without ticks is free. Zeroed: empty.
typedef struct TimeSlots {
    TimeSlot *table;
    uint32_t used, size;  // size: a power of two, or 0
} TimeSlots;

// False: no memory, and the ticks have no time.
bool timeslots_add(TimeSlots *s, uint64_t node, uint32_t slot, uint32_t ticks);
// Adds up the entries whose slots are one with this shift.
void timeslots_widen(TimeSlots *s, uint32_t shift);
void timeslots_free(TimeSlots *s);

#endif
