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

// Is the event to be reported where `m` executes the instruction at `bci` (EVENT_NO_BCI: at its entry and exit)? The
// scope names classes and methods, so it has the same answer for all places of a method; productions have not.
// Whether counters of the thread decide that somebody wants it there.
bool instrument_guard_at(const Method *m, int32_t bci, enum EventId event, PlaceGuard *guard);
// The locals that a value assigned there is compared with (event scalar_pair).
unsigned instrument_partners_at(const Method *m, int32_t bci, uint16_t locals[SCALAR_LOCALS]);
bool instrument_wants_at(const Method *m, int32_t bci, enum EventId event);
static inline bool instrument_wants(const Method *m, int32_t bci, enum EventId event) {
    return m->events >> event & 1 && (!(m->events & EVENTS_PLACED) || instrument_wants_at(m, bci, event));
}

// Of events of a method, those that are reported at one of its places.
EventSet instrument_events_at(const Method *m, EventSet events, int32_t bci);

// The events of a profile. Before any method is linked, or while the world is stopped.
// `placed`: events that are wanted at some places, which the profiler is asked for.
void instrument_configure(EventSet wanted, EventSet placed);
// Is the event, or one of them, wanted at any place at all? And where no method is?
bool instrument_wants_anywhere(enum EventId event);
bool instrument_wants_any(EventSet events);
bool instrument_wants_outside(enum EventId event);
// What Method.events has to be: mflags, name and class must be final.
EventSet instrument_events(const Method *m);

#endif
