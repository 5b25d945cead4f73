// Process exit (vm/services/halt.h).
#include "vm/services/halt.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "vm/model/vm.h"
#include "vm/instrument/profile.h"
#include "vm/services/crash.h"
#include "vm/services/hooks.h"
#include "vm/services/signal.h"
#include "vm/threads/thread.h"

static void wait_for_ever(void *arg) {
    (void)arg;
    for (;;) pause();
}

// Runs once, on the first thread; a second thread that exits meanwhile waits for the end of the process.
void halt_stop_subsystems(void) {
    if (atomic_exchange(&vm.exiting, true)) {
        Thread *self = thread_current();
        // The first thread may stop the world for its profile.
        if (self && thread_is_running(self)) thread_run_waiting(self, wait_for_ever, NULL);
        wait_for_ever(NULL);
    }
    service_hooks.stop_subsystems();
}

_Noreturn void halt(int code) {
    if (signal_caused_exit(code)) profile_ends_by_signal(code - 128);
    halt_stop_subsystems();
    fflush(NULL);
    if (vm.options.exit_hook) vm.options.exit_hook(code);
    crash_let_report();
    // Not exit(): other threads still run, and exit handlers of native libraries must not free what they use.
    _exit(code);
}
