// What the formats of `cabernet-prof export` share.
#ifndef CABERNET_PROFILER_PROF_EXPORT_H
#define CABERNET_PROFILER_PROF_EXPORT_H

#include "profiler/tool/view/prof_view.h"

// Writes what the options leave of the file. Returns the program's exit code: 1 with a message on stderr when the file does not
// have what the format needs.
typedef int ProfExport(const ProfFile *f, const ProfOptions *o, FILE *out);
#define FORMAT(option, function, help) ProfExport function;
#include "profiler/tool/export/exports.def"
#undef FORMAT

// `cabernet-prof trace`: the exit code.
int prof_trace(const char *path, FILE *out);

#endif
