// Threads of the profiler's own: consumers and controllers. Each is a pthread, with native and with green threads, that
// is none of the VM's threads: it never runs Java, no stop waits for it and it goes on while the world is stopped. So
// the Java program sees it nowhere (Thread, ThreadMXBean, thread dumps), and the end of the program does not wait
// for it. It has no signals but those of its own faults. The VM stops those that are left when the process ends:
// after the Java threads have come to a stand, and before the profile is written. Implemented in
// vm/threads/profilerthread.c.
#ifndef CABERNET_VM_API_PROFILERTHREAD_H
#define CABERNET_VM_API_PROFILERTHREAD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ProfilerThread ProfilerThread;
typedef void ProfilerThreadFn(ProfilerThread *self, void *arg);

// Starts fn(thread, arg). The system's tools show `name`, cut to 15 bytes. NULL: memory is out, the system refuses, or
// the process is about to end. Any thread, any state; takes locks for a short time. The structure is the VM's: it is
// valid until profilerthread_stop, or the process's end.
ProfilerThread *profilerthread_start(const char *name, ProfilerThreadFn *fn, void *arg);

// For fn. Sleeps until profilerthread_wake, a request to stop, or the deadline (thread_now() ns, or THREAD_FOREVER). A wake
// given before counts. False: the thread is asked to stop, and fn should finish what it has to do and return.
bool profilerthread_sleep(ProfilerThread *self, int64_t deadline);
bool profilerthread_must_stop(const ProfilerThread *self);

// Ends the thread's sleep, or its next one. Any thread, any state; neither blocks nor takes locks, so that
// sinks may call it.
void profilerthread_wake(ProfilerThread *t);

// Asks the thread to stop and waits until fn has returned, or until the deadline: false then, and the thread stays the
// VM's. True: `t` is invalid. Blocks: not on a running thread, and not on `t` itself.
bool profilerthread_stop(ProfilerThread *t, int64_t deadline);

#endif
