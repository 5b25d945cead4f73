// The java.lang.Thread side of threads: making the objects, running them, ending them.
#ifndef CABERNET_VM_JAVATHREAD_H
#define CABERNET_VM_JAVATHREAD_H

#include "vm/threads/thread.h"

// Boot, when String, System, Class and ThreadGroup are initialised (the function initialises
// ThreadGroup and Thread itself as well): makes the groups "system" and "main" and the main
// thread's object. eetop and priority are set before <init>, threadStatus afterwards. False:
// exception pending.
bool javathread_create_main(Thread *self);
Object *javathread_main_group(void);

// Makes a java.lang.Thread for the attached thread `self` (which has none yet) in `group`.
bool javathread_create_attached(Thread *self, const char *name, Object *group, bool daemon);
// A started-as-daemon Thread object in the system group, added to it; not started. NULL: exception.
Object *javathread_new_daemon(Thread *self, const char *name, int priority);

// Body of a started thread: run(), then javathread_exit.
void javathread_run(Thread *self);
// Pending exception to dispatchUncaughtException, Thread.exit(), status terminated, eetop 0,
// joiners notified. Leaves no exception pending. Once per thread.
void javathread_exit(Thread *self);
// No thread can be had for `thread`, which is being started by the current one. If the end of the program depends on it,
// the current thread runs it as if it were that one, to its end, and answers true. The handler of a signal and the
// shutdown hooks are such threads: without this a program that has used up all threads could not be ended.
bool javathread_start_in_place(Thread *self, Object *thread);
// Only the first step: hands a pending exception to the thread's handler. For the main thread when
// the launcher detaches it. Prints natively when Java cannot.
void javathread_dispatch_uncaught(Thread *self);

#endif
