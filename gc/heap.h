// The Java heap, as the rest of the program sees it. It is implemented with the Boehm collector; no other folder
// includes that library's headers.
//
// Objects. Word 0 of every object is a pointer to a vtable whose word 1 is the object's mark descriptor:
// heap_descriptor_bitmap() or heap_descriptor_length(). The collector reads it while marking, and through a stale word
// on a stack it may reach a dead object that has not been swept yet. A vtable must therefore outlive its objects until
// they are swept. The vtable of a class that is never unloaded is ordinary malloc memory. The vtable of any other class
// is heap memory (heap_alloc_vtable), and the reference to it is marked: the instances' descriptors include it
// (heap_descriptor_with_vtable), and arrays of references are scanned completely. When such a class has died,
// heap_keep_vtable keeps its vtable for one more collection. The layout after word 0 is up to the VM (lock word, array
// length, fields; array data at offset 16). References are full 64-bit addresses of the first byte of an object. An
// object never moves.
//
// Threads. A thread that runs Java or touches objects is a mutator; the collector library knows none of them. Exactly
// one thread, created by heap_init, collects. It asks the VM to bring all mutators to a safepoint
// (HeapCallbacks.stop_the_world), marks from the roots that the VM pushes, and resumes the mutators. A mutator calls
// the allocation functions only while it is "running", that is, while stop_the_world would have to wait for it.
//
// When a collection may happen: in every function marked [may collect], and whenever the mutator parks at a safepoint
// or is blocked or native. It cannot happen between an inline allocation that finds its list filled and the next such
// point, so it is safe to return an object whose word 0 is not set yet. The caller must store the vtable at once,
// before anything else that may collect.
//
// Stack. The slow path of allocation overwrites up to 20 KB below its caller's frame (the collector library clears
// stale words there): stack-overflow checks leave 32 KB.
#ifndef CABERNET_GC_HEAP_H
#define CABERNET_GC_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- configuration -------------------------------------------------------------------------

typedef struct HeapCache HeapCache;

// Report of one collection. Sizes in bytes.
typedef struct HeapReport {
    uint64_t number;    // 0 for the first collection
    bool young;         // only of young objects
    const char *cause;  // "System.gc()", "Allocation Failure", ...
    size_t used_before;
    size_t used_after;
    size_t committed;
    uint64_t start_ns;  // of the stop request, CLOCK_MONOTONIC
    uint64_t pause_ns;  // from the stop request until the mutators were resumed
    uint64_t stop_ns;   // of which: until the last mutator was at a safepoint
    uint64_t mark_ns;   // of which: in the collector library, mark and references
    size_t soft_cleared, weak_cleared, finals_enqueued, phantoms_cleared;
    // Of a young collection: the bytes allocated since the last one, those that survived for the first time, and those
    // that survived for the second time and are old now; and the number of old objects scanned, by marked card.
    size_t allocated, aged, promoted, remembered;
} HeapReport;

// Services that the heap needs from the VM. `ctx` is HeapConfig.ctx. Members marked optional may be NULL.
typedef struct HeapCallbacks {
    // Collector thread. Returns when every mutator is parked, blocked or native, and will stay so. Until
    // resume_the_world only the collector thread touches objects and HeapCaches.
    void (*stop_the_world)(void *ctx);
    // Collector thread. Resumes the mutators.
    void (*resume_the_world)(void *ctx);
    // Collector thread, world stopped, the library's lock held: no allocation, no heap_ function but
    // heap_push_*. Pushes every root: stacks (with the registers that their threads spilled),
    // handles, statics, VM structures that hold references. May run more than once in one
    // collection: must be idempotent. `young`: in a young collection.
    void (*push_roots)(void *ctx, bool young);
    // Optional; collector thread, world stopped, before and after marking. Not under the lock.
    void (*before_mark)(void *ctx);
    void (*after_mark)(void *ctx, bool young);
    // Optional; collector thread, world stopped, the library's lock held, after all marking: the VM drops or clears
    // weak entries of its tables (interned strings, monitors, JNI weak globals...) whose object is not
    // heap_is_marked(). An entry here is as weak as a PhantomReference: an object kept alive only for its finalizer
    // still counts as marked. In a young collection all old objects and all classes count as marked.
    void (*clear_weak_tables)(void *ctx, bool young);
    // Calling mutator (`owner` is its HeapCache's owner): calls fn(arg) with the mutator in the blocked state, so a
    // stop does not wait for it. References held by the callers, in registers too, are published for push_roots until
    // call_blocked returns, which waits while the world is stopped.
    void (*call_blocked)(void *ctx, void *owner, void (*fn)(void *arg), void *arg);
    // Optional; collector thread, world running again: the pending list has grown. The VM wakes its
    // Reference Handler.
    void (*references_pending)(void *ctx);
    // Optional; collector thread, world running again, after every collection, before the threads that requested it
    // continue.
    void (*collection_finished)(void *ctx, const HeapReport *report);
    // Optional; collector thread or heap_init's: a log line, without its end.
    void (*log)(void *ctx, const char *message);
    // Optional; collector thread, called first (inside heap_init), to name or record the thread.
    void (*collector_started)(void *ctx);
    // Optional; collector thread, world stopped, the library's lock held: the size of an array object, 0 for any other
    // object. The limit of the heap and HeapStats.used count this, not the size that the library rounds it up to.
    size_t (*array_size)(void *ctx, const void *object);
    // Optional; calling mutator: calls fn(arg) on a stack with 32 KB left, which may be more than the mutator's stack
    // has grown to.
    void (*call_on_large_stack)(void *ctx, void *owner, void (*fn)(void *arg), void *arg);
    // Optional; collector thread, world stopped: writes what a report of a missed object says about an object (`owner`
    // NULL) or about the mutator `owner`, as text.
    void (*describe)(void *ctx, const void *object, const void *owner, char *text, size_t size);
    // Optional; any thread, which may hold any lock: native memory is exhausted, and the process ends with status 1
    // when the callback returns.
    void (*ending)(void *ctx);
} HeapCallbacks;

typedef struct HeapConfig {
    size_t memory;                   // available to this process, in bytes; 0: unknown
    int processors;                  // that this process may use, and number of marking threads; 0: one
    size_t max_heap;                 // -Xmx in bytes
    size_t initial_heap;             // -Xms in bytes; 0: chosen by the heap, from `memory`
    uint32_t stress;                 // collect at every n-th allocation; 0: never
    bool young;                      // there are young collections; the VM has write barriers (heap_cards)
    uint32_t young_stress;           // a young collection at every n-th allocation; 0: never
    bool verify;                     // compare each young collection with a full mark
    uint32_t soft_ms_per_mb;         // ms that a soft reference survives unused per free MB; 0: 1000
    const HeapCallbacks *callbacks;  // copied
    void *ctx;
} HeapConfig;

// Sets up the heap and starts the collector thread; once per process. Nothing is collected before
// heap_enable_collection(). False, with a message in *error (static text): no memory, or the thread cannot be created.
bool heap_init(const HeapConfig *config, const char **error);

// From now on allocation and heap_collect may collect; all callbacks must be ready.
void heap_enable_collection(void);

// ---- write barriers ------------------------------------------------------------------------

// Most programs keep few of the objects that they allocate. A young collection (heap_young.c) traces only what was
// allocated since the last collection and the survivors of that; all other objects count as live. The VM marks the card
// of each place in an object to which it has stored a reference, before the next safepoint: a byte for
// 1 << HEAP_CARD_SHIFT bytes of memory, found by the lower 32 bits of the address. A range may continue
// HEAP_CARDS_BEHIND cards after the table's end. Stores into an object that has survived fewer than two collections
// need no mark.
enum { HEAP_CARD_SHIFT = 5, HEAP_CARDS_BEHIND = 1 << 15 };
// The table of cards, constant after heap_init; NULL: there are no young collections.
uint8_t *heap_cards(void);

// ---- mark descriptors ----------------------------------------------------------------------

#define HEAP_VTABLE_DESCRIPTOR_OFFSET 8  // offset of the descriptor word in the vtable
#define HEAP_BITMAP_WORDS 62             // an object longer than this needs a length descriptor

// Descriptor from a bitmap: bit i (least significant first) is set if word i holds a reference (never word 0, the
// vtable). Only for objects of at most HEAP_BITMAP_WORDS words, or whose later words hold no references.
static inline uintptr_t heap_descriptor_bitmap(uint64_t word_is_reference) {
    uint64_t reversed = 0;
    for (int i = 0; i < HEAP_BITMAP_WORDS; i++)
        if (word_is_reference >> i & 1) reversed |= UINT64_C(1) << (63 - i);
    return (uintptr_t)(reversed | 1);
}

// Descriptor for "any word may be a reference"; bytes is the instance size, a multiple of 8. Not for Reference classes
// (soft, weak, final, phantom): their referent would be strong.
static inline uintptr_t heap_descriptor_length(size_t bytes) { return (uintptr_t)bytes; }

// The same with word 0 as a reference too, for instances of a class whose vtable is heap memory.
static inline uintptr_t heap_descriptor_with_vtable(uintptr_t descriptor) {
    bool is_length = descriptor && !(descriptor & 1);
    return is_length ? descriptor : descriptor | 1 | (uintptr_t)1 << 63;
}

// ---- allocation ----------------------------------------------------------------------------

enum { HEAP_TYPED, HEAP_REFS, HEAP_PRIMS, HEAP_KINDS };

#define HEAP_GRANULE 16
#define HEAP_SMALL_MAX 1024  // largest size with a list in the cache
#define HEAP_CLASSES (HEAP_SMALL_MAX / HEAP_GRANULE + 1)
// Granules of an object of that size, which is also the number of its list.
#define HEAP_GRANULES(bytes) (((bytes) + HEAP_GRANULE - 1) / HEAP_GRANULE)
#define HEAP_REF_BUFFER 32
#define HEAP_REFILLS_MOST 32

// A mutator's allocation lists, embedded in its thread structure. Zero it, then attach it. Only its owner touches it
// while the world runs, and only the collector while it is stopped. The lists are linked through word 0; entry
// [kind][c] holds objects of c * HEAP_GRANULE bytes, cleared except for that link.
struct HeapCache {
    void *list[HEAP_KINDS][HEAP_CLASSES];
    // Lists that may be non-empty: bit c - 1 is class c's. Set at a refill, cleared with the lists.
    uint64_t touched[HEAP_KINDS];
    // The cache from which an empty list is refilled first (heap_cache_give); or NULL.
    HeapCache *shared;
    uint64_t refilled_bytes;  // all bytes ever put on the lists or allocated directly
    uint32_t colour;          // offset of the next large array in its block
    uint32_t reference_count;
    uintptr_t reference_buffer[HEAP_REF_BUFFER];  // registered since the last flush, kind in low bits
    // Of heap_sample: bytes until the next sample, state of the random numbers (0: none yet), and the lists that will
    // begin with a sample, as in `touched`.
    int64_t sample_left;
    uint64_t sample_random, sampled[HEAP_KINDS];
    // Samples that the last object from the slow path is; the owner resets it.
    uint32_t samples;
    uint8_t refills[HEAP_KINDS][HEAP_CLASSES];  // of each list since the last collection, at most HEAP_REFILLS_MOST
    void *owner;
    HeapCache *prev, *next;
};

// Makes a zeroed cache known to the collector; any thread, any time; briefly takes a lock of the heap. `owner` is
// passed to call_blocked. The cache must not move until it is detached.
void heap_cache_attach(HeapCache *cache, void *owner);

// The thread ends: other threads may take its lists. Caller: the owner, running, or any thread while the world is
// stopped.
void heap_cache_detach(HeapCache *cache);

// Mutators of which only one runs at a time share their lists: the running one sets cache->shared to an attached cache
// that all of them use, and that only the running one touches. Before the next one runs, it hands over its lists with
// this function. Owner, running.
void heap_cache_give(HeapCache *cache);

// Bytes this mutator has allocated, without what is still on its lists; with shared lists the bytes it took from the
// heap itself. Owner only.
uint64_t heap_cache_allocated_bytes(const HeapCache *cache);

// While on, counts what all mutators together allocate, exact to the byte (object sizes padded to HEAP_GRANULE). The
// count is kept when counting is switched off. For a profile that must account for every object: each list that is
// handed out is walked. Both only with the world stopped, or before there are mutators.
void heap_count(bool on);
uint64_t heap_counted_bytes(void);

// Samples of what each mutator allocates, one for `bytes` on average; the distance is random. A list ends before an
// object that is a sample, so that one comes from the slow path, which sets HeapCache.samples; a large object may be
// several. 0: none. As heap_count.
void heap_sample(uint64_t bytes);

// [may collect] Slow path of the functions below; also the entry for compiled code. Returns cleared memory or NULL.
void *heap_alloc_slow(HeapCache *cache, int kind, size_t bytes);

static inline void *heap_alloc(HeapCache *cache, int kind, size_t bytes) {
    size_t c = HEAP_GRANULES(bytes);
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

// [may collect] Like heap_alloc, for memory that the program can do without: if the last collection could not free a
// full heap, returns NULL for a large block instead of collecting again.
void *heap_alloc_unforced(HeapCache *cache, int kind, size_t bytes);

// [may collect] Like heap_alloc, for an object that the program must see as already allocated: exceeds the heap's limit
// if necessary (*beyond, unless NULL), and ends the process if native memory is exhausted too. Never NULL.
void *heap_alloc_beyond(HeapCache *cache, int kind, size_t bytes, bool *beyond);

// [may collect] The next three return zeroed memory, 16-byte aligned, at least 16 bytes, or NULL: out of memory, even
// after a collection and another one that cleared all soft references (also when the heap is so full that collections
// take nearly all the time). The caller stores the vtable into word 0 at once and throws OutOfMemoryError on NULL. Keep
// the first address of the object in a stack slot, register or root: of a large object, only interior pointers into the
// first 4096 bytes keep it alive.

// An object marked by its vtable's descriptor.
static inline void *heap_alloc_object(HeapCache *cache, size_t bytes) { return heap_alloc(cache, HEAP_TYPED, bytes); }

// An object in which any word may be a reference, whatever its vtable's descriptor: arrays of references, and mirrors
// with statics at their end.
static inline void *heap_alloc_refs(HeapCache *cache, size_t bytes) { return heap_alloc(cache, HEAP_REFS, bytes); }

// An object without references: arrays of primitives.
static inline void *heap_alloc_prims(HeapCache *cache, size_t bytes) { return heap_alloc(cache, HEAP_PRIMS, bytes); }

// [may collect] A vtable that is collected when no instance and nothing else refers to it: zeroed memory whose only
// reference is the word at HEAP_VTABLE_HOLDER_OFFSET. NULL: out of memory, as above.
#define HEAP_VTABLE_HOLDER_OFFSET 16
void *heap_alloc_vtable(HeapCache *cache, size_t bytes);

// Zeroed memory outside the Java heap; every word of it is a root for good. For VM structures that hold references. Any
// thread; never collects; NULL: out of memory.
void *heap_alloc_root(size_t bytes);

// ---- collection ----------------------------------------------------------------------------

// None of these may be called on the collector thread (from a callback).
//
// [may collect] Returns when a collection that began after the call has ended. Concurrent requests share one
// collection. `cause` is static text for the report. Caller: a running mutator with its cache; NULL when the caller is
// no mutator.
void heap_collect(HeapCache *cache, const char *cause);

// Requests a collection and does not wait for it. Any thread; briefly takes a lock of the collector. Until the
// collection has ended, further calls do nothing. `cause` is static text.
void heap_collect_soon(const char *cause);

// Collects, then calls fn for every live object with the world still stopped, in unspecified order. fn must not
// allocate. `bytes` is the size the object occupies (rounded up). The collector is conservative, so some of the objects
// may be dead.
void heap_walk(HeapCache *cache, void (*fn)(void *arg, void *object, size_t bytes), void *arg);

// Only inside push_roots.
void heap_push_range(const void *lo, const void *hi);  // words in [lo, hi); interior pointers count
void heap_push_ref(void *const *slot);                 // one slot that holds a reference or NULL

// Only inside clear_weak_tables, before clearing the entry. Not for NULL. Objects outside the heap count as marked.
bool heap_is_marked(const void *object);

// Only inside clear_weak_tables: calls fn for every marked object with its size in bytes, in any order. fn must not
// call the heap.
void heap_each_live(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg);

// Only inside clear_weak_tables. Keeps a vtable from heap_alloc_vtable whose holder is dead until the next collection,
// which first sweeps the instances that died in this one.
void heap_keep_vtable(void *vtable);

// Is `p` the first address of an object that has its vtable, or of a free slot, in the heap? Any thread; for checks
// (debug builds, JNI handles), not for speed.
bool heap_is_object(const void *p);

// Does `p` point into a block of the heap, whether or not at a live object? Any thread.
bool heap_contains(const void *p);

// The collector thread, a pthread_t as a number.
unsigned long heap_collector_thread(void);

// ---- references ----------------------------------------------------------------------------

typedef enum HeapReferenceKind {
    HEAP_SOFT,
    HEAP_WEAK,
    HEAP_FINAL,
    HEAP_PHANTOM,
    HEAP_REFERENCE_KINDS
} HeapReferenceKind;

// Byte offsets of java.lang.ref.Reference's fields (and SoftReference.timestamp), and the storage of the static
// SoftReference.clock (milliseconds; the heap advances it at each collection). The bitmaps of Reference classes omit
// `referent` and nothing else.
typedef struct HeapReferenceLayout {
    size_t referent, next, discovered;
    size_t soft_timestamp;
    int64_t *soft_clock;  // NULL: soft references do not age and are cleared only when memory is short
} HeapReferenceLayout;

// Once, before the first heap_register_reference.
void heap_set_reference_layout(const HeapReferenceLayout *layout);

// Every Reference object must be registered between its allocation and the first point that may collect after its
// referent was stored. Registering right after allocation, when referent is still NULL, is correct and simplest. Once
// per object. Never collects. At a collection, for a Reference that is itself alive:
//   soft    referent not strongly reachable and unused too long (or memory short): cleared, enqueued;
//   weak    referent neither strongly nor softly reachable: cleared, enqueued;
//   final   then, referent not marked: marked with all it reaches, enqueued, not cleared; it stays
//           strong until the referent field is NULL;
//   phantom then, referent not marked: cleared, enqueued.
// A dead Reference is forgotten.
void heap_register_reference(HeapCache *cache, void *reference, HeapReferenceKind kind);

// Takes the list of References that collections enqueued, linked through `discovered` and ended by NULL, or NULL. Only
// for a running mutator, whose stack then keeps the result alive.
void *heap_take_pending_list(void);
bool heap_has_pending_list(void);

// ---- figures -------------------------------------------------------------------------------

typedef struct HeapStats {
    size_t used;       // live at the last collection plus allocated since
    size_t committed;  // Runtime.totalMemory()
    size_t max;        // Runtime.maxMemory()
    size_t free;       // committed - used
    uint64_t collections;
    uint64_t collection_ns;  // sum of all pauses
    uint64_t allocated;      // bytes allocated since start
} HeapStats;

// Any thread; holds locks only briefly.
void heap_stats(HeapStats *stats);

// For threads that read the heap without stopping for collections. Gives the number of collections; false: one is
// running. Objects that were alive then remain valid while heap_epoch_is returns true for that number: memory is reused
// only after the next collection. Any thread, no lock.
bool heap_epoch(uint64_t *epoch);
bool heap_epoch_is(uint64_t epoch);

// Progress of backing the heap with huge pages. The caller sets `whole` to false when a fork may have split pages; the
// rest begins as 0.
typedef struct HeapPages {
    size_t bytes;    // heap size at the last call
    uintptr_t next;  // address at which to resume
    bool whole;      // all pages were visited since
} HeapPages;

// Requests huge pages for a heap of 32 MB and more, if the system has them, so that a fork copies less. Merges small
// pages into huge ones for about `ns`, piece by piece, from where the last call stopped. Any thread that is not a VM
// thread, one at a time. It neither allocates in the heap nor stops threads, but page faults wait for a piece.
void heap_use_huge_pages(HeapPages *pages, int64_t ns);

// Around a fork, while the world is stopped; the collector is then idle. The child starts a new collector thread;
// false: it cannot, and the child must not allocate.
void heap_before_fork(void);
void heap_after_fork_parent(void);
bool heap_after_fork_child(void);

#endif
