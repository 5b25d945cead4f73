// The native thread backend: one pthread for each Thread, blocking on futexes. Stacks are described in
// vm/threads/backend.c.
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "vm/threads/backend.h"

enum { PAGE = BACKEND_PAGE, C_STACK_RESERVE = BACKEND_C_STACK_RESERVE };

// ---- blocking --------------------------------------------------------------------------------

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

typedef struct Block {
    Thread *self;
    int64_t deadline;
    bool woken;
} Block;

static void block(void *arg) {
    Block *b = arg;
    b->woken = wait_event(b->self, b->deadline);
}

static bool native_block(Thread *self, int64_t deadline) {
    Block b = {.self = self, .deadline = deadline};
    thread_run_blocked(self, block, &b);
    return b.woken;
}

static void native_wake(Thread *t) {
    if (atomic_exchange(&t->event, EVENT_WOKEN) == EVENT_ASLEEP) backend_wake(&t->event, 1);
}

static void yield(void *arg) {
    (void)arg;
    sched_yield();
}

static void native_yield(Thread *self) { thread_run_blocked(self, yield, NULL); }

// ---- starting --------------------------------------------------------------------------------

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

static void *native_large_stack(Thread *self) {
    (void)self;
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
    .large_stack = native_large_stack,
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
