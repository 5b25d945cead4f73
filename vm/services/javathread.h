// The java.lang.Thread side of threads: creating the objects, running and ending the threads.
#ifndef CABERNET_VM_SERVICES_JAVATHREAD_H
#define CABERNET_VM_SERVICES_JAVATHREAD_H

#include "vm/threads/thread.h"

// Boot, when String, System, Class and ThreadGroup are initialised (the function also initialises ThreadGroup and
// Thread): creates the groups "system" and "main" and the main thread's object. eetop and priority are set before
// <init>, threadStatus afterwards. False: exception pending.
bool javathread_create_main(Thread *self);
Object *javathread_main_group(void);

// Creates a java.lang.Thread for the attached thread `self` (which has none yet) in `group`.
bool javathread_create_attached(Thread *self, const char *name, Object *group, bool daemon);
// A daemon Thread object in the system group, added to it but not started. NULL: exception.
Object *javathread_new_daemon(Thread *self, const char *name, int priority);

// Body of a started thread: run(), then javathread_exit.
void javathread_run(Thread *self);
// Passes a pending exception to dispatchUncaughtException, calls Thread.exit(), sets the status to terminated and eetop
// to 0, notifies joiners. Leaves no exception pending. Once per thread.
void javathread_exit(Thread *self);
// No native thread can be created for `thread`, which the current thread is starting. If the end of the program depends
// on it, the current thread runs it in its place, to its end, and true is returned. Signal handlers and shutdown hooks
// are such threads: otherwise a program that has used up all threads could not be ended.
bool javathread_start_in_place(Thread *self, Object *thread);
// Has the thread a java.lang.Thread that has started and not ended?
bool javathread_is_alive(const Thread *t);
// The first step of javathread_exit: passes a pending exception to the thread's handler. For the main thread when the
// launcher detaches it. Prints natively when Java cannot.
void javathread_dispatch_uncaught(Thread *self);

#endif
