// How a sink makes the thread wait whose event it has taken, as one does that hands its events to a consumer
// which is behind.
//
// The sink of a MAY_WAIT event (vm/api/events.def) asks, and returns. The thread waits in front of its next place that
// reports such an event, or at its next yieldpoint if that comes first. It is at a safepoint there, in the blocked
// state: stops, collections and the green scheduler go on, and so do other threads. Waiting in front of an event and not
// behind it is what lets compiled code be left there: nothing is reported twice, because nothing has been
// reported yet.
//
// Between the question and the waiting come the other events of the same instruction: of those it makes itself few, but
// multianewarray one for each array, and a native method, an intrinsic or a monitor those that it makes on its way.
// A sink keeps room for them, or counts what it cannot take as lost.
//
// An analysis whose sinks wait says so (Analysis.waits): compiled code has safepoints in front of its events then,
// and only then. Implemented in vm/instrument/eventwait.c.
#ifndef CABERNET_VM_API_EVENTWAIT_H
#define CABERNET_VM_API_EVENTWAIT_H

#include <stdbool.h>

// A wait that may be asked for. Belongs to one thread's state of an analysis; zeroed but for fn and arg.
typedef struct EventWait {
    struct EventWait *next;  // the VM's
    bool asked;              // the VM's: until fn is called
    // Called on the thread in the blocked state: may block, and looks at nothing of the heap. What it waits for must come
    // about without any other Java thread: this one may hold monitors and locks of the VM's. It ends when the profile does,
    // or the thread stays where it is until the process has ended.
    void (*fn)(void *arg);
    void *arg;
} EventWait;

// Asks for one call of w->fn(w->arg) on the current thread, in a sink of a MAY_WAIT event. *w must stay until it has been
// called, or the thread has ended; asking again before that changes nothing. Does nothing when the profile has been written,
// and in the child of a fork. Neither blocks nor allocates.
void eventwait_ask(EventWait *w);

#endif
