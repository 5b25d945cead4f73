// The ring between a thread that produces events and the thread that analyses them: Cache-friendly Asymmetric Buffering
// (Ha, Arnold, Blackburn and McKinley, OOPSLA 2009, Figures 3, 5 and 6). One producer, one consumer, 64-bit words.
//
// A free slot holds CAB_CLEAR, which no event contains; the consumer clears the slots that it has read. The last slot
// is followed by CAB_MAGIC. A single test therefore finds room: if the slot is not CLEAR, the ring is full or at its
// end. The consumer takes a chunk only when the chunk after the next has been begun, so that the two threads never work
// on the same cache lines.
//
// Invariant. The slots with words are one contiguous piece of the ring, from the consumer's position to the producer's;
// all others are CLEAR. So if the n-th slot from the producer's position is CLEAR, all slots before it are, unless the
// end of the ring is in between. This holds because no word is CLEAR, and because the rest of the ring is filled with
// CAB_PAD if an event does not fit before the end. Compiled code relies on it: it tests the slot `ahead` slots past its
// write position, and requests room (cab_room) only if that slot is not CLEAR. An event never wraps, so its words are
// adjacent; it may cross a chunk boundary.
//
// Memory order. Words and CLEARs are stored with release. The producer loads slots with acquire; the consumer loads
// with acquire the slot which shows that a chunk is complete. That slot was stored after all words of the chunk, so
// these can be loaded relaxed. A CLEAR slot shows that the consumer has read the old word, since its release store
// orders the read before it. None of this applies to a sampling consumer: it loads `laps` and `next` with acquire, and
// the producer stores them with release, so the words before the position are visible. Afterwards cab_is_untouched
// tells whether they could have been overwritten during the read. On x86-64 all of these are plain moves.
//
// Sampling (Figure 5): the producer tests only for the end, and overwrites; nothing is cleared. The producer's position
// tells the consumer which words exist, and afterwards whether they were overwritten meanwhile. A piece of the ring is
// claimed before it is sampled: a chunk by the consumer, or the rest of a lap by the producer when it begins the next
// one.
//
// Nothing here locks, blocks or makes system calls, except cab_init, cab_grow and cab_free. The owner decides which
// thread is the consumer (profiler/ring/ringholders.c): any thread, provided that it is the only one and sees the
// effects of the previous one.
#ifndef CABERNET_PROFILER_RING_CAB_H
#define CABERNET_PROFILER_RING_CAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAB_CLEAR UINT64_C(0)
#define CAB_MAGIC UINT64_MAX
#define CAB_PAD (UINT64_C(0x3e) << 58)  // no event: the consumer skips it

// tests/ring/cab_model_test.c uses smaller values, and schedules a step before each access visible to other threads.
#ifndef CAB_STEP
#define CAB_STEP() ((void)0)
enum {
    CAB_LONGEST = 16,       // words of an event
    CAB_AHEAD = 256,        // how far ahead the producer may test
    CAB_LEAST_CHUNK = 512,  // words
};
#endif
_Static_assert(CAB_LONGEST <= CAB_AHEAD && CAB_AHEAD <= CAB_LEAST_CHUNK,
               "who has waited for two chunks has room for CAB_AHEAD on one side of the end");
enum { CAB_LEAST_CHUNKS = 4 };  // a waiting producer needs two free chunks, a consumer leaves up to two unread

typedef struct Cab {
    // Constant.
    uint64_t *start, *end;  // the slots; *end and the slots past it hold MAGIC
    size_t words, chunk;    // number of slots; slots per chunk, which divides it
    uint64_t **next;        // the producer's position, stored where compiled code finds it
    // Written by the producer.
    _Alignas(64) uint64_t laps;  // twice the number of laps: odd during the change
    // Written by the consumer.
    _Alignas(64) uint64_t *read;  // the oldest word
    // For a ring that is overwritten: the number of words before the first unclaimed one.
    _Alignas(64) uint64_t claimed;
} Cab;

static inline uint64_t cab_load(const uint64_t *slot) {
    CAB_STEP();
    return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}
static inline uint64_t cab_peek(const uint64_t *slot) {
    CAB_STEP();
    return __atomic_load_n(slot, __ATOMIC_RELAXED);
}
static inline void cab_store(uint64_t *slot, uint64_t word) {
    CAB_STEP();
    __atomic_store_n(slot, word, __ATOMIC_RELEASE);
}

// ---- the ring ----------------------------------------------------------------------------------

// A ring of `words` slots in chunks of `chunk`, at least CAB_LEAST_CHUNKS chunks of CAB_LEAST_CHUNK. *next becomes the
// producer's position. Pages that are never written take no memory. False: mmap failed. Any thread.
bool cab_init(Cab *c, size_t words, size_t chunk, uint64_t **next);
// Moves the words of a ring that is not overwritten into one of `words` slots, more than it has, with chunks of the
// same size. Called by the producer while no other thread uses the ring. False: mmap failed, and the ring is unchanged.
bool cab_grow(Cab *c, size_t words);
// No thread may use the ring any more. A zeroed ring has nothing to free.
void cab_free(Cab *c);

// ---- the producer ------------------------------------------------------------------------------

// Are n slots from `at` free? `at` is the producer's position or the ring's start. n: 1 to CAB_AHEAD.
static inline bool cab_is_free(const uint64_t *at, size_t n) { return cab_load(&at[n - 1]) == CAB_CLEAR; }

// Appends a word; there must be room.
static inline void cab_put(Cab *c, uint64_t word) {
    uint64_t *at = *c->next;
    cab_store(at, word);
    __atomic_store_n(c->next, at + 1, __ATOMIC_RELEASE);
}

// Makes room at the producer's position for `need` words, by continuing at the start of the ring if the end is closer
// than `ahead`. CAB_ROOMY: there is room for `ahead` words. CAB_SHORT: only for `need`. CAB_FULL: not even that, until
// the consumer advances. need <= CAB_LONGEST, need <= ahead <= CAB_AHEAD.
typedef enum CabRoom { CAB_ROOMY, CAB_SHORT, CAB_FULL } CabRoom;
CabRoom cab_room(Cab *c, size_t need, size_t ahead);

// May a waiting producer continue? Requires two free chunks (Figure 3b). This eventually holds while the consumer runs,
// because it leaves at most two chunks unread.
bool cab_is_backed_off(const Cab *c);

// Starts the next lap of a producer that overwrites, when an event does not fit at its position.
void cab_wrap(Cab *c);

// ---- the consumer ------------------------------------------------------------------------------

// Is there a complete chunk to consume, with the producer past the next one?
bool cab_is_ready(const Cab *c);
// The end of the consumer's current chunk.
static inline const uint64_t *cab_chunk_end(const Cab *c) {
    size_t at = (size_t)(c->read - c->start);
    return c->start + at - at % c->chunk + c->chunk;
}
// Clears n words at the consumer's position and advances.
static inline void cab_take(Cab *c, size_t n) {
    uint64_t *at = c->read;
    for (size_t i = 0; i < n; i++) cab_store(&at[i], CAB_CLEAR);
    at += n;
    c->read = at == c->end ? c->start : at;
}

// ---- a ring that is overwritten ------------------------------------------------------------------

// Number of words written since the ring was created, including those skipped at the end of a lap. Any thread.
uint64_t cab_written(const Cab *c);
// Is it certain that the producer has not overwritten words from the `from`-th on since the caller read them (relaxed)?
// An event being written is not yet included in the producer's position. Any thread.
bool cab_is_untouched(const Cab *c, uint64_t from);
// The number of claimed words; cab_claim claims the following ones up to `to`. False: another thread has claimed some.
// Called by producer and consumer.
static inline uint64_t cab_claimed(const Cab *c) { return cab_load(&c->claimed); }
static inline bool cab_claim(Cab *c, uint64_t from, uint64_t to) {
    CAB_STEP();
    return __atomic_compare_exchange_n(&c->claimed, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
// The slot preceded by that number of words.
static inline const uint64_t *cab_slot(const Cab *c, uint64_t words) { return c->start + words % c->words; }

#endif
