// Records the order in which a process takes its mutexes: a library to be loaded before the C library (LD_PRELOAD).
//
// A mutex that is taken while others are held gives an edge from each of those. When an edge is first seen, a line is
// written to the file $LOCK_EDGES: FROM TO FRAME..., each MODULE+OFFSET. A static mutex is named by its address, any
// other by the code that initialized it. pthread_mutex_trylock never waits, so it gives no edges to its mutex.
// tests/run/locks.py reads the file.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_HELD = 64, MAX_CLASSES = 512, MAX_MUTEXES = 1 << 16, MAX_FRAMES = 12, STACK_WORDS = 512, LINE = 4096 };

static int (*real_lock)(pthread_mutex_t *);
static int (*real_trylock)(pthread_mutex_t *);
static int (*real_unlock)(pthread_mutex_t *);
static int (*real_init)(pthread_mutex_t *, const pthread_mutexattr_t *);
static int (*real_wait)(pthread_cond_t *, pthread_mutex_t *);
static int (*real_timedwait)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
static int (*real_clockwait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
static int edges = -1;

// The class of a mutex is the address that names it. Classes are numbered in order of appearance.
static _Atomic(uintptr_t) classes[MAX_CLASSES];
static _Atomic bool seen[MAX_CLASSES][MAX_CLASSES];

// Mutexes that a call initialized, and its caller. An entry outlives its mutex.
static struct Initialized { _Atomic(uintptr_t) mutex, caller; } initialized[MAX_MUTEXES];

static _Thread_local struct Held {
    pthread_mutex_t *mutex;
    int number;
} held[MAX_HELD];
static _Thread_local int held_count;

__attribute__((constructor)) static void start(void) {
    real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    real_trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    real_init = dlsym(RTLD_NEXT, "pthread_mutex_init");
    real_wait = dlsym(RTLD_NEXT, "pthread_cond_wait");
    real_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
    real_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
    const char *path = getenv("LOCK_EDGES");
    if (path) edges = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static struct Initialized *entry(uintptr_t mutex) {
    size_t at = mutex * UINT64_C(0x9e3779b97f4a7c15) >> 48;
    for (size_t i = 0; i < MAX_MUTEXES; i++, at = (at + 1) % MAX_MUTEXES) {
        uintptr_t there = 0;
        if (atomic_load(&initialized[at].mutex) == mutex) return &initialized[at];
        if (atomic_compare_exchange_strong(&initialized[at].mutex, &there, mutex) || there == mutex)
            return &initialized[at];
    }
    abort();
}

static int number_of(pthread_mutex_t *mutex) {
    Dl_info info;
    uintptr_t caller = atomic_load(&entry((uintptr_t)mutex)->caller);
    uintptr_t name = caller && !dladdr(mutex, &info) ? caller : (uintptr_t)mutex;
    for (int i = 0; i < MAX_CLASSES; i++) {
        uintptr_t there = 0;
        if (atomic_load(&classes[i]) == name || atomic_compare_exchange_strong(&classes[i], &there, name) ||
            there == name)
            return i;
    }
    abort();
}

static size_t append(char *line, size_t at, uintptr_t address) {
    Dl_info info;
    int n;
    if (dladdr((void *)address, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        n = snprintf(line + at, LINE - at, "%s+0x%zx ", slash ? slash + 1 : info.dli_fname,
                     (size_t)(address - (uintptr_t)info.dli_fbase));
    } else {
        n = snprintf(line + at, LINE - at, "?+0x%zx ", (size_t)address);
    }
    return n > 0 && at + (size_t)n < LINE - 1 ? at + (size_t)n : at;
}

// Appends the stack words that may be return addresses of callers in a library. Compiled Java code cannot be unwound.
// The stack may end before STACK_WORDS; only the kernel can read there without a fault.
static size_t append_callers(char *line, size_t at) {
    uintptr_t words[STACK_WORDS];
    struct iovec to = {words, sizeof words}, from = {__builtin_frame_address(0), sizeof words};
    ssize_t bytes = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    Dl_info info;
    for (ssize_t i = 0, found = 0; i < bytes / (ssize_t)sizeof *words && found < MAX_FRAMES; i++) {
        if (!dladdr((void *)words[i], &info) || !strstr(info.dli_fname, ".so")) continue;
        at = append(line, at, words[i]);
        found++;
    }
    return at;
}

static void write_edge(int from, int to) {
    char line[LINE];
    size_t at = append(line, 0, atomic_load(&classes[from]));
    at = append_callers(line, append(line, at, atomic_load(&classes[to])));
    line[at++] = '\n';
    if (write(edges, line, at) != (ssize_t)at) abort();
}

// Records the edges to a mutex that the thread is about to wait for.
static void order(pthread_mutex_t *mutex) {
    if (edges < 0 || held_count == 0) return;
    int to = number_of(mutex);
    for (int i = 0; i < held_count; i++) {
        int from = held[i].number;
        if (from == to || atomic_exchange(&seen[from][to], true)) continue;
        int count = held_count;
        held_count = 0;  // writing takes mutexes, too
        write_edge(from, to);
        held_count = count;
    }
}

static void take(pthread_mutex_t *mutex) {
    if (edges < 0 || held_count == MAX_HELD) return;
    held[held_count++] = (struct Held){mutex, number_of(mutex)};
}

static void release(const pthread_mutex_t *mutex) {
    for (int i = held_count; i-- > 0;) {
        if (held[i].mutex != mutex) continue;
        memmove(&held[i], &held[i + 1], (size_t)(held_count - i - 1) * sizeof *held);
        held_count--;
        return;
    }
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes) {
    if (!real_init) real_init = dlsym(RTLD_NEXT, "pthread_mutex_init");
    atomic_store(&entry((uintptr_t)mutex)->caller, (uintptr_t)__builtin_return_address(0));
    return real_init(mutex, attributes);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    if (!real_lock) real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    order(mutex);
    int result = real_lock(mutex);
    if (result == 0) take(mutex);
    return result;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    if (!real_trylock) real_trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    int result = real_trylock(mutex);
    if (result == 0) take(mutex);
    return result;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex) {
    if (!real_unlock) real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
    release(mutex);
    return real_unlock(mutex);
}

// A wait releases its mutex and takes it again while the others are held.
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex) {
    release(mutex);
    order(mutex);
    int result = real_wait(cond, mutex);
    take(mutex);
    return result;
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until) {
    release(mutex);
    order(mutex);
    int result = real_timedwait(cond, mutex, until);
    take(mutex);
    return result;
}

int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *until) {
    release(mutex);
    order(mutex);
    int result = real_clockwait(cond, mutex, clock, until);
    take(mutex);
    return result;
}
