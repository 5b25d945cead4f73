#include "profiler/analyses/analysis.h"

const Analysis *const analysis_table[ANALYSIS_COUNT] = {
#define ANALYSIS(id, name, help) &analysis_##id,
#include "profiler/analyses/analyses.def"
};

uint32_t analysis_events(const Analysis *a) {
    uint32_t events = 0;
#define EVENT(id, text, params) \
    if (a->on_##id) events |= 1u << EVENT_##id;
#include "vm/api/events.def"
    return events;
}
