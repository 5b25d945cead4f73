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

#include "vm/api/events.h"
#include "vm/model/class.h"
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
    // One for each event whose row says THREADS or SCHEDULER, with its payload (vm/api/events.def). `t` is who makes the
    // event; NULL: a pthread that is none of the VM's threads. A native thread is switched in when it goes on after it
    // has blocked.
#define EVENT(id, text, payload, waits, counted, source, made_by) THREAD_MEMBER_##source(id, payload)
#define THREAD_MEMBER_THREADS(id, payload) void (*id)(Thread *t, EVENT_VM_PARAMETERS(payload));
#define THREAD_MEMBER_SCHEDULER THREAD_MEMBER_THREADS
#define THREAD_MEMBER_CODE(id, payload)
#define THREAD_MEMBER_CALLS(id, payload)
#define THREAD_MEMBER_VM(id, payload)
#include "vm/api/events.def"
    // Green threads: t can run again and waits for a processor. `by`: who caused it; NULL: a deadline, or something
    // outside.
    void (*wake)(Thread *t, Thread *by);
    // No instruction has made the object, but native code or the VM; with arrays in it down to `depth` levels below it,
    // of which some may be missing.
    void (*allocated)(Thread *self, const Object *o, uint32_t depth);
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

// Of sync_release and sync_acquire, when the thread of a java.lang.Thread is started, and begins.
static inline const void *thread_start_address(const Object *java_thread) { return (const char *)java_thread + 1; }

// Of a sync_release by a thread that ends: all that it releases from now on says so.
static inline const void *thread_end_address(const Object *java_thread) { return (const char *)java_thread + 2; }

// switch_in, and migration if `t` had another processor before (`from`; -1: none).
void thread_tell_switch_in(Thread *t, int to, int from);

#endif
