// Declarations shared by the formats of `cabernet-prof export`.
#ifndef CABERNET_PROFILER_TOOL_EXPORT_PROF_EXPORT_H
#define CABERNET_PROFILER_TOOL_EXPORT_PROF_EXPORT_H

#include "profiler/tool/view/prof_view.h"

// Writes the part of the profile that passes the options. Returns the program's exit code: 1, with a message on stderr,
// when the profile lacks what the format needs.
typedef int ProfExport(const ProfFile *f, const ProfOptions *o, FILE *out);
#define FORMAT(option, function, help) ProfExport function;
#include "profiler/tool/export/exports.def"
#undef FORMAT

// `cabernet-prof trace`: the exit code.
int prof_trace(const char *path, FILE *out);

#endif
