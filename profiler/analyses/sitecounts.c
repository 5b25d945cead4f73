#include "profiler/analyses/sitecounts.h"

#include <stdlib.h>

#include "base/invariant.h"

enum { FIRST_BITS = 4, LAST_BITS = 30 };

// The table of a thread that has counted nothing, with no entry and no room for one. Never written to.
static const struct {
    PUBLISHED_HEAD;
    SiteCount slot[2];
} nothing = {.mask = 1, .shift = 63};
#define NOTHING ((SiteTable *)&nothing)

static SiteCount *find(SiteTable *t, uint64_t site, uint32_t what) {
    for (uint32_t i = sitecounts_slot(t, site, what);; i = (i + 1) & t->mask) {
        SiteCount *entry = &t->slot[i];
        if (!entry->site || (entry->site == site && entry->what == what)) return entry;
    }
}

static void move(void *larger, const void *old) {
    const SiteTable *from = old;
    for (uint32_t i = 0; i <= from->mask; i++) {
        const SiteCount *entry = &from->slot[i];
        if (entry->site) *find(larger, entry->site, entry->what) = *entry;
    }
}

// False: out of memory.
static bool grow(SiteCounts *s) {
    bool first = s->table == NOTHING;
    uint32_t bits = first ? FIRST_BITS : published_bits(s->table) + 1;
    if (bits > LAST_BITS || !published_grow(&s->table, sizeof(SiteTable), sizeof(SiteCount), bits, move)) return false;
    if (first) s->table->outgrown = NULL;
    return true;
}

// A table that cannot grow accepts new entries until one slot is left; the free slot terminates every search.
static void insert(SiteCounts *s, uint64_t site, uint32_t what, uint64_t times) {
    bool ok = (s->table != NOTHING && s->table->used <= s->table->mask / 2) || grow(s);
    if (!ok && (s->table == NOTHING || s->table->used == s->table->mask)) {
        s->lost += times;
        return;
    }
    SiteCount *entry = find(s->table, site, what);
    ASSERT(!entry->site && s->table->used < s->table->mask, "a table with %u of %u sites", s->table->used,
           s->table->mask);
    entry->what = what;
    entry->count = times;
    __atomic_store_n(&entry->site, site, __ATOMIC_RELEASE);  // last: readers test it first
    s->table->used++;
}

void sitecounts_add(SiteCounts *s, uint64_t site, uint32_t what, uint64_t times) {
    SiteCount *entry = find(s->table, site, what);
    if (entry->site) entry->count += times;
    else insert(s, site, what, times);
}

void *sitecounts_new(struct AnalysisSettings *settings) {
    (void)settings;
    SiteCounts *s = calloc(1, sizeof *s);
    if (s) s->table = NOTHING;
    return s;
}

void sitecounts_free(void *state) {
    SiteCounts *s = state;
    if (s && s->table != NOTHING) published_free(s->table);
    free(s);
}

void sitecounts_collect(const void *state, Table *out, uint64_t *lost) {
    const SiteCounts *s = state;
    const SiteTable *t = published_read(&s->table);
    for (uint32_t i = 0; i <= t->mask; i++) {
        const SiteCount *e = &t->slot[i];
        uint64_t site = __atomic_load_n(&e->site, __ATOMIC_ACQUIRE);
        if (!site) continue;
        uint64_t count = __atomic_load_n(&e->count, __ATOMIC_RELAXED);
        table_add(out, &(TableRow){.key = {(site - 1) >> 32, (uint32_t)(site - 1), e->what}, .count = count});
    }
    *lost += s->lost;
}

void sitecounts_collect_section(const SiteCounts *s, uint32_t number, Table *out, uint64_t *lost) {
    Table rows = {0};
    sitecounts_collect(s, &rows, lost);
    out->failed |= rows.failed;
    for (size_t i = 0; i < rows.count; i++) {
        const uint64_t *key = rows.rows[i].key;
        table_add(out, &(TableRow){.key = {number + 1, key[0], key[1], key[2]}, .count = rows.rows[i].count});
    }
    table_free(&rows);
}
