// Further readers of a ring (transport=cab:shards=). The ring's first reader is its consumer as the ring demands, the
// only one that clears slots. A follower reads the same words and clears nothing. It reads ahead of the first reader,
// which takes only words that all followers have read. So the events of one thread are analysed by several threads at a
// time, each of which takes its part of them.
//
// A follower cannot tell unread words from words of the lap before that the first reader has not cleared yet. It
// therefore counts words: those that it has read are at most as many as the first reader has cleared and the ring has
// slots. While the producer runs, it also keeps the distance that the ring demands of a consumer (cab_is_ready), which
// examines a slot at most two chunks ahead. Neither waits for the other for ever: when the first reader has taken what
// the followers have read, the slots that a follower examines are as free or as full as the first reader finds them.
//
// Events of compiled code whose address is not in the follower's part are passed over without being decoded, so that a
// follower costs less the more of them there are.
//
// One thread at a time uses a follower, which its owner arranges (profiler/ring/ringholders.c), as for the ring itself.
// Nothing here locks or blocks.
#ifndef CABERNET_PROFILER_RING_FOLLOWERS_H
#define CABERNET_PROFILER_RING_FOLLOWERS_H

#include <stdatomic.h>

#include "profiler/ring/ringevents.h"

typedef struct Follower {
    Cab view;          // of the ring's slots; `read` is the follower's own
    EventThread back;  // its sinks take the events
    RingPart part;
    const _Atomic uint64_t *cleared;  // words that the first reader has taken since the ring was made
    _Atomic uint64_t passed;          // those that the follower has read, for other threads
    // Written by the thread that uses it.
    uint64_t count;          // as `passed`, never behind
    enum EventId analysing;  // the event being analysed, or EVENT_COUNT
    uint64_t unfinished;     // events in the middle of which the reading thread ended
} Follower;

// A follower of a ring that nobody has written to. `cleared` must stay valid.
void follower_begin(Follower *f, const Cab *ring, RingPart part, const _Atomic uint64_t *cleared);
// The ring has grown: *ring has the unread words of the first reader at its start.
void follower_move(Follower *f, const Cab *ring);
// All words were removed from the ring.
void follower_skip(Follower *f, const Cab *ring);

// Is there a chunk to read while the producer runs?
bool follower_is_ready(const Follower *f);
// Reads about `most` words of a chunk that is ready.
void follower_read(Follower *f, size_t most);
// Reads until it has passed `to` words, or to the last one. The producer is stopped, or was past `to`.
void follower_finish(Follower *f, uint64_t to);

#endif
