// Sources: where they are, and the counts of their lines, which every analysis that knows lines has.
#ifndef CABERNET_PROFILER_PROF_SOURCE_H
#define CABERNET_PROFILER_PROF_SOURCE_H

#include "profiler/tool/view/prof_view.h"

// A line of a source with a count of one analysis.
typedef struct ProfLine {
    const ProfMethod *method;  // of the source
    const char *class_name, *source;
    size_t package;            // length
    uint32_t line, analysis;
    uint64_t count;
} ProfLine;

// Those of the methods that pass the filters (without one: the program's), by source (prof_compare_sources), line and analysis;
// of one line and analysis there may be several. To be freed.
ProfLine *prof_source_lines(const ProfFile *f, const ProfOptions *o, size_t *count);
// Of lines of one source 0.
int prof_compare_sources(const ProfLine *a, const ProfLine *b);
// Opens the method's source: below the first of the folders, or in the first of the archives (jar, zip), that has it; colons separate
// them. NULL: none has.
FILE *prof_open_source(const ProfMethod *m, const char *folders);
// Whether the options' folders have one of the sources that prof_source_lines names, at least. True if it names none.
bool prof_has_any_source(const ProfFile *f, const ProfOptions *o);
// Does the analysis know lines, and do the options not leave it out?
bool prof_has_lines(const ProfFile *f, const ProfOptions *o, size_t analysis);

// Path of a method's source as a compiler has it: "demo/Main.java". malloc'd; NULL: there is none. A slash in the source's own name
// is replaced: no name leaves its package's folder.
char *prof_source_path(const ProfMethod *m);

// The file of that path in the first of the folders, which colons separate, that has it. malloc'd; NULL: none has.
char *prof_find_source(const char *path, const char *folders);

#endif
