// Signals the VM handles (base/signals.def), the Signal Dispatcher thread, and thread dumps.
#ifndef CABERNET_VM_SIGNAL_H
#define CABERNET_VM_SIGNAL_H

#include "vm/threads/thread.h"

#include <stdio.h>

// Installs the handlers of signals.def; before Java runs. Handlers that were there are kept for
// chaining where the table says so.
void signal_init(void);
// Starts the Signal Dispatcher daemon. False: exception pending.
bool signal_start_dispatcher(Thread *self);

// JVM_FindSignal: "INT" or "SIGINT" -> number, -1 when unknown.
int signal_find(const char *name);
// JVM_RegisterSignal: handler 0 default, 1 ignore, 2 Signal.dispatch, else a function. Returns the
// old one in the same coding, (void *)-1 when the VM keeps the signal to itself.
void *signal_register(int sig, void *handler);
// JVM_RaiseSignal.
bool signal_raise(int sig);

// Does the process end with this exit code because of SIGHUP, SIGINT or SIGTERM, which the dispatcher has handed on?
bool signal_caused_exit(int code);

// The full thread dump in HotSpot's format; stops the world. `self` running, or NULL when not
// attached.
void thread_dump(Thread *self, FILE *out);
typedef struct ThreadDumpRequest {
    Object *ownables;  // of threadlocks_ownables: lists those each thread owns; NULL: does not
    bool extended;     // bytes allocated and Thread.id of each thread
} ThreadDumpRequest;
void thread_dump_with(Thread *self, FILE *out, const ThreadDumpRequest *request);

// Called in the crash handler, on the signal stack, before the process aborts: only
// async-signal-safe work. Up to four; vm/instrument/profile.h's is there from the start.
void signal_add_crash_hook(void (*hook)(int sig));

// After a fork, in the child, where nobody dispatches signals: those end it that end a process by default.
void signal_after_fork_child(void);

#endif
