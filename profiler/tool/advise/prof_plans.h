// `cabernet-prof plans`: plans of the compiler, as -Xreplay:record=FILE writes them.
#ifndef CABERNET_PROFILER_PROF_PLANS_H
#define CABERNET_PROFILER_PROF_PLANS_H

// Says on standard output what the files (NULL at the end) do not have in common: exit code 1 if there is anything, 2 with a message
// if one cannot be read. With `output` it makes one file of them: what more than half of them compile, each by the plan that most
// of them have, at the middle one of their moments.
int prof_plans(char **paths, const char *output);

#endif
