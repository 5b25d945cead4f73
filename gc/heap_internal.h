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
#define HEAP_POPULATED (16 * LIBRARY_BLOCK) // bytes that get memory at once
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
    int kind[HEAP_KINDS];       // the library's kind for each of ours: of objects on free lists,
    int single_kind[HEAP_KINDS]; // and of those that are allocated alone
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

    pthread_mutex_t cache_lock;     // caches, orphans, the blocks of heap_blocks.c
    HeapCache *caches;
    void *orphan[HEAP_KINDS][HEAP_CLASSES][HEAP_ORPHANS];
    uint8_t orphan_count[HEAP_KINDS][HEAP_CLASSES];
    _Atomic size_t reused;          // bytes since the last collection that the library does not know of (heap_blocks.c)
    _Atomic uint64_t reused_before; // until the last collection
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
// Overwrites the links of a list and returns how many objects it had.
size_t heap_dissolve(void *list);
// heap_blocks.c. A block of one kind and size of objects that free lists are made of.
typedef struct HeapBlock {
    uint64_t live[LIBRARY_BLOCK / HEAP_GRANULE / 64];  // behind marking: bit n is that of the object that begins at granule n
    char *address;
    struct HeapBlock *next;  // with room, of the same kind and size
    uint32_t marking;        // in which something was found alive
    uint16_t live_count;
    uint8_t kind;
    uint8_t granules;        // of an object; 0: no block of free lists
    bool used;               // refilled from since the last collection
    uint8_t idle;            // collections since it was, behind one
} HeapBlock;

// The library has made a block for objects of that kind and size, which are on a list now.
void heap_add_block(void *address, int kind, size_t granules);
// Takes blocks in which objects of that kind and size are free: how many, at most as asked. The caller sweeps them before it
// reaches a safepoint.
unsigned heap_take_blocks(int kind, size_t granules, HeapBlock **blocks, unsigned most);
// Clears what is free in a block and puts it on a list of which `link` is the last link, in the order of addresses. The new last link,
// which the caller sets.
void **heap_sweep_block(const HeapBlock *block, void **link);
size_t heap_free_bytes_in(const HeapBlock *block);
// From the next collection on, the library sweeps the blocks of this kind.
void heap_leave_to_library(int kind);
// Collector thread, world stopped, in this order: heap_sweep_blocks, if all that is dead has to be cleared before marking;
// behind marking, heap_begin_marking, heap_note_live for each object that lives, and heap_sort_blocks. With that, empty blocks stay
// of the same size of objects if they were refilled from in the last so many cycles.
void heap_sweep_blocks(void);
void heap_begin_marking(void);
void heap_note_live(uintptr_t object);
void heap_sort_blocks(unsigned cycles);
size_t heap_all_blocks(void);
size_t heap_used_blocks(void);  // those that were refilled from since the last collection
// What the library knows an object by: its first address, or for a large array that of its block.
void *heap_base(const void *object);
// The object in what the library knows, `bytes` long. The same where there is none.
void *heap_begin(void *base, size_t bytes);

// heap_pages.c. Has the system back HEAP_POPULATED bytes of the heap with memory, as far as they are heap.
void heap_populate(uintptr_t begin);

// Which of ours a kind of the library's is: HEAP_KINDS if none.
int heap_kind_of(int library_kind);

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

// Bytes allocated since the last collection.
size_t heap_bytes_since(void);

// Whether the caller is the collector's own thread, on which all collections run.
static inline bool heap_on_collector_thread(void) { return pthread_equal(pthread_self(), heap.collector); }

#endif
