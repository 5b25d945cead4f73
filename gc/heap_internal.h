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
#define HEAP_CHUNK_BLOCKS 64                      // neighbouring blocks taken for one size, and given back together
#define LIBRARY_SMALL_MAX (LIBRARY_BLOCK / 2)     // larger objects have separate blocks
#define HEAP_COLOURS (LIBRARY_BLOCK / HEAP_LINE)  // possible offsets of a large array in its first block

// The blocks in a piece of address space, for heap_block_at.
#define HEAP_REGION_BLOCKS 256
#define HEAP_REGION (HEAP_REGION_BLOCKS * LIBRARY_BLOCK)
#define HEAP_REGION_SLOTS 4096
typedef struct HeapRegionSlot {
    uintptr_t begin;
    struct HeapBlock *blocks;
} HeapRegionSlot;

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
    bool full_only;         // no young collections
    bool verify;            // as in HeapConfig
    uint32_t young_stress;  // as in HeapConfig
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
    _Atomic size_t library_before;   // what the library counts, up to the last collection
    HeapRegionSlot region[HEAP_REGION_SLOTS];  // by address; written under cache_lock
    bool regions_collide;                      // some region is not in `region`
    uint64_t sample_every;                     // heap_sample; 0: none; changes while the world is stopped
    _Atomic uint64_t sample_seed;              // of the next cache
    bool counting;                             // heap_count; changes while the world is stopped
    _Atomic uint64_t counted;                  // bytes on lists when counting began, plus bytes handed out since

    pthread_mutex_t reference_lock;  // registered; not needed while the world is stopped
    HeapVector registered[HEAP_REFERENCE_KINDS];
    HeapVector enqueued_finals;  // collector only
    void *_Atomic pending;       // list through `discovered`

    // Collector thread only, valid during a collection.
    HeapReport report;
    bool young;  // it is a young collection
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
    char *address;
    struct HeapBlock *next;  // next block with room, of the same kind and size; or, of a used block, the next used one
    uint32_t marking;        // last full marking that found a live object
    uint16_t live_count;
    uint8_t kind;
    uint8_t granules;                                    // of an object; 0: not a block of free lists
    bool used;                                           // refilled from since the last collection
    bool listed;                                         // on a list of those with room
    uint8_t idle;                                        // collections since its last refill
    bool has_aged;                                       // a bit of `aged` is set
    uint64_t live[LIBRARY_BLOCK / HEAP_GRANULE / 64];    // after marking: bit n: a live object begins at granule n
    uint64_t aged[LIBRARY_BLOCK / HEAP_GRANULE / 64];    // of these, those that have survived one collection
    uint64_t before[LIBRARY_BLOCK / HEAP_GRANULE / 64];  // in a young collection: those that were aged
    const HeapCache *cache;  // with HeapConfig.verify: the last one that was refilled from it
} HeapBlock;

// The block that an address lies in; NULL: none of free lists. Collector thread, or under cache_lock.
HeapBlock *heap_find_block(uintptr_t address);
static inline HeapBlock *heap_block_at(uintptr_t address) {
    const HeapRegionSlot *slot = &heap.region[address / HEAP_REGION % HEAP_REGION_SLOTS];
    if (slot->begin != address / HEAP_REGION * HEAP_REGION)
        return heap.regions_collide ? heap_find_block(address) : NULL;
    HeapBlock *block = &slot->blocks[address % HEAP_REGION / LIBRARY_BLOCK];
    return block->granules ? block : NULL;
}
// Calls fn for each region that has or had blocks of free lists, HEAP_REGION bytes from `begin` on. World stopped.
void heap_each_region(void (*fn)(void *arg, uintptr_t begin, HeapBlock *blocks), void *arg);

// Registers a new block of the library for this kind and size. Its objects are now on a list; those of a spare block
// are free, and heap_leave_spares follows. NULL: the block stays with the library.
HeapBlock *heap_add_block(void *address, int kind, size_t granules, bool spare);
// Lists spare blocks, which are in address order, as the next ones for refills. Caller: the thread that has added them,
// before it reaches a safepoint.
void heap_leave_spares(HeapBlock *const *blocks, unsigned n);
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
bool heap_note_live(uintptr_t object);  // false: it is in no block
void heap_sort_blocks(bool keep_empty);
// After a young collection, which keeps all blocks, instead: lists those that were refilled from and have room as the
// next ones for refills; heap_list_block does so for a block in which older objects have died.
void heap_relist_used(void);
void heap_list_block(HeapBlock *block);
// Does the library have blocks of small objects that heap_blocks.c does not know of?
bool heap_has_unknown_blocks(void);
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

// heap_young.c. All but heap_young_add_*: collector thread, world stopped.
typedef struct HeapYoungFigures {
    size_t before;  // bytes that were aged before the collection
    size_t aged, promoted, remembered;
} HeapYoungFigures;
void heap_young_init(void);
void heap_mark_card(const void *place);
// Registers a separately allocated object; of a vtable the kind is HEAP_KINDS. Any thread.
void heap_young_add_single(void *object, size_t bytes, int kind);
void heap_young_add_root(const void *begin, size_t bytes);
// In a full collection: forgets all objects, which it makes old, and registers a separate one that is live.
void heap_young_forget(void);
void heap_young_add_old(void *object, size_t bytes, int kind);
// The collection. Between begin and end, with the roots pushed: heap_is_marked and heap_references_after_mark.
void heap_young_begin(void);
void heap_young_push_range(const void *lo, const void *hi);
void heap_young_push_roots(void);  // those of heap_young_add_root
void heap_young_trace(const void *object);
bool heap_young_is_marked(const void *object);
// For reports of the check: the age of an object at the beginning of the collection, and what its block was.
const char *heap_young_age(const void *object);
void heap_young_each_live(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg);
const HeapYoungFigures *heap_young_end(void);
// For heap_verify.c: the object that an address points into, if that is in a block or was young; *live: it was reached
// or is old. NULL: there is none, or only the library knows.
void *heap_young_find(uintptr_t address, bool *live);

// heap_verify.c. Collector thread, before heap_young_end: ends the process if an object that can be reached was missed.
void heap_verify_young(void);
// Is heap_verify_young running, which pushes the roots? Then it gets them.
bool heap_verify_push_range(const void *lo, const void *hi);

// heap_collect.c. Pushes all roots.
void heap_push_roots(void);

// heap_references.c. Collector thread, world stopped, in this order.
void heap_references_before_mark(void);
void heap_references_push(void);
void heap_references_after_mark(void);  // under the library's lock, after marking

// Bytes allocated since the last collection.
size_t heap_bytes_since(void);

// Is the caller the collector thread, which runs all collections?
static inline bool heap_on_collector_thread(void) { return pthread_equal(pthread_self(), heap.collector); }

#endif
