// The two memory pools. The collector maintains the heap's figures; the metadata's are summed over the arenas of the
// metaspaces on request. Peaks are recorded where usage can only fall afterwards: when a collection begins, and on
// request. `lock` guards peaks and the last collection; nothing is called under it.
#include "vm/management/memorypool.h"

#include <pthread.h>

#include "vm/loading/metaspace.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

static struct MemoryPools {
    pthread_mutex_t lock;
    MemoryFigures peaks[POOL_COUNT];
    LastCollection last[COLLECTOR_COUNT];
    uint64_t ns[COLLECTOR_COUNT];  // of all collections
    Collector newest;
    _Atomic(Thread *) waker;
} memory_pools = {.lock = PTHREAD_MUTEX_INITIALIZER};

const char *memorypool_name(MemoryPool pool) { return pool == POOL_HEAP ? "Heap" : "Metaspace"; }

static MemoryFigures heap_figures(void) {
    HeapStats s;
    heap_stats(&s);
    return (MemoryFigures){vm.options.initial_heap, (int64_t)s.used, (int64_t)s.committed, (int64_t)s.max};
}

static void add_arena(void *arg, Metaspace *space) {
    MemoryFigures *sum = arg;
    Arena *a = &space->arena;
    pthread_mutex_lock(&a->lock);
    sum->committed += (int64_t)a->allocated;
    sum->used += (int64_t)a->allocated - (a->end - a->next);
    pthread_mutex_unlock(&a->lock);
}

MemoryFigures memorypool_usage(MemoryPool pool) {
    if (pool == POOL_HEAP) return heap_figures();
    MemoryFigures sum = {.max = -1};
    metaspace_each(add_arena, &sum);
    return sum;
}

static void note_peak(MemoryPool pool, MemoryFigures now) {
    if (now.used > memory_pools.peaks[pool].used) memory_pools.peaks[pool] = now;
}

MemoryFigures memorypool_peak(MemoryPool pool) {
    MemoryFigures now = memorypool_usage(pool);
    pthread_mutex_lock(&memory_pools.lock);
    note_peak(pool, now);
    MemoryFigures peak = memory_pools.peaks[pool];
    pthread_mutex_unlock(&memory_pools.lock);
    return peak;
}

void memorypool_reset_peak(MemoryPool pool) {
    MemoryFigures now = memorypool_usage(pool);
    pthread_mutex_lock(&memory_pools.lock);
    memory_pools.peaks[pool] = now;
    pthread_mutex_unlock(&memory_pools.lock);
}

const char *memorypool_collector_name(Collector collector) { return collector == COLLECTOR_YOUNG ? "Young" : "Boehm"; }

bool memorypool_last_collection_of(Collector collector, LastCollection *out) {
    pthread_mutex_lock(&memory_pools.lock);
    *out = memory_pools.last[collector];
    pthread_mutex_unlock(&memory_pools.lock);
    return out->number > 0;
}

bool memorypool_last_collection(LastCollection *out) {
    pthread_mutex_lock(&memory_pools.lock);
    *out = memory_pools.last[memory_pools.newest];
    pthread_mutex_unlock(&memory_pools.lock);
    return out->number > 0;
}

uint64_t memorypool_collections(void) {
    pthread_mutex_lock(&memory_pools.lock);
    uint64_t n = memory_pools.last[COLLECTOR_YOUNG].number + memory_pools.last[COLLECTOR_FULL].number;
    pthread_mutex_unlock(&memory_pools.lock);
    return n;
}

static int64_t since_start_ms(uint64_t ns) { return (int64_t)(ns - vm.start_ns) / 1000000; }

void memorypool_collection_finished(void *ctx, const HeapReport *report) {
    (void)ctx;
    MemoryFigures after = heap_figures(), before = after;
    before.used = (int64_t)report->used_before;
    after.used = (int64_t)report->used_after;
    before.committed = after.committed = (int64_t)report->committed;
    MemoryFigures metadata = memorypool_usage(POOL_METADATA);
    Collector collector = report->young ? COLLECTOR_YOUNG : COLLECTOR_FULL;
    LastCollection this = {
        .collector = collector,
        .start_ms = since_start_ms(report->start_ns),
        .end_ms = since_start_ms(report->start_ns + report->pause_ns),
        .cause = report->cause,
        .before = {before, metadata},
        .after = {after, metadata},
    };
    pthread_mutex_lock(&memory_pools.lock);
    note_peak(POOL_HEAP, before);
    memory_pools.ns[collector] += report->pause_ns;
    this.number = memory_pools.last[collector].number + 1;
    this.total_ms = (int64_t)(memory_pools.ns[collector] / 1000000);
    memory_pools.last[collector] = this;
    memory_pools.newest = collector;
    pthread_mutex_unlock(&memory_pools.lock);
    memorypool_wake_waiting();
}

void memorypool_wake_waiting(void) {
    Thread *waiting = atomic_load(&memory_pools.waker);
    if (waiting) thread_wake(waiting);
}

void memorypool_wake_after_collections(Thread *thread) { atomic_store(&memory_pools.waker, thread); }
