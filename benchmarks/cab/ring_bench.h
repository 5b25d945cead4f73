// One queue of ring_bench: its producer's loop and its consumer.
#ifndef CABERNET_BENCHMARKS_CAB_RING_BENCH_H
#define CABERNET_BENCHMARKS_CAB_RING_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct BenchQueue {
    const char *name;
    // A queue of `words` slots in chunks of `chunk`, whose memory has been written once. NULL: out of memory.
    void *(*create)(size_t words, size_t chunk);
    void (*destroy)(void *q);
    // Empties the queue, without a consumer.
    void (*reset)(void *q);
    // Enqueues the numbers 1 to `events`. Waits for room.
    void (*enqueue)(void *q, uint64_t events);
    // Takes what is there, and stores the last event in *last. `all`: the producer has ended, and everything is taken.
    // Returns the number of events.
    uint64_t (*take)(void *q, volatile uint64_t *last, bool all);
} BenchQueue;

// benchmarks/cab/boost_bench.cpp, with -DWITH_BOOST.
extern const BenchQueue boost_queue;

#ifdef __cplusplus
}
#endif

#endif
