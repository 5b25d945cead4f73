// What the green scheduler can report: who runs where, and why not. One table of functions; while
// none is attached the scheduler tests one pointer at each switch, and running code nothing.
//
// The functions run inside the scheduler, on whatever pthread it happens: they must not block,
// allocate in the Java heap, or call anything of vm/ but the facts about threads in
// vm/api/thread.h. Processors are numbered from 0. Members may be NULL.
#ifndef CABERNET_VM_API_THREADEVENTS_H
#define CABERNET_VM_API_THREADEVENTS_H

#include "vm/api/thread.h"

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
    // a switch_in with from != to.
    void (*switch_in)(Thread *t, int to, int from);
    // t no longer has the processor.
    void (*switch_out)(Thread *t, int processor, ThreadSwitchReason reason);
    // t can run again and waits for a processor. `by`: who caused it; NULL: a deadline, or something
    // outside.
    void (*wake)(Thread *t, Thread *by);
} ThreadEvents;

// NULL: detach. World stopped, or before the first thread starts. The table stays valid for good.
void thread_attach_events(const ThreadEvents *events);

#endif
