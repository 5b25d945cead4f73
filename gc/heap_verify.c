// Checks a young collection (HeapConfig.verify): marks from the roots through all objects, old ones too, and reports an
// object that can be reached but was missed. The store of the reference to it into an old object has not marked the
// card (gc/heap.h). Slow: a hash table holds the visited objects.
//
// References in free memory and in dead objects do not count: the marking begins at the same roots and follows the same
// descriptors as the collection. Collector thread, world stopped.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

static struct Verification {
    bool running;
    HashTable visited;  // objects
    void **stack;
    size_t stack_count, stack_capacity;
} verification;

// ---- the report ----------------------------------------------------------------------------

static void describe(const void *object, const void *owner, char *text, size_t size) {
    snprintf(text, size, "%s", "?");
    if (heap.callbacks.describe) heap.callbacks.describe(heap.ctx, object, owner, text, size);
}

// The mutator that allocated the object, as far as known.
static void describe_thread(const void *object, char *text, size_t size) {
    const HeapBlock *block = heap_block_at((uintptr_t)object);
    snprintf(text, size, "%s", "an unknown thread");
    for (const HeapCache *c = heap.caches; block && c; c = c->next)
        if (c == block->cache) describe(NULL, c->owner, text, size);
}

// `holder` NULL: `slot` is a root.
_Noreturn static void report(const void *missed, const void *holder, int kind, const void *slot) {
    char object[256], thread[256], from[256] = "", where[512], line[1400];
    size_t offset = holder ? (size_t)((const char *)slot - (const char *)holder) : 0;
    describe(missed, NULL, object, sizeof object);
    describe_thread(missed, thread, sizeof thread);
    if (holder) describe(holder, NULL, from, sizeof from);
    if (!holder) snprintf(where, sizeof where, "the root at %p", slot);
    else
        snprintf(where, sizeof where, "the %s at offset %zu of %p, %s", kind == HEAP_REFS ? "element" : "field", offset,
                 holder, from);
    snprintf(line, sizeof line,
             "young collection %" PRIu64 " has missed %p, %s (%s), allocated by %s: a store to %s (%s) had no barrier",
             heap.report.number, missed, object, heap_young_age(missed), thread, where,
             holder ? heap_young_age(holder) : "root");
    heap_fatal(line);
}

// ---- marking -------------------------------------------------------------------------------

// The old single that the address is in. A word of a stack may point into the memory of a young one, but before the
// object's beginning, after its end or far from its header. For a young collection that is no reference.
static void *find_old_single(uintptr_t address) {
    bool live;
    size_t size;
    void *base = heap_contains((const void *)address) && !heap_block_at(address) ? GC_base((void *)address) : NULL;
    if (!base) return NULL;
    GC_get_kind_and_size(base, &size);
    return heap_young_find((uintptr_t)heap_begin(base, size), &live) ? NULL : base;
}

static void visit(const uintptr_t *slot, const void *holder, int kind) {
    bool live = true;
    void *object = heap_contains((const void *)*slot) ? heap_young_find(*slot, &live) : NULL;
    if (object && !live) report(object, holder, kind, slot);
    if (!object && !(object = find_old_single(*slot))) return;
    uint32_t hash = hash_pointer(object);
    if (hash_find(&verification.visited, &hash_by_address, NULL, hash, object)) return;
    if (!hash_add(&verification.visited, &hash_by_address, NULL, hash, (uintptr_t)object) ||
        !GROW(verification.stack, verification.stack_capacity, verification.stack_count + 1))
        heap_fatal("no memory for verifying collections");
    verification.stack[verification.stack_count++] = object;
}

static void visit_children(void *object) {
    void *base = GC_base(object);
    size_t size, offset;
    if (!base) return;
    int library_kind = GC_get_kind_and_size(base, &size), kind = heap_kind_of(library_kind);
    uintptr_t *words = heap_begin(base, size);
    offset = (size_t)((char *)words - (char *)base);
    uintptr_t *vtable = (uintptr_t *)words[0];
    if (library_kind == heap.vtable_kind) {
        visit(&words[HEAP_VTABLE_HOLDER_OFFSET / sizeof *words], words, HEAP_TYPED);
    } else if (kind == HEAP_REFS) {
        for (size_t i = 0; i < (size - offset) / sizeof *words; i++) visit(&words[i], words, kind);
    } else if (kind == HEAP_TYPED && vtable) {
        uintptr_t descriptor = vtable[HEAP_VTABLE_DESCRIPTOR_OFFSET / sizeof(uintptr_t)];
        size_t count = (descriptor & 1 ? size : descriptor < size ? descriptor : size) / sizeof *words;
        for (size_t i = 0; i < count && i < (descriptor & 1 ? HEAP_BITMAP_WORDS : count); i++)
            if (!(descriptor & 1) || descriptor >> (63 - i) & 1) visit(&words[i], words, kind);
    }
}

static void drain(void) {
    while (verification.stack_count) visit_children(verification.stack[--verification.stack_count]);
}

bool heap_verify_push_range(const void *lo, const void *hi) {
    if (!verification.running) return false;
    for (const uintptr_t *slot = lo; slot < (const uintptr_t *)hi; slot++) visit(slot, NULL, HEAP_TYPED);
    drain();
    return true;
}

void heap_verify_young(void) {
    if (!hash_begin(&verification.visited, verification.visited.used))
        heap_fatal("no memory for verifying collections");
    verification.running = true;
    heap_push_roots();
    verification.running = false;
}
