// The table of global roots. Ranges of slots, added for good in nearly all cases, pushed by the
// collector while the world is stopped. The lock is held for a few instructions by running threads
// only, so the collector finds the table whole.
#include "vm/threads/roots.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "gc/heap.h"

typedef struct Range {
    Object **slots;
    size_t count;
} Range;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Range *ranges;
static size_t range_count, capacity;

void root_add_range(Object **slots, size_t count) {
    pthread_mutex_lock(&lock);
    if (!GROW(ranges, capacity, range_count + 1)) {  // nothing could be kept alive: there is no way on
        fputs("cabernet: out of memory for the table of roots\n", stderr);
        abort();
    }
    ranges[range_count++] = (Range){slots, count};
    pthread_mutex_unlock(&lock);
}

void root_add(Object **slot) { root_add_range(slot, 1); }

void root_push_all(void) {
    for (size_t i = 0; i < range_count; i++)
        heap_push_range(ranges[i].slots, ranges[i].slots + ranges[i].count);
}
