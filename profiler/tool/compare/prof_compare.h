// Profiles beside each other, and beside what is expected of them.
#ifndef CABERNET_PROFILER_PROF_COMPARE_H
#define CABERNET_PROFILER_PROF_COMPARE_H

#include <jansson.h>

#include "profiler/tool/view/prof_view.h"

// Of two files. Exit code 1 when they have no analysis in common.
int prof_overlap(const ProfFile *files, const ProfOptions *o, FILE *out);
int prof_diff(const ProfFile *files, const ProfOptions *o, FILE *out);
// What `overlap --json` says of two profiles, analysis by analysis: empty when they have none in common.
json_t *prof_overlap_json(const ProfFile *files, const ProfOptions *o);

// Reads "NAME<=N", or with `least` "NAME>=N". False: it is something else.
bool prof_threshold(const char *text, bool least, ProfThreshold *out);
// `cabernet-prof check`: the exit code, 1 when a threshold is violated, each of which has a line on `out`; 2 when the file does not
// have exact counts of entries, or the file for JUnit cannot be written.
int prof_check(const ProfFile *f, const ProfOptions *o, FILE *out);

#endif
