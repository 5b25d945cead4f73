// A simulation of two cache levels that one sequence of addresses passes through. It says of each access which levels
// missed, and has neither time nor contents. Loads and stores are alike: a store brings its line in.
//
// An access looks in the first level, then in the last, then in memory. A line that is found or fetched below a level
// enters the level. Only a full set replaces a line, by the policy. Hits in the first level do not reach the last,
// whose order of lines therefore depends on misses only.
//
// Not thread-safe; malloc only.
#ifndef CABERNET_PROFILER_ANALYSES_CACHEMODEL_H
#define CABERNET_PROFILER_ANALYSES_CACHEMODEL_H

#include "profiler/analyses/cacheconfig.h"

// Tags of all sets of a level. A tag is the number of a line plus 1; 0: unused. In each set, the unused tags come last.
// The others are in order of their arrival (FIFO) or of their last access (LRU), the newest first.
typedef struct CacheSets {
    uint64_t *tags;
    uint32_t ways, mask;
} CacheSets;

typedef struct CacheModel {
    CacheSets level[CACHE_LEVELS];
    unsigned line_shift;
    CachePolicy policy;
    bool inclusive;
    uint64_t random;  // state of splitmix_next, from 0
} CacheModel;

// Empty caches. NULL: out of memory.
CacheModel *cachemodel_new(const CacheConfig *c);
void cachemodel_free(CacheModel *m);  // accepts NULL

static inline uint64_t *cachemodel_set(const CacheSets *l, uint64_t tag) {
    return &l->tags[(size_t)((tag - 1) & l->mask) * l->ways];
}

// The same as cachemodel_access for a line that is not the newest of its set.
unsigned cachemodel_look(CacheModel *m, uint64_t tag);

// The number of levels that missed: 0, 1, or CACHE_LEVELS.
static inline unsigned cachemodel_access(CacheModel *m, uintptr_t address) {
    uint64_t tag = ((uint64_t)address >> m->line_shift) + 1;
    // The access does not change the order of a set whose newest line it is.
    return __builtin_expect(*cachemodel_set(&m->level[0], tag) == tag, 1) ? 0 : cachemodel_look(m, tag);
}

#endif
