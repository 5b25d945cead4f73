// Counts by complete row keys: an open-addressing table whose entries are never removed. One thread counts while
// another may read (base/published.h).
#ifndef CABERNET_PROFILER_ANALYSES_ROWCOUNTS_H
#define CABERNET_PROFILER_ANALYSES_ROWCOUNTS_H

#include "base/published.h"
#include "profiler/analyses/table.h"

typedef struct RowTable {
    PUBLISHED_HEAD;
    TableRow slot[];  // key[0] 0: free
} RowTable;

typedef struct RowCounts {
    RowTable *table;  // NULL: nothing counted yet
    uint64_t lost;    // out of memory
} RowCounts;

// Adds `times` to the row of the key, whose first number is nonzero.
void rowcounts_add(RowCounts *s, const uint64_t key[TABLE_KEYS], uint64_t times);
// `collect` of an analysis whose state begins with a RowCounts.
void rowcounts_collect(const void *state, Table *out, uint64_t *lost);
void rowcounts_free(RowCounts *s);

#endif
