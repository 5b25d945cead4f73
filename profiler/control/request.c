#include "profiler/control/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

#define DEFAULT_FILE "cabernet-%p.prof"
#define SEE_HELP "; -Xprofile:help lists what there is"

typedef enum State { NOW, LATER_STATE } State;
#define STATE_NOW NOW
#define STATE_LATER LATER_STATE

typedef struct AnalysisWord {
    const char *name, *help;
    int id;  // -1: not built yet
} AnalysisWord;

static const AnalysisWord analyses[] = {
#define ANALYSIS(id, name, word, help) {name, help, ANALYSIS_##id},
#define LATER(name, help) {name, help, -1},
#include "profiler/analyses/analyses.def"
};

enum KeyId {
#define KEY(id, name, kind, state, help) KEY_##id,
#include "profiler/control/options.def"
    KEY_COUNT
};

enum KeyKind { TEXT, NUMBER, CHOICE };

static const struct Key {
    const char *name, *help;
    enum KeyKind kind;
    State state;
} keys[KEY_COUNT] = {
#define KEY(id, name, kind, state, help) {name, help, kind, STATE_##state},
#include "profiler/control/options.def"
};

typedef struct Value {
    enum KeyId key;
    const char *text, *help;
    State state;
} Value;

static const Value values[] = {
#define VALUE(id, text, state, help) {KEY_##id, text, help, STATE_##state},
#include "profiler/control/options.def"
};

static const struct Preset {
    const char *name, *expansion, *help;
    State state;
} presets[] = {
#define PRESET(name, state, expansion, help) {name, expansion, help, STATE_##state},
#include "profiler/control/options.def"
};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

// ---- parsing -----------------------------------------------------------------------------------

// A NUMBER as it was given; what it means may depend on options behind it.
typedef struct Number {
    bool given;
    uint64_t value;
    char unit[4];
} Number;

typedef struct Parse {
    Request *r;
    bool seen[KEY_COUNT];      // named by the user, not by a preset
    int choice[KEY_COUNT];     // position among the VALUE rows of a CHOICE
    Number number[KEY_COUNT];
    bool preset;  // inside a preset's expansion
    char *error;
    size_t error_size;
} Parse;

__attribute__((format(printf, 2, 3))) static bool refuse(Parse *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->error, p->error_size, format, args);
    va_end(args);
    return false;
}

static const struct Preset *find_preset(const char *name) {
    int at = WORDS_FIND(presets, name);
    return at >= 0 ? &presets[at] : NULL;
}

static bool is_key(const char *name) { return WORDS_FIND(keys, name) >= 0; }

static bool add_analysis(Parse *p, const char *name) {
    if (!*name) return refuse(p, "an analysis is missing between commas" SEE_HELP);
    int at = WORDS_FIND(analyses, name);
    if (at >= 0) {
        int id = analyses[at].id;
        if (id < 0) return refuse(p, "the analysis %s is not built yet", name);
        if (p->r->analysis[id]) return refuse(p, "%s is named twice", name);
        return p->r->analysis[id] = true;
    }
    if (find_preset(name))
        return refuse(p, "the preset %s stands alone, without a list of analyses", name);
    if (strcmp(name, "help") == 0) return refuse(p, "help stands alone: -Xprofile:help");
    if (is_key(name))
        return refuse(p, "%s is an option: name analyses first, then :%s=...", name, name);
    return refuse(p, "there is no analysis or preset %s" SEE_HELP, name);
}

static bool add_analyses(Parse *p, char *list) {
    for (char *name; (name = words_next(&list, ',', WORDS_PLAIN)) != NULL;)
        if (!add_analysis(p, name)) return false;
    return true;
}

static bool set_scope(Parse *p, const char *value) {
    bool empty;
    p->r->scope = scope_make(value, &empty);
    if (empty) return refuse(p, "scope=%s: a pattern is missing, as in demo.*,!demo.Util.*", value);
    p->r->scope_text = strdup(value);
    return (p->r->scope && p->r->scope_text) || refuse(p, "out of memory");
}

static bool set_text(Parse *p, enum KeyId key, const char *value) {
    if (key == KEY_SCOPE) return set_scope(p, value);
    if (key != KEY_FILE) return true;
    if (!*value) return refuse(p, "file= needs a name");
    for (const char *c = value; *c; c++)
        if (*c == '%' && *++c != 'p' && *c != '%')
            return refuse(p, "file=%s: only %%p (process id) and %%%% may follow a percent sign",
                          value);
    p->r->file = strdup(value);
    return p->r->file || refuse(p, "out of memory");
}

static bool set_choice(Parse *p, enum KeyId key, const char *text) {
    int position = 0;
    for (size_t i = 0; i < LENGTH(values); i++) {
        if (values[i].key != key) continue;
        if (strcmp(values[i].text, text) != 0) {
            position++;
            continue;
        }
        if (values[i].state != NOW)
            return refuse(p, "%s=%s is not built yet", keys[key].name, text);
        p->choice[key] = position;
        return true;
    }
    return refuse(p, "%s=%s: there is no such value" SEE_HELP, keys[key].name, text);
}

// Digits, and letters behind them that set_number's caller may understand.
static bool set_number(Parse *p, enum KeyId key, const char *text) {
    Number *n = &p->number[key];
    bool fits;
    *n = (Number){.given = true};
    const char *end = words_number(text, 10, &n->value, &fits);
    if (!end || strlen(end) >= sizeof n->unit)
        return refuse(p, "%s=%s: a whole number is needed", keys[key].name, text);
    if (!fits) return refuse(p, "%s=%s is too large", keys[key].name, text);
    strcpy(n->unit, end);
    return true;
}

static bool set_option(Parse *p, char *word) {
    const char *value = words_value(word);
    if (!*word && !value) return refuse(p, "an option is missing between colons" SEE_HELP);
    if (!value) {
        if (find_preset(word)) return refuse(p, "the preset %s must come first and alone", word);
        if (is_key(word)) return refuse(p, "%s needs a value: %s=...", word, word);
        return refuse(p, "there is no option %s" SEE_HELP, word);
    }
    int at = WORDS_FIND(keys, word);
    if (at < 0) return refuse(p, "there is no option %s=" SEE_HELP, word);
    enum KeyId key = (enum KeyId)at;
    if (keys[key].state != NOW) return refuse(p, "%s= is not built yet (%s)", word, keys[key].help);
    // What follows a preset may repeat one of its options (and so confirm or change it).
    if (p->seen[key]) return refuse(p, "%s= is given twice", word);
    p->seen[key] = !p->preset;
    return keys[key].kind == TEXT   ? set_text(p, key, value)
         : keys[key].kind == NUMBER ? set_number(p, key, value)
                                    : set_choice(p, key, value);
}

static bool set_options(Parse *p, char *rest) {
    for (char *word; (word = words_next(&rest, ':', WORDS_BACKSLASH)) != NULL;)
        if (!set_option(p, word)) return false;
    return true;
}

// ---- sampling: what fits together --------------------------------------------------------------

enum { DEFAULT_INTERVAL = 1000, DEFAULT_INTERVAL_US = 10000, DEFAULT_SEED = 1 };
enum { LAST_INTERVAL = 1000000000, LAST_BURST = 1000000000, LEAST_US = 100 };

// An option that the user named and that the mode has no use for.
static bool refuse_idle(Parse *p, const enum KeyId *idle, size_t count, const char *why) {
    for (size_t i = 0; i < count; i++)
        if (p->seen[idle[i]]) return refuse(p, "%s= %s", keys[idle[i]].name, why);
    return true;
}

static bool only_where_used(Parse *p, SamplingMode mode) {
    static const enum KeyId sampled[] = {KEY_INTERVAL, KEY_BURST, KEY_JITTER,  KEY_PHASE,
                                         KEY_SEED,     KEY_DUP,   KEY_CHECKS, KEY_COUNTER};
    static const enum KeyId random[] = {KEY_JITTER, KEY_SEED}, counted[] = {KEY_PHASE};
    if (mode == SAMPLING_OFF)
        return refuse_idle(p, sampled, LENGTH(sampled), "needs sampling=counter, jitter or timer:"
                           " with sampling=off every event is recorded");
    if (mode == SAMPLING_TIMER
        && !refuse_idle(p, counted, LENGTH(counted), "counts checks: sampling=timer goes by the clock"))
        return false;
    return mode == SAMPLING_JITTER
           || refuse_idle(p, random, LENGTH(random), "needs sampling=jitter: nothing else is random");
}

// The number of `key`, `otherwise` where there is none.
static bool number_of(Parse *p, enum KeyId key, uint64_t least, uint64_t most, uint64_t otherwise,
                      uint64_t *to) {
    const Number *n = &p->number[key];
    *to = n->given ? n->value : otherwise;
    if (*n->unit)
        return refuse(p, "%s=%llu%s: a number without a unit is needed", keys[key].name,
                      (unsigned long long)n->value, n->unit);
    if (*to >= least && *to <= most) return true;
    return refuse(p, "%s=%llu: from %llu to %llu", keys[key].name, (unsigned long long)*to,
                  (unsigned long long)least, (unsigned long long)most);
}

static bool interval_time(Parse *p, uint64_t *us) {
    static const struct { const char *name; uint64_t us; } units[] = {
        {"us", 1}, {"ms", 1000}, {"s", 1000000}};
    const Number *n = &p->number[KEY_INTERVAL];
    *us = DEFAULT_INTERVAL_US;
    if (!n->given || (!p->seen[KEY_INTERVAL] && !*n->unit)) return true;  // a preset's, in checks
    for (size_t i = 0; i < LENGTH(units); i++) {
        if (strcmp(units[i].name, n->unit) != 0) continue;
        *us = n->value > LAST_INTERVAL ? UINT64_MAX : n->value * units[i].us;
        if (*us >= LEAST_US && *us <= LAST_INTERVAL) return true;
        return refuse(p, "interval=%llu%s: from 100us to 1000s", (unsigned long long)n->value,
                      n->unit);
    }
    return refuse(p, "interval=%llu%s: sampling=timer needs a time, as 500us, 10ms or 1s",
                  (unsigned long long)n->value, n->unit);
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
    // Without a number the phase stays what it is, and 0 if that is not part of the interval any more.
    uint64_t phase = s->phase <= interval ? s->phase : 0;
    if (p->number[KEY_PHASE].given && !number_of(p, KEY_PHASE, 1, interval, 0, &phase)) return false;
    s->phase = (uint32_t)phase;
    s->interval = (uint32_t)interval;
    s->interval_us = (uint32_t)us;
    s->jitter = (uint32_t)jitter;
    return true;
}

static bool resolve_sampling(Parse *p) {
    SamplingRequest *s = &p->r->sampling;
    uint64_t burst;
    s->mode = (SamplingMode)p->choice[KEY_SAMPLING];
    s->dup = (uint8_t)p->choice[KEY_DUP];
    s->checks = (uint8_t)p->choice[KEY_CHECKS];
    s->memory_counter = p->choice[KEY_COUNTER] == 1;
    if (!only_where_used(p, s->mode) || !resolve_interval(p, s)
        || !number_of(p, KEY_BURST, 1, LAST_BURST, 1, &burst)
        || !number_of(p, KEY_SEED, 0, UINT64_MAX, DEFAULT_SEED, &s->seed))
        return false;
    s->burst = (uint32_t)burst;
    return true;
}

static bool resolve(Parse *p) {
    p->r->message = p->choice[KEY_MESSAGE] == 0;
    return p->r->help || resolve_sampling(p);
}

// What is not named stays as it is, as long as it fits.
static bool change_sampling(Parse *p, SamplingRequest *s) {
    SamplingRequest changed = *s;
    uint64_t burst;
    bool timer = s->mode == SAMPLING_TIMER;
    Number *interval = &p->number[KEY_INTERVAL], *jitter = &p->number[KEY_JITTER];
    if (!interval->given)
        *interval = timer ? (Number){true, s->interval_us, "us"} : (Number){true, s->interval, ""};
    if (!jitter->given && s->mode == SAMPLING_JITTER && s->jitter < interval->value)
        *jitter = (Number){true, s->jitter, ""};
    p->seen[KEY_INTERVAL] = true;
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
    p->preset = true;
    bool ok = add_analyses(p, words_next(&rest, ':', WORDS_BACKSLASH)) && set_options(p, rest);
    p->preset = false;
    free(text);
    return ok;
}

static bool parse_words(Parse *p, char *text) {
    char *rest = text;
    char *first = words_next(&rest, ':', WORDS_BACKSLASH);
    if (!*first) return refuse(p, "name at least one analysis" SEE_HELP);
    if (strcmp(first, "help") == 0 && !rest) return p->r->help = true;
    char *value = strchr(first, '=');
    if (value) {
        *value = '\0';
        if (is_key(first))
            return refuse(p, "name at least one analysis before the option %s=" SEE_HELP, first);
        *value = '=';
    }
    const struct Preset *preset = find_preset(first);
    return (preset ? apply_preset(p, preset) : add_analyses(p, first)) && set_options(p, rest);
}

bool request_parse(Request *r, const char *text, char *error, size_t error_size) {
    *r = (Request){.message = true};
    Parse p = {.r = r, .error = error, .error_size = error_size};
    char *copy = strdup(text);
    if (!copy) return refuse(&p, "out of memory");
    bool ok = parse_words(&p, copy) && resolve(&p);
    free(copy);
    return ok;
}

bool request_change(SamplingRequest *s, const char *text, char *error, size_t error_size) {
    static const enum KeyId changeable[] = {KEY_INTERVAL, KEY_JITTER, KEY_BURST};
    Request r = {.message = true};
    Parse p = {.r = &r, .error = error, .error_size = error_size};
    if (s->mode == SAMPLING_OFF)
        return refuse(&p, "the profile is exact: its sampling cannot change while it runs");
    char *copy = strdup(text);
    if (!copy) return refuse(&p, "out of memory");
    bool ok = set_options(&p, copy);
    free(copy);
    for (size_t i = 0; ok && i < KEY_COUNT; i++) {
        bool allowed = false;
        for (size_t k = 0; k < LENGTH(changeable); k++) allowed |= changeable[k] == (enum KeyId)i;
        if (p.seen[i] && !allowed)
            ok = refuse(&p, "%s= cannot change while the profile runs", keys[i].name);
    }
    request_free(&r);
    return ok && change_sampling(&p, s);
}

void request_free(Request *r) {
    free(r->file);
    free(r->scope_text);
    scope_free(r->scope);
    r->file = r->scope_text = NULL;
    r->scope = NULL;
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
    for (size_t i = 0; i < LENGTH(values); i++)
        if (values[i].key == key && position-- == 0) return values[i].text;
    return "?";
}

const char *request_mode_name(SamplingMode mode) { return value_name(KEY_SAMPLING, (int)mode); }
const char *request_dup_name(uint8_t dup) { return value_name(KEY_DUP, dup); }
const char *request_checks_name(uint8_t checks) { return value_name(KEY_CHECKS, checks); }
const char *request_counter_name(bool memory) { return value_name(KEY_COUNTER, memory); }

// ---- help --------------------------------------------------------------------------------------

static const char *later(State s) { return s == NOW ? "" : "  [not built yet]"; }

static void help_values(FILE *out, enum KeyId key) {
    bool first = true;
    for (size_t i = 0; i < LENGTH(values); i++) {
        if (values[i].key != key) continue;
        fprintf(out, "      %-22s %s%s%s\n", values[i].text, values[i].help,
                first ? " (default)" : "", later(values[i].state));
        first = false;
    }
}

static void help_text(FILE *out) {
    fputs("-Xprofile:<analysis>[,<analysis>...][:<option>=<value>]...\n"
          "-Xprofile:<preset>[:<option>=<value>]...\n"
          "\n"
          "Profiles the program from its first method to its end and writes a file that\n"
          "`cabernet-prof report FILE` prints. A backslash takes the next character as it is.\n"
          "\nAnalyses:\n", out);
    for (size_t i = 0; i < LENGTH(analyses); i++)
        fprintf(out, "  %-26s %s%s\n", analyses[i].name, analyses[i].help,
                later(analyses[i].id < 0 ? LATER_STATE : NOW));
    fputs("\nPresets:\n", out);
    for (size_t i = 0; i < LENGTH(presets); i++)
        fprintf(out, "  %-26s %s%s\n", presets[i].name, presets[i].help, later(presets[i].state));
    fputs("\nOptions:\n", out);
    for (size_t i = 0; i < LENGTH(keys); i++) {
        char name[32];
        snprintf(name, sizeof name, "%s=", keys[i].name);
        fprintf(out, "  %-26s %s%s\n", name, keys[i].help, later(keys[i].state));
        help_values(out, (enum KeyId)i);
    }
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
