// The predicate (vm/instrument/scope.h). The profiler reads the patterns of scope= and is asked once for each method.
#include "vm/instrument/scope.h"

#include "vm/api/profiler.h"

static EventSet configured;

static const EventSet calls = EVENT_BIT(EVENT_method_entry) | EVENT_BIT(EVENT_call_edge) |
                              EVENT_BIT(EVENT_method_exit) | EVENT_BIT(EVENT_method_unwind);

void instrument_configure(EventSet wanted) { configured = wanted; }

bool instrument_wants_anywhere(enum EventId event) { return configured >> event & 1; }

EventSet instrument_events(const Method *m) {
    if (!configured || !profiler_in_scope(m->cls->name->text, m->name->text, m->desc->text)) return 0;
    return scope_visible(m) ? configured : configured & ~calls;
}
