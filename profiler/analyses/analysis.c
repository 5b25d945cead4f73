#include "profiler/analyses/analysis.h"

const Analysis *const analysis_table[ANALYSIS_COUNT] = {
#define ANALYSIS(id, name, word, help) &analysis_##id,
#include "profiler/analyses/analyses.def"
};

EventSet analysis_events(const Analysis *a) {
    EventSet events = 0;
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    if (a->on_##id) events |= EVENT_BIT(EVENT_##id);
#include "vm/api/events.def"
    return events;
}
