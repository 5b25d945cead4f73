// `cabernet-prof report --source DIR`: the program's sources with the counts of each line, one column for each analysis
// that knows lines. A source is searched in its package's folder below each DIR, like javac's -sourcepath.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/report/prof_report.h"
#include "profiler/tool/view/prof_source.h"

enum { WIDTH = 13 };

// Prints the counts of one line, which begin at *at, in column order.
static void print_counts(const ProfFile *f, const ProfOptions *o, const ProfLine *counts, size_t end, size_t *at,
                         uint32_t line, FILE *out) {
    for (uint32_t a = 0; a < f->analysis_count; a++) {
        uint64_t sum = 0;
        char number[32];
        if (!prof_has_lines(f, o, a)) continue;
        for (; *at < end && counts[*at].line == line && counts[*at].analysis == a; ++*at) sum += counts[*at].count;
        fprintf(out, "%*s ", WIDTH, sum ? prof_number(number, sum) : "");
    }
}

static void print_source(const ProfFile *f, const ProfOptions *o, const ProfLine *counts, size_t at, size_t end,
                         FILE *out) {
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
    while (at < end) {  // no source, or lines past the end of a different version of it
        line = counts[at].line;
        print_counts(f, o, counts, end, &at, line, out);
        fprintf(out, "%5u\n", line);
    }
    free(text);
    if (in) fclose(in);
}

int prof_report_source(const ProfFile *f, const ProfOptions *o, FILE *out) {
    size_t n;
    ProfLine *counts = prof_source_lines(f, o, &n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && prof_compare_sources(&counts[i], &counts[end]) == 0;) end++;
        print_source(f, o, counts, i, end, out);
    }
    free(counts);
    if (!n)
        fprintf(stderr,
                "cabernet-prof: %s has no counts of lines for that (call-edge, field-site, receiver and branch have "
                "them)\n",
                f->path);
    return n ? 0 : 1;
}
