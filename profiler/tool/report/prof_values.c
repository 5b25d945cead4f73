// The analysis of values in reports: how invariant each place is (Calder, Feller and Eustace, "Value Profiling", MICRO
// 1997), by the share of its most frequent value, of the up to 50 values that are kept, and of zero.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

typedef struct Place {
    size_t first_row;  // of its most frequent value; if no value is known, its first row
    uint64_t all, first, known, zero;
} Place;

// Columns of the analysis; rest: the word that tells known values from others.
typedef struct Columns {
    int rest, value;
} Columns;

static bool is_others(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row) {
    int rest = strcmp(a->name, "value") == 0 ? prof_column(a, "rest") : -1;
    return rest >= 0 && a->columns[rest].kind == FORMAT_COLUMN_WORD && strcmp(f->strings[row[rest]], "others") == 0;
}

void prof_others_last(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, ProfView *v) {
    size_t *others = prof_alloc(v->count * sizeof *others), n = 0, kept = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (is_others(f, a, prof_row(a, t, v->rows[i]))) others[n++] = v->rows[i];
        else v->rows[kept++] = v->rows[i];
    }
    if (n) memcpy(v->rows + kept, others, n * sizeof *others);
    free(others);
}

static void add_row(const ProfFile *f, const ProfAnalysis *a, const Columns *c, size_t item, Place *p) {
    const uint64_t *row = prof_row(a, &a->merged, item);
    uint64_t count = prof_row_count(a, row);
    p->all += count;
    if (is_others(f, a, row)) return;
    p->known += count;
    if (row[c->value] == 0) p->zero += count;
    if (count <= p->first) return;
    p->first = count;
    p->first_row = item;
}

// The places that pass the filters; *n: their number. The rows of a place are adjacent.
static Place *places_of(const ProfFile *f, const ProfAnalysis *a, const Columns *c, const ProfOptions *o, size_t *n) {
    bool *passes = prof_alloc(a->merged.rows);
    Place *places = prof_alloc(a->merged.rows * sizeof *places);
    size_t key = (size_t)c->rest * sizeof(uint64_t);
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) passes[v.rows[i]] = true;
    prof_view_free(&v);
    *n = 0;
    uint64_t of[FORMAT_MAX_COLUMNS];  // the place of the row before
    for (size_t i = 0; i < a->merged.rows; i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        if (!passes[i]) continue;
        if (!*n || memcmp(of, row, key) != 0) places[(*n)++] = (Place){.first_row = i};
        memcpy(of, row, key);
        add_row(f, a, c, i, &places[*n - 1]);
    }
    free(passes);
    return places;
}

void prof_print_values(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, size_t top, FILE *out) {
    Columns c = {prof_column(a, "rest"), prof_column(a, "value")};
    if (strcmp(a->name, "value") != 0 || c.rest < 0 || c.value < 0) return;
    size_t n;
    Place *places = places_of(f, a, &c, o, &n), sum = {0};
    ProfRank *order = prof_alloc(n * sizeof *order);
    for (size_t i = 0; i < n; i++) {
        order[i] = (ProfRank){places[i].all, i};
        sum.all += places[i].all;
        sum.first += places[i].first;
        sum.known += places[i].known;
        sum.zero += places[i].zero;
    }
    if (n) qsort(order, n, sizeof *order, prof_by_weight);
    char number[32];
    fprintf(out,
            "places: %zu; of their executions, %.1f %% have the place's most frequent value, %.1f %% one of its 50 "
            "most frequent ones, and %.1f %% zero\n  %15s  %6s  %6s  %6s  %s\n",
            n, prof_percent(sum.first, sum.all), prof_percent(sum.known, sum.all), prof_percent(sum.zero, sum.all),
            "count", "first", "top 50", "zero", "place, with its most frequent value");
    for (size_t i = 0; i < n && (!top || i < top); i++) {
        const Place *p = &places[order[i].item];
        char *text = prof_row_text(f, a, prof_row(a, &a->merged, p->first_row));
        fprintf(out, "  %15s  %6.1f  %6.1f  %6.1f  %s\n", prof_number(number, p->all), prof_percent(p->first, p->all),
                prof_percent(p->known, p->all), prof_percent(p->zero, p->all), text);
        free(text);
    }
    if (top && n > top) fprintf(out, "  (%zu more)\n", n - top);
    fputs("values:\n", out);
    free(order);
    free(places);
}
