// Branches that always went the same way, for reports (prof_view.h).
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/report/prof_report.h"

enum { BRANCHES_TOP = 20 };

// The rows of an instruction's edges are adjacent.
static size_t edges_of(const ProfAnalysis *a, size_t row, int edge) {
    size_t end = row + 1, keys = (size_t)edge * sizeof(uint64_t);
    while (end < a->merged.rows && memcmp(prof_row(a, &a->merged, row), prof_row(a, &a->merged, end), keys) == 0) end++;
    return end - row;
}

typedef struct OneWay {
    size_t row;
    uint64_t count;
} OneWay;

static int by_count(const void *x, const void *y) {
    const OneWay *a = x, *b = y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

void prof_print_one_way(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    int edge = prof_column(a, "edge");
    if (strcmp(a->name, "branch") != 0 || edge != (int)a->column_count - 1 || !prof_is_exact(f)) return;
    bool *passes = prof_alloc(a->merged.rows);
    OneWay *found = prof_alloc(a->merged.rows * sizeof *found);
    size_t n = 0;
    uint64_t all = 0, running = 0;
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) passes[v.rows[i]] = true;
    prof_view_free(&v);
    for (size_t i = 0, edges; i < a->merged.rows; i += edges) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        edges = edges_of(a, i, edge);
        if (edges > 1 || row[edge] > 1 || !passes[i]) continue;  // edge number > 1: a switch
        found[n++] = (OneWay){i, prof_row_count(a, row)};
        all += prof_row_count(a, row);
    }
    if (n) {
        qsort(found, n, sizeof *found, by_count);
        size_t top = o->top_given ? o->top : BRANCHES_TOP, shown = top && top < n ? top : n;
        fprintf(out, "\nbranches of which one way was never taken: %zu\n  %15s  %5s  %5s\n", n, "count", "%", "sum %");
        for (size_t i = 0; i < shown; i++) {
            const uint64_t *row = prof_row(a, &a->merged, found[i].row);
            char *place = prof_row_text(f, a, row), *text;
            if (asprintf(&text, "%s always, edge %d never", place, row[edge] ? 0 : 1) < 0) prof_out_of_memory();
            prof_print_row(out, found[i].count, running += found[i].count, all, found[0].count, text);
            free(place), free(text);
        }
        if (shown < n) fprintf(out, "  (%zu more)\n", n - shown);
    }
    free(passes), free(found);
}
