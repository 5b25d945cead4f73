// Counts by place in the bytecode and by what happened there (the method called, the edge taken): an open-addressing
// table with the key (method, bytecode index, what). Entries are never removed. Linear probing, at most half full: a
// lookup nearly always touches one cache line. One thread counts while another may read (base/published.h).
#ifndef CABERNET_PROFILER_ANALYSES_SITECOUNTS_H
#define CABERNET_PROFILER_ANALYSES_SITECOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/published.h"
#include "profiler/analyses/table.h"

typedef struct SiteCount {
    uint64_t site;  // sitecounts_site; 0: free
    uint32_t what;
    uint64_t count;
} SiteCount;

typedef struct SiteTable {
    PUBLISHED_HEAD;
    SiteCount slot[];
} SiteTable;

typedef struct SiteCounts {
    SiteTable *table;  // never NULL
    uint64_t lost;
} SiteCounts;

// thread_new, thread_free and collect of an analysis with this state. Its columns are method, bytecode index and
// `what`. sitecounts_free accepts NULL.
struct AnalysisSettings;
void *sitecounts_new(struct AnalysisSettings *settings);
void sitecounts_free(void *state);
void sitecounts_collect(const void *state, Table *out, uint64_t *lost);

// The same as sitecounts_collect for section `number` of an analysis (Analysis.section).
void sitecounts_collect_section(const SiteCounts *s, uint32_t number, Table *out, uint64_t *lost);

// Counts `times` in any slot, adding the entry if necessary. Counts them as lost when out of memory.
void sitecounts_add(SiteCounts *s, uint64_t site, uint32_t what, uint64_t times);

// A place as one nonzero word.
static inline uint64_t sitecounts_site(uint32_t method, int32_t bci) {
    return ((uint64_t)method << 32 | (uint32_t)bci) + 1;
}

static inline uint32_t sitecounts_slot(const SiteTable *t, uint64_t site, uint32_t what) {
    uint64_t h = (site + ((uint64_t)what << 40 | what)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(h >> t->shift);
}

// Counts `times` if the entry is in the first slot of its probe sequence. False: it is in a later slot, or not in the
// table.
static inline bool sitecounts_hit(SiteCounts *s, uint64_t site, uint32_t what, uint64_t times) {
    SiteTable *t = s->table;
    SiteCount *entry = &t->slot[sitecounts_slot(t, site, what)];
    if (__builtin_expect(entry->site != site || entry->what != what, 0)) return false;
    entry->count += times;
    return true;
}

#endif
