// Changes of sampling and of registers while a profile runs (request.h).
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/control/request_parse.h"

// Keeps the values that are not named, if they are still valid.
static bool change_sampling(Parse *p, SamplingRequest *s) {
    SamplingRequest changed = *s;
    uint64_t burst;
    bool timer = s->mode == SAMPLING_TIMER;
    OptionAmount *interval = &p->values.INTERVAL, *jitter = &p->values.JITTER;
    if (interval->given || jitter->given) changed.rate = 0;
    if (!interval->given)
        *interval = timer ? (OptionAmount){true, s->interval_us, "us"} : (OptionAmount){true, s->interval, ""};
    if (!jitter->given && s->mode == SAMPLING_JITTER && s->jitter < interval->value)
        *jitter = (OptionAmount){true, s->jitter, ""};
    p->given[KEY_INTERVAL] = true;
    if (!request_only_where_used(p, s->mode) || !request_resolve_interval(p, &changed) ||
        !request_number(p, KEY_BURST, 1, LAST_BURST, s->burst, &burst))
        return false;
    changed.burst = (uint32_t)burst;
    *s = changed;
    return true;
}

bool request_change(SamplingRequest *s, const char *text, char *error, size_t error_size) {
    static const enum KeyId changeable[] = {KEY_INTERVAL, KEY_JITTER, KEY_BURST};
    Request r;
    Parse p;
    request_begin(&p, &r, error, error_size);
    if (s->mode == SAMPLING_OFF) return refuse(&p, "the profile is exact: its sampling cannot change while it runs");
    char *copy = strdup(text);
    if (!copy) return refuse(&p, "out of memory");
    bool ok = request_set_options(&p, copy);
    request_keep_texts(&p, &r);
    free(copy);
    for (size_t i = 0; ok && i < KEY_COUNT; i++) {
        bool allowed = false;
        for (size_t k = 0; k < LENGTH(changeable); k++) allowed |= changeable[k] == (enum KeyId)i;
        if (p.given[i] && !allowed) ok = refuse(&p, "%s= cannot change while the profile runs", request_key(i));
    }
    request_free(&r);
    return ok && change_sampling(&p, s);
}

// Parses NAME=VALUE for a register into values[]; *is: NAME is a register. False with *error: the value is invalid.
static bool take_register(const Productions *p, const char *word, int64_t values[PRODUCTION_REGISTERS], bool *is,
                          char *error, size_t error_size) {
    const char *equals = strchr(word, '=');
    int at = equals ? productions_find_register(p, word, (size_t)(equals - word)) : -1;
    char *end;
    *is = at >= 0;
    if (!*is) return true;
    errno = 0;
    uint64_t n = strtoull(equals + 1, &end, 10);
    if (equals[1] >= '0' && equals[1] <= '9' && !*end && !errno && n <= UINT32_MAX) {
        values[at] = (int64_t)n;
        return true;
    }
    snprintf(error, error_size, "%s: a register holds a number from 0 to 4294967295", word);
    return false;
}

static void put_registers(Productions *p, const int64_t values[PRODUCTION_REGISTERS]) {
    for (uint32_t i = 0; i < productions_register_count(p); i++) productions_register(p, i)->value = values[i];
}

static bool refuse_unknown(Productions *p, const char *word, char *error, size_t error_size) {
    char known[512] = "";
    for (uint32_t i = 0; i < productions_register_count(p); i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "",
                 productions_register(p, i)->name);
    snprintf(error, error_size, "%s: name registers of the productions as NAME=VALUE; there is %s", word,
             *known ? known : "none");
    return false;
}

bool request_change_productions(Productions *p, SamplingRequest *s, const char *text, char *error, size_t error_size) {
    int64_t before[PRODUCTION_REGISTERS], values[PRODUCTION_REGISTERS];
    char *copy = strdup(text), *others = calloc(1, strlen(text) + 2), *rest = copy;
    bool ok = copy && others, is, by_productions = productions_shape(p)->sampled;
    if (!ok) snprintf(error, error_size, "out of memory");
    for (uint32_t i = 0; i < productions_register_count(p); i++)
        before[i] = values[i] = productions_register(p, i)->value;
    for (char *word; ok && (word = words_next(&rest, ':', WORDS_BACKSLASH)) != NULL;) {
        ok = take_register(p, word, values, &is, error, error_size);
        if (!ok || is) continue;
        if (by_productions || s->mode == SAMPLING_OFF) ok = refuse_unknown(p, word, error, error_size);
        strcat(strcat(others, *others ? ":" : ""), word);
    }
    put_registers(p, values);
    SamplingRequest changed = *s;
    if (ok && by_productions) ok = request_sampling_of(p, &changed, error, error_size);
    if (ok && *others) ok = request_change(&changed, others, error, error_size);
    if (ok) *s = changed;
    else put_registers(p, before);
    free(copy);
    free(others);
    return ok;
}
