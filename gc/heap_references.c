// Processing of java.lang.ref.Reference objects in a collection.
//
// The marker does not see `referent` (the VM omits it from the bitmaps), so a referent that is unmarked after marking
// is reachable only through References. `registered` has every Reference of each kind that may still have a referent.
// Nothing else keeps track of them. An entry is removed when its Reference is dead or was cleared here.
//
// Everything runs on the collector thread with the world stopped; heap_references_after_mark runs under the library's
// lock, when its mark stack is empty but before anything is swept. Marking from a resurrected object is done here
// (trace) by the same descriptors as in the library: bitmap or length through the vtable, whole length for HEAP_REFS,
// nothing for HEAP_PRIMS. Malloc is allowed: stopped mutators are at safepoints, not inside it.
//
// Soft references are kept or cleared by age as in HotSpot: one survives while
//   clock - timestamp <= free megabytes * soft_ms_per_mb,
// where `clock` is the time of the last collection and `timestamp` its value at the last get(). When all survive, which
// is usual, the referent bit is added to the descriptors of their classes during this collection, and the marker does
// the work.
#include "base/grow.h"
#include "gc/heap_internal.h"
#include "gc/heap_library.h"

#include <stdlib.h>

#include "base/invariant.h"

#define MB ((size_t)1 << 20)

typedef struct Patched {
    uintptr_t *descriptor;
    uintptr_t original;
} Patched;

static struct ReferenceMarking {
    // Collector thread only.
    HeapVector mark_stack;
    Patched *patched;
    size_t patched_count, patched_capacity;
    bool soft_marked;  // by the marker, in this collection
    int64_t soft_limit_ms;
} marking;

// ---- fields --------------------------------------------------------------------------------

static void **field(void *reference, size_t offset) { return (void **)((char *)reference + offset); }

static void *referent_of(void *reference) { return *field(reference, heap.layout.referent); }

bool heap_contains(const void *p) {
    return p >= GC_least_plausible_heap_addr && p <= GC_greatest_plausible_heap_addr && GC_is_heap_ptr(p);
}

bool heap_is_marked(const void *object) {
    if (heap.young) return heap_young_is_marked(object);
    return !heap_contains(object) || GC_is_marked(heap_base(object));
}

// The vtable's holder is dead: nothing is marked from it.
void heap_keep_vtable(void *vtable) {
    ASSERT(heap_is_vtable(vtable), "%p is kept", vtable);
    GC_set_mark_bit(vtable);
    *field(vtable, HEAP_VTABLE_HOLDER_OFFSET) = NULL;
    heap.sweep_first = true;
}

// ---- further marking -----------------------------------------------------------------------

static void mark(void *object) {
    if (heap_is_marked(object)) return;
    void *base = heap_base(object);
    GC_set_mark_bit(base);
    heap_vector_push(&marking.mark_stack, base);
}

static void mark_words(void **words, size_t n) {
    for (size_t i = 0; i < n; i++) {
        void *p = words[i];
        if (p && heap_contains(p) && heap_is_object(p)) mark(p);
    }
}

static void mark_children(void *object) {
    size_t size;
    int kind = GC_get_kind_and_size(object, &size), ours = heap_kind_of(kind);
    if (ours == HEAP_REFS) {
        mark_words(object, size / sizeof(void *));
    } else if (kind == heap.vtable_kind) {
        void *holder = *field(object, HEAP_VTABLE_HOLDER_OFFSET);
        if (holder) mark(holder);
    } else if (ours == HEAP_TYPED) {
        uintptr_t *vtable = *(uintptr_t **)object;
        if (!vtable) return;
        uintptr_t descriptor = vtable[HEAP_VTABLE_DESCRIPTOR_OFFSET / sizeof(uintptr_t)];
        if ((descriptor & GC_DS_TAGS) != GC_DS_BITMAP) {
            mark_words(object, (descriptor < size ? descriptor : size) / sizeof(void *));
            return;
        }
        for (uintptr_t bits = descriptor & ~(uintptr_t)GC_DS_TAGS; bits;) {
            int i = __builtin_clzl(bits);
            bits &= ~((uintptr_t)1 << (63 - i));
            void *child = ((void **)object)[i];
            if (child) mark(child);
        }
    }
}

static void trace(void *object) {
    if (heap.young) {
        heap_young_trace(object);
        return;
    }
    ASSERT(marking.mark_stack.count == 0, "%zu objects are still to be traced", marking.mark_stack.count);
    mark(object);
    while (marking.mark_stack.count) mark_children(marking.mark_stack.items[--marking.mark_stack.count]);
}

// ---- soft references: the decision ---------------------------------------------------------

static bool soft_expired(void *reference) {
    if (heap.clear_all_soft) return true;
    if (!heap.soft_clock_known) return false;
    int64_t timestamp = *(int64_t *)((char *)reference + heap.layout.soft_timestamp);
    return *heap.layout.soft_clock - timestamp > marking.soft_limit_ms;
}

static void let_marker_mark_soft(HeapVector *soft) {
    uintptr_t bit = (uintptr_t)1 << (63 - heap.layout.referent / sizeof(void *));
    uintptr_t *last = NULL;
    for (size_t i = 0; i < soft->count; i++) {
        uintptr_t *vtable = *(uintptr_t **)soft->items[i];
        if (!vtable || vtable == last) continue;
        last = vtable;
        uintptr_t *descriptor = &vtable[HEAP_VTABLE_DESCRIPTOR_OFFSET / sizeof(uintptr_t)];
        if ((*descriptor & GC_DS_TAGS) != GC_DS_BITMAP || (*descriptor & bit)) continue;
        if (!GROW(marking.patched, marking.patched_capacity, marking.patched_count + 1))
            heap_fatal("no memory for soft references");
        marking.patched[marking.patched_count++] = (Patched){descriptor, *descriptor};
        *descriptor |= bit;
    }
}

void heap_references_before_mark(void) {
    HeapVector *soft = &heap.registered[HEAP_SOFT];
    ASSERT(marking.patched_count == 0, "%zu descriptors have the bit of the last collection", marking.patched_count);
    size_t live = heap.live;
    size_t free_mb = (heap.max_heap > live ? heap.max_heap - live : 0) / MB;
    marking.soft_limit_ms = (int64_t)free_mb * heap.soft_ms_per_mb;
    marking.soft_marked = !heap.clear_all_soft && !heap.young;
    for (size_t i = 0; marking.soft_marked && i < soft->count; i++)
        if (referent_of(soft->items[i]) && soft_expired(soft->items[i])) marking.soft_marked = false;
    if (marking.soft_marked) let_marker_mark_soft(soft);
}

// ---- roots ---------------------------------------------------------------------------------

// The object of an enqueued Finalizer that has not run yet must live, but the marker does not see the field. Entries
// were marked at the last collection, so they are still objects.
void heap_references_push(void) {
    void *pending = heap.pending;
    heap_push_ref(&pending);
    for (size_t i = 0; i < heap.enqueued_finals.count; i++)
        heap_push_ref((void *const *)field(heap.enqueued_finals.items[i], heap.layout.referent));
}

// ---- after marking -------------------------------------------------------------------------

static void enqueue(void *reference) {
    ASSERT(heap_is_marked(reference), "dead reference %p is enqueued", reference);
    *field(reference, heap.layout.discovered) = heap.pending;
    heap_mark_card(field(reference, heap.layout.discovered));
    heap.pending = reference;
}

static bool only_weakly_held(void *reference) {
    void *referent = referent_of(reference);
    return referent && heap_is_marked(reference) && !heap_is_marked(referent);
}

static void keep_young_soft(HeapVector *soft) {
    bool changed = !marking.soft_marked && !heap.clear_all_soft;
    while (changed) {  // an object that one keeps alive may be another SoftReference
        changed = false;
        for (size_t i = 0; i < soft->count; i++) {
            void *reference = soft->items[i];
            if (!only_weakly_held(reference) || soft_expired(reference)) continue;
            trace(referent_of(reference));
            changed = true;
        }
    }
}

static size_t clear_unmarked(HeapVector *list) {
    size_t cleared = 0, kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        void *reference = list->items[i];
        if (only_weakly_held(reference)) {
            *field(reference, heap.layout.referent) = NULL;
            enqueue(reference);
            cleared++;
        } else {
            list->items[kept++] = reference;
        }
    }
    list->count = kept;
    return cleared;
}

static void drop_dead(HeapVector *list, bool cleared_too) {
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        void *reference = list->items[i];
        if (heap_is_marked(reference) && !(cleared_too && !referent_of(reference))) list->items[kept++] = reference;
    }
    list->count = kept;
}

// Takes all due Finalizers before marking from the first: if one finalizable object refers to another, both are
// finalised now. Repeated because a Finalizer may be reachable only from a resurrected object.
static size_t resurrect(HeapVector *finals) {
    HeapVector *due = &heap.enqueued_finals;
    size_t begin = due->count, first;
    do {
        size_t kept = 0;
        first = due->count;
        for (size_t i = 0; i < finals->count; i++) {
            void *reference = finals->items[i];
            if (only_weakly_held(reference)) heap_vector_push(due, reference);
            else finals->items[kept++] = reference;
        }
        finals->count = kept;
        for (size_t i = first; i < due->count; i++) {
            trace(referent_of(due->items[i]));
            enqueue(due->items[i]);
        }
    } while (due->count > first);
    return due->count - begin;
}

// A young collection checks all References too, but only young referents may be dead.
void heap_references_after_mark(void) {
    HeapVector *soft = &heap.registered[HEAP_SOFT], *weak = &heap.registered[HEAP_WEAK];
    HeapReport *report = &heap.report;
    ASSERT(heap_on_collector_thread(), "references are looked at on another thread");
    // From here on only the tracing below reads descriptors.
    for (; marking.patched_count; marking.patched_count--) {
        const Patched *last = &marking.patched[marking.patched_count - 1];
        *last->descriptor = last->original;
    }
    drop_dead(&heap.enqueued_finals, true);  // a Finalizer that has run is cleared
    keep_young_soft(soft);
    report->soft_cleared = clear_unmarked(soft);
    report->weak_cleared = clear_unmarked(weak);
    report->finals_enqueued = resurrect(&heap.registered[HEAP_FINAL]);
    // Process soft and weak references inside resurrected objects.
    if (report->finals_enqueued) {
        report->soft_cleared += clear_unmarked(soft);
        report->weak_cleared += clear_unmarked(weak);
    }
    report->phantoms_cleared = clear_unmarked(&heap.registered[HEAP_PHANTOM]);
    for (int kind = 0; kind < HEAP_REFERENCE_KINDS; kind++) drop_dead(&heap.registered[kind], false);
}
