// The queue between a thread and its consumer: one interface for the ring (cab.h) and for the queues that it is
// compared with. As for the ring: one producer, one consumer, which may be any thread that sees the effects of the
// previous one; words that are neither CAB_CLEAR nor CAB_MAGIC; events of at most CAB_LONGEST words, which are
// adjacent.
//
// The functions are inline and select by a kind that never changes, so a comparison measures the queues.
//
// Nothing here locks, blocks or makes system calls, except queue_init, queue_free and queue_nowhere.
#ifndef CABERNET_PROFILER_RING_QUEUE_H
#define CABERNET_PROFILER_RING_QUEUE_H

#include "profiler/ring/cab.h"
#include "profiler/ring/fastforward.h"
#include "profiler/ring/lamport.h"
#include "profiler/ring/nway.h"

typedef struct Queue {
    RingKind kind;
    uint64_t **next;  // the producer's position
    union {
        Cab cab;  // also of RING_FASTFORWARD
        FastForward fastforward;
        NWay nway;
        Lamport lamport;
        uint64_t word;
    };
    void *memory;  // of nway and lamport
    size_t bytes;
} Queue;

// A queue of `words` slots in chunks of `chunk`, as cab_init. RING_NWAY: a chunk is a buffer, and a power of two;
// RING_LAMPORT: `words` is one. *next becomes the producer's position. False: mmap failed. Any thread.
bool queue_init(Queue *q, RingKind kind, size_t words, size_t chunk, uint64_t **next);
// No thread may use the queue any more. A zeroed queue has nothing to free.
void queue_free(Queue *q);

// Memory in which threads without a queue write their events, for RING_NWAY and RING_LAMPORT: the position. It stays as
// long as the process. NULL: mmap failed.
uint64_t *queue_nowhere(RingForm form);

// ---- the producer ------------------------------------------------------------------------------

// Does the producer test for more room than its event needs? Then a wait at its next safepoint comes in time.
static inline bool queue_looks_ahead(const Queue *q) { return q->kind == RING_CAB || q->kind == RING_LAMPORT; }

// The test before each event of `n` words. False: call queue_room.
static inline bool queue_is_free(const Queue *q, size_t n) {
    switch (q->kind) {
        case RING_CAB: return cab_is_free(*q->next, CAB_AHEAD);
        case RING_FASTFORWARD: return cab_is_free(*q->next, n);
        case RING_NWAY: return nway_fits(&q->nway, n);
        case RING_LAMPORT: return lamport_free_slots(&q->lamport) >= CAB_AHEAD;
        case RING_WORD: break;
    }
    return true;
}

// Appends an event; there must be room.
static inline void queue_put(Queue *q, const uint64_t *words, size_t n) {
    switch (q->kind) {
        case RING_CAB:
        case RING_FASTFORWARD:
            for (size_t i = 0; i < n; i++) cab_put(&q->cab, words[i]);
            return;
        case RING_NWAY: nway_put(&q->nway, words, n); return;
        case RING_LAMPORT: lamport_put(&q->lamport, words, n); return;
        case RING_WORD:
            for (size_t i = 0; i < n; i++) __atomic_store_n(*q->next, words[i], __ATOMIC_RELAXED);
    }
}

// Makes room for `need` words, as cab_room. CAB_SHORT: the producer should soon wait (queue_is_backed_off).
CabRoom queue_room(Queue *q, size_t need);
// May a waiting producer continue? Eventually true while the consumer runs.
bool queue_is_backed_off(const Queue *q);
// Is the consumer far behind? About three quarters of the slots are taken, more than the two of at least four chunks
// that a consumer leaves unread; or of a queue that is not cleared, all but a few.
static inline bool queue_is_crowded(const Queue *q) {
    if (!ring_is_cleared(q->kind)) return !queue_is_backed_off(q);
    const uint64_t *at = *q->next + q->cab.words / 4;
    return cab_load(at < q->cab.end ? at : at - q->cab.words) != CAB_CLEAR;
}
// Continues with the producer's position at another place. RING_CAB.
static inline void queue_move(Queue *q, uint64_t **next) {
    *next = *q->next;
    q->next = q->cab.next = next;
}
// Of a queue without a consumer: drops all words, or with RING_NWAY a buffer.
void queue_restart(Queue *q);

// ---- the consumer ------------------------------------------------------------------------------

// Are there words to take, at the distance from the producer that the kind demands?
static inline bool queue_is_ready(Queue *q) {
    switch (q->kind) {
        case RING_CAB: return cab_is_ready(&q->cab);
        case RING_FASTFORWARD: return fastforward_is_ready(&q->fastforward);
        case RING_NWAY: return nway_is_ready(&q->nway);
        case RING_LAMPORT: return lamport_read(&q->lamport) != lamport_written(&q->lamport);
        case RING_WORD: break;
    }
    return false;
}

// The oldest word.
static inline uint64_t *queue_read(const Queue *q) {
    switch (q->kind) {
        case RING_NWAY: return q->nway.read;
        case RING_LAMPORT: return lamport_read(&q->lamport);
        default: return q->cab.read;
    }
}

// The end of the words that may be taken in one go from a ready queue: a chunk, a buffer, or else the first word.
static inline const uint64_t *queue_piece_end(const Queue *q) {
    switch (q->kind) {
        case RING_CAB: return cab_chunk_end(&q->cab);
        case RING_NWAY: return q->nway.end;
        default: return queue_read(q) + 1;
    }
}

// Advances by n words, which have been read.
static inline void queue_take(Queue *q, size_t n) {
    switch (q->kind) {
        case RING_NWAY: nway_take(&q->nway, n); return;
        case RING_LAMPORT: lamport_take(&q->lamport, n); return;
        default: cab_take(&q->cab, n);
    }
}

// The same up to `at`, whose slots have been cleared if they must be.
static inline void queue_advance(Queue *q, uint64_t *at) {
    if (ring_is_cleared(q->kind)) q->cab.read = at == q->cab.end ? q->cab.start : at;
    else queue_take(q, (size_t)(at - queue_read(q)));
}

// Whether the i-th word from the oldest one exists and is not in another lap or buffer. All words are found if the
// producer is stopped.
static inline bool queue_has(Queue *q, size_t i) {
    switch (q->kind) {
        case RING_NWAY: {
            const uint64_t *end = nway_end(&q->nway);  // may begin the next buffer
            return q->nway.read + i < end;
        }
        case RING_LAMPORT: return lamport_read(&q->lamport) + i != lamport_written(&q->lamport);
        case RING_WORD: return false;
        default: return cab_load(q->cab.read + i) != CAB_CLEAR;
    }
}

#endif
