// Rows as exact texts, equal in every run and readable by other programs.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/read/prof_file.h"
#include "profiler/tool/view/prof_view.h"

static const char *line_word(const ProfAnalysis *a) {
    static const struct {
        const char *name, *word;
    } words[] = {
#define ANALYSIS(id, name, word, help) {name, word},
#include "profiler/analyses/analyses.def"
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(a->name, words[i].name) == 0) return words[i].word;
    return a->name;
}

static void put_name(FILE *out, const char *name) {
    putc(' ', out);
    if (!*name) putc('-', out);
    for (; *name; name++) {
        if (*name == ' ' || *name == '\\') fputs(*name == ' ' ? "\\s" : "\\\\", out);
        else putc(*name, out);
    }
}

// The line number is left out, because class file and bytecode index determine it.
char *prof_row_key(const ProfFile *f, const ProfAnalysis *a, const uint64_t *row) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) prof_out_of_memory();
    fputs(line_word(a), out);
    for (uint32_t c = 0; c < a->column_count; c++) {
        if (a->columns[c].kind == FORMAT_COLUMN_METHOD || a->columns[c].kind == FORMAT_COLUMN_FIELD) {
            char *name = a->columns[c].kind == FORMAT_COLUMN_METHOD ? prof_method_exact(&f->methods[row[c]])
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

char *prof_section_key(const ProfSection *s, size_t row) {
    if (!s->column_count || s->columns[0].kind == SECTION_VARYING || s->columns[0].kind == SECTION_NOTE) return NULL;
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    if (!out) prof_out_of_memory();
    fprintf(out, "%s.%s", s->analysis, s->name);
    for (uint32_t c = 0; c < s->column_count; c++) {
        const ProfCell *cell = &s->cells[row * s->column_count + c];
        switch (s->columns[c].kind) {
            case SECTION_TEXT: put_name(out, cell->text); break;
            case SECTION_NUMBER: fprintf(out, " %llu", (unsigned long long)cell->number); break;
            case SECTION_HISTOGRAM: fprintf(out, " %llu", (unsigned long long)cell->histogram->count); break;
            case SECTION_STACK:
                put_name(out, cell->number ? cell->frames[0] : "");
                for (uint64_t i = 1; i < cell->number; i++) fprintf(out, "<%s", cell->frames[i]);
                break;
            case SECTION_NS:
            case SECTION_PERMILLE:
            case SECTION_SERIES:
            case SECTION_VARYING:
            case SECTION_NOTE:
            case SECTION_SAMPLED: break;
        }
    }
    if (fclose(out) != 0) prof_out_of_memory();
    return line;
}
