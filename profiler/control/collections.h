// Collections of the Java heap while a profile recorded time or allocation. The file has a section with a row for each,
// up to a limit, and their sums in its header.
#ifndef CABERNET_PROFILER_CONTROL_COLLECTIONS_H
#define CABERNET_PROFILER_CONTROL_COLLECTIONS_H

#include <pthread.h>

#include "profiler/analyses/section.h"
#include "vm/api/profiler.h"

typedef struct CollectionSums {
    uint64_t young, full;  // their numbers
    uint64_t pause_ns, longest_ns;
    uint64_t unlisted;  // collections without a row
} CollectionSums;

typedef struct Collections {
    pthread_mutex_t lock;
    bool open;
    int64_t since;
    CollectionSums sums;
    ProfiledCollection *rows;
    size_t count, capacity;
} Collections;

typedef struct Profiler Profiler;

// Collections that begin at `since` (CLOCK_MONOTONIC) or later are kept from now on.
void collections_begin(Profiler *p, int64_t since);
// ProfilerInterface.collection, for each profile.
void collections_add(const ProfiledCollection *c);
// False: collections are not kept.
bool collections_sums(Profiler *p, CollectionSums *out);
// Writes the section, unless it has no rows.
void collections_report(Profiler *p, Sections *out);
// Forgets them. No-op if none are kept.
void collections_end(Profiler *p);

#endif
