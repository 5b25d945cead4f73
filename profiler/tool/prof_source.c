// `cabernet-prof report --source DIR`: the sources of the program with the counts of each line, one column for each analysis
// that knows lines. A source is looked for in its package's folder below each DIR, as javac's -sourcepath has it.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/prof_classes.h"
#include "profiler/tool/prof_export.h"
#include "profiler/tool/prof_source.h"

enum { WIDTH = 13 };

int prof_compare_sources(const ProfLine *a, const ProfLine *b) {
    size_t n = a->package < b->package ? a->package : b->package;
    int order = memcmp(a->class_name, b->class_name, n);
    if (!order && a->package != b->package) order = a->package < b->package ? -1 : 1;
    return order ? order : strcmp(a->source, b->source);
}

static int compare_lines(const void *x, const void *y) {
    const ProfLine *a = x, *b = y;
    int order = prof_compare_sources(a, b);
    if (order) return order;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->analysis < b->analysis ? -1 : a->analysis > b->analysis;
}

// The method whose line stands in the row: the last method column in front of it. -1: there is no line.
static int method_column(const ProfAnalysis *a, int *line) {
    int method = -1;
    *line = prof_column(a, "line");
    for (int c = 0; c < *line; c++)
        if (a->columns[c].kind == FORMAT_COLUMN_METHOD) method = c;
    return *line >= 0 && a->columns[*line].kind == FORMAT_COLUMN_SIGNED ? method : -1;
}

bool prof_has_lines(const ProfFile *f, const ProfOptions *o, size_t analysis) {
    int line;
    const ProfAnalysis *a = &f->analyses[analysis];
    return (!o->analysis || strcmp(o->analysis, a->name) == 0) && method_column(a, &line) >= 0;
}

static size_t collect(const ProfFile *f, const ProfOptions *o, uint32_t analysis, ProfLine *to) {
    const ProfAnalysis *a = &f->analyses[analysis];
    size_t n = 0;
    int line, method = method_column(a, &line);
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        const ProfMethod *m = &f->methods[row[method]];
        bool wanted = o->filter_count || m->flags & FORMAT_METHOD_APPLICATION;
        if (!wanted || !m->source || (int64_t)row[line] <= 0 || (int64_t)row[line] > INT32_MAX) continue;
        to[n++] = (ProfLine){m, m->class_name, m->source, prof_package_length(m->class_name), (uint32_t)row[line], analysis,
                              prof_row_count(a, row)};
    }
    prof_view_free(&v);
    return n;
}

// The counts of one line, which begin at *at, in the order of the columns.
static void print_counts(const ProfFile *f, const ProfOptions *o, const ProfLine *counts, size_t end, size_t *at, uint32_t line,
                         FILE *out) {
    for (uint32_t a = 0; a < f->analysis_count; a++) {
        uint64_t sum = 0;
        char number[32];
        if (!prof_has_lines(f, o, a)) continue;
        for (; *at < end && counts[*at].line == line && counts[*at].analysis == a; ++*at) sum += counts[*at].count;
        fprintf(out, "%*s ", WIDTH, sum ? prof_number(number, sum) : "");
    }
}

// An entry of an archive as a file that nobody else sees.
static FILE *open_entry(const char *archive, const char *path) {
    size_t size;
    uint8_t *bytes = prof_archive_entry(archive, path, &size);
    FILE *in = bytes ? tmpfile() : NULL;
    if (in) {
        fwrite(bytes, 1, size, in);
        rewind(in);
    }
    free(bytes);
    return in;
}

FILE *prof_open_source(const ProfMethod *m, const char *folders) {
    char *path = prof_source_path(m), *found = path ? prof_find_source(path, folders) : NULL;
    FILE *in = found ? fopen(found, "r") : NULL;
    for (const char *from = folders; path && !in; from++) {
        size_t n = strcspn(from, ":");
        char *element = strndup(from, n);
        if (!element) prof_out_of_memory();
        in = open_entry(element, path);
        free(element);
        from += n;
        if (!*from) break;
    }
    free(path);
    free(found);
    return in;
}

static void print_source(const ProfFile *f, const ProfOptions *o, const ProfLine *counts, size_t at, size_t end, FILE *out) {
    const ProfLine *first = &counts[at];
    FILE *in = prof_open_source(first->method, o->source);
    char *text = NULL;
    size_t size = 0;
    uint32_t line = 1;
    fprintf(out, "\n%.*s%s%s%s\n", (int)first->package, first->class_name, first->package ? "." : "", first->source,
            in ? "" : ": not found; the lines that have counts:");
    for (uint32_t a = 0; a < f->analysis_count; a++)
        if (prof_has_lines(f, o, a)) fprintf(out, "%*.*s ", WIDTH, WIDTH, f->analyses[a].name);
    fputs(" line\n", out);
    for (; in && getline(&text, &size, in) >= 0; line++) {
        text[strcspn(text, "\r\n")] = '\0';
        print_counts(f, o, counts, end, &at, line, out);
        fprintf(out, "%5u  %s\n", line, text);
    }
    while (at < end) {  // without its source, or behind the end of another version of it
        line = counts[at].line;
        print_counts(f, o, counts, end, &at, line, out);
        fprintf(out, "%5u\n", line);
    }
    free(text);
    if (in) fclose(in);
}

ProfLine *prof_source_lines(const ProfFile *f, const ProfOptions *o, size_t *count) {
    size_t rows = 0, n = 0;
    for (uint32_t a = 0; a < f->analysis_count; a++) rows += prof_has_lines(f, o, a) ? f->analyses[a].merged.rows : 0;
    ProfLine *counts = prof_alloc(rows * sizeof *counts);
    for (uint32_t a = 0; a < f->analysis_count; a++)
        if (prof_has_lines(f, o, a)) n += collect(f, o, a, counts + n);
    if (n) qsort(counts, n, sizeof *counts, compare_lines);
    *count = n;
    return counts;
}

int prof_report_source(const ProfFile *f, const ProfOptions *o, FILE *out) {
    size_t n;
    ProfLine *counts = prof_source_lines(f, o, &n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && prof_compare_sources(&counts[i], &counts[end]) == 0;) end++;
        print_source(f, o, counts, i, end, out);
    }
    free(counts);
    if (!n) fprintf(stderr, "cabernet-prof: %s has no counts of lines for that (call-edge, field-site, receiver and branch have them)\n", f->path);
    return n ? 0 : 1;
}
