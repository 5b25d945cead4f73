// The Java heap, as the rest of the program sees it. Behind this header is the Boehm collector;
// no other folder includes its headers.
//
// Objects. Word 0 of every object is a pointer to a vtable whose word 1 is the object's mark descriptor:
// heap_descriptor_bitmap() or heap_descriptor_length(). The collector reads it while marking, and a stale
// word on a stack can show it a dead object that has not been swept yet; so a vtable outlives its objects
// until they are swept. The vtable of a class that is never unloaded is ordinary malloc memory. That of any
// other class is heap memory (heap_alloc_vtable) and a reference like others: the instances' descriptors say
// so (heap_descriptor_with_vtable), arrays of references have every word looked at. When such a class has
// died, heap_keep_vtable keeps its vtable for one collection more. What follows word 0 is the VM's business
// (lock word, array length, fields; array data at offset 16). References are full 64-bit addresses of the first byte of an object. An object never
// moves.
//
// Threads. A thread that runs Java or touches objects is a mutator; the collector library knows none
// of them. Exactly one thread, made by heap_init, collects. It asks the VM to bring all mutators to
// a safepoint (HeapCallbacks.stop_the_world), marks from what the VM pushes, and lets them go.
// A mutator calls the allocation functions only while it is "running", that is, while
// stop_the_world would have to wait for it.
//
// When a collection may happen: in every function marked [may collect], and whenever the mutator
// parks at a safepoint or is blocked or native. Never between an inline allocation that finds its
// list filled and the next such point: that is what makes it safe to hand out an object whose
// word 0 is not set yet. So the vtable must be stored at once, before anything else that may
// collect.
//
// Stack. The slow path of allocation overwrites up to 20 KB below its caller's frame (the collector
// library clears stale words there): stack-overflow checks leave 32 KB.
#ifndef GC_HEAP_H
#define GC_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- configuration -------------------------------------------------------------------------

typedef struct HeapCache HeapCache;

// What one collection did. Sizes in bytes.
typedef struct HeapReport {
    uint64_t number;        // 0 for the first collection
    const char *cause;      // "System.gc()", "Allocation Failure", ...
    size_t used_before;
    size_t used_after;
    size_t committed;
    uint64_t pause_ns;      // from the request to stop until the mutators were let go
    uint64_t stop_ns;       // of which: until the last mutator was at a safepoint
    uint64_t mark_ns;       // of which: in the collector library, mark and references
    size_t soft_cleared, weak_cleared, finals_enqueued, phantoms_cleared;
} HeapReport;

// What the heap needs from the VM. `ctx` is HeapConfig.ctx. Members marked optional may be NULL.
typedef struct HeapCallbacks {
    // Collector thread. Returns when every mutator is parked, blocked or native, and will stay so.
    // After it returns nobody but the collector thread touches objects or HeapCaches.
    void (*stop_the_world)(void *ctx);
    // Collector thread. Lets the mutators run again.
    void (*resume_the_world)(void *ctx);
    // Collector thread, world stopped, the library's lock held: no allocation, no heap_ function but
    // heap_push_*. Pushes every root: stacks (with the registers that their threads spilled),
    // handles, statics, VM structures that hold references. May run more than once in one
    // collection: must be idempotent.
    void (*push_roots)(void *ctx);
    // Optional; collector thread, world stopped, before and after marking. Not under the lock.
    void (*before_mark)(void *ctx);
    void (*after_mark)(void *ctx);
    // Optional; collector thread, world stopped, the library's lock held, when all marking is
    // over: the VM drops or clears its own weak entries (interned strings, monitors, JNI weak
    // globals...) whose object is not heap_is_marked(). An entry here is as weak as a
    // PhantomReference: an object kept alive only for its finalizer still counts as marked.
    void (*clear_weak_tables)(void *ctx);
    // Calling mutator (`owner` is its HeapCache's owner): calls fn(arg), in which the mutator counts as
    // blocked: a stop does not wait for it. What the callers hold, in registers too, is published for
    // push_roots until call_blocked returns, which waits while the world is stopped.
    void (*call_blocked)(void *ctx, void *owner, void (*fn)(void *arg), void *arg);
    // Optional; collector thread, world running again: the pending list has grown. The VM wakes its
    // Reference Handler.
    void (*references_pending)(void *ctx);
    // Optional; collector thread, world running again, after every collection, before those who
    // asked for it go on.
    void (*collection_finished)(void *ctx, const HeapReport *report);
    // Optional; collector thread or heap_init's: a line for the log, without its end.
    void (*log)(void *ctx, const char *message);
    // Optional; collector thread, first thing it does (inside heap_init), to name or record it.
    void (*collector_started)(void *ctx);
    // Optional; collector thread, world stopped, the library's lock held: the size of an object that is an array,
    // 0 of any other. The limit of the heap and HeapStats.used count this, not what the library rounds it up to.
    size_t (*array_size)(void *ctx, const void *object);
    // Optional; calling mutator: calls fn(arg) on a stack with 32 KB left, which the mutator's own
    // need not have grown to yet.
    void (*call_on_large_stack)(void *ctx, void *owner, void (*fn)(void *arg), void *arg);
    // Optional; any thread, which may hold any lock: there is no native memory to go on with, and the process ends with
    // status 1 when it returns.
    void (*ending)(void *ctx);
} HeapCallbacks;

typedef struct HeapConfig {
    size_t memory;              // what there is for this process, in bytes; 0: not known
    int processors;             // that this process may use: so many threads mark; 0: one
    size_t max_heap;            // -Xmx in bytes
    size_t initial_heap;        // -Xms in bytes; 0: chosen by the heap, from `memory`
    uint32_t stress;            // collect at every N-th allocation; 0: never
    uint32_t soft_ms_per_mb;    // idle ms that a soft reference survives per free MB; 0: 1000
    const HeapCallbacks *callbacks; // copied
    void *ctx;
} HeapConfig;

// Sets up the heap and starts the collector thread; once per process. Nothing is collected before
// heap_enable_collection(). False, with a message in *error (static text), when memory or the
// thread cannot be had.
bool heap_init(const HeapConfig *config, const char **error);

// From now on allocation and heap_collect may collect: all callbacks must be ready.
void heap_enable_collection(void);

// ---- mark descriptors ----------------------------------------------------------------------

#define HEAP_VTABLE_DESCRIPTOR_OFFSET 8 // of the descriptor word inside the vtable
#define HEAP_BITMAP_WORDS 62            // an object longer than this needs a length descriptor

// Descriptor from a bitmap whose bit i (least significant first) says that word i holds a reference
// (word 0, the vtable, does not). Only for objects of at most HEAP_BITMAP_WORDS words, or whose
// later words hold no references.
static inline uintptr_t heap_descriptor_bitmap(uint64_t word_is_reference) {
    uint64_t reversed = 0;
    for (int i = 0; i < HEAP_BITMAP_WORDS; i++)
        if (word_is_reference >> i & 1) reversed |= UINT64_C(1) << (63 - i);
    return (uintptr_t)(reversed | 1);
}

// Descriptor for "any word may be a reference": bytes is the instance size, a multiple of 8.
// Reference classes (soft, weak, final, phantom) must not need it: their referent would be strong.
static inline uintptr_t heap_descriptor_length(size_t bytes) { return (uintptr_t)bytes; }

// The same, and word 0 is a reference as well: for instances of a class whose vtable is heap memory.
static inline uintptr_t heap_descriptor_with_vtable(uintptr_t descriptor) {
    bool is_length = descriptor && !(descriptor & 1);
    return is_length ? descriptor : descriptor | 1 | (uintptr_t)1 << 63;
}

// ---- allocation ----------------------------------------------------------------------------

enum { HEAP_TYPED, HEAP_REFS, HEAP_PRIMS, HEAP_KINDS };

#define HEAP_GRANULE 16
#define HEAP_SMALL_MAX 1024 // largest size with a list in the cache
#define HEAP_CLASSES (HEAP_SMALL_MAX / HEAP_GRANULE + 1)
#define HEAP_REF_BUFFER 32
#define HEAP_REFILLS_MOST 32

// A mutator's allocation lists, embedded in its thread structure. Zero it, then attach it. Only the
// owner touches it while the world runs, only the collector while it is stopped. The lists
// are linked through word 0; entry [kind][c] holds objects of c * HEAP_GRANULE bytes, cleared but
// for that link.
struct HeapCache {
    void *list[HEAP_KINDS][HEAP_CLASSES];
    // Lists that may hold something: bit c - 1 is class c's. Set at a refill, cleared with the lists.
    uint64_t touched[HEAP_KINDS];
    // Where a list that has run out is looked for first: see heap_cache_give. NULL: nowhere.
    HeapCache *shared;
    uint64_t refilled_bytes;            // all that was ever put on the lists or allocated directly
    uint32_t colour;                    // where in its block the next large array begins
    uint32_t reference_count;
    uintptr_t reference_buffer[HEAP_REF_BUFFER]; // registered since the last flush, kind in low bits
    uint8_t refills[HEAP_KINDS][HEAP_CLASSES]; // of each list since the last collection, up to HEAP_REFILLS_MOST
    void *owner;
    HeapCache *prev, *next;
};

// Makes a zeroed cache known to the collector; any thread, any time; takes a lock of the heap's for
// a moment. `owner` is what call_blocked receives. The cache must stay in place
// until it is detached.
void heap_cache_attach(HeapCache *cache, void *owner);

// The thread ends: its lists are handed to others. Caller: the owner, running, or
// anybody while the world is stopped.
void heap_cache_detach(HeapCache *cache);

// Mutators that take turns share their lists: the one that runs sets cache->shared to a cache that
// all of them use, attached, in nobody's hands but the running one's. Before it lets the next one
// run, it gives its lists away with this. Owner, running.
void heap_cache_give(HeapCache *cache);

// Bytes this mutator has allocated (lists' granularity subtracted; with shared lists what it took
// from the heap itself). Owner only.
uint64_t heap_cache_allocated_bytes(const HeapCache *cache);

// Counts exactly what all mutators together allocate, to the byte (object sizes padded to HEAP_GRANULE), while it is on;
// what was counted before stays. For a profile that must account for every object: each list that is handed out is walked
// for it. Both with the world stopped, or before there are mutators.
void heap_count(bool on);
uint64_t heap_counted_bytes(void);

// [may collect] Out-of-line half of the functions below; also the entry for compiled code.
// Returns cleared memory or NULL.
void *heap_alloc_slow(HeapCache *cache, int kind, size_t bytes);

static inline void *heap_alloc(HeapCache *cache, int kind, size_t bytes) {
    size_t c = (bytes + HEAP_GRANULE - 1) / HEAP_GRANULE;
    if (__builtin_expect(c < HEAP_CLASSES, 1)) {
        void *object = cache->list[kind][c];
        if (__builtin_expect(object != NULL, 1)) {
            cache->list[kind][c] = *(void **)object;
            *(void **)object = NULL;
            return object;
        }
    }
    return heap_alloc_slow(cache, kind, bytes);
}

// [may collect] As heap_alloc, for what the program can do without: when the last collection left a
// full heap full, does not try another for a large block, but returns NULL.
void *heap_alloc_unforced(HeapCache *cache, int kind, size_t bytes);

// [may collect] As heap_alloc, for an object that the program has allocated already, as far as it can tell: goes beyond the
// heap's limit if there is no other way (*beyond, unless NULL), and ends the process if there is no native memory either. Never NULL.
void *heap_alloc_beyond(HeapCache *cache, int kind, size_t bytes, bool *beyond);

// [may collect] All three return memory that is zero throughout, 16-byte aligned, at least 16 bytes,
// or NULL: out of memory although a collection was tried and, failing that, another that cleared
// all soft references (also when the heap is so full that nearly all time goes into collections). The
// caller stores the vtable into word 0 at once and throws
// OutOfMemoryError on NULL. Keep the first address of the object in a stack slot, register or root:
// pointers into its inside keep only the first 4096 bytes' worth of addresses of a large one alive.

// An object marked through its vtable's descriptor.
static inline void *heap_alloc_object(HeapCache *cache, size_t bytes) {
    return heap_alloc(cache, HEAP_TYPED, bytes);
}

// An object of which any word may be a reference, whatever its vtable says: arrays of references,
// and the like (mirrors with statics behind them).
static inline void *heap_alloc_refs(HeapCache *cache, size_t bytes) {
    return heap_alloc(cache, HEAP_REFS, bytes);
}

// An object that holds no reference: arrays of primitives.
static inline void *heap_alloc_prims(HeapCache *cache, size_t bytes) {
    return heap_alloc(cache, HEAP_PRIMS, bytes);
}

// [may collect] A vtable that is collected when neither an instance nor anything else refers to it: zeroed memory
// whose one reference is the word at HEAP_VTABLE_HOLDER_OFFSET. NULL: out of memory, as above.
#define HEAP_VTABLE_HOLDER_OFFSET 16
void *heap_alloc_vtable(HeapCache *cache, size_t bytes);

// Zeroed memory outside the Java heap proper of which every word is a root for good.
// For VM structures that hold references. Any thread; never collects; NULL when memory is out.
void *heap_alloc_root(size_t bytes);

// ---- collection ----------------------------------------------------------------------------

// None of these may be called on the collector thread (from a callback).
//
// [may collect] Collects and returns when a collection that began after the call has ended.
// Requests made together are served together. `cause` is static text for the report.
// Caller: a running mutator, its cache; NULL when the caller is no mutator.
void heap_collect(HeapCache *cache, const char *cause);

// Collects, then calls fn for every live object, world still stopped. No allocation in fn.
// Order unspecified; `bytes` is the size the object occupies (rounded up).
// A conservative collector: some of them may be dead.
void heap_walk(HeapCache *cache, void (*fn)(void *arg, void *object, size_t bytes), void *arg);

// Only inside push_roots.
void heap_push_range(const void *lo, const void *hi); // words in [lo, hi); inner pointers count
void heap_push_ref(void *const *slot);                // one slot that holds a reference or NULL

// Only inside clear_weak_tables, before NULL-ing the entry. Not for NULL. Objects outside
// the heap count as marked.
bool heap_is_marked(const void *object);

// Only inside clear_weak_tables: calls fn for everything that is marked, with the bytes that it takes, in any order. fn
// calls nothing of the heap.
void heap_each_live(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg);

// Only inside clear_weak_tables. The vtable from heap_alloc_vtable, whose holder is dead, stays until the next
// collection; that one begins by sweeping the instances, if any, that died in this one.
void heap_keep_vtable(void *vtable);

// True when `p` is the first address of an object that has its vtable, or of a free cell, in the heap. Any
// thread; for checks (debug builds, JNI handles), not for speed.
bool heap_is_object(const void *p);

// `p` points into a block of the heap, at a live object or not. Any thread.
bool heap_contains(const void *p);

// The collector thread, as a pthread_t cast.
unsigned long heap_collector_thread(void);

// ---- references ----------------------------------------------------------------------------

typedef enum HeapReferenceKind {
    HEAP_SOFT, HEAP_WEAK, HEAP_FINAL, HEAP_PHANTOM, HEAP_REFERENCE_KINDS
} HeapReferenceKind;

// Byte offsets of java.lang.ref.Reference's fields (and SoftReference.timestamp), and the storage of
// the static SoftReference.clock (milliseconds; the heap advances it at each collection). The
// bitmaps of Reference classes leave out `referent` and nothing else.
typedef struct HeapReferenceLayout {
    size_t referent, next, discovered;
    size_t soft_timestamp;
    int64_t *soft_clock;        // NULL: soft references do not age; only short memory clears them
} HeapReferenceLayout;

// Once, before the first heap_register_reference.
void heap_set_reference_layout(const HeapReferenceLayout *layout);

// Every Reference object must be registered between its allocation and the first point that may
// collect after its referent was stored; doing it right after allocation, when referent is
// still NULL, is right and simplest. Once per object. Never collects.
// At a collection, for a Reference that is itself alive:
//   soft    referent not strongly reachable and idle too long (or memory short): cleared, enqueued;
//   weak    referent neither strongly nor softly reachable: cleared, enqueued;
//   final   then, referent not marked: marked with all it reaches, enqueued, not cleared; it stays
//           strong until the referent field is NULL;
//   phantom then, referent not marked: cleared, enqueued.
// A Reference that is dead itself is forgotten.
void heap_register_reference(HeapCache *cache, void *reference, HeapReferenceKind kind);

// Takes the list of References that collections enqueued, linked through `discovered` and ended by
// NULL, or NULL. Running mutator only (the result is alive only on its stack).
void *heap_take_pending_list(void);
bool heap_has_pending_list(void);

// ---- figures -------------------------------------------------------------------------------

typedef struct HeapStats {
    size_t used;            // live at the last collection plus allocated since
    size_t committed;       // Runtime.totalMemory()
    size_t max;             // Runtime.maxMemory()
    size_t free;            // committed - used
    uint64_t collections;
    uint64_t collection_ns; // sum of all pauses
    uint64_t allocated;     // bytes allocated since start
} HeapStats;

// Any thread, no lock held for long.
void heap_stats(HeapStats *stats);

// For threads that read the heap and do not stop for collections. Gives the number of collections; false: one is running.
// What was alive when it gave a number is still there as long as heap_epoch_is says so: objects are reused only behind the
// next collection. Any thread, no lock.
bool heap_epoch(uint64_t *epoch);
bool heap_epoch_is(uint64_t epoch);

// How far the huge pages behind the heap are. The caller sets `whole` to false when a copy of the process may have made
// pages small; the rest begins as 0.
typedef struct HeapPages {
    size_t bytes;    // of the heap at the last look
    uintptr_t next;  // where to go on
    bool whole;      // all were looked at since
} HeapPages;

// Asks for huge pages behind a heap of 32 MB and more, where the system has them, so that a fork copies little. What is there
// in small ones is put together for about `ns`, a piece at a time, from where the last call has stopped. Any thread that is
// none of the VM's, one at a time; neither allocates in the heap nor stops anybody, but page faults wait for a piece.
void heap_use_huge_pages(HeapPages *pages, int64_t ns);

// Around a fork, while the world is stopped; the collector is idle then. The child gets a collector thread of its own;
// false: it cannot have one, and must not allocate.
void heap_before_fork(void);
void heap_after_fork_parent(void);
bool heap_after_fork_child(void);

#endif
