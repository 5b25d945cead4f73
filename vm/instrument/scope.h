// Which events are reported where: the one predicate for the interpreter when it decodes a method, and for the
// compiler when it makes a plan.
//
// A method's events are kept in Method.events. They are computed when the method is linked, and again for all methods
// when a profile begins while the program runs, with the world stopped. Whether a thread reports at all depends on
// its dispatch table and on the code that runs, not on this module.
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

// Methods that no Java programmer has written: lambda forms and proxies, stubs of method handles, and the methods
// that the VM makes to throw an error. They have no entries, exits and edges; their calls belong to the nearest
// visible frame.
enum { SCOPE_INVISIBLE = MF_HIDDEN | MF_SIGPOLY | MF_OVERPASS };
static inline bool scope_visible(const Method *m) { return !(m->mflags & SCOPE_INVISIBLE); }

// Whether the thread's counters decide if the event is wanted at that place of `m`, and which do.
bool instrument_guard_at(const Method *m, int32_t bci, enum EventId event, PlaceGuard *guard);
// Whether the event is reported where `m` executes the instruction at `bci` (EVENT_NO_BCI: at its entry and exit). The
// scope names classes and methods, so it gives one answer for all places of a method; productions do not.
bool instrument_wants_at(const Method *m, int32_t bci, enum EventId event);
static inline bool instrument_wants(const Method *m, int32_t bci, enum EventId event) {
    return m->events >> event & 1 && (!(m->events & EVENTS_PLACED) || instrument_wants_at(m, bci, event));
}

// The subset of `events`, which are events of the method, that is reported at one of its places.
EventSet instrument_events_at(const Method *m, EventSet events, int32_t bci);

// Sets the events of a profile, before any method is linked or while the world is stopped. `placed`: events that are
// wanted only at some places, which the profiler selects.
void instrument_configure(EventSet wanted, EventSet placed);
// Whether one of the events is wanted at any place; and whether the event is wanted outside all methods.
bool instrument_wants_any(EventSet events);
bool instrument_wants_outside(enum EventId event);
// The value for Method.events; mflags, name and class must be final.
EventSet instrument_events(const Method *m);

#endif
