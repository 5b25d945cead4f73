#include "profiler/control/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>

#include "base/optionlist.h"
#include "profiler/ring/ringsamples.h"

#define DEFAULT_FILE "cabernet-%p.prof"
#define SEE_HELP "; -Xprofile:help lists what there is"

enum State { NOW, LATER };

typedef struct AnalysisWord {
    const char *name, *help;
    int id;    // -1: not built yet
    int part;  // of the analysis; -1: the whole
} AnalysisWord;

static const AnalysisWord analyses[] = {
#define ANALYSIS(id, name, word, help) {name, help, ANALYSIS_##id, -1},
#define PART(id, name, whole, help) {name, help, ANALYSIS_threads, PART_##id},
#define LATER(name, help) {name, help, -1, -1},
#include "profiler/analyses/analyses.def"
};

enum KeyId {
#define KEY(id, name, kind, state, help) KEY_##id,
#include "profiler/control/options.def"
    KEY_COUNT
};

// The values given to options, one field each.
typedef OptionAmount ValueOfAMOUNT;
typedef int ValueOfCHOICE;
typedef char *ValueOfTEXT, *ValueOfOWN;
typedef struct Values {
#define KEY(id, name, kind, state, help) ValueOf##kind id;
#include "profiler/control/options.def"
    Request *r;  // its scope is set directly
} Values;

static const OptionRow keys[KEY_COUNT] = {
#define KEY(id, name, kind, state, help) {name, OPTION_##kind, state, offsetof(Values, id), 0, 0, 0, help},
#include "profiler/control/options.def"
};

static const OptionWord words[] = {
#define VALUE(id, text, state, help) {text, KEY_##id, state, help},
#include "profiler/control/options.def"
};

static const struct Preset {
    const char *name, *expansion, *help;
    enum State state;
} presets[] = {
#define PRESET(name, state, expansion, help) {name, expansion, help, state},
#include "profiler/control/options.def"
};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

// ---- parsing -----------------------------------------------------------------------------------

typedef struct Parse {
    OptionParse list;
    bool given[KEY_COUNT];  // named by the user, not by a preset
    Values values;
} Parse;

#define refuse(p, ...) optionlist_refuse(&(p)->list, __VA_ARGS__)

static const struct Preset *find_preset(const char *name) {
    int at = WORDS_FIND(presets, name);
    return at >= 0 ? &presets[at] : NULL;
}

static bool is_key(const char *name) { return WORDS_FIND(keys, name) >= 0; }

static bool refuse_analysis(Parse *p, const char *name) {
    char known[512] = "";
    int left = 0;
    for (size_t i = 0; i < LENGTH(analyses); i++) left += analyses[i].id >= 0;
    for (size_t i = 0; i < LENGTH(presets); i++) left += presets[i].state == NOW;
    for (size_t i = 0; i < LENGTH(analyses); i++)
        if (analyses[i].id >= 0) optionlist_append(known, sizeof known, analyses[i].name, --left, " and ");
    for (size_t i = 0; i < LENGTH(presets); i++)
        if (presets[i].state == NOW) optionlist_append(known, sizeof known, presets[i].name, --left, " and ");
    return refuse(p, "there is no analysis or preset %s; there are %s", name, known);
}

// A part of the analysis "threads"; -1: all parts included in the whole.
static const bool in_whole[PART_COUNT] = {
#define PART(id, name, whole, help) [PART_##id] = whole,
#include "profiler/analyses/analyses.def"
};

static bool add_parts(Parse *p, const char *name, int part) {
    Request *r = p->values.r;
    for (int i = 0; i < PART_COUNT; i++) {
        if (part >= 0 ? part != i : !in_whole[i]) continue;
        if (r->part[i]) return refuse(p, part >= 0 ? "%s is named twice" : "%s names parts that are named already", name);
        r->part[i] = true;
    }
    return r->analysis[ANALYSIS_threads] = true;
}

static bool add_analysis(Parse *p, const char *name) {
    if (!*name) return refuse(p, "an analysis is missing between commas" SEE_HELP);
    int at = WORDS_FIND(analyses, name);
    if (at >= 0) {
        int id = analyses[at].id;
        if (id < 0) return refuse(p, "the analysis %s is not built yet", name);
        if (id == ANALYSIS_threads) return add_parts(p, name, analyses[at].part);
        if (p->values.r->analysis[id]) return refuse(p, "%s is named twice", name);
        return p->values.r->analysis[id] = true;
    }
    if (find_preset(name))
        return refuse(p, "the preset %s stands alone, without a list of analyses", name);
    if (strcmp(name, "help") == 0) return refuse(p, "help stands alone: -Xprofile:help");
    if (is_key(name))
        return refuse(p, "%s is an option: name analyses first, then :%s=...", name, name);
    return refuse_analysis(p, name);
}

static bool add_analyses(Parse *p, char *list) {
    for (char *name; (name = words_next(&list, ',', WORDS_PLAIN)) != NULL;)
        if (!add_analysis(p, name)) return false;
    return true;
}

// The shipped productions are in a folder beside the library.
static void find_shipped(Productions *p) {
    Dl_info info;
    char *directory;
    const char *slash = dladdr((void *)request_parse, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (!slash || asprintf(&directory, "%.*s/productions", (int)(slash - info.dli_fname), info.dli_fname) < 0) return;
    productions_shipped(p, directory);
    free(directory);
}

static bool add_productions(OptionParse *list, Productions *p, const char *value) {
    char error[400], *copy = strdup(value), *rest = copy;
    bool ok = copy != NULL, is_text = strstr(value, "=>");
    if (!ok) snprintf(error, sizeof error, "out of memory");
    if (ok && is_text) ok = productions_add(p, "productions", value, strlen(value), NULL, error, sizeof error);
    for (char *file; ok && !is_text && (file = words_next(&rest, ',', WORDS_PLAIN)) != NULL;)
        ok = productions_add_file(p, file, error, sizeof error);
    ok = ok && productions_check(p, error, sizeof error);
    free(copy);
    return ok || optionlist_refuse(list, "%s", error);
}

static bool take_productions(OptionParse *list, Request *r, const char *value) {
    r->productions = productions_new();
    if (!r->productions) return optionlist_refuse(list, "out of memory");
    find_shipped(r->productions);
    r->analysis[ANALYSIS_productions] = true;
    return add_productions(list, r->productions, value);
}

static bool take_own(OptionParse *list, const OptionRow *row, const char *value) {
    Request *r = ((Values *)list->to)->r;
    bool empty;
    if (row == &keys[KEY_PRODUCTIONS]) return take_productions(list, r, value);
    r->scope = scope_make(value, &empty);
    if (empty) return optionlist_refuse(list, "scope=%s: a pattern is missing, as in demo.*,!demo.Util.*", value);
    r->scope_text = strdup(value);
    return (r->scope && r->scope_text) || optionlist_refuse(list, "out of memory");
}

static const OptionTable options = {
    .rows = keys, .row_count = KEY_COUNT, .words = words, .word_count = LENGTH(words), .called = "option",
    .separator = ':', .escape = WORDS_BACKSLASH, .own = take_own,
};

static bool set_options(Parse *p, char *rest) {
    for (char *word; (word = words_next(&rest, options.separator, options.escape)) != NULL;) {
        if (!*word) return refuse(p, "an option is missing between colons" SEE_HELP);
        if (find_preset(word)) return refuse(p, "the preset %s must come first and alone", word);
        if (!optionlist_take(&p->list, word)) return false;
    }
    return true;
}

static bool check_file(Parse *p) {
    const char *file = p->values.FILE;
    for (const char *c = file ? file : ""; *c; c++)
        if (*c == '%' && *++c != 'p' && *c != '%')
            return refuse(p, "file=%s: only %%p (process id) and %%%% may follow a percent sign", file);
    return true;
}

enum { DIRECT, CALL, CAB };  // the words of TRANSPORT

// ---- sampling: what fits together --------------------------------------------------------------

// The default interval is a prime: programs have loops of 2, 5 or 10 checks, and a round number would always sample the
// same check of an iteration. BY_RATE is a value of the option sampling=, following those of SamplingMode.
enum { BY_RATE = SAMPLING_TIMER + 1, DEFAULT_RATE = 10000, LAST_RATE = 1000000 };
enum { DEFAULT_INTERVAL = 997, DEFAULT_INTERVAL_US = 10000, DEFAULT_SEED = 1 };
enum { LAST_RECURSION = 1000000000, LAST_NODES = 1000000000, DEFAULT_NODES = 4000000, DEFAULT_HEAT = 10 };
enum { LAST_RARER = 1000000 };
enum { LAST_INTERVAL = 1000000000, LAST_BURST = 1000000000, LEAST_US = 100 };

// Rejects options that the user named but the mode does not use.
static bool refuse_idle(Parse *p, const enum KeyId *idle, size_t count, const char *why) {
    for (size_t i = 0; i < count; i++)
        if (p->given[idle[i]]) return refuse(p, "%s= %s", keys[idle[i]].name, why);
    return true;
}

static bool only_where_used(Parse *p, SamplingMode mode) {
    static const enum KeyId sampled[] = {KEY_INTERVAL, KEY_BURST, KEY_JITTER, KEY_PHASE, KEY_SKIP,
                                         KEY_SEED,     KEY_DUP,   KEY_CHECKS, KEY_COPIES};
    static const enum KeyId random[] = {KEY_JITTER, KEY_SEED}, counted[] = {KEY_PHASE}, timed[] = {KEY_SKIP};
    if (mode == SAMPLING_OFF)
        return refuse_idle(p, sampled, LENGTH(sampled), "needs sampling=counter, jitter or timer:"
                           " with sampling=off every event is recorded");
    if (mode == SAMPLING_TIMER
        && !refuse_idle(p, counted, LENGTH(counted), "counts checks: sampling=timer goes by the clock"))
        return false;
    if (mode != SAMPLING_TIMER && !refuse_idle(p, timed, LENGTH(timed), "needs sampling=timer")) return false;
    return mode == SAMPLING_JITTER
           || refuse_idle(p, random, LENGTH(random), "needs sampling=jitter");
}

static bool number_of(Parse *p, enum KeyId key, uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *to) {
    return optionlist_amount(&p->list, &keys[key], least, most, otherwise, to);
}

static bool interval_time(Parse *p, uint64_t *us) {
    static const OptionUnit units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    const OptionAmount *n = &p->values.INTERVAL;
    *us = DEFAULT_INTERVAL_US;
    if (!n->given || (!p->given[KEY_INTERVAL] && !*n->unit)) return true;  // from a preset, in checks
    if (!optionlist_scale(n, units, LENGTH(units), us))
        return refuse(p, "interval=%" PRIu64 "%s: sampling=timer needs a time, as 500us, 10ms or 1s", n->value, n->unit);
    if (*us >= LEAST_US && *us <= LAST_INTERVAL) return true;
    return refuse(p, "interval=%" PRIu64 "%s: must be 100us...1000s", n->value, n->unit);
}

static bool resolve_interval(Parse *p, SamplingRequest *s) {
    uint64_t interval = DEFAULT_INTERVAL, us = DEFAULT_INTERVAL_US, jitter = 0;
    if (s->mode == SAMPLING_TIMER ? !interval_time(p, &us)
                                  : !number_of(p, KEY_INTERVAL, 1, LAST_INTERVAL, DEFAULT_INTERVAL,
                                               &interval))
        return false;
    if (s->mode == SAMPLING_JITTER
        && !number_of(p, KEY_JITTER, 0, LAST_INTERVAL, interval / 10, &jitter))
        return false;
    if (jitter >= interval)
        return refuse(p, "jitter=%llu must be less than the interval, which is %llu",
                      (unsigned long long)jitter, (unsigned long long)interval);
    // Without a number the phase is kept, or becomes 0 if it exceeds the new interval.
    uint64_t phase = s->phase <= interval ? s->phase : 0;
    if (p->values.PHASE.given && !number_of(p, KEY_PHASE, 1, interval, 0, &phase)) return false;
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
    if (by_rate && (!refuse_idle(p, not_with_rate, LENGTH(not_with_rate), "follows from rate=: sampling=jitter has it fixed") ||
                    !number_of(p, KEY_RATE, 1, LAST_RATE, DEFAULT_RATE, &rate)))
        return false;
    s->mode = p->values.SAMPLING == BY_RATE ? SAMPLING_JITTER : (SamplingMode)p->values.SAMPLING;
    s->rate = (uint32_t)rate;
    s->dup = (uint8_t)p->values.DUP;
    s->checks = (uint8_t)p->values.CHECKS;
    s->copies = (uint8_t)p->values.COPIES;
    if (!only_where_used(p, s->mode) || !resolve_interval(p, s)
        || !number_of(p, KEY_BURST, 1, LAST_BURST, 1, &burst)
        || !number_of(p, KEY_SKIP, 0, LAST_INTERVAL, 0, &skip)
        || !number_of(p, KEY_SEED, 0, UINT64_MAX, DEFAULT_SEED, &s->seed))
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
        return refuse(p, "phases= needs sampling=counter or sampling=jitter: it is checks that are sampled more or less often");
    if (!number_of(p, KEY_PHASES, 1, LAST_RARER, 0, &phases)) return false;
    if (p->values.TRANSPORT != DIRECT) return refuse(p, "phases= needs transport=direct");
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->analysis[a] && a != ANALYSIS_productions && analysis_table[a]->report && !analysis_table[a]->weighed)
            return refuse(p, "%s cannot be weighed by phases=", analysis_table[a]->name);
    for (uint32_t i = 0; r->productions && i < productions_count(r->productions); i++)
        if (productions_get(r->productions, i)->frames) return refuse(p, "contexts cannot be weighed by phases=: the production %s takes them", productions_get(r->productions, i)->name);
    r->phases = (uint32_t)phases;
    r->settings.phases = true;
    return true;
}

static bool is_number_for_sampling(const Productions *of, CounterValue v, uint64_t most, uint64_t *to) {
    uint64_t random = 0;
    v.negative = v.random = false;
    *to = (uint64_t)productions_value(of, v, &random);
    return *to >= 1 && *to <= most;
}

bool request_sampling_of(const Productions *p, SamplingRequest *s, char *error, size_t error_size) {
    const ProductionShape *shape = productions_shape(p);
    uint64_t interval, burst, phase = 0;
    bool ok = is_number_for_sampling(p, shape->interval_value, LAST_INTERVAL, &interval) &&
              is_number_for_sampling(p, shape->burst_value, LAST_BURST, &burst) &&
              (shape->phase_value.random || is_number_for_sampling(p, shape->phase_value, interval, &phase));
    if (!ok) {
        snprintf(error, error_size, "productions sample with an interval and a burst from 1 to 1000000000, and begin within the interval");
        return false;
    }
    s->mode = SAMPLING_COUNTER;
    s->interval = (uint32_t)interval;
    s->burst = (uint32_t)burst;
    s->phase = (uint32_t)phase;
    return true;
}

static bool samples_by_productions(const Request *r) { return r->productions && productions_shape(r->productions)->sampled; }

// Enables the analyses to which productions hand events.
static bool feed_handlers(Parse *p) {
    static const enum AnalysisId ids[HANDLERS] = {
#define HANDLER(id, name, place_event, places) ANALYSIS_##id,
#include "profiler/productions/words.def"
    };
    Request *r = p->values.r;
    uint32_t handlers = 0;
    for (uint32_t i = 0; i < productions_count(r->productions); i++) handlers |= productions_get(r->productions, i)->handlers;
    for (int h = 0; h < HANDLERS; h++) {
        if (!(handlers >> h & 1)) continue;
        if (r->analysis[ids[h]])
            return refuse(p, "%s takes all events, or those that productions hand to it: leave out one of the two", analysis_table[ids[h]]->name);
        r->analysis[ids[h]] = r->fed[ids[h]] = true;
    }
    return true;
}

// Productions that control sampling replace sampling=, interval=, burst= and phase=.
static bool resolve_productions(Parse *p) {
    static const enum KeyId theirs[] = {KEY_SAMPLING, KEY_INTERVAL, KEY_BURST, KEY_PHASE};
    Request *r = p->values.r;
    if (r->analysis[ANALYSIS_productions] && !r->productions) return refuse(p, "productions needs productions=FILE");
    if (r->productions && !feed_handlers(p)) return false;
    if (!samples_by_productions(r)) return true;
    p->values.SAMPLING = SAMPLING_COUNTER;
    return refuse_idle(p, theirs, LENGTH(theirs), "cannot be given: the productions say how to sample");
}

static bool take_sampling_of_productions(Parse *p) {
    Request *r = p->values.r;
    return !samples_by_productions(r) || request_sampling_of(r->productions, &r->sampling, p->list.error, p->list.error_size);
}

static bool refuse_sampled(Parse *p) {
    const Request *r = p->values.r;
    bool sampled = r->sampling.mode != SAMPLING_OFF || r->transport.sampled;
    bool whole = r->transport.sampled || sampling_has_activations(&r->sampling);
    for (int a = 0; a < ANALYSIS_COUNT && sampled; a++) {
        const Analysis *an = analysis_table[a];
        const char *why = an->unsampled ? an->unsampled : r->transport.on && an->ungathered ? an->ungathered : whole ? NULL : an->uncut;
        if (r->analysis[a] && why) return refuse(p, "%s cannot be sampled: %s", an->name, why);
    }
    return true;
}

static bool resolve_trees(Parse *p) {
    AnalysisSettings *s = &p->values.r->settings;
    uint64_t recursion, limit;
    bool trees = p->values.r->analysis[ANALYSIS_call_tree] || p->values.r->analysis[ANALYSIS_call_subtree];
    bool streams = p->values.r->analysis[ANALYSIS_hot_stream], paths = p->values.r->analysis[ANALYSIS_interprocedural_path];
    uint64_t heat;
    static const enum KeyId of_trees[] = {KEY_RECURSION}, of_nodes[] = {KEY_LIMIT}, of_streams[] = {KEY_HEAT};
    if (!trees && !refuse_idle(p, of_trees, LENGTH(of_trees), "needs call-tree or call-subtree")) return false;
    if (!trees && !paths && !streams && !refuse_idle(p, of_nodes, LENGTH(of_nodes), "needs call-tree, call-subtree, interprocedural-path or hot-stream")) return false;
    if (!streams && !refuse_idle(p, of_streams, LENGTH(of_streams), "needs hot-stream")) return false;
    if (!number_of(p, KEY_HEAT, 1, 1000, DEFAULT_HEAT, &heat)) return false;
    s->heat = (uint32_t)heat;
    if (!number_of(p, KEY_RECURSION, 1, LAST_RECURSION, 1, &recursion) ||
        !number_of(p, KEY_LIMIT, 1, LAST_NODES, DEFAULT_NODES, &limit))
        return false;
    s->sampled = p->values.r->sampling.mode != SAMPLING_OFF;
    s->recursion = (uint32_t)recursion;
    s->nodes_left = (int64_t)limit;
    return true;
}

// ---- transport: what fits together ---------------------------------------------------------------

enum { ALL, SAMPLED };  // of CONSUME
enum { DEFAULT_BUFFER = 2 << 20, LAST_BUFFER = 1 << 30, LEAST_CHUNKS = 4 };

static bool bytes_of(Parse *p, enum KeyId key, uint64_t least, uint64_t otherwise, uint64_t *to) {
    static const OptionUnit units[] = {{"", 1}, {"k", 1 << 10}, {"m", 1 << 20}};
    const OptionAmount *n = (const void *)((const char *)&p->values + keys[key].offset);
    *to = otherwise;
    if (!n->given) return true;
    if (!optionlist_scale(n, units, LENGTH(units), to))
        return refuse(p, "%s=%" PRIu64 "%s: must be a number of bytes, as 65536, 64k or 2m", keys[key].name, n->value, n->unit);
    if (*to >= least && *to <= LAST_BUFFER) return true;
    return refuse(p, "%s=%" PRIu64 "%s: must be %" PRIu64 "...%d bytes", keys[key].name, n->value, n->unit, least, LAST_BUFFER);
}

// Without a number the chunk is the largest that fits the buffer. The buffer becomes a whole number of chunks.
static bool resolve_ring(Parse *p, TransportRequest *t) {
    uint64_t least = transport_least_chunk(), chunk = transport_usual_chunk();
    if (!bytes_of(p, KEY_BUFFER, LEAST_CHUNKS * least, DEFAULT_BUFFER, &t->buffer)) return false;
    if (chunk > t->buffer / LEAST_CHUNKS) chunk = t->buffer / LEAST_CHUNKS;
    if (!bytes_of(p, KEY_CHUNK, least, chunk, &t->chunk)) return false;
    t->chunk = t->chunk / sizeof(uint64_t) * sizeof(uint64_t);
    if (t->chunk * LEAST_CHUNKS > t->buffer)
        return refuse(p, "chunk=%" PRIu64 " is too large: a buffer of %" PRIu64 " bytes must hold four chunks", t->chunk, t->buffer);
    t->buffer -= t->buffer % t->chunk;
    return true;
}

static bool resolve_transport(Parse *p) {
    static const enum KeyId idle[] = {KEY_BUFFER, KEY_CHUNK, KEY_CONSUMERS, KEY_AFFINITY, KEY_CONSUME, KEY_RATE, KEY_LINES};
    static const enum KeyId of_samples[] = {KEY_RATE, KEY_LINES};
    TransportRequest *t = &p->values.r->transport;
    uint64_t consumers, rate = 0, lines;
    t->on = p->values.TRANSPORT == CAB;
    p->values.r->calls = p->values.TRANSPORT == CALL;
    if (p->values.r->sampling.rate) p->given[KEY_RATE] = false;  // there it is the rate of samples
    if (!t->on) return refuse_idle(p, idle, LENGTH(idle), "needs transport=cab: there are no rings without");
    if (!resolve_ring(p, t) || !number_of(p, KEY_CONSUMERS, 1, TRANSPORT_MOST_CONSUMERS, 1, &consumers)) return false;
    t->consumers = (uint32_t)consumers;
    t->sampled = p->values.CONSUME == SAMPLED;
    if (!t->sampled) return refuse_idle(p, of_samples, LENGTH(of_samples), "needs consume=sampled: else all events are analysed");
    if (p->values.r->sampling.mode != SAMPLING_OFF)
        return refuse(p, "consume=sampled needs sampling=off: one of the two samples");
    uint64_t most = t->chunk / (sizeof(uint64_t) * CACHE_LINE_WORDS);
    if (p->values.RATE.given && !number_of(p, KEY_RATE, 1, 100, 0, &rate)) return false;
    if (!number_of(p, KEY_LINES, 1, most, 1, &lines)) return false;
    t->rate = (uint32_t)rate;
    t->lines = (uint32_t)lines;
    return true;
}

// ---- shadows -------------------------------------------------------------------------------------

// Parses a number with an optional unit; inf is 0.
static bool with_unit(Parse *p, enum KeyId key, const char *text, const OptionUnit *units, size_t count, bool may_be_inf,
                      uint64_t *to) {
    char *end;
    if (may_be_inf && strcmp(text, "inf") == 0) {
        *to = 0;
        return true;
    }
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    for (size_t i = 0; i < count; i++)
        if (end != text && text[0] != '-' && errno == 0 && strcmp(end, units[i].name) == 0 && n <= INT64_MAX / units[i].factor) {
            *to = n * units[i].factor;
            return true;
        }
    return refuse(p, "%s=%s: must be a number followed by %s, %s or %s%s", keys[key].name, text, units[0].name,
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

static bool resolve_load(Parse *p, ShadowRequest *s) {
    char *end;
    const char *text = p->values.LOAD ? p->values.LOAD : "0.25";
    s->load = strtod(text, &end);
    if (*end == 0 && s->load > 0 && s->load <= 64) return true;
    return refuse(p, "load=%s: must be a number above 0, at most 64", text);
}

static bool resolve_natives(Parse *p) {
    bool empty = false;
    if (!p->values.NATIVES) return true;
    p->values.r->natives = scope_make(p->values.NATIVES, &empty);
    if (empty) return refuse(p, "natives=%s: a pattern is missing, as in demo.Natives.*", p->values.NATIVES);
    return p->values.r->natives || refuse(p, "out of memory");
}

// Counts checks by sampling every one.
static bool sample_checks(Parse *p) {
    Request *r = p->values.r;
    r->settings.sampled = r->shadow.checks != 0;
    for (int a = 0; r->shadow.checks && a < ANALYSIS_COUNT; a++)
        if (r->analysis[a] && analysis_table[a]->unsampled)
            return refuse(p, "%s in shadows needs a length= in time: %s", analysis_table[a]->name, analysis_table[a]->unsampled);
    return true;
}

static bool resolve_shadow(Parse *p) {
    static const enum KeyId only[] = {KEY_LOAD,   KEY_LENGTH, KEY_PERIOD,   KEY_TIMEOUT, KEY_WAIT,
                                      KEY_MEMORY, KEY_PAGES,  KEY_BUSY,     KEY_CONVERGE, KEY_NATIVES, KEY_PREPARE, KEY_CHANGE};
    static const OptionUnit sizes[] = {{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"", 1}};
    Request *r = p->values.r;
    ShadowRequest *s = &r->shadow;
    r->in_shadows = p->values.WHERE == 1;
    if (!r->in_shadows) return refuse_idle(p, only, LENGTH(only), "needs where=shadow");
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
    return resolve_load(p, s) && resolve_length(p, s) && sample_checks(p) && resolve_natives(p)
           && time_of(p, KEY_PERIOD, p->values.PERIOD, "10ms", false, &s->period_ns)
           && time_of(p, KEY_TIMEOUT, p->values.TIMEOUT, "10s", true, &s->limit_ns)
           && time_of(p, KEY_WAIT, p->values.WAIT, "0ms", false, &s->wait_ns)
           && with_unit(p, KEY_MEMORY, p->values.MEMORY ? p->values.MEMORY : "1g", sizes, LENGTH(sizes), true, &s->memory)
           && (s->period_ns >= 1000000 || refuse(p, "period=%s: must be at least 1ms", p->values.PERIOD));
}

static bool resolve(Parse *p) {
    p->values.r->message = p->values.MESSAGE == 0;
    p->values.r->from_main = p->values.FROM == 1;
    p->values.r->locks = (LockDetail)p->values.LOCKS;
    if (p->values.FROM == 1 && p->values.WHERE == 1) return refuse(p, "from=main: where=shadow begins with the program");
    if (p->values.TRACE && !p->values.r->analysis[ANALYSIS_threads])
        return refuse(p, "trace= needs the analysis threads or a part of it");
    if (p->values.LOCKS && !p->values.r->part[PART_locks]) return refuse(p, "locks= needs the analysis threads or locks");
    if (p->values.BETWEEN && !p->values.r->part[PART_tasks]) return refuse(p, "between= needs the analysis threads or tasks");
    if (p->values.TRANSPORT == CAB && p->values.r->analysis[ANALYSIS_threads])
        return refuse(p, "threads and its parts look at clocks and monitors where events happen, which a consumer sees later: transport=direct");
    if (p->values.TRANSPORT == CAB && p->values.r->analysis[ANALYSIS_races])
        return refuse(p, "races takes events where they happen: transport=direct");
    if (p->values.TRANSPORT == CAB && p->values.r->analysis[ANALYSIS_lockorder])
        return refuse(p, "lock-order takes events where they happen: transport=direct");
    if (p->values.r->analysis[ANALYSIS_races] && p->values.SAMPLING != SAMPLING_OFF && p->values.DUP > 1)
        return refuse(p, "races is sampled with dup=full or dup=partial: a check before each access would cost more than the access");
    if (p->values.TRANSPORT == CAB && p->values.r->analysis[ANALYSIS_hot_stream])
        return refuse(p, "hot-stream takes references where they happen: transport=direct");
    if (p->values.TRANSPORT == CAB && p->values.r->productions)
        return refuse(p, "productions decide where events happen what is recorded: transport=direct");
    return p->values.r->help || (check_file(p) && resolve_productions(p) && resolve_sampling(p) && take_sampling_of_productions(p) && resolve_phases(p) &&
                                 resolve_transport(p) && refuse_sampled(p) && resolve_trees(p) && resolve_shadow(p));
}

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
    if (!only_where_used(p, s->mode) || !resolve_interval(p, &changed)
        || !number_of(p, KEY_BURST, 1, LAST_BURST, s->burst, &burst))
        return false;
    changed.burst = (uint32_t)burst;
    *s = changed;
    return true;
}

// ---- words -------------------------------------------------------------------------------------

static bool apply_preset(Parse *p, const struct Preset *preset) {
    if (preset->state != NOW) return refuse(p, "the preset %s is not built yet", preset->name);
    char *text = strdup(preset->expansion), *rest = text;
    if (!text) return refuse(p, "out of memory");
    p->list.silent = true;
    bool ok = add_analyses(p, words_next(&rest, ':', WORDS_BACKSLASH)) && set_options(p, rest);
    p->list.silent = false;
    free(text);
    return ok;
}

static bool parse_words(Parse *p, char *text) {
    char *rest = text;
    char *first = words_next(&rest, ':', WORDS_BACKSLASH);
    if (!*first) return refuse(p, "name at least one analysis" SEE_HELP);
    if (strcmp(first, "help") == 0 && !rest) return p->values.r->help = true;
    char *value = strchr(first, '=');
    if (value && strncmp(first, "productions=", 12) == 0) return optionlist_take(&p->list, first) && set_options(p, rest);
    if (value) {
        *value = '\0';
        if (is_key(first))
            return refuse(p, "name at least one analysis before the option %s=" SEE_HELP, first);
        *value = '=';
    }
    const struct Preset *preset = find_preset(first);
    return (preset ? apply_preset(p, preset) : add_analyses(p, first)) && set_options(p, rest);
}

static void begin(Parse *p, Request *r, char *error, size_t error_size) {
    *r = (Request){.message = true};
    *p = (Parse){.values.r = r};
    p->list = (OptionParse){.table = &options, .to = &p->values, .given = p->given, .error = error,
                            .error_size = error_size};
    optionlist_presets(&options, &p->values);
}

// Keeps the texts that the request needs; the others have been parsed.
static void keep_texts(Parse *p, Request *r) {
    char *others[] = {p->values.LOAD, p->values.LENGTH, p->values.PERIOD, p->values.TIMEOUT,
                      p->values.WAIT, p->values.MEMORY, p->values.NATIVES};
    for (size_t i = 0; i < LENGTH(others); i++) free(others[i]);
    r->file = p->values.FILE;
    r->transport.affinity = p->values.AFFINITY;
    r->trace = p->values.TRACE;
    r->between = p->values.BETWEEN;
}

bool request_parse(Request *r, const char *text, char *error, size_t error_size) {
    Parse p;
    begin(&p, r, error, error_size);
    char *copy = strdup(text);
    if (!copy) return refuse(&p, "out of memory");
    bool ok = parse_words(&p, copy) && resolve(&p);
    keep_texts(&p, r);
    free(copy);
    return ok;
}

bool request_change(SamplingRequest *s, const char *text, char *error, size_t error_size) {
    static const enum KeyId changeable[] = {KEY_INTERVAL, KEY_JITTER, KEY_BURST};
    Request r;
    Parse p;
    begin(&p, &r, error, error_size);
    if (s->mode == SAMPLING_OFF)
        return refuse(&p, "the profile is exact: its sampling cannot change while it runs");
    char *copy = strdup(text);
    if (!copy) return refuse(&p, "out of memory");
    bool ok = set_options(&p, copy);
    keep_texts(&p, &r);
    free(copy);
    for (size_t i = 0; ok && i < KEY_COUNT; i++) {
        bool allowed = false;
        for (size_t k = 0; k < LENGTH(changeable); k++) allowed |= changeable[k] == (enum KeyId)i;
        if (p.given[i] && !allowed)
            ok = refuse(&p, "%s= cannot change while the profile runs", keys[i].name);
    }
    request_free(&r);
    return ok && change_sampling(&p, s);
}

// Parses NAME=VALUE for a register into values[]; *is: NAME is a register. False with *error: the value is invalid.
static bool take_register(const Productions *p, const char *word, int64_t values[PRODUCTION_REGISTERS], bool *is, char *error, size_t error_size) {
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
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", productions_register(p, i)->name);
    snprintf(error, error_size, "%s: name registers of the productions as NAME=VALUE; there is %s", word, *known ? known : "none");
    return false;
}

bool request_change_productions(Productions *p, SamplingRequest *s, const char *text, char *error, size_t error_size) {
    int64_t before[PRODUCTION_REGISTERS], values[PRODUCTION_REGISTERS];
    char *copy = strdup(text), *others = calloc(1, strlen(text) + 2), *rest = copy;
    bool ok = copy && others, is, by_productions = productions_shape(p)->sampled;
    if (!ok) snprintf(error, error_size, "out of memory");
    for (uint32_t i = 0; i < productions_register_count(p); i++) before[i] = values[i] = productions_register(p, i)->value;
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

void request_free(Request *r) {
    free(r->file);
    free(r->trace);
    free(r->between);
    free(r->scope_text);
    free(r->transport.affinity);
    scope_free(r->scope);
    productions_free(r->productions);
    r->productions = NULL;
    scope_free(r->natives);
    r->file = r->trace = r->between = r->scope_text = r->transport.affinity = NULL;
    r->scope = r->natives = NULL;
}

char *request_file(const Request *r, long process_id) {
    const char *from = r->file ? r->file : DEFAULT_FILE;
    char *name = malloc(strlen(from) * 12 + 1), *to = name;
    if (!name) return NULL;
    for (; *from; from++) {
        if (*from != '%') *to++ = *from;
        else if (*++from == 'p') to += sprintf(to, "%ld", process_id);
        else *to++ = '%';
    }
    *to = '\0';
    return name;
}

// ---- names -------------------------------------------------------------------------------------

// The enumerations of vm/api/sampling.h number the VALUE rows of a key.
static const char *value_name(enum KeyId key, int position) {
    for (size_t i = 0; i < LENGTH(words); i++)
        if (words[i].row == (int)key && position-- == 0) return words[i].text;
    return "?";
}

const char *request_mode_name(const SamplingRequest *s) { return value_name(KEY_SAMPLING, s->rate ? BY_RATE : (int)s->mode); }
const char *request_dup_name(uint8_t dup) { return value_name(KEY_DUP, dup); }
const char *request_checks_name(uint8_t checks) { return value_name(KEY_CHECKS, checks); }
const char *request_copies_name(uint8_t copies) { return value_name(KEY_COPIES, copies); }

// ---- help --------------------------------------------------------------------------------------

static void help_text(FILE *out) {
    fputs("-Xprofile:<analysis>[,<analysis>...][:<option>=<value>]...\n"
          "-Xprofile:<preset>[:<option>=<value>]...\n"
          "\n"
          "Profiles the program from its first method to its end and writes a file that\n"
          "`cabernet-prof report FILE` prints. A backslash takes the next character as it is.\n"
          "\nAnalyses:\n", out);
    for (size_t i = 0; i < LENGTH(analyses); i++)
        fprintf(out, "  %-26s %s%s\n", analyses[i].name, analyses[i].help,
                optionlist_later(analyses[i].id < 0));
    fputs("\nPresets:\n", out);
    for (size_t i = 0; i < LENGTH(presets); i++)
        fprintf(out, "  %-26s %s%s\n", presets[i].name, presets[i].help, optionlist_later(presets[i].state));
    fputs("\nOptions:\n", out);
    optionlist_help(out, &options);
    fputs("\nExamples:\n"
          "  cabernet -Xprofile:exact -cp app.jar Main\n"
          "  cabernet -Xprofile:method-count:file=main.prof -cp app.jar Main\n"
          "  cabernet-prof report main.prof\n", out);
}

char *request_help(void) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    help_text(out);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}
