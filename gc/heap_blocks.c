// The blocks that free lists are made of.
//
// A block is 4096 bytes of objects of one kind and size. The library hands out one at a time, under its lock. Left to
// itself, it takes blocks back at the next collection. It frees an empty block and joins it with its neighbours, and a
// later refill splits it off again. It puts a block with live objects on a list, and a later refill sweeps it object by
// object. Both cost more than clearing the block. So this file owns the blocks of free lists from the refill that
// brought them until they are empty and no longer needed; the library only marks. It has no list of blocks to sweep for
// their kinds (a kind gets such a list with its first singly allocated small object, and there is none). A mark at the
// second granule keeps an empty block from being freed; no object of two or more granules begins there, and neither the
// marker nor any other code looks at that mark. If objects are one granule long, the mark is at the first granule.
//
// After marking, each block learns which of its objects are live. Blocks with room are put on the list of their kind
// and size in address order. A refill takes some of them from there and clears their free objects, outside the lock.
// The resulting list also ascends in addresses, the order that processors expect of writes.
//
// This ties memory to an object size, but only while that size is being allocated: a block that is empty and was not
// refilled from for some collections returns to the library, together with its neighbours if these are empty too. When
// memory is short, or a thread requested a collection or needs room for one large object, no empty block is kept.
//
// If the library runs out of free blocks during a refill, it allocates a single object, and from then on it has a sweep
// list for the kind. heap.c avoids that by checking for free blocks before it asks, but other threads may take them
// first. The library then sweeps the kind (heap_leave_to_library).
//
// Locks: heap.cache_lock guards everything; it is not needed while the world is stopped.
#include <string.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

enum {
    CYCLES_KEPT = 4,  // cycles an empty block is kept after its last use, as budgets vary a little
};

_Static_assert(HEAP_REGION / HEAP_POPULATED <= 64, "a bit for each");
_Static_assert(HEAP_REGION_BLOCKS % HEAP_CHUNK_BLOCKS == 0, "a region consists of chunks");

// The blocks in HEAP_REGION bytes of address space. Never freed.
typedef struct Region {
    uintptr_t begin;
    HeapBlock *blocks;
    uint64_t populated;  // bit n: memory was requested for the n-th HEAP_POPULATED bytes
} Region;

static struct Pool {
    Region *regions;  // by address
    size_t region_count, region_capacity;
    size_t last;  // region found by the last lookup
    HeapBlock *list[HEAP_KINDS][HEAP_CLASSES];
    size_t count;                       // number of blocks
    size_t used;                        // number of these refilled from since the last collection
    HeapBlock *first_used, *last_used;  // these, in the order of the refills
    uint32_t marking;                   // number of the last one
    bool left[HEAP_KINDS];              // the library sweeps the kind
    bool unknown;                       // it has small objects in other blocks
} pool;

// ---- lookup --------------------------------------------------------------------------------

// Index of the region, or its insertion point.
static size_t find_region(uintptr_t begin) {
    if (pool.last < pool.region_count && pool.regions[pool.last].begin == begin) return pool.last;
    size_t low = 0, high = pool.region_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (pool.regions[middle].begin < begin) low = middle + 1;
        else high = middle;
    }
    return pool.last = low;
}

static HeapBlock *block_in(size_t region, uintptr_t address) {
    return &pool.regions[region].blocks[address % HEAP_REGION / LIBRARY_BLOCK];
}

HeapBlock *heap_find_block(uintptr_t address) {
    uintptr_t begin = address - address % HEAP_REGION;
    size_t i = find_region(begin);
    if (i == pool.region_count || pool.regions[i].begin != begin) return NULL;
    HeapBlock *block = block_in(i, address);
    return block->granules ? block : NULL;
}

void heap_each_region(void (*fn)(void *arg, uintptr_t begin, HeapBlock *blocks), void *arg) {
    for (size_t r = 0; r < pool.region_count; r++) fn(arg, pool.regions[r].begin, pool.regions[r].blocks);
}

// NULL: out of memory.
static HeapBlock *make_block(uintptr_t address) {
    uintptr_t begin = address - address % HEAP_REGION;
    size_t i = find_region(begin);
    if (i < pool.region_count && pool.regions[i].begin == begin) return block_in(i, address);
    if (!GROW(pool.regions, pool.region_capacity, pool.region_count + 1)) return NULL;
    HeapBlock *blocks = calloc(HEAP_REGION_BLOCKS, sizeof *blocks);
    if (!blocks) return NULL;
    memmove(&pool.regions[i + 1], &pool.regions[i], (pool.region_count - i) * sizeof *pool.regions);
    pool.regions[i] = (Region){.begin = begin, .blocks = blocks};
    pool.region_count++;
    HeapRegionSlot *slot = &heap.region[begin / HEAP_REGION % HEAP_REGION_SLOTS];
    if (slot->blocks) heap.regions_collide = true;
    else *slot = (HeapRegionSlot){begin, blocks};
    ASSERT(pool.last == i, "region %zu is looked for at %zu", i, pool.last);
    return block_in(i, address);
}

// ---- refills -------------------------------------------------------------------------------

static void push_front(HeapBlock *block) {
    HeapBlock **list = &pool.list[block->kind][block->granules];
    block->listed = true;
    block->next = *list;
    __atomic_store_n(list, block, __ATOMIC_RELAXED);
}

static void note_used(HeapBlock *block) {
    block->used = true;
    block->listed = false;
    block->next = NULL;
    if (pool.last_used) pool.last_used->next = block;
    else pool.first_used = block;
    pool.last_used = block;
    pool.used++;
}

// Without memory for the entry, the block stays with the library until it is empty.
HeapBlock *heap_add_block(void *address, int kind, size_t granules, bool spare) {
    pthread_mutex_lock(&heap.cache_lock);
    HeapBlock *block = pool.left[kind] ? NULL : make_block((uintptr_t)address);
    if (!block) pool.unknown = true;
    bool first = false;
    if (block) {
        Region *region = &pool.regions[pool.last];
        uint64_t bit = UINT64_C(1) << (uintptr_t)address % HEAP_REGION / HEAP_POPULATED;
        first = !(region->populated & bit);
        region->populated |= bit;
        ASSERT(!block->granules, "block %p has objects of %u granules", address, block->granules);
        *block = (HeapBlock){.address = address, .kind = (uint8_t)kind, .granules = (uint8_t)granules};
        if (!spare) note_used(block);
        pool.count++;
    }
    pthread_mutex_unlock(&heap.cache_lock);
    if (first) heap_populate((uintptr_t)address - (uintptr_t)address % HEAP_POPULATED);
    return block;
}

void heap_leave_spares(HeapBlock *const *blocks, unsigned n) {
    pthread_mutex_lock(&heap.cache_lock);
    while (n-- > 0) push_front(blocks[n]);
    pthread_mutex_unlock(&heap.cache_lock);
}

unsigned heap_take_blocks(int kind, size_t granules, HeapBlock **blocks, unsigned most) {
    unsigned n = 0;
    // Unlocked check; a missed block costs nothing.
    if (!__atomic_load_n(&pool.list[kind][granules], __ATOMIC_RELAXED)) return 0;
    pthread_mutex_lock(&heap.cache_lock);
    HeapBlock **list = &pool.list[kind][granules];
    for (; n < most && *list; n++) {
        blocks[n] = *list;
        ASSERT(!blocks[n]->used && blocks[n]->kind == kind && blocks[n]->granules == granules,
               "block %p on a wrong list", blocks[n]->address);
        __atomic_store_n(list, blocks[n]->next, __ATOMIC_RELAXED);
        if (*list) __builtin_prefetch(*list);
        note_used(blocks[n]);
    }
    pthread_mutex_unlock(&heap.cache_lock);
    return n;
}

typedef long long Line __attribute__((vector_size(HEAP_LINE), aligned(HEAP_GRANULE), may_alias));
typedef long long Granule __attribute__((vector_size(HEAP_GRANULE), may_alias));

// Clears memory with stores of the processor's native width, just before the links are written. memset of a block takes
// twice as long where it uses string instructions, which leave the data in a more distant cache. The barriers keep the
// compiler from turning the loops into memset.
static void clear(char *begin, char *end) {
    for (; end - begin >= HEAP_LINE; begin += HEAP_LINE) {
        *(Line *)begin = (Line){0};
        __asm__ volatile("" : "+r"(begin));
    }
    for (; begin < end; begin += HEAP_GRANULE) {
        *(Granule *)begin = (Granule){0};
        __asm__ volatile("" : "+r"(begin));
    }
}

// Clears the objects between two addresses and appends them to a list; `link` is its last link, not yet set. Returns
// the new last link.
static void **link_objects(char *begin, char *end, size_t size, void **link) {
    clear(begin, end);
    for (; begin < end; begin += size) {
        *link = begin;
        link = (void **)begin;
    }
    return link;
}

void **heap_sweep_block(const HeapBlock *block, void **link) {
    size_t size = block->granules * (size_t)HEAP_GRANULE;
    char *begin = block->address, *end = begin + LIBRARY_BLOCK / size * size;
    if (block->live_count == 0) return link_objects(begin, end, size, link);
    for (char *object = begin; object < end; object += size) {
        size_t granule = (size_t)(object - block->address) / HEAP_GRANULE;
        if (!(block->live[granule / 64] >> granule % 64 & 1)) continue;
        link = link_objects(begin, object, size, link);
        begin = object + size;
    }
    return link_objects(begin, end, size, link);
}

// ---- after marking -------------------------------------------------------------------------

void heap_leave_to_library(int kind) {
    pthread_mutex_lock(&heap.cache_lock);
    pool.left[kind] = pool.unknown = true;
    pthread_mutex_unlock(&heap.cache_lock);
}

bool heap_has_unknown_blocks(void) { return pool.unknown; }

bool heap_note_live(uintptr_t object) {
    HeapBlock *block = heap_block_at(object);
    if (!block) return false;
    if (block->marking != pool.marking) {
        memset(block->live, 0, sizeof block->live);
        block->live_count = 0;
        block->marking = pool.marking;
    }
    size_t granule = object % LIBRARY_BLOCK / HEAP_GRANULE;
    block->live[granule / 64] |= UINT64_C(1) << granule % 64;
    block->live_count++;
    return true;
}

void heap_begin_marking(void) { pool.marking++; }

static bool is_empty(const HeapBlock *block) { return block->marking != pool.marking; }

// Is an idle block to be given back? It waits for its neighbours of the same kind and size, which the library can then
// join, but only for as long again.
static bool is_due(const HeapBlock *block, unsigned cycles) {
    if (!block->granules || !is_empty(block) || block->idle < cycles) return false;
    if (block->idle >= 2 * cycles) return true;
    const HeapBlock *chunk = block - (uintptr_t)block->address / LIBRARY_BLOCK % HEAP_CHUNK_BLOCKS;
    for (const HeapBlock *b = chunk; b < chunk + HEAP_CHUNK_BLOCKS; b++)
        if (b->kind == block->kind && b->granules == block->granules && (!is_empty(b) || b->idle < cycles))
            return false;
    return true;
}

// Is enough free in the block to be worth a sweep? The library uses the same limit.
static bool has_room(const HeapBlock *block) {
    return block->live_count <= LIBRARY_BLOCK / (block->granules * HEAP_GRANULE) * 7 / 8;
}

void heap_list_block(HeapBlock *block) {
    if (!block->used && !block->listed && has_room(block)) push_front(block);
}

// Lists the block, or gives it back to the library.
static void sort_in(HeapBlock *block, bool give_back) {
    if (pool.left[block->kind] || give_back) {
        block->granules = 0;
        pool.count--;
        return;
    }
    if (is_empty(block)) {  // a mark makes it occupied for the library
        GC_set_mark_bit(block->address + (block->granules > 1 ? HEAP_GRANULE : 0));
        block->live_count = 0;
        memset(block->live, 0, sizeof block->live);
    }
    block->listed = false;
    heap_list_block(block);
}

static void sort_region(const Region *region, unsigned cycles) {
    bool due[HEAP_REGION_BLOCKS];
    for (size_t i = 0; i < HEAP_REGION_BLOCKS; i++) {
        HeapBlock *block = &region->blocks[i];
        if (block->used) block->idle = 0;
        else if (block->idle < UINT8_MAX) block->idle++;
        block->used = false;
    }
    for (size_t i = 0; i < HEAP_REGION_BLOCKS; i++) due[i] = is_due(&region->blocks[i], cycles);
    for (size_t i = HEAP_REGION_BLOCKS; i-- > 0;)
        if (region->blocks[i].granules) sort_in(&region->blocks[i], due[i]);
}

void heap_sort_blocks(bool keep_empty) {
    // Memory must be plentiful for an empty block to be kept, because the next cycle may allocate
    // other sizes beside it.
    size_t taken = heap.live + heap.budget;
    unsigned cycles = CYCLES_KEPT;
    if (!keep_empty || taken + pool.used * LIBRARY_BLOCK > heap.max_heap) cycles = 0;
    else if (taken + pool.count * LIBRARY_BLOCK > heap.max_heap) cycles = 1;
    memset(pool.list, 0, sizeof pool.list);
    for (size_t r = pool.region_count; r-- > 0;) sort_region(&pool.regions[r], cycles);
    pool.first_used = pool.last_used = NULL;
    pool.used = 0;
}

void heap_relist_used(void) {
    HeapBlock *first[HEAP_KINDS][HEAP_CLASSES] = {0}, *last[HEAP_KINDS][HEAP_CLASSES] = {0};
    for (HeapBlock *block = pool.first_used, *next; block; block = next) {
        HeapBlock **end = &last[block->kind][block->granules];
        next = block->next;
        block->used = false;
        block->idle = 0;
        if (!has_room(block)) continue;
        block->listed = true;
        if (*end) (*end)->next = block;
        else first[block->kind][block->granules] = block;
        *end = block;
    }
    for (int kind = 0; kind < HEAP_KINDS; kind++)
        for (size_t c = 1; c < HEAP_CLASSES; c++) {
            if (!last[kind][c]) continue;
            last[kind][c]->next = pool.list[kind][c];
            pool.list[kind][c] = first[kind][c];
        }
    pool.first_used = pool.last_used = NULL;
    pool.used = 0;
}

void heap_sweep_blocks(void) {
    for (size_t r = 0; r < pool.region_count; r++)
        for (size_t i = 0; i < HEAP_REGION_BLOCKS; i++) {
            HeapBlock *block = &pool.regions[r].blocks[i];
            if (!block->granules || block->used) continue;
            void *list = NULL;
            *heap_sweep_block(block, &list) = NULL;
            heap_dissolve(list);
        }
}
