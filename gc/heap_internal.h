// Shared by gc/'s own files only.
//
// One heap per process, because the collector library is one per process: `heap` is the exception to
// the rule that file-scope variables are constant. Fields without a remark are written in heap_init
// and constant afterwards.
#ifndef GC_HEAP_INTERNAL_H
#define GC_HEAP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gc/heap.h"

#define HEAP_ORPHANS 8 // lists of ended threads kept per kind and class
#define HEAP_LINE 64   // bytes of a cache line
#define LIBRARY_BLOCK 4096 // bytes from which one refill comes
#define LIBRARY_SMALL_MAX (LIBRARY_BLOCK / 2) // what is larger has blocks of its own
#define HEAP_COLOURS (LIBRARY_BLOCK / HEAP_LINE) // places at which a large array may begin in its first block

// A growing array of object addresses in malloc memory. Invisible to the marker, on purpose.
typedef struct HeapVector {
    void **items;
    size_t count, capacity;
} HeapVector;

typedef struct Heap {
    HeapCallbacks callbacks;
    void *ctx;
    int kind[HEAP_KINDS];       // the library's kind for each of ours
    int vtable_kind;            // the library's kind for heap_alloc_vtable
    size_t max_heap;
    size_t memory;              // there is for the process; 0: not known
    size_t initial_heap;
    int processors;             // as in HeapConfig
    size_t min_budget;
    uint32_t soft_ms_per_mb;
    pthread_t collector;
    bool soft_clock_known;
    HeapReferenceLayout layout;

    _Atomic bool enabled;
    _Atomic uint32_t stress;
    _Atomic uint64_t stress_count;
    _Atomic size_t budget;          // bytes between collections; written by the collector
    _Atomic size_t live;            // bytes marked by the last collection; written by the collector
    _Atomic uint64_t begun;         // collections that have begun; written by the collector, the world stopped
    _Atomic uint64_t collections;   // finished; written by the collector under request_lock
    _Atomic uint64_t soft_clears;   // of which cleared all soft references; the same
    _Atomic uint64_t collection_ns;
    _Atomic unsigned futile;        // consecutive collections that made almost no room

    pthread_mutex_t cache_lock;     // caches, orphans, refilled
    HeapCache *caches;
    void *orphan[HEAP_KINDS][HEAP_CLASSES][HEAP_ORPHANS];
    uint8_t orphan_count[HEAP_KINDS][HEAP_CLASSES];
    HeapVector refilled;            // blocks since the last collection (heap_blocks.c)
    bool counting;                  // heap_count; changes while the world is stopped
    _Atomic uint64_t counted;       // what was on lists when counting began, and was handed out since

    pthread_mutex_t reference_lock; // registered; not needed while the world is stopped
    HeapVector registered[HEAP_REFERENCE_KINDS];
    HeapVector enqueued_finals;     // collector only
    void *_Atomic pending;          // list through `discovered`

    // Collector thread only, meaningful during a collection.
    HeapReport report;
    bool clear_all_soft;
    bool sweep_first;               // a vtable was kept: the next collection sweeps before it marks
} Heap;

extern Heap heap;

// For want of native memory: prints the message and ends the process, as HotSpot does.
_Noreturn void heap_fatal(const char *message);
void heap_vector_push(HeapVector *vector, void *item);

// heap.c. World stopped: empties all lists and reference buffers.
void heap_reset_caches(void);
void heap_flush_references(HeapCache *cache);
// heap_blocks.c. Notes the block that a list from the library is in, of objects of c granules; the cache's owner, running.
void heap_note_block(HeapCache *cache, void *list, size_t c);
// With cache_lock, or the world stopped: hands in what the cache has noted.
void heap_flush_blocks(HeapCache *cache);
// Collector thread, under the library's lock, marking over: has the blocks noted since the last collection keep their size of
// objects, if it is wanted, and forgets them.
void heap_keep_blocks(bool wanted);
// What the library knows an object by: its first address, or for a large array that of its block.
void *heap_base(const void *object);
// The object in what the library knows, `bytes` long. The same where there is none.
void *heap_begin(void *base, size_t bytes);

// Whether an address in the heap is that of a vtable.
bool heap_is_vtable(const void *p);

// heap_collect.c.
bool heap_collector_start(const char **error);
// Gives the address space that is kept back to whoever asks next; the heap grows no more. False: none is kept.
bool heap_release_reserve(void);
// What a collection is to free, besides dead objects: nothing; the blocks that would be kept (heap_blocks.c), too; and what
// soft references keep, too.
typedef enum HeapEffort { HEAP_USUAL, HEAP_FREE_BLOCKS, HEAP_CLEAR_SOFT } HeapEffort;
// Collects unless a collection has finished since `seen` was read from heap.collections (or, with
// HEAP_CLEAR_SOFT, from heap.soft_clears).
void heap_collect_unless(HeapCache *cache, const char *cause, uint64_t seen, HeapEffort effort);

// heap_references.c. Collector thread, world stopped, in this order.
void heap_references_before_mark(void);
void heap_references_push(void);
void heap_references_after_mark(void);  // under the library's lock, marking over
void heap_references_finish(void);      // back outside

// Whether the caller is the collector's own thread, on which all collections run.
static inline bool heap_on_collector_thread(void) { return pthread_equal(pthread_self(), heap.collector); }

#endif
