#include "profiler/analyses/analysis.h"

#include <string.h>

bool analysis_section(const Analysis *whole, const Analysis *sections, uint32_t count, uint32_t i, Analysis *out) {
    if (i >= count) return false;
    *out = sections[i];
    memcpy(out->columns, whole->columns, sizeof out->columns);
    return true;
}

EventSet analysis_placed(const Analysis *a) { return a->placed ? a->placed() : a->also_placed ? a->also_placed() : 0; }

EventSet analysis_events(const Analysis *a) {
    EventSet events = 0;
    if (a->placed) return 0;
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    if (a->on_##id) events |= EVENT_BIT(EVENT_##id);
#include "vm/api/events.def"
    events &= ~EVENTS_NEVER_EVERYWHERE;
    return a->narrow ? a->narrow(events) : events;
}

EventSet analysis_counts(const Analysis *a) {
    EventSet events = 0;
    if (a->placed) return a->placed_counts();
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    if (a->count_##id) events |= EVENT_BIT(EVENT_##id);
#include "vm/api/events.def"
    return events;
}

#define WORD_METHOD *words++
#define WORD_BCI (int32_t) * words++
#define WORD_FIELD *words++
#define WORD_CLASS *words++
#define WORD_NUMBER *words++
#define WORD_THREAD 0
#define WORD_OBJECT 0
#define WORD_ADDRESS 0
#define WORD_VALUE (words += 2, words[-2] | (uint64_t)words[-1] << 32)
#define TAKE(type, name) EVENT_SINK_##type name = WORD_##type;
void analysis_count(const Analysis *a, Table *out, enum EventId event, const uint32_t *words, uint64_t times) {
    switch (event) {
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    case EVENT_##id: {                                            \
        if (!a->count_##id) return;                               \
        EVENT_EACH(TAKE, payload)                                 \
        a->count_##id(out, EVENT_NAMES(payload), times);          \
        return;                                                   \
    }
#include "vm/api/events.def"
        case EVENT_COUNT: break;
    }
}
