// The producer's cost of the queues of profiler/ring/queue.h and of others, without a VM: ns per event of 64 bits, in
// thread CPU time and in wall time, the lowest of several rounds. The loops execute the instructions that compiled code
// does for an event (jit/probes/probe_ring.c).
//   stores          a store into a buffer of the ring's size, wrapping at its end: the bare stores
//   one-word        a store into one word: the instrumentation alone
//   NAME-enqueue    the fast path of a queue without a consumer: it is emptied between laps
//   NAME-transfer   with a consumer on another thread that stores each event in one word
// rigtorp is a queue of shared positions of which each thread keeps a copy, loaded only when the queue seems full or
// empty, as Rigtorp's SPSCQueue. Arguments: events per round, rounds, bytes of the ring, of a chunk (powers of two).
// Output lines: name, CPU ns, wall ns.
#include "benchmarks/cab/ring_bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profiler/ring/queue.h"

// ---- queues of profiler/ring ---------------------------------------------------------------------

typedef struct Ring {
    Queue queue;
    uint64_t *next;
} Ring;

static void ring_reset(void *to) {
    Ring *r = to;
    Queue *q = &r->queue;
    size_t words = q->cab.words;
    switch (q->kind) {
        case RING_NWAY:
            for (size_t i = 0; i < q->nway.count; i++) q->nway.start[i * q->nway.words] = 0;
            nway_init(&q->nway, q->nway.start, q->nway.words, q->nway.count, &r->next);
            return;
        case RING_LAMPORT: lamport_init(&q->lamport, q->lamport.start, q->lamport.words, &r->next); return;
        default: memset(q->cab.start, 0, words * sizeof(uint64_t)); r->next = q->cab.read = q->cab.start;
    }
}

static void *ring_create(RingKind kind, size_t words, size_t chunk) {
    Ring *r = aligned_alloc(_Alignof(Ring), sizeof *r);
    if (!r || !queue_init(&r->queue, kind, words, chunk, &r->next)) return NULL;
    uint64_t *start = kind == RING_NWAY ? r->queue.nway.start
        : kind == RING_LAMPORT          ? r->queue.lamport.start
                                        : r->queue.cab.start;
    memset(start, 0, words * sizeof(uint64_t));
    ring_reset(r);
    return r;
}

static void ring_destroy(void *q) {
    queue_free(&((Ring *)q)->queue);
    free(q);
}

static __attribute__((noinline)) void no_room(Ring *r) {
    if (queue_room(&r->queue, 1) != CAB_FULL) return;
    while (!queue_is_backed_off(&r->queue)) sched_yield();
    queue_room(&r->queue, 1);
}

// The loop of a queue. FREE: is there room at `at`? ADVANCE: the position after it.
#define ENQUEUE(kind, free, advance)                                                 \
    static __attribute__((noinline)) void kind##_enqueue(void *q, uint64_t events) { \
        Ring *r = q;                                                                 \
        const uint64_t mask = kind##_mask(r);                                        \
        (void)mask;                                                                  \
        for (uint64_t i = 0; i < events; i++) {                                      \
            uint64_t *at = r->next;                                                  \
            if (__builtin_expect(!(free), 0)) {                                      \
                no_room(r);                                                          \
                at = r->next;                                                        \
            }                                                                        \
            __atomic_store_n(at, i + 1, __ATOMIC_RELEASE);                           \
            __atomic_store_n(&r->next, advance, __ATOMIC_RELAXED);                   \
        }                                                                            \
    }                                                                                \
    static void *kind##_create(size_t words, size_t chunk) { return ring_create(RING_##kind, words, chunk); }

static uint64_t CAB_mask(const Ring *r) { return r->queue.cab.words; }
static uint64_t FASTFORWARD_mask(const Ring *r) { return r->queue.cab.words; }
static uint64_t NWAY_mask(const Ring *r) { return 8 * r->queue.nway.words - 1; }
static uint64_t LAMPORT_mask(const Ring *r) { return 8 * r->queue.lamport.words - 1; }

static inline bool lamport_has_room(uint64_t *at, uint64_t mask) {
    const char *start = (const char *)((uintptr_t)at & ~mask);
    uint64_t read = __atomic_load_n((const uint64_t *)(start + RING_LAMPORT_READ), __ATOMIC_ACQUIRE);
    return ((read - (uintptr_t)(at + 1)) & mask) >= 8 * CAB_AHEAD;
}
static inline uint64_t *lamport_next(uint64_t *at, uint64_t mask) {
    char *start = (char *)((uintptr_t)at & ~mask);
    uint64_t *next = (uintptr_t)(at + 1) & mask ? at + 1 : (uint64_t *)start;
    __atomic_store_n((uint64_t **)(start + RING_LAMPORT_WRITTEN), next, __ATOMIC_RELEASE);
    return next;
}

ENQUEUE(CAB, cab_is_free(at, CAB_AHEAD), at + 1)
ENQUEUE(FASTFORWARD, cab_is_free(at, 1), at + 1)
ENQUEUE(NWAY, ((uintptr_t)at & mask) != 0, at + 1)
ENQUEUE(LAMPORT, lamport_has_room(at, mask), lamport_next(at, mask))

static uint64_t ring_take(void *from, volatile uint64_t *last, bool all) {
    Queue *q = &((Ring *)from)->queue;
    uint64_t count = 0;
    while (all ? queue_has(q, 0) : queue_is_ready(q)) {
        uint64_t *start = queue_read(q), *at = start;
        const uint64_t *end = all ? start + 1 : queue_piece_end(q);
        for (; at < end; at++) {
            uint64_t word = cab_peek(at);
            if (word != CAB_PAD) {
                *last = word;
                count++;
            }
            if (ring_is_cleared(q->kind)) cab_store(at, CAB_CLEAR);
        }
        queue_advance(q, at);
    }
    return count;
}

// ---- a queue of positions with copies --------------------------------------------------------------

typedef struct Copied {
    uint64_t *slots;
    size_t words;
    _Alignas(64) _Atomic size_t written;
    size_t seen_read;
    _Alignas(64) _Atomic size_t read;
    size_t seen_written;
} Copied;

static void copied_reset(void *q) {
    Copied *c = q;
    *c = (Copied){.slots = c->slots, .words = c->words};
}

static void *copied_create(size_t words, size_t chunk) {
    Copied *c = aligned_alloc(64, sizeof *c);
    (void)chunk;
    if (!c || !(c->slots = malloc(words * sizeof(uint64_t)))) return NULL;
    c->words = words;
    memset(c->slots, 0, words * sizeof(uint64_t));
    copied_reset(c);
    return c;
}

static void copied_destroy(void *q) {
    free(((Copied *)q)->slots);
    free(q);
}

static __attribute__((noinline)) void copied_enqueue(void *q, uint64_t events) {
    Copied *c = q;
    for (uint64_t i = 0; i < events; i++) {
        size_t at = atomic_load_explicit(&c->written, memory_order_relaxed), next = at + 1 == c->words ? 0 : at + 1;
        while (__builtin_expect(next == c->seen_read, 0)) {
            c->seen_read = atomic_load_explicit(&c->read, memory_order_acquire);
            if (next == c->seen_read) sched_yield();
        }
        c->slots[at] = i + 1;
        atomic_store_explicit(&c->written, next, memory_order_release);
    }
}

static uint64_t copied_take(void *q, volatile uint64_t *last, bool all) {
    Copied *c = q;
    uint64_t count = 0;
    (void)all;
    for (;; count++) {
        size_t at = atomic_load_explicit(&c->read, memory_order_relaxed);
        if (at == c->seen_written) {
            c->seen_written = atomic_load_explicit(&c->written, memory_order_acquire);
            if (at == c->seen_written) return count;
        }
        *last = c->slots[at];
        atomic_store_explicit(&c->read, at + 1 == c->words ? 0 : at + 1, memory_order_release);
    }
}

// ---- measuring -----------------------------------------------------------------------------------

typedef struct Bench {
    uint64_t events;
    size_t words, chunk;
    int64_t cpu, wall;  // of one round
} Bench;

static void begin(Bench *b) {
    b->cpu -= clock_ns(CLOCK_THREAD_CPUTIME_ID);
    b->wall -= clock_monotonic_ns();
}
static void end(Bench *b) {
    b->cpu += clock_ns(CLOCK_THREAD_CPUTIME_ID);
    b->wall += clock_monotonic_ns();
}

typedef struct Stores {
    uint64_t *start, *end, *next;
    volatile uint64_t word;
} Stores;

static __attribute__((noinline)) void stores_loop(Stores *s, uint64_t events) {
    for (uint64_t i = 0; i < events; i++) {
        uint64_t *at = s->next;
        if (__builtin_expect(at == s->end, 0)) at = s->start;
        __atomic_store_n(at, i + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&s->next, at + 1, __ATOMIC_RELAXED);
    }
}

static __attribute__((noinline)) void one_word_loop(Stores *s, uint64_t events) {
    for (uint64_t i = 0; i < events; i++) s->word = i + 1;
}

static void simple(Bench *b, void (*loop)(Stores *, uint64_t)) {
    Stores s = {.start = calloc(b->words, sizeof(uint64_t))};
    if (!s.start) exit(1);
    memset(s.start, 1, b->words * sizeof(uint64_t));
    s.end = s.start + b->words;
    s.next = s.start;
    begin(b);
    loop(&s, b->events);
    end(b);
    free(s.start);
}

static void *create(const Bench *b, const BenchQueue *q) {
    void *queue = q->create(b->words, b->chunk);
    if (!queue) exit(1);
    return queue;
}

// One lap at a time, so that the queue is never full.
static void enqueue_laps(Bench *b, const BenchQueue *q) {
    void *queue = create(b, q);
    uint64_t lap = b->words - 2 * b->chunk, left = b->events;
    while (left > 0) {
        uint64_t events = left < lap ? left : lap;
        q->reset(queue);
        begin(b);
        q->enqueue(queue, events);
        end(b);
        left -= events;
    }
    q->destroy(queue);
}

typedef struct Consumer {
    const BenchQueue *q;
    void *queue;
    _Atomic bool finished;
    uint64_t count;
    volatile uint64_t last;
} Consumer;

static void *consume(void *arg) {
    Consumer *c = arg;
    while (!atomic_load(&c->finished)) {
        uint64_t taken = c->q->take(c->queue, &c->last, false);
        c->count += taken;
        if (!taken) sched_yield();
    }
    c->count += c->q->take(c->queue, &c->last, true);
    return NULL;
}

static void transfer(Bench *b, const BenchQueue *q) {
    Consumer c = {.q = q, .queue = create(b, q)};
    pthread_t thread;
    if (pthread_create(&thread, NULL, consume, &c) != 0) exit(1);
    begin(b);
    q->enqueue(c.queue, b->events);
    end(b);
    atomic_store(&c.finished, true);
    pthread_join(thread, NULL);
    q->destroy(c.queue);
    if (c.count == b->events && c.last == b->events) return;
    fprintf(stderr, "ring_bench: %s: %llu of %llu events arrived\n", q->name, (unsigned long long)c.count,
            (unsigned long long)b->events);
    exit(1);
}

static const BenchQueue own_queues[] = {
    {"cab", CAB_create, ring_destroy, ring_reset, CAB_enqueue, ring_take},
    {"nway", NWAY_create, ring_destroy, ring_reset, NWAY_enqueue, ring_take},
    {"fastforward", FASTFORWARD_create, ring_destroy, ring_reset, FASTFORWARD_enqueue, ring_take},
    {"lamport", LAMPORT_create, ring_destroy, ring_reset, LAMPORT_enqueue, ring_take},
    {"rigtorp", copied_create, copied_destroy, copied_reset, copied_enqueue, copied_take},
};
static const BenchQueue *const queues[] = {
    &own_queues[0], &own_queues[1], &own_queues[2], &own_queues[3], &own_queues[4],
#ifdef WITH_BOOST
    &boost_queue,
#endif
};
enum { QUEUES = sizeof queues / sizeof *queues, ROWS = 2 + 2 * QUEUES };

static void measure(Bench *b, int row) {
    if (row == 0) simple(b, stores_loop);
    else if (row == 1) simple(b, one_word_loop);
    else if (row % 2 == 0) enqueue_laps(b, queues[row / 2 - 1]);
    else transfer(b, queues[row / 2 - 1]);
}

int main(int argc, char **argv) {
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    size_t words = (argc > 3 ? strtoull(argv[3], NULL, 10) : 2 << 20) / 8,
           chunk = (argc > 4 ? strtoull(argv[4], NULL, 10) : 128 << 10) / 8;
    int64_t least_cpu[ROWS], least_wall[ROWS];
    for (int i = 0; i < ROWS; i++) least_cpu[i] = least_wall[i] = INT64_MAX;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < ROWS; i++) {  // in turn, so that disturbances affect all of them alike
            Bench b = {.events = events, .words = words, .chunk = chunk};
            measure(&b, i);
            if (b.cpu < least_cpu[i]) least_cpu[i] = b.cpu;
            if (b.wall < least_wall[i]) least_wall[i] = b.wall;
        }
    for (int i = 0; i < ROWS; i++) {
        const char *name = i == 0 ? "stores" : i == 1 ? "one-word" : queues[i / 2 - 1]->name;
        printf("%s%s %.4f %.4f\n", name,
               i < 2       ? ""
                   : i % 2 ? "-transfer"
                           : "-enqueue",
               (double)least_cpu[i] / (double)events, (double)least_wall[i] / (double)events);
    }
    return 0;
}
