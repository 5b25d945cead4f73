// The table of global roots: ranges of slots, nearly all permanent, which the collector reads while the world is
// stopped. Only running threads hold the lock, for a few instructions, so the collector never sees a partial update.
#include "vm/threads/roots.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/invariant.h"
#include "base/grow.h"

typedef struct Range {
    Object **slots;
    size_t count;
} Range;

static struct Roots {
    pthread_mutex_t lock;
    Range *ranges;
    size_t range_count, capacity;
} roots = {.lock = PTHREAD_MUTEX_INITIALIZER};

void root_add(Object **slots, size_t count) {
    pthread_mutex_lock(&roots.lock);
    if (!GROW(roots.ranges, roots.capacity, roots.range_count + 1)) {
        // without the root its object could not be kept alive
        fputs("cabernet: out of memory for the table of roots\n", stderr);
        abort();
    }
    ASSERT(slots && (uintptr_t)slots % sizeof *slots == 0, "roots at %p", (void *)slots);
    roots.ranges[roots.range_count++] = (Range){slots, count};
    pthread_mutex_unlock(&roots.lock);
}

void root_each(RootFn *fn, void *arg) {
    ASSERT(roots.range_count <= roots.capacity, "%zu of %zu ranges", roots.range_count, roots.capacity);
    for (size_t i = 0; i < roots.range_count; i++)
        fn(arg, ROOT_VM, NULL, roots.ranges[i].slots, roots.ranges[i].slots + roots.ranges[i].count);
}
