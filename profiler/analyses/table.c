#include "profiler/analyses/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/grow.h"

bool table_reserve(Table *t, size_t count) {
    if (!count || GROW(t->rows, t->capacity, count)) return true;
    t->failed = true;
    return false;
}

void table_add(Table *t, const TableRow *row) {
    if (table_reserve(t, t->count + 1)) t->rows[t->count++] = *row;
}

void table_add_all(Table *t, const Table *other) {
    t->keep_empty |= other->keep_empty;
    if (!other->count || !table_reserve(t, t->count + other->count)) return;
    memcpy(t->rows + t->count, other->rows, other->count * sizeof *other->rows);
    t->count += other->count;
}

static int compare_keys(const void *a, const void *b) {
    const TableRow *x = a, *y = b;
    for (int i = 0; i < TABLE_KEYS; i++)
        if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

static bool is_sorted(const Table *t) {
    for (size_t i = 1; i < t->count; i++)
        if (compare_keys(&t->rows[i - 1], &t->rows[i]) > 0) return false;
    return true;
}

// A row by its first key, which mostly decides, so that sorting moves and compares few bytes.
typedef struct SortedRow {
    uint64_t key;
    const TableRow *row;
} SortedRow;

static int compare_rows(const void *a, const void *b) {
    const SortedRow *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : compare_keys(x->row, y->row);
}

// The rows stay where they are, because they may belong to another table, too.
static void sort(Table *t) {
    SortedRow *order = malloc(t->count * sizeof *order);
    TableRow *rows = order ? malloc(t->count * sizeof *rows) : NULL;
    if (!rows) {
        free(order);
        qsort(t->rows, t->count, sizeof *t->rows, compare_keys);
        return;
    }
    for (size_t i = 0; i < t->count; i++) order[i] = (SortedRow){t->rows[i].key[0], &t->rows[i]};
    qsort(order, t->count, sizeof *order, compare_rows);
    for (size_t i = 0; i < t->count; i++) rows[i] = *order[i].row;
    memcpy(t->rows, rows, t->count * sizeof *rows);
    free(order);
    free(rows);
}

void table_combine(Table *t) {
    if (!t->count) return;
    if (!is_sorted(t)) sort(t);
    size_t last = 0;
    for (size_t i = 1; i < t->count; i++) {
        if (compare_keys(&t->rows[last], &t->rows[i]) == 0) t->rows[last].count += t->rows[i].count;
        else t->rows[++last] = t->rows[i];
    }
    ASSERT(t->count <= t->capacity && last < t->count, "%zu rows of %zu", last + 1, t->count);
    size_t kept = 0;
    for (size_t i = 0; i <= last; i++)
        if (t->rows[i].count || t->keep_empty) t->rows[kept++] = t->rows[i];
    t->count = kept;
    TableRow *trimmed = kept ? realloc(t->rows, kept * sizeof *trimmed) : NULL;
    if (!trimmed) return;
    t->rows = trimmed;
    t->capacity = kept;
}

void table_merge(Table *to, const Table *from) {
    size_t old = to->count;
    bool vanished = false;
    to->keep_empty |= from->keep_empty;
    for (size_t i = 0; i < from->count; i++) {
        TableRow *row = old ? bsearch(&from->rows[i], to->rows, old, sizeof *row, compare_keys) : NULL;
        if (!row) table_add(to, &from->rows[i]);
        else vanished |= (row->count += from->rows[i].count) == 0;
    }
    if (to->count > old || vanished) table_combine(to);
}

uint64_t table_total(const Table *t) {
    uint64_t total = 0;
    for (size_t i = 0; i < t->count; i++) total += t->rows[i].count;
    return total;
}

void table_count(Table *out, uint32_t method, int32_t bci, uint32_t what, uint64_t times) {
    table_add(out, &(TableRow){.key = {method, (uint32_t)bci, what}, .count = times});
}

void table_free(Table *t) {
    free(t->rows);
    *t = (Table){0};
}
