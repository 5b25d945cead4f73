// The profiles of the process, shared by the files of this room. profiler.c owns them.
#ifndef CABERNET_PROFILER_CONTROL_CONTROL_INTERNAL_H
#define CABERNET_PROFILER_CONTROL_CONTROL_INTERNAL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "profiler/control/collections.h"
#include "profiler/control/records.h"
#include "profiler/control/request.h"
#include "vm/api/profiler.h"

// A profile, or the place for one. All state of analyses that is outside (of rings, productions, shadows, samples of
// time) belongs to a mechanism that one profile at a time uses (vm/api/profiler.h).
struct Profiler {
    Request *request;  // NULL: no profile was started
    ProfileNeeds needs;
    _Atomic bool scope_matches;  // scope= includes some method of the program
    const ProfileHost *host;
    char *path;
    int64_t wall_start_ns, start_ns;
    pid_t process;  // in any other process, only the calling thread exists
    _Atomic bool written;
    Records records;
    Collections collections;
};
extern Profiler profilers[PROFILE_KINDS];

// Whether this process is a copy of the one that started the profile: of a crashed one, or a shadow.
bool profiler_is_copy(const Profiler *p);

#endif
