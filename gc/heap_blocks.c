// Blocks that keep their size of objects over a collection.
//
// A block is what one refill brings. The library frees each one in which nothing lives, joins it with its neighbours, and
// cuts it off again at the next refill, which looks through the lists of all sizes of free space for it: together that costs
// more than clearing the block, and half of it while the world is stopped. Blocks where something lives are only put on a
// list, of which a refill takes the first. So what the mutators have refilled from since the last collection, and will ask for
// again, has something marked there behind the marking: the second granule, where no object of two granules or more
// begins. Neither the marker nor a sweep looks at that mark, but the block counts as used. Of blocks whose objects are one granule
// long, the first object is lost until the next collection.
//
// Memory is tied to a size of objects by that, but to one that was allocated in the last cycle: a block that nobody
// refilled from in the next cycle is not kept again. Where memory is short, or somebody asked for a collection or
// needs room for one large object, nothing is kept.
#include "base/grow.h"
#include "base/invariant.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

// The least significant bit says that its objects are one granule long.
enum { TINY = 1 };

// Where there is no memory to note them, blocks are not kept.
void heap_flush_blocks(HeapCache *cache) {
    size_t want = heap.refilled.count + cache->block_count;
    if (GROW(heap.refilled.items, heap.refilled.capacity, want))
        for (uint32_t i = 0; i < cache->block_count; i++)
            heap.refilled.items[heap.refilled.count++] = (void *)cache->blocks[i];
    cache->block_count = 0;
}

void heap_note_block(HeapCache *cache, void *list, size_t c) {
    ASSERT(cache->block_count < HEAP_BLOCK_BUFFER, "%u blocks noted", cache->block_count);
    cache->blocks[cache->block_count++] = ((uintptr_t)list & ~(uintptr_t)(LIBRARY_BLOCK - 1)) | (c == 1 ? TINY : 0);
    if (cache->block_count < HEAP_BLOCK_BUFFER) return;
    pthread_mutex_lock(&heap.cache_lock);
    heap_flush_blocks(cache);
    pthread_mutex_unlock(&heap.cache_lock);
}

static void keep(uintptr_t block) {
    if (!(block & TINY)) {
        GC_set_mark_bit((void *)(block + HEAP_GRANULE));
        return;
    }
    void **first = (void **)(block & ~(uintptr_t)TINY);
    if (GC_is_marked(first)) return;
    *first = NULL;  // of a dead object, whose vtable may be gone before this memory is used again
    GC_set_mark_bit(first);
}

void heap_keep_blocks(bool wanted) {
    for (size_t i = 0; wanted && i < heap.refilled.count; i++) keep((uintptr_t)heap.refilled.items[i]);
    heap.refilled.count = 0;
}
