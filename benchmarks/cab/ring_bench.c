// The producer's cost of a ring (profiler/ring/cab.h), without a VM: ns per event of 64 bits, in thread CPU time and in
// wall time, the lowest of several rounds. The loops execute the same instructions as compiled code does for an event.
//   stores    a store into a buffer of the ring's size, wrapping at its end: the bare stores
//   one-word  a store into one word: the instrumentation alone
//   enqueue   the ring's fast path without a consumer: its slots are cleared between the rounds
//   transfer  with a consumer on another thread that writes each event into one word
// Arguments: events per round, rounds, bytes of the ring, of a chunk. Output lines: name, CPU ns, wall ns.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "profiler/ring/cab.h"

typedef struct Bench {
    Cab cab;
    uint64_t *next;
    uint64_t events;
    _Atomic bool finished;
    uint64_t consumed;
    volatile uint64_t word;
} Bench;

static __attribute__((noinline)) void stores(Bench *b) {
    for (uint64_t i = 0; i < b->events; i++) {
        uint64_t *at = b->next;
        if (__builtin_expect(at == b->cab.end, 0)) at = b->cab.start;
        __atomic_store_n(at, i + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&b->next, at + 1, __ATOMIC_RELAXED);
    }
}

static __attribute__((noinline)) void one_word(Bench *b) {
    for (uint64_t i = 0; i < b->events; i++) b->word = i + 1;
}

static __attribute__((noinline)) void no_room(Bench *b) {
    if (cab_room(&b->cab, 1, CAB_AHEAD) != CAB_FULL) return;
    while (!cab_is_backed_off(&b->cab)) sched_yield();
    cab_room(&b->cab, 1, CAB_AHEAD);
}

static __attribute__((noinline)) void enqueue(Bench *b) {
    for (uint64_t i = 0; i < b->events; i++) {
        uint64_t *at = b->next;
        if (__builtin_expect(!cab_is_free(at, CAB_AHEAD), 0)) {
            no_room(b);
            at = b->next;
        }
        cab_store(at, i + 1);
        __atomic_store_n(&b->next, at + 1, __ATOMIC_RELAXED);
    }
}

// One lap at a time, so that the ring is never full.
static void enqueue_laps(Bench *b, int64_t *cpu, int64_t *wall) {
    uint64_t all = b->events, lap = b->cab.words - 2 * CAB_AHEAD;
    for (uint64_t done = 0; done < all; done += lap) {
        memset(b->cab.start, 0, b->cab.words * sizeof(uint64_t));
        b->next = b->cab.start;
        b->events = lap < all - done ? lap : all - done;
        int64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID), begin = clock_monotonic_ns();
        enqueue(b);
        *cpu += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
        *wall += clock_monotonic_ns() - begin;
    }
    b->events = all;
}

static void take(Bench *b, uint64_t *last) {
    uint64_t word = cab_peek(b->cab.read);
    if (word != CAB_PAD) {
        *last = word;
        b->consumed++;
    }
    cab_take(&b->cab, 1);
}

static void *consume(void *arg) {
    Bench *b = arg;
    uint64_t last = 0;
    while (!atomic_load(&b->finished)) {
        if (!cab_is_ready(&b->cab)) {
            sched_yield();
            continue;
        }
        const uint64_t *start = b->cab.read, *end = cab_chunk_end(&b->cab);
        while (b->cab.read < end && b->cab.read >= start) take(b, &last);
        b->word = last;
    }
    while (cab_load(b->cab.read) != CAB_CLEAR) take(b, &last);
    return NULL;
}

static void transfer(Bench *b, int64_t *cpu, int64_t *wall) {
    pthread_t consumer;
    atomic_store(&b->finished, false);
    b->consumed = 0;
    if (pthread_create(&consumer, NULL, consume, b) != 0) exit(1);
    int64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID), begin = clock_monotonic_ns();
    enqueue(b);
    *cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
    *wall = clock_monotonic_ns() - begin;
    atomic_store(&b->finished, true);
    pthread_join(consumer, NULL);
    if (b->consumed == b->events) return;
    fprintf(stderr, "ring_bench: %llu of %llu events arrived\n", (unsigned long long)b->consumed,
            (unsigned long long)b->events);
    exit(1);
}

static void simple(Bench *b, void (*loop)(Bench *), int64_t *cpu, int64_t *wall) {
    int64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID), begin = clock_monotonic_ns();
    loop(b);
    *cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
    *wall = clock_monotonic_ns() - begin;
}

int main(int argc, char **argv) {
    static const char *const names[] = {"stores", "one-word", "enqueue", "transfer"};
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 15;
    size_t words = (argc > 3 ? strtoull(argv[3], NULL, 10) : 2 << 20) / 8,
           chunk = (argc > 4 ? strtoull(argv[4], NULL, 10) : 128 << 10) / 8;
    double least_cpu[4], least_wall[4];
    for (int i = 0; i < 4; i++) least_cpu[i] = least_wall[i] = 1e30;
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 4; i++) {  // in turn, so that disturbances affect all of them alike
            Bench b = {.events = events};
            int64_t cpu = 0, wall = 0;
            if (!cab_init(&b.cab, words - words % chunk, chunk, &b.next)) return 1;
            memset(b.cab.start, 0, b.cab.words * sizeof(uint64_t));
            if (i == 0) simple(&b, stores, &cpu, &wall);
            else if (i == 1) simple(&b, one_word, &cpu, &wall);
            else if (i == 2) enqueue_laps(&b, &cpu, &wall);
            else transfer(&b, &cpu, &wall);
            if ((double)cpu < least_cpu[i]) least_cpu[i] = (double)cpu;
            if ((double)wall < least_wall[i]) least_wall[i] = (double)wall;
            cab_free(&b.cab);
        }
    for (int i = 0; i < 4; i++)
        printf("%s %.4f %.4f\n", names[i], least_cpu[i] / (double)events, least_wall[i] / (double)events);
    return 0;
}
