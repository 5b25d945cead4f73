// What threads, monitors and stops report: one table of functions, which vm/instrument/vmevents.c attaches when a
// profile asks for one of these events. While none is attached, each place tests one pointer and running Java
// code nothing.
//
// The functions of the scheduler (switch_in, switch_out, wake) run inside it, on whatever pthread it happens, and those of
// stops with the world stopped: they must not block, allocate in the Java heap, or call anything of vm/ but the facts
// about threads in vm/api/thread.h. The others run on the thread itself in the running state, without a lock of the
// VM; they do not throw. Processors are numbered from 0. Members may be NULL.
#ifndef CABERNET_VM_THREADS_THREADEVENTS_H
#define CABERNET_VM_THREADS_THREADEVENTS_H

#include <stdatomic.h>

#include "vm/threads/thread.h"

typedef enum ThreadSwitchReason {
    THREAD_SWITCH_BLOCK,    // it waits for something inside the VM, or for one of the following:
    THREAD_SWITCH_ENTER,    // a monitor
    THREAD_SWITCH_WAIT,     // Object.wait
    THREAD_SWITCH_PARK,     // a permit
    THREAD_SWITCH_SLEEP,    // a time
    THREAD_SWITCH_IO,       // a descriptor
    THREAD_SWITCH_YIELD,    // Thread.yield
    THREAD_SWITCH_PREEMPT,  // its time was up
    THREAD_SWITCH_NATIVE,   // its native call or other wait took long: it lost the processor
    THREAD_SWITCH_END,
} ThreadSwitchReason;

typedef struct ThreadEvents {
    // t has processor `to` from now on; `from`: the one it had before, -1: none yet. A migration is
    // a switch_in with from != to. Native threads: t goes on after it has blocked.
    void (*switch_in)(Thread *t, int to, int from);
    // t no longer has the processor.
    void (*switch_out)(Thread *t, int processor, ThreadSwitchReason reason);
    // Green threads: t can run again and waits for a processor. `by`: who caused it; NULL: a deadline, or something
    // outside.
    void (*wake)(Thread *t, Thread *by);
    // As the events of the same names (vm/api/events.def).
    void (*monitor_enter)(Thread *self, Object *o);
    void (*monitor_contended)(Thread *self, Object *o);
    void (*monitor_acquired)(Thread *self, Object *o);
    void (*monitor_released)(Thread *self, Object *o);
    void (*monitor_wait)(Thread *self, Object *o);
    void (*monitor_notify)(Thread *self, Object *o, bool all);
    void (*park)(Thread *self, bool timed);
    void (*unpark)(Thread *self, Thread *t);
    void (*safepoint_begin)(Thread *self);  // self NULL: a pthread that is none of the VM's threads
    void (*safepoint_end)(Thread *self);
} ThreadEvents;

// NULL: detach. World stopped, or before the first thread starts. The table stays valid for good.
void thread_attach_events(const ThreadEvents *events);

static inline const ThreadEvents *thread_listener(void) {
    return atomic_load_explicit(&threads.events, memory_order_acquire);
}

// Calls a member if a table with that member is attached.
#define THREAD_TELL(member, ...)                                                      \
    do {                                                                              \
        const ThreadEvents *listener_ = thread_listener();                            \
        if (__builtin_expect(listener_ != NULL, 0) && listener_->member)              \
            listener_->member(__VA_ARGS__);                                           \
    } while (0)

#endif
