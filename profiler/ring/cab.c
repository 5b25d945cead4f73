#include "profiler/ring/cab.h"

#include <sys/mman.h>

#include "base/invariant.h"

// Slots past the last one, for reads ahead of it.
enum { BEHIND = CAB_AHEAD + CAB_LONGEST };

static size_t bytes_of(size_t words) { return (words + BEHIND) * sizeof(uint64_t); }

bool cab_init(Cab *c, size_t words, size_t chunk, uint64_t **next) {
    ASSERT(chunk >= CAB_LEAST_CHUNK && words >= CAB_LEAST_CHUNKS * chunk && words % chunk == 0,
           "a ring of %zu words in chunks of %zu", words, chunk);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    uint64_t *slots = mmap(NULL, bytes_of(words), PROT_READ | PROT_WRITE, flags, -1, 0);
    *c = (Cab){0};
    if (slots == MAP_FAILED) return false;
    *c = (Cab){.start = slots, .end = slots + words, .words = words, .chunk = chunk, .next = next, .read = slots};
    for (size_t i = 0; i < BEHIND; i++) c->end[i] = CAB_MAGIC;
    *next = slots;
    return true;
}

// The occupied slots are one piece from the consumer's position, so the first free one ends it. A PAD remains a PAD.
bool cab_grow(Cab *c, size_t words) {
    Cab larger;
    ASSERT(words > c->words, "from %zu words to %zu", c->words, words);
    if (!cab_init(&larger, words, c->chunk, c->next)) return false;
    const uint64_t *from = c->read;
    for (size_t n = 0; n < c->words && cab_peek(from) != CAB_CLEAR; n++) {
        cab_put(&larger, cab_peek(from));
        if (++from == c->end) from = c->start;
    }
    cab_free(c);
    *c = larger;
    return true;
}

void cab_free(Cab *c) {
    if (c->start) munmap(c->start, bytes_of(c->words));
    *c = (Cab){0};
}

// ---- the producer ------------------------------------------------------------------------------

void cab_wrap(Cab *c) {
    for (uint64_t *at = *c->next; at < c->end; at++) cab_store(at, CAB_PAD);
    __atomic_store_n(&c->laps, c->laps + 1, __ATOMIC_RELEASE);
    __atomic_store_n(c->next, c->start, __ATOMIC_RELEASE);
    __atomic_store_n(&c->laps, c->laps + 1, __ATOMIC_RELEASE);
}

CabRoom cab_room(Cab *c, size_t need, size_t ahead) {
    uint64_t *at = *c->next;
    size_t left = (size_t)(c->end - at);
    ASSERT(need <= ahead && ahead <= CAB_AHEAD && at >= c->start && at <= c->end, "room for %zu and %zu", need, ahead);
    if (left >= ahead && cab_is_free(at, ahead)) return CAB_ROOMY;
    // The occupied slots are one piece that ends at the producer's position, so if any slot up to the end is occupied,
    // the last one is.
    if (left < ahead && (!left || cab_load(c->end - 1) == CAB_CLEAR)) {
        if (cab_is_free(c->start, ahead)) {
            cab_wrap(c);
            return CAB_ROOMY;
        }
        if (left < need && cab_is_free(c->start, need)) {
            cab_wrap(c);
            return CAB_SHORT;
        }
    }
    return left >= need && cab_is_free(at, need) ? CAB_SHORT : CAB_FULL;
}

bool cab_is_backed_off(const Cab *c) {
    size_t slot = (size_t)(*c->next - c->start) + 2 * c->chunk - 1;
    return cab_load(&c->start[slot % c->words]) == CAB_CLEAR;
}

// ---- the consumer ------------------------------------------------------------------------------

bool cab_is_ready(const Cab *c) {
    size_t at = (size_t)(c->read - c->start), chunks = c->words / c->chunk;
    return cab_load(&c->start[(at / c->chunk + 2) % chunks * c->chunk]) != CAB_CLEAR;
}

uint64_t cab_written(const Cab *c) {
    for (;;) {
        uint64_t laps = __atomic_load_n(&c->laps, __ATOMIC_ACQUIRE);
        const uint64_t *at = __atomic_load_n(c->next, __ATOMIC_ACQUIRE);
        bool whole = laps % 2 == 0 && laps == __atomic_load_n(&c->laps, __ATOMIC_ACQUIRE);
        if (whole) return laps / 2 * c->words + (uint64_t)(at - c->start);
    }
}

// A reader that has seen a word of a later lap also sees the position stored before it: the fence orders the reader's
// loads, and the producer stored the position before the word, with release.
bool cab_is_untouched(const Cab *c, uint64_t from) {
    CAB_STEP();
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return cab_written(c) <= from + c->words;
}
