// boost::lockfree::spsc_queue for ring_bench, where its headers are installed (Debian: libboost-dev).
#include <sched.h>
#include <string.h>

#include <boost/lockfree/spsc_queue.hpp>

#include "benchmarks/cab/ring_bench.h"

typedef boost::lockfree::spsc_queue<uint64_t> Queue;

static void reset(void *q) { static_cast<Queue *>(q)->reset(); }

static void *create(size_t words, size_t) {
    Queue *q = new Queue(words);
    for (size_t i = 0; i < words; i++) q->push(i);
    reset(q);
    return q;
}

static void destroy(void *q) { delete static_cast<Queue *>(q); }

static void enqueue(void *to, uint64_t events) {
    Queue *q = static_cast<Queue *>(to);
    for (uint64_t i = 1; i <= events; i++)
        while (__builtin_expect(!q->push(i), 0)) sched_yield();
}

static uint64_t take(void *from, volatile uint64_t *last, bool) {
    Queue *q = static_cast<Queue *>(from);
    uint64_t word, count = 0;
    for (; q->pop(word); count++) *last = word;
    return count;
}

extern "C" const BenchQueue boost_queue = {"boost", create, destroy, reset, enqueue, take};
