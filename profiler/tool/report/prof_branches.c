// Branches that always went the same way, for reports (prof_view.h).
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

enum { BRANCHES_TOP = 20 };

void prof_print_one_way(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    int edge = prof_column(a, "edge");
    if (strcmp(a->name, "branch") != 0 || edge != (int)a->column_count - 1 || !prof_is_exact(f)) return;
    bool *passes = prof_alloc(a->merged.rows);
    ProfRank *found = prof_alloc(a->merged.rows * sizeof *found);
    size_t n = 0;
    uint64_t all = 0, running = 0;
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) passes[v.rows[i]] = true;
    prof_view_free(&v);
    for (size_t i = 0, next; i < a->merged.rows; i = next) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        size_t place = (size_t)edge * sizeof *row;  // the rows of an instruction's edges are adjacent
        for (next = i + 1; next < a->merged.rows && memcmp(row, prof_row(a, &a->merged, next), place) == 0; next++) {}
        if (next > i + 1 || row[edge] > 1 || !passes[i]) continue;  // edge number > 1: a switch
        found[n++] = (ProfRank){prof_row_count(a, row), i};
        all += prof_row_count(a, row);
    }
    if (n) {
        qsort(found, n, sizeof *found, prof_by_weight);
        size_t top = o->top_given ? o->top : BRANCHES_TOP, shown = top && top < n ? top : n;
        fprintf(out, "\nbranches of which one way was never taken: %zu\n  %15s  %5s  %5s\n", n, "count", "%", "sum %");
        for (size_t i = 0; i < shown; i++) {
            const uint64_t *row = prof_row(a, &a->merged, found[i].item);
            char *place = prof_row_text(f, a, row), *text;
            if (asprintf(&text, "%s always, edge %d never", place, row[edge] ? 0 : 1) < 0) prof_out_of_memory();
            prof_print_row(out, found[i].weight, running += found[i].weight, all, found[0].weight, text);
            free(place), free(text);
        }
        if (shown < n) fprintf(out, "  (%zu more)\n", n - shown);
    }
    free(passes), free(found);
}
