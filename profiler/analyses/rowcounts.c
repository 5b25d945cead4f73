#include "profiler/analyses/rowcounts.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 64, LAST_ROWS = 1 << 26 };

static TableRow *find(RowTable *t, const uint64_t key[TABLE_KEYS]) {
    uint64_t h = 0;
    for (int i = 0; i < TABLE_KEYS; i++) h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(h >> 32) & t->mask;; i = (i + 1) & t->mask)
        if (!t->slot[i].key[0] || memcmp(t->slot[i].key, key, sizeof t->slot[i].key) == 0) return &t->slot[i];
}

static bool grow(RowCounts *s) {
    RowTable *old = s->table;
    uint32_t rows = old ? 2 * (old->mask + 1) : FIRST_ROWS;
    RowTable *larger = rows <= LAST_ROWS ? calloc(1, sizeof *larger + rows * sizeof larger->slot[0]) : NULL;
    if (!larger) return false;
    larger->mask = rows - 1;
    for (uint32_t i = 0; old && i <= old->mask; i++)
        if (old->slot[i].key[0]) *find(larger, old->slot[i].key) = old->slot[i];
    larger->used = old ? old->used : 0;
    larger->outgrown = old;
    __atomic_store_n(&s->table, larger, __ATOMIC_RELEASE);
    return true;
}

// A table that cannot grow accepts new rows until one slot is left; the free slot terminates every search.
void rowcounts_add(RowCounts *s, const uint64_t key[TABLE_KEYS], uint64_t times) {
    TableRow *row = s->table ? find(s->table, key) : NULL;
    if (row && row->key[0]) {
        row->count += times;
        return;
    }
    if ((!s->table || s->table->used > s->table->mask / 2) && !grow(s) && (!s->table || s->table->used == s->table->mask)) {
        s->lost += times;
        return;
    }
    row = find(s->table, key);
    memcpy(row->key + 1, key + 1, sizeof row->key - sizeof row->key[0]);
    row->count = times;
    __atomic_store_n(&row->key[0], key[0], __ATOMIC_RELEASE);  // last: readers test it first
    s->table->used++;
}

void rowcounts_collect(const RowCounts *s, Table *out, uint64_t *lost) {
    const RowTable *t = __atomic_load_n(&s->table, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; t && i <= t->mask; i++)
        if (__atomic_load_n(&t->slot[i].key[0], __ATOMIC_ACQUIRE)) table_add(out, &t->slot[i]);
    *lost += s->lost;
}

void rowcounts_free(RowCounts *s) {
    for (RowTable *t = s->table, *next; t; t = next) {
        next = t->outgrown;
        free(t);
    }
    s->table = NULL;
}
