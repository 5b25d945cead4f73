// Tables that one thread fills and grows while others read them without a lock. A table is one allocation that begins
// with PUBLISHED_HEAD, followed by a power of two of slots: a reader that loads the pointer once has a mask that
// matches the slots. A larger table is filled before it is published. Smaller ones are kept until all are freed,
// because a reader may still use them; this wastes at most as much memory as is in use.
//
// The owner of the pointer is the only thread that calls published_grow. It stores the key of a new entry last, with
// release. Readers use published_read.
#ifndef CABERNET_BASE_PUBLISHED_H
#define CABERNET_BASE_PUBLISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The first members of a table. `used`: entries; `shift`: 64 minus the logarithm of the number of slots, for hashes.
#define PUBLISHED_HEAD          \
    struct Published *outgrown; \
    uint32_t used, mask, shift

typedef struct Published {
    PUBLISHED_HEAD;
} Published;

// The table that a reader uses, given the address of the owner's pointer.
#define published_read(at) __atomic_load_n((at), __ATOMIC_ACQUIRE)

static inline uint32_t published_bits(const void *table) { return 64 - ((const Published *)table)->shift; }

// 2^bits zeroed slots. `head`: bytes before the first slot; `slot`: bytes of a slot. NULL: out of memory.
static inline void *published_new(size_t head, size_t slot, uint32_t bits) {
    Published *t = calloc(1, head + (slot << bits));
    if (!t) return NULL;
    t->mask = (uint32_t)((UINT64_C(1) << bits) - 1);
    t->shift = 64 - bits;
    return t;
}

// Replaces *at (a pointer to such a table; NULL: none yet) by a table of 2^bits slots. `move` copies the entries of the
// old table. False: out of memory, with *at unchanged.
static inline bool published_grow(void *at, size_t head, size_t slot, uint32_t bits,
                                  void (*move)(void *larger, const void *old)) {
    Published **table = at, *old = *table, *larger = published_new(head, slot, bits);
    if (!larger) return false;
    if (old) {
        move(larger, old);
        larger->used = old->used;
        larger->outgrown = old;
    }
    __atomic_store_n(table, larger, __ATOMIC_RELEASE);
    return true;
}

// Frees a table, which may be NULL, and all that it has outgrown.
static inline void published_free(void *table) {
    for (Published *t = table, *next; t; t = next) {
        next = t->outgrown;
        free(t);
    }
}

#endif
