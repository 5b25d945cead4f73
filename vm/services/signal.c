// Signals. Handlers only record the signal and post a semaphore. The Signal Dispatcher thread does the rest in Java, or
// writes the thread dump. vm/services/crash.c handles crashes.
#include "vm/services/signal.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "vm/model/class.h"
#include "vm/objects/classes.h"
#include "vm/services/crash.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/loading/loader.h"
#include "vm/objects/symbol.h"
#include "vm/model/vm.h"
#include "vm/services/hooks.h"

enum { DISPATCHER_PRIORITY = 9, SIGNAL_COUNT = 65 };

typedef enum Use { CRASH, ABORT, DUMP, SWALLOW } Use;
typedef enum Stack { THREAD, OWN } Stack;
typedef enum Chain { NONE, FOREIGN } Chain;

typedef struct Row {
    int sig;
    Use use;
    Stack stack;
    Chain chain;
} Row;

static const Row rows[] = {
#define SIGNAL(sig, use, stack, chain) {sig, use, stack, chain},
#include "base/signals.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static struct Signals {
    sem_t posted;
    _Atomic int pending[SIGNAL_COUNT];
    _Atomic int ending;  // the last dispatched signal that by default ends the program
} signals;

// ---- handlers ------------------------------------------------------------------------------

static void note(int sig) {
    int saved = errno;
    atomic_fetch_add(&signals.pending[sig], 1);
    sem_post(&signals.posted);
    errno = saved;
}

static void swallow(int sig) { (void)sig; }

void signal_init(void) {
    sem_init(&signals.posted, 0, 0);
    for (int i = 0; i < ROWS; i++)
        if (rows[i].use != DUMP || !vm.options.reduce_signals) {
            struct sigaction new = {.sa_flags = SA_RESTART}, old;
            sigfillset(&new.sa_mask);
            if (rows[i].stack == OWN) new.sa_flags |= SA_ONSTACK;
            switch (rows[i].use) {
                case DUMP: new.sa_handler = note; break;
                case SWALLOW: new.sa_handler = swallow; break;
                case CRASH:
                case ABORT:
                    new.sa_sigaction = crash_handler;
                    // A second fault while reporting must get through.
                    new.sa_flags |= SA_SIGINFO | SA_NODEFER;
                    sigemptyset(&new.sa_mask);
                    break;
            }
            if (sigaction(rows[i].sig, &new, &old) == 0 && rows[i].chain == FOREIGN) crash_remember(rows[i].sig, &old);
        }
}

// ---- requests of sun.misc.Signal -----------------------------------------------------------

int signal_find(const char *name) {
    static const struct {
        const char *name;
        int sig;
    } aliases[] = {
        {"CLD", SIGCHLD},
        {"IOT", SIGABRT},
        {"IO", SIGIO},
        {"UNUSED", SIGSYS},
    };
    if (strncmp(name, "SIG", 3) == 0) name += 3;
    for (int sig = 1; sig < SIGNAL_COUNT; sig++) {
        const char *abbreviation = sigabbrev_np(sig);
        if (abbreviation && strcmp(abbreviation, name) == 0) return sig;
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].name, name) == 0) return aliases[i].sig;
    return -1;
}

static bool ends_program(int sig) { return sig == SIGHUP || sig == SIGINT || sig == SIGTERM; }

static bool is_ignored(int sig) {
    struct sigaction now;
    return sigaction(sig, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN;
}

void *signal_register(int sig, void *handler) {
    void *refused = (void *)-1, *ignored = (void *)1, *dispatch = (void *)2;
    if (sig < 1 || sig >= SIGNAL_COUNT || (vm.options.reduce_signals && ends_program(sig))) return refused;
    // HotSpot leaves SIGBUS to the program, so programs may rely on it.
    for (int i = 0; i < ROWS; i++)
        if (rows[i].sig == sig && sig != SIGBUS && rows[i].use != SWALLOW && rows[i].use != ABORT) return refused;
    if (ends_program(sig) && is_ignored(sig)) return ignored;
    struct sigaction new = {.sa_flags = SA_RESTART}, old;
    sigfillset(&new.sa_mask);
    new.sa_handler = handler == dispatch ? note : (void (*)(int))handler;
    if (sigaction(sig, &new, &old) != 0) return refused;
    return old.sa_handler == note ? dispatch : (void *)old.sa_handler;
}

bool signal_raise(int sig) {
    if (vm.options.reduce_signals && (ends_program(sig) || sig == SIGQUIT)) return false;
    if (ends_program(sig) && is_ignored(sig)) return false;
    raise(sig);
    return true;
}

// ---- the dispatcher ------------------------------------------------------------------------

static void wait_posted(void *arg) {
    (void)arg;
    while (sem_wait(&signals.posted) != 0) continue;
}

static int wait_for_signal(Thread *self) {
    thread_run_waiting(self, wait_posted, NULL);
    for (int sig = 1; sig < SIGNAL_COUNT; sig++) {
        int n = atomic_load(&signals.pending[sig]);
        while (n > 0)
            if (atomic_compare_exchange_weak(&signals.pending[sig], &n, n - 1)) return sig;
    }
    return 0;
}

bool signal_caused_exit(int code) {
    int sig = atomic_load(&signals.ending);
    return sig && code == 128 + sig;
}

static void dispatch(Thread *self, int sig) {
    if (ends_program(sig)) atomic_store(&signals.ending, sig);
    Class *c = loader_find_boot(self, symbol_of("jdk/internal/misc/Signal"));
    Method *m = c ? class_find_declared_method(c, symbol_of("dispatch"), symbol_of("(I)V")) : NULL;
    Slot arg = {.i = sig};
    if (m) invoke_method(self, m, &arg, NULL, ENTRY_VM);
    if (!self->exception) return;
    // Most likely there is no memory for the handler's thread; report the signal here, since no handler will.
    const char *name = sigabbrev_np(sig);
    printf("OpenJDK 64-Bit Server VM warning: Exception %s occurred dispatching signal SIG%s to handler"
           "- the VM may need to be forcibly terminated\n",
           class_external_name(object_class(self->exception)), name ? name : "?");
    fflush(stdout);
    exception_clear(self);
}

static void dispatch_loop(Thread *self, void *arg) {
    (void)arg;
    for (;;) {
        int sig = wait_for_signal(self);
        if (sig == SIGQUIT) {
            if (!service_hooks.attach_requested(self)) thread_dump(self, stdout);
        } else if (sig) {
            dispatch(self, sig);
        }
    }
}

bool signal_start_dispatcher(Thread *self) {
    return thread_start_service(self, "Signal Dispatcher", DISPATCHER_PRIORITY, dispatch_loop, NULL);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

// The child has no dispatcher: restores the default action of the signals that it dispatched.
void signal_after_fork_child(void) {
    struct sigaction now, plain = {.sa_handler = SIG_DFL};
    for (int sig = 1; sig < SIGNAL_COUNT; sig++) {
        atomic_store(&signals.pending[sig], 0);
        if (sigaction(sig, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == note)
            sigaction(sig, &plain, NULL);
    }
    sem_init(&signals.posted, 0, 0);
}
