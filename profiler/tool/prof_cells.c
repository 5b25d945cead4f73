#include "profiler/tool/prof_cells.h"

#include <stdlib.h>

#include "base/grow.h"
#include "profiler/store/format.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_json.h"
#include "profiler/tool/view/prof_context.h"

enum { MOST_THREADS = 48, MOST_HEAT = 40000, MOST_UNCOMBINED = 1 << 20 };

typedef struct Cell {
    int32_t thread;  // -1: one of the rest
    uint32_t slot, place;
    uint64_t count;
} Cell;

typedef struct Cells {
    Cell *cells;
    size_t count, capacity, room;  // room: combine beyond this
    bool *shown;                   // by thread
} Cells;

static int by_key(const void *a, const void *b) {
    const Cell *x = a, *y = b;
    if (x->thread != y->thread) return x->thread < y->thread ? -1 : 1;
    if (x->slot != y->slot) return x->slot < y->slot ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static void combine(Cells *c) {
    size_t to = 0;
    if (c->count) qsort(c->cells, c->count, sizeof *c->cells, by_key);
    for (size_t i = 0; i < c->count; i++) {
        if (to && by_key(&c->cells[to - 1], &c->cells[i]) == 0) c->cells[to - 1].count += c->cells[i].count;
        else c->cells[to++] = c->cells[i];
    }
    c->count = to;
}

static void add(Cells *c, size_t thread, uint32_t slot, uint32_t place, uint64_t count) {
    if (!count) return;
    if (c->count > c->room) {
        combine(c);
        c->room = c->count + MOST_UNCOMBINED;
    }
    GROW_OR_EXIT(c->cells, c->capacity, c->count + 1);
    c->cells[c->count++] = (Cell){c->shown[thread] ? (int32_t)thread : -1, slot, place, count};
}

// Doubles the slots until there are at most `most` cells, or one slot. Returns the factor.
static uint64_t coarsen(Cells *c, size_t most) {
    uint64_t factor = 1;
    combine(c);
    while (c->count > most) {
        bool several = false;
        for (size_t i = 0; i < c->count; i++) {
            several |= c->cells[i].slot > 1;
            c->cells[i].slot /= 2;
        }
        factor *= 2;
        combine(c);
        if (!several) break;
    }
    return factor;
}

// ---- trees ---------------------------------------------------------------------------------------

// The threads with the largest counts.
static bool *choose_threads(const ProfFile *f, const ProfAnalysis *a) {
    bool *shown = prof_alloc(f->thread_count * sizeof *shown);
    uint64_t *totals = prof_alloc(f->thread_count * sizeof *totals);
    size_t *chosen = prof_alloc(f->thread_count * sizeof *chosen);
    for (size_t i = 0; i < f->thread_count; i++) totals[i] = a->threads[i].present ? a->threads[i].total : 0;
    size_t n = prof_largest(f->thread_count, MOST_THREADS, totals, chosen);
    for (size_t i = 0; i < n; i++) shown[chosen[i]] = totals[chosen[i]] != 0;
    free(chosen);
    free(totals);
    return shown;
}

// Rows of a thread whose node is not in the sum, as in a damaged file, are left out.
static void add_threads(Cells *c, const ProfFile *f, const ProfAnalysis *a, const uint32_t *places) {
    ProfRank *nodes = prof_nodes(a);
    for (size_t thread = 0; thread < f->thread_count; thread++) {
        if (!a->threads[thread].present || !a->threads[thread].total) continue;
        ProfTable t = prof_thread_table(f, a, thread);
        for (size_t i = 0; i < t.rows; i++) {
            const uint64_t *row = prof_row(a, &t, i);
            size_t at = prof_row_of_node(a, nodes, row[0]);
            if (at != PROF_NO_ROW) add(c, thread, 0, places[at], prof_row_count(a, row));
        }
        prof_table_free(&t);
    }
    free(nodes);
}

// Returns the width of a slot; 0: the tree has no times.
static uint64_t add_times(Cells *c, Cells *heat, const ProfFile *f, const ProfAnalysis *a, const uint32_t *places) {
    uint64_t width = 0;
    for (size_t i = 0; i < f->time_count; i++) {
        const ProfTimes *t = &f->times[i];
        if (&f->analyses[t->analysis] != a || (width && t->slot_ns != width)) continue;
        width = t->slot_ns;
        for (size_t k = 0; k < t->row_count; k++) {
            const ProfTimeRow *row = &t->rows[k];
            add(c, t->thread, row->slot, places[row->node], row->count);
            add(heat, t->thread, row->slot, 0, row->count);
        }
    }
    return width;
}

// Of each thread an array: the index, and for each slot an array. `flat`: slots and counts, without places.
static json_t *cells_json(const Cells *c, bool flat) {
    json_t *list = json_array(), *thread = NULL, *slot = NULL;
    for (size_t i = 0; i < c->count; i++) {
        const Cell *at = &c->cells[i], *last = i ? at - 1 : NULL;
        bool same = last && last->thread == at->thread;
        if (!same) {
            thread = json_array();
            prof_json_push(list, thread);
            prof_json_push(thread, json_integer(at->thread));
        }
        uint32_t later = same ? at->slot - last->slot : at->slot, place = at->place;
        if (flat) {
            prof_json_push(thread, json_integer(later));
        } else {
            if (!same || later) {
                slot = json_array();
                prof_json_push(thread, slot);
                prof_json_push(slot, json_integer(later));
            } else {
                place -= last->place;
            }
            prof_json_push(slot, json_integer(place));
        }
        prof_json_push(flat ? thread : slot, prof_json_count(at->count));
    }
    return list;
}

json_t *prof_cells_json(const ProfFile *f, const ProfAnalysis *tree, const uint32_t *places, size_t most) {
    bool *shown = choose_threads(f, tree);
    Cells cells = {.room = MOST_UNCOMBINED, .shown = shown}, heat = cells;
    uint64_t width = add_times(&cells, &heat, f, tree, places);
    if (!width) add_threads(&cells, f, tree, places);
    json_t *o = json_null();
    uint64_t factor = coarsen(&cells, most), heat_factor = coarsen(&heat, MOST_HEAT);
    if (cells.count) {
        o = json_object();
        prof_json_put(o, "slotNs", prof_json_count(width * factor));
        prof_json_put(o, "threads", cells_json(&cells, false));
        prof_json_put(o, "heatNs", prof_json_count(width * heat_factor));
        prof_json_put(o, "heat", cells_json(&heat, true));
    }
    free(shown);
    free(cells.cells);
    free(heat.cells);
    return o;
}

// ---- tables --------------------------------------------------------------------------------------

// In the order of the file.
static int compare_rows(const ProfAnalysis *a, const uint64_t *x, const uint64_t *y) {
    for (uint32_t c = 0; c < a->column_count; c++) {
        bool is_signed = a->columns[c].kind == FORMAT_COLUMN_SIGNED;
        uint64_t p = is_signed ? format_zigzag((int64_t)x[c]) : x[c],
                 q = is_signed ? format_zigzag((int64_t)y[c]) : y[c];
        if (p != q) return p < q ? -1 : 1;
    }
    return 0;
}

static void add_rows(Cells *c, const ProfAnalysis *a, size_t thread, const ProfTable *t, const size_t *rows,
                     size_t count) {
    uint64_t row[FORMAT_MAX_COLUMNS + 1];
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *wanted = prof_row(a, &a->merged, rows[i]);
        int order = 1;
        while (at < t->rows && (order = compare_rows(a, prof_unpack(a, t, at, row), wanted)) < 0) at++;
        if (at < t->rows && order == 0) add(c, thread, 0, (uint32_t)i, prof_row_count(a, row));
    }
}

json_t *prof_cells_of_rows(const ProfFile *f, const ProfAnalysis *a, const size_t *rows, size_t count) {
    size_t threads = 0;
    for (size_t i = 0; i < f->thread_count; i++) threads += a->threads[i].present && a->threads[i].total;
    if (threads < 2) return json_null();
    bool *shown = choose_threads(f, a);
    Cells cells = {.room = MOST_UNCOMBINED, .shown = shown};
    for (size_t i = 0; i < f->thread_count; i++) {
        if (!a->threads[i].present || !a->threads[i].total) continue;
        ProfTable t = prof_thread_table(f, a, i);
        add_rows(&cells, a, i, &t, rows, count);
        prof_table_free(&t);
    }
    combine(&cells);
    json_t *list = json_array(), *thread = NULL;
    for (size_t i = 0; i < cells.count; i++) {
        const Cell *at = &cells.cells[i];
        if (!i || at[-1].thread != at->thread) {
            thread = json_array();
            prof_json_push(list, thread);
            prof_json_push(thread, json_integer(at->thread));
        }
        prof_json_push(thread, json_integer(at->place));
        prof_json_push(thread, prof_json_count(at->count));
    }
    free(shown);
    free(cells.cells);
    return list;
}
