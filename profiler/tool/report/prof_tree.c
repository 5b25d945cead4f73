// Tree analyses (prof_is_tree) as text: call trees with inclusive counts, and sets of calls.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

enum { DEEPEST = 40 };  // levels that are indented; deeper rows print their depth

typedef struct TreeRow {
    size_t parent;  // row, or PROF_NO_ROW
    uint32_t depth;
    uint64_t inclusive;  // own count plus those of all rows below
    bool leaf, shown;
} TreeRow;

static TreeRow *read_tree(const ProfAnalysis *a, const ProfTable *t) {
    TreeRow *rows = prof_alloc(t->rows * sizeof *rows);
    size_t *parents = prof_parents(a, t);
    for (size_t i = 0; i < t->rows; i++) {
        size_t at = parents[i];
        rows[i] = (TreeRow){at, at == PROF_NO_ROW ? 0 : rows[at].depth + 1, prof_row_count(a, prof_row(a, t, i)), true,
                            false};
        if (at != PROF_NO_ROW) rows[at].leaf = false;
    }
    for (size_t i = t->rows; i-- > 0;)
        if (rows[i].parent != PROF_NO_ROW) rows[rows[i].parent].inclusive += rows[i].inclusive;
    free(parents);
    return rows;
}

// ---- row selection -----------------------------------------------------------------------------

// Marks the `top` rows of the view with the largest inclusive counts, and their ancestors. Returns how many rows of the
// view remain. Ties keep row order, in which parents come first.
static size_t choose(TreeRow *rows, const ProfView *v, size_t top) {
    ProfRank *ranked = prof_alloc(v->count * sizeof *ranked);
    for (size_t i = 0; i < v->count; i++) ranked[i] = (ProfRank){rows[v->rows[i]].inclusive, v->rows[i]};
    if (v->count) qsort(ranked, v->count, sizeof *ranked, prof_by_weight);
    size_t n = top && top < v->count ? top : v->count;
    for (size_t i = 0; i < n; i++)
        for (size_t r = ranked[i].item; r != PROF_NO_ROW && !rows[r].shown; r = rows[r].parent) rows[r].shown = true;
    free(ranked);
    return v->count - n;
}

// ---- text --------------------------------------------------------------------------------------

// Was the call cut off by recursion folding? Then its callee is on the path `bound` times already, and the row has no
// children.
static bool is_folded(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const TreeRow *rows, size_t i,
                      int callee, uint64_t bound) {
    uint64_t times = 0;
    const ProfMethod *m = &f->methods[prof_row(a, t, i)[callee]];
    for (size_t r = rows[i].parent; bound && rows[i].leaf && r != PROF_NO_ROW && times < bound; r = rows[r].parent) {
        const ProfMethod *n = &f->methods[prof_row(a, t, r)[callee]];
        times += strcmp(m->name, n->name) == 0 && strcmp(m->desc, n->desc) == 0 &&
            strcmp(m->class_name, n->class_name) == 0;
    }
    return bound && times == bound;
}

// The callee, and the call site, unless it is in the method of the parent row and has no line.
static void print_call(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row, int callee, FILE *out) {
    char *text = prof_method_text(&f->methods[row[callee]]);
    fputs(text, out);
    free(text);
    int caller = prof_column(a, "caller"), bci = prof_column(a, "bci"), line = prof_column(a, "line");
    if (caller < 0 || bci < 0 || line < 0) return;
    const ProfMethod *m = &f->methods[row[caller]];
    if (m->flags & FORMAT_METHOD_PSEUDO) fprintf(out, "  from %s", m->name);
    else if ((int64_t)row[line] >= 0)
        fprintf(out, "  from (%s:%lld) @%lld", m->source ? m->source : "line", (long long)row[line],
                (long long)row[bci]);
    else if ((int64_t)row[bci] >= 0) fprintf(out, "  from @%lld", (long long)row[bci]);
}

void prof_print_tree(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                     FILE *out) {
    ProfView v = prof_view(f, a, t, o);
    TreeRow *rows = read_tree(a, t);
    int callee = prof_column(a, "callee");
    uint64_t bound = prof_meta_number(f, "recursion");
    size_t left = choose(rows, &v, top);
    if (v.count && callee >= 0) fprintf(out, "  %15s  %5s  %15s  call\n", "inclusive", "%", "count");
    for (size_t i = 0; i < t->rows && callee >= 0; i++) {
        if (!rows[i].shown) continue;
        const uint64_t *row = prof_row(a, t, i);
        char inclusive[32], count[32];
        fprintf(out, "  %15s  %5.1f  %15s  ", prof_number(inclusive, rows[i].inclusive),
                prof_percent(rows[i].inclusive, v.all), prof_number(count, prof_row_count(a, row)));
        uint32_t depth = rows[i].depth;
        fprintf(out, "%*s", (int)(2 * (depth < DEEPEST ? depth : DEEPEST)), "");
        if (depth > DEEPEST) fprintf(out, "[%u] ", depth);
        print_call(f, a, row, callee, out);
        if (is_folded(f, a, t, rows, i, callee, bound)) fputs("  (recursive: its calls are counted above)", out);
        putc('\n', out);
    }
    if (left) fprintf(out, "  (%zu more nodes, each with fewer)\n", left);
    if (!v.count) fputs(o->filter_count ? "  nothing matches the filter\n" : "  nothing\n", out);
    free(rows);
    prof_view_free(&v);
}

// ---- interprocedural paths ---------------------------------------------------------------------

// The steps from the root to the row; consecutive steps in one method are on one line.
static void print_path(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const TreeRow *rows, size_t i,
                       int method, uint64_t all, FILE *out) {
    int bci = prof_column(a, "bci"), line = prof_column(a, "line"), step = prof_column(a, "step");
    size_t *way = prof_alloc((rows[i].depth + 1u) * sizeof *way);
    uint64_t count = prof_row_count(a, prof_row(a, t, i));
    char number[32];
    fprintf(out, "  %15s  %5.1f  ", prof_number(number, count), prof_percent(count, all));
    for (size_t r = i; r != PROF_NO_ROW; r = rows[r].parent) way[rows[r].depth] = r;
    for (uint32_t d = 0; d <= rows[i].depth; d++) {
        const uint64_t *row = prof_row(a, t, way[d]), in = row[method];
        if (d && prof_row(a, t, way[d - 1])[method] == in) {
            fputs(", ", out);
        } else {
            char *text = prof_method_text(&f->methods[in]);
            if (d) fprintf(out, "\n  %15s  %5s    ", "", "");
            fprintf(out, "%s  ", text);
            free(text);
        }
        if (bci >= 0 && (int64_t)row[bci] >= 0) {
            if (line >= 0 && (int64_t)row[line] >= 0) fprintf(out, "line %lld ", (long long)row[line]);
            fprintf(out, "@%lld ", (long long)row[bci]);
        }
        fputs(f->strings[row[step]], out);
    }
    putc('\n', out);
    free(way);
}

// ---- sets of calls -----------------------------------------------------------------------------

// The calls from the method of a set to the row that represents the set.
static void print_set(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const TreeRow *rows, size_t i,
                      int callee, uint64_t all, FILE *out) {
    size_t *way = prof_alloc((rows[i].depth + 1u) * sizeof *way);
    uint64_t count = prof_row_count(a, prof_row(a, t, i));
    char number[32];
    for (size_t r = i; r != PROF_NO_ROW; r = rows[r].parent) way[rows[r].depth] = r;
    char *method = prof_method_text(&f->methods[prof_row(a, t, way[0])[callee]]);
    fprintf(out, "  %15s  %5.1f  %s%s\n", prof_number(number, count), prof_percent(count, all), method,
            rows[i].depth ? "" : "  calls nothing");
    free(method);
    for (uint32_t d = 1; d <= rows[i].depth; d++) {
        fprintf(out, "  %15s  %5s    ", "", "");
        print_call(f, a, prof_row(a, t, way[d]), callee, out);
        putc('\n', out);
    }
    free(way);
}

// ---- trees whose rows represent the path from the root -----------------------------------------

// Prints one row; `column`: the method column, `all`: the total count.
typedef void PrintWay(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const TreeRow *rows, size_t i,
                      int column, uint64_t all, FILE *out);

typedef struct Ways {
    const char *column, *count, *heading, *several;
    PrintWay *print;
} Ways;

static void print_ways(const Ways *w, const ProfFile *f, const ProfAnalysis *a, const ProfTable *t,
                       const ProfOptions *o, size_t top, FILE *out) {
    ProfView v = prof_view(f, a, t, o);
    TreeRow *rows = read_tree(a, t);
    int column = prof_column(a, w->column);
    size_t shown = 0, left = 0;
    if (v.count && column >= 0) fprintf(out, "  %15s  %5s  %s\n", w->count, "%", w->heading);
    for (size_t i = 0; i < v.count && column >= 0; i++) {
        if (!prof_row_count(a, prof_row(a, t, v.rows[i]))) continue;
        if (top && shown == top) left++;
        else w->print(f, a, t, rows, v.rows[i], column, v.all, out), shown++;
    }
    if (left) fprintf(out, "  (%zu more %s)\n", left, w->several);
    if (!v.count) fputs(o->filter_count ? "  nothing matches the filter\n" : "  nothing\n", out);
    free(rows);
    prof_view_free(&v);
}

void prof_print_paths(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                      FILE *out) {
    static const Ways paths = {"method", "count", "steps of the path", "paths", print_path};
    print_ways(&paths, f, a, t, o, top, out);
}

void prof_print_sets(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                     FILE *out) {
    static const Ways sets = {"callee", "invocations", "method, and the calls that it made", "sets", print_set};
    print_ways(&sets, f, a, t, o, top, out);
}
