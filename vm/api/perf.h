// What `perf` is told about compiled code of all tiers, when -Xjit:perf-map or -Xjit:jitdump asks for it: addresses, names
// and bytes. One lock, held while a line is written; no function allocates Java objects, throws or reaches a safepoint.
#ifndef CABERNET_VM_API_PERF_H
#define CABERNET_VM_API_PERF_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(default)

// Whether anything is to be told, so that names need not be made for nothing. Constant once the VM runs.
bool perf_wanted(void);
// New code, before it can be freed. `name`: one line, which is copied. Opens the files at the first call, with a message
// on stderr if one cannot be opened; that one is left out from then on. Does nothing when nothing is wanted. Any thread;
// may block on the files.
void perf_add_code(const char *start, size_t size, const char *name);

#pragma GCC visibility pop

// What is wanted: perf-PID.map, jit-PID.dump. Before any thread runs code.
void perf_start(bool map, bool dump);
// Closes the files. Code that is added later is not told of.
void perf_finish(void);
// Around a fork (vm/boot/subsystems.h): compile threads may hold the lock. The files are the parent's; the child says nothing.
void perf_before_fork(void);
void perf_after_fork_parent(void);
void perf_after_fork_child(void);

#endif
