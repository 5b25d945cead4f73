// Options of where=shadow, and their combinations (request_parse.h).
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/control/request_parse.h"

// Parses a number with an optional unit; inf is 0.
static bool with_unit(Parse *p, enum KeyId key, const char *text, const OptionUnit *units, size_t count,
                      bool may_be_inf, uint64_t *to) {
    char *end;
    if (may_be_inf && strcmp(text, "inf") == 0) {
        *to = 0;
        return true;
    }
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    for (size_t i = 0; i < count; i++)
        if (end != text && text[0] != '-' && errno == 0 && strcmp(end, units[i].name) == 0 &&
            n <= INT64_MAX / units[i].factor) {
            *to = n * units[i].factor;
            return true;
        }
    return refuse(p, "%s=%s: must be a number followed by %s, %s or %s%s", request_key(key), text, units[0].name,
                  units[1].name, units[2].name, may_be_inf ? ", or inf" : "");
}

static const OptionUnit times[] = {{"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};

static bool time_of(Parse *p, enum KeyId key, const char *text, const char *otherwise, bool may_be_inf, uint64_t *to) {
    return with_unit(p, key, text ? text : otherwise, times, LENGTH(times), may_be_inf, to);
}

static bool resolve_length(Parse *p, ShadowRequest *s) {
    static const OptionUnit checks[] = {{"", 1}, {"k", 1000}, {"m", 1000000}, {"g", 1000000000}};
    const char *text = p->values.LENGTH ? p->values.LENGTH : "100ms";
    size_t n = strlen(text);
    bool is_time = n > 0 && text[n - 1] == 's';
    if (is_time) return with_unit(p, KEY_LENGTH, text, times, LENGTH(times), false, &s->ns);
    if (with_unit(p, KEY_LENGTH, text, checks, LENGTH(checks), true, &s->checks)) return true;
    return refuse(p, "length=%s: must be a number of checks, as 500k or 10m, a time, as 100ms, or inf", text);
}

// Counts checks by sampling every one.
static bool sample_checks(Parse *p) {
    Request *r = p->values.r;
    r->settings.sampled = r->shadow.checks != 0;
    for (int a = 0; r->shadow.checks && a < ANALYSIS_COUNT; a++)
        if (r->analysis[a] && analysis_table[a]->unsampled)
            return refuse(p, "%s in shadows needs a length= in time: %s", analysis_table[a]->name,
                          analysis_table[a]->unsampled);
    return true;
}

bool request_resolve_shadow(Parse *p) {
    static const enum KeyId only[] = {KEY_LOAD,  KEY_LENGTH, KEY_PERIOD,   KEY_TIMEOUT, KEY_WAIT,    KEY_MEMORY,
                                      KEY_PAGES, KEY_BUSY,   KEY_CONVERGE, KEY_NATIVES, KEY_PREPARE, KEY_CHANGE};
    static const OptionUnit sizes[] = {{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"", 1}};
    Request *r = p->values.r;
    ShadowRequest *s = &r->shadow;
    r->in_shadows = p->values.WHERE == 1;
    if (!r->in_shadows) return request_refuse_idle(p, only, LENGTH(only), "needs where=shadow");
    if (r->sampling.mode != SAMPLING_OFF)
        return refuse(p, "where=shadow needs sampling=off: shadows are the sample, and record every event");
    if (r->transport.on)
        return refuse(p, "where=shadow needs transport=direct: what shadows do is beside the program already");
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->analysis[a] && analysis_table[a]->unshadowed)
            return refuse(p, "%s cannot be in shadows: %s", analysis_table[a]->name, analysis_table[a]->unshadowed);
    s->yields = p->values.BUSY == 0;
    s->huge_pages = p->values.PAGES == 0;
    s->prepares = p->values.PREPARE == 0;
    s->changes = p->values.CHANGE == 0;
    s->converges = p->values.CONVERGE == 0;
    char *end;
    const char *load = p->values.LOAD ? p->values.LOAD : "0.25";
    s->load = strtod(load, &end);
    if (*end || !(s->load > 0 && s->load <= 64))
        return refuse(p, "load=%s: must be a number above 0, at most 64", load);
    if (!resolve_length(p, s) || !sample_checks(p)) return false;
    bool empty = false;
    if (p->values.NATIVES) r->natives = scope_make(p->values.NATIVES, &empty);
    if (empty) return refuse(p, "natives=%s: a pattern is missing, as in demo.Natives.*", p->values.NATIVES);
    if (p->values.NATIVES && !r->natives) return refuse(p, "out of memory");
    return time_of(p, KEY_PERIOD, p->values.PERIOD, "10ms", false, &s->period_ns) &&
        time_of(p, KEY_TIMEOUT, p->values.TIMEOUT, "10s", true, &s->limit_ns) &&
        time_of(p, KEY_WAIT, p->values.WAIT, "0ms", false, &s->wait_ns) &&
        with_unit(p, KEY_MEMORY, p->values.MEMORY ? p->values.MEMORY : "1g", sizes, LENGTH(sizes), true, &s->memory) &&
        (s->period_ns >= 1000000 || refuse(p, "period=%s: must be at least 1ms", p->values.PERIOD));
}
