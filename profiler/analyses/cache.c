// cache: accesses to fields and array elements, and those that miss in simulated caches (cachemodel.h), by place and by
// the field, or the type of the element. Each thread has its own caches, which no other thread disturbs.
//
// With shards= each state simulates the sets whose number has its remainder. An access concerns one set of each level,
// and the number of sets of both is a multiple of that of shards, so a set belongs to one state.
//
// Shown as three analyses, because rows have one count: cache counts accesses, cache-l1 those that miss in the first
// level, and cache-l2 those that miss in both.
#include <stdlib.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/cachemodel.h"
#include "profiler/analyses/sitecounts.h"

enum { ACCESSES, SECTIONS = CACHE_LEVELS + 1 };

typedef struct Cache {
    CacheModel *model;
    uint64_t shard, shard_mask;  // the remainder and the divisor, less 1, of the lines that are its own
    SiteCounts *of[SECTIONS];    // accesses that at least as many levels missed, by site and field
} Cache;

static void thread_free(void *state) {
    Cache *c = state;
    if (!c) return;
    cachemodel_free(c->model);
    for (int i = 0; i < SECTIONS; i++) sitecounts_free(c->of[i]);
    free(c);
}

static void *thread_new(AnalysisSettings *settings) {
    Cache *c = calloc(1, sizeof *c);
    bool ok = c && (c->model = cachemodel_new(&settings->cache)) != NULL;
    for (int i = 0; ok && i < SECTIONS; i++) ok = (c->of[i] = sitecounts_new(settings)) != NULL;
    if (ok) return c;
    thread_free(c);
    return NULL;
}

static __attribute__((noinline)) void count_slow(Cache *c, unsigned missed, uint64_t site, uint32_t field) {
    for (unsigned i = 0; i <= missed; i++) sitecounts_add(c->of[i], site, field, 1);
}

static void thread_shard(void *state, uint32_t shard, uint32_t shards) {
    Cache *c = state;
    c->shard = shard;
    c->shard_mask = shards - 1;
}

static inline void look(Cache *c, uint32_t method, int32_t bci, uint32_t field, uintptr_t address) {
    if (((uint64_t)address >> c->model->line_shift & c->shard_mask) != c->shard) return;
    uint64_t site = sitecounts_site(method, bci);
    unsigned missed = cachemodel_access(c->model, address);
    if (missed || !sitecounts_hit(c->of[ACCESSES], site, field, 1)) count_slow(c, missed, site, field);
}

static void on_field_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                            uint32_t access, uintptr_t object, uintptr_t address) {
    look(sink->state, method, bci, field, address);
    EVENT_PASS(sink, method, bci, field, access, object, address);
}

static void on_array_access(const EventSink_array_access *sink, uint32_t method, int32_t bci, uint32_t access,
                            uint32_t type, uintptr_t array, uintptr_t address) {
    look(sink->state, method, bci, COLUMN_ELEMENT(type), address);
    EVENT_PASS(sink, method, bci, access, type, array, address);
}

// A table of misses has no rows that the table of accesses lacks, so it loses nothing unless that one does.
static void collect(const void *state, Table *out, uint64_t *lost) {
    const Cache *c = state;
    uint64_t lost_misses = 0;
    for (uint32_t i = 0; i < SECTIONS; i++)
        sitecounts_collect_section(c->of[i], i, out, i == ACCESSES ? lost : &lost_misses);
}

static bool section(uint32_t i, Analysis *out) {
    static const Analysis sections[SECTIONS] = {
        [ACCESSES] = {.name = "cache",
                      .event = EVENT_COUNT,
                      .unit = "memory accesses",
                      .on_field_access = on_field_access,
                      .on_array_access = on_array_access},
        {.name = "cache-l1", .event = EVENT_COUNT, .unit = "L1 misses"},
        {.name = "cache-l2", .event = EVENT_COUNT, .unit = "L2 misses"},
    };
    return analysis_section(&analysis_cache, sections, SECTIONS, i, out);
}

const Analysis analysis_cache = {
    .name = "cache",
    .event = EVENT_COUNT,
    .uncut = "a cache without the accesses before a sample says nothing about a single one",
    .columns = {{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}, {"field", COLUMN_FIELD, NULL}},
    .section = section,
    .thread_new = thread_new,
    .thread_shard = thread_shard,
    .thread_free = thread_free,
    .collect = collect,
    .on_field_access = on_field_access,
    .on_array_access = on_array_access,
};
