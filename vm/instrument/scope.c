// The predicate (vm/instrument/scope.h). The profiler parses the patterns of scope= and is called once for each
// method.
#include "vm/instrument/scope.h"

#include "vm/api/eventsets.h"
#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"

static struct EventScope {
    EventSet configured, placed;  // change while the world is stopped, or before it runs
} scope;

void instrument_configure(EventSet wanted, EventSet placed) {
    scope.configured = wanted;
    scope.placed = placed;
}

bool instrument_wants_any(EventSet events) { return (scope.configured | scope.placed) & events; }
bool instrument_wants_outside(enum EventId event) { return scope.configured >> event & 1; }

EventSet instrument_events_at(const Method *m, EventSet events, int32_t bci) {
    if (!(events & EVENTS_PLACED)) return events;
    return events & (scope.configured | EVENTS_DELIVERY | instrument_hooks.profiler->events_at(m->id, bci, NULL));
}

bool instrument_wants_at(const Method *m, int32_t bci, enum EventId event) {
    return instrument_events_at(m, m->events, bci) >> event & 1;
}

bool instrument_guard_at(const Method *m, int32_t bci, enum EventId event, PlaceGuard *guard) {
    if (!(m->events & EVENTS_PLACED) || scope.configured >> event & 1) return false;
    instrument_hooks.profiler->events_at(m->id, bci, guard);
    return guard->count > 0;
}

EventSet instrument_events(const Method *m) {
    if (!(scope.configured | scope.placed)) return 0;
    ProfiledMethod names = {.class_name = m->cls->name->text, .name = m->name->text, .desc = m->desc->text};
    EventSet events = instrument_hooks.profiler->match(m->id, &names, m->cls->file, m->info);
    return scope_visible(m) ? events : events & ~events_from(EVENTS_CALLS);
}
