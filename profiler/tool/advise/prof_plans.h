// `cabernet-prof plans`: compares or averages the compiler's plans of several runs, as -Xreplay:record=FILE writes
// them.
#ifndef CABERNET_PROFILER_TOOL_ADVISE_PROF_PLANS_H
#define CABERNET_PROFILER_TOOL_ADVISE_PROF_PLANS_H

#include <stdbool.h>

// Prints the differences between the files (NULL-terminated), plan by plan. `all`: every difference of a plan, not only
// the first ones. Exit code 1 if there are differences, 2 with a message on stderr if a file cannot be read.
int prof_plans_compare(char **paths, bool all);

// Merges the files into one (docs/FORMATS.md, "Plans of several runs"): decisions of the majority, mean counts. Exit
// code 0, or 2 with a message on stderr: a file cannot be read or written, or the files are not of one program under
// one profile.
int prof_plans_average(char **paths, const char *output);

#endif
