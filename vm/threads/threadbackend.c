// The common base of both backends (vm/threads/threadbackend.h): time, futexes, the barrier over all processors, and
// threads that have their own pthread.
//
// Stacks. The two stacks of a thread that the VM starts are adjacent in memory of threadstack.h:
//
//     guard | reserve | c_stack_limit ... C stack, grows down | Java stack, grows up ... stack_limit | reserve | ...
//
// They meet inside a page, because both stacks of a waiting thread together need less than one.
//
// C code must stay above c_stack_limit when it calls Java. The reserve below serves the collector's slow path, which
// clears memory below its caller, and the large buffers of the JDK's native code.
//
// An existing pthread has a C stack already. Its signal stack and Java stack are in a separate mapping, in which they
// grow away from each other, each towards an inaccessible page.
#include "vm/threads/threadbackend.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch_switch.h"
#include "base/clock.h"
#include "base/signals.h"
#include "vm/threads/ticks.h"

enum { PAGE = BACKEND_PAGE, C_STACK_RESERVE = BACKEND_C_STACK_RESERVE };

// Usable size of an unlimited primordial stack.
static const size_t max_c_stack = (size_t)64 << 20;

_Thread_local Thread *thread_current_ __attribute__((tls_model("initial-exec")));

// ---- time and futexes ----------------------------------------------------------------------

int64_t thread_now(void) { return clock_monotonic_ns(); }

int64_t thread_deadline(int64_t ns) {
    int64_t now = thread_now();
    if (ns < 0) ns = 0;
    return ns > THREAD_FOREVER - now ? THREAD_FOREVER : now + ns;
}

// Passes the kernel a duration, not a deadline: a library that fakes the clock (libfaketime) changes what this process
// reads, not what the kernel compares with.
void backend_wait(_Atomic uint32_t *word, uint32_t value, int64_t deadline) {
    struct timespec ts, *limit = NULL;
    if (deadline != THREAD_FOREVER) {
        int64_t left = deadline - thread_now();
        if (left <= 0) return;
        ts = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        limit = &ts;
    }
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, limit, NULL, 0);
}

void backend_wake(_Atomic uint32_t *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

// ---- barrier -------------------------------------------------------------------------------

bool backend_barrier_init(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void backend_barrier(void) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) atomic_thread_fence(memory_order_seq_cst);
}

// ---- stacks --------------------------------------------------------------------------------

size_t backend_stacks_size(size_t java_size, size_t c_size) {
    return C_STACK_RESERVE + backend_round_up(c_size) + PAGE + backend_round_up(java_size) + THREAD_STACK_RESERVE;
}

static void set_c_stack(Thread *t, char *low, char *base, size_t reserve) {
    t->c_stack_low = low;
    t->c_stack_limit = low + reserve;
    t->c_stack_base = base;
}

// The C stack gets the larger part of the shared page, because compiled code has its frames there. The meeting point
// varies between threads; otherwise the hottest lines of all stacks would map to the same few cache sets.
void backend_place_stacks(Thread *t, char *low, char *end, size_t java_size) {
    enum { LINE = 64, COLOURS = 9, FIRST = 39 * LINE };
    uint64_t hash = (uintptr_t)low / PAGE * UINT64_C(0x9e3779b97f4a7c15);
    char *meet = end - THREAD_STACK_RESERVE - backend_round_up(java_size) - PAGE;
    meet += FIRST + (hash >> 32) % COLOURS * LINE;
    set_c_stack(t, low, meet, C_STACK_RESERVE);
    t->stack_base = (Slot *)meet;
    t->stack_limit = (Slot *)(end - THREAD_STACK_RESERVE);
}

bool backend_map_own(Thread *t, size_t java_size) {
    size_t java = backend_round_up(java_size) + THREAD_STACK_RESERVE;
    size_t size = java + SIGNAL_STACK_SIZE + 2 * PAGE;
    char *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1,
                      0);
    if (base == MAP_FAILED) return false;
    // A huge page would make each small stack cost 2 MB.
    madvise(base, size, MADV_NOHUGEPAGE);
    t->mapping = base;
    t->mapping_size = size;
    t->signal_stack = base + PAGE;
    char *stack = base + PAGE + SIGNAL_STACK_SIZE;
    t->stack_base = (Slot *)stack;
    t->stack_limit = (Slot *)(stack + java - THREAD_STACK_RESERVE);
    if (mprotect(base, PAGE, PROT_NONE) == 0 && mprotect(stack + java, PAGE, PROT_NONE) == 0) return true;
    backend_unmap_own(t);
    return false;
}

void backend_unmap_own(Thread *t) {
    if (t->mapping) munmap(t->mapping, t->mapping_size);
    t->mapping = t->signal_stack = NULL;
    t->stack_base = t->stack_limit = NULL;
}

static void find_c_stack(Thread *t) {
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0, guard = 0;
    if (pthread_getattr_np(pthread_self(), &attr) == 0) {
        pthread_attr_getstack(&attr, &low, &size);
        pthread_attr_getguardsize(&attr, &guard);
        pthread_attr_destroy(&attr);
    }
    if (size == 0) {  // no /proc: assume a little space below
        char *here = __builtin_frame_address(0);
        low = here - 4 * C_STACK_RESERVE;
        size = (size_t)8 * C_STACK_RESERVE;
    }
    char *base = (char *)low + size;
    if (size > max_c_stack) low = base - max_c_stack;
    low = (char *)low + guard;
    size_t usable = (size_t)(base - (char *)low);
    set_c_stack(t, low, base, usable / 2 < C_STACK_RESERVE ? usable / 2 : C_STACK_RESERVE);
}

// ---- pthreads ------------------------------------------------------------------------------

void backend_use_signal_stack(void *base) {
    stack_t stack = {.ss_sp = base, .ss_size = SIGNAL_STACK_SIZE, .ss_flags = base ? 0 : SS_DISABLE};
    sigaltstack(&stack, NULL);
}

void backend_adopt_own(Thread *t) {
    t->pthread = pthread_self();
    t->os_id = (int)syscall(SYS_gettid);
    if (!t->c_stack_base) find_c_stack(t);
    backend_use_signal_stack(t->signal_stack);
    thread_current_ = t;
    ticks_pthread_begins(TICK_OTHER);
}

void backend_abandon_own(void) {
    ticks_pthread_ends();
    backend_use_signal_stack(NULL);
    thread_current_ = NULL;
}

void backend_name_own(const Thread *t, const char *utf8) {
    char name[16];
    size_t n = strnlen(utf8, sizeof name - 1);
    while (n > 0 && n == sizeof name - 1 && ((unsigned char)utf8[n] & 0xc0) == 0x80) n--;
    memcpy(name, utf8, n);
    name[n] = 0;
    if (t->pthread) pthread_setname_np((pthread_t)t->pthread, name);
}

uint64_t backend_cpu_own(const Thread *t) {
    clockid_t clock;
    if (!t->pthread || pthread_getcpuclockid((pthread_t)t->pthread, &clock) != 0) return 0;
    return (uint64_t)clock_ns(clock);
}

// ---- threads that continue on another pthread --------------------------------------------------------

_Noreturn void backend_leave_pthread(void) {
    for (;;) syscall(SYS_exit, 0);
}

static void *continue_main(void *thread) {
    Thread *t = thread;
    backend_adopt_own(t);
    arch_switch_call((void (*)(void *))safepoint_continue, t, backend_below_published(t));
    backend_leave_pthread();
}

// The stack is new memory, so that the limit on a forked copy's memory counts it. The C library would reuse stacks of
// pthreads that the copy does not have. It is never freed (backend_leave_pthread).
bool backend_continue(Thread *t) {
    enum { STACK = 64 * 1024 };
    pthread_attr_t attr;
    pthread_t id;
    char *memory = mmap(NULL, PAGE + STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return false;
    bool ok = mprotect(memory + PAGE, STACK, PROT_READ | PROT_WRITE) == 0 && pthread_attr_init(&attr) == 0;
    if (ok) {
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        ok = pthread_attr_setstack(&attr, memory + PAGE, STACK) == 0 &&
            pthread_create(&id, &attr, continue_main, t) == 0;
        pthread_attr_destroy(&attr);
    }
    if (!ok) munmap(memory, PAGE + STACK);
    return ok;
}

// ---- pthreads outside the VM --------------------------------------------------------------------------

// A new pthread inherits the mask, so no signal can arrive before it sets its own.
bool backend_start_helper(void *(*fn)(void *arg), void *arg, size_t stack_size) {
    pthread_attr_t attr;
    pthread_t id;
    sigset_t all, old;
    if (pthread_attr_init(&attr) != 0) return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    signals_all_but_faults(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    bool ok = pthread_attr_setstacksize(&attr, stack_size) == 0 && pthread_create(&id, &attr, fn, arg) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return ok;
}
