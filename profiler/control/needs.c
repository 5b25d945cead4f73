#include "profiler/control/needs.h"

#include "profiler/control/internal.h"

EventSet needs_only_counts(void) {
    EventSet counted = 0, reported = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!profiler_listens(a)) continue;
        EventSet counts = analysis_counts(analysis_table[a]);
        counted |= counts;
        reported |= (analysis_events(analysis_table[a]) | analysis_placed(analysis_table[a])) & ~counts;
    }
    return counted & ~reported;
}

EventSet needs_events(void) {
    EventSet events = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler_listens(a)) events |= analysis_events(analysis_table[a]);
    const SamplingRequest *s = &profiler.request.sampling;
    if (s->mode != SAMPLING_OFF && !sampling_has_activations(s)) events &= ~EVENTS_OF_ACTIVATIONS;
    return profiler.request.phases ? events | EVENTS_PHASES : events;
}

EventSet needs_placed_events(void) {
    EventSet events = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a]) events |= analysis_placed(analysis_table[a]);
    return events;
}

EventSet needs_counts(void) {
    const Request *r = &profiler.request;
    bool reports_each = r->sampling.mode != SAMPLING_OFF || needs_waits() || r->transport.on || r->calls;
    return reports_each ? 0 : needs_only_counts();
}

bool needs_waits(void) {
    if (profiler.request.transport.on) return !profiler.request.transport.sampled;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a] && analysis_table[a]->waits) return true;
    return false;
}

// Sampled code calls its sinks.
bool needs_ring(void) { return profiler.request.transport.on && profiler.request.sampling.mode == SAMPLING_OFF; }

bool needs_overwriting(void) { return needs_ring() && profiler.request.transport.sampled; }

bool needs_walks(void) {
    const Request *r = &profiler.request;
    return r->locks != LOCKS_BY_CLASS || (r->analysis[ANALYSIS_call_tree] && r->settings.sampled);
}

bool needs_stamps(void) {
    return profiler.request.analysis[ANALYSIS_races] && !profiler.request.analysis[ANALYSIS_event_counts];
}

// All other analyses that take calls and returns allow them to be counted.
bool needs_contexts(void) {
    const Request *r = &profiler.request;
    bool tree = false;
    if (r->sampling.mode != SAMPLING_OFF || r->transport.on || r->calls || needs_waits()) return false;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        const Analysis *an = analysis_table[a];
        if (!r->analysis[a]) continue;
        if (an->thread_placed) tree = true;
        else if ((analysis_events(an) | analysis_placed(an)) & ~analysis_counts(an) & EVENTS_NESTING) return false;
    }
    return tree;
}
