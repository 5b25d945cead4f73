// Sinks that wait (vm/api/eventwait.h). Each thread has its own list. POLL_SINK is set while the list is not empty,
// so that the next yieldpoint calls eventwait_serve (thread_safepoint).
#include "vm/instrument/eventwait.h"

#include "base/invariant.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/thread.h"

static struct EventWaits { _Atomic bool ended; } waits;

void eventwait_end(void) { atomic_store(&waits.ended, true); }

void eventwait_ask(EventWait *w) {
    Thread *self = thread_current();
    if (atomic_load_explicit(&waits.ended, memory_order_relaxed)) return;
    ASSERT(self && thread_is_running(self), "a sink asks to wait outside a running thread");
    if (w->asked) return;
    w->asked = true;
    w->next = self->event_waits;
    self->event_waits = w;
    safepoint_request(self, POLL_SINK);
}

void eventwait_forget(Thread *t) { t->event_waits = NULL; }

void eventwait_serve(Thread *self) {
    while (self->event_waits) {
        EventWait *w = self->event_waits;
        self->event_waits = w->next;
        w->asked = false;
        if (!atomic_load(&waits.ended)) thread_run_waiting(self, w->fn, w->arg);
    }
    atomic_fetch_and(&self->poll, ~(uint32_t)POLL_SINK);
}
