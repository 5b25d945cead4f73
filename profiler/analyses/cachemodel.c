#include "profiler/analyses/cachemodel.h"

#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"

static uint32_t way_of(const CacheSets *l, const uint64_t *set, uint64_t tag) {
    uint32_t way = 0;
    while (way < l->ways && set[way] != tag) way++;
    return way;
}

static bool hits(const CacheModel *m, const CacheSets *l, uint64_t tag) {
    uint64_t *set = cachemodel_set(l, tag);
    uint32_t way = way_of(l, set, tag);
    if (way == l->ways) return false;
    if (m->policy == CACHE_LRU) {
        memmove(set + 1, set, way * sizeof *set);
        *set = tag;
    }
    return true;
}

// Returns the line that the new one replaces; 0: none.
static uint64_t enter(CacheModel *m, const CacheSets *l, uint64_t tag) {
    uint64_t *set = cachemodel_set(l, tag), replaced = set[l->ways - 1];
    if (replaced && m->policy == CACHE_RANDOM) {
        uint64_t *way = &set[splitmix_next(&m->random) % l->ways];
        replaced = *way;
        *way = tag;
        return replaced;
    }
    memmove(set + 1, set, (l->ways - 1) * sizeof *set);
    *set = tag;
    return replaced;
}

static void leave(const CacheSets *l, uint64_t tag) {
    uint64_t *set = cachemodel_set(l, tag);
    uint32_t way = way_of(l, set, tag);
    if (way == l->ways) return;
    memmove(set + way, set + way + 1, (l->ways - 1 - way) * sizeof *set);
    set[l->ways - 1] = 0;
}

unsigned cachemodel_look(CacheModel *m, uint64_t tag) {
    const CacheSets *first = &m->level[0], *last = &m->level[1];
    if (hits(m, first, tag)) return 0;
    bool is_hit = hits(m, last, tag);
    if (!is_hit) {
        uint64_t replaced = enter(m, last, tag);
        if (replaced && m->inclusive) leave(first, replaced);
    }
    enter(m, first, tag);
    return is_hit ? 1 : CACHE_LEVELS;
}

CacheModel *cachemodel_new(const CacheConfig *c) {
    CacheModel *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->line_shift = (unsigned)__builtin_ctz(c->line);
    m->policy = c->policy;
    m->inclusive = c->inclusive;
    for (int i = 0; i < CACHE_LEVELS; i++) {
        size_t lines = c->level[i].bytes / c->line;
        m->level[i] = (CacheSets){calloc(lines, sizeof(uint64_t)), c->level[i].ways,
                                  (uint32_t)(lines / c->level[i].ways) - 1};
        if (m->level[i].tags) continue;
        cachemodel_free(m);
        return NULL;
    }
    return m;
}

void cachemodel_free(CacheModel *m) {
    if (!m) return;
    for (int i = 0; i < CACHE_LEVELS; i++) free(m->level[i].tags);
    free(m);
}
