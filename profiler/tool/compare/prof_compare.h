// Comparing profiles with each other and with thresholds.
#ifndef CABERNET_PROFILER_TOOL_COMPARE_PROF_COMPARE_H
#define CABERNET_PROFILER_TOOL_COMPARE_PROF_COMPARE_H

#include <jansson.h>

#include "profiler/tool/view/prof_view.h"

// Compare two files. Exit code 1 when they have no analysis in common.
int prof_overlap(const ProfFile *files, const ProfOptions *o, FILE *out);
int prof_diff(const ProfFile *files, const ProfOptions *o, FILE *out);
// Times between points that were passed in different processes. Exit code 1 when the files have no pair of marks with
// keys in common.
int prof_join(const ProfFile *files, const ProfOptions *o, FILE *out);
// The output of `overlap --json` for two profiles, analysis by analysis; empty when they have none in common.
json_t *prof_overlap_json(const ProfFile *files, const ProfOptions *o);

// Parses "NAME<=N", or with `least` "NAME>=N". False: wrong syntax.
bool prof_threshold(const char *text, bool least, ProfThreshold *out);
// `cabernet-prof check`. Exit code 1 when a threshold is violated (each violation has a line on `out`); 2 when the file
// has no exact entry counts, or the JUnit file cannot be written.
int prof_check(const ProfFile *f, const ProfOptions *o, FILE *out);

#endif
