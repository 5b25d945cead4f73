// The collector thread and the requests it serves.
//
// It is the only thread that the collector library knows, because it initialises the library. Of its stack only the
// library's frames are scanned; its own frames hold no references that matter. A mutator that wants a collection enters
// the blocked state, queues a Request from its stack and waits. The collector stops the world and only then takes the
// queue: it serves everything queued up to that moment with one stop, since the requesters had stopped allocating.
//
// Automatic collection by the library is disabled: GC_disable holds except inside collect(), so no allocation can start
// a collection.
//
// Locks: request_lock guards the queue and `collections`; never held while the VM is called.
#include "base/clock.h"
#include "base/signals.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/invariant.h"

#define MB ((size_t)1 << 20)

typedef struct Request {
    const char *cause;
    HeapEffort effort;
    _Atomic uint64_t *counter;  // not NULL: the request is void once it differs from `seen`
    uint64_t seen;
    void (*walk)(void *arg, void *object, size_t bytes);
    void *arg;
    bool done;
    struct Request *next;
} Request;

// Monotonic time and processor time of the process.
typedef struct Times {
    uint64_t wall_ns, cpu_ns;
} Times;

// When a young collection will do.
typedef struct YoungPolicy {
    size_t old;          // bytes that lived after the last full collection
    size_t promoted;     // bytes promoted since then
    double full_ns;      // the collector's processor time in the last full collection, 0: there was none,
    size_t full_budget;  // and the bytes allocated between two of them, if there are no others
    uint64_t full_end;   // clock_monotonic_ns at the end of the last full one, or at the start
    double byte_ns;      // collector's processor time for a byte that is traced, 0: unknown
    unsigned young_since_full;
    unsigned losses, full_next;  // young collections in sequence that did not pay; full ones until the next attempt
    unsigned back_off;           // of these, the last time
} YoungPolicy;

static struct CollectorThread {
    pthread_mutex_t request_lock;
    pthread_cond_t request_posted;
    pthread_cond_t request_done;
    Request *queue;
    Request soon;            // of heap_collect_soon, whose callers do not wait; free while `done`
    bool failed, ready;      // to start; start was attempted
    size_t wanted;           // the budget that the time share of marking asks for
    size_t largest, credit;  // largest budget yet; allowed growth beyond it
    HeapEffort effort;       // of the current collection
    Times mark_begin, mark;  // of the last marking
    Times last_end;          // of the last collection
    YoungPolicy young;
    pthread_mutex_t reserve_lock;
    void *reserve;
    size_t reserve_bytes;
} collector = {
    .request_lock = PTHREAD_MUTEX_INITIALIZER,
    .request_posted = PTHREAD_COND_INITIALIZER,
    .request_done = PTHREAD_COND_INITIALIZER,
    .reserve_lock = PTHREAD_MUTEX_INITIALIZER,
    .soon = {.done = true},
};

static Times now(void) { return (Times){(uint64_t)clock_monotonic_ns(), (uint64_t)clock_process_ns()}; }

static Times since(Times then) {
    Times t = now();
    return (Times){t.wall_ns - then.wall_ns, t.cpu_ns - then.cpu_ns};
}

// ---- requests ------------------------------------------------------------------------------

// Runs in the blocked state. In a forked child it may be restarted from its beginning.
static void post_and_wait(void *arg) {
    Request *request = arg;
    pthread_mutex_lock(&collector.request_lock);
    bool wanted = !request->counter || *request->counter == request->seen;
    if (wanted && !request->done) {
        request->next = collector.queue;
        collector.queue = request;
        pthread_cond_signal(&collector.request_posted);
        while (!request->done) pthread_cond_wait(&collector.request_done, &collector.request_lock);
    }
    pthread_mutex_unlock(&collector.request_lock);
}

static void submit(HeapCache *cache, Request *request) {
    if (cache) heap.callbacks.call_blocked(heap.ctx, cache->owner, post_and_wait, request);
    else post_and_wait(request);
}

void heap_collect(HeapCache *cache, const char *cause) {
    if (!heap.enabled) return;
    Request request = {.cause = cause, .effort = HEAP_FREE_BLOCKS};
    submit(cache, &request);
}

void heap_collect_soon(const char *cause) {
    if (!heap.enabled) return;
    pthread_mutex_lock(&collector.request_lock);
    if (collector.soon.done) {
        collector.soon = (Request){.cause = cause, .effort = HEAP_USUAL, .next = collector.queue};
        collector.queue = &collector.soon;
        pthread_cond_signal(&collector.request_posted);
    }
    pthread_mutex_unlock(&collector.request_lock);
}

void heap_collect_unless(HeapCache *cache, const char *cause, uint64_t seen, HeapEffort effort) {
    if (!heap.enabled) return;
    _Atomic uint64_t *counter = effort == HEAP_CLEAR_SOFT ? &heap.soft_clears : &heap.collections;
    Request request = {.cause = cause, .effort = effort, .counter = counter, .seen = seen};
    if (*counter == seen) submit(cache, &request);
}

void heap_walk(HeapCache *cache, void (*fn)(void *arg, void *object, size_t bytes), void *arg) {
    if (!heap.enabled) return;
    Request request = {.cause = "Heap Inspection Initiated GC", .effort = HEAP_FREE_BLOCKS, .walk = fn, .arg = arg};
    submit(cache, &request);
}

unsigned long heap_collector_thread(void) { return (unsigned long)heap.collector; }

// ---- marking -------------------------------------------------------------------------------

void heap_push_range(const void *lo, const void *hi) {
    if (!heap.young) {
        if (lo < hi) GC_push_all_eager((void *)lo, (void *)hi);
    } else if (!heap_verify_push_range(lo, hi)) {
        heap_young_push_range(lo, hi);
    }
}

void heap_push_ref(void *const *slot) {
    if (*slot) heap_push_range(slot, slot + 1);
}

// Replaces the library's default, which pushes the stacks of registered threads.
static void GC_CALLBACK push_all_roots(void) { heap_push_roots(); }

void heap_push_roots(void) {
    if (heap.young) heap_young_push_roots();
    heap_references_push();
    heap.callbacks.push_roots(heap.ctx, heap.young);
}

// The object in the library's allocation at `base`. NULL: no vtable: an object of a dissolved list, or one of the
// library's own objects.
static void *object_in(void *base, size_t bytes) {
    void *object = heap_begin(base, bytes), *vtable = *(void **)object;
    if (!vtable || (GC_is_heap_ptr(vtable) && !heap_is_vtable(vtable))) return NULL;
    return heap_kind_of(GC_get_kind_and_size(base, NULL)) < HEAP_KINDS ? object : NULL;
}

// Registers a separately allocated object that is live.
static void note_single(void *base, size_t bytes) {
    int library_kind = GC_get_kind_and_size(base, NULL);
    char *object = heap_begin(base, bytes);
    if (library_kind == heap.vtable_kind) heap_young_add_old(base, bytes, HEAP_KINDS);
    else if (heap_kind_of(library_kind) < HEAP_KINDS)
        heap_young_add_old(object, bytes - (size_t)(object - (char *)base), heap_kind_of(library_kind));
}

// Large roundings by the library are not charged to the program.
static void GC_CALLBACK count_live(void *base, size_t bytes, void *total) {
    void *object = bytes > LIBRARY_BLOCK / 4 && heap.callbacks.array_size ? object_in(base, bytes) : NULL;
    size_t needed = object ? heap.callbacks.array_size(heap.ctx, object) : 0;
    if (!heap_note_live((uintptr_t)base) && !heap.full_only) note_single(base, bytes);
    *(size_t *)total += needed ? HEAP_GRANULES(needed) * HEAP_GRANULE : bytes;
}

typedef struct EachLive {
    void (*fn)(void *arg, uintptr_t object, size_t bytes);
    void *arg;
} EachLive;

static void GC_CALLBACK pass_live(void *base, size_t bytes, void *each) {
    const EachLive *e = each;
    e->fn(e->arg, (uintptr_t)base, bytes);
}

void heap_each_live(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg) {
    if (heap.young) heap_young_each_live(fn, arg);
    else GC_enumerate_reachable_objects_inner(pass_live, &(EachLive){fn, arg});
}

static void GC_CALLBACK on_event(GC_EventType event) {
    if (event == GC_EVENT_MARK_START) collector.mark_begin = now();
    if (event != GC_EVENT_MARK_END) return;
    ASSERT(heap_on_collector_thread(), "marking has ended on another thread");
    heap_references_after_mark();
    collector.mark = since(collector.mark_begin);
    if (heap.callbacks.clear_weak_tables) heap.callbacks.clear_weak_tables(heap.ctx, false);
    size_t live = 0;
    heap_begin_marking();
    heap_young_forget();
    GC_enumerate_reachable_objects_inner(count_live, &live);
    heap.live = live;
    heap_sort_blocks(collector.effort == HEAP_USUAL);
}

// ---- policy --------------------------------------------------------------------------------

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

// The budget is the number of bytes allocated between two collections. A collection costs time in proportion to the
// live objects, which are marked, and to the allocated bytes, which are swept. A larger budget reduces only the first
// part, at the price of memory. So the budget follows the time share of marking: it becomes the budget that would have
// led to PART_WANTED, but at most twice and at least three quarters of the last one. A program that allocates little,
// or keeps little, stays at the smallest budget; collecting a young heap costs no less than the page faults of a larger
// one. Budgets that fit into a cache gain nothing: objects do not move, so new objects go wherever old ones died.
//
// Touching new memory costs page faults: 0.4 to 4 ms for a megabyte in virtual machines. A short program would pay for
// them in vain, and other processes may need the memory, so the budget grows by at most a megabyte for each GROWTH_NS
// of marking. With 2 ms, binary trees took the same time with 1.7 times the memory.
//
// The largest budget is a third of the maximum heap, as in HotSpot's young generation (NewRatio=2), or the size of the
// live objects, whichever is larger. It never exceeds what -Xmx leaves, nor, whatever -Xmx is, what fits into
// MEMORY_PART of the memory of the machine (or container).
#define PART_WANTED 0.05
#define GROWTH_NS 8000000
#define MEMORY_PART 0.75

// `all`: time since the end of the previous collection. While the program waits, marking time does not matter; when
// other processes use the processors, wall time exaggerates it. Hence the smaller of the two shares.
static void adapt_budget(Times all, size_t allocated) {
    if (allocated < heap.budget / 2) return;  // a requested collection says nothing about the budget
    double wall = (double)collector.mark.wall_ns / (double)(all.wall_ns + 1);
    double cpu = (double)collector.mark.cpu_ns / (double)(all.cpu_ns + 1);
    double part = wall < cpu ? wall : cpu, rest = part < 0.9 ? 1 - part : 0.1;
    double factor = part / rest * (1 - PART_WANTED) / PART_WANTED;
    factor = factor > 2 ? 2 : factor < 0.75 ? 0.75 : factor;
    size_t wanted = (size_t)(factor * (double)allocated), known = max_size(collector.largest, heap.budget);
    collector.credit += collector.mark.cpu_ns * MB / GROWTH_NS;
    collector.wanted = min_size(wanted, known + collector.credit);
    if (collector.wanted <= known) return;
    collector.credit -= collector.wanted - known;
    collector.largest = collector.wanted;
}

// A young collection costs time in proportion to the survivors and to what old objects were changed, a full one in
// proportion to all live objects. So young ones are the rule. A full one comes
//   - on request, and when memory is short: only it frees old objects;
//   - when as much has been promoted as lived after the last one, and it will probably take at most PART_WANTED of the
//     time since then: while a program builds what it will keep, it would free nothing; at the latest when twice as
//     much has been promoted;
//   - LOSSES young ones in sequence cost more for each allocated byte than full ones would, with their share of the
//     next full one included: a program that changes a large old structure everywhere, say. Then BACK_OFF full ones
//     follow, with the budgets above, and twice as many each time that this happens again.
enum { LOSSES = 3, BACK_OFF = 8, BACK_OFF_MOST = 128 };
#define PROMOTED_LEAST (16 * MB)
#define TELLING (4 * MB)  // survivors of a young collection whose time says what tracing costs

// Places 4 GB apart share a card, which the scan of the first would clear for the second.
static bool cards_are_shared(void) {
    return (uintptr_t)GC_greatest_plausible_heap_addr - (uintptr_t)GC_least_plausible_heap_addr > UINT32_MAX;
}

static size_t most_promoted(void) { return max_size(collector.young.old, PROMOTED_LEAST); }

// Whether enough has been promoted for a full collection.
static bool full_is_due(void) {
    const YoungPolicy *y = &collector.young;
    if (y->promoted < most_promoted()) return false;
    if (y->promoted >= 2 * max_size(y->old, heap.min_budget)) return true;
    return y->byte_ns * (double)heap.live <= PART_WANTED * (double)((uint64_t)clock_monotonic_ns() - y->full_end);
}

// Whether the next collection will be a young one, unless it is requested.
static bool young_is_next(void) {
    if (heap.full_only || heap.stress || heap.sweep_first || heap_has_unknown_blocks() || cards_are_shared())
        return false;
    if (heap.max_heap - min_size(heap.live, heap.max_heap) < heap.min_budget / 2) return false;
    return collector.young.full_next == 0 && !full_is_due();
}

static void judge_young(size_t allocated, double ns) {
    YoungPolicy *y = &collector.young;
    const HeapReport *r = &heap.report;
    y->promoted += r->promoted;
    y->young_since_full++;
    if (r->aged + r->promoted >= TELLING) y->byte_ns = ns / (double)(r->aged + r->promoted);
    if (y->full_ns == 0 || allocated < heap.budget / 2 || heap.young_stress) return;
    double all = ns + y->full_ns * (double)r->promoted / (double)most_promoted();
    bool loses = all * (double)y->full_budget > y->full_ns * (double)allocated;
    y->losses = loses ? y->losses + 1 : 0;
    if (y->losses < LOSSES) return;
    y->back_off = y->back_off == 0 ? BACK_OFF : y->back_off < BACK_OFF_MOST ? 2 * y->back_off : BACK_OFF_MOST;
    y->full_next = y->back_off;
    y->losses = 0;
}

static void note_full(double ns) {
    YoungPolicy *y = &collector.young;
    y->old = heap.live;
    y->promoted = y->young_since_full = 0;
    y->full_ns = ns;
    y->full_end = (uint64_t)clock_monotonic_ns();
    if (heap.live >= TELLING) y->byte_ns = ns / (double)heap.live;
    if (y->full_next > 0) y->full_next--;
}

static void choose_budget(void) {
    size_t live = heap.live, least = max_size(heap.min_budget, live);
    size_t room = heap.max_heap > live ? heap.max_heap - live : 0;
    size_t want = max_size(min_size(collector.wanted, heap.max_heap / 3), least);
    size_t memory = (size_t)((double)heap.memory * MEMORY_PART);
    if (heap.memory && want > heap.min_budget)
        want = max_size(min_size(want, memory > live ? memory - live : 0), max_size(heap.min_budget, live / 8));
    if (!heap.young) collector.young.full_budget = want;
    if (young_is_next()) want = heap.min_budget;
    heap.budget = max_size(min_size(want, room), MB);
    // One large contiguous growth now instead of many by the mutators; takes no memory yet.
    size_t target = min_size(live + want + live / 4, heap.max_heap);
    size_t size = GC_get_heap_size() + GC_get_unmapped_bytes();
    if (target > size + 4 * MB) GC_expand_hp(target - size);
}

// Counts consecutive collections that leave a full heap full and take nearly all the processor time, so that a program
// at its limit fails instead of crawling. Processor time is independent of other processes. Not under stress, where all
// collections look like that.
static void judge_progress(size_t allocated_before, uint64_t begin_cpu_ns) {
    uint64_t end_cpu_ns = (uint64_t)clock_process_ns(), all = end_cpu_ns - collector.last_end.cpu_ns + 1;
    double part = (double)(end_cpu_ns - begin_cpu_ns) / (double)all;
    if (heap.stress) return;
    bool full = heap.live > heap.max_heap / 100 * 96;
    if (full && allocated_before < heap.max_heap / 50 && part > 0.9) heap.futile++;
    else heap.futile = 0;
}

// ---- collecting ----------------------------------------------------------------------------

static size_t megabytes(size_t bytes) { return (bytes + MB / 2) / MB; }

// The library scans its own frames. Their unused slots would expose references left by callbacks of the previous
// collection.
__attribute__((noinline)) static void scrub_stack(void) {
    char area[16384];
    memset(area, 0, sizeof area);
    __asm__ volatile("" : : "r"(area) : "memory");
}

static int GC_CALLBACK never_stop(void) { return 0; }

// With a stop function that could interrupt the collection, the library finishes the sweep of the last collection
// before it marks.
static void run_collection(void) {
    bool sweep = heap.sweep_first;
    heap.sweep_first = false;
    if (sweep) {
        heap_sweep_blocks();
        GC_try_to_collect(never_stop);
    } else {
        GC_gcollect();
    }
    heap.library_before = 0;
}

static void run_young_collection(size_t allocated) {
    HeapReport *r = &heap.report;
    heap_young_begin();
    heap_push_roots();
    heap_references_after_mark();
    if (heap.callbacks.clear_weak_tables) heap.callbacks.clear_weak_tables(heap.ctx, true);
    if (heap.verify) heap_verify_young();
    const HeapYoungFigures *f = heap_young_end();
    heap.live += f->aged + f->promoted - f->before;
    heap.library_before = GC_get_bytes_since_gc();
    r->allocated = allocated;
    r->aged = f->aged;
    r->promoted = f->promoted;
    r->remembered = f->remembered;
}

static void collect(const char *cause, HeapEffort effort, uint64_t stop_begin) {
    HeapReport *r = &heap.report;
    ASSERT(heap_on_collector_thread(), "collection on another thread");
    uint64_t begin = (uint64_t)clock_monotonic_ns(), begin_cpu = (uint64_t)clock_process_ns();
    int64_t begin_thread = clock_thread_ns();
    size_t allocated = heap_bytes_since();
    *r = (HeapReport){.number = heap.collections,
                      .cause = cause,
                      .used_before = heap.live + allocated,
                      .stop_ns = begin - stop_begin};
    collector.effort = effort;
    heap.clear_all_soft = effort == HEAP_CLEAR_SOFT;
    heap.young = r->young = effort == HEAP_USUAL && young_is_next();
    heap_reset_caches();
    if (heap.callbacks.before_mark) heap.callbacks.before_mark(heap.ctx);
    heap_references_before_mark();
    if (heap.young) {
        run_young_collection(allocated);
    } else {
        scrub_stack();
        GC_enable();
        run_collection();
        GC_disable();
    }
    heap.reused_before += heap.reused;
    heap.reused = 0;
    uint64_t end = (uint64_t)clock_monotonic_ns();
    if (heap.soft_clock_known) *heap.layout.soft_clock = (int64_t)(end / 1000000);
    r->mark_ns = end - begin;
    if (heap.callbacks.after_mark) heap.callbacks.after_mark(heap.ctx, heap.young);
    double ns = (double)(clock_thread_ns() - begin_thread);
    if (heap.young) {
        judge_young(allocated, ns);
    } else {
        judge_progress(allocated, begin_cpu);
        if (collector.young.young_since_full == 0) adapt_budget(since(collector.last_end), allocated);
        note_full(ns);
    }
    choose_budget();
    heap.young = false;
    r->used_after = heap.live;
    r->committed = GC_get_heap_size();
}

static void GC_CALLBACK walk_one(void *base, size_t bytes, void *arg) {
    Request *request = arg;
    char *object = object_in(base, bytes);
    if (object) request->walk(request->arg, object, bytes - (size_t)(object - (char *)base));
}

static void *GC_CALLBACK walk_locked(void *request) {
    GC_enumerate_reachable_objects_inner(walk_one, request);
    return NULL;
}

// ---- the thread ----------------------------------------------------------------------------

static void finish_requests(Request *requests) {
    pthread_mutex_lock(&collector.request_lock);
    while (requests) {
        Request *next = requests->next;  // invalid once its requester sees `done`
        ASSERT(!requests->done, "request %p is answered twice", (void *)requests);
        requests->done = true;
        requests = next;
    }
    pthread_cond_broadcast(&collector.request_done);
    pthread_mutex_unlock(&collector.request_lock);
}

static void report_collection(uint64_t stop_begin) {
    HeapReport *r = &heap.report;
    collector.last_end = now();
    r->start_ns = stop_begin;
    r->pause_ns = collector.last_end.wall_ns - stop_begin;
    heap.collection_ns += r->pause_ns;
    if (heap.callbacks.log) {
        char line[256];
        snprintf(line, sizeof line, "GC(%llu) Pause %s (%s) %zuM->%zuM(%zuM) %.3fms", (unsigned long long)r->number,
                 r->young ? "Young" : "Full", r->cause, megabytes(r->used_before), megabytes(r->used_after),
                 megabytes(r->committed), (double)r->pause_ns / 1e6);
        heap.callbacks.log(heap.ctx, line);
    }
    size_t enqueued = r->soft_cleared + r->weak_cleared + r->finals_enqueued + r->phantoms_cleared;
    if (enqueued && heap.callbacks.references_pending) heap.callbacks.references_pending(heap.ctx);
    if (heap.callbacks.collection_finished) heap.callbacks.collection_finished(heap.ctx, r);
}

// Stops the world once for all requests queued by then.
static void serve(void) {
    uint64_t begin = (uint64_t)clock_monotonic_ns();
    heap.callbacks.stop_the_world(heap.ctx);
    heap.begun++;
    pthread_mutex_lock(&collector.request_lock);
    Request *requests = collector.queue;
    collector.queue = NULL;
    pthread_mutex_unlock(&collector.request_lock);
    ASSERT(requests, "the world was stopped for nobody");
    const char *cause = NULL;
    HeapEffort effort = HEAP_USUAL;
    for (Request *r = requests; r; r = r->next) {
        cause = r->cause;
        if (r->effort > effort) effort = r->effort;
    }
    collect(cause, effort, begin);
    for (Request *r = requests; r; r = r->next)
        if (r->walk) GC_call_with_alloc_lock(walk_locked, r);
    // Counted before any mutator resumes, so that no mutator mistakes a finished collection for one still to come. The
    // requesters resume last, when the log line is printed and the VM is notified.
    pthread_mutex_lock(&collector.request_lock);
    heap.collections++;
    if (effort == HEAP_CLEAR_SOFT) heap.soft_clears++;
    pthread_mutex_unlock(&collector.request_lock);
    heap.callbacks.resume_the_world(heap.ctx);
    report_collection(begin);
    finish_requests(requests);
}

static void wait_for_request(void) {
    pthread_mutex_lock(&collector.request_lock);
    while (!collector.queue) pthread_cond_wait(&collector.request_posted, &collector.request_lock);
    pthread_mutex_unlock(&collector.request_lock);
}

static void *GC_CALLBACK out_of_memory(size_t bytes) {
    (void)bytes;
    return NULL;
}

// The library maps the headers of its blocks outside the heap. When address space is exhausted and a block cannot get a
// header, the library takes the block off its free list but keeps stale links, which crash a later collection. So
// headers have a reserve of address space that the heap cannot use. When at most ROOM is left besides it, the heap
// stops growing and the reserve is released to the headers. The same happens when malloc is out of memory.
enum { RESERVE_MB = 16, ROOM_MB = 4, RESERVE_SHARE = 32 };

// Reserves address space, at `at` unless NULL. NULL: it is in use.
static void *map_nothing(void *at, size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    void *p = mmap(at, bytes, PROT_NONE, flags, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

// Requires reserve_lock and an existing reserve.
static void release_reserve(size_t heap_bytes) {
    ASSERT(collector.reserve && collector.reserve_bytes, "no reserve of address space");
    GC_set_max_heap_size(heap_bytes);
    munmap(collector.reserve, collector.reserve_bytes);
    collector.reserve = NULL;
}

bool heap_release_reserve(void) {
    pthread_mutex_lock(&collector.reserve_lock);
    bool held = collector.reserve != NULL;
    if (held) release_reserve(GC_get_heap_size());
    pthread_mutex_unlock(&collector.reserve_lock);
    return held;
}

static void GC_CALLBACK heap_resized(GC_word heap_bytes) {
    pthread_mutex_lock(&collector.reserve_lock);
    size_t wanted = RESERVE_MB * MB + heap_bytes / RESERVE_SHARE;
    if (collector.reserve && wanted > 2 * collector.reserve_bytes) {
        void *larger = map_nothing(NULL, wanted);
        if (larger) {
            munmap(collector.reserve, collector.reserve_bytes);
            collector.reserve = larger;
            collector.reserve_bytes = wanted;
        }
    }
    if (collector.reserve) {
        void *room = map_nothing(NULL, ROOM_MB * MB);
        if (room) munmap(room, ROOM_MB * MB);
        else release_reserve(heap_bytes);
    }
    pthread_mutex_unlock(&collector.reserve_lock);
}

// An `int` that C code keeps on the stack fills half a word, and with a left-over upper half of a pointer the word may
// look like a heap address: it does if the heap lies just above a multiple of 4 GB. A large array there then lives as
// long as the frame. (Seen as an OutOfMemoryError of the interpreter in one of twelve runs, because address space is
// randomised.) So the heap gets no addresses whose lower halves are small positive or negative numbers. The reserved
// ranges go downwards from where the system places mappings. Does nothing if address space is limited; ranges already
// in use cannot become heap.
enum { BOUNDARIES = 16, BELOW = 1 << 20, ABOVE = 64 << 20 };

static void avoid_boundaries(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY) return;
    void *top = map_nothing(NULL, 4096);
    if (!top) return;
    munmap(top, 4096);
    uintptr_t highest = (uintptr_t)top >> 32;
    for (uintptr_t i = 0; i < BOUNDARIES && i < highest; i++) {
        char *boundary = (char *)((highest - i) << 32);
        map_nothing(boundary - BELOW, BELOW + ABOVE);
    }
}

// The one warning after which the library cannot continue.
static void GC_CALLBACK library_warns(char *message, GC_word argument) {
    (void)argument;
    if (strstr(message, "Header allocation failed")) heap_fatal("no memory for the heap's block headers");
}

static int make_kind(int kind) {
    static const bool with_size[HEAP_KINDS] = {[HEAP_REFS] = true};
    // Word 0 of a typed object points to the vtable, whose second word is the mark descriptor.
    GC_word offset = (GC_word)(-(GC_signed_word)HEAP_VTABLE_DESCRIPTOR_OFFSET - GC_INDIR_PER_OBJ_BIAS);
    GC_word descriptor = kind == HEAP_TYPED ? offset | GC_DS_PER_OBJECT : GC_DS_LENGTH;
    // Unlike the library's pointer-free kind, ours for primitive arrays is cleared when swept, so the inline path need
    // not clear.
    return (int)GC_new_kind(GC_new_free_list(), descriptor, with_size[kind], 1);
}

static bool set_up_library(void) {
    struct GC_stack_base base;
    GC_set_all_interior_pointers(0);
    GC_set_no_dls(1);
    GC_set_dont_precollect(1);
    // One marking thread for each further processor reduced the time to 54 % on two processors; they sleep between
    // collections. The environment variable GC_MARKERS overrides the number.
    GC_set_markers_count(heap.processors < 1 ? 1 : heap.processors > 8 ? 8 : (unsigned)heap.processors);
    GC_set_warn_proc(library_warns);
    GC_set_max_heap_size(heap.max_heap);
    GC_set_max_retries(0);
    avoid_boundaries();
    if (GC_get_stack_base(&base) != GC_SUCCESS) return false;
    GC_set_stackbottom(NULL, &base);
    GC_init();
    GC_disable();
    GC_set_disable_automatic_collection(1);
    GC_set_oom_fn(out_of_memory);
    collector.reserve = map_nothing(NULL, collector.reserve_bytes = RESERVE_MB * MB);
    GC_set_on_heap_resize(heap_resized);
    GC_clear_roots();
    // Singly allocated objects have other kinds than the objects of lists: the library sweeps only the blocks of the
    // former (heap_blocks.c).
    for (int kind = 0; kind < HEAP_KINDS; kind++) {
        heap.kind[kind] = make_kind(kind);
        heap.single_kind[kind] = make_kind(kind);
    }
    GC_word holder = heap_descriptor_bitmap(1 << HEAP_VTABLE_HOLDER_OFFSET / sizeof(void *));
    heap.vtable_kind = (int)GC_new_kind(GC_new_free_list(), holder, 0, 1);
    for (int colour = 1; colour < HEAP_COLOURS; colour++) GC_register_displacement((size_t)colour * HEAP_LINE);
    GC_set_push_other_roots(push_all_roots);
    GC_set_on_collection_event(on_event);
    size_t size = GC_get_heap_size();
    if (heap.initial_heap > size) GC_expand_hp(heap.initial_heap - size);
    GC_allow_register_threads();  // from here on the library takes its lock
    return true;
}

static void announce(bool ok) {
    pthread_mutex_lock(&collector.request_lock);
    collector.ready = true;
    collector.failed = !ok;
    pthread_cond_broadcast(&collector.request_done);
    pthread_mutex_unlock(&collector.request_lock);
}

static void *collector_main(void *arg) {
    (void)arg;
    pthread_setname_np(pthread_self(), "GC Thread");
    bool ok = set_up_library();
    if (ok && heap.callbacks.collector_started) heap.callbacks.collector_started(heap.ctx);
    collector.last_end = now();
    collector.young.full_end = collector.last_end.wall_ns;
    announce(ok);
    while (ok) {
        wait_for_request();
        serve();
    }
    return NULL;
}

// Returns when the thread is ready. False: it cannot be created, or cannot serve.
static bool start_collector(void *(*body)(void *arg)) {
    sigset_t all, old;
    signals_all_but_faults(&all);  // other threads get the signals sent to the process
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int failure = pthread_create(&heap.collector, NULL, body, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (failure) {
        heap.collector = 0;
        return false;
    }
    pthread_mutex_lock(&collector.request_lock);
    while (!collector.ready) pthread_cond_wait(&collector.request_done, &collector.request_lock);
    bool ok = !collector.failed;
    pthread_mutex_unlock(&collector.request_lock);
    return ok;
}

bool heap_collector_start(const char **error) {
    if (!start_collector(collector_main)) {
        *error = heap.collector ? "the collector library cannot find its thread's stack"
                                : "cannot create the collector thread";
        return false;
    }
    if (heap.callbacks.log) {
        unsigned v = GC_get_version();
        char line[64];
        snprintf(line, sizeof line, "Using Boehm %u.%u.%u", v >> 16, v >> 8 & 0xff, v & 0xff);
        heap.callbacks.log(heap.ctx, line);
    }
    return true;
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void heap_before_fork(void) {
    pthread_mutex_lock(&collector.request_lock);
    pthread_mutex_lock(&collector.reserve_lock);
    pthread_mutex_lock(&heap.cache_lock);
    pthread_mutex_lock(&heap.reference_lock);
}

void heap_after_fork_parent(void) {
    pthread_mutex_unlock(&heap.reference_lock);
    pthread_mutex_unlock(&heap.cache_lock);
    pthread_mutex_unlock(&collector.reserve_lock);
    pthread_mutex_unlock(&collector.request_lock);
}

// The library's own fork handlers drop its threads; the child marks with one thread.
static void *collector_of_child(void *arg) {
    (void)arg;
    struct GC_stack_base base;
    pthread_setname_np(pthread_self(), "GC Thread");
    bool ok = GC_get_stack_base(&base) == GC_SUCCESS && GC_register_my_thread(&base) == GC_SUCCESS;
    announce(ok);
    while (ok) {
        wait_for_request();
        serve();
    }
    return NULL;
}

// Threads that requested or awaited a collection do not exist in the child.
bool heap_after_fork_child(void) {
    collector.queue = NULL;
    collector.ready = collector.failed = false;
    pthread_cond_init(&collector.request_posted, NULL);
    pthread_cond_init(&collector.request_done, NULL);
    heap_after_fork_parent();
    return start_collector(collector_of_child);
}
