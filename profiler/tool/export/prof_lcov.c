// `cabernet-prof export --lcov`: counts of lines and branches of the program's sources as lcov's tracefiles have them (man geninfo), which
// genhtml shows. A profile knows what was executed: lines of which no call, branch, invocation or field access was recorded are not
// in it, and no edge of a branch that was never reached.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_source.h"

// How often an instruction was executed, as one analysis counts it; of a branch one edge.
typedef struct Place {
    const char *path;  // of the source
    uint32_t line, method;
    int64_t bci;
    uint64_t edge;     // of a branch, else 0
    size_t analysis;
    bool branch;
    uint64_t count;
} Place;

// By line; on a line branches first, by method, instruction and edge.
static int compare_places(const void *x, const void *y) {
    const Place *a = x, *b = y;
    int order = strcmp(a->path, b->path);
    if (order) return order;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->branch != b->branch) return a->branch ? -1 : 1;
    if (a->analysis != b->analysis) return a->analysis < b->analysis ? -1 : 1;
    if (a->method != b->method) return a->method < b->method ? -1 : 1;
    if (a->bci != b->bci) return a->bci < b->bci ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static bool same_instruction(const Place *a, const Place *b) {
    return a->line == b->line && a->analysis == b->analysis && a->method == b->method && a->bci == b->bci && strcmp(a->path, b->path) == 0;
}

// Analyses whose counts for an instruction add up to its executions, and the column of its method.
static int method_column(const ProfAnalysis *a, const ProfOptions *o) {
    static const char *const known[][2] = {{"branch", "method"}, {"call-edge", "caller"}, {"call-tree", "caller"},
                                           {"field-site", "method"}, {"receiver", "method"}};
    if (o->analysis && strcmp(o->analysis, a->name) != 0) return -1;
    int line = prof_column(a, "line"), bci = prof_column(a, "bci");
    if (line < 0 || bci < 0 || a->columns[line].kind != FORMAT_COLUMN_SIGNED || a->columns[bci].kind != FORMAT_COLUMN_SIGNED) return -1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int method = prof_column(a, known[i][1]);
        if (strcmp(a->name, known[i][0]) == 0 && method >= 0 && a->columns[method].kind == FORMAT_COLUMN_METHOD) return method;
    }
    return -1;
}

static size_t collect(const ProfFile *f, const ProfOptions *o, size_t analysis, char **paths, Place *to) {
    const ProfAnalysis *a = &f->analyses[analysis];
    int method = method_column(a, o), line = prof_column(a, "line"), bci = prof_column(a, "bci"), edge = prof_column(a, "edge");
    size_t n = 0;
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        uint32_t m = (uint32_t)row[method];
        int64_t at = (int64_t)row[line];
        if (!o->filter_count && !(f->methods[m].flags & FORMAT_METHOD_APPLICATION)) continue;
        if (!paths[m] || at <= 0 || at > INT32_MAX || !prof_row_count(a, row)) continue;
        if (edge >= 0 && row[edge] > UINT32_MAX) continue;  // no instruction has so many
        bool branch = strcmp(a->name, "branch") == 0 && edge >= 0;
        to[n++] = (Place){paths[m], (uint32_t)at, m, (int64_t)row[bci], branch ? row[edge] : 0, analysis, branch, prof_row_count(a, row)};
    }
    prof_view_free(&v);
    return n;
}

// The edges of a branch. A conditional branch has two; how many a switch has the profile does not say beyond the last that
// was taken. Returns how many, and adds to *taken.
static uint64_t write_edges(const Place *p, size_t n, unsigned block, uint64_t *taken, FILE *out) {
    enum { MOST_EDGES = 1 << 16 };
    uint64_t edges = p[n - 1].edge + 1 < 2 ? 2 : p[n - 1].edge + 1, written = 0;
    size_t at = 0;
    for (uint64_t e = 0; e < edges; e++) {
        if (edges > MOST_EDGES && p[at].edge != e) e = p[at].edge;  // no switch: the file is not to be trusted
        uint64_t count = 0;
        for (; at < n && p[at].edge == e; at++) count += p[at].count;
        fprintf(out, "BRDA:%u,%u,%llu,%llu\n", p->line, block, (unsigned long long)e, (unsigned long long)count);
        *taken += count > 0;
        written++;
    }
    return written;
}

// A source: its branches, then its lines with the count of the instruction of each that was executed most often.
static void write_source(const Place *p, size_t n, const ProfOptions *o, FILE *out) {
    uint64_t edges = 0, taken = 0, lines = 0;
    char *path = o->source ? prof_find_source(p->path, o->source) : NULL;
    fprintf(out, "SF:%s\n", path ? path : p->path);
    free(path);
    for (size_t i = 0, end, block = 0; i < n; i = end) {
        if (i == 0 || p[i].line != p[i - 1].line) block = 0;
        for (end = i + 1; end < n && same_instruction(&p[i], &p[end]);) end++;
        if (p[i].branch) edges += write_edges(p + i, end - i, (unsigned)block++, &taken, out);
    }
    if (edges) fprintf(out, "BRF:%llu\nBRH:%llu\n", (unsigned long long)edges, (unsigned long long)taken);
    for (size_t i = 0; i < n;) {
        uint32_t line = p[i].line;
        uint64_t most = 0;
        while (i < n && p[i].line == line) {
            uint64_t count = 0;
            const Place *first = &p[i];
            for (; i < n && same_instruction(first, &p[i]); i++) count += p[i].count;
            if (count > most) most = count;
        }
        fprintf(out, "DA:%u,%llu\n", line, (unsigned long long)most);
        lines++;
    }
    fprintf(out, "LF:%llu\nLH:%llu\nend_of_record\n", (unsigned long long)lines, (unsigned long long)lines);
}

int prof_export_lcov(const ProfFile *f, const ProfOptions *o, FILE *out) {
    size_t rows = 0, n = 0;
    char **paths = prof_alloc(f->method_count * sizeof *paths);
    for (size_t m = 0; m < f->method_count; m++) paths[m] = prof_source_path(&f->methods[m]);
    for (size_t a = 0; a < f->analysis_count; a++) rows += method_column(&f->analyses[a], o) >= 0 ? f->analyses[a].merged.rows : 0;
    Place *places = prof_alloc(rows * sizeof *places);
    for (size_t a = 0; a < f->analysis_count; a++)
        if (method_column(&f->analyses[a], o) >= 0) n += collect(f, o, a, paths, places + n);
    if (n) qsort(places, n, sizeof *places, compare_places);
    if (n) fputs("TN:cabernet\n", out);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(places[end].path, places[i].path) == 0;) end++;
        write_source(places + i, end - i, o, out);
    }
    if (!n)
        fprintf(stderr, "cabernet-prof: %s has no counts of lines%s: record branch, and call-edge, field-site or receiver\n", f->path,
                o->filter_count ? " that pass the filter" : " of the program");
    free(places);
    for (size_t m = 0; m < f->method_count; m++) free(paths[m]);
    free(paths);
    return n ? 0 : 1;
}
