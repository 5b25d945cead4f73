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

bool instrument_wants_anywhere(enum EventId event) { return instrument_wants_any(EVENT_BIT(event)); }
bool instrument_wants_any(EventSet events) { return (scope.configured | scope.placed) & events; }
bool instrument_wants_outside(enum EventId event) { return scope.configured >> event & 1; }

EventSet instrument_events_at(const Method *m, EventSet events, int32_t bci) {
    if (!(events & EVENTS_PLACED)) return events;
    const ProfilerInterface *p = instrument_hooks.profiler;
    return events & (scope.configured | EVENTS_WAIT | EVENTS_RING | EVENTS_OVERWRITE | EVENTS_CONTEXTS | EVENTS_STAMPED |
                     (p->walks() ? EVENTS_WALK : 0) | p->wants_at(m->id, bci));
}

bool instrument_wants_at(const Method *m, int32_t bci, enum EventId event) {
    return instrument_events_at(m, m->events, bci) >> event & 1;
}

bool instrument_guard_at(const Method *m, int32_t bci, enum EventId event, PlaceGuard *guard) {
    if (!(m->events & EVENTS_PLACED) || scope.configured >> event & 1) return false;
    return instrument_hooks.profiler->guard_at(m->id, bci, guard);
}

unsigned instrument_partners_at(const Method *m, int32_t bci, uint16_t locals[SCALAR_LOCALS]) {
    return instrument_hooks.profiler->partners_at(m->id, bci, locals);
}

// Events of methods and bytecode: those with a method in their payload.
#define HAS_METHOD_METHOD 1
#define HAS_METHOD_BCI 0
#define HAS_METHOD_FIELD 0
#define HAS_METHOD_CLASS 0
#define HAS_METHOD_THREAD 0
#define HAS_METHOD_OBJECT 0
#define HAS_METHOD_ADDRESS 0
#define HAS_METHOD_VALUE 0
#define HAS_METHOD_NUMBER 0
#define HAS_METHOD(type, name) | HAS_METHOD_##type
static const EventSet placed = 0
#define EVENT(id, text, payload, waits, counted, source, made_by) | (0 EVENT_EACH(HAS_METHOD, payload) ? EVENT_BIT(EVENT_##id) : 0)
#include "vm/api/events.def"
    ;

// The events that productions want in the method.
static EventSet matched(const Method *m) {
    EventSet events = scope.placed && m->info ? instrument_hooks.profiler->match(m->id, m->cls->file, m->info) : 0;
    return events ? events | EVENTS_PLACED : 0;
}

EventSet instrument_events(const Method *m) {
    if (!(scope.configured | scope.placed)) return 0;
    if (!instrument_hooks.profiler->in_scope(m->cls->name->text, m->name->text, m->desc->text)) return scope.configured & ~placed;
    EventSet points = EVENTS_POINTS, events = scope.configured;
    if (events & points && !instrument_hooks.profiler->watches(m->cls->name->text, m->name->text, m->desc->text)) events &= ~points;
    events |= matched(m);
    return scope_visible(m) ? events : events & ~events_from(EVENTS_CALLS);
}
