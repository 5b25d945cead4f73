// The profile as a file: at its end, or as a dump while the program runs.
#ifndef CABERNET_PROFILER_CONTROL_PROFILEFILE_H
#define CABERNET_PROFILER_CONTROL_PROFILEFILE_H

#include "vm/api/profiler.h"

// Functions of ProfilerInterface.
void profilefile_write(ProfileKind kind, const char *why, const ProfileRun *run);
bool profilefile_dump(ProfileKind kind, const char *path, const ProfileRun *run, bool last, char *error,
                      size_t error_size);

#endif
