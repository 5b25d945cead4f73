// The profiler's threads (vm/api/profilerthread.h).
//
// A thread is in the list from its start until profilerthread_stop has seen its end and frees it. The lock is held only
// while the list changes, never while waiting; the threads themselves do not take it.
#include "vm/threads/profilerthread.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "vm/threads/threadbackend.h"
#include "vm/threads/ticks.h"

enum { STACK = 256 * 1024 };
#define STOP_NS INT64_C(2000000000)

struct ProfilerThread {
    ProfilerThread *next;  // under the lock
    ProfilerThreadFn *fn;
    void *arg;
    char name[16];
    _Atomic uint32_t woken;  // a wake is pending
    _Atomic bool must_stop;
    _Atomic uint32_t ended;  // fn has returned, or a fork did not copy the thread
};

static struct ProfilerThreads {
    pthread_mutex_t lock;
    ProfilerThread *first;
    bool closed;  // under the lock: no more are started
} profiler_threads = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void has_ended(void *arg) {
    ProfilerThread *t = arg;
    ticks_pthread_ends();
    atomic_store(&t->ended, 1);
    backend_wake(&t->ended, 1);  // only an address: the structure may be gone
}

// fn may end by pthread_exit.
static void *thread_main(void *arg) {
    ProfilerThread *t = arg;
    pthread_setname_np(pthread_self(), t->name);
    ticks_pthread_begins(TICK_OTHER);
    pthread_cleanup_push(has_ended, t);
    t->fn(t, t->arg);
    pthread_cleanup_pop(true);
    return NULL;
}

ProfilerThread *profilerthread_start(const char *name, ProfilerThreadFn *fn, void *arg) {
    ProfilerThread *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->fn = fn;
    t->arg = arg;
    snprintf(t->name, sizeof t->name, "%s", name);
    pthread_mutex_lock(&profiler_threads.lock);
    bool ok = !profiler_threads.closed && backend_start_helper(thread_main, t, STACK);
    if (ok) {
        t->next = profiler_threads.first;
        profiler_threads.first = t;
    }
    pthread_mutex_unlock(&profiler_threads.lock);
    if (ok) return t;
    free(t);
    return NULL;
}

bool profilerthread_must_stop(const ProfilerThread *self) { return atomic_load(&self->must_stop); }

// The request to stop is stored before the wake, so the thread that consumes the wake sees the request.
bool profilerthread_sleep(ProfilerThread *self, int64_t deadline) {
    if (!atomic_exchange(&self->woken, 0)) {
        backend_wait(&self->woken, 0, deadline);
        atomic_store(&self->woken, 0);
    }
    return !profilerthread_must_stop(self);
}

void profilerthread_wake(ProfilerThread *t) {
    if (!atomic_exchange(&t->woken, 1)) backend_wake(&t->woken, 1);
}

static void ask_to_stop(ProfilerThread *t) {
    atomic_store(&t->must_stop, true);
    profilerthread_wake(t);
}

static bool wait_for_end(ProfilerThread *t, int64_t deadline) {
    while (!atomic_load(&t->ended)) {
        if (thread_now() >= deadline) return false;
        backend_wait(&t->ended, 0, deadline);
    }
    return true;
}

bool profilerthread_stop(ProfilerThread *t, int64_t deadline) {
    ask_to_stop(t);
    if (!wait_for_end(t, deadline)) return false;
    pthread_mutex_lock(&profiler_threads.lock);
    ProfilerThread **at = &profiler_threads.first;
    while (*at != t) at = &(*at)->next;
    *at = t->next;
    pthread_mutex_unlock(&profiler_threads.lock);
    free(t);
    return true;
}

// No threads are added any more. These stay in the list, because sinks of threads that outlive the profile may still
// wake them.
void profilerthread_stop_all(void) {
    pthread_mutex_lock(&profiler_threads.lock);
    profiler_threads.closed = true;
    ProfilerThread *first = profiler_threads.first;
    pthread_mutex_unlock(&profiler_threads.lock);
    int64_t deadline = thread_now() + STOP_NS;
    for (ProfilerThread *t = first; t; t = t->next) ask_to_stop(t);
    for (ProfilerThread *t = first; t; t = t->next)
        if (!wait_for_end(t, deadline)) fprintf(stderr, "cabernet: the profiler's thread %s has not ended\n", t->name);
}

// ---- fork ------------------------------------------------------------------------------------

void profilerthread_before_fork(void) { pthread_mutex_lock(&profiler_threads.lock); }
void profilerthread_after_fork_parent(void) { pthread_mutex_unlock(&profiler_threads.lock); }

void profilerthread_after_fork_child(void) {
    for (ProfilerThread *t = profiler_threads.first; t; t = t->next) atomic_store(&t->ended, 1);
    pthread_mutex_unlock(&profiler_threads.lock);
}
