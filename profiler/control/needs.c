#include "profiler/control/needs.h"

#include <string.h>

#include "profiler/analyses/productionsites.h"
#include "profiler/control/request.h"

EventSet needs_only_counts(const Request *r) {
    EventSet counted = 0, reported = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!request_listens(r, a)) continue;
        EventSet counts = analysis_counts(analysis_table[a]);
        counted |= counts;
        reported |= (analysis_events(analysis_table[a]) | analysis_placed(analysis_table[a])) & ~counts;
    }
    return counted & ~reported;
}

TransportNeeds needs_of_rings(const Request *r) {
    TransportNeeds n = {.taken = r->phases ? EVENTS_PHASES : 0,
                        .counts = needs_only_counts(r),
                        .bursts = r->sampling.mode != SAMPLING_OFF,
                        .apart = r->transport.shards ? ~(EventSet)0 : 0};
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        const Analysis *an = analysis_table[a];
        if (!r->analysis[a]) continue;
        EventSet taken = request_listens(r, a) ? analysis_events(an) | analysis_placed(an) : productionsites_events();
        n.taken |= taken;
        n.keeps |= an->thread_attached != NULL;
        if (!an->thread_shard) n.apart &= ~taken;
        if (!an->ordered) continue;
        n.stamped |= taken & ~analysis_counts(an);  // counts have no order
        n.walked |= an->walked & (request_listens(r, a) ? taken : ~(EventSet)0);
        n.deep |= an->deep & n.walked;
        n.clocked |= an->clocked;
    }
    return n;
}

// Whether code handles a calling context tree itself: there is one, and all other analyses that take calls and returns
// allow them to be counted.
static bool has_contexts(const Request *r) {
    bool tree = false;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        const Analysis *an = analysis_table[a];
        if (!r->analysis[a]) continue;
        if (an->thread_placed) tree = true;
        else if ((analysis_events(an) | analysis_placed(an)) & ~analysis_counts(an) & EVENTS_NESTING) return false;
    }
    return tree;
}

ProfileNeeds needs_make(const Request *r) {
    ProfileNeeds n = {
        .events = r->phases ? EVENTS_PHASES : 0, .sampling = r->sampling, .shadow = r->in_shadows ? &r->shadow : NULL};
    memcpy(n.hz, r->hz, sizeof n.hz);
    n.allocated = request_samples_allocation(r) ? r->settings.sample_bytes : 0;
    if (r->analysis[ANALYSIS_system_counters]) n.counters = &r->settings.counters;
    bool sampled = r->sampling.mode != SAMPLING_OFF,
         waits = r->transport.on && !r->transport.sampled && !r->transport.unread;
    EventSet never = sampled && !sampling_has_activations(&r->sampling) ? EVENTS_OF_ACTIVATIONS : 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!r->analysis[a]) continue;
        n.placed |= analysis_placed(analysis_table[a]);
        if (request_listens(r, a)) n.events |= analysis_events(analysis_table[a]) & ~never;
        waits |= !r->transport.on && analysis_table[a]->waits;
    }
    bool counts = !sampled && !waits && !r->transport.on && !r->calls;
    if (counts) n.counts = needs_only_counts(r);
    if (counts && has_contexts(r)) n.delivery |= EVENTS_CONTEXTS;
    if (waits) n.delivery |= EVENTS_WAIT;
    // Sampled code calls its sinks, and so does code whose events are analysed twice or in order.
    if (r->transport.on && !r->transport.tee && !r->transport.ordered && !sampled)
        n.delivery |= EVENTS_RING | (transport_overwrites(&r->transport) ? EVENTS_OVERWRITE : 0);
    n.ring = transport_form(&r->transport);
    if (r->locks != LOCKS_BY_CLASS || (r->analysis[ANALYSIS_call_tree] && r->settings.sampled))
        n.delivery |= EVENTS_WALK;
    // A consumer writes stamps too late for the accesses that follow.
    if (r->analysis[ANALYSIS_races] && !r->analysis[ANALYSIS_event_counts] && !r->transport.on)
        n.delivery |= EVENTS_STAMPED;
    return n;
}
