// Commands of cabernet-prof that build on reports, exports and comparisons. All return the exit code.
#ifndef CABERNET_PROFILER_TOOL_PROF_COMMANDS_H
#define CABERNET_PROFILER_TOOL_PROF_COMMANDS_H

#include "profiler/tool/view/prof_view.h"

// `cabernet-prof html`: the o->file_count profiles, one or two, as a page.
int prof_page(const ProfFile *files, const ProfOptions *o, FILE *out);
// `cabernet-prof tui`: the profile in the terminal. `cabernet-prof top` and `live`: the process that o->files[0] names.
int prof_tui(const ProfFile *f, const ProfOptions *o, FILE *out);
int prof_top(const ProfOptions *o);
int prof_live(const ProfOptions *o);

// `cabernet-prof productions FILE... [CLASSES...]`. `files` (NULL-terminated, any order): production files, texts that
// contain "=>", class files and archives (.class, .jar, .zip). Exit code 1 for productions with an error, 2 for classes
// with one. `lines`: only one line for each match: METHOD BCI PLACE PRODUCTION [if CONDITION].
int prof_productions(char **files, bool lines, FILE *out);

#endif