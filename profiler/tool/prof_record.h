// `cabernet-prof record PID`: a profile is started in a running process, ended, and converted.
#ifndef CABERNET_PROFILER_TOOL_PROF_RECORD_H
#define CABERNET_PROFILER_TOOL_PROF_RECORD_H

#include "profiler/tool/base/prof_process.h"

// Can the file be written, as far as that is known before? False with a message.
bool prof_record_can_write(const char *output);
// Records `analyses` (as after -Xprofile:) in an opened process for `seconds` (negative: without a limit), until the
// user interrupts, or until the process ends. 0: the profile is in p->path. Else the exit code, with a message.
int prof_record(ProfProcess *p, const char *analyses, double seconds);
// The profile cannot be converted to `output` (NULL: the terminal): keeps it, and says where it is.
void prof_record_keep(ProfProcess *p, const char *output);

#endif
