// The native thread backend: one pthread for each Thread, blocking on futexes.
//
// Stacks. The C stack is the pthread's. The Java stack and the signal stack lie in one mapping of
// their own, with an inaccessible page below each and one above the Java stack, which grows upward:
//
//     guard | signal stack | guard | Java stack ... stack_limit | reserve | guard
//
// C code must stay above c_stack_limit when it calls Java: what is left below serves the
// collector's slow path, which clears memory below its caller, and the large buffers of the JDK's
// native code.
#include "base/clock.h"
#include "vm/threads/backend.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vm/services/signal.h"

enum { PAGE = BACKEND_PAGE, C_STACK_RESERVE = BACKEND_C_STACK_RESERVE };

// Of an unlimited primordial stack, as much is taken to be usable.
static const size_t max_c_stack = (size_t)64 << 20;

_Thread_local Thread *thread_current_ __attribute__((tls_model("initial-exec")));

// ---- time and futexes ----------------------------------------------------------------------

int64_t thread_now(void) { return clock_monotonic_ns(); }

int64_t thread_deadline(int64_t ns) {
    int64_t now = thread_now();
    if (ns < 0) ns = 0;
    return ns > THREAD_FOREVER - now ? THREAD_FOREVER : now + ns;
}

void backend_wait(_Atomic uint32_t *word, uint32_t value, int64_t deadline) {
    struct timespec ts, *limit = NULL;
    if (deadline != THREAD_FOREVER) {
        ts = (struct timespec){.tv_sec = deadline / 1000000000, .tv_nsec = deadline % 1000000000};
        limit = &ts;
    }
    syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, limit, NULL,
            FUTEX_BITSET_MATCH_ANY);
}

void backend_wake(_Atomic uint32_t *word, int count) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static bool wait_event(Thread *self, int64_t deadline) {
    for (;;) {
        uint32_t none = EVENT_NONE;
        if (!atomic_compare_exchange_strong(&self->event, &none, EVENT_ASLEEP)
            && none == EVENT_WOKEN) {
            atomic_exchange(&self->event, EVENT_NONE);
            return true;
        }
        if (deadline != THREAD_FOREVER && thread_now() >= deadline)
            return atomic_exchange(&self->event, EVENT_NONE) == EVENT_WOKEN;
        backend_wait(&self->event, EVENT_ASLEEP, deadline);
    }
}

static bool native_block(Thread *self, int64_t deadline) {
    thread_enter_blocked(self);
    bool woken = wait_event(self, deadline);
    thread_leave_blocked(self);
    return woken;
}

static void native_wake(Thread *t) {
    if (atomic_exchange(&t->event, EVENT_WOKEN) == EVENT_ASLEEP) backend_wake(&t->event, 1);
}

static void native_yield(Thread *self) {
    thread_enter_blocked(self);
    sched_yield();
    thread_leave_blocked(self);
}

// ---- barrier -------------------------------------------------------------------------------

bool backend_barrier_init(void) {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void backend_barrier(void) {
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0)
        atomic_thread_fence(memory_order_seq_cst);
}

// ---- stacks --------------------------------------------------------------------------------

static bool protect(char *page) { return mprotect(page, PAGE, PROT_NONE) == 0; }

bool backend_map_own(Thread *t, size_t java_size) {
    size_t java = backend_round_up(java_size) + THREAD_STACK_RESERVE;
    size_t size = java + SIGNAL_STACK_SIZE + 3 * PAGE;
    char *base = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base == MAP_FAILED) return false;
    // A huge page would make each small stack cost 2 MB.
    madvise(base, size, MADV_NOHUGEPAGE);
    t->mapping = base;
    t->mapping_size = size;
    t->signal_stack = base + PAGE;
    char *stack = base + PAGE + SIGNAL_STACK_SIZE + PAGE;
    t->stack_base = (Slot *)stack;
    t->stack_limit = (Slot *)(stack + java - THREAD_STACK_RESERVE);
    t->java_stack_size = java;
    if (protect(base) && protect(stack - PAGE) && protect(stack + java)) return true;
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
    if (size == 0) {  // no /proc: assume that a little is left below
        char *here = __builtin_frame_address(0);
        low = here - 4 * C_STACK_RESERVE;
        size = (size_t)8 * C_STACK_RESERVE;
    }
    char *base = (char *)low + size;
    if (size > max_c_stack) low = base - max_c_stack;
    t->c_stack_low = (char *)low + guard;
    t->c_stack_base = base;
    size_t usable = (size_t)(base - (char *)t->c_stack_low);
    size_t reserve = usable / 2 < C_STACK_RESERVE ? usable / 2 : C_STACK_RESERVE;
    t->c_stack_limit = (char *)t->c_stack_low + reserve;
}

// ---- pthreads ------------------------------------------------------------------------------

void backend_adopt_own(Thread *t) {
    t->pthread = pthread_self();
    t->os_id = (int)syscall(SYS_gettid);
    find_c_stack(t);
    signal_use_stack(t->signal_stack);
    thread_current_ = t;
}

void backend_abandon_own(void) {
    signal_drop_stack();
    thread_current_ = NULL;
}

typedef struct Start {
    Thread *thread;
    void (*body)(Thread *t);
} Start;

static void *start_routine(void *arg) {
    Start start = *(Start *)arg;
    free(arg);
    backend_adopt_own(start.thread);
    start.body(start.thread);
    return NULL;
}

static bool create(Start *start, size_t c_stack_size) {
    pthread_attr_t attr;
    pthread_t id;
    if (pthread_attr_init(&attr) != 0) return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    size_t size = backend_round_up(c_stack_size) + backend_round_up(C_STACK_RESERVE) + 2 * PAGE;
    bool ok = pthread_attr_setstacksize(&attr, size) == 0
              && pthread_create(&id, &attr, start_routine, start) == 0;
    pthread_attr_destroy(&attr);
    return ok;
}

static bool native_start(Thread *t, size_t c_stack_size, void (*body)(Thread *t)) {
    Start *start = malloc(sizeof *start);
    if (!start) return false;
    *start = (Start){.thread = t, .body = body};
    if (create(start, c_stack_size)) return true;
    free(start);
    return false;
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

// ---- the backend ---------------------------------------------------------------------------

static bool native_map_stacks(Thread *t, size_t java_size, size_t c_size) {
    (void)c_size;
    return backend_map_own(t, java_size);
}

static bool native_adopt(Thread *t) {
    backend_adopt_own(t);
    return true;
}

static void *native_abandon(Thread *self) {
    (void)self;
    backend_abandon_own();
    return NULL;
}

static void native_gone(void *token) { (void)token; }
static void native_nothing(Thread *self) { (void)self; }
static void native_set_name(Thread *t, const char *utf8) { backend_name_own(t, utf8); }

static void native_signal(Thread *t, int sig) {
    if (atomic_load(&t->state) == THREAD_NATIVE) pthread_kill((pthread_t)t->pthread, sig);
}

const ThreadBackend thread_backend_native = {
    .name = "native",
    .block = native_block,
    .wake = native_wake,
    .yield = native_yield,
    .map_stacks = native_map_stacks,
    .unmap_stacks = backend_unmap_own,
    .adopt = native_adopt,
    .start = native_start,
    .abandon = native_abandon,
    .gone = native_gone,
    .yieldpoint = native_nothing,
    .regain = native_nothing,
    .hand_off = native_nothing,
    .set_name = native_set_name,
    .cpu_ns = backend_cpu_own,
    .signal_native = native_signal,
};
