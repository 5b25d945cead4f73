// Signals the VM handles (base/signals.def), the Signal Dispatcher thread, and thread dumps.
#ifndef CABERNET_VM_SERVICES_SIGNAL_H
#define CABERNET_VM_SERVICES_SIGNAL_H

#include "vm/threads/thread.h"

#include <stdio.h>

// Installs the handlers of signals.def; before Java runs. Previous handlers are kept for chaining where the table says
// so.
void signal_init(void);
// Starts the Signal Dispatcher daemon. False: exception pending.
bool signal_start_dispatcher(Thread *self);

// JVM_FindSignal: "INT" or "SIGINT" -> number; -1: unknown.
int signal_find(const char *name);
// JVM_RegisterSignal: handler 0 default, 1 ignore, 2 Signal.dispatch, else a function. Returns the previous one in the
// same encoding, (void *)-1 if the VM reserves the signal.
void *signal_register(int sig, void *handler);
// JVM_RaiseSignal.
bool signal_raise(int sig);

// Does the process end with this exit code because of SIGHUP, SIGINT or SIGTERM passed on by the dispatcher?
bool signal_caused_exit(int code);

// The full thread dump in HotSpot's format; stops the world. `self` is running, or NULL when not attached.
void thread_dump(Thread *self, FILE *out);
typedef struct ThreadDumpRequest {
    Object *ownables;  // of threadlocks_ownables: lists those that each thread owns; NULL: omitted
    bool extended;     // bytes allocated and Thread.id of each thread
} ThreadDumpRequest;
void thread_dump_with(Thread *self, FILE *out, const ThreadDumpRequest *request);

// Hooks called in the crash handler, on the signal stack, before the process aborts: only async-signal-safe work. At
// most four; that of vm/instrument/profile.h is always installed.
void signal_add_crash_hook(void (*hook)(int sig));

// After a fork, in the child, which has no dispatcher: signals that end a process by default end it again.
void signal_after_fork_child(void);

#endif
