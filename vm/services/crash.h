// The handler of fatal signals: a short report on stderr, the crash hooks (vm/services/signal.h), abort.
#ifndef CABERNET_VM_CRASH_H
#define CABERNET_VM_CRASH_H

#include <signal.h>

void crash_handler(int sig, siginfo_t *info, void *context);
// Before the process ends: does not return if a thread is reporting a crash, which then ends it.
void crash_let_report(void);
// The handler that was installed before, for threads that are not the VM's.
void crash_remember(int sig, const struct sigaction *old);

#endif
