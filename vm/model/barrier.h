// The write barrier of young collections (gc/heap.h). A young collection does not trace old objects. It must therefore
// know which of them have changed: a store of a reference into an object also marks the card of the place, before the
// next safepoint. A card is a byte for 32 bytes of memory. The cards are found by the lower 32 bits of the address, so
// places 4 GB apart share one; a heap that spans more than that has full collections only.
//
// A store into an object that is still young needs no barrier. An object is young until it has survived two
// collections, so code may initialise what it has just allocated without one.
//
// Rejected: a bit in the object's header that says "old and not remembered", with a log of the remembered objects. All
// bits of the lock word are in use, and every fast path of a monitor in every tier would have to keep the bit. Cards of
// 512 bytes: objects that are initialised in blocks with old ones made collections scan many more old objects. The
// marks of 32 bytes say nearly exactly which object has changed.
#ifndef CABERNET_VM_MODEL_BARRIER_H
#define CABERNET_VM_MODEL_BARRIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    BARRIER_CARD_SHIFT = 5,
    BARRIER_CARDS_BEHIND = 1 << 15,  // cards after the table's end, for ranges that begin in it
};

typedef enum BarrierSite {
#define BARRIER(name, tier, kind) BARRIER_##name,
#include "vm/model/barriers.def"
    BARRIER_SITES
} BarrierSite;

typedef struct BarrierState {
    uint8_t *cards;    // 2^32 >> BARRIER_CARD_SHIFT bytes, and those after it; NULL: there are no young collections
    uint64_t *counts;  // by site, with -Xgc-verify; not exact if several threads count; or NULL
} BarrierState;

// Constant once Java code runs.
extern BarrierState barrier;

// The columns of barriers.def, by site.
typedef struct BarrierPlace {
    const char *name, *tier, *kind;
} BarrierPlace;
extern const BarrierPlace barrier_places[BARRIER_SITES];

static inline uint8_t *barrier_card(const void *place) {
    return barrier.cards + ((uint32_t)(uintptr_t)place >> BARRIER_CARD_SHIFT);
}

static inline void barrier_count(BarrierSite site) {
    if (__builtin_expect(barrier.counts != NULL, 0)) __atomic_fetch_add(&barrier.counts[site], 1, __ATOMIC_RELAXED);
}

// A reference has been stored at `place`. No function here allocates, blocks or throws.
static inline void barrier_stored(BarrierSite site, const void *place) {
    if (!barrier.cards) return;
    __atomic_store_n(barrier_card(place), 1, __ATOMIC_RELAXED);
    barrier_count(site);
}

// References have been stored in `bytes` bytes of one object from `begin` on.
static inline void barrier_stored_range(BarrierSite site, const void *begin, size_t bytes) {
    if (!barrier.cards) return;
    const char *at = begin, *end = at + bytes;
    while (at < end) {  // pieces end at most BARRIER_CARDS_BEHIND cards after the table
        size_t most = (size_t)(BARRIER_CARDS_BEHIND - 1) << BARRIER_CARD_SHIFT, left = (size_t)(end - at);
        size_t piece = left < most ? left : most;
        size_t first = (uintptr_t)at >> BARRIER_CARD_SHIFT, last = ((uintptr_t)at + piece - 1) >> BARRIER_CARD_SHIFT;
        memset(barrier_card(at), 1, last - first + 1);
        at += piece;
    }
    barrier_count(site);
}

#endif
