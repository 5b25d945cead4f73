// A slot holds the two stacks of one thread, back to back, so that the pages that every thread
// touches are neighbours and two guard pages suffice, of which the upper is the next slot's:
//
//     guard | C stack, grows down ... | Java stack, grows up ... | guard of the next slot
//
// Slots of one size are cut from chunks that are reserved without access rights and without
// memory; a slot gets its rights when it is first taken and keeps them. A slot that comes back
// keeps its pages while few are free (the next thread finds them in the cache); beyond that they
// go back to the system at once.
#include "vm/threads/green/greenstack.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/grow.h"
#include "vm/threads/green/green_internal.h"

enum { PAGE = 4096, KEEP_WARM = 64, MAX_SLOTS = 64 };
static const size_t chunk_limit = (size_t)512 << 20;

// Address space with a guard page at its end. NULL: there is none.
static char *reserve(size_t bytes) {
    char *base = mmap(NULL, bytes + PAGE, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) return NULL;
    // A huge page would make each small stack cost 2 MB.
    madvise(base, bytes, MADV_NOHUGEPAGE);
    return base;
}

// The pool for these sizes; NULL when all are taken by others: then slots stand alone.
static StackPool *pool_for(size_t c_size, size_t java_size) {
    for (int i = 0; i < GREEN_STACK_POOLS; i++) {
        StackPool *p = &green.stacks.pools[i];
        if (p->c_size == 0) *p = (StackPool){.c_size = c_size, .java_size = java_size};
        if (p->c_size == c_size && p->java_size == java_size) return p;
    }
    return NULL;
}

static char *list_pop(StackList *l) { return l->count ? l->slots[--l->count] : NULL; }

static bool list_push(StackList *l, char *slot) {
    if (!GROW(l->slots, l->capacity, l->count + 1)) return false;
    l->slots[l->count++] = slot;
    return true;
}

static bool grow(StackPool *p, size_t size) {
    size_t slots = chunk_limit / size;
    slots = slots < 1 ? 1 : slots > MAX_SLOTS ? MAX_SLOTS : slots;
    for (; slots >= 1; slots /= 2) {
        if (!(p->fresh = reserve(slots * size))) continue;
        p->fresh_end = p->fresh + slots * size;
        return true;
    }
    p->fresh = p->fresh_end = NULL;
    return false;
}

static char *open_slot(char *slot, size_t size) {
    return mprotect(slot + PAGE, size - PAGE, PROT_READ | PROT_WRITE) == 0 ? slot : NULL;
}

static char *take_fresh(StackPool *p, size_t size) {
    if (p->fresh == p->fresh_end && !grow(p, size)) return NULL;
    char *slot = open_slot(p->fresh, size);
    if (slot) p->fresh += size;
    return slot;
}

static char *take_alone(size_t size) {
    char *base = reserve(size), *slot = base ? open_slot(base, size) : NULL;
    if (base && !slot) munmap(base, size + PAGE);
    return slot;
}

bool greenstack_take(size_t c_size, size_t java_size, GreenStack *out) {
    size_t size = PAGE + c_size + java_size;
    pthread_mutex_lock(&green.stacks.lock);
    StackPool *p = pool_for(c_size, java_size);
    char *slot = p ? list_pop(&p->warm) : NULL;
    if (p && !slot) slot = list_pop(&p->cold);
    if (p && !slot) slot = take_fresh(p, size);
    pthread_mutex_unlock(&green.stacks.lock);
    if (!p) slot = take_alone(size);
    if (!slot) return false;
    *out = (GreenStack){slot, slot + PAGE, slot + PAGE + c_size, slot + size};
    return true;
}

// Under the lock. False: the list could not grow, and the slot's address space is lost.
static bool give(StackPool *p, char *base, size_t bytes) {
    if (p->warm.count < KEEP_WARM) return list_push(&p->warm, base);
    madvise(base + PAGE, bytes, MADV_DONTNEED);
    return list_push(&p->cold, base);
}

void greenstack_give(char *base, size_t c_size, size_t java_size) {
    size_t bytes = c_size + java_size;
    pthread_mutex_lock(&green.stacks.lock);
    StackPool *p = pool_for(c_size, java_size);
    if (p && !give(p, base, bytes)) madvise(base + PAGE, bytes, MADV_DONTNEED);
    pthread_mutex_unlock(&green.stacks.lock);
    // The pools are all taken, now as when this one was: it stands alone.
    if (!p) munmap(base, PAGE + bytes + PAGE);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

void greenstack_before_fork(void) { pthread_mutex_lock(&green.stacks.lock); }
void greenstack_after_fork(void) { pthread_mutex_unlock(&green.stacks.lock); }
