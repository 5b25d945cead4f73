// Threads of the profiler: consumers and controllers. With native and green threads alike each is a pthread outside the
// VM: it never runs Java, no stop waits for it and it continues while the world is stopped. So the Java program never
// sees it (Thread, ThreadMXBean, thread dumps), and the end of the program does not wait for it. All signals except its
// own faults are blocked. At process exit the VM stops the remaining ones, after the Java threads have stopped and
// before the profile is written. Implemented in vm/threads/profilerthread.c.
#ifndef CABERNET_VM_API_PROFILERTHREAD_H
#define CABERNET_VM_API_PROFILERTHREAD_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ProfilerThread ProfilerThread;
typedef void ProfilerThreadFn(ProfilerThread *self, void *arg);

// Starts fn(thread, arg). The system's tools show `name`, truncated to 15 bytes. NULL: memory is out, the system
// refuses, or the process is about to end. Any thread, any state; takes locks briefly. The structure belongs to the VM
// and is valid until profilerthread_stop, or the process's end.
ProfilerThread *profilerthread_start(const char *name, ProfilerThreadFn *fn, void *arg);

// For fn. Sleeps until profilerthread_wake, a request to stop, or the deadline (thread_now() ns, or THREAD_FOREVER). An
// earlier wake counts. False: the thread must stop; fn should finish its work and return.
bool profilerthread_sleep(ProfilerThread *self, int64_t deadline);
bool profilerthread_must_stop(const ProfilerThread *self);

// Ends the thread's sleep, or its next one. Any thread, any state; neither blocks nor takes locks, so sinks may call
// it.
void profilerthread_wake(ProfilerThread *t);

// Asks the thread to stop and waits until fn has returned; then `t` is invalid. False: not by the deadline, and the
// thread stays the VM's. Blocks: not on a running thread, and not on `t` itself.
bool profilerthread_stop(ProfilerThread *t, int64_t deadline);

#endif
