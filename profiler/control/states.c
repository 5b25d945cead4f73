#include "profiler/control/states.h"

#include <stdlib.h>

#include "profiler/control/control_internal.h"

bool states_begin(States *s, const Profiler *p, AnalysisSettings *settings, EventThread *to, uint64_t id,
                  const char *name, EventPlaces *places) {
    if (!states_make_room(s, p->request)) return false;
    for (int a = 0; a < s->count; a++) {
        const Analysis *an = analysis_table[a];
        if (!p->request->analysis[a]) continue;
        if (!(s->of[a] = an->thread_new(settings))) return false;
        if (places && p->needs.delivery & EVENTS_CONTEXTS && an->thread_placed)
            an->thread_placed(s->of[a], &places->context);
        if (an->thread_attached) an->thread_attached(s->of[a], to, id, name);
    }
    for (int a = 0; a < s->count; a++)
        if (s->of[a] && analysis_table[a]->thread_beside) analysis_table[a]->thread_beside(s->of[a], s->of);
    return true;
}

void states_clear(States *s) {
    for (int a = 0; a < s->count; a++) states_drop(s, a);
    free(s->of);
    free(s->sinks);
}

bool states_make_room(States *s, const Request *r) {
    int count = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->analysis[a]) count = a + 1;
    s->of = calloc((size_t)count + 1, sizeof *s->of);
    s->count = s->of ? count : 0;
    return s->of != NULL;
}

void states_drop(States *s, int a) {
    if (!states_of(s, a)) return;
    analysis_table[a]->thread_free(s->of[a]);
    s->of[a] = NULL;
}

// ---- sinks -------------------------------------------------------------------------------------

// The last sink of every list.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    static void end_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) {}
#include "vm/api/events.def"
#pragma GCC diagnostic pop

static const struct LastSinks {
#define EVENT(id, text, payload, waits, counted, source, made_by) EventSink_##id id;
#include "vm/api/events.def"
} last = {
#define EVENT(id, text, payload, waits, counted, source, made_by) .id = {end_##id, NULL},
#include "vm/api/events.def"
};

void states_ignore(EventThread *t) {
#define EVENT(id, text, payload, waits, counted, source, made_by) t->id = &last.id;
#include "vm/api/events.def"
}

// Room for a sink of any event.
typedef struct AnySink {
    void (*fn)(void);
    void *state;
} AnySink;
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    _Static_assert(sizeof(EventSink_##id) == sizeof(AnySink), "sinks of all events look alike");
#include "vm/api/events.def"

// Events that a state takes, everywhere or at single places.
static EventSet taken_by(const States *s, const Request *r, int a) {
    return states_of(s, a) && request_listens(r, a)
        ? analysis_events(analysis_table[a]) | analysis_placed(analysis_table[a])
        : 0;
}

// Distinguishes phases.
static void on_call_edge(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    phases_call(sink->state, caller, callee);
    EVENT_PASS(sink, caller, bci, callee);
}

bool states_listen(States *s, const Request *request, EventThread *t, Phases *phases) {
    size_t count = phases != NULL;
    EventSet any = phases ? EVENTS_PHASES : 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        EventSet events = taken_by(s, request, a);
        count += (size_t)__builtin_popcountll(events);
        any |= events;
    }
    if (!s->sinks) s->sinks = calloc(count + (size_t)__builtin_popcountll(any) + 1, sizeof *s->sinks);
    AnySink *at = s->sinks;
    if (!at) return false;
#define EVENT(id, text, payload, waits, counted, source, made_by)                 \
    if (any & EVENT_BIT(EVENT_##id)) {                                            \
        EventSink_##id *sink = (EventSink_##id *)at;                              \
        t->id = sink;                                                             \
        for (int a = 0; a < ANALYSIS_COUNT; a++)                                  \
            if (taken_by(s, request, a) & EVENT_BIT(EVENT_##id))                  \
                *sink++ = (EventSink_##id){analysis_table[a]->on_##id, s->of[a]}; \
        at = (AnySink *)sink;                                                     \
        if (phases && (EVENTS_PHASES & EVENT_BIT(EVENT_##id)))                    \
            *at++ = (AnySink){(void (*)(void))on_call_edge, phases};              \
        *(EventSink_##id *)at++ = last.id;                                        \
    }
#include "vm/api/events.def"
    if (t->point_enter->fn != end_point_enter && t->point_enter[1].fn != end_point_enter) t->takes_point = NULL;
    return true;
}
