// N-way buffering, to compare with the ring of cab.h. The producer fills one of several buffers while the consumer
// reads another. As in the comparison of Ha et al. (2009, section 6.1) buffers are handed over without locks, and their
// size is a power of two to which they are aligned, so that the position tells whether an event fits.
//
// Invariant. Slot 0 of a buffer holds 0 while the buffer is the producer's: free or being filled. Otherwise it holds
// the number of slots in use, slot 0 included. The buffers from the consumer's to the one before the producer's are
// handed over; all others are free, except the one being filled. A position is past slot 0 of the buffer being filled,
// or at its end.
//
// Memory order. Slot 0 and the position are stored with release and loaded with acquire; words are relaxed.
//
// Waiting. A producer that has begun a buffer asks for a wait if the following one is not free (CAB_SHORT), so it still
// has a whole buffer until its next safepoint.
#ifndef CABERNET_PROFILER_RING_NWAY_H
#define CABERNET_PROFILER_RING_NWAY_H

#include "profiler/ring/cab.h"

typedef struct NWay {
    // Constant.
    uint64_t *start, **next;
    size_t words, count;  // slots of a buffer; buffers
    // Written by the producer.
    _Alignas(64) uint64_t *filling;  // its buffer
    // Written by the consumer.
    _Alignas(64) uint64_t *reading, *read;  // its buffer; the oldest word
    uint64_t *end;                          // of that buffer's words; NULL: it has not been handed over
} NWay;

static inline void nway_init(NWay *n, uint64_t *slots, size_t words, size_t count, uint64_t **next) {
    *n = (NWay){.start = slots, .next = next, .words = words, .count = count};
    n->filling = n->reading = slots;
    n->read = *next = slots + 1;
}

static inline uint64_t *nway_after(const NWay *n, uint64_t *buffer) {
    return buffer + n->words == n->start + n->count * n->words ? n->start : buffer + n->words;
}

// ---- the producer ------------------------------------------------------------------------------

// Does an event of `length` words fit? Compiled code tests the same (jit/probes/probe_ring.c).
static inline bool nway_fits(const NWay *n, size_t length) {
    return (((uintptr_t)*n->next / sizeof(uint64_t) + length - 1) & (n->words - 1)) >= length;
}

static inline void nway_put(NWay *n, const uint64_t *words, size_t count) {
    uint64_t *at = *n->next;
    for (size_t i = 0; i < count; i++) {
        CAB_STEP();
        __atomic_store_n(&at[i], words[i], __ATOMIC_RELAXED);
    }
    __atomic_store_n(n->next, at + count, __ATOMIC_RELEASE);
}

// Is the buffer after the producer's free?
static inline bool nway_is_backed_off(const NWay *n) { return cab_load(nway_after(n, n->filling)) == 0; }

// Begins the next buffer. `hand_over`: the consumer gets this one; otherwise its words are dropped.
static inline void nway_switch(NWay *n, bool hand_over) {
    if (hand_over) cab_store(n->filling, (uint64_t)(*n->next - n->filling));
    n->filling = nway_after(n, n->filling);
    __atomic_store_n(n->next, n->filling + 1, __ATOMIC_RELEASE);
}

static inline CabRoom nway_room(NWay *n, size_t need) {
    if (!nway_fits(n, need)) {
        if (!nway_is_backed_off(n)) return CAB_FULL;
        nway_switch(n, true);
    }
    return nway_is_backed_off(n) ? CAB_ROOMY : CAB_SHORT;
}

// ---- the consumer ------------------------------------------------------------------------------

static inline void nway_take(NWay *n, size_t count) {
    n->read += count;
    if (n->read != n->end) return;
    cab_store(n->reading, 0);
    n->reading = nway_after(n, n->reading);
    n->read = n->reading + 1;
    n->end = NULL;
}

// Has a buffer been handed over?
static inline bool nway_is_ready(NWay *n) {
    while (!n->end) {
        uint64_t used = cab_load(n->reading);
        if (!used) return false;
        n->end = n->reading + used;
        nway_take(n, 0);  // all of it may have been read before it was handed over
    }
    return true;
}

// The end of the words in the consumer's buffer, including those of a buffer that is being filled.
static inline const uint64_t *nway_end(NWay *n) {
    while (!nway_is_ready(n)) {
        const uint64_t *at = __atomic_load_n(n->next, __ATOMIC_ACQUIRE);
        // A position in another buffer means that this one has been handed over.
        if (at > n->reading && at <= n->reading + n->words) return at;
    }
    return n->end;
}

#endif
