// Hot data streams: of a sequence's grammar those rules whose heat, which is length times frequency, reaches a threshold.
// The longest ones are those of Chilimbi and Hirzel ("Dynamic hot data stream prefetching for general-purpose programs", PLDI 2002,
// section 2.3): the frequency of a rule does not count occurrences inside a hot one. The minimal ones are those in which no other is
// hot (Chilimbi, "Efficient representations and abstractions for quantifying and exploiting data reference locality", PLDI 2001); all their
// occurrences count. Either way no two streams cover the same reference, so what they cover adds up. One pass over the grammar; malloc only.
#ifndef CABERNET_PROFILER_HOTSTREAMS_H
#define CABERNET_PROFILER_HOTSTREAMS_H

#include "profiler/streams/sequitur.h"

typedef struct HotStreamBounds {
    uint64_t heat;                // least; at least 1
    uint32_t shortest, longest;   // lengths, in terminals
    bool minimal;                 // minimal ones, otherwise the longest
} HotStreamBounds;

// A stream: its terminals, which stay as long as the call, and how often it occurs, of the longest outside other hot ones.
typedef void HotStreamFn(void *arg, const uint32_t *terminals, uint32_t length, uint64_t frequency);

// Calls `fn` for each. False: out of memory, and some may be missing.
bool hotstreams_find(const Sequitur *s, const HotStreamBounds *bounds, HotStreamFn *fn, void *arg);

#endif
