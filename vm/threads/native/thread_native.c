// The native thread backend: one pthread for each Thread, blocking on futexes.
//
// Stacks. A pthread started here gets its stack from threadstack.h. The upper end is the C library's: its own thread
// structure, thread-local variables, and the frames that have called the VM. Below are the signal stack, which runs
// into the Java stack's reserve if it overflows, and the two stacks described in vm/threads/threadbackend.c. A thread
// therefore has one mapping with one guard page.
//
// The memory may be reused when the pthread is gone, which a pthread cannot report about itself. Pthreads are therefore
// not detached: each pthread that ends joins the one that ended before it, which is gone or about to be.
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "arch_switch.h"
#include "base/invariant.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/threadstack.h"

// ---- blocking --------------------------------------------------------------------------------

typedef struct Block {
    Thread *self;
    int64_t deadline;
    bool woken;
} Block;

static void block(void *arg) {
    Block *b = arg;
    _Atomic uint32_t *event = &b->self->event;
    for (;;) {
        uint32_t none = EVENT_NONE;
        if (!atomic_compare_exchange_strong(event, &none, EVENT_ASLEEP) && none == EVENT_WOKEN) {
            atomic_exchange(event, EVENT_NONE);
            b->woken = true;
            return;
        }
        if (b->deadline != THREAD_FOREVER && thread_now() >= b->deadline) {
            b->woken = atomic_exchange(event, EVENT_NONE) == EVENT_WOKEN;
            return;
        }
        backend_wait(event, EVENT_ASLEEP, b->deadline);
    }
}

static bool native_block(Thread *self, int64_t deadline) {
    Block b = {.self = self, .deadline = deadline};
    thread_run_again(self, THREAD_BLOCKED, block, &b);
    return b.woken;
}

static void native_wake(Thread *t) {
    if (atomic_exchange(&t->event, EVENT_WOKEN) == EVENT_ASLEEP) backend_wake(&t->event, 1);
}

static void yield(void *arg) {
    (void)arg;
    sched_yield();
}

static void native_yield(Thread *self) { thread_run_again(self, THREAD_BLOCKED, yield, NULL); }

// ---- starting --------------------------------------------------------------------------------

typedef struct Start {
    Thread *thread;
    void (*body)(Thread *t);
} Start;

typedef struct Ended {
    pthread_t pthread;
    char *stack;  // NULL: no such pthread
    size_t stack_size;
} Ended;

static struct Native {
    pthread_mutex_t lock;
    Ended ended;          // the last one, not joined yet
    _Atomic size_t room;  // for the C library, at the upper end of each pthread's stack; 0: not known yet
} native = {.lock = PTHREAD_MUTEX_INITIALIZER};

// A pthread's last action on its stack in the VM.
static void retire(Ended self) {
    pthread_mutex_lock(&native.lock);
    Ended last = native.ended;
    native.ended = self;
    pthread_mutex_unlock(&native.lock);
    if (!last.stack) return;
    pthread_join(last.pthread, NULL);
    threadstack_give(last.stack, last.stack_size);
}

// In a shadow the frames below belong to a pthread that does not exist, and the next pthread to end would join it.
static void run_body(void *arg) {
    Start *start = arg;
    start->body(start->thread);
    if (threads.shadow) backend_leave_pthread();
}

static void *start_routine(void *arg) {
    Start start = *(Start *)arg;
    free(arg);
    Thread *t = start.thread;
    Ended self = {pthread_self(), t->mapping, t->mapping_size};
    ASSERT((char *)__builtin_frame_address(0) > (char *)t->signal_stack + SIGNAL_STACK_SIZE, "no room for the pthread");
    backend_adopt_own(t);
    arch_switch_call(run_body, &start, t->c_stack_base);
    retire(self);
    return NULL;
}

static bool native_start(Thread *t, void (*body)(Thread *t)) {
    pthread_attr_t attr;
    pthread_t id;
    if (pthread_attr_init(&attr) != 0) return false;
    Start *start = malloc(sizeof *start);
    if (start) *start = (Start){.thread = t, .body = body};
    bool ok = start && pthread_attr_setstack(&attr, t->mapping, t->mapping_size) == 0 &&
        pthread_create(&id, &attr, start_routine, start) == 0;
    pthread_attr_destroy(&attr);
    if (!ok) free(start);
    return ok;
}

// Stack that the C library needs before it calls the first function, including the thread-local variables of all
// libraries, plus space for that function.
static size_t pthread_room(void) {
    enum { FIRST_FRAMES = 16 * 1024 };
    size_t (*get)(const pthread_attr_t *attr);
    *(void **)&get = dlsym(RTLD_DEFAULT, "__pthread_get_minstack");
    pthread_attr_t attr;
    if (!get || pthread_attr_init(&attr) != 0) return 4 * FIRST_FRAMES;
    size_t room = get(&attr) + FIRST_FRAMES;
    pthread_attr_destroy(&attr);
    return backend_round_up(room);
}

// ---- backend table -------------------------------------------------------------------------

static bool native_map_stacks(Thread *t, size_t java_size, size_t c_size) {
    if (c_size == 0) return backend_map_own(t, java_size);
    if (native.room == 0) native.room = pthread_room();
    size_t size = backend_stacks_size(java_size, c_size) + SIGNAL_STACK_SIZE + native.room;
    char *low = threadstack_take(size);
    if (!low) return false;
    t->mapping = low;
    t->mapping_size = size;
    t->signal_stack = low + size - native.room - SIGNAL_STACK_SIZE;
    backend_place_stacks(t, low, t->signal_stack, java_size);
    return true;
}

// The stack of a started pthread is still in use.
static void native_unmap_stacks(Thread *t) {
    if (t->attached_native) backend_unmap_own(t);
    else if (t->mapping && !t->pthread) threadstack_give(t->mapping, t->mapping_size);
    t->mapping = NULL;
}

static bool native_adopt(Thread *t) {
    backend_adopt_own(t);
    return true;
}

static struct Carrier *native_abandon(Thread *self) {
    (void)self;
    backend_abandon_own();
    return NULL;
}

static int native_os_id(const Thread *t) { return t->os_id; }

static void native_signal(Thread *t, int sig) {
    if (atomic_load(&t->state) == THREAD_NATIVE) pthread_kill((pthread_t)t->pthread, sig);
}

// ---- fork (vm/boot/subsystems.def) ----------------------------------------------------------

static void native_before_fork(void) { pthread_mutex_lock(&native.lock); }
static void native_after_fork_parent(void) { pthread_mutex_unlock(&native.lock); }

// The last ended pthread does not exist in the child, so it must not be joined.
static void native_after_fork_child(Thread *self) {
    (void)self;
    native.ended.stack = NULL;
    pthread_mutex_unlock(&native.lock);
}

const ThreadBackend thread_backend_native = {
    .name = "native",
    .block = native_block,
    .wake = native_wake,
    .yield = native_yield,
    .map_stacks = native_map_stacks,
    .unmap_stacks = native_unmap_stacks,
    .adopt = native_adopt,
    .start = native_start,
    .abandon = native_abandon,
    .set_name = backend_name_own,
    .cpu_ns = backend_cpu_own,
    .os_id = native_os_id,
    .signal_native = native_signal,
    .before_fork = native_before_fork,
    .after_fork_parent = native_after_fork_parent,
    .after_fork_child = native_after_fork_child,
    .continue_thread = backend_continue,
};
