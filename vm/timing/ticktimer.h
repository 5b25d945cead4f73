// Timers of processor time, one for each pthread of the process while time is sampled. At each tick, the pthread gets
// SIGPROF.
#ifndef CABERNET_VM_TIMING_TICKTIMER_H
#define CABERNET_VM_TIMING_TICKTIMER_H

#include <stdbool.h>
#include <stdint.h>

// Gives all present and future pthreads a timer of that period. Any thread; takes a lock, reads /proc.
void ticktimer_start(int64_t period_ns);
// Removes all timers. Returns the number of pthreads for which the system had none.
uint64_t ticktimer_stop(void);

// Called by a pthread of the VM at its start and end.
void ticktimer_pthread_begins(void);
void ticktimer_pthread_ends(void);

// Around a fork: the child has no timers.
void ticktimer_before_fork(void);
void ticktimer_after_fork_parent(void);
void ticktimer_after_fork_child(void);

#endif
