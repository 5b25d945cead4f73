// Shared by the files of gc/ only.
//
// There is one heap per process, because the collector library is one per process: `heap` is the exception to the rule
// that file-scope variables are constant. Fields without a comment are written in heap_init and constant afterwards.
#ifndef CABERNET_GC_HEAP_INTERNAL_H
#define CABERNET_GC_HEAP_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gc/heap.h"

#define HEAP_ORPHANS 8                            // lists of ended threads that are kept for each kind and class
#define HEAP_LINE 64                              // bytes of a cache line
#define LIBRARY_BLOCK 4096                        // bytes of a block; a refill takes whole blocks
#define HEAP_POPULATED (16 * LIBRARY_BLOCK)       // bytes that are populated together
#define LIBRARY_SMALL_MAX (LIBRARY_BLOCK / 2)     // larger objects have separate blocks
#define HEAP_COLOURS (LIBRARY_BLOCK / HEAP_LINE)  // possible offsets of a large array in its first block

// A growing array of object addresses in malloc memory, deliberately invisible to the marker.
typedef struct HeapVector {
    void **items;
    size_t count, capacity;
} HeapVector;

typedef struct Heap {
    HeapCallbacks callbacks;
    void *ctx;
    int kind[HEAP_KINDS];         // the library's kind for each of ours: for objects on free lists,
    int single_kind[HEAP_KINDS];  // and for singly allocated objects
    int vtable_kind;              // the library's kind for heap_alloc_vtable
    size_t max_heap;
    size_t memory;  // available to the process; 0: unknown
    size_t initial_heap;
    int processors;  // as in HeapConfig
    size_t min_budget;
    uint32_t soft_ms_per_mb;
    pthread_t collector;
    bool soft_clock_known;
    HeapReferenceLayout layout;

    _Atomic bool enabled;
    _Atomic uint32_t stress;
    _Atomic uint64_t stress_count;
    _Atomic size_t budget;         // bytes between collections; written by the collector
    _Atomic size_t live;           // bytes marked by the last collection; written by the collector
    _Atomic uint64_t begun;        // collections started; written by the collector, the world stopped
    _Atomic uint64_t collections;  // finished; written by the collector under request_lock
    _Atomic uint64_t soft_clears;  // collections that cleared all soft references; written like `collections`
    _Atomic uint64_t collection_ns;
    _Atomic unsigned futile;  // consecutive collections that freed almost nothing

    pthread_mutex_t cache_lock;  // caches, orphans, the blocks of heap_blocks.c
    HeapCache *caches;
    void *orphan[HEAP_KINDS][HEAP_CLASSES][HEAP_ORPHANS];
    uint8_t orphan_count[HEAP_KINDS][HEAP_CLASSES];
    _Atomic size_t reused;           // bytes since the last collection, unknown to the library (heap_blocks.c)
    _Atomic uint64_t reused_before;  // the same, up to the last collection
    bool counting;                   // heap_count; changes while the world is stopped
    _Atomic uint64_t counted;        // bytes on lists when counting began, plus bytes handed out since

    pthread_mutex_t reference_lock;  // registered; not needed while the world is stopped
    HeapVector registered[HEAP_REFERENCE_KINDS];
    HeapVector enqueued_finals;  // collector only
    void *_Atomic pending;       // list through `discovered`

    // Collector thread only, valid during a collection.
    HeapReport report;
    bool clear_all_soft;
    bool sweep_first;  // a vtable was kept: the next collection sweeps before marking
} Heap;

extern Heap heap;

// Out of native memory: prints the message and ends the process, as HotSpot does.
_Noreturn void heap_fatal(const char *message);
void heap_vector_push(HeapVector *vector, void *item);

// heap.c. World stopped: empties all lists and reference buffers.
void heap_reset_caches(void);
void heap_flush_references(HeapCache *cache);
// Overwrites the links of a list and returns the number of its objects.
size_t heap_dissolve(void *list);
// heap_blocks.c. A block of objects of one kind and size, for free lists.
typedef struct HeapBlock {
    uint64_t live[LIBRARY_BLOCK / HEAP_GRANULE / 64];  // after marking: bit n: a live object begins at granule n
    char *address;
    struct HeapBlock *next;  // next block with room, of the same kind and size
    uint32_t marking;        // last marking that found a live object
    uint16_t live_count;
    uint8_t kind;
    uint8_t granules;  // of an object; 0: not a block of free lists
    bool used;         // refilled from since the last collection
    uint8_t idle;      // collections since its last refill
} HeapBlock;

// Registers a new block of the library for this kind and size, whose objects are now on a list.
void heap_add_block(void *address, int kind, size_t granules);
// Takes up to `most` blocks with free objects of this kind and size and returns their number. The caller sweeps them
// before it reaches a safepoint.
unsigned heap_take_blocks(int kind, size_t granules, HeapBlock **blocks, unsigned most);
// Clears the free objects of a block and appends them in address order to a list; `link` is its last link. Returns the
// new last link, which the caller sets.
void **heap_sweep_block(const HeapBlock *block, void **link);
// The library sweeps the blocks of this kind from the next collection on.
void heap_leave_to_library(int kind);
// Collector thread, world stopped, in this order: heap_sweep_blocks, if all dead objects must be cleared before
// marking; after marking heap_begin_marking, heap_note_live for each live object, and heap_sort_blocks, which may keep
// empty blocks that were refilled from lately.
void heap_sweep_blocks(void);
void heap_begin_marking(void);
void heap_note_live(uintptr_t object);
void heap_sort_blocks(bool keep_empty);
// The library's address for an object: its first address, or for a large array that of its block.
void *heap_base(const void *object);
// The object in the library's allocation of `bytes` bytes at `base`; `base` if there is none.
void *heap_begin(void *base, size_t bytes);

// heap_pages.c. Has the system populate HEAP_POPULATED bytes at `begin`, as far as they belong to the heap.
void heap_populate(uintptr_t begin);

// Our kind for a kind of the library; HEAP_KINDS: none.
int heap_kind_of(int library_kind);

// Is an address in the heap that of a vtable?
bool heap_is_vtable(const void *p);

// heap_collect.c.
bool heap_collector_start(const char **error);
// Releases the reserved address space for other uses; the heap no longer grows. False: there is no reserve.
bool heap_release_reserve(void);
// Memory that a collection frees besides dead objects: none; empty blocks that would be kept (heap_blocks.c); these and
// softly reachable objects.
typedef enum HeapEffort { HEAP_USUAL, HEAP_FREE_BLOCKS, HEAP_CLEAR_SOFT } HeapEffort;
// Collects unless a collection has finished since `seen` was read from heap.collections (or, with
// HEAP_CLEAR_SOFT, from heap.soft_clears).
void heap_collect_unless(HeapCache *cache, const char *cause, uint64_t seen, HeapEffort effort);

// heap_references.c. Collector thread, world stopped, in this order.
void heap_references_before_mark(void);
void heap_references_push(void);
void heap_references_after_mark(void);  // under the library's lock, after marking

// Bytes allocated since the last collection.
size_t heap_bytes_since(void);

// Is the caller the collector thread, which runs all collections?
static inline bool heap_on_collector_thread(void) { return pthread_equal(pthread_self(), heap.collector); }

#endif
