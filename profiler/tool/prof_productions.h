// `cabernet-prof productions FILE... [CLASSES...]`.
#ifndef CABERNET_PROFILER_PROF_PRODUCTIONS_H
#define CABERNET_PROFILER_PROF_PRODUCTIONS_H

#include <stdbool.h>
#include <stdio.h>

// `files`: names of files of productions, or texts that contain "=>", and class files and archives (.class, .jar, .zip), in
// any order; ended by NULL. Returns the program's exit code: 1 for productions with an error, 2 for classes with one.
// `lines`: nothing but one line for each match: METHOD BCI PLACE PRODUCTION [if CONDITION].
int prof_productions(char **files, bool lines, FILE *out);

#endif
