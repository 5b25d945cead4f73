// Descriptions of compiled code for `perf`: addresses, names and bytes of the code of all tiers, written when
// -Xjit:perf-map or -Xjit:jitdump requests them. One lock, held while a line is written; no function allocates Java
// objects, throws or reaches a safepoint.
#ifndef CABERNET_VM_API_PERF_H
#define CABERNET_VM_API_PERF_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

// Whether either file is wanted. A caller that has to make a name first tests this. Constant once the VM runs.
bool perf_wanted(void);
// Adds new code to the wanted files, before it can be freed. `name`: one line, which is copied. The first call opens
// the files. A file that cannot be opened is reported on stderr and left out. Any thread; may block on the files.
void perf_add_code(const char *start, size_t size, const char *name);

#pragma GCC visibility pop

// Selects the files to write: perf-PID.map, jit-PID.dump. Called before any thread runs code.
void perf_start(bool map, bool dump);
// Closes the files. Code that is added later is ignored.
void perf_finish(void);
// Around a fork (vm/boot/subsystems.h): compile threads may hold the lock. The files belong to the parent; the child
// writes nothing.
void perf_before_fork(void);
void perf_after_fork_parent(void);
void perf_after_fork_child(void);

#endif
