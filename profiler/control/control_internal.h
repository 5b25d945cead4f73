// The profile of the process, shared by the files of this room. profiler.c owns it.
#ifndef CABERNET_PROFILER_CONTROL_CONTROL_INTERNAL_H
#define CABERNET_PROFILER_CONTROL_CONTROL_INTERNAL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "profiler/control/request.h"
#include "vm/api/profiler.h"

extern struct Profiler {
    Request *request;  // NULL: no profile was started
    ProfileNeeds needs;
    _Atomic bool scope_matches;  // scope= includes some method of the program
    const ProfileHost *host;
    char *path;
    int64_t wall_start_ns, start_ns;
    pid_t process;  // in any other process, only the calling thread exists
    _Atomic bool written;
} profiler;

// Whether an analysis takes events from the VM; otherwise productions hand them to it.
static inline bool profiler_listens(int a) { return profiler.request->analysis[a] && !profiler.request->fed[a]; }

// Whether this process is a copy of the one that started the profile: of a crashed one, or a shadow.
bool profiler_is_copy(void);

#endif
