// Counters of perf_event_open(2) for each pthread of the process, while the analysis `counters` records. Where one is
// sampled, the pthread gets SIGPROF each time that the counter has counted another period.
//
// A signal that arrives while another one is pending is lost. So a sample stands for all periods since the last one,
// which the counter's value tells.
#ifndef CABERNET_VM_TIMING_TICKCOUNTERS_H
#define CABERNET_VM_TIMING_TICKCOUNTERS_H

#include "vm/api/profiler.h"
#include "vm/threads/ticks.h"

// Gives all present and future pthreads the counters, which must stay valid until the stop. Any thread; takes a lock,
// reads /proc.
void tickcounters_start(const CounterRequest *counters);
bool tickcounters_on(void);
// Closes all counters, without handing anything in, after await_handlers, which waits for handlers that have begun:
// they may read counters.
void tickcounters_stop(void (*await_handlers)(void));

// Called by a pthread of the VM at its start and end. At its end, what it has counted since it was last handed in
// belongs to its role.
void tickcounters_pthread_begins(void);
void tickcounters_pthread_ends(EventThread *const roles[TICK_ROLES]);

// Reads the counters of the pthread with that number, and gives what they have counted since the last time to the
// thread. Any thread; takes a lock.
void tickcounters_hand_in(int os_id, EventThread *to);
// In a copy of a crashed process, which may hold any lock: the same for all threads that have taken a sample,
// and for pthreads of the compiler and the collector.
void tickcounters_hand_in_sampled(EventThread *const roles[TICK_ROLES]);
// The same for all pthreads that were never handed in for a thread: for the roles.
void tickcounters_hand_in_others(EventThread *const roles[TICK_ROLES]);

// For the handler of the signal that `fd` has sent: for each counter of the calling pthread, the number of periods that
// have passed since its last sample. Looks at all of them, because of signals that arrive together one may be lost.
// `to` is the pthread's present record, or NULL. False: none has passed, or the counter is not the calling pthread's
// any more. Async-signal-safe.
bool tickcounters_overflown(int fd, EventThread *to, uint32_t periods[COUNTERS]);

// Around a fork: the child has no counters.
void tickcounters_before_fork(void);
void tickcounters_after_fork_parent(void);
void tickcounters_after_fork_child(void);

#endif
