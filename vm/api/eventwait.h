// How a sink makes the thread wait whose event it has taken, for example until a slow consumer has caught up.
//
// The sink of a MAY_WAIT event (vm/api/events.def) requests the wait and returns. The thread waits before its next
// place that reports such an event, or at its next yieldpoint if that comes first. It is then at a safepoint, in the
// blocked state: stops, collections, the green scheduler and other threads continue. Waiting before an event, not after
// it, allows compiled code to deoptimise there: nothing is reported twice, because nothing has been reported yet.
//
// Between the request and the wait, the thread reports the other events of the same instruction. An instruction itself
// makes few, but multianewarray makes one for each array, and a native method, an intrinsic or a monitor makes those on
// its path. A sink keeps room for them, or counts those that it cannot take as lost.
//
// An analysis whose sinks wait declares that (Analysis.waits): then, and only then, compiled code has safepoints before
// its events. Implemented in vm/instrument/eventwait.c.
#ifndef CABERNET_VM_API_EVENTWAIT_H
#define CABERNET_VM_API_EVENTWAIT_H

#include <stdbool.h>

// A wait that may be requested. Belongs to one thread's state in an analysis; zeroed except for fn and arg.
typedef struct EventWait {
    struct EventWait *next;  // used by the VM
    bool asked;              // used by the VM: set until fn is called
    // Called on the thread in the blocked state: may block, but must not access the heap. The condition that it waits
    // for must not depend on any other Java thread, because this thread may hold monitors and locks of the VM. The wait
    // ends when the profile does; otherwise the thread stays there until the process has ended.
    void (*fn)(void *arg);
    void *arg;
} EventWait;

// Requests one call of w->fn(w->arg) on the current thread, in a sink of a MAY_WAIT event. *w must stay until it has
// been called, or the thread has ended; a repeated request before that has no effect. Does nothing when the profile has
// been written, and in the child of a fork. Neither blocks nor allocates.
void eventwait_ask(EventWait *w);

#endif
