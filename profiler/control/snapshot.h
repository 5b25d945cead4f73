// Builds snapshots of the profile for the compiler (vm/api/snapshot.h) from the analyses' tables.
#ifndef CABERNET_PROFILER_CONTROL_SNAPSHOT_H
#define CABERNET_PROFILER_CONTROL_SNAPSHOT_H

#include "profiler/analyses/analysis.h"
#include "vm/api/snapshot.h"

// A snapshot with one user and the rows of the tables, which this sorts and adds up. Always frees the tables. NULL: out
// of memory, now or when a table was made. malloc only, no locks.
ProfileSnapshot *snapshot_make(Table tables[SNAPSHOT_TABLES], uint64_t version, int64_t taken_ns,
                               const SamplingRequest *sampling);

#endif
