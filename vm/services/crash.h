// The handler of fatal signals: a short report on stderr, the crash hooks (vm/services/signal.h), abort.
#ifndef CABERNET_VM_SERVICES_CRASH_H
#define CABERNET_VM_SERVICES_CRASH_H

#include <signal.h>

void crash_handler(int sig, siginfo_t *info, void *context);
// Called before the process ends: if a thread is reporting a crash, waits for it to end the process and does not
// return.
void crash_let_report(void);
// Stores the previously installed handler, for threads that are not the VM's.
void crash_remember(int sig, const struct sigaction *old);

#endif
