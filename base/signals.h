// Which signals report a fault of the code that runs: the rows of base/signals.def whose use is CRASH. They
// must reach the thread that they are about, so no thread blocks them.
#ifndef CABERNET_BASE_SIGNALS_H
#define CABERNET_BASE_SIGNALS_H

#include <signal.h>

// The mask of threads of the VM's own: signals that are meant for the process go to other threads.
// Async-signal-safe, as the other one.
static inline void signals_all_but_faults(sigset_t *set) {
#define SIGNALS_CRASH(sig) sigdelset(set, sig);
#define SIGNALS_ABORT(sig)
#define SIGNALS_DUMP(sig)
#define SIGNALS_SWALLOW(sig)
#define SIGNAL(sig, use, stack, chain) SIGNALS_##use(sig)
    sigfillset(set);
    sigdelset(set, SIGSYS);  // in a shadow it reports a system call to the thread that makes it
#include "base/signals.def"
}

// A fault ends the process from now on, and so does abort.
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
