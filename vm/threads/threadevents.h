// Events of threads, monitors and stops: one table of functions, which vm/instrument/vmevents.c attaches when a profile
// requests one of these events. While no table is attached, each event site tests one pointer, and executing Java code
// tests nothing.
//
// The scheduler's functions (switch_in, switch_out, wake) run inside the scheduler, on any pthread, and those of stops
// run with the world stopped. They must not block, allocate in the Java heap, or call anything of vm/ except the thread
// queries in vm/api/thread.h without thread_os_id. The other functions run on the thread itself in the running state,
// without a lock of the VM; they do not throw. Processors are numbered from 0. Members may be NULL.
#ifndef CABERNET_VM_THREADS_THREADEVENTS_H
#define CABERNET_VM_THREADS_THREADEVENTS_H

#include <stdatomic.h>

#include "vm/api/events.h"
#include "vm/model/class.h"
#include "vm/threads/thread.h"

typedef enum ThreadSwitchReason {
    THREAD_SWITCH_BLOCK,    // waits for something inside the VM, or for one of the following:
    THREAD_SWITCH_ENTER,    // a monitor
    THREAD_SWITCH_WAIT,     // Object.wait
    THREAD_SWITCH_PARK,     // a permit
    THREAD_SWITCH_SLEEP,    // a time
    THREAD_SWITCH_IO,       // a descriptor
    THREAD_SWITCH_YIELD,    // Thread.yield
    THREAD_SWITCH_PREEMPT,  // its quantum had expired
    THREAD_SWITCH_NATIVE,   // a native call or another wait took long and it lost the processor
    THREAD_SWITCH_END,
} ThreadSwitchReason;

typedef struct ThreadEvents {
    // One for each event whose row says THREADS or SCHEDULER, with its payload (vm/api/events.def). `t` is the thread
    // that makes the event; NULL: a pthread outside the VM. A native thread is switched in when it resumes after
    // blocking.
#define EVENT(id, text, payload, waits, counted, source, made_by) THREAD_MEMBER_##source(id, payload)
#define THREAD_MEMBER_THREADS(id, payload) void (*id)(Thread * t, EVENT_VM_PARAMETERS(payload));
#define THREAD_MEMBER_SCHEDULER THREAD_MEMBER_THREADS
#define THREAD_MEMBER_CODE(id, payload)
#define THREAD_MEMBER_CALLS(id, payload)
#define THREAD_MEMBER_VM(id, payload)
#include "vm/api/events.def"
    // Green threads: t has become runnable and waits for a processor. `by`: the thread that woke it; NULL: a deadline
    // or an external event.
    void (*wake)(Thread *t, Thread *by);
    // An object created by native code or the VM, not by an instruction. Includes the arrays in it, down to `depth`
    // levels below it; some of them may be missing.
    void (*allocated)(Thread *self, const Object *o, uint32_t depth);
} ThreadEvents;

// Attaches the table; NULL: detaches. World stopped, or before the first thread starts. The table stays valid for good.
void thread_attach_events(const ThreadEvents *events);

static inline const ThreadEvents *thread_listener(void) {
    return atomic_load_explicit(&threads.events, memory_order_acquire);
}

// Calls a member if a table with that member is attached.
#define THREAD_REPORT(member, ...)                                                                       \
    do {                                                                                                 \
        const ThreadEvents *listener_ = thread_listener();                                               \
        if (__builtin_expect(listener_ != NULL, 0) && listener_->member) listener_->member(__VA_ARGS__); \
    } while (0)

// Address for sync_release when a java.lang.Thread is started, and for sync_acquire when its thread begins.
static inline const void *thread_start_address(const Object *java_thread) { return (const char *)java_thread + 1; }

// Address for the sync_release of an ending thread: all its releases from then on use it.
static inline const void *thread_end_address(const Object *java_thread) { return (const char *)java_thread + 2; }

// Reports switch_in, and migration if `t` had another processor before (`from`; -1: none).
void thread_report_switch_in(Thread *t, int to, int from);

#endif
