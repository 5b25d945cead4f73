// Samples of time by method: the time with the method on top of the stack, and with it anywhere on it, beside the
// number of its entries if the profile counts them.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

typedef struct MethodTime {
    uint64_t self, total;  // samples
    uint64_t entries;
} MethodTime;

// Is the row's callee on its path already?
static bool is_recursive(const ProfAnalysis *a, const size_t *parents, size_t row, int callee) {
    uint64_t method = prof_row(a, &a->merged, row)[callee];
    for (size_t r = parents[row]; r != PROF_NO_ROW; r = parents[r])
        if (prof_row(a, &a->merged, r)[callee] == method) return true;
    return false;
}

static MethodTime *read_times(const ProfFile *f, const ProfAnalysis *a) {
    MethodTime *times = prof_alloc(f->method_count * sizeof *times);
    int callee = prof_column(a, "callee");
    size_t *parents = prof_parents(a, &a->merged);
    uint64_t *inclusive = prof_alloc(a->merged.rows * sizeof *inclusive);
    for (size_t i = a->merged.rows; i-- > 0;) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        inclusive[i] += prof_row_count(a, row);
        if (parents[i] != PROF_NO_ROW) inclusive[parents[i]] += inclusive[i];
        times[row[callee]].self += prof_row_count(a, row);
        if (!is_recursive(a, parents, i, callee)) times[row[callee]].total += inclusive[i];
    }
    free(inclusive);
    free(parents);
    return times;
}

// Entries by method, from the first analysis that counts them. Returns whether there is one.
static bool read_entries(const ProfFile *f, MethodTime *times) {
    static const char *const analyses[][2] = {
        {"method-count", "method"}, {"call-edge", "callee"}, {"call-tree", "callee"}};
    for (size_t i = 0; i < sizeof analyses / sizeof *analyses; i++) {
        const ProfAnalysis *a = prof_analysis(f, analyses[i][0]);
        int method = a ? prof_column(a, analyses[i][1]) : -1;
        if (method < 0 || a->columns[method].kind != FORMAT_COLUMN_METHOD) continue;
        for (size_t r = 0; r < a->merged.rows; r++) {
            const uint64_t *row = prof_row(a, &a->merged, r);
            times[row[method]].entries += prof_row_count(a, row);
        }
        return true;
    }
    return false;
}

// Shares of the modes of execution: "optimised 61.0 %, vm 20.3 %".
static void print_modes(const ProfFile *f, const ProfAnalysis *tree, FILE *out) {
    char name[32];
    snprintf(name, sizeof name, "%s-lines", tree->name);
    const ProfAnalysis *a = prof_analysis(f, name);
    int mode = a ? prof_column(a, "mode") : -1;
    if (mode < 0 || a->columns[mode].kind != FORMAT_COLUMN_WORD || !a->merged.total) return;
    ProfRank *ranks = prof_alloc(f->string_count * sizeof *ranks);
    for (size_t i = 0; i < f->string_count; i++) ranks[i].item = i;
    for (size_t r = 0; r < a->merged.rows; r++) {
        const uint64_t *row = prof_row(a, &a->merged, r);
        ranks[row[mode]].weight += prof_row_count(a, row);
    }
    qsort(ranks, f->string_count, sizeof *ranks, prof_by_weight);
    fputs("  executed: ", out);
    for (size_t i = 0; i < f->string_count && ranks[i].weight; i++)
        fprintf(out, "%s%s %.1f %%", i ? ", " : "", f->strings[ranks[i].item],
                prof_percent(ranks[i].weight, a->merged.total));
    putc('\n', out);
    free(ranks);
}

void prof_print_time(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, size_t top, FILE *out) {
    uint64_t tick = prof_tick_ns(f, a);
    char number[32];
    if (!tick || prof_stack_tree(f, a->name) != a || !a->merged.total) return;  // another name: a damaged file
    MethodTime *times = read_times(f, a);
    bool counted = read_entries(f, times);
    ProfRank *ranks = prof_alloc(f->method_count * sizeof *ranks);
    size_t count = 0;
    for (size_t i = 0; i < f->method_count; i++) {
        bool passes = !o->filter_count && (!o->application || f->methods[i].flags & FORMAT_METHOD_APPLICATION);
        for (size_t k = 0; k < o->filter_count; k++) passes |= prof_match(&f->methods[i], o->filters[k]);
        if (passes && times[i].total) ranks[count++] = (ProfRank){times[i].self, i};
    }
    if (count) qsort(ranks, count, sizeof *ranks, prof_by_weight);
    fprintf(out, "  one sample is %g ms\n", (double)tick / 1e6);
    print_modes(f, a, out);
    fprintf(out, "  %9s  %6s  %9s  %7s%s  method\n", "self ms", "self %", "total ms", "total %",
            counted ? "          entries" : "");
    for (size_t i = 0; i < count && (!top || i < top); i++) {
        const MethodTime *m = &times[ranks[i].item];
        char *text = prof_method_text(&f->methods[ranks[i].item]);
        fprintf(out, "  %9.0f  %6.1f  %9.0f  %7.1f", (double)m->self * (double)tick / 1e6,
                prof_percent(m->self, a->merged.total), (double)m->total * (double)tick / 1e6,
                prof_percent(m->total, a->merged.total));
        if (counted) fprintf(out, "  %15s", prof_number(number, m->entries));
        fprintf(out, "  %s\n", text);
        free(text);
    }
    free(ranks);
    free(times);
    putc('\n', out);
}
