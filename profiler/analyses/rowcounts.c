#include "profiler/analyses/rowcounts.h"

#include <string.h>

enum { FIRST_BITS = 6, LAST_BITS = 26 };

static TableRow *find(RowTable *t, const uint64_t key[TABLE_KEYS]) {
    uint64_t h = 0;
    for (int i = 0; i < TABLE_KEYS; i++) h = (h ^ key[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(h >> 32) & t->mask;; i = (i + 1) & t->mask)
        if (!t->slot[i].key[0] || memcmp(t->slot[i].key, key, sizeof t->slot[i].key) == 0) return &t->slot[i];
}

static void move(void *larger, const void *old) {
    const RowTable *from = old;
    for (uint32_t i = 0; i <= from->mask; i++)
        if (from->slot[i].key[0]) *find(larger, from->slot[i].key) = from->slot[i];
}

// A table that cannot grow accepts new rows until one slot is left; the free slot terminates every search.
void rowcounts_add(RowCounts *s, const uint64_t key[TABLE_KEYS], uint64_t times) {
    TableRow *row = s->table ? find(s->table, key) : NULL;
    if (row && row->key[0]) {
        row->count += times;
        return;
    }
    uint32_t bits = s->table ? published_bits(s->table) + 1 : FIRST_BITS;
    bool ok = (s->table && s->table->used <= s->table->mask / 2) ||
        (bits <= LAST_BITS && published_grow(&s->table, sizeof(RowTable), sizeof(TableRow), bits, move));
    if (!ok && (!s->table || s->table->used == s->table->mask)) {
        s->lost += times;
        return;
    }
    row = find(s->table, key);
    memcpy(row->key + 1, key + 1, sizeof row->key - sizeof row->key[0]);
    row->count = times;
    __atomic_store_n(&row->key[0], key[0], __ATOMIC_RELEASE);  // last: readers test it first
    s->table->used++;
}

void rowcounts_collect(const void *state, Table *out, uint64_t *lost) {
    const RowCounts *s = state;
    const RowTable *t = published_read(&s->table);
    for (uint32_t i = 0; t && i <= t->mask; i++)
        if (__atomic_load_n(&t->slot[i].key[0], __ATOMIC_ACQUIRE)) table_add(out, &t->slot[i]);
    *lost += s->lost;
}

void rowcounts_free(RowCounts *s) {
    published_free(s->table);
    s->table = NULL;
}
