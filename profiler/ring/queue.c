#include "profiler/ring/queue.h"

#include <sys/mman.h>

#include "base/invariant.h"

enum { PAGE = 4096 };

// Maps `bytes`, aligned to `align`, with a page before and one after. *memory and *size: for munmap. NULL: failed.
static uint64_t *map_aligned(size_t bytes, size_t align, void **memory, size_t *size) {
    *size = bytes + align + 2 * PAGE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    *memory = mmap(NULL, *size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (*memory == MAP_FAILED) return NULL;
    return (uint64_t *)(((uintptr_t)*memory + PAGE + align - 1) & ~(uintptr_t)(align - 1));
}
_Static_assert(CAB_LONGEST * sizeof(uint64_t) <= PAGE, "an event may pass the end of a ring");

bool queue_init(Queue *q, RingKind kind, size_t words, size_t chunk, uint64_t **next) {
    size_t align = sizeof(uint64_t) * (kind == RING_NWAY ? chunk : words);
    *q = (Queue){.kind = kind, .next = next};
    if (kind == RING_CAB || kind == RING_FASTFORWARD) return cab_init(&q->cab, words, chunk, next);
    if (kind == RING_WORD) {
        *next = &q->word;
        return true;
    }
    ASSERT((align & (align - 1)) == 0 && words % chunk == 0, "%zu words in chunks of %zu", words, chunk);
    uint64_t *slots = map_aligned(words * sizeof(uint64_t), align, &q->memory, &q->bytes);
    if (!slots) q->memory = NULL;
    else if (kind == RING_NWAY) nway_init(&q->nway, slots, chunk, words / chunk, next);
    else lamport_init(&q->lamport, slots, words, next);
    return slots != NULL;
}

void queue_free(Queue *q) {
    if (q->memory) munmap(q->memory, q->bytes);
    else if (q->kind == RING_CAB || q->kind == RING_FASTFORWARD) cab_free(&q->cab);
    *q = (Queue){.kind = RING_WORD};
}

// Two buffers, because events continue in the second one until the test finds its end; or an empty ring.
uint64_t *queue_nowhere(RingForm form) {
    void *memory;
    size_t size;
    uint64_t *next, *slots = map_aligned(2 * form.bytes, form.bytes, &memory, &size);
    if (!slots || form.kind == RING_NWAY) return slots ? slots + 1 : NULL;
    lamport_init(&(Lamport){.start = NULL}, slots, form.bytes / sizeof(uint64_t), &next);
    return slots;
}

CabRoom queue_room(Queue *q, size_t need) {
    switch (q->kind) {
        case RING_CAB: return cab_room(&q->cab, need, CAB_AHEAD);
        case RING_FASTFORWARD: return cab_room(&q->cab, need, need);
        case RING_NWAY: return nway_room(&q->nway, need);
        case RING_LAMPORT: {
            size_t slots = lamport_free_slots(&q->lamport);
            return slots >= CAB_AHEAD ? CAB_ROOMY : slots >= need ? CAB_SHORT : CAB_FULL;
        }
        case RING_WORD: break;
    }
    return CAB_ROOMY;
}

bool queue_is_backed_off(const Queue *q) {
    switch (q->kind) {
        case RING_NWAY: return nway_is_backed_off(&q->nway);
        case RING_LAMPORT: return lamport_free_slots(&q->lamport) >= q->lamport.words / 2;
        case RING_WORD: return true;
        default: return cab_is_backed_off(&q->cab);
    }
}

void queue_restart(Queue *q) {
    switch (q->kind) {
        case RING_NWAY: nway_switch(&q->nway, false); return;
        case RING_LAMPORT: lamport_store(&q->lamport, RING_LAMPORT_READ, *q->next); return;
        case RING_WORD: return;
        default: cab_wrap(&q->cab);
    }
}
