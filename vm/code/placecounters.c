// See vm/code/placecounters.h. Places are in chunks that do not move, so that a crashed process and a snapshot read
// them without the lock. A chunk's counters are consecutive, and fill a page of each thread that executes its code.
#include "vm/code/placecounters.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "vm/api/compiler.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/report.h"

enum { PLACES = 256, OBJECTS = 0, BYTES = 1, PLACE_COUNTERS = 2 };

typedef struct Place {
    uint32_t method, bci, cls;
    uint32_t bytes;  // of each object; 0: the second counter has the sum
} Place;

typedef struct Chunk {
    struct Chunk *next;
    uint32_t offset;  // of its counters, from a Thread
    _Atomic uint32_t used;
    Place places[PLACES];
} Chunk;

static struct PlaceCounters {
    pthread_mutex_t lock;
    _Atomic(Chunk *) first;  // the newest one, which alone has room; also read without the lock
} placecounters = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Under the lock. NULL: no memory, or no counters left.
static Chunk *chunk_with_room(void) {
    Chunk *c = atomic_load(&placecounters.first);
    if (c && c->used < PLACES) return c;
    Chunk *made = calloc(1, sizeof *made);
    if (!made || !(made->offset = compiler_counters_take(PLACES * PLACE_COUNTERS))) {
        free(made);
        return NULL;
    }
    made->next = c;
    atomic_store(&placecounters.first, made);
    return made;
}

uint32_t placecounters_take(const Method *m, int32_t bci, const Class *cls) {
    uint32_t offset = 0;
    if (!report_counts_allocations(m, bci)) return 0;
    pthread_mutex_lock(&placecounters.lock);
    Chunk *c = chunk_with_room();
    if (c) {
        uint32_t bytes = class_is_array(cls) ? 0 : HEAP_GRANULES(cls->instance_size) * HEAP_GRANULE;
        c->places[c->used] = (Place){m->id, (uint32_t)bci, cls->id, bytes};
        offset = c->offset + 8 * PLACE_COUNTERS * c->used;
        atomic_fetch_add_explicit(&c->used, 1, memory_order_release);
    }
    pthread_mutex_unlock(&placecounters.lock);
    return offset;
}

static uint64_t *counters_of(const Thread *t, const Chunk *c) { return (uint64_t *)((char *)t + c->offset); }

static void read_place(const Place *p, const uint64_t *counters, CountedFn *fn, void *arg) {
    uint64_t objects = __atomic_load_n(&counters[OBJECTS], __ATOMIC_RELAXED);
    uint64_t bytes = p->bytes ? objects * p->bytes : __atomic_load_n(&counters[BYTES], __ATOMIC_RELAXED);
    report_arrays_counted((uint32_t[]){p->method, p->bci, p->cls}, objects, bytes, fn, arg);
}

void placecounters_read(const Thread *t, CountedFn *fn, void *arg) {
    for (Chunk *c = atomic_load(&placecounters.first); c; c = c->next) {
        uint32_t used = atomic_load_explicit(&c->used, memory_order_acquire);
        for (uint32_t i = 0; i < used; i++) read_place(&c->places[i], counters_of(t, c) + PLACE_COUNTERS * i, fn, arg);
    }
}

// Counters that are 0 are not written: memory that is only read needs no page.
static void reset(Thread *t) {
    for (Chunk *c = atomic_load(&placecounters.first); c; c = c->next) {
        uint64_t *counters = counters_of(t, c);
        for (uint32_t i = 0; i < PLACE_COUNTERS * c->used; i++)
            if (counters[i]) counters[i] = 0;
    }
}

void placecounters_hand_in(Thread *self) {
    placecounters_read(self, profile_counted, self);
    reset(self);
}

void placecounters_forget(void) {
    thread_list_lock(NULL);
    for (Thread *t = threads.first; t; t = t->next) reset(t);
    thread_list_unlock(NULL);
    Chunk *next;
    for (Chunk *c = atomic_exchange(&placecounters.first, NULL); c; c = next) {
        next = c->next;
        compiler_counters_give(c->offset, PLACES * PLACE_COUNTERS);
        free(c);
    }
}

void placecounters_before_fork(void) { pthread_mutex_lock(&placecounters.lock); }
void placecounters_after_fork(void) { pthread_mutex_unlock(&placecounters.lock); }
