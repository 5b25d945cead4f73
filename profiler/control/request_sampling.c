// Options of sampling, phases and productions, and their combinations (request_parse.h).
#include <inttypes.h>
#include <stdio.h>

#include "profiler/control/request_parse.h"

// The default interval is a prime: programs have loops of 2, 5 or 10 checks, and a round number would always sample the
// same check of an iteration.
enum { DEFAULT_RATE = 10000, LAST_RATE = 1000000 };
enum { DEFAULT_INTERVAL = 997, DEFAULT_INTERVAL_US = 10000, DEFAULT_SEED = 1 };
enum { LAST_RARER = 1000000 };
enum { LEAST_US = 100 };

bool request_only_where_used(Parse *p, SamplingMode mode) {
    static const enum KeyId sampled[] = {KEY_INTERVAL, KEY_BURST, KEY_JITTER, KEY_PHASE, KEY_SKIP,
                                         KEY_SEED,     KEY_DUP,   KEY_CHECKS, KEY_COPIES};
    static const enum KeyId random[] = {KEY_JITTER, KEY_SEED}, counted[] = {KEY_PHASE}, timed[] = {KEY_SKIP};
    if (mode == SAMPLING_OFF)
        return request_refuse_idle(p, sampled, LENGTH(sampled),
                                   "needs sampling=counter, jitter or timer:"
                                   " with sampling=off every event is recorded");
    if (mode == SAMPLING_TIMER &&
        !request_refuse_idle(p, counted, LENGTH(counted), "counts checks: sampling=timer goes by the clock"))
        return false;
    if (mode != SAMPLING_TIMER && !request_refuse_idle(p, timed, LENGTH(timed), "needs sampling=timer")) return false;
    return mode == SAMPLING_JITTER || request_refuse_idle(p, random, LENGTH(random), "needs sampling=jitter");
}

static bool interval_time(Parse *p, uint64_t *us) {
    static const OptionUnit units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    const OptionAmount *n = &p->values.INTERVAL;
    *us = DEFAULT_INTERVAL_US;
    if (!n->given || (!p->given[KEY_INTERVAL] && !*n->unit)) return true;  // from a preset, in checks
    if (!optionlist_scale(n, units, LENGTH(units), us))
        return refuse(p, "interval=%" PRIu64 "%s: sampling=timer needs a time, as 500us, 10ms or 1s", n->value,
                      n->unit);
    if (*us >= LEAST_US && *us <= LAST_INTERVAL) return true;
    return refuse(p, "interval=%" PRIu64 "%s: must be 100us...1000s", n->value, n->unit);
}

bool request_resolve_interval(Parse *p, SamplingRequest *s) {
    uint64_t interval = DEFAULT_INTERVAL, us = DEFAULT_INTERVAL_US, jitter = 0;
    if (s->mode == SAMPLING_TIMER ? !interval_time(p, &us)
                                  : !request_number(p, KEY_INTERVAL, 1, LAST_INTERVAL, DEFAULT_INTERVAL, &interval))
        return false;
    if (s->mode == SAMPLING_JITTER && !request_number(p, KEY_JITTER, 0, LAST_INTERVAL, interval / 10, &jitter))
        return false;
    if (jitter >= interval)
        return refuse(p, "jitter=%llu must be less than the interval, which is %llu", (unsigned long long)jitter,
                      (unsigned long long)interval);
    // Without a number the phase is kept, or becomes 0 if it exceeds the new interval.
    uint64_t phase = s->phase <= interval ? s->phase : 0;
    if (p->values.PHASE.given && !request_number(p, KEY_PHASE, 1, interval, 0, &phase)) return false;
    s->phase = (uint32_t)phase;
    s->interval = (uint32_t)interval;
    s->interval_us = (uint32_t)us;
    s->jitter = (uint32_t)jitter;
    return true;
}

static bool resolve_sampling(Parse *p) {
    static const enum KeyId not_with_rate[] = {KEY_JITTER, KEY_PHASE, KEY_PHASES};
    SamplingRequest *s = &p->values.r->sampling;
    uint64_t burst, skip;
    bool by_rate = p->values.SAMPLING == BY_RATE && !p->values.INTERVAL.given;
    uint64_t rate = 0;
    if (by_rate &&
        (!request_refuse_idle(p, not_with_rate, LENGTH(not_with_rate),
                              "follows from rate=: sampling=jitter has it fixed") ||
         !request_number(p, KEY_RATE, 1, LAST_RATE, DEFAULT_RATE, &rate)))
        return false;
    s->mode = p->values.SAMPLING == BY_RATE ? SAMPLING_JITTER : (SamplingMode)p->values.SAMPLING;
    s->rate = (uint32_t)rate;
    s->dup = (uint8_t)p->values.DUP;
    s->checks = (uint8_t)p->values.CHECKS;
    s->copies = (uint8_t)p->values.COPIES;
    if (!request_only_where_used(p, s->mode) || !request_resolve_interval(p, s) ||
        !request_number(p, KEY_BURST, 1, LAST_BURST, 1, &burst) ||
        !request_number(p, KEY_SKIP, 0, LAST_INTERVAL, 0, &skip) ||
        !request_number(p, KEY_SEED, 0, UINT64_MAX, DEFAULT_SEED, &s->seed))
        return false;
    s->burst = (uint32_t)burst;
    s->skip = (uint32_t)skip;
    return true;
}

// Samples of a phase represent others of it, so an analysis must be additive.
static bool resolve_phases(Parse *p) {
    Request *r = p->values.r;
    uint64_t phases = 0;
    if (!p->values.PHASES.given) return true;
    if (r->sampling.mode != SAMPLING_COUNTER && r->sampling.mode != SAMPLING_JITTER)
        return refuse(
            p, "phases= needs sampling=counter or sampling=jitter: it is checks that are sampled more or less often");
    if (!request_number(p, KEY_PHASES, 1, LAST_RARER, 0, &phases)) return false;
    if (p->values.TRANSPORT != DIRECT) return refuse(p, "phases= needs transport=direct");
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->analysis[a] && a != ANALYSIS_productions && analysis_table[a]->report && !analysis_table[a]->weighed)
            return refuse(p, "%s cannot be weighed by phases=", analysis_table[a]->name);
    for (uint32_t i = 0; r->productions && i < productions_count(r->productions); i++)
        if (productions_get(r->productions, i)->frames)
            return refuse(p, "contexts cannot be weighed by phases=: the production %s takes them",
                          productions_get(r->productions, i)->name);
    r->phases = (uint32_t)phases;
    r->settings.phases = true;
    return true;
}

bool request_sampling_of(const Productions *p, SamplingRequest *s, char *error, size_t error_size) {
    const ProductionShape *shape = productions_shape(p);
    int64_t interval = productions_increments(p, shape->interval_value) + 1;
    int64_t burst = productions_increments(p, shape->burst_value) + 1;
    int64_t phase = shape->phase_value.random ? 0 : productions_increments(p, shape->phase_value);
    bool ok = interval >= 1 && interval <= LAST_INTERVAL && burst >= 1 && burst <= LAST_BURST &&
        (shape->phase_value.random || (phase >= 1 && phase <= interval));
    if (!ok) {
        snprintf(error, error_size,
                 "productions sample with an interval and a burst from 1 to 1000000000, and begin within the interval");
        return false;
    }
    s->mode = SAMPLING_COUNTER;
    s->interval = (uint32_t)interval;
    s->burst = (uint32_t)burst;
    s->phase = (uint32_t)phase;
    return true;
}

static bool samples_by_productions(const Request *r) {
    return r->productions && productions_shape(r->productions)->sampled;
}

// Enables the analyses to which productions hand events.
static bool feed_handlers(Parse *p) {
    static const enum AnalysisId ids[HANDLERS] = {
#define HANDLER(id, name, place_event, places) ANALYSIS_##id,
#include "profiler/productions/words.def"
    };
    Request *r = p->values.r;
    uint32_t handlers = 0;
    for (uint32_t i = 0; i < productions_count(r->productions); i++)
        handlers |= productions_get(r->productions, i)->handlers;
    for (int h = 0; h < HANDLERS; h++) {
        if (!(handlers >> h & 1)) continue;
        if (r->analysis[ids[h]])
            return refuse(p, "%s takes all events, or those that productions hand to it: leave out one of the two",
                          analysis_table[ids[h]]->name);
        r->analysis[ids[h]] = r->fed[ids[h]] = true;
    }
    return true;
}

// Productions that control sampling replace sampling=, interval=, burst= and phase=.
bool request_resolve_productions(Parse *p) {
    static const enum KeyId theirs[] = {KEY_SAMPLING, KEY_INTERVAL, KEY_BURST, KEY_PHASE};
    Request *r = p->values.r;
    if (r->analysis[ANALYSIS_productions] && !r->productions) return refuse(p, "productions needs productions=FILE");
    if (r->productions && !feed_handlers(p)) return false;
    if (!samples_by_productions(r)) return true;
    p->values.SAMPLING = SAMPLING_COUNTER;
    return request_refuse_idle(p, theirs, LENGTH(theirs), "cannot be given: the productions say how to sample");
}

bool request_resolve_sampling(Parse *p) {
    Request *r = p->values.r;
    if (!resolve_sampling(p)) return false;
    if (samples_by_productions(r) &&
        !request_sampling_of(r->productions, &r->sampling, p->list.error, p->list.error_size))
        return false;
    return resolve_phases(p);
}
