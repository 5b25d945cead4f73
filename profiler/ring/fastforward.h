// FastForward (Giacomoni, Moseley and Vachharajani, PPoPP 2008) in the memory of a Cab, to compare with it. Both
// threads decide by the slot that they are about to use, so they share no position. The consumer takes single events.
// It stops when the producer is at most FASTFORWARD_DANGER words ahead, and continues when it is more than
// FASTFORWARD_SAFE words ahead, so that they seldom use the same cache line.
//
// The invariant and the memory order are those of cab.h, which has the producer's functions. The producer looks only as
// far ahead as its event reaches. The consumer measures the distance by the slot that far ahead, which holds a word if
// the producer is past it; all words of the event at its position are then in the ring.
#ifndef CABERNET_PROFILER_RING_FASTFORWARD_H
#define CABERNET_PROFILER_RING_FASTFORWARD_H

#include "profiler/ring/cab.h"

// tests/ring/cab_model_test.c uses smaller distances.
#ifndef FASTFORWARD_DANGER
#define FASTFORWARD_DANGER 16  // two cache lines
#define FASTFORWARD_SAFE 48    // six
#endif
_Static_assert(CAB_LONGEST <= FASTFORWARD_DANGER && FASTFORWARD_SAFE <= 2 * CAB_LEAST_CHUNK,
               "an event at the consumer is complete, and a waiting producer is at a safe distance");

typedef struct FastForward {
    Cab cab;     // first: the queue's functions use it as a Cab
    bool waits;  // the consumer waits for the safe distance
} FastForward;

// May the consumer take an event? Consumer only.
static inline bool fastforward_is_ready(FastForward *f) {
    const uint64_t *at = f->cab.read + (f->waits ? FASTFORWARD_SAFE : FASTFORWARD_DANGER);
    if (at >= f->cab.end) at -= f->cab.words;
    f->waits = cab_load(at) == CAB_CLEAR;
    return !f->waits;
}

#endif
