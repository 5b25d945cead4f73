// Stopping the world. See vm/threads/thread.h for the protocol between a thread's transitions and a stop.
//
// Locks, in this order: stop_lock (one stop at a time), list lock (held for the whole stop, so that no thread starts or
// ends). Threads wait for both only at a safepoint. A running thread holds them only between two points where it would
// check its poll word. Requests are set under the list lock.
//
// stop_word is incremented at each stop and each resume: it is odd while the world is to be stopped. Threads that may
// not run sleep on it.
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include "base/invariant.h"
#include "arch_pause.h"
#include "arch_publish.h"
#include "vm/base/log.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/threadevents.h"
#include "vm/model/vm.h"
#include "vm/threads/hooks.h"

enum { SPINS = 200 };
static const uint32_t may_not_run = POLL_STOP | POLL_SUSPEND;

typedef struct Stop {
    const char *cause;
    int64_t begin, reached;
} Stop;
static struct Safepoint {
    pthread_mutex_t stop_lock;
    _Atomic uint32_t stop_word;
    _Atomic unsigned long stopper;  // pthread_t of the stopping thread, 0: none
    _Atomic uint32_t walks;         // safepoint_begin_walk
    _Atomic bool no_walks;          // the world is stopped
    SafepointStats stats;           // under stop_lock
    Stop current;                   // under stop_lock
} safepoint = {.stop_lock = PTHREAD_MUTEX_INITIALIZER};

bool safepoint_stopped_by_me(void) {
    return atomic_load_explicit(&safepoint.stopper, memory_order_relaxed) == (unsigned long)pthread_self();
}

// ---- walks of unprepared stacks ------------------------------------------------------------

bool safepoint_begin_walk(void) {
    atomic_fetch_add(&safepoint.walks, 1);
    if (!atomic_load(&safepoint.no_walks)) return true;
    atomic_fetch_sub(&safepoint.walks, 1);
    return false;
}

void safepoint_end_walk(void) { atomic_fetch_sub(&safepoint.walks, 1); }

void safepoint_await_walks(void) {
    while (atomic_load(&safepoint.walks)) sched_yield();
}

// ---- a thread's transitions ----------------------------------------------------------------

// Stress: after each stop, delays the first entry to a safe state and the first exit from one by more than the length
// of a stop, so that the next stop often falls into the transition. In the safe state.
static void delay_transition(uint32_t *last_stop) {
    uint32_t word = atomic_load(&safepoint.stop_word);
    if (word == *last_stop) return;
    *last_stop = word;
    int saved = errno;
    int64_t us = vm.options.thread_stress;
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
    errno = saved;
}

void thread_entered_safe_slow(Thread *self) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&self->poll) & may_not_run) backend_wake(&self->state, INT_MAX);
    if (atomic_load(&self->poll) & POLL_DELAY) delay_transition(&self->delayed_entry);
    if ((atomic_load(&self->poll) & POLL_LONG) && atomic_load(&self->state) == THREAD_NATIVE) thread_hand_off(self);
}

// A suspended thread may stay suspended for long, so it gives up its processor.
static void sleep_while_stopped(Thread *self) {
    ASSERT(!thread_is_running(self), "thread %u sleeps while it counts as running", self->id);
    uint32_t poll = atomic_load(&self->poll);
    if (poll & POLL_STOP) {
        uint32_t word = atomic_load(&safepoint.stop_word);
        if ((word & 1) && (atomic_load(&self->poll) & POLL_STOP))
            backend_wait(&safepoint.stop_word, word, THREAD_FOREVER);
    } else if (poll & POLL_SUSPEND) {
        atomic_store(&self->state, THREAD_BLOCKED);
        thread_hand_off(self);
        backend_wait(&self->poll, atomic_load(&self->poll) | POLL_SUSPEND, THREAD_FOREVER);
    }
}

void thread_leave_safe_slow(Thread *self, uint32_t safe_state) {
    bool delay = atomic_load(&self->poll) & POLL_DELAY;
    ASSERT(safe_state == THREAD_NATIVE || safe_state == THREAD_BLOCKED || safe_state == THREAD_PAUSED,
           "thread %u comes back from state %u", self->id, safe_state);
    for (;;) {
        atomic_thread_fence(memory_order_seq_cst);
        if (!delay && !(atomic_load(&self->poll) & (may_not_run | POLL_CARRIER))) return;
        atomic_store(&self->state, safe_state);
        if (atomic_load(&self->poll) & may_not_run) backend_wake(&self->state, INT_MAX);
        if (delay) delay_transition(&self->delayed_exit);
        delay = false;
        while (atomic_load(&self->poll) & may_not_run) sleep_while_stopped(self);
        if (atomic_load(&self->poll) & POLL_CARRIER) threads.backend->regain(self);
        atomic_store(&self->state, THREAD_RUNNING);
    }
}

// ---- safe regions --------------------------------------------------------------------------

#define UNUSED __attribute__((unused))
#define CALLED_BY_ASSEMBLY __attribute__((used, visibility("hidden")))

void safepoint_in_safe_state(Thread *self, uint32_t state, ThreadSafeFn *fn, void *arg) CALLED_BY_ASSEMBLY;
void safepoint_in_safe_state(Thread *self, uint32_t state, ThreadSafeFn *fn, void *arg) {
    thread_to_safe(self, state);
    fn(arg);
    thread_to_running(self);
}

ARCH_NAKED void thread_run_safe(UNUSED Thread *self, UNUSED uint32_t state, UNUSED ThreadSafeFn *fn, UNUSED void *arg) {
    ARCH_RUN_PUBLISHED(safepoint_in_safe_state, offsetof(Thread, published_sp));
}

void safepoint_in_lock(Thread *self, pthread_mutex_t *mutex) CALLED_BY_ASSEMBLY;
void safepoint_in_lock(Thread *self, pthread_mutex_t *mutex) {
    thread_to_safe(self, THREAD_PAUSED);
    pthread_mutex_lock(mutex);
    atomic_store(&self->state, THREAD_RUNNING);
}

ARCH_NAKED static void lock_paused(UNUSED Thread *self, UNUSED pthread_mutex_t *mutex) {
    ARCH_RUN_PUBLISHED(safepoint_in_lock, offsetof(Thread, published_sp));
}

static void take_mutex(void *mutex) { pthread_mutex_lock(mutex); }

void thread_lock_stopping(Thread *self, pthread_mutex_t *mutex) {
    if (!self || !thread_is_running(self)) {
        pthread_mutex_lock(mutex);
        return;
    }
    self->again.fn = take_mutex;
    self->again.arg = mutex;
    self->again.mutex = true;
    lock_paused(self, mutex);
    self->again.fn = NULL;
    self->again.mutex = false;
}

// ---- continuing on another pthread -----------------------------------------------------------

// Returns to the caller of the thread_run_safe that has published this stack.
ARCH_NAKED static _Noreturn void leave_published(UNUSED Thread *self) {
    ARCH_LEAVE_PUBLISHED(offsetof(Thread, published_sp));
}

_Noreturn void safepoint_continue(void *thread) {
    Thread *self = thread;
    if (atomic_load(&self->poll) & POLL_CARRIER) threads.backend->regain(self);
    self->again.fn(self->again.arg);
    if (self->again.mutex) atomic_store(&self->state, THREAD_RUNNING);
    else thread_to_running(self);
    leave_published(self);
}

typedef struct Waiting {
    Thread *self;
    ThreadSafeFn *fn;
    void *arg;
} Waiting;

static void hand_off_and_run(void *waiting) {
    const Waiting *w = waiting;
    thread_hand_off(w->self);
    w->fn(w->arg);
}

void thread_run_waiting(Thread *self, ThreadSafeFn *fn, void *arg) {
    thread_run_safe(self, THREAD_BLOCKED, hand_off_and_run, &(Waiting){self, fn, arg});
}

// ---- polls ---------------------------------------------------------------------------------

// Interpreted code reads the table, compiled code the guard.
static void set_table(Thread *t, const void *const *table) {
    bool stop = table == thread_hooks.table(INTERP_STOP);
    __atomic_store_n(&t->stack_guard, stop ? (void *)UINTPTR_MAX : t->c_stack_limit, __ATOMIC_SEQ_CST);
    __atomic_store_n(&t->dispatch, table, __ATOMIC_SEQ_CST);
}

// A request sets the poll word first and the table second. So if no request is visible after the table is stored, a
// later one will replace the table.
void thread_set_dispatch(Thread *t, const void *const *table) {
    t->normal_dispatch = table;
    set_table(t, table);
    if (atomic_load(&t->poll) & ~(uint32_t)POLL_ALWAYS) set_table(t, thread_hooks.table(INTERP_STOP));
}

static void nothing(void *arg) { (void)arg; }

void thread_safepoint(Thread *self) {
    if ((atomic_load_explicit(&self->poll, memory_order_relaxed) & ~POLL_ALWAYS) == POLL_COUNT &&
        --self->quantum_left > 0)
        return;
    ASSERT(thread_is_running(self), "thread %u polls in state %u", self->id, atomic_load(&self->state));
    ASSERT(!safepoint_stopped_by_me(), "thread %u polls while it has stopped the world", self->id);
    thread_run_again(self, THREAD_PAUSED, nothing, NULL);
    if ((atomic_load(&self->poll) & POLL_SAMPLE) && (!self->sample_until || thread_now() >= self->sample_until)) {
        self->sample_until = 0;
        atomic_fetch_and(&self->poll, ~(uint32_t)POLL_SAMPLE);
    }
    if (atomic_load(&self->poll) & POLL_SINK) thread_hooks.wait_for_sinks(self);
    if (atomic_load(&self->poll) & (POLL_YIELD | POLL_COUNT)) threads.backend->yieldpoint(self);
    if ((atomic_load(&self->poll) & POLL_ASYNC) && !self->exception) {
        thread_list_lock(self);
        Object *e = self->async_exception;
        self->async_exception = NULL;
        atomic_fetch_and(&self->poll, ~(uint32_t)POLL_ASYNC);
        thread_list_unlock(self);
        if (e) self->exception = e;
    }
    if ((atomic_load(&self->poll) & POLL_FAULT) && !self->exception) {  // HotSpot's message, whatever made the access
        atomic_fetch_and(&self->poll, ~(uint32_t)POLL_FAULT);
        thread_hooks.throw_wk(self, "java/lang/InternalError",
                              "a fault occurred in a recent unsafe memory access operation in compiled Java code");
    }
    if ((atomic_load(&self->poll) & POLL_MEMORY) && !self->exception) {
        atomic_fetch_and(&self->poll, ~(uint32_t)POLL_MEMORY);
        thread_hooks.throw_oom(self, NULL);
    }
    thread_set_dispatch(self, self->normal_dispatch);
}

// ---- stopping the world --------------------------------------------------------------------

void safepoint_request(Thread *t, uint32_t bit) {
    atomic_fetch_or(&t->poll, bit);
    set_table(t, thread_hooks.table(INTERP_STOP));
}

// A running thread (suspended, but not yet at a yieldpoint) may set a request for itself at the same time.
static void withdraw(Thread *t, uint32_t bit) {
    uint32_t others = atomic_load(&t->poll) & ~(bit | POLL_ALWAYS);
    if (!others) set_table(t, t->normal_dispatch);
    if (atomic_fetch_and(&t->poll, ~bit) & (POLL_SINK | POLL_FAULT | POLL_MEMORY))
        set_table(t, thread_hooks.table(INTERP_STOP));
}

void safepoint_stop(Thread *self, const char *cause) {
    ASSERT(!safepoint_stopped_by_me(), "a stop for %s within one", cause);
    ASSERT(!self || thread_is_running(self), "thread %u stops the others in state %u", self->id,
           atomic_load(&self->state));
    int64_t begin = thread_now();
    thread_lock_stopping(self, &safepoint.stop_lock);
    thread_list_lock(self);
    atomic_store(&safepoint.stopper, (unsigned long)pthread_self());
    atomic_fetch_add(&safepoint.stop_word, 1);
    for (Thread *t = threads.first; t; t = t->next)
        if (t != self) safepoint_request(t, POLL_STOP);
    backend_barrier();
    for (Thread *t = threads.first; t; t = t->next)
        if (t != self) {
            for (int i = 0; i < SPINS && thread_is_running(t); i++) arch_pause();
            while (atomic_load(&t->state) == THREAD_RUNNING) backend_wait(&t->state, THREAD_RUNNING, THREAD_FOREVER);
        }
    atomic_store(&safepoint.no_walks, true);
    safepoint_await_walks();
    ASSERT(atomic_load(&safepoint.stop_word) & 1, "stop word %u of a stopped world", atomic_load(&safepoint.stop_word));
    uint64_t wait = (uint64_t)(thread_now() - begin);
    safepoint.stats.stops++;
    safepoint.stats.total_wait_ns += wait;
    if (wait > safepoint.stats.max_wait_ns) safepoint.stats.max_wait_ns = wait;
    safepoint.current = (Stop){cause, begin, thread_now()};
    THREAD_REPORT(safepoint_begin, self, (uint64_t)thread_now());
}

void safepoint_resume(Thread *self) {
    ASSERT(safepoint_stopped_by_me(), "the world is resumed by one who has not stopped it");
    ASSERT(!self || thread_is_running(self), "thread %u resumes the others in state %u", self->id,
           atomic_load(&self->state));
    THREAD_REPORT(safepoint_end, self, (uint64_t)thread_now());
    Stop ended = safepoint.current;
    atomic_store(&safepoint.no_walks, false);
    for (Thread *t = threads.first; t; t = t->next)
        if (t != self) withdraw(t, POLL_STOP);
    atomic_store(&safepoint.stopper, 0);
    atomic_fetch_add(&safepoint.stop_word, 1);
    backend_wake(&safepoint.stop_word, INT_MAX);
    thread_list_unlock(self);
    pthread_mutex_unlock(&safepoint.stop_lock);
    if (log_is(LOG_SAFEPOINT, LOG_INFO)) {
        // After the stop lock is released, because the log may block.
        int64_t now = thread_now();
        log_write(LOG_SAFEPOINT, LOG_INFO,
                  "Safepoint \"%s\", Reaching safepoint: %lld ns, At safepoint: %lld ns, Total: %lld ns", ended.cause,
                  (long long)(ended.reached - ended.begin), (long long)(now - ended.reached),
                  (long long)(now - ended.begin));
    }
}

void safepoint_stats(SafepointStats *out) { *out = safepoint.stats; }

// ---- suspend, resume, stop -----------------------------------------------------------------

void thread_suspend(Thread *self, Object *java_thread) {
    thread_list_lock(self);
    Thread *t = thread_of(java_thread);
    if (t) {
        t->suspended = true;
        safepoint_request(t, POLL_SUSPEND);
    }
    thread_list_unlock(self);
    if (!t) return;
    backend_barrier();
    if (t == self) {
        thread_poll(self);
        return;
    }
    for (bool safe = false; !safe;) {
        thread_list_lock(self);
        t = thread_of(java_thread);
        safe = !t || !thread_is_running(t);
        thread_list_unlock(self);
        if (!safe) thread_yield(self);
    }
}

void thread_resume(Thread *self, Object *java_thread) {
    thread_list_lock(self);
    Thread *t = thread_of(java_thread);
    if (t && t->suspended) {
        t->suspended = false;
        withdraw(t, POLL_SUSPEND);
        backend_wake(&t->poll, INT_MAX);
    }
    thread_list_unlock(self);
}

void thread_stop(Thread *self, Object *java_thread, Object *throwable) {
    thread_list_lock(self);
    Thread *t = thread_of(java_thread);
    if (t) {
        t->async_exception = throwable;
        safepoint_request(t, POLL_ASYNC);
        thread_wake(t);
    }
    thread_list_unlock(self);
}
