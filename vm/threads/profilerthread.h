// The VM's side of the profiler's threads (vm/api/profilerthread.h): their end at process exit.
#ifndef CABERNET_VM_THREADS_PROFILERTHREAD_H
#define CABERNET_VM_THREADS_PROFILERTHREAD_H

#include "vm/api/profilerthread.h"

// Asks all threads to stop and waits at most two seconds for them to end; a line on stderr names each that has not. No
// more can be started afterwards. Any thread, also while the world is stopped; blocks.
void profilerthread_stop_all(void);

// Around a fork (vm/boot/subsystems.def). In the child all of them have ended.
void profilerthread_before_fork(void);
void profilerthread_after_fork_parent(void);
void profilerthread_after_fork_child(void);

#endif
