// `cabernet-prof plans`: plans of the compiler, as -Xreplay:record=FILE writes them, of several runs beside each other.
#ifndef CABERNET_PROFILER_PROF_PLANS_H
#define CABERNET_PROFILER_PROF_PLANS_H

#include <stdbool.h>

// Says on standard output what the files (NULL at the end) do not have in common, plan by plan; `all`: every difference of a plan, not the first
// ones alone. Exit code 1 if there is anything, 2 with a message on stderr if a file cannot be read.
int prof_plans_compare(char **paths, bool all);

// Writes one file of them, which docs/FORMATS.md describes under "Plans of several runs": decisions of the majority, mean counts. Exit code 0, or 2
// with a message on stderr: a file cannot be read or written, or files are not of one program under one profile.
int prof_plans_average(char **paths, const char *output);

#endif
