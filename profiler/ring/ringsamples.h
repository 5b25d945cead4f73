// Samples of a ring that is overwritten (consume=sampled; the paper's Figure 5): one burst of cache lines from each
// stretch of the ring, at a random place, so that every word is equally likely to be sampled and no pattern of the
// program correlates with the samples.
//
// Producers do not wait. A consumer samples chunk by chunk. At the end of a lap the producer itself samples what the
// consumer has not reached, and keeps copies for it. A consumer that gets too little processor time thus does not
// degrade the sample, and the producer only pays for copying a few lines. Words are lost, and counted, only when too
// many copies are pending or the ring is overwritten while a consumer copies.
//
// No locks. Producer and consumer may call concurrently, each its own functions; there is one of each at a time.
#ifndef CABERNET_PROFILER_RING_RINGSAMPLES_H
#define CABERNET_PROFILER_RING_RINGSAMPLES_H

#include <stdatomic.h>

#include "profiler/ring/cab.h"

enum { CACHE_LINE_WORDS = 8 };

// The complete events that begin in the bursts of a piece of the ring.
typedef struct RingSample {
    struct RingSample *next;
    uint64_t seen;  // words in the bursts
    size_t count, room;
    uint64_t words[];  // followed by CAB_PAD
} RingSample;

typedef struct RingSamples {
    size_t burst, stretch;  // words; a stretch is approximate
    uint32_t rate;
    uint64_t random, producer_random;
    _Atomic(RingSample *) kept;
    _Atomic uint64_t kept_words, overwritten;
} RingSamples;

// rate: percentage of words, 0: one burst of each chunk; lines: of a burst. The seed determines the places of bursts.
void ringsamples_begin(RingSamples *s, const Cab *c, uint32_t rate, uint32_t lines, uint64_t seed);
void ringsamples_end(RingSamples *s);

// Producer: begins the next lap. `keep`: samples the rest of this one. May call malloc.
void ringsamples_next_lap(RingSamples *s, Cab *c, bool keep);

// Consumer: may ringsamples_take find a sample? It may still find none.
bool ringsamples_ready(const RingSamples *s, const Cab *c);
// A kept sample, or one of the next chunk; `last`: of the rest, when the producer is stopped. The caller frees it.
// NULL: there is none, it was overwritten, or out of memory.
RingSample *ringsamples_take(RingSamples *s, Cab *c, bool last);

#endif
