// Hash tables with open addressing and linear probing, at most half full. A slot holds one word, the item: a pointer,
// or the number of an element of the owner's array plus 1. The table's kind defines the hash of an item and the key
// that it matches. Its functions receive the owner; since the functions here are inline, a constant kind costs no
// indirect call. Memory comes from malloc, so references in it do not keep Java objects alive.
//
// Not thread-safe: the owner's lock must cover lookups too, because adding may move every item. The tables with
// lock-free readers are separate by design: the symbol table, interface calls, and the analyses' counts.
#ifndef CABERNET_BASE_HASH_H
#define CABERNET_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

typedef struct HashKind {
    uint32_t (*hash)(const void *owner, uintptr_t item);
    bool (*same)(const void *owner, uintptr_t item, const void *key);
} HashKind;

// Zeroed: empty.
typedef struct HashTable {
    uintptr_t *slots;    // 0: free
    uint32_t size;       // slots in use: a power of two, or 0
    uint32_t used;       // slots that are not free: items and removed items
    uint32_t allocated;  // slots that memory is allocated for
} HashTable;

#define HASH_REMOVED UINTPTR_MAX
enum { HASH_FIRST = 16, HASH_LAST = 1 << 30 };

// ---- hashes ------------------------------------------------------------------------------------

#define HASH_START 2166136261u

// FNV-1a; `h` is HASH_START or the hash of the preceding bytes.
static inline uint32_t hash_bytes(uint32_t h, const void *bytes, size_t count) {
    const uint8_t *p = bytes;
    for (size_t i = 0; i < count; i++) h = (h ^ p[i]) * 16777619u;
    return h;
}

static inline uint32_t hash_string(const char *s) { return hash_bytes(HASH_START, s, strlen(s)); }

// A fast 64-bit hash of many bytes, whose high half is the better one. Depends on the processor's byte order.
static inline uint64_t hash_words(const void *bytes, size_t count) {
    const uint8_t *p = bytes;
    uint64_t h = count * 0x9e3779b97f4a7c15, word;
    for (; count >= 8; p += 8, count -= 8) {
        memcpy(&word, p, sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    word = 0;
    if (count) memcpy(&word, p, count);
    h = (h ^ word) * 0xff51afd7ed558ccd;
    h ^= h >> 29;
    return h * 0xc4ceb9fe1a85ec53;
}

static inline uint32_t hash_pointer(const void *p) {
    return (uint32_t)((uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

// ---- records by pointer ------------------------------------------------------------------------

// The owner of a table of an array's records, each of which begins with a pointer, the key. An item is the number of a
// record plus 1.
typedef struct HashRecords {
    const void *records;
    size_t size;  // of one
} HashRecords;

static inline const void *hash_record_key(const HashRecords *owner, uintptr_t item) {
    const void *key;
    memcpy(&key, (const char *)owner->records + (item - 1) * owner->size, sizeof key);
    return key;
}

static inline uint32_t hash_record(const void *owner, uintptr_t item) {
    return hash_pointer(hash_record_key(owner, item));
}

static inline bool hash_record_same(const void *owner, uintptr_t item, const void *key) {
    return hash_record_key(owner, item) == key;
}

static const HashKind hash_by_pointer = {hash_record, hash_record_same};

// ---- kinds by a member ---------------------------------------------------------------------------

// Kinds of tables whose items are structures with the key in a member: a string, or a pointer.
#define HASH_BY_STRING(kind, type, member)                                        \
    static uint32_t kind##_hash(const void *owner, uintptr_t item) {              \
        (void)owner;                                                              \
        return hash_string(((const type *)item)->member);                         \
    }                                                                             \
    static bool kind##_same(const void *owner, uintptr_t item, const void *key) { \
        (void)owner;                                                              \
        return strcmp(((const type *)item)->member, key) == 0;                    \
    }                                                                             \
    static const HashKind kind = {kind##_hash, kind##_same}
#define HASH_BY_POINTER(kind, type, member)                                       \
    static uint32_t kind##_hash(const void *owner, uintptr_t item) {              \
        (void)owner;                                                              \
        return hash_pointer(((const type *)item)->member);                        \
    }                                                                             \
    static bool kind##_same(const void *owner, uintptr_t item, const void *key) { \
        (void)owner;                                                              \
        return ((const type *)item)->member == key;                               \
    }                                                                             \
    static const HashKind kind = {kind##_hash, kind##_same}

// ---- records by bytes --------------------------------------------------------------------------

// The owner of a table of an array's records, each of which begins with a key of `key` bytes, padding included. An item
// is the number of a record plus 1. The hash of a key is its hash_bytes, starting with HASH_START.
typedef struct HashKeyedRecords {
    const void *records;
    size_t size, key;
} HashKeyedRecords;

static inline uint32_t hash_record_bytes(const void *owner, uintptr_t item) {
    const HashKeyedRecords *r = owner;
    return hash_bytes(HASH_START, (const char *)r->records + (item - 1) * r->size, r->key);
}

static inline bool hash_record_bytes_same(const void *owner, uintptr_t item, const void *key) {
    const HashKeyedRecords *r = owner;
    return memcmp((const char *)r->records + (item - 1) * r->size, key, r->key) == 0;
}

static const HashKind hash_by_bytes = {hash_record_bytes, hash_record_bytes_same};

// ---- pointers to records -----------------------------------------------------------------------

// Items are pointers to records, each of which begins with a word, the key. The owner is unused. The key to find is
// passed as a pointer of that value, and its hash is hash_pointer.
static inline uintptr_t hash_first_word(uintptr_t item) {
    uintptr_t word;
    memcpy(&word, (const void *)item, sizeof word);
    return word;
}

static inline uint32_t hash_pointed(const void *owner, uintptr_t item) {
    (void)owner;
    return hash_pointer((const void *)hash_first_word(item));
}

static inline bool hash_pointed_same(const void *owner, uintptr_t item, const void *key) {
    (void)owner;
    return hash_first_word(item) == (uintptr_t)key;
}

static const HashKind hash_by_first_word = {hash_pointed, hash_pointed_same};

// ---- sets of pointers --------------------------------------------------------------------------

// An item is the key itself. The owner is unused, and the hash is hash_pointer.
static inline uint32_t hash_address(const void *owner, uintptr_t item) {
    (void)owner;
    return hash_pointer((const void *)item);
}

static inline bool hash_address_same(const void *owner, uintptr_t item, const void *key) {
    (void)owner;
    return item == (uintptr_t)key;
}

static const HashKind hash_by_address = {hash_address, hash_address_same};

// ---- tables ------------------------------------------------------------------------------------

// The first slot for this hash (multiplicative hashing, because the low bits of a hash may be poor).
static inline uint32_t hash_slot(uint32_t hash, uint32_t size) {
    return (uint32_t)((uint64_t)(hash * UINT32_C(0x9e3779b1)) * size >> 32);
}

// The item that matches, or 0.
static inline uintptr_t hash_find(const HashTable *t, const HashKind *kind, const void *owner, uint32_t hash,
                                  const void *key) {
    if (!t->size) return 0;
    for (uint32_t i = hash_slot(hash, t->size); t->slots[i]; i = (i + 1) & (t->size - 1))
        if (t->slots[i] != HASH_REMOVED && kind->same(owner, t->slots[i], key)) return t->slots[i];
    return 0;
}

static inline void hash_place(HashTable *t, uint32_t hash, uintptr_t item) {
    uint32_t i = hash_slot(hash, t->size);
    while (t->slots[i]) i = (i + 1) & (t->size - 1);
    t->slots[i] = item;
    t->used++;
}

// Empties the table and makes room for `items` items; reuses memory. False when out of memory; the table is then empty.
static inline bool hash_begin(HashTable *t, uint32_t items) {
    uint32_t size = HASH_FIRST;
    while (size < HASH_LAST && size / 2 < items) size *= 2;
    t->size = t->used = 0;
    if (size / 2 < items) return false;
    if (size > t->allocated) {
        free(t->slots);
        t->allocated = 0;
        t->slots = calloc(size, sizeof *t->slots);
        if (!t->slots) return false;
        t->allocated = size;
    } else {
        memset(t->slots, 0, size * sizeof *t->slots);
    }
    t->size = size;
    return true;
}

// Makes room for one more item and drops the marks of removed items. At most three eighths of the slots are then in
// use, so alternating removals and insertions do not rebuild the table every time.
static inline bool hash_rebuild(HashTable *t, const HashKind *kind, const void *owner) {
    uint64_t items = 1;
    for (uint32_t i = 0; i < t->size; i++) items += t->slots[i] && t->slots[i] != HASH_REMOVED;
    HashTable larger = {0};
    if (items * 4 / 3 > HASH_LAST / 2 || !hash_begin(&larger, (uint32_t)(items * 4 / 3))) return false;
    for (uint32_t i = 0; i < t->size; i++)
        if (t->slots[i] && t->slots[i] != HASH_REMOVED)
            hash_place(&larger, kind->hash(owner, t->slots[i]), t->slots[i]);
    free(t->slots);
    *t = larger;
    return true;
}

// Adds an item that is not in the table. False when out of memory; the table is then unchanged.
static inline bool hash_add(HashTable *t, const HashKind *kind, const void *owner, uint32_t hash, uintptr_t item) {
    if (t->used >= t->size / 2 && !hash_rebuild(t, kind, owner)) return false;
    hash_place(t, hash, item);
    return true;
}

// For owners that cannot continue without it: ends the process with a message when out of memory.
static inline void hash_add_or_exit(HashTable *t, const HashKind *kind, const void *owner, uint32_t hash,
                                    uintptr_t item) {
    if (!hash_add(t, kind, owner, hash, item)) grow_out_of_memory(2 * t->size * sizeof *t->slots);
}

// Removes the matching item, if there is one. Allocates nothing.
static inline void hash_remove(HashTable *t, const HashKind *kind, const void *owner, uint32_t hash, const void *key) {
    if (!t->size) return;
    for (uint32_t i = hash_slot(hash, t->size); t->slots[i]; i = (i + 1) & (t->size - 1))
        if (t->slots[i] != HASH_REMOVED && kind->same(owner, t->slots[i], key)) {
            t->slots[i] = HASH_REMOVED;
            return;
        }
}

// Removes the items for which `keep` returns false. Allocates nothing.
static inline void hash_filter(HashTable *t, bool (*keep)(uintptr_t item)) {
    for (uint32_t i = 0; i < t->size; i++)
        if (t->slots[i] && t->slots[i] != HASH_REMOVED && !keep(t->slots[i])) t->slots[i] = HASH_REMOVED;
}

// Iterates in slot order: `for (uint32_t at = 0; (item = hash_next(t, &at));)`.
static inline uintptr_t hash_next(const HashTable *t, uint32_t *at) {
    while (*at < t->size) {
        uintptr_t item = t->slots[(*at)++];
        if (item && item != HASH_REMOVED) return item;
    }
    return 0;
}

// Removes the item that hash_next has just returned. Allocates nothing.
static inline void hash_remove_returned(HashTable *t, uint32_t at) { t->slots[at - 1] = HASH_REMOVED; }

// Leaves an empty table.
static inline void hash_free(HashTable *t) {
    free(t->slots);
    *t = (HashTable){0};
}

#endif
