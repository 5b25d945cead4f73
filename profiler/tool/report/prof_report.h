// Reports about one profile: text, JSON, and a page with tables of threads and locks.
#ifndef CABERNET_PROFILER_TOOL_REPORT_PROF_REPORT_H
#define CABERNET_PROFILER_TOOL_REPORT_PROF_REPORT_H

#include "profiler/tool/view/prof_view.h"

// ---- reports; all return the program's exit code ----

int prof_report(const ProfFile *f, const ProfOptions *o, FILE *out);
int prof_json(const ProfFile *f, const ProfOptions *o, FILE *out);
// `cabernet-prof report --html`: the sections as one self-contained page.
int prof_html(const ProfFile *f, const ProfOptions *o, FILE *out);
// The callers and callees of the methods that match o->method.
int prof_report_method(const ProfFile *f, const ProfOptions *o, FILE *out);
// The instructions of the methods that match o->bytecode, with the counts of each analysis.
int prof_report_bytecode(const ProfFile *f, const ProfOptions *o, FILE *out);
// The sources of the methods that pass the filters (without filters: the program's), with the counts of each line.
int prof_report_source(const ProfFile *f, const ProfOptions *o, FILE *out);

// ---- parts of reports ----

static inline double prof_percent(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0;
}
// A table row: count, its share, the cumulative share, a bar, text.
void prof_print_row(FILE *out, uint64_t count, uint64_t running, uint64_t all, uint64_t largest, const char *text);
// A table that is a tree (prof_is_tree): the `top` nodes with the largest inclusive counts that pass the filters, each
// below its parent. For sets of calls and interprocedural paths, which are paths from the root: the `top` ones with the
// largest counts.
void prof_print_tree(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                     FILE *out);
void prof_print_sets(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                     FILE *out);
void prof_print_paths(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, const ProfOptions *o, size_t top,
                      FILE *out);
// For samples of time: what was executed, and methods by their time. Prints nothing for other analyses.
void prof_print_time(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, size_t top, FILE *out);
// For the analysis of simulated caches: accesses and misses by method, by line, by field and by class.
bool prof_is_cache(const ProfAnalysis *a);
void prof_print_cache(const ProfFile *f, const ProfOptions *o, size_t top, FILE *out);
// Its total miss rates and the caches, as a sentence. False: the profile has no such analysis.
bool prof_cache_rates(const ProfFile *f, char *text, size_t size);
// For values: how invariant the places are. Prints nothing for other analyses. others_last: moves the rows of values
// without a row of their own after all others.
void prof_print_values(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, size_t top, FILE *out);
void prof_others_last(const ProfFile *f, const ProfAnalysis *a, const ProfTable *t, ProfView *v);
// For reuse distances: accesses by distance. Prints nothing for other analyses.
void prof_print_reuse(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out);
// The findings of an analysis of threads, in sentences. Prints nothing without that analysis.
void prof_print_findings(const ProfFile *f, const ProfOptions *o, FILE *out);
// Does the section answer the question for which its analysis is recorded? Then it comes before all tables.
bool prof_section_is_answer(const ProfSection *s);
// Is the section left out without --verbose?
bool prof_section_is_detail(const ProfSection *s);
// A section.
void prof_section_print(const ProfFile *f, const ProfSection *s, const ProfOptions *o, FILE *out);
// For an exact analysis of branches: branches that went only one way. Prints nothing for other analyses.
void prof_print_one_way(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out);
// Library work by the program's calls that caused it; the rest in one line. Prints nothing without calls.
void prof_print_library(const ProfFile *f, const ProfOptions *o, FILE *out);

#endif
