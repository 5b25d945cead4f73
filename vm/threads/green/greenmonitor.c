// Sleeps until the first deadline; ticks while runnable threads have to wait for a processor. So an idle VM, or one
// whose threads all have a processor, costs nothing.
//
// Lost wake-ups: the monitor publishes the end of its sleep (`sleeps_until`) before its last check of the timers and
// the queues; other threads change those first and check `sleeps_until` afterwards.
#include "vm/threads/green/greenmonitor.h"

#include <pthread.h>
#include <stdatomic.h>

#include "vm/threads/threadbackend.h"
#include "vm/threads/green/green_internal.h"
#include "vm/threads/green/greensched.h"
#include "vm/threads/green/greentimer.h"

enum { STACK = 256 * 1024, QUIET_TICKS = 3 };
static const int64_t tick_ns = 1000000;

static void call(void) {
    atomic_fetch_add(&green.monitor.calls, 1);
    backend_wake(&green.monitor.calls, 1);
}

void greenmonitor_poke(void) {
    if (!atomic_load(&green.monitor.ticking) && !atomic_exchange(&green.monitor.ticking, true)) call();
}

void greenmonitor_wake_before(int64_t deadline) {
    if (deadline < atomic_load(&green.monitor.sleeps_until)) call();
}

static void *monitor_main(void *arg) {
    (void)arg;
    pthread_setname_np(pthread_self(), "Thread Monitor");
    for (int quiet = 0;;) {
        uint32_t seen = atomic_load(&green.monitor.calls);
        if (atomic_load(&green.timers.first) != THREAD_FOREVER) {
            for (Thread *t = greentimer_take_due(thread_now()), *next; t; t = next) {
                next = t->queue_next;
                t->queue_next = NULL;
                greensched_wake(t, NULL);
            }
        }
        bool waits = greensched_work_waits();
        if (waits) {
            thread_list_lock(NULL);
            greensched_tick(thread_now());
            thread_list_unlock(NULL);
        }
        quiet = waits ? 0 : quiet + 1;
        bool active = quiet < QUIET_TICKS;
        atomic_store(&green.monitor.ticking, active);
        int64_t until = atomic_load(&green.timers.first), next_tick = thread_now() + tick_ns;
        if (active && next_tick < until) until = next_tick;
        atomic_store(&green.monitor.sleeps_until, until);
        if (atomic_load(&green.timers.first) >= until &&
            (atomic_load(&green.monitor.ticking) || !greensched_work_waits()))
            backend_wait(&green.monitor.calls, seen, until);
        atomic_store(&green.monitor.sleeps_until, INT64_MIN);
        if (!active && atomic_load(&green.monitor.ticking)) quiet = 0;
    }
    return NULL;
}

bool greenmonitor_start(void) { return backend_start_helper(monitor_main, NULL, STACK); }

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

void greenmonitor_after_fork_child(void) {
    atomic_store(&green.monitor.ticking, false);
    atomic_store(&green.monitor.sleeps_until, THREAD_FOREVER);
    greenmonitor_start();
}
