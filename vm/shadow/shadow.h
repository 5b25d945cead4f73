// Shadow profiling: copies of the process that run the next stretch of the program with instrumentation, while the
// program itself goes on without any. (Moseley, Shye, Reddi, Grunwald and Peri, CGO 2007; docs/PROFILING.md, "Shadows".)
//
// The controller (vm/shadow/controller.c) is a thread of the profiler's in the program's process. It stops the world now
// and then, forks, and takes what the shadow hands over when that has ended. In the shadow it is the only thread at
// first: it is the warden (vm/shadow/warden.c), which gives the Java threads pthreads again, switches the profile on,
// waits for the shadow's end, writes what was collected, and exits. Java code runs in code that was compiled for shadows
// beforehand (vm/adaptive/compilequeue.c) and in the interpreter; nothing is compiled there.
//
// Nothing that a shadow does is to be seen outside: vm/shadow/syscalls.def says of each system call what happens to
// it, and a seccomp filter made from that table enforces it (vm/shadow/filter.c, vm/shadow/emulate.c);
// vm/shadow/natives.def does the same for native methods. What no table has ends the shadow.
#ifndef CABERNET_VM_SHADOW_H
#define CABERNET_VM_SHADOW_H

#include "vm/api/shadow.h"
#include "vm/model/class.h"

// Starts the controller; once, when the program is about to begin, by the main thread, running. Where there is always to
// be a shadow, the first one is forked before the caller goes on. No-op without where=shadow. [switch]
void shadow_start(Thread *self);

// The end of the program, in two steps: no more shadows are forked (any state but running; waits for a fork under way);
// then, the world stopped, those that run are told to end, are waited for, and the profile gets the facts.
void shadow_close(void);
void shadow_finish(void);

// ---- in a shadow ----

// This process is one.
bool shadow_is_here(void);
// The program is about to end here: its hooks do not run, and the shadow ends. Does not return. Any state.
_Noreturn void shadow_program_ends(void);
// Asked before a native method is called: does not return where the call would end the shadow. Running state.
void shadow_check_native(const Method *m, const void *fn);

#endif
