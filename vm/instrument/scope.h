// Which events are reported where: the one predicate that the interpreter asks when it decodes a method and the
// compiler when it makes a plan.
//
// A method's answer is kept in Method.events. It is computed when the method is linked, and again for all methods when
// a profile begins while the program runs (the world is stopped then). Whether a thread reports at all is decided
// by its dispatch table and by which code runs, not here.
//
// An event belongs to one method, and `scope=` decides by that method:
//   method_entry, method_exit, method_unwind   the method itself
//   call_edge                                  the callee
//   events at a bytecode index                 the method whose bytecode it is, inlined or not
//   all others                                 none: they are reported whatever the scope
#ifndef CABERNET_VM_INSTRUMENT_SCOPE_H
#define CABERNET_VM_INSTRUMENT_SCOPE_H

#include "vm/model/class.h"
#include "vm/api/events.h"

// Not places that a Java programmer has written: lambda forms and proxies, stubs of method handles, and the methods
// that the VM makes to throw an error. They have no entries, exits and edges; what they call is called by the nearest
// visible frame.
enum { SCOPE_INVISIBLE = MF_HIDDEN | MF_SIGPOLY | MF_OVERPASS };
static inline bool scope_visible(const Method *m) { return !(m->mflags & SCOPE_INVISIBLE); }

// Is the event to be reported where `m` executes the instruction at `bci` (EVENT_NO_BCI: where it has no
// instructions)? The scope names classes and methods, so all places of a method have the same answer.
static inline bool instrument_wants(const Method *m, int32_t bci, enum EventId event) {
    (void)bci;
    return m->events >> event & 1;
}

// The events of a profile. Before any method is linked, or while the world is stopped.
void instrument_configure(EventSet wanted);
// The same for events that belong to no method.
bool instrument_wants_anywhere(enum EventId event);
bool instrument_wants_any(EventSet events);
// What Method.events has to be: mflags, name and class must be final.
EventSet instrument_events(const Method *m);

#endif
