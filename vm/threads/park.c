// Park, sleep and interrupt, built on thread_block and thread_wake.
//
// A thread has one permit. park takes it or sleeps; unpark sets it and wakes the thread. interrupt sets it too, as the
// class library expects (park returns when interrupted, and every park is in a loop).
#include "vm/threads/park.h"

#include <time.h>

#include "base/invariant.h"
#include "vm/threads/threadevents.h"
#include "base/clock.h"
#include "vm/model/vm.h"
#include "vm/threads/hooks.h"

bool thread_interrupted(Thread *t, bool clear) {
    if (!t->java_thread) return false;
    uint8_t *flag = &FIELD_AT(t->java_thread, WK_OFF(java_lang_Thread, interrupted), uint8_t);
    bool set = __atomic_load_n(flag, __ATOMIC_SEQ_CST) != 0;
    if (set && clear) THREAD_REPORT(sync_acquire, t, t->java_thread, flag);
    if (set && clear) __atomic_store_n(flag, 0, __ATOMIC_SEQ_CST);
    return set;
}

// Sets the thread's status and block kind until leave_status.
static int enter_status(Thread *self, int status, BlockKind kind, Object *object) {
    ASSERT(self->block_kind == BLOCK_NONE && thread_is_running(self), "thread %u is blocked already (%d)", self->id,
           (int)self->block_kind);
    thread_show_blocked(self, kind, object, status != STATUS_PARKED);
    return thread_set_status(self, status);
}

static void leave_status(Thread *self, int old) {
    thread_set_status(self, old);
    thread_show_running(self);
}

static bool take_permit(Thread *self) {
    return atomic_load_explicit(&self->park_permit, memory_order_relaxed) && atomic_exchange(&self->park_permit, 0);
}

void thread_park(Thread *self, bool absolute, int64_t time) {
    THREAD_REPORT(park, self, absolute || time);
    if (take_permit(self) || thread_interrupted(self, false)) return;
    if (time < 0 || (absolute && time == 0)) return;
    int64_t deadline = time ? thread_deadline(time) : THREAD_FOREVER;
    if (absolute) {  // milliseconds since 1970
        int64_t now = clock_wall_ms(), rest = time > now ? time - now : 0;
        deadline = rest > INT64_MAX / 1000000 ? THREAD_FOREVER : thread_deadline(rest * 1000000);
    }
    bool timed = absolute || time;
    int old = enter_status(
        self, timed ? STATUS_TIMED_PARKED : STATUS_PARKED, BLOCK_PARK,
        !self->java_thread ? NULL : get_ref(self->java_thread, (size_t)WK_OFF(java_lang_Thread, parkBlocker)));
    while (!take_permit(self) && !thread_interrupted(self, false) && !thread_async_pending(self))
        if (!thread_block(self, deadline)) break;
    take_permit(self);
    leave_status(self, old);
}

static void give_permit(Thread *t) {
    atomic_store(&t->park_permit, 1);
    thread_wake(t);
}

void thread_unpark(Object *java_thread) {
    Thread *t = java_thread ? thread_of(java_thread) : NULL;
    if (!t) return;
    THREAD_REPORT(unpark, thread_current(), t);
    give_permit(t);
}

void thread_interrupt(Object *java_thread) {
    Thread *t = java_thread ? thread_of(java_thread) : NULL;
    if (t) give_permit(t);
}

static bool sleep_interrupted(Thread *self) {
    if (!thread_interrupted(self, true)) return false;
    thread_hooks.throw_wk(self, "java/lang/InterruptedException", "sleep interrupted");
    return true;
}

bool thread_sleep(Thread *self, int64_t millis) {
    if (millis < 0) {
        thread_hooks.throw_wk(self, "java/lang/IllegalArgumentException", "timeout value is negative");
        return false;
    }
    if (sleep_interrupted(self)) return false;
    if (millis == 0) {
        THREAD_REPORT(gave_way, self, 0);
        thread_yield(self);
        return true;
    }
    bool forever = millis > INT64_MAX / 1000000;
    int64_t deadline = forever ? THREAD_FOREVER : thread_deadline(millis * 1000000);
    int old = enter_status(self, STATUS_SLEEPING, BLOCK_SLEEP, NULL);
    while (!thread_interrupted(self, false) && !thread_async_pending(self) && thread_now() < deadline)
        thread_block(self, deadline);
    leave_status(self, old);
    thread_poll(self);
    return !self->exception && !sleep_interrupted(self);
}
