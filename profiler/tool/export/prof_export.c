// `cabernet-prof export --lines`: the merged counts as sorted lines, for other programs and diff.
//
//     method <class>.<name><descriptor> <count>
//     edge <caller> <bytecode index> <callee> <count>
//     field <class>.<name>:<descriptor> get|put <count>
//     branch <method> <bytecode index> <edge> <count>
//     path <method> <bytecode index> <number> <blocks> <count>
//     tree <node> <parent> <caller> <bytecode index> <callee> <count>
//
// A pseudo-caller is its name alone, <thread>; an index of -1 means native code or a pseudo-caller. A node is 16
// hexadecimal digits derived from the calls that lead to it; the parent is 0 for a root. Other analyses: the analysis's
// name, its columns, the count. Columns are separated by one space: a space in a name is written \s, and a backslash
// \\.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/export/prof_export.h"

static void put_sorted(char **lines, size_t n, FILE *out) {
    if (n) qsort(lines, n, sizeof *lines, prof_by_text);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s\n", lines[i]);
        free(lines[i]);
    }
    free(lines);
}

static void export_analysis(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    ProfView v = prof_view(f, a, &a->merged, o);
    char **lines = prof_alloc(v.count * sizeof *lines);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        char *key = prof_row_key(f, a, row);
        if (asprintf(&lines[i], "%s %llu", key, (unsigned long long)prof_row_count(a, row)) < 0) prof_out_of_memory();
        free(key);
    }
    put_sorted(lines, v.count, out);
    prof_view_free(&v);
}

int prof_export_lines(const ProfFile *f, const ProfOptions *o, FILE *out) {
    for (size_t i = 0; i < f->analysis_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->analyses[i].name) == 0) export_analysis(f, &f->analyses[i], o, out);
    for (size_t i = 0; i < f->section_count; i++) {
        const ProfSection *s = &f->sections[i];
        if (o->analysis && strcmp(o->analysis, s->analysis) != 0) continue;
        char **lines = prof_alloc(s->rows * sizeof *lines);
        size_t n = 0;
        for (size_t row = 0; row < s->rows; row++)
            if (prof_section_passes(s, row, o) && (lines[n] = prof_section_key(s, row))) n++;
        put_sorted(lines, n, out);
    }
    return 0;
}
