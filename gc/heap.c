// Allocation, caches and figures of the Java heap. heap_collect.c has the collector thread, heap_references.c the
// processing of java.lang.ref.Reference objects.
//
// A list in a HeapCache holds objects that the library counts as allocated, linked through word 0, where the marker
// expects a vtable. Nothing points to them but the list head in malloc memory, but a stale word on a stack may. Each
// collection therefore overwrites every link with 0, the vtable of an object without references, and drops the list
// heads (heap_reset_caches). The library treats its own free lists in the same manner.
//
// No mutator is registered with the library, so the library never suspends one and keeps no thread-local lists for
// them. Its functions are safe to call from such threads because they take its lock, which GC_allow_register_threads
// (heap_collect.c) enables.
//
// The library's functions clear up to 20 KB of stack below their frames.
#include "base/grow.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/splitmix.h"

#define MB ((size_t)1 << 20)
#define DEFAULT_BUDGET (64 * MB)
#define OFF_PAGE_BYTES (64 * (size_t)1024)  // from this size only addresses in the first page keep an object alive
#define FUTILE_LIMIT 8
#define REFILL_BLOCKS 5  // limit for one refill
#define REFILL_ROOM (64 * LIBRARY_BLOCK)
#define CHUNK_AFTER 4  // refills of a list since the last collection
#define TRIES 16       // collections by one thread while other threads take the freed memory

_Static_assert(sizeof(void *) == 8, "descriptors and headers assume 64-bit pointers");

Heap heap = {.cache_lock = PTHREAD_MUTEX_INITIALIZER, .reference_lock = PTHREAD_MUTEX_INITIALIZER};

void heap_fatal(const char *message) {
    fprintf(stderr, "cabernet: gc: %s\n", message);
    if (heap.callbacks.ending) heap.callbacks.ending(heap.ctx);
    _exit(1);
}

void heap_vector_push(HeapVector *vector, void *item) {
    size_t want = vector->count + 1;
    if (!GROW(vector->items, vector->capacity, want) &&
        !(heap_release_reserve() && GROW(vector->items, vector->capacity, want)))
        heap_fatal("no memory for the list of references");
    vector->items[vector->count++] = item;
}

// ---- initialisation ------------------------------------------------------------------------

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

static void choose_sizes(const HeapConfig *config) {
    heap.max_heap = round_up(config->max_heap < 2 * MB ? 2 * MB : config->max_heap, MB);
    heap.memory = config->memory;
    heap.initial_heap = config->initial_heap;
    // Address space only: a page takes no memory until an object is placed there.
    if (!heap.initial_heap)
        heap.initial_heap = config->memory / 64 > DEFAULT_BUDGET ? config->memory / 64 : DEFAULT_BUDGET;
    if (heap.initial_heap > heap.max_heap) heap.initial_heap = heap.max_heap;
    heap.initial_heap = round_up(heap.initial_heap, MB);
    heap.min_budget = DEFAULT_BUDGET;
    if (config->initial_heap > heap.min_budget) heap.min_budget = heap.initial_heap;
    if (heap.min_budget > heap.max_heap) heap.min_budget = heap.max_heap;
    heap.budget = heap.min_budget;
}

bool heap_init(const HeapConfig *config, const char **error) {
    if (heap.collector) {
        *error = "the heap is already set up";
        return false;
    }
    heap.callbacks = *config->callbacks;
    heap.ctx = config->ctx;
    heap.stress = config->stress;
    heap.soft_ms_per_mb = config->soft_ms_per_mb ? config->soft_ms_per_mb : 1000;
    heap.processors = config->processors;
    heap.verify = config->verify;
    heap.young_stress = config->young_stress;
    choose_sizes(config);
    if (config->young) heap_young_init();
    heap.full_only = !heap_cards();
    return heap_collector_start(error);
}

void heap_enable_collection(void) { heap.enabled = true; }

// ---- caches --------------------------------------------------------------------------------

void heap_cache_attach(HeapCache *cache, void *owner) {
    ASSERT(!cache->next && !cache->prev && heap.caches != cache, "cache %p is attached already", (void *)cache);
    cache->owner = owner;
    pthread_mutex_lock(&heap.cache_lock);
    cache->prev = NULL;
    cache->next = heap.caches;
    if (heap.caches) heap.caches->prev = cache;
    heap.caches = cache;
    pthread_mutex_unlock(&heap.cache_lock);
}

size_t heap_dissolve(void *list) {
    size_t n = 0;
    while (list) {
        void *next = *(void **)list;
        ASSERT((uintptr_t)next % HEAP_GRANULE == 0, "free list of %p goes on at %p", list, next);
        *(void **)list = NULL;
        list = next;
        n++;
    }
    return n;
}

// Iterates over the lists of the cache that may be non-empty.
#define FOR_TOUCHED(cache, kind, c)                                                                               \
    for (int kind = 0; kind < HEAP_KINDS; kind++)                                                                 \
        for (uint64_t bits_ = (cache)->touched[kind], c = 0; bits_ && (c = (uint64_t)__builtin_ctzll(bits_) + 1); \
             bits_ &= bits_ - 1)

_Static_assert(HEAP_CLASSES - 1 <= 64, "a bit for each class");

// Dissolves a list of unused objects and returns its bytes.
static size_t discard(void *list, size_t c) {
    size_t bytes = heap_dissolve(list) * c * HEAP_GRANULE;
    if (heap.counting) atomic_fetch_sub_explicit(&heap.counted, bytes, memory_order_relaxed);
    return bytes;
}

void heap_cache_detach(HeapCache *cache) {
    heap_flush_references(cache);
    pthread_mutex_lock(&heap.cache_lock);
    ASSERT(cache->prev || heap.caches == cache, "cache %p is not attached", (void *)cache);
    if (cache->prev) cache->prev->next = cache->next;
    else heap.caches = cache->next;
    if (cache->next) cache->next->prev = cache->prev;
    cache->prev = cache->next = NULL;
    FOR_TOUCHED(cache, kind, c) {
        uint8_t *orphans = &heap.orphan_count[kind][c];
        ASSERT(*orphans <= HEAP_ORPHANS, "%u orphaned lists of kind %d, class %zu", *orphans, kind, (size_t)c);
        void *list = cache->list[kind][c];
        if (list && *orphans < HEAP_ORPHANS) heap.orphan[kind][c][(*orphans)++] = list;
        else if (list) discard(list, c);
        cache->list[kind][c] = NULL;
    }
    memset(cache->touched, 0, sizeof cache->touched);
    pthread_mutex_unlock(&heap.cache_lock);
}

void heap_cache_give(HeapCache *cache) {
    HeapCache *to = cache->shared;
    ASSERT(to && to != cache, "cache %p has nobody to give to", (void *)cache);
    for (int kind = 0; kind < HEAP_KINDS; kind++) {
        uint64_t left = 0;
        for (uint64_t bits = cache->touched[kind]; bits; bits &= bits - 1) {
            size_t c = (size_t)__builtin_ctzll(bits) + 1;
            if (!cache->list[kind][c]) continue;
            if (to->list[kind][c]) {  // the cache already had a list of this kind and size
                left |= bits & -bits;
                continue;
            }
            to->list[kind][c] = cache->list[kind][c];
            to->touched[kind] |= bits & -bits;
            cache->list[kind][c] = NULL;
        }
        cache->touched[kind] = left;
    }
}

static void *take_orphan(int kind, size_t c) {
    void *list = NULL;
    // Unlocked check; a missed list costs nothing.
    if (__atomic_load_n(&heap.orphan_count[kind][c], __ATOMIC_RELAXED) == 0) return NULL;
    pthread_mutex_lock(&heap.cache_lock);
    if (heap.orphan_count[kind][c]) list = heap.orphan[kind][c][--heap.orphan_count[kind][c]];
    pthread_mutex_unlock(&heap.cache_lock);
    return list;
}

static void reset_cache(HeapCache *cache) {
    FOR_TOUCHED(cache, kind, c) {
        size_t left = discard(cache->list[kind][c], c);
        cache->list[kind][c] = NULL;
        if (cache->shared) continue;
        cache->refilled_bytes -= left < cache->refilled_bytes ? left : cache->refilled_bytes;
    }
    memset(cache->touched, 0, sizeof cache->touched);
    memset(cache->refills, 0, sizeof cache->refills);
    heap_flush_references(cache);
}

void heap_reset_caches(void) {
    pthread_mutex_lock(&heap.cache_lock);
    for (HeapCache *cache = heap.caches; cache; cache = cache->next) reset_cache(cache);
    for (int kind = 0; kind < HEAP_KINDS; kind++)
        for (size_t c = 1; c < HEAP_CLASSES; c++) {
            while (heap.orphan_count[kind][c]) discard(heap.orphan[kind][c][--heap.orphan_count[kind][c]], c);
        }
    pthread_mutex_unlock(&heap.cache_lock);
}

static size_t list_bytes(const void *list, size_t size) {
    size_t n = 0;
    for (; list; list = *(void *const *)list) n += size;
    return n;
}

uint64_t heap_cache_allocated_bytes(const HeapCache *cache) {
    uint64_t left = 0;
    if (cache->shared) return cache->refilled_bytes;
    FOR_TOUCHED(cache, kind, c)
    left += list_bytes(cache->list[kind][c], c * HEAP_GRANULE);
    return left < cache->refilled_bytes ? cache->refilled_bytes - left : 0;
}

// Bytes on all lists, including orphans.
static uint64_t listed_bytes(void) {
    uint64_t bytes = 0;
    pthread_mutex_lock(&heap.cache_lock);
    for (const HeapCache *cache = heap.caches; cache; cache = cache->next) FOR_TOUCHED(cache, kind, c)
    bytes += list_bytes(cache->list[kind][c], c * HEAP_GRANULE);
    for (int kind = 0; kind < HEAP_KINDS; kind++)
        for (size_t c = 1; c < HEAP_CLASSES; c++)
            for (uint8_t i = 0; i < heap.orphan_count[kind][c]; i++)
                bytes += list_bytes(heap.orphan[kind][c][i], c * HEAP_GRANULE);
    pthread_mutex_unlock(&heap.cache_lock);
    return bytes;
}

uint64_t heap_counted_bytes(void) { return heap.counted - (heap.counting ? listed_bytes() : 0); }

void heap_count(bool on) {
    if (heap.counting == on) return;
    if (on) heap.counted += listed_bytes();
    else heap.counted = heap_counted_bytes();
    heap.counting = on;
}

static void count(uint64_t bytes) {
    if (__builtin_expect(heap.counting, 0)) atomic_fetch_add_explicit(&heap.counted, bytes, memory_order_relaxed);
}

void heap_sample(uint64_t bytes) { heap.sample_every = bytes; }

// ---- allocation ----------------------------------------------------------------------------

size_t heap_bytes_since(void) {
    return GC_get_bytes_since_gc() - atomic_load_explicit(&heap.library_before, memory_order_relaxed) +
        atomic_load_explicit(&heap.reused, memory_order_relaxed);
}

int heap_kind_of(int library_kind) {
    int kind = 0;
    while (kind < HEAP_KINDS && heap.kind[kind] != library_kind && heap.single_kind[kind] != library_kind) kind++;
    return kind;
}

void *heap_base(const void *object) {
    if ((uintptr_t)object % HEAP_LINE || (uintptr_t)object % LIBRARY_BLOCK == 0) return (void *)object;
    void *base = GC_base((void *)object);
    return base ? base : (void *)object;
}

void *heap_begin(void *base, size_t bytes) {
    char *begin = base;
    if (bytes < LIBRARY_SMALL_MAX) return base;
    for (size_t colour = 0; colour < HEAP_COLOURS && colour * HEAP_LINE < bytes; colour++, begin += HEAP_LINE)
        if (*(void **)begin) return begin;
    return base;
}

// A call of one of the library's allocation functions, with its result.
typedef struct LibraryCall {
    size_t bytes;
    int kind;
    void *result;
    bool refused;  // the function was not called
} LibraryCall;

static void call_many(void *arg) {
    LibraryCall *call = arg;
    // The library must have, or get, free blocks for the refill and a reserve for threads that refill concurrently.
    size_t step = GC_get_heap_size() / 16;
    call->refused = GC_get_free_bytes() + GC_get_unmapped_bytes() < REFILL_ROOM &&
        !GC_expand_hp(step > MB ? step : MB) && !GC_expand_hp(2 * REFILL_ROOM);
    if (!call->refused) GC_generic_malloc_many(call->bytes, call->kind, &call->result);
}

static void call_one(void *arg) {
    LibraryCall *call = arg;
    call->result = call->bytes < OFF_PAGE_BYTES ? GC_generic_malloc(call->bytes, call->kind)
                                                : GC_generic_malloc_ignore_off_page(call->bytes, call->kind);
}

static void *call_library(HeapCache *cache, void (*fn)(void *), LibraryCall *call) {
    if (heap.callbacks.call_on_large_stack) heap.callbacks.call_on_large_stack(heap.ctx, cache->owner, fn, call);
    else fn(call);
    return call->result;
}

// A list from blocks that have had free objects since the last collection. A thread that needs many objects of one size
// takes several blocks at once. The number grows with its refills since the last collection, but stays a small part of
// what may be allocated before the next one.
static void *list_from_blocks(HeapCache *cache, int kind, size_t c, size_t *bytes) {
    uint8_t *refills = &cache->refills[kind][c];
    size_t most = heap.budget / (64 * LIBRARY_BLOCK), size = c * HEAP_GRANULE;
    unsigned want = 1 + *refills / (HEAP_REFILLS_MOST / (REFILL_BLOCKS - 1));
    if (*refills < HEAP_REFILLS_MOST) ++*refills;
    if (want > most) want = most ? (unsigned)most : 1;
    HeapBlock *blocks[REFILL_BLOCKS];
    void *list, **link = &list;
    unsigned n = heap_take_blocks(kind, c, blocks, want);
    for (unsigned i = 0; i < n; i++) {
        if (heap.verify) blocks[i]->cache = cache;
        *bytes += (LIBRARY_BLOCK / size - blocks[i]->live_count) * size;
        link = heap_sweep_block(blocks[i], link);
    }
    *link = NULL;
    atomic_fetch_add_explicit(&heap.reused, *bytes, memory_order_relaxed);
    return list;
}

// Number of blocks that a refill takes from the library. A size that is refilled often gets a chunk of neighbouring
// blocks, so that later refills write ascending addresses; clearing blocks of several sizes that lie mixed takes twice
// as long. A chunk is about as large as what the thread has used of the size since the last collection, and a small
// part of the budget. There are none when the heap may soon be full of other sizes.
static unsigned blocks_wanted(const HeapCache *cache, int kind, size_t c) {
    size_t most = heap.budget / (256 * LIBRARY_BLOCK);
    unsigned refills = cache->refills[kind][c], want = refills < HEAP_REFILLS_MOST ? refills : HEAP_CHUNK_BLOCKS;
    if (refills < CHUNK_AFTER || most < 2 || heap.live + heap_bytes_since() > heap.max_heap / 2) return 1;
    return want < most ? want : (unsigned)most;
}

// A list from a new block, and possibly further blocks for later refills. A single object, or none, means that the
// library had no block left.
static void *list_from_library(HeapCache *cache, int kind, size_t c, size_t *bytes) {
    size_t size = c * HEAP_GRANULE;
    HeapBlock *spare[HEAP_CHUNK_BLOCKS];
    unsigned spares = 0;
    void *first = NULL;
    for (unsigned want = blocks_wanted(cache, kind, c); want > 0; want--) {
        LibraryCall call = {size, heap.kind[kind], NULL, false};
        void *list = call_library(cache, call_many, &call);
        if (call.refused) break;
        HeapBlock *block = NULL;
        if (!list || !*(void **)list) heap_leave_to_library(kind);
        else block = heap_add_block((void *)((uintptr_t)list & ~(uintptr_t)(LIBRARY_BLOCK - 1)), kind, c, first);
        if (block && heap.verify) block->cache = cache;
        if (!first) first = list;
        else heap_dissolve(list);
        if (!block) break;
        if (first != list) spare[spares++] = block;
    }
    // The library has counted the spare blocks; they count when they are handed out.
    atomic_fetch_sub_explicit(&heap.reused, spares * (LIBRARY_BLOCK / size * size), memory_order_relaxed);
    if (spares) heap_leave_spares(spare, spares);
    *bytes = list_bytes(first, size);
    return first;
}

// Leaves what follows the first object of a list to other refills.
static void leave_rest(HeapCache *cache, int kind, size_t c, void *list) {
    void *rest = *(void **)list;
    size_t bytes = list_bytes(rest, c * HEAP_GRANULE);
    *(void **)list = NULL;
    cache->refilled_bytes -= bytes < cache->refilled_bytes ? bytes : cache->refilled_bytes;
    pthread_mutex_lock(&heap.cache_lock);
    uint8_t *orphans = &heap.orphan_count[kind][c];
    if (rest && *orphans < HEAP_ORPHANS) heap.orphan[kind][c][(*orphans)++] = rest;
    else if (rest) discard(rest, c);
    pthread_mutex_unlock(&heap.cache_lock);
}

// The distance to the next sample. It is exponentially distributed, so each byte is equally likely to begin one,
// whatever was sampled before and in whatever lumps the lists are given out.
static int64_t draw_distance(HeapCache *cache) {
    double part = ((double)(splitmix_next(&cache->sample_random) >> 11) + 0.5) * 0x1p-53;
    return 1 + (int64_t)(-log(part) * (double)heap.sample_every);
}

// The cache is about to give out an object of that size. Returns whether it begins a new distance, and so is a sample.
static bool pass_object(HeapCache *cache, size_t size) {
    if (!cache->sample_random) {
        cache->sample_random = atomic_fetch_add(&heap.sample_seed, 1) + 1;
        cache->sample_left = draw_distance(cache);
    }
    cache->sample_left -= (int64_t)size;
    return cache->sample_left < 0;
}

// Counts the objects of a list until the next sample and ends the list there. The first object is given out at once.
// bytes: of the list, 0: not known. A list before the next sample is not walked.
static void sample_list(HeapCache *cache, int kind, size_t c, void *list, size_t bytes) {
    const uint64_t bit = UINT64_C(1) << (c - 1);
    const size_t size = c * HEAP_GRANULE;
    if (cache->sampled[kind] & bit) cache->samples++;
    cache->sampled[kind] &= ~bit;
    if (bytes && cache->sample_random && (int64_t)bytes <= cache->sample_left) {
        cache->sample_left -= (int64_t)bytes;
        return;
    }
    for (void *object = list, *before = NULL; object; before = object, object = *(void **)object) {
        if (!pass_object(cache, size)) continue;
        cache->sample_left += draw_distance(cache);
        if (!before) {
            cache->samples++;
            continue;
        }
        cache->sample_left += (int64_t)size;  // it is passed when the rest of the list is given out
        cache->sampled[kind] |= bit;
        leave_rest(cache, kind, c, before);
        return;
    }
}

static void sample_single(HeapCache *cache, size_t bytes) {
    for (bool is = pass_object(cache, bytes); is; is = cache->sample_left < 0) {
        cache->samples++;
        cache->sample_left += draw_distance(cache);
    }
}

static void *refill(HeapCache *cache, int kind, size_t c) {
    size_t bytes = 0;
    void *list = cache->list[kind][c];  // a request of 0 bytes may find it non-empty
    if (!list && cache->shared) {
        list = cache->shared->list[kind][c];
        cache->shared->list[kind][c] = NULL;
    }
    if (!list && (list = take_orphan(kind, c))) cache->refilled_bytes += list_bytes(list, c * HEAP_GRANULE);
    if (!list) {
        list = list_from_blocks(cache, kind, c, &bytes);
        if (!list) list = list_from_library(cache, kind, c, &bytes);
        if (!list) return NULL;
        cache->refilled_bytes += bytes;
        count(bytes);
    }
    ASSERT((uintptr_t)list % HEAP_GRANULE == 0, "a list of %zu bytes begins at %p", c * HEAP_GRANULE, list);
    ASSERT(!cache->list[kind][c] || cache->list[kind][c] == list, "the list of kind %d, class %zu was filled meanwhile",
           kind, c);
    if (__builtin_expect(heap.sample_every != 0, 0)) sample_list(cache, kind, c, list, bytes);
    if (heap.young_stress) leave_rest(cache, kind, c, list);
    // The list was empty when the slow path was entered. Since then a collection may have run, but no other allocation
    // of this thread, so it is still empty.
    cache->list[kind][c] = *(void **)list;
    cache->touched[kind] |= UINT64_C(1) << (c - 1);
    *(void **)list = NULL;
    return list;
}

// The library gives an object larger than half a block whole blocks, and one larger than a third half a block. All such
// objects would begin at the same one or two offsets of a page, so their headers, and elements with equal indexes,
// would compete for a few cache lines. Reading a matrix by columns then takes three times as long. Therefore an array
// begins some cache lines after the start of its blocks or half block, as far as there is room, each one line later
// than the previous array. The bytes before it stay zero.
static void *allocate_singly(HeapCache *cache, int kind, size_t bytes) {
    size_t colour = 0;
    if (kind != HEAP_TYPED && bytes > LIBRARY_BLOCK / 3 && bytes < OFF_PAGE_BYTES) {
        size_t room = round_up(bytes, bytes <= LIBRARY_SMALL_MAX ? LIBRARY_SMALL_MAX : LIBRARY_BLOCK) - bytes;
        size_t colours = room / HEAP_LINE + 1;
        colour = cache->colour++ % (colours < HEAP_COLOURS ? colours : HEAP_COLOURS) * HEAP_LINE;
    }
    ASSERT(colour % HEAP_GRANULE == 0 && colour < HEAP_COLOURS * HEAP_LINE, "colour %zu", colour);
    char *block = call_library(cache, call_one, &(LibraryCall){bytes + colour, heap.single_kind[kind], NULL, false});
    if (!block) return NULL;
    heap_young_add_single(block + colour, bytes, kind);
    cache->refilled_bytes += bytes;
    count(bytes);
    if (__builtin_expect(heap.sample_every != 0, 0)) sample_single(cache, bytes);
    return block + colour;
}

// -Xmx limits the size of the program's objects, not of the library blocks that hold them.
static bool over_limit(size_t bytes) { return heap.live + heap_bytes_since() + bytes > heap.max_heap; }

// NULL: the limit is reached, or the library is out of memory.
static void *try_allocate(HeapCache *cache, int kind, size_t bytes) {
    if (over_limit(bytes)) return NULL;
    size_t c = bytes / HEAP_GRANULE;
    if (c < HEAP_CLASSES && !heap.stress) return refill(cache, kind, c);
    return allocate_singly(cache, kind, bytes);
}

static bool over_budget(size_t bytes) {
    return heap_bytes_since() + bytes > atomic_load_explicit(&heap.budget, memory_order_relaxed);
}

static bool futile(void) { return heap.futile >= FUTILE_LIMIT; }

// Objects do not move, so free memory may be fragmented. The limit applies to objects: if this object is within it, the
// library's heap grows past the limit, to at most twice. The steps are large enough to justify the collection that each
// of them costs.
static void *allocate_despite_fragments(HeapCache *cache, int kind, size_t bytes) {
    size_t now = GC_get_heap_size() + GC_get_unmapped_bytes(), most = 2 * heap.max_heap;
    size_t size = now + round_up(bytes, MB) + MB, step = heap.max_heap / 16;
    if (over_limit(bytes) || size > most) return NULL;
    if (size < now + step) size = now + step < most ? now + step : most;
    GC_set_max_heap_size(size);
    return try_allocate(cache, kind, bytes);
}

// Not enough memory: collect twice, the second time clearing soft references. If another thread has collected in the
// meantime, retry before collecting. If other threads allocate what a collection freed before this one runs, that is
// not an OutOfMemoryError. When the program gets an OutOfMemoryError, the count of futile collections is lowered or
// reset, because its handler may need only a few objects.
static void *allocate_hard(HeapCache *cache, int kind, size_t bytes, uint64_t seen) {
    uint64_t soft_seen = heap.soft_clears;
    for (int tries = 0; tries < TRIES && !futile(); tries++) {
        bool taken_by_others = over_limit(bytes) && heap.live + bytes <= heap.max_heap;
        if (tries > 0 && !taken_by_others) break;
        heap_collect_unless(cache, "Allocation Failure", seen, HEAP_FREE_BLOCKS);
        seen = heap.collections;
        void *object = try_allocate(cache, kind, bytes);
        if (!object) object = allocate_despite_fragments(cache, kind, bytes);
        if (object) return object;
    }
    heap_collect_unless(cache, "Last Ditch Collection", soft_seen, HEAP_CLEAR_SOFT);
    if (futile()) {
        heap.futile = FUTILE_LIMIT / 2;  // allows the handler's few objects
        return NULL;
    }
    void *object = try_allocate(cache, kind, bytes);
    if (!object) heap.futile = 0;
    return object;
}

// Clears the stack below the caller. Frames of earlier allocations left addresses of objects there, in slots that the
// coming frames do not fill before a collection scans them.
__attribute__((noinline)) static void clear_frames_left(void) {
    char below[1024];
    memset(below, 0, sizeof below);
    __asm__ volatile("" : : "r"(below) : "memory");
}

__attribute__((noinline)) static void *allocate_or_collect(HeapCache *cache, int kind, size_t bytes) {
    ASSERT(kind >= 0 && kind < HEAP_KINDS, "kind %d", kind);
    ASSERT(!heap_on_collector_thread(), "allocation of %zu bytes on the collector's thread", bytes);
    if (bytes > heap.max_heap) return NULL;
    bytes = bytes ? round_up(bytes, HEAP_GRANULE) : HEAP_GRANULE;
    uint64_t seen = heap.collections;
    uint32_t every = heap.stress ? heap.stress : heap.young_stress;
    if ((every && atomic_fetch_add(&heap.stress_count, 1) % every == 0) || over_budget(bytes))
        heap_collect_unless(cache, "Allocation Failure", seen, HEAP_USUAL);
    seen = heap.collections;
    void *object = futile() ? NULL : try_allocate(cache, kind, bytes);
    return object ? object : allocate_hard(cache, kind, bytes, seen);
}

// Memory from a refill or from the library, without a collection. NULL: not available, or a collection is due.
__attribute__((noinline)) static void *allocate_at_once(HeapCache *cache, int kind, size_t bytes) {
    if (bytes > heap.max_heap || heap.stress || heap.young_stress || futile()) return NULL;
    bytes = bytes ? round_up(bytes, HEAP_GRANULE) : HEAP_GRANULE;
    return over_budget(bytes) ? NULL : try_allocate(cache, kind, bytes);
}

void *heap_alloc_slow(HeapCache *cache, int kind, size_t bytes) {
    void *object = allocate_at_once(cache, kind, bytes);
    if (object) return object;
    clear_frames_left();
    return allocate_or_collect(cache, kind, bytes);
}

void *heap_alloc_beyond(HeapCache *cache, int kind, size_t bytes, bool *beyond) {
    void *object = heap_alloc(cache, kind, bytes);
    if (beyond) *beyond = !object;
    if (object) return object;
    bytes = round_up(bytes, HEAP_GRANULE);
    GC_set_max_heap_size(GC_get_heap_size() + round_up(bytes, MB) + MB);
    object = allocate_singly(cache, kind, bytes);
    if (!object) heap_fatal("no native memory to go on with");
    return object;
}

void *heap_alloc_unforced(HeapCache *cache, int kind, size_t bytes) {
    if (!heap.futile || bytes <= HEAP_CLASSES * HEAP_GRANULE) return heap_alloc(cache, kind, bytes);
    bytes = round_up(bytes, HEAP_GRANULE);
    return over_budget(bytes) ? NULL : try_allocate(cache, kind, bytes);
}

static void *try_vtable(HeapCache *cache, size_t bytes) {
    void *vtable = call_library(cache, call_one, &(LibraryCall){bytes, heap.vtable_kind, NULL, false});
    if (vtable) heap_young_add_single(vtable, bytes, HEAP_KINDS);
    return vtable;
}

// Each vtable is allocated singly: there are few, and the marker recognises them by the library's kind.
void *heap_alloc_vtable(HeapCache *cache, size_t bytes) {
    uint64_t seen = heap.collections;
    bytes = round_up(bytes, HEAP_GRANULE);
    if (over_budget(bytes)) heap_collect_unless(cache, "Allocation Failure", seen, HEAP_USUAL);
    seen = heap.collections;
    void *vtable = try_vtable(cache, bytes);
    if (vtable) return vtable;
    heap_collect_unless(cache, "Allocation Failure", seen, HEAP_FREE_BLOCKS);
    return try_vtable(cache, bytes);
}

// The limit applies to the program's objects. The VM may exceed it to continue once they have reached it, for example
// to report that.
void *heap_alloc_root(size_t bytes) {
    void *root = GC_malloc_uncollectable(bytes);
    if (!root) {
        GC_set_max_heap_size(GC_get_heap_size() + round_up(bytes, MB) + MB);
        root = GC_malloc_uncollectable(bytes);
    }
    if (root) heap_young_add_root(root, bytes);
    return root;
}

bool heap_is_vtable(const void *p) {
    return GC_base((void *)p) == p && GC_get_kind_and_size(p, NULL) == heap.vtable_kind;
}

bool heap_is_object(const void *p) {
    size_t bytes;
    void *base = p ? GC_base((void *)p) : NULL;
    if (!base) return false;
    GC_get_kind_and_size(base, &bytes);
    return heap_begin(base, bytes) == p;
}

// ---- references registered -----------------------------------------------------------------

void heap_set_reference_layout(const HeapReferenceLayout *layout) {
    heap.layout = *layout;
    heap.soft_clock_known = layout->soft_clock != NULL;
}

void heap_flush_references(HeapCache *cache) {
    if (!cache->reference_count) return;
    pthread_mutex_lock(&heap.reference_lock);
    for (uint32_t i = 0; i < cache->reference_count; i++) {
        uintptr_t entry = cache->reference_buffer[i];
        heap_vector_push(&heap.registered[entry & 3], (void *)(entry & ~(uintptr_t)3));
    }
    pthread_mutex_unlock(&heap.reference_lock);
    cache->reference_count = 0;
}

void heap_register_reference(HeapCache *cache, void *reference, HeapReferenceKind kind) {
    if (cache->reference_count == HEAP_REF_BUFFER) heap_flush_references(cache);
    ASSERT(cache->reference_count < HEAP_REF_BUFFER, "%u references registered", cache->reference_count);
    ASSERT(((uintptr_t)reference & 3) == 0 && (unsigned)kind < HEAP_REFERENCE_KINDS, "reference %p of kind %d",
           reference, (int)kind);
    cache->reference_buffer[cache->reference_count++] = (uintptr_t)reference | (uintptr_t)kind;
}

void *heap_take_pending_list(void) { return atomic_exchange(&heap.pending, NULL); }

bool heap_has_pending_list(void) { return atomic_load(&heap.pending) != NULL; }

// ---- figures and epochs -------------------------------------------------------------------------------

bool heap_epoch(uint64_t *epoch) {
    *epoch = heap.collections;
    return heap.begun == *epoch;
}

bool heap_epoch_is(uint64_t epoch) {
    atomic_thread_fence(memory_order_acquire);
    return heap.begun == epoch;
}

void heap_stats(HeapStats *stats) {
    size_t committed = GC_get_heap_size();
    if (committed > heap.max_heap) committed = heap.max_heap;
    size_t used = heap.live + heap_bytes_since();
    if (used > committed) used = committed;
    *stats = (HeapStats){
        .used = used,
        .committed = committed,
        .max = heap.max_heap,
        .free = committed - used,
        .collections = heap.collections,
        .collection_ns = heap.collection_ns,
        .allocated = GC_get_total_bytes() + heap.reused_before + heap.reused,
    };
}
