// Signals that report a fault of the running code: the rows of base/signals.def whose use is CRASH. They must reach the
// faulting thread, so no thread blocks them.
#ifndef CABERNET_BASE_SIGNALS_H
#define CABERNET_BASE_SIGNALS_H

#include <signal.h>

// Signal mask of the VM's own threads: signals sent to the process go to other threads. Async-signal-safe, like the
// other function.
static inline void signals_all_but_faults(sigset_t *set) {
#define SIGNALS_CRASH(sig) sigdelset(set, sig);
#define SIGNALS_ABORT(sig)
#define SIGNALS_DUMP(sig)
#define SIGNALS_SWALLOW(sig)
#define SIGNAL(sig, use, stack, chain) SIGNALS_##use(sig)
    sigfillset(set);
    sigdelset(set, SIGSYS);   // in a shadow it reports a system call to the calling thread
    sigdelset(set, SIGPROF);  // a tick of the thread's timer (vm/timing/tick.h)
#include "base/signals.def"
}

// From now on a fault or an abort ends the process by the default action.
static inline void signals_let_faults_kill(void) {
#undef SIGNALS_CRASH
#undef SIGNALS_ABORT
#define SIGNALS_CRASH(sig) signal(sig, SIG_DFL);
#define SIGNALS_ABORT(sig) signal(sig, SIG_DFL);
#define SIGNAL(sig, use, stack, chain) SIGNALS_##use(sig)
#include "base/signals.def"
#undef SIGNALS_CRASH
#undef SIGNALS_ABORT
#undef SIGNALS_DUMP
#undef SIGNALS_SWALLOW
}

#endif
