// Shadow profiling: copies of the process run the next stretch of the program with instrumentation, while the program
// itself continues without any. (Moseley, Shye, Reddi, Grunwald and Peri, CGO 2007; docs/PROFILING.md, "Shadows".)
//
// The controller (vm/shadow/controller.c) is one of the profiler's threads in the program's process. From time to time
// it stops the world, forks, and takes over the results when the shadow has ended. In the shadow the forked thread is
// the only one at first. It becomes the warden (vm/shadow/warden.c): it gives the Java threads pthreads again, switches
// the profile on, waits for the shadow's end, writes the results, and exits. Java code runs as code compiled for
// shadows beforehand (vm/adaptive/compilequeue.c) and in the interpreter; a shadow compiles nothing.
//
// No effect of a shadow is visible outside it. vm/shadow/syscalls.def says for each system call what happens to it, and
// a seccomp filter made from that table enforces it (vm/shadow/filter.c, vm/shadow/emulate.c).
// vm/shadow/safenatives.def does the same for native methods. Anything in neither table ends the shadow.
#ifndef CABERNET_VM_SHADOW_SHADOW_H
#define CABERNET_VM_SHADOW_SHADOW_H

#include "vm/api/shadow.h"
#include "vm/model/class.h"

// Starts the controller; once, just before the program begins, by the main thread, running. If there is always to be a
// shadow, forks the first one before it returns. No-op without where=shadow. [switch]
void shadow_start(Thread *self);
// The same for a profile that starts while the program runs.
void shadow_start_late(Thread *self);
// Passes the present facts to the profile. World stopped.
void shadow_report(void);

// The end of the program, in two steps. close: no more shadows are forked (any state but running; waits for a fork in
// progress). finish, with the world stopped: asks running shadows to end, waits for them, and passes the facts to the
// profile.
void shadow_close(void);
void shadow_finish(void);

// The end of a profile on request, in a program that continues. await, after close: asks running shadows to end, waits
// for them, and takes their results. forget: another profile may start. Any state but running.
void shadow_await(void);
void shadow_forget(void);

// Whether native methods that wait for input can be called again in a shadow. Any state.
bool shadow_replays_input(void);
// The native method is over: if a shadow is forked before the thread is running, it continues from here. Native state.
void shadow_native_is_over(Thread *self);
// A library of the JDK may have been loaded: its calls on streams are recorded and replayed.
void shadow_watch_libraries(void);

// ---- in a shadow ----

// Whether this process is a shadow.
bool shadow_is_here(void);
// The program is about to end in a shadow: the shadow ends without running the program's hooks. Does not return. Any
// state.
_Noreturn void shadow_program_ends(void);
// Called before a native method; does not return if the call ends the shadow. Running state.
void shadow_check_native(const Method *m, const void *fn);

#endif
