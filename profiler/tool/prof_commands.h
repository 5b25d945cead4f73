// The commands of cabernet-prof that are made of what reports, exports and comparisons are made of. All return the exit code.
#ifndef CABERNET_PROFILER_PROF_COMMANDS_H
#define CABERNET_PROFILER_PROF_COMMANDS_H

#include "profiler/tool/view/prof_view.h"

// `cabernet-prof html`: one profile or two as a page.
int prof_page(const ProfFile *files, size_t count, const ProfOptions *o, FILE *out);
// `cabernet-prof tui`: the profile in the terminal. `cabernet-prof top`: of the process that o->files[0] names.
int prof_tui(const ProfFile *f, const ProfOptions *o, FILE *out);
int prof_top(const ProfOptions *o);

// `cabernet-prof productions FILE... [CLASSES...]`. `files`: names of files of productions, or texts that contain "=>", and class files and archives (.class, .jar, .zip), in
// any order; ended by NULL. Returns the program's exit code: 1 for productions with an error, 2 for classes with one.
// `lines`: nothing but one line for each match: METHOD BCI PLACE PRODUCTION [if CONDITION].
int prof_productions(char **files, bool lines, FILE *out);

#endif