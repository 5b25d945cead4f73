// Sources (prof_source.h). A source is searched in its package's folder below each folder, like javac's -sourcepath.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/tool/read/prof_classes.h"
#include "profiler/tool/view/prof_source.h"

// ---- paths ----

char *prof_source_path(const ProfMethod *m) {
    char *path;
    size_t package = prof_package_length(m->class_name);
    if (!m->source) return NULL;
    if (asprintf(&path, "%.*s%s%s", (int)package, m->class_name, package ? "." : "", m->source) < 0)
        prof_out_of_memory();
    for (size_t i = 0; path[i]; i++) {
        if (path[i] == '.' && i <= package) path[i] = '/';
        else if (path[i] == '/') path[i] = '_';
    }
    return path;
}

char *prof_find_source(const char *path, const char *folders) {
    for (const char *from = folders;;) {
        size_t n = strcspn(from, ":");
        char *whole;
        if (asprintf(&whole, "%.*s/%s", (int)n, from, path) < 0) prof_out_of_memory();
        if (access(whole, R_OK) == 0) return whole;
        free(whole);
        if (!from[n]) return NULL;
        from += n + 1;
    }
}

// An archive entry as an anonymous temporary file.
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

// ---- counts of lines ----

int prof_compare_sources(const ProfLine *a, const ProfLine *b) {
    size_t n = a->package < b->package ? a->package : b->package;
    int order = memcmp(a->class_name, b->class_name, n);
    if (!order && a->package != b->package) order = a->package < b->package ? -1 : 1;
    return order ? order : strcmp(a->source, b->source);
}

bool prof_has_any_source(const ProfFile *f, const ProfOptions *o) {
    size_t n;
    ProfLine *lines = prof_source_lines(f, o, &n);
    bool found = false;
    for (size_t i = 0; i < n && !found; i++) {
        if (i && prof_compare_sources(&lines[i - 1], &lines[i]) == 0) continue;
        FILE *in = prof_open_source(lines[i].method, o->source);
        found = in != NULL;
        if (in) fclose(in);
    }
    free(lines);
    return found || !n;
}

static int compare_lines(const void *x, const void *y) {
    const ProfLine *a = x, *b = y;
    int order = prof_compare_sources(a, b);
    if (order) return order;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return a->analysis < b->analysis ? -1 : a->analysis > b->analysis;
}

bool prof_has_lines(const ProfFile *f, const ProfOptions *o, size_t analysis) {
    int line;
    const ProfAnalysis *a = &f->analyses[analysis];
    return (!o->analysis || strcmp(o->analysis, a->name) == 0) && prof_place_method(a, "line", &line) >= 0;
}

static size_t collect(const ProfFile *f, const ProfOptions *o, uint32_t analysis, ProfLine *to) {
    const ProfAnalysis *a = &f->analyses[analysis];
    size_t n = 0;
    int line, method = prof_place_method(a, "line", &line);
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        const ProfMethod *m = &f->methods[row[method]];
        bool wanted = o->filter_count || m->flags & FORMAT_METHOD_APPLICATION;
        if (!wanted || !m->source || (int64_t)row[line] <= 0 || (int64_t)row[line] > INT32_MAX) continue;
        to[n++] = (ProfLine){
            m,        m->class_name,         m->source, prof_package_length(m->class_name), (uint32_t)row[line],
            analysis, prof_row_count(a, row)};
    }
    prof_view_free(&v);
    return n;
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
