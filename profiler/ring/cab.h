// The ring between a thread that makes events and the thread that analyses them: Cache-friendly Asymmetric Buffering
// (Ha, Arnold, Blackburn and McKinley, OOPSLA 2009, Figures 3, 5 and 6). One producer, one consumer, words of 64 bits.
//
// A slot that may be written holds CAB_CLEAR, which no event contains; the consumer clears what it has taken. Behind
// the last slot stands CAB_MAGIC. So one test tells whether there is room: the slot is CLEAR, or else the ring is full or
// at its end. The consumer takes chunks, each only when the one after the next has been begun, so that the two never work
// on the same cache lines.
//
// What the slots look like. Those that hold words are one piece of the ring, from the consumer's position to the
// producer's; the others, from there on, are CLEAR. So if the n-th slot from the producer's position on is CLEAR, all before
// it are, as long as the end of the ring is not between. Two things keep that true: no word is CLEAR, and where an event does
// not fit before the end the rest is filled with CAB_PAD. Compiled code relies on it: it looks `ahead` slots further than it
// writes, and asks for room (cab_room) only if that one is not CLEAR. An event never goes over the end, so
// its words stand behind each other; it may go over the border of a chunk.
//
// Memory orders. A word is stored with release and a CLEAR too; the producer reads slots with acquire, and the
// consumer the slot that tells it that a chunk is complete. That one was stored behind all words of the chunk, so these can
// be read relaxed. That the slot is CLEAR says that the consumer has read what it held: its release orders the reading before
// it. A sampling consumer has nothing of that: it reads `laps` and `next` with acquire, and the producer stores them with release, so
// the words in front of the position are there. Afterwards cab_is_untouched tells whether what was read could have been overwritten. On
// x86-64 all of these are plain moves.
//
// Sampling (Figure 5): the producer looks for the end alone and overwrites; nothing is cleared. The producer's position tells
// the consumer what there is, and afterwards whether it was overwritten meanwhile. Who samples a piece of the ring claims it
// first: the consumer a chunk, the producer what is left of a lap when it begins the next one.
//
// Nothing here locks, blocks or makes system calls but cab_init and cab_free. Who may be the consumer is the owner's to
// decide (profiler/control/transport.c): any thread that is the only one and has seen what the last one did.
#ifndef CABERNET_PROFILER_CAB_H
#define CABERNET_PROFILER_CAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAB_CLEAR UINT64_C(0)
#define CAB_MAGIC UINT64_MAX
#define CAB_PAD (UINT64_C(0x3e) << 58)  // no event: the consumer goes on

// tests/ring/cab_model_test.c has smaller ones, and takes a step in front of each access that another thread may see.
#ifndef CAB_STEP
#define CAB_STEP() ((void)0)
enum {
    CAB_LONGEST = 16,        // words of an event
    CAB_AHEAD = 256,         // how far the producer may look
    CAB_LEAST_CHUNK = 512,   // words
};
#endif
_Static_assert(CAB_LONGEST <= CAB_AHEAD && CAB_AHEAD <= CAB_LEAST_CHUNK,
               "who has waited for two chunks has room for CAB_AHEAD on one side of the end");
enum { CAB_LEAST_CHUNKS = 4 };  // of a ring: a producer that waits needs two that are free, a consumer keeps two behind

typedef struct Cab {
    // Constant.
    uint64_t *start, *end;   // the slots; MAGIC stands at *end and behind it
    size_t words, chunk;     // slots; slots of a chunk, of which there is a whole number
    uint64_t **next;         // the producer's position: a word where compiled code finds it
    // The producer's.
    _Alignas(64) uint64_t laps;  // how often it has begun anew, doubled: odd while it does
    // The consumer's.
    _Alignas(64) uint64_t *read; // the oldest word
    // Of a ring that is overwritten: the words in front of those that nobody has claimed.
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

// A ring of `words` slots in chunks of `chunk`, at least CAB_LEAST_CHUNKS of CAB_LEAST_CHUNK. `next` becomes the position
// of the producer. Pages that are never written take no memory. False: the system refuses. Any thread.
bool cab_init(Cab *c, size_t words, size_t chunk, uint64_t **next);
// Nobody writes or reads it any more. A ring that is all zeros has nothing to free.
void cab_free(Cab *c);

// ---- the producer ------------------------------------------------------------------------------

// Whether so many slots can be written from `at` on, which is the producer's position or the ring's start. n: 1 to
// CAB_AHEAD.
static inline bool cab_is_free(const uint64_t *at, size_t n) { return cab_load(&at[n - 1]) == CAB_CLEAR; }

// Appends a word, for which there is room.
static inline void cab_put(Cab *c, uint64_t word) {
    uint64_t *at = *c->next;
    cab_store(at, word);
    __atomic_store_n(c->next, at + 1, __ATOMIC_RELEASE);
}

// Makes room at the producer's position for `need` words, by going on at the start of the ring if the end is nearer than
// `ahead`. CAB_ROOMY: for `ahead`, too. CAB_SHORT: for `need`. CAB_FULL: not even for those, until the consumer has gone on.
// need <= CAB_LONGEST, need <= ahead <= CAB_AHEAD.
typedef enum CabRoom { CAB_ROOMY, CAB_SHORT, CAB_FULL } CabRoom;
CabRoom cab_room(Cab *c, size_t need, size_t ahead);

// Whether a producer that has waited may go on: two chunks are free (Figure 3b). As long as the consumer consumes
// that becomes true, for it leaves at most two chunks.
bool cab_is_backed_off(const Cab *c);

// The next lap of a producer that overwrites, at whose position an event of `need` words does not fit.
void cab_wrap(Cab *c);

// ---- the consumer ------------------------------------------------------------------------------

// Whether a whole chunk is to be consumed and the producer is past the next one.
bool cab_is_ready(const Cab *c);
// The end of the chunk that the consumer is in.
static inline const uint64_t *cab_chunk_end(const Cab *c) {
    size_t at = (size_t)(c->read - c->start);
    return c->start + at - at % c->chunk + c->chunk;
}
// Clears n words at the consumer's position and goes on.
static inline void cab_take(Cab *c, size_t n) {
    uint64_t *at = c->read;
    for (size_t i = 0; i < n; i++) cab_store(&at[i], CAB_CLEAR);
    at += n;
    c->read = at == c->end ? c->start : at;
}

// ---- a ring that is overwritten ------------------------------------------------------------------

// Words that the producer has written since the ring was made, with those that were skipped at the end of a lap. Any
// thread.
uint64_t cab_written(const Cab *c);
// Whether the producer has not come around to the `from`-th word since the caller read what is behind it (relaxed). An event that it
// is writing just now is not in its position yet. Any thread.
bool cab_is_untouched(const Cab *c, uint64_t from);
// Those that were claimed, and likewise from there on to `to`; false: somebody else has claimed some. Producer and consumer.
static inline uint64_t cab_claimed(const Cab *c) { return cab_load(&c->claimed); }
static inline bool cab_claim(Cab *c, uint64_t from, uint64_t to) {
    CAB_STEP();
    return __atomic_compare_exchange_n(&c->claimed, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}
// The slot that so many words lie in front of.
static inline const uint64_t *cab_slot(const Cab *c, uint64_t words) { return c->start + words % c->words; }

#endif
