// Lamport's queue (1983), to compare with the ring of cab.h: a ring whose producer and consumer compare their positions
// for each event, and so share both. The size is a power of two to which the ring is aligned.
//
// The two positions lie before the slots, each in its own cache line: the consumer's RING_LAMPORT_READ bytes from the
// start, the producer's RING_LAMPORT_WRITTEN bytes. The producer's `next` is its private copy, where compiled code
// finds it. An event that begins before the end of the ring may continue past it, into CAB_LONGEST further slots; then
// the next event begins at the start. So no event is divided.
//
// Invariant. The words from the consumer's position to the producer's are events. Equal positions mean an empty ring;
// the producer always leaves a slot free.
//
// Memory order. Each position is stored with release by its thread and loaded with acquire by the other; words are
// relaxed.
#ifndef CABERNET_PROFILER_RING_LAMPORT_H
#define CABERNET_PROFILER_RING_LAMPORT_H

#include "profiler/ring/cab.h"
#include "vm/api/events.h"

typedef struct Lamport {
    uint64_t *start, **next;
    size_t words;
} Lamport;

// The place of a position, RING_LAMPORT_READ or RING_LAMPORT_WRITTEN.
static inline uint64_t *lamport_place(const Lamport *l, int offset) {
    return l->start + offset / (int)sizeof(uint64_t);
}
static inline void lamport_store(const Lamport *l, int place, uint64_t *at) {
    cab_store(lamport_place(l, place), (uint64_t)(uintptr_t)at);
}

static inline void lamport_init(Lamport *l, uint64_t *slots, size_t words, uint64_t **next) {
    *l = (Lamport){.start = slots, .next = next, .words = words};
    *next = slots;
    lamport_store(l, RING_LAMPORT_READ, slots);
    lamport_store(l, RING_LAMPORT_WRITTEN, slots);
}

static inline uint64_t *lamport_after(const Lamport *l, uint64_t *at, size_t count) {
    return at + count >= l->start + l->words ? l->start : at + count;
}

// ---- the producer ------------------------------------------------------------------------------

// The number of free slots. Compiled code computes the same (jit/probes/probe_ring.c).
static inline size_t lamport_free_slots(const Lamport *l) {
    uintptr_t read = (uintptr_t)cab_load(lamport_place(l, RING_LAMPORT_READ));
    return ((read - (uintptr_t)*l->next) / sizeof(uint64_t) - 1) & (l->words - 1);
}

static inline void lamport_put(Lamport *l, const uint64_t *words, size_t count) {
    uint64_t *at = *l->next;
    for (size_t i = 0; i < count; i++) {
        CAB_STEP();
        __atomic_store_n(&at[i], words[i], __ATOMIC_RELAXED);
    }
    at = lamport_after(l, at, count);
    __atomic_store_n(l->next, at, __ATOMIC_RELAXED);
    lamport_store(l, RING_LAMPORT_WRITTEN, at);
}

// ---- the consumer ------------------------------------------------------------------------------

static inline uint64_t *lamport_read(const Lamport *l) {
    return (uint64_t *)(uintptr_t)__atomic_load_n(lamport_place(l, RING_LAMPORT_READ), __ATOMIC_RELAXED);
}
static inline uint64_t *lamport_written(const Lamport *l) {
    return (uint64_t *)(uintptr_t)cab_load(lamport_place(l, RING_LAMPORT_WRITTEN));
}
static inline void lamport_take(Lamport *l, size_t count) {
    lamport_store(l, RING_LAMPORT_READ, lamport_after(l, lamport_read(l), count));
}

#endif
