// Samples of a ring that is overwritten (consume=sampled; the paper's Figure 5): of each stretch of the ring one burst of cache
// lines, at a place that is chosen at random, so that every word is as likely as any other to be in the sample and none
// keeps step with the program.
//
// Producers do not wait. A consumer samples chunk by chunk; what it has not come to when a lap ends the producer samples itself
// and keeps for it, as copies: so a consumer that does not get a processor in time makes the sample no worse, and the producer
// pays no more than for copying a few lines. Only where too much is kept already, or the ring is overwritten while a
// consumer copies, words are lost, which is counted.
//
// No locks. Producer and consumer may call at the same time, each its own functions; there is one of each at a time.
#ifndef CABERNET_PROFILER_RINGSAMPLES_H
#define CABERNET_PROFILER_RINGSAMPLES_H

#include <stdatomic.h>

#include "profiler/ring/cab.h"

enum { CACHE_LINE_WORDS = 8 };

// The events that begin in the bursts of a piece of the ring, with all their words.
typedef struct RingSample {
    struct RingSample *next;
    uint64_t seen;         // words in the bursts
    size_t count, room;
    uint64_t words[];      // CAB_PAD stands behind them
} RingSample;

typedef struct RingSamples {
    size_t burst, stretch; // words; of a stretch about
    uint32_t rate;
    uint64_t random, producer_random;
    _Atomic(RingSample *) kept;
    _Atomic uint64_t kept_words, overwritten;
} RingSamples;

// rate: so many words in a hundred, 0: one burst of each chunk; lines: of a burst. Bursts are at places that follow from the seed.
void ringsamples_begin(RingSamples *s, const Cab *c, uint32_t rate, uint32_t lines, uint64_t seed);
void ringsamples_end(RingSamples *s);

// The producer's: the next lap begins. `keep`: what is left of this one is sampled. May allocate.
void ringsamples_next_lap(RingSamples *s, Cab *c, bool keep);

// The consumer's: whether there is something for ringsamples_take. It may find nothing nevertheless.
bool ringsamples_ready(const RingSamples *s, const Cab *c);
// A sample that was kept, or of the next chunk; `last`: of what is left, as the producer stands still. The caller's, to
// free. NULL: there is none, it was overwritten, or there is no memory.
RingSample *ringsamples_take(RingSamples *s, Cab *c, bool last);

#endif
