// The pthread that keeps the green scheduler's time: deadlines, quanta, long native calls.
#ifndef CABERNET_VM_THREADS_GREEN_GREENMONITOR_H
#define CABERNET_VM_THREADS_GREEN_GREENMONITOR_H

#include <stdbool.h>
#include <stdint.h>

bool greenmonitor_start(void);
// A runnable thread may have to wait for a processor.
void greenmonitor_poke(void);
// A deadline has been set.
void greenmonitor_wake_before(int64_t deadline);

// After a fork, in the child: starts a new monitor. If that fails, no thread is preempted, as if the monitor never
// ticked.
void greenmonitor_after_fork_child(void);

#endif
