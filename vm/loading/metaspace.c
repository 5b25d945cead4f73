// See vm/loading/metaspace.h. Holders keep objects in chunks (vm/loading/refchunks.h).
//
// Locks: `lock` guards roots and `needed`. The list of all is extended without a lock and otherwise changed only by the
// collector, while the world is stopped, so a compile thread may walk it at any time.
#include "vm/loading/metaspace.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "gc/heap.h"
#include "vm/loading/refchunks.h"
#include "vm/model/vm.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/threads/thread.h"

#define MB ((size_t)1 << 20)
#define MIN_BUDGET (16 * MB)

enum { ROOT_CHUNK = 512, HIDDEN_CHUNK = 2 << 10 };

// A piece of memory of a collectable metaspace.
typedef struct Range {
    uintptr_t begin, end;
    Metaspace *space;
} Range;

static struct Metaspaces {
    _Atomic(Metaspace *) all;
    pthread_mutex_t lock;
    Object **root_next, **root_end;
    // Collector: the memory of the collectable metaspaces, by address.
    Range *ranges;
    size_t range_count, range_room;
    uint64_t indexed;       // changes of `account` and `made` when the ranges were listed
    ArenaAccount account;   // of the collectable metaspaces
    _Atomic uint64_t made;  // metaspaces created, and collections that found dead ones
    _Atomic size_t limit;   // of account.bytes, which triggers the next collection
} metaspaces = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = MIN_BUDGET};

// ---- creation --------------------------------------------------------------------------------

void metaspace_begin(Metaspace *space, Loader *loader, bool collectable, size_t first_chunk) {
    space->loader = loader;
    space->collectable = collectable;
    arena_init(&space->arena, first_chunk);
    if (collectable) space->arena.account = &metaspaces.account;
    atomic_fetch_add(&metaspaces.made, 1);
    space->next = atomic_load(&metaspaces.all);
    while (!atomic_compare_exchange_weak(&metaspaces.all, &space->next, space)) {}
}

Metaspace *metaspace_new_hidden(Loader *loader) {
    Metaspace *space = arena_malloc(sizeof *space);
    metaspace_begin(space, loader, true, HIDDEN_CHUNK);
    return space;
}

void metaspace_add_class(Class *cls) {
    Class *head = atomic_load(&cls->space->classes);
    do cls->next_in_space = head;
    while (!atomic_compare_exchange_weak(&cls->space->classes, &head, cls));
}

void metaspace_each(void (*fn)(void *arg, Metaspace *space), void *arg) {
    for (Metaspace *s = atomic_load(&metaspaces.all); s; s = s->next) fn(arg, s);
}

// ---- keeping alive ---------------------------------------------------------------------------

Object **metaspace_new_root(void) {
    pthread_mutex_lock(&metaspaces.lock);
    if (metaspaces.root_next == metaspaces.root_end) {
        metaspaces.root_next = heap_alloc_root(ROOT_CHUNK * sizeof(Object *));
        if (!metaspaces.root_next) grow_out_of_memory(ROOT_CHUNK * sizeof(Object *));
        metaspaces.root_end = metaspaces.root_next + ROOT_CHUNK;
    }
    ASSERT(metaspaces.root_next < metaspaces.root_end && !*metaspaces.root_next, "a root that is in use");
    Object **slot = metaspaces.root_next++;
    pthread_mutex_unlock(&metaspaces.lock);
    return slot;
}

bool metaspace_keep(Thread *self, Metaspace *space, Object *object) {
    if (!space->collectable) {
        *metaspace_new_root() = object;
        return true;
    }
    ASSERT(space->holder, "a metaspace without a holder keeps something");
    bool of_loader = space == &space->loader->space;
    size_t offset = (size_t)(of_loader ? WK_OFF(java_lang_ClassLoader, vmRefs) : WK_OFF(java_lang_Class, vmRefs));
    RefChunks chunks = {space->holder, offset, &space->refs_used, &metaspaces.lock};
    Object **slot = refchunks_take(self, &chunks);
    if (!slot) return false;
    *slot = object;
    barrier_stored(BARRIER_constant_slot, slot);
    return true;
}

static uint32_t hash_of_needed(const void *owner, uintptr_t item) {
    (void)owner;
    return hash_pointer((const void *)item);
}

static bool is_needed(const void *owner, uintptr_t item, const void *key) {
    (void)owner;
    return item == (uintptr_t)key;
}

static const HashKind by_address = {hash_of_needed, is_needed};

// No entry is needed for the loader's metaspace: a hidden class's mirror refers to its loader.
bool metaspace_need(Thread *self, Metaspace *space, const Class *cls) {
    Metaspace *other = cls->space;
    if (other == space || !other->collectable || other == &space->loader->space) return true;
    pthread_mutex_lock(&metaspaces.lock);
    bool known = hash_find(&space->needed, &by_address, NULL, hash_pointer(other), other);
    pthread_mutex_unlock(&metaspaces.lock);
    if (known) return true;
    if (!metaspace_keep(self, space, other->holder)) return false;
    pthread_mutex_lock(&metaspaces.lock);
    if (!hash_find(&space->needed, &by_address, NULL, hash_pointer(other), other))
        hash_add_or_exit(&space->needed, &by_address, NULL, hash_pointer(other), (uintptr_t)other);
    pthread_mutex_unlock(&metaspaces.lock);
    return true;
}

VTable *metaspace_new_vtable(Thread *self, Class *cls, uint32_t methods) {
    size_t bytes = sizeof(VTable) + methods * sizeof(Method *);
    VTable *vt = cls->space->collectable ? heap_alloc_vtable(&self->heap, bytes)
                                         : arena_alloc(&cls->space->arena, bytes);
    if (!vt) {
        throw_oom(self, "Java heap space");
        return NULL;
    }
    vt->cls = cls;
    if (!cls->space->collectable) return vt;
    vt->mirror = cls->mirror;
    set_ref(cls->mirror, (size_t)WK_OFF(java_lang_Class, vmTable), (Object *)vt);
    return vt;
}

// ---- when to collect -------------------------------------------------------------------------

void metaspace_collect_if_due(Thread *self) {
    if (atomic_load(&metaspaces.account.bytes) >= atomic_load(&metaspaces.limit))
        heap_collect(&self->heap, "Metadata GC Threshold");
}

// ---- addresses on stacks ---------------------------------------------------------------------

static void add_range(void *arg, const char *begin, const char *end) {
    GROW_OR_EXIT(metaspaces.ranges, metaspaces.range_room, metaspaces.range_count + 1);
    metaspaces.ranges[metaspaces.range_count++] = (Range){(uintptr_t)begin, (uintptr_t)end, arg};
}

static int by_begin(const void *a, const void *b) {
    const Range *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

// May be called several times in one collection.
bool metaspace_roots_begin(void) {
    uint64_t changes = atomic_load(&metaspaces.account.changes) + atomic_load(&metaspaces.made);
    if (changes != metaspaces.indexed) {
        metaspaces.range_count = 0;
        for (Metaspace *s = atomic_load(&metaspaces.all); s; s = s->next) {
            if (!s->collectable) continue;
            if (s == &s->loader->space) add_range(s, (char *)s->loader, (char *)(s->loader + 1));
            else add_range(s, (char *)s, (char *)(s + 1));
            arena_each_chunk(&s->arena, add_range, s);
        }
        if (metaspaces.range_count)
            qsort(metaspaces.ranges, metaspaces.range_count, sizeof *metaspaces.ranges, by_begin);
    }
    metaspaces.indexed = changes;
    for (Metaspace *s = atomic_load(&metaspaces.all); s; s = s->next) s->reached = false;
    return metaspaces.range_count;
}

void metaspace_roots_address(uintptr_t word) {
    if (word < metaspaces.ranges[0].begin || word >= metaspaces.ranges[metaspaces.range_count - 1].end) return;
    size_t low = 0, high = metaspaces.range_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (metaspaces.ranges[middle].end <= word) low = middle + 1;
        else high = middle;
    }
    if (metaspaces.ranges[low].begin <= word) metaspaces.ranges[low].space->reached = true;
}

void metaspace_roots_end(void) {
    for (Metaspace *s = atomic_load(&metaspaces.all); s; s = s->next)
        if (s->reached) heap_push_ref((void *const *)&s->holder);
}

// ---- unloading -------------------------------------------------------------------------------

Metaspace *metaspace_take_dead(void) {
    Metaspace *dead = NULL, *last = NULL;
    size_t dead_bytes = 0;
    for (Metaspace *s = atomic_load(&metaspaces.all); s; s = s->next) {
        bool dying = s->collectable && !s->reached && (s->holder ? !heap_is_marked(s->holder) : s->abandoned);
        if (!dying) {
            if (last) last->next = s;
            else atomic_store(&metaspaces.all, s);
            last = s;
            continue;
        }
        atomic_store(&s->dead, true);
        for (const Class *c = atomic_load(&s->classes); c; c = c->next_in_space)
            if (c->vt) heap_keep_vtable(c->vt);
        s->next_dead = dead;
        dead = s;
        dead_bytes += s->arena.allocated;
    }
    last->next = NULL;
    if (dead) atomic_fetch_add(&metaspaces.made, 1);
    size_t bytes = atomic_load(&metaspaces.account.bytes), live = bytes - dead_bytes;
    atomic_store(&metaspaces.limit, bytes + (live > MIN_BUDGET ? live : MIN_BUDGET));
    return dead;
}

void metaspace_free(Metaspace *space) {
    arena_free(&space->arena);
    hash_free(&space->needed);
    if (space != &space->loader->space) free(space);
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

void metaspace_before_fork(void) {
    pthread_mutex_lock(&metaspaces.lock);
    for (Metaspace *s = atomic_load(&metaspaces.all); s; s = s->next) pthread_mutex_lock(&s->arena.lock);
}

void metaspace_after_fork(void) {
    for (Metaspace *s = atomic_load(&metaspaces.all); s; s = s->next) pthread_mutex_unlock(&s->arena.lock);
    pthread_mutex_unlock(&metaspaces.lock);
}
