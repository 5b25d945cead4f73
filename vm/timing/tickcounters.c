#include "vm/timing/tickcounters.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "vm/instrument/hooks.h"

// A handler finds the counters of its pthread from the descriptor, without the lock. It reads none that is being
// closed: on its own pthread all are hidden before the first is closed, and a stop waits for it.
typedef struct ThreadCounter {
    struct ThreadCounter *next;     // of those in use, or of those that are not
    struct ThreadCounter *sibling;  // another one of the pthread
    int os_id;                      // of the pthread
    int fd;                         // -1: the system had none
    int error;                      // errno, if it had none
    enum CounterId id;
    uint64_t period, sampled;  // sampled: the value at the last sample; changed by the pthread's handler
    CounterReading given;      // the totals that were handed in
    EventThread *to;           // the thread's record at its last sample; NULL: none, or its record has ended
    TickRole role;
    bool of_thread;  // it was handed in for a thread of the VM
} ThreadCounter;

enum { MOST_FDS = 1 << 16 };

static struct TickCounters {
    pthread_mutex_t lock;
    const CounterRequest *request;  // NULL: nothing is counted. Read without the lock first
    ThreadCounter *used, *unused;
    _Atomic(ThreadCounter *) sampled[MOST_FDS];  // by descriptor; read by the handler
} tick_counters = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool tickcounters_on(void) { return __atomic_load_n(&tick_counters.request, __ATOMIC_SEQ_CST) != NULL; }

// ---- opening and closing; these require the lock -----------------------------------------------------

static void hide(const ThreadCounter *c) {
    if (c->fd >= 0 && c->fd < MOST_FDS) atomic_store(&tick_counters.sampled[c->fd], NULL);
}

static void close_counter(ThreadCounter **at) {
    ThreadCounter *c = *at;
    if (c->fd >= 0) close(c->fd);
    *at = c->next;
    c->next = tick_counters.unused;
    tick_counters.unused = c;
}

static void close_all_of(int os_id) {
    for (const ThreadCounter *c = tick_counters.used; c; c = c->next)
        if (c->os_id == os_id) hide(c);
    for (ThreadCounter **at = &tick_counters.used; *at;) {
        if ((*at)->os_id == os_id) close_counter(at);
        else at = &(*at)->next;
    }
}

// The kernel counts from the opening on; overflows before the owner is known send no signal, and count for the first
// sample.
static bool send_signals(const ThreadCounter *c) {
    struct f_owner_ex owner = {.type = F_OWNER_TID, .pid = c->os_id};
    return fcntl(c->fd, F_SETOWN_EX, &owner) == 0 && fcntl(c->fd, F_SETSIG, SIGPROF) == 0 &&
        fcntl(c->fd, F_SETFL, O_ASYNC) == 0;
}

static ThreadCounter *open_counter(int os_id, enum CounterId id, TickRole role, ThreadCounter *sibling) {
    ThreadCounter *c = tick_counters.unused;
    if (c) tick_counters.unused = c->next;
    else if (!(c = malloc(sizeof *c))) return sibling;  // the thread's row says that it was not read
    *c = (ThreadCounter){.next = tick_counters.used, .os_id = os_id, .id = id, .role = role};
    c->sibling = sibling;
    c->period = tick_counters.request->period[id];
    c->fd = counter_open(id, os_id, c->period);
    c->error = c->fd < 0 ? errno : c->fd >= MOST_FDS ? EMFILE : 0;
    tick_counters.used = c;
    return c;
}

static void open_all_of(int os_id, TickRole role) {
    close_all_of(os_id);  // of a pthread with the same number that ended without notice
    ThreadCounter *first = NULL;
    for (int id = 0; id < COUNTERS; id++)
        if (tick_counters.request->wanted[id]) first = open_counter(os_id, (enum CounterId)id, role, first);
    for (ThreadCounter *c = first; c; c = c->sibling) {
        if (c->error || !c->period) continue;
        atomic_store(&tick_counters.sampled[c->fd], first);
        if (!send_signals(c)) c->error = errno;
    }
}

// ---- handing in; requires the lock -------------------------------------------------------------------

static void hand_in(ThreadCounter *c, EventThread *to) {
    CounterReading now = c->given;
    if (!to) return;
    if (!c->error && !counter_read(c->fd, &now)) c->error = errno;
    CounterReading since = {now.count - c->given.count, now.enabled_ns - c->given.enabled_ns,
                            now.running_ns - c->given.running_ns};
    instrument_hooks.profiler->counter(to, c->id, &since, c->error);
    c->given = now;
}

void tickcounters_hand_in(int os_id, EventThread *to) {
    if (!tickcounters_on()) return;
    pthread_mutex_lock(&tick_counters.lock);
    for (ThreadCounter *c = tick_counters.used; c; c = c->next) {
        if (c->os_id != os_id) continue;
        hand_in(c, to);
        c->of_thread = true;
        c->to = NULL;
    }
    pthread_mutex_unlock(&tick_counters.lock);
}

void tickcounters_hand_in_sampled(EventThread *const roles[TICK_ROLES]) {
    for (ThreadCounter *c = tick_counters.used; c; c = c->next)
        hand_in(c, c->role == TICK_OTHER ? c->to : roles[c->role]);
}

void tickcounters_hand_in_others(EventThread *const roles[TICK_ROLES]) {
    pthread_mutex_lock(&tick_counters.lock);
    for (ThreadCounter *c = tick_counters.used; c; c = c->next)
        if (!c->of_thread) hand_in(c, roles[c->role]);
    pthread_mutex_unlock(&tick_counters.lock);
}

// ---- pthreads ----------------------------------------------------------------------------------------

void tickcounters_start(const CounterRequest *counters) {
    pthread_mutex_lock(&tick_counters.lock);
    __atomic_store_n(&tick_counters.request, counters, __ATOMIC_SEQ_CST);
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        if (entry->d_name[0] != '.') open_all_of(atoi(entry->d_name), TICK_OTHER);
    if (tasks) closedir(tasks);
    pthread_mutex_unlock(&tick_counters.lock);
}

void tickcounters_stop(void (*await_handlers)(void)) {
    pthread_mutex_lock(&tick_counters.lock);
    __atomic_store_n(&tick_counters.request, NULL, __ATOMIC_SEQ_CST);
    for (const ThreadCounter *c = tick_counters.used; c; c = c->next) hide(c);
    if (tick_counters.used) await_handlers();
    while (tick_counters.used) close_counter(&tick_counters.used);
    pthread_mutex_unlock(&tick_counters.lock);
}

// A pthread that begins while tickcounters_start reads the list of pthreads is in the list, or sees the request.
void tickcounters_pthread_begins(void) {
    if (!tickcounters_on()) return;
    pthread_mutex_lock(&tick_counters.lock);
    if (tick_counters.request) open_all_of(gettid(), ticks_role());
    pthread_mutex_unlock(&tick_counters.lock);
}

void tickcounters_pthread_ends(EventThread *const roles[TICK_ROLES]) {
    int os_id = gettid();
    if (!tickcounters_on()) return;
    pthread_mutex_lock(&tick_counters.lock);
    for (ThreadCounter *c = tick_counters.used; c; c = c->next)
        if (c->os_id == os_id) hand_in(c, roles[c->role]);
    close_all_of(os_id);
    pthread_mutex_unlock(&tick_counters.lock);
}

bool tickcounters_overflown(int fd, EventThread *to, uint32_t periods[COUNTERS]) {
    ThreadCounter *first = fd >= 0 && fd < MOST_FDS ? atomic_load(&tick_counters.sampled[fd]) : NULL;
    bool any = false;
    if (!first || first->os_id != gettid()) return false;
    for (ThreadCounter *c = first; c; c = c->sibling) {
        CounterReading now;
        c->to = to;
        if (c->error || !c->period || !counter_read(c->fd, &now)) continue;
        uint64_t passed = now.count / c->period - c->sampled / c->period;
        periods[c->id] = passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
        c->sampled += periods[c->id] * c->period;
        any |= passed != 0;
    }
    return any;
}

// ---- forks -------------------------------------------------------------------------------------------

void tickcounters_before_fork(void) { pthread_mutex_lock(&tick_counters.lock); }
void tickcounters_after_fork_parent(void) { pthread_mutex_unlock(&tick_counters.lock); }

// The descriptors stay open: closing them would cost the child time, and counts nothing there.
void tickcounters_after_fork_child(void) {
    tick_counters.request = NULL;
    tick_counters.used = NULL;
    pthread_mutex_unlock(&tick_counters.lock);
}
