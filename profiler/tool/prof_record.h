// `cabernet-prof record`: a profile of a running process, which is started and ended in it, or of a program that is
// started with it.
#ifndef CABERNET_PROFILER_TOOL_PROF_RECORD_H
#define CABERNET_PROFILER_TOOL_PROF_RECORD_H

#include "profiler/tool/base/prof_process.h"

// Can the file be written, as far as that is known before? False with a message.
bool prof_record_can_write(const char *output);
// Records `analyses` (as after -Xprofile:) in an opened process for `seconds` (negative: without a limit), until the
// user interrupts, or until the process ends. 0: the profile is in p->path. Else the exit code, with a message.
int prof_record(ProfProcess *p, const char *analyses, double seconds);
// Starts the program that `command` names (cabernet, or arguments for it) with a profile that is written to p->path, and
// waits for its end; *p is of prof_process_prepare. Returns the program's exit code, or 128 and the number of the signal
// that has ended it; -1: it could not be started. With a message, also where the program has left no profile. From then
// on signals are caught (prof_catch_interrupts).
int prof_record_command(ProfProcess *p, char **command, const char *analyses);
// The profile cannot be converted to `output` (NULL: the terminal): keeps it, and says where it is.
void prof_record_keep(ProfProcess *p, const char *output);

#endif
