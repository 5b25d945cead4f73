// Sources: their paths, and the counts of their lines in every analysis that has lines.
#ifndef CABERNET_PROFILER_TOOL_VIEW_PROF_SOURCE_H
#define CABERNET_PROFILER_TOOL_VIEW_PROF_SOURCE_H

#include "profiler/tool/view/prof_view.h"

// The count of one analysis at a source line.
typedef struct ProfLine {
    const ProfMethod *method;  // a method of the source
    const char *class_name, *source;
    size_t package;  // length
    uint32_t line, analysis;
    uint64_t count;
} ProfLine;

// The lines of methods that pass the filters (without filters: the program's), sorted by source (prof_compare_sources),
// line and analysis. There may be several for one line and analysis. The caller frees them.
ProfLine *prof_source_lines(const ProfFile *f, const ProfOptions *o, size_t *count);
// 0 for two lines of the same source.
int prof_compare_sources(const ProfLine *a, const ProfLine *b);
// Opens the method's source: from the first of the folders and archives (jar, zip), separated by colons, that has it.
// NULL: none has it.
FILE *prof_open_source(const ProfMethod *m, const char *folders);
// Do the options' folders have at least one of the sources named by prof_source_lines? True if it names none.
bool prof_has_any_source(const ProfFile *f, const ProfOptions *o);
// Does the analysis have lines, and do the options select it?
bool prof_has_lines(const ProfFile *f, const ProfOptions *o, size_t analysis);

// Path of a method's source relative to a source folder: "demo/Main.java". malloc'd; NULL: none. A slash in the
// source's name is replaced, so that a name cannot leave its package's folder.
char *prof_source_path(const ProfMethod *m);

// The file with this path in the first of the folders (separated by colons) that has it. malloc'd; NULL: none has it.
char *prof_find_source(const char *path, const char *folders);

#endif
