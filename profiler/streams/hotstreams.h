// Hot data streams: the rules of a sequence's grammar whose heat, the product of length and frequency, reaches a
// threshold. The longest streams are those of Chilimbi and Hirzel ("Dynamic hot data stream prefetching for
// general-purpose programs", PLDI 2002, section 2.3): the frequency of a rule excludes occurrences inside a hot one.
// The minimal streams contain no other hot one (Chilimbi, "Efficient representations and abstractions for quantifying
// and exploiting data reference locality", PLDI 2001), and all their occurrences count. In both cases no two streams
// cover the same reference, so their coverage adds up. One pass over the grammar; malloc only.
#ifndef CABERNET_PROFILER_STREAMS_HOTSTREAMS_H
#define CABERNET_PROFILER_STREAMS_HOTSTREAMS_H

#include "profiler/streams/sequitur.h"

typedef struct HotStreamBounds {
    uint64_t heat;               // threshold; at least 1
    uint32_t shortest, longest;  // lengths, in terminals
    bool minimal;                // the minimal streams instead of the longest
} HotStreamBounds;

// A stream: its terminals, valid during the call, and its frequency (of a longest stream, outside other hot ones).
typedef void HotStreamFn(void *arg, const uint32_t *terminals, uint32_t length, uint64_t frequency);

// Calls `fn` for each stream. False: out of memory, and some may be missing.
bool hotstreams_find(const Sequitur *s, const HotStreamBounds *bounds, HotStreamFn *fn, void *arg);

#endif
