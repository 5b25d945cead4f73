// Analyses that need every event, and options of trees and streams (request_parse.h).
#include "profiler/analyses/counterrequest.h"
#include "profiler/control/request_parse.h"

enum { LAST_RECURSION = 1000000000, LAST_NODES = 1000000000, DEFAULT_NODES = 4000000, DEFAULT_HEAT = 10 };

static bool refuse_sampled(Parse *p) {
    const Request *r = p->values.r;
    bool sampled = r->sampling.mode != SAMPLING_OFF || r->transport.sampled;
    bool whole = r->transport.sampled || sampling_has_activations(&r->sampling);
    for (int a = 0; a < ANALYSIS_COUNT && sampled; a++) {
        const Analysis *an = analysis_table[a];
        const char *why = an->unsampled         ? an->unsampled
            : r->transport.on && an->ungathered ? an->ungathered
            : whole                             ? NULL
                                                : an->uncut;
        if (r->analysis[a] && why) return refuse(p, "%s cannot be sampled: %s", an->name, why);
    }
    return true;
}

// Samples of time do not depend on how events are chosen and delivered, except where all results of a thread are
// scaled.
static bool resolve_time(Parse *p) {
    enum { DEFAULT_CPU_HZ = 1000, DEFAULT_WALL_HZ = 100, LAST_HZ = 10000 };
    static const enum KeyId of_time[] = {KEY_HZ};
    Request *r = p->values.r;
    uint64_t cpu, wall;
    bool timed = r->analysis[ANALYSIS_cpu] || r->analysis[ANALYSIS_wall];
    if (!timed) return request_refuse_idle(p, of_time, LENGTH(of_time), "needs cpu or wall");
    if (r->phases) return refuse(p, "phases= weighs events, not time: without cpu and wall");
    if (!request_number(p, KEY_HZ, 1, LAST_HZ, DEFAULT_CPU_HZ, &cpu) ||
        !request_number(p, KEY_HZ, 1, LAST_HZ, DEFAULT_WALL_HZ, &wall))
        return false;
    r->hz[TIME_CPU] = r->analysis[ANALYSIS_cpu] ? (uint32_t)cpu : 0;
    r->hz[TIME_WALL] = r->analysis[ANALYSIS_wall] ? (uint32_t)wall : 0;
    return true;
}

static bool resolve_allocation(Parse *p) {
    enum { LEAST = 1 << 10, DEFAULT = 512 << 10 };
    static const enum KeyId of_allocation[] = {KEY_EVERY};
    Request *r = p->values.r;
    if (!request_samples_allocation(r))
        return request_refuse_idle(p, of_allocation, LENGTH(of_allocation), "needs alloc-tree or alloc-lifetime");
    return request_bytes(p, KEY_EVERY, LEAST, DEFAULT, &r->settings.sample_bytes);
}

static bool resolve_counters(Parse *p) {
    static const enum KeyId of_counters[] = {KEY_EVENTS};
    Request *r = p->values.r;
    const char *text = p->values.EVENTS ? p->values.EVENTS : COUNTERREQUEST_DEFAULT;
    char why[500];
    if (!r->analysis[ANALYSIS_system_counters])
        return request_refuse_idle(p, of_counters, LENGTH(of_counters), "needs counters");
    return counterrequest_parse(&r->settings.counters, text, why, sizeof why) || refuse(p, "events=: %s", why);
}

static bool resolve_cache(Parse *p) {
    enum { MOST_SHARED = 64 };  // profiler/concurrency/sharing.c has a bit for each byte of a line
    static const enum KeyId of_cache[] = {KEY_CACHE};
    CacheConfig *c = &p->values.r->settings.cache;
    char why[200];
    *c = cacheconfig_default;
    if (!request_has_cache(p->values.r))
        return request_refuse_idle(p, of_cache, LENGTH(of_cache), "needs cache, reuse-distance or sharing");
    if (p->values.CACHE &&
        !cacheconfig_parse(c, p->values.CACHE, "/sys/devices/system/cpu/cpu0/cache", why, sizeof why))
        return refuse(p, "cache=%s: %s", p->values.CACHE, why);
    return !p->values.r->analysis[ANALYSIS_sharing] || c->line <= MOST_SHARED ||
        refuse(p, "cache=%s: sharing needs lines of at most %d bytes", p->values.CACHE, MOST_SHARED);
}

bool request_resolve_analyses(Parse *p) {
    AnalysisSettings *s = &p->values.r->settings;
    uint64_t recursion, limit;
    bool trees = p->values.r->analysis[ANALYSIS_call_tree] || p->values.r->analysis[ANALYSIS_call_subtree];
    bool allocation = p->values.r->analysis[ANALYSIS_alloc_tree];
    bool streams = p->values.r->analysis[ANALYSIS_hot_stream],
         paths = p->values.r->analysis[ANALYSIS_interprocedural_path];
    uint64_t heat;
    if (!refuse_sampled(p)) return false;
    static const enum KeyId of_trees[] = {KEY_RECURSION}, of_nodes[] = {KEY_LIMIT}, of_streams[] = {KEY_HEAT};
    if (!trees && !request_refuse_idle(p, of_trees, LENGTH(of_trees), "needs call-tree or call-subtree")) return false;
    if (!trees && !paths && !streams && !allocation &&
        !request_refuse_idle(p, of_nodes, LENGTH(of_nodes),
                             "needs call-tree, call-subtree, interprocedural-path, alloc-tree or hot-stream"))
        return false;
    if (!streams && !request_refuse_idle(p, of_streams, LENGTH(of_streams), "needs hot-stream")) return false;
    if (!request_number(p, KEY_HEAT, 1, 1000, DEFAULT_HEAT, &heat)) return false;
    s->heat = (uint32_t)heat;
    if (!request_number(p, KEY_RECURSION, 1, LAST_RECURSION, 1, &recursion) ||
        !request_number(p, KEY_LIMIT, 1, LAST_NODES, DEFAULT_NODES, &limit))
        return false;
    s->sampled = p->values.r->sampling.mode != SAMPLING_OFF;
    s->recursion = (uint32_t)recursion;
    s->nodes_left = (int64_t)limit;
    if (!resolve_cache(p) || !resolve_allocation(p) || !resolve_counters(p)) return false;
    p->values.r->compared = *s;
    p->values.r->compared.side = 1;
    return resolve_time(p);
}
