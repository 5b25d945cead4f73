// Counts by a place in the bytecode and what happened there (the method called, the edge taken): an
// open-addressing table with the key (method, bytecode index, what). Entries are never removed. Linear probing, at most half full: a lookup touches
// one cache line nearly always. One thread counts; another may read meanwhile, which is why this is not a
// HashTable (base/hash.h); compiled code and interpreter count in the first slot without a call.
#ifndef CABERNET_PROFILER_SITECOUNTS_H
#define CABERNET_PROFILER_SITECOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/analyses/table.h"

typedef struct SiteCount {
    uint64_t site;  // sitecounts_site; 0: free
    uint32_t what;
    uint64_t count;
} SiteCount;

// One allocation, so that a reader that takes the pointer once sees a mask that fits the slots.
typedef struct SiteTable {
    struct SiteTable *outgrown;  // smaller ones, kept for readers until the thread ends
    uint32_t used;
    uint32_t mask;
    uint32_t shift;
    SiteCount slot[];
} SiteTable;

typedef struct SiteCounts {
    SiteTable *table;
    uint64_t lost;
} SiteCounts;

// An analysis whose state this is has them as its thread_new, thread_free and collect; its columns are
// method, bytecode index and `what`. sitecounts_free takes NULL as well.
struct AnalysisSettings;
void *sitecounts_new(struct AnalysisSettings *settings);
void sitecounts_free(void *state);
void sitecounts_collect(const void *state, Table *out, uint64_t *lost);

// Counts one, wherever the entry is; counts it as lost when there is no memory for it.
void sitecounts_add(SiteCounts *s, uint64_t site, uint32_t what);

// A place in one word that is not 0.
static inline uint64_t sitecounts_site(uint32_t method, int32_t bci) {
    return ((uint64_t)method << 32 | (uint32_t)bci) + 1;
}

static inline uint32_t sitecounts_slot(const SiteTable *t, uint64_t site, uint32_t what) {
    uint64_t h = (site + ((uint64_t)what << 40 | what)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> t->shift);
}

// Counts one if the entry is in the first slot where it may be. False: it is elsewhere, or new.
static inline bool sitecounts_hit(SiteCounts *s, uint64_t site, uint32_t what) {
    SiteTable *t = s->table;
    SiteCount *entry = &t->slot[sitecounts_slot(t, site, what)];
    if (__builtin_expect(entry->site != site || entry->what != what, 0)) return false;
    entry->count++;
    return true;
}

#endif
