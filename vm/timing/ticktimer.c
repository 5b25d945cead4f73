#include "vm/timing/ticktimer.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/grow.h"
#include "vm/threads/ticks.h"

typedef struct Timer {
    int os_id;  // of the pthread
    timer_t timer;
} Timer;

static struct TickTimers {
    pthread_mutex_t lock;
    int64_t period_ns;  // 0: time is not sampled. Read without the lock first
    Timer *timers;
    uint32_t count, room;
    uint64_t missing;
} tick_timers = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The clock of a pthread's processor time, by the system's number for it (clock_getres(2)).
static clockid_t clock_of(int os_id) {
    enum { PER_THREAD = 4, SCHEDULED = 2 };
    return (clockid_t)(~(unsigned)os_id << 3 | PER_THREAD | SCHEDULED);
}

// These three require the lock.
static void remove_timer(int os_id) {
    for (uint32_t i = 0; i < tick_timers.count; i++) {
        if (tick_timers.timers[i].os_id != os_id) continue;
        timer_delete(tick_timers.timers[i].timer);
        tick_timers.timers[i--] = tick_timers.timers[--tick_timers.count];
    }
}

static void add_timer(int os_id) {
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
    int64_t ns = tick_timers.period_ns;
    struct timespec period = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    timer_t timer;
    remove_timer(os_id);  // of a pthread with the same number that ended without notice
    event._sigev_un._tid = os_id;
    if (!GROW(tick_timers.timers, tick_timers.room, tick_timers.count + 1) ||
        timer_create(clock_of(os_id), &event, &timer) != 0) {
        tick_timers.missing++;
        return;
    }
    tick_timers.timers[tick_timers.count++] = (Timer){os_id, timer};
    timer_settime(timer, 0, &(struct itimerspec){.it_interval = period, .it_value = period}, NULL);
}

static void add_all(void) {
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *entry; tasks && (entry = readdir(tasks));)
        if (entry->d_name[0] != '.') add_timer(atoi(entry->d_name));
    if (tasks) closedir(tasks);
}

void ticktimer_start(int64_t period_ns) {
    pthread_mutex_lock(&tick_timers.lock);
    __atomic_store_n(&tick_timers.period_ns, period_ns, __ATOMIC_SEQ_CST);
    add_all();
    pthread_mutex_unlock(&tick_timers.lock);
}

uint64_t ticktimer_stop(void) {
    pthread_mutex_lock(&tick_timers.lock);
    __atomic_store_n(&tick_timers.period_ns, 0, __ATOMIC_SEQ_CST);
    while (tick_timers.count) timer_delete(tick_timers.timers[--tick_timers.count].timer);
    uint64_t missing = tick_timers.missing;
    tick_timers.missing = 0;
    pthread_mutex_unlock(&tick_timers.lock);
    return missing;
}

static void with_lock(void (*change)(int os_id)) {
    if (!__atomic_load_n(&tick_timers.period_ns, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&tick_timers.lock);
    if (tick_timers.period_ns) change(gettid());
    pthread_mutex_unlock(&tick_timers.lock);
}

static void add_own(int os_id) {
    add_timer(os_id);
    ticks_begin();
}

// A pthread that begins while ticktimer_start reads the list of pthreads is in the list, or sees the period.
void ticktimer_pthread_begins(void) { with_lock(add_own); }
void ticktimer_pthread_ends(void) { with_lock(remove_timer); }

void ticktimer_before_fork(void) { pthread_mutex_lock(&tick_timers.lock); }
void ticktimer_after_fork_parent(void) { pthread_mutex_unlock(&tick_timers.lock); }
void ticktimer_after_fork_child(void) {
    tick_timers.count = 0;
    tick_timers.period_ns = 0;
    pthread_mutex_unlock(&tick_timers.lock);
}
