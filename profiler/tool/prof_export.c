// `cabernet-prof export --lines`: the merged counts as sorted lines, for other programs and diff.
//
//     method <class>.<name><descriptor> <count>
//     edge <caller> <bytecode index> <callee> <count>
//     field <class>.<name>:<descriptor> get|put <count>
//     branch <method> <bytecode index> <edge> <count>
//     path <method> <bytecode index> <number> <blocks> <count>
//     tree <node> <parent> <caller> <bytecode index> <callee> <count>
//
// A pseudo-caller is its name alone, <thread>; an index of -1 means native code or a pseudo-caller.
// A node is 16 hexadecimal digits that follow from the calls that lead to it; the parent is 0 where there is none. Other analyses: the analysis's name, its columns, the count. Columns stand apart by one space: a space in a name is
// written \s, and a backslash \\.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/prof_export.h"

static const char *line_word(const ProfAnalysis *a) {
    static const struct { const char *name, *word; } words[] = {
#define ANALYSIS(id, name, word, help) {name, word},
#include "profiler/analyses/analyses.def"
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(a->name, words[i].name) == 0) return words[i].word;
    return a->name;
}

static void put_name(FILE *out, const char *name) {
    putc(' ', out);
    for (; *name; name++) {
        if (*name == ' ' || *name == '\\') fputs(*name == ' ' ? "\\s" : "\\\\", out);
        else putc(*name, out);
    }
}

// A line number follows from class file and bytecode index: it is left out.
char *prof_row_key(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) prof_out_of_memory();
    fputs(line_word(a), out);
    for (uint32_t c = 0; c < a->column_count; c++) {
        if (a->columns[c].kind == FORMAT_COLUMN_METHOD || a->columns[c].kind == FORMAT_COLUMN_FIELD) {
            char *name = a->columns[c].kind == FORMAT_COLUMN_METHOD
                             ? prof_method_exact(&f->methods[row[c]])
                             : prof_field_exact(&f->fields[row[c]]);
            put_name(out, name);
            free(name);
        } else if (a->columns[c].kind == FORMAT_COLUMN_WORD) {
            put_name(out, f->strings[row[c]]);
        } else if (a->columns[c].kind == FORMAT_COLUMN_NODE) {
            fprintf(out, " %016llx", (unsigned long long)row[c]);
        } else if (a->columns[c].kind == FORMAT_COLUMN_NUMBER) {
            fprintf(out, " %llu", (unsigned long long)row[c]);
        } else if (strcmp(a->columns[c].name, "line") != 0) {
            fprintf(out, " %lld", (long long)row[c]);
        }
    }
    if (fclose(out) != 0) prof_out_of_memory();
    return text;
}

static int compare_lines(const void *x, const void *y) {
    return strcmp(*(char *const *)x, *(char *const *)y);
}

static void export_analysis(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o,
                            FILE *out) {
    ProfView v = prof_view(f, a, &a->merged, o);
    char **lines = prof_alloc(v.count * sizeof *lines);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        char *key = prof_row_key(f, a, row), *line;
        if (asprintf(&line, "%s %llu\n", key, (unsigned long long)prof_row_count(a, row)) < 0)
            prof_out_of_memory();
        free(key);
        lines[i] = line;
    }
    if (v.count) qsort(lines, v.count, sizeof *lines, compare_lines);
    for (size_t i = 0; i < v.count; i++) {
        fputs(lines[i], out);
        free(lines[i]);
    }
    free(lines);
    prof_view_free(&v);
}

int prof_export_lines(const ProfFile *f, const ProfOptions *o, FILE *out) {
    for (size_t i = 0; i < f->analysis_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->analyses[i].name) == 0)
            export_analysis(f, &f->analyses[i], o, out);
    for (size_t i = 0; i < f->section_count; i++)
        if (!o->analysis || strcmp(o->analysis, f->sections[i].analysis) == 0) prof_section_lines(&f->sections[i], o, out);
    return 0;
}
