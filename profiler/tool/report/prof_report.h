// Reports about one profile: as text, JSON, and tables of threads and locks as a page.
#ifndef CABERNET_PROFILER_PROF_REPORT_H
#define CABERNET_PROFILER_PROF_REPORT_H

#include "profiler/tool/view/prof_view.h"

// ---- reports: the program's exit codes ----

int prof_report(const ProfFile *f, const ProfOptions *o, FILE *out);
int prof_json(const ProfFile *f, const ProfOptions *o, FILE *out);
// `cabernet-prof report --html`: the sections as one page that needs nothing else.
int prof_html(const ProfFile *f, const ProfOptions *o, FILE *out);
// The calls of the methods that match o->method, and those that they make.
int prof_report_method(const ProfFile *f, const ProfOptions *o, FILE *out);
// The instructions of the methods that match o->bytecode, with the counts of each analysis.
int prof_report_bytecode(const ProfFile *f, const ProfOptions *o, FILE *out);
// The sources of the methods that pass the filters (without one: the program's), with the counts of each line.
int prof_report_source(const ProfFile *f, const ProfOptions *o, FILE *out);

// ---- their parts ----

// A row of a table: count, its share and that of all rows so far, a bar, text.
void prof_print_row(FILE *out, uint64_t count, uint64_t running, uint64_t all, uint64_t largest, const char *text);
// A table that is a tree (prof_is_tree): the `top` nodes with the largest inclusive counts that pass the filters, each below its
// parent; or the `top` sets of calls, or interprocedural paths, which are ways from the root, with the largest counts.
void prof_print_tree(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top, FILE *out);
void prof_print_sets(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top, FILE *out);
void prof_print_paths(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top, FILE *out);
// A section.
void prof_section_print(const ProfSection *s, const ProfOptions *o, FILE *out);
// Of an exact analysis of branches: those that went one way only. Nothing of other analyses.
void prof_print_one_way(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out);
// What the class library did for the program, by the program's calls of it; the rest in one line. Nothing without calls.
void prof_print_library(const ProfFile *f, const ProfOptions *o, FILE *out);

#endif
