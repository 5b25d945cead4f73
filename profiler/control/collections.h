// Collections of the Java heap while a profile recorded time or allocation. The file has a section with a row for each,
// up to a limit, and their sums in its header.
#ifndef CABERNET_PROFILER_CONTROL_COLLECTIONS_H
#define CABERNET_PROFILER_CONTROL_COLLECTIONS_H

#include "profiler/analyses/section.h"
#include "vm/api/profiler.h"

typedef struct CollectionSums {
    uint64_t young, full;  // their numbers
    uint64_t pause_ns, longest_ns;
    uint64_t unlisted;  // collections without a row
} CollectionSums;

// Collections that begin at `since` (CLOCK_MONOTONIC) or later are kept from now on.
void collections_begin(int64_t since);
// ProfilerInterface.collection.
void collections_add(const ProfiledCollection *c);
// False: collections are not kept.
bool collections_sums(CollectionSums *out);
// Writes the section, unless it has no rows.
void collections_report(Sections *out);
// Forgets them. No-op if none are kept.
void collections_end(void);

// Around a fork, in the parent and in the child.
void collections_before_fork(void);
void collections_after_fork(void);

#endif
