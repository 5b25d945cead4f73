// The VM's side of the profiler's own threads (vm/api/profilerthread.h): how they end with the process.
#ifndef CABERNET_VM_THREADS_PROFILERTHREAD_H
#define CABERNET_VM_THREADS_PROFILERTHREAD_H

#include "vm/api/profilerthread.h"

// Asks all to stop and waits until they have, for two seconds at most; a line on stderr names those that have not. None
// can be started from now on. Any thread, also while the world is stopped; blocks.
void profilerthread_stop_all(void);

// Around a fork (vm/boot/subsystems.def). In the child they have all ended.
void profilerthread_before_fork(void);
void profilerthread_after_fork_parent(void);
void profilerthread_after_fork_child(void);

#endif
