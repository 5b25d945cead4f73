// The handler of SIGPROF, the figures of counters, and the thread that samples the time of day. A fault ends a walk;
// the sample keeps the frames that were found before (vm/threads/ticks.h).
#include "vm/timing/tick.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/signals.h"
#include "vm/api/profilerthread.h"
#include "vm/instrument/hooks.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/ticks.h"
#include "vm/timing/tickcounters.h"
#include "vm/timing/tickwalk.h"
#include "vm/timing/ticktimer.h"

static struct TickSampling {
    _Atomic bool on[TIME_CLOCKS];
    _Atomic uint32_t handlers;       // running in handlers of the signal
    ProfileKind kind;                // of the profile that is sampled; constant while a clock or counter is on
    EventThread *roles[TICK_ROLES];  // for pthreads that run no thread with a record
    int64_t cpu_ns, wall_ns;         // the periods; constant while their clock is on
    ProfilerThread *wall;            // NULL: not started
} tick_sampling;

static void put(EventThread *to, TimeClock clock, const TimeSample *s) {
    if (to) instrument_hooks.profiler->sample(to, clock, s);
}

// The thread's share of the profile that samples time.
static void **share_of(Thread *t, ProfileKind kind) { return kind == PROFILE_OF_TIME ? &t->time_record : &t->prof; }

static EventThread *record_of(Thread *t) { return t ? *share_of(t, tick_sampling.kind) : NULL; }

// ---- the calling thread ---------------------------------------------------------------------------

static void walk_interrupted(const Thread *self, const ucontext_t *context, TimeSample *s) {
    jmp_buf back;
    if (!safepoint_begin_walk()) {  // the world is stopped, perhaps by this thread
        s->mode = atomic_load(&self->state) == THREAD_NATIVE ? TIME_NATIVE : TIME_VM;
        s->unwalked = true;
        return;
    }
    if (_setjmp(back) == 0) {
        ticks_recover_to(&back);
        tickwalk_interrupted(self, context, s);
    } else {
        s->unwalked = true;
    }
    ticks_recover_to(NULL);
    safepoint_end_walk();
    if (!s->count && !s->unwalked) tickwalk_pseudo(s, CALLER_VM_CODE);
}

static void sample_here(TimeClock clock, uint8_t counter, uint32_t ticks, const ucontext_t *context) {
    static const struct {
        uint8_t mode, caller;
    } roles[TICK_ROLES] = {[TICK_OTHER] = {TIME_OTHER, CALLER_OTHER_CODE},
                           [TICK_COMPILER] = {TIME_COMPILER, CALLER_COMPILER},
                           [TICK_COLLECTOR] = {TIME_COLLECTOR, CALLER_COLLECTOR}};
    Thread *self = thread_current();
    EventThread *record = record_of(self);
    TimeSample s;  // the frames are not initialised
    s.mode = TIME_OTHER;
    s.counter = counter;
    s.truncated = s.unwalked = false;
    s.ticks = ticks;
    s.count = 0;
    if (record) {
        walk_interrupted(self, context, &s);
        put(record, clock, &s);
    } else if (clock != TIME_WALL) {
        TickRole role = ticks_role();
        s.mode = roles[role].mode;
        tickwalk_pseudo(&s, roles[role].caller);
        put(tick_sampling.roles[role], clock, &s);
    }
}

static void on_tick(int sig, siginfo_t *info, void *context) {
    int saved = errno;
    Thread *self = thread_current();
    (void)sig;
    atomic_fetch_add(&tick_sampling.handlers, 1);
    if (info->si_code == SI_TIMER && atomic_load(&tick_sampling.on[TIME_CPU])) {
        uint32_t ticks = 1 + (uint32_t)(info->si_overrun > 0 ? info->si_overrun : 0);
        ticks_arrived(ticks);
        sample_here(TIME_CPU, 0, ticks, context);
    } else if (info->si_code == SI_TKILL && self && atomic_load(&tick_sampling.on[TIME_WALL])) {
        uint32_t ticks = atomic_exchange(&self->wall_ticks, 0);
        if (ticks) sample_here(TIME_WALL, 0, ticks, context);
    } else if (info->si_code == POLL_IN) {
        uint32_t periods[COUNTERS] = {0};
        bool any = tickcounters_overflown(info->si_fd, record_of(self), periods);
        for (uint8_t id = 0; any && id < COUNTERS; id++)
            if (periods[id]) sample_here(TIME_COUNTED, id, periods[id], context);
    }
    atomic_fetch_sub(&tick_sampling.handlers, 1);
    errno = saved;
}

// ---- the time of day --------------------------------------------------------------------------------

// Walks a thread from outside. False: it has run meanwhile.
static bool walk_at_rest(const Thread *t, TimeSample *s) {
    jmp_buf back;
    uint32_t state = atomic_load(&t->state);
    if (state == THREAD_RUNNING || state == THREAD_DEAD) return false;
    uint64_t time = thread_cpu_ns(t);
    s->mode = TIME_WAITING;
    if (_setjmp(back) == 0) {
        ticks_recover_to(&back);
        tickwalk_at_rest(t, s);
    } else {
        s->unwalked = true;
    }
    ticks_recover_to(NULL);
    if (!s->count && !s->unwalked) tickwalk_pseudo(s, state == THREAD_NATIVE ? CALLER_NATIVE_CODE : CALLER_VM_CODE);
    return atomic_load(&t->state) == state && thread_cpu_ns(t) == time;
}

// The list lock keeps the thread alive, and the walk keeps its record (tick_forget_thread).
static void sample_other(Thread *t, uint32_t ticks) {
    if (!safepoint_begin_walk()) return;
    EventThread *to = __atomic_load_n(share_of(t, tick_sampling.kind), __ATOMIC_SEQ_CST);
    TimeSample s;
    s.truncated = s.unwalked = false;
    s.ticks = ticks;
    s.count = 0;
    if (to && walk_at_rest(t, &s)) {
        put(to, TIME_WALL, &s);
    } else if (to) {
        atomic_fetch_add(&t->wall_ticks, ticks);
        int os_id = threads.backend->os_id(t);
        if (os_id) syscall(SYS_tgkill, getpid(), os_id, SIGPROF);
    }
    safepoint_end_walk();
}

// The holder of the list lock may have stopped the world, and may wait for this thread to end. So this thread never
// waits for the lock: it samples the missed periods together with the next one.
static void wall_main(ProfilerThread *self, void *arg) {
    int64_t last = thread_now(), next = last + tick_sampling.wall_ns;
    (void)arg;
    while (profilerthread_sleep(self, next)) {
        int64_t now = thread_now(), periods = (now - last) / tick_sampling.wall_ns;
        next = now + tick_sampling.wall_ns;
        if (!atomic_load(&tick_sampling.on[TIME_WALL])) last = now;
        else if (periods && pthread_mutex_trylock(&threads.list_lock) == 0) {
            for (Thread *t = threads.first; t; t = t->next) sample_other(t, (uint32_t)periods);
            pthread_mutex_unlock(&threads.list_lock);
            last += periods * tick_sampling.wall_ns;
            next = last + tick_sampling.wall_ns;
        }
    }
}

// A short-lived thread may end before the kernel has looked at its timer.
EventThread *tick_take_record(Thread *self, ProfileKind kind) {
    void **share = share_of(self, kind);
    EventThread *record = *share;
    bool own_pthread = record && kind == tick_sampling.kind && (!threads.backend->green || self->bound);
    if (own_pthread && atomic_load(&tick_sampling.on[TIME_CPU])) {
        TimeSample s = {.mode = TIME_OTHER, .unwalked = true, .ticks = ticks_missing(tick_sampling.cpu_ns)};
        if (s.ticks) put(record, TIME_CPU, &s);
    }
    if (own_pthread) tickcounters_hand_in(gettid(), record);
    __atomic_store_n(share, NULL, __ATOMIC_SEQ_CST);
    if (record && tick_sampling.wall) safepoint_await_walks();
    return record;
}

// ---- counters ---------------------------------------------------------------------------------------

static bool hand_in_visitor(Thread *t, void *arg) {
    int os_id = threads.backend->os_id(t);
    EventThread *to = record_of(t);
    (void)arg;
    if (os_id && to) tickcounters_hand_in(os_id, to);
    return true;
}

void tick_read_counters(bool crashed) {
    if (crashed) {
        tickcounters_hand_in_sampled(tick_sampling.roles);
        return;
    }
    thread_each(thread_current(), hand_in_visitor, NULL);
    tickcounters_hand_in_others(tick_sampling.roles);
}

void tick_pthread_begins(void) {
    ticktimer_pthread_begins();
    tickcounters_pthread_begins();
}

void tick_pthread_ends(void) {
    ticktimer_pthread_ends();
    tickcounters_pthread_ends(tick_sampling.roles);
}

// ---- start and stop ---------------------------------------------------------------------------------

void tick_sample(ProfileKind kind, const ProfileNeeds *needs) {
    static const char *const names[TICK_ROLES] = {
        [TICK_OTHER] = "other threads of the VM", [TICK_COMPILER] = "compile threads", [TICK_COLLECTOR] = "collector"};
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    signals_all_but_faults(&action.sa_mask);
    sigaction(SIGPROF, &action, NULL);
    tick_sampling.kind = kind;
    for (int i = 0; (needs->hz[TIME_CPU] || needs->counters) && i < TICK_ROLES; i++)
        if (!tick_sampling.roles[i])
            tick_sampling.roles[i] = instrument_hooks.profiler->thread_start(kind, 0, names[i], true, NULL);
    for (int clock = 0; clock < TIME_CLOCKS; clock++) atomic_store(&tick_sampling.on[clock], needs->hz[clock] != 0);
    if (needs->hz[TIME_CPU]) {
        tick_sampling.cpu_ns = 1000000000 / needs->hz[TIME_CPU];
        ticktimer_start(tick_sampling.cpu_ns);
    }
    if (needs->counters) tickcounters_start(needs->counters);
    if (!needs->hz[TIME_WALL] || tick_sampling.wall) return;
    tick_sampling.wall_ns = 1000000000 / needs->hz[TIME_WALL];
    tick_sampling.wall = profilerthread_start("Wall clock", wall_main, NULL);
}

static void await_handlers(void) {
    while (atomic_load(&tick_sampling.handlers)) sched_yield();
}

void tick_stop(void) {
    for (int clock = 0; clock < TIME_CLOCKS; clock++) atomic_store(&tick_sampling.on[clock], false);
    if (tickcounters_on()) tick_read_counters(false);
    tickcounters_stop(await_handlers);
    uint64_t missing = ticktimer_stop();
    if (missing)
        fprintf(stderr, "cabernet: the system had no timer for %llu threads: their processor time is not sampled\n",
                (unsigned long long)missing);
}

// Afterwards no handler takes samples, because `on` was cleared before they are awaited.
void tick_end(void) {
    tick_stop();
    if (tick_sampling.wall) profilerthread_stop(tick_sampling.wall, THREAD_FOREVER);
    tick_sampling.wall = NULL;
    await_handlers();
    for (int i = 0; i < TICK_ROLES; i++) {
        if (tick_sampling.roles[i]) instrument_hooks.profiler->thread_end(tick_sampling.roles[i]);
        tick_sampling.roles[i] = NULL;
    }
}
