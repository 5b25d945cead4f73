// `cabernet-prof report --bytecode NAME`: the instructions of methods with their counts, one column for each analysis
// that knows bytecode indexes.
#include <stdlib.h>

#include "bytecode/classfile/classfile.h"
#include "bytecode/classfile/disasm.h"
#include "profiler/tool/read/prof_classes.h"
#include "profiler/tool/report/prof_report.h"

enum { WIDTH = 13, MOST_METHODS = 20, INSTRUCTION = 400 };

// ---- class files -------------------------------------------------------------------------------

static bool is_text(ClassFileUtf8 utf8, const char *wanted) {
    char *text = prof_class_text(utf8.ptr, utf8.len);
    bool same = strcmp(text, wanted) == 0;
    free(text);
    return same;
}

// ---- counts ------------------------------------------------------------------------------------

// The count of one analysis at an instruction.
typedef struct PlaceCount {
    uint32_t bci, analysis;
    int64_t edge;  // of a branch; else -1
    uint64_t count;
} PlaceCount;

static int by_place(const void *x, const void *y) {
    const PlaceCount *a = x, *b = y;
    if (a->bci != b->bci) return a->bci < b->bci ? -1 : 1;
    if (a->analysis != b->analysis) return a->analysis < b->analysis ? -1 : 1;
    return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static bool is_shown(const ProfFile *f, const ProfOptions *o, uint32_t analysis) {
    int bci;
    const ProfAnalysis *a = &f->analyses[analysis];
    return (!o->analysis || strcmp(o->analysis, a->name) == 0) && strcmp(a->name, "path") != 0 &&
        prof_place_method(a, "bci", &bci) >= 0;
}

static PlaceCount *places_of(const ProfFile *f, const ProfOptions *o, uint32_t m, size_t *count) {
    PlaceCount *places = NULL;
    for (int pass = 0; pass < 2; pass++) {  // first counts, then stores
        size_t n = 0;
        for (uint32_t k = 0; k < f->analysis_count; k++) {
            const ProfAnalysis *a = &f->analyses[k];
            int bci, method = is_shown(f, o, k) ? prof_place_method(a, "bci", &bci) : -1, edge = prof_column(a, "edge");
            for (size_t i = 0; method >= 0 && i < a->merged.rows; i++) {
                const uint64_t *row = prof_row(a, &a->merged, i);
                if (row[method] != m || (int64_t)row[bci] < 0 || (int64_t)row[bci] > UINT16_MAX) continue;
                if (pass)
                    places[n] = (PlaceCount){(uint32_t)row[bci], k, edge >= 0 ? (int64_t)row[edge] : -1,
                                             prof_row_count(a, row)};
                n++;
            }
        }
        *count = n;
        if (!pass) places = prof_alloc(n * sizeof *places);
    }
    if (*count) qsort(places, *count, sizeof *places, by_place);
    return places;
}

// ---- text --------------------------------------------------------------------------------------

// Prints the counts of the instruction, from *at on: in the columns, and those of a branch's edges into `edges`.
static void print_counts(const ProfFile *f, const ProfOptions *o, const PlaceCount *places, size_t count, size_t *at,
                         uint32_t bci, FILE *edges, FILE *out) {
    char number[32];
    for (uint32_t k = 0; k < f->analysis_count; k++) {
        uint64_t sum = 0;
        if (!is_shown(f, o, k)) continue;
        for (; *at < count && places[*at].bci == bci && places[*at].analysis == k; ++*at) {
            const PlaceCount *p = &places[*at];
            sum += p->count;
            if (p->edge >= 0) fprintf(edges, "  edge %lld: %s", (long long)p->edge, prof_number(number, p->count));
        }
        fprintf(out, "%*s ", WIDTH, sum ? prof_number(number, sum) : "");
    }
}

static void print_code(const ProfFile *f, const ProfOptions *o, const ClassFile *cf, const ClassFileCode *code,
                       const PlaceCount *places, size_t count, FILE *out) {
    char text[INSTRUCTION];
    size_t at = 0, astray = 0;
    for (uint32_t bci = 0, length; bci < code->code_len; bci += length) {
        char *edges = NULL;
        size_t size;
        FILE *more = open_memstream(&edges, &size);
        if (!more) prof_out_of_memory();
        for (; at < count && places[at].bci < bci; at++) astray++;
        length = disasm_instruction(cf, code->code, code->code_len, bci, text, sizeof text);
        print_counts(f, o, places, count, &at, bci, more, out);
        if (fclose(more) != 0) prof_out_of_memory();
        int line = classfile_line_of(code, bci);
        if (line > 0) fprintf(out, "%6d", line);
        else fprintf(out, "%6s", "");
        fprintf(out, " %5u  %s%s\n", bci, text, edges);
        free(edges);
        if (!length) break;
    }
    if (astray += count - at)
        fprintf(out, "  %zu counts are of places that this class file does not have: it is another version\n", astray);
}

static void print_method(const ProfFile *f, const ProfOptions *o, uint32_t m, FILE *out) {
    const ProfMethod *method = &f->methods[m];
    size_t size, count;
    char *name = prof_method_text(method);
    ProfMatch match;
    uint8_t *bytes = prof_class_file(f, method->class_name, prof_class_path(f, o->classes), &size, &match);
    ClassFileError error;
    ClassFile *cf = bytes ? classfile_parse(bytes, size, NULL, &error) : NULL;
    const ClassFileMethod *info = NULL;
    for (uint32_t i = 0; cf && i < cf->method_count && !info; i++) {
        const ClassFileMethod *k = &cf->methods[i];
        if (is_text(classfile_utf8(cf, k->name_index), method->name) &&
            is_text(classfile_utf8(cf, k->desc_index), method->desc))
            info = k;
    }
    fprintf(out, "%s\n", name);
    if (bytes && match == CLASS_OTHER) {  // the counts belong to another class file
        const ProfClass *c = prof_class(f, method->class_name);
        fprintf(out, "  the class file that was found is not the one that ran: it has %zu bytes, that one had %llu",
                size, (unsigned long long)(c ? c->size : 0));
        if (c && c->origin) fprintf(out, " and came from %s", c->origin);
        fputs("; its counts may stand at other instructions\n", out);
    }
    if (!info || !info->code) {
        fprintf(out, "  %s\n\n",
                !bytes      ? "its class file was not found: name its folder or archive with --classes"
                    : !cf   ? "its class file is damaged"
                    : !info ? "the class file that was found has no such method"
                            : "native or abstract: it has no bytecode");
    } else {
        PlaceCount *places = places_of(f, o, m, &count);
        for (uint32_t k = 0; k < f->analysis_count; k++)
            if (is_shown(f, o, k)) fprintf(out, "%*.*s ", WIDTH, WIDTH, f->analyses[k].name);
        fputs("  line   bci  instruction\n", out);
        print_code(f, o, cf, info->code, places, count, out);
        putc('\n', out);
        free(places);
    }
    if (cf) classfile_free(cf);
    free(bytes);
    free(name);
}

int prof_report_bytecode(const ProfFile *f, const ProfOptions *o, FILE *out) {
    size_t found = 0, analyses = 0;
    for (uint32_t k = 0; k < f->analysis_count; k++) analyses += is_shown(f, o, k);
    if (!analyses) {
        fprintf(stderr,
                "cabernet-prof: %s has no counts of instructions (call-edge, call-tree, field-site, receiver and "
                "branch have them)\n",
                f->path);
        return 1;
    }
    for (uint32_t m = 0; m < f->method_count; m++) {
        const ProfMethod *method = &f->methods[m];
        if (method->flags & (FORMAT_METHOD_PSEUDO | FORMAT_METHOD_UNKNOWN) || !prof_match(method, o->bytecode))
            continue;
        if (found++ < MOST_METHODS) print_method(f, o, m, out);
    }
    if (found > MOST_METHODS) fprintf(out, "(%zu more methods match; say more of the name)\n", found - MOST_METHODS);
    if (!found) fprintf(stderr, "cabernet-prof: no method of the profile matches %s\n", o->bytecode);
    return found ? 0 : 1;
}
