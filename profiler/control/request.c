#include "profiler/control/request_parse.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FILE "cabernet-%p.prof"

const AnalysisWord request_analyses[ANALYSIS_WORDS] = {
#define ANALYSIS(id, name, word, help) {name, help, ANALYSIS_##id, -1},
#define PART(id, name, whole, help) {name, help, ANALYSIS_threads, PART_##id},
#include "profiler/analyses/analyses.def"
};

static const OptionRow keys[KEY_COUNT] = {
#define KEY(id, name, kind, state, help) {name, OPTION_##kind, OPTION_##state, offsetof(Values, id), 0, 0, 0, help},
#include "profiler/control/options.def"
};

static const OptionWord words[] = {
#define VALUE(id, text, state, help) {text, KEY_##id, OPTION_##state, help},
#include "profiler/control/options.def"
};

const Preset request_presets[PRESET_COUNT] = {
#define PRESET(name, question, expansion) {name, question, expansion},
#define VARIANT(name, help, expansion) {name, help, expansion},
#include "profiler/control/preset.def"
};

// ---- parsing -----------------------------------------------------------------------------------

static bool is_key(const char *name) { return WORDS_FIND(keys, name) >= 0; }

static bool refuse_analysis(Parse *p, const char *name) {
    char known[768] = "", hint[WORDS_HINT];
    const char *names[LENGTH(request_analyses) + PRESET_COUNT];
    int count = 0;
    WordsGuess guess = {0};
    for (size_t i = 0; i < LENGTH(request_analyses); i++) names[count++] = request_analyses[i].name;
    for (size_t i = 0; i < PRESET_COUNT; i++)
        if (WORDS_FIND(request_analyses, request_presets[i].name) < 0) names[count++] = request_presets[i].name;
    for (int i = 0; i < count; i++) {
        words_consider(&guess, name, names[i]);
        optionlist_append(known, sizeof known, names[i], count - i - 1, " and ");
    }
    return refuse(p, "there is no analysis or preset %s%s; there are %s", name, words_hint(&guess, hint), known);
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
        if (r->part[i] && !p->in_preset)
            return refuse(p, part >= 0 ? "%s is named twice" : "%s names parts that are named already", name);
        r->part[i] = true;
    }
    return r->analysis[ANALYSIS_threads] = true;
}

static bool add_analysis(Parse *p, const char *name) {
    if (!*name) return refuse(p, "an analysis is missing between commas" SEE_HELP);
    int at = WORDS_FIND(request_analyses, name), preset = WORDS_FIND(request_presets, name);
    if (at >= 0) {
        int id = request_analyses[at].id;
        if (id == ANALYSIS_threads) return add_parts(p, name, request_analyses[at].part);
        if (p->values.r->analysis[id] && !p->in_preset) return refuse(p, "%s is named twice", name);
        return p->values.r->analysis[id] = true;
    }
    if (preset >= 0) {
        if (p->presets[preset]) return refuse(p, "%s is named twice", name);
        return p->presets[preset] = true;
    }
    if (strcmp(name, "help") == 0) return refuse(p, "help stands alone: -Xprofile:help");
    if (is_key(name)) return refuse(p, "%s is an option: name analyses first, then :%s=...", name, name);
    return refuse_analysis(p, name);
}

static bool add_list(Parse *p, char *list) {
    for (char *name; (name = words_next(&list, ',', WORDS_PLAIN)) != NULL;)
        if (!add_analysis(p, name)) return false;
    return true;
}

// Adds the analyses and sets the options of the presets that were named. An option that two of them set is refused.
static bool apply_presets(Parse *p) {
    bool ok = true, given[KEY_COUNT] = {false};
    p->in_preset = true;
    p->list.given = given;
    for (size_t i = 0; i < PRESET_COUNT && ok; i++) {
        if (!p->presets[i]) continue;
        char *text = strdup(request_presets[i].expansion), *rest = text;
        if (!text) return refuse(p, "out of memory");
        ok = add_list(p, words_next(&rest, ':', WORDS_BACKSLASH)) && request_set_options(p, rest);
        free(text);
    }
    p->in_preset = false;
    p->list.given = p->given;
    return ok;
}

static bool add_analyses(Parse *p, char *list) { return add_list(p, list) && apply_presets(p); }

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
    Dl_info info;
    char *directory;
    r->productions = productions_new();
    if (!r->productions) return optionlist_refuse(list, "out of memory");
    // The shipped productions are in a folder beside the library.
    const char *slash = dladdr((void *)request_parse, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (slash && asprintf(&directory, "%.*s/productions", (int)(slash - info.dli_fname), info.dli_fname) >= 0) {
        productions_shipped(r->productions, directory);
        free(directory);
    }
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

const OptionTable request_options = {
    .rows = keys,
    .row_count = KEY_COUNT,
    .words = words,
    .word_count = LENGTH(words),
    .called = "option",
    .separator = ':',
    .escape = WORDS_BACKSLASH,
    .own = take_own,
};

bool request_set_options(Parse *p, char *rest) {
    for (char *word; (word = words_next(&rest, request_options.separator, request_options.escape)) != NULL;) {
        if (!*word) return refuse(p, "an option is missing between colons" SEE_HELP);
        if (WORDS_FIND(request_presets, word) >= 0 && !is_key(word))
            return refuse(p, "the preset %s must come first, in the list of analyses", word);
        if (!optionlist_take(&p->list, word)) return false;
    }
    return true;
}

// ---- what fits together ---------------------------------------------------------------------------

bool request_refuse_idle(Parse *p, const enum KeyId *idle, size_t count, const char *why) {
    for (size_t i = 0; i < count; i++)
        if (p->given[idle[i]]) return refuse(p, "%s= %s", request_key(idle[i]), why);
    return true;
}

bool request_number(Parse *p, enum KeyId key, uint64_t least, uint64_t most, uint64_t otherwise, uint64_t *to) {
    return optionlist_amount(&p->list, &request_options.rows[key], least, most, otherwise, to);
}

bool request_bytes(Parse *p, enum KeyId key, uint64_t least, uint64_t otherwise, uint64_t *to) {
    enum { MOST = 1 << 30 };
    static const OptionUnit units[] = {{"", 1}, {"k", 1 << 10}, {"m", 1 << 20}};
    const OptionAmount *n = optionlist_field(&p->list, &request_options.rows[key]);
    *to = otherwise;
    if (!n->given) return true;
    if (!optionlist_scale(n, units, LENGTH(units), to))
        return refuse(p, "%s=%" PRIu64 "%s: must be a number of bytes, as 65536, 64k or 2m", request_key(key), n->value,
                      n->unit);
    if (*to >= least && *to <= MOST) return true;
    return refuse(p, "%s=%" PRIu64 "%s: must be %" PRIu64 "...%d bytes", request_key(key), n->value, n->unit, least,
                  MOST);
}

// Commands name the profile, and a default file contains the name.
static bool is_name(const char *text) {
    enum { LONGEST = 40 };
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    size_t n = strspn(text, allowed);
    return n && n <= LONGEST && !text[n];
}

static bool resolve(Parse *p) {
    p->values.r->message = p->values.MESSAGE != MESSAGE_OFF;
    p->values.r->answers = p->values.MESSAGE == MESSAGE_ANSWERS;
    if (p->values.r->answers && !p->values.r->analysis[ANALYSIS_cpu] && !p->values.r->analysis[ANALYSIS_wall])
        return refuse(p, "message=answers needs cpu or wall");
    p->values.r->from_main = p->values.FROM == 1;
    p->values.r->locks = (LockDetail)p->values.LOCKS;
    if (p->values.FROM == 1 && p->values.WHERE == 1)
        return refuse(p, "from=main: where=shadow begins with the program");
    if (p->values.TRACE && !p->values.r->analysis[ANALYSIS_threads])
        return refuse(p, "trace= needs the analysis threads or a part of it");
    if (p->values.LOCKS && !p->values.r->part[PART_locks])
        return refuse(p, "locks= needs the analysis threads or locks");
    if (p->values.BETWEEN && !p->values.r->part[PART_tasks])
        return refuse(p, "between= needs the analysis threads or tasks");
    if (p->values.r->analysis[ANALYSIS_races] && p->values.SAMPLING != SAMPLING_OFF && p->values.DUP > 1)
        return refuse(p,
                      "races is sampled with dup=full or dup=partial: a check before each access would cost more than "
                      "the access");
    if (p->values.NAME && !is_name(p->values.NAME))
        return refuse(p, "name=%s: at most 40 letters, digits and any of -_.", p->values.NAME);
    if (p->values.r->help) return true;
    for (const char *c = p->values.FILE ? p->values.FILE : ""; *c; c++)
        if (*c == '%' && *++c != 'p' && *c != '%')
            return refuse(p, "file=%s: only %%p (process id) and %%%% may follow a percent sign", p->values.FILE);
    return request_resolve_productions(p) && request_resolve_sampling(p) && request_resolve_ring(p) &&
        request_resolve_analyses(p) && request_resolve_shards(p) && request_resolve_shadow(p);
}

// ---- words -------------------------------------------------------------------------------------

// help, help=all and help=NAME of an analysis, a preset or an option.
static bool take_help(Parse *p, const char *topic) {
    if (topic && strcmp(topic, "all") != 0 && WORDS_FIND(request_analyses, topic) < 0 &&
        WORDS_FIND(request_presets, topic) < 0 && !is_key(topic))
        return refuse_analysis(p, topic);
    return p->values.r->help = true;
}

static bool parse_words(Parse *p, char *text) {
    char *rest = text;
    char *first = words_next(&rest, ':', WORDS_BACKSLASH), *topic = words_value_of(first, "help");
    if (!*first) return refuse(p, "name at least one analysis" SEE_HELP);
    if (!rest && (topic || strcmp(first, "help") == 0)) return take_help(p, topic);
    char *value = strchr(first, '=');
    if (value && strncmp(first, "productions=", 12) == 0)
        return optionlist_take(&p->list, first) && request_set_options(p, rest);
    if (value) {
        *value = '\0';
        if (is_key(first)) return refuse(p, "name at least one analysis before the option %s=" SEE_HELP, first);
        *value = '=';
    }
    return add_analyses(p, first) && request_set_options(p, rest);
}

void request_begin(Parse *p, Request *r, char *error, size_t error_size) {
    *r = (Request){.message = true};
    *p = (Parse){.values.r = r};
    p->list = (OptionParse){
        .table = &request_options, .to = &p->values, .given = p->given, .error = error, .error_size = error_size};
    optionlist_presets(&request_options, &p->values);
}

// Keeps the texts that the request needs; the others have been parsed.
void request_keep_texts(Parse *p, Request *r) {
    char *others[] = {p->values.LOAD,   p->values.LENGTH,  p->values.PERIOD, p->values.TIMEOUT, p->values.WAIT,
                      p->values.MEMORY, p->values.NATIVES, p->values.CACHE,  p->values.EVENTS};
    for (size_t i = 0; i < LENGTH(others); i++) free(others[i]);
    r->file = p->values.FILE;
    r->name = p->values.NAME;
    r->transport.affinity = p->values.AFFINITY;
    r->trace = p->values.TRACE;
    r->between = p->values.BETWEEN;
}

// Does the text, up to its next colon, continue productions? Then it has an arrow, and is no option NAME=VALUE.
static bool continues_productions(const char *text) {
    size_t length = 0, name = strspn(text, "abcdefghijklmnopqrstuvwxyz-");
    if (text[name] == '=' && !strchr("=>", text[name + 1])) return false;
    while (text[length] && text[length] != ':') length += text[length] == '\\' && text[length + 1] ? 2 : 1;
    return memmem(text, length, "=>", 2);
}

// A copy in which the colons of labels have the backslash that others need; NULL: out of memory.
static char *escape_labels(const char *text) {
    char *copy = malloc(2 * strlen(text) + 1), *to = copy;
    if (!copy) return NULL;
    for (; *text; text++) {
        if (*text == ':' && continues_productions(text + 1)) *to++ = '\\';
        *to++ = *text;
        if (*text == '\\' && text[1]) *to++ = *++text;
    }
    *to = '\0';
    return copy;
}

bool request_parse(Request *r, const char *text, char *error, size_t error_size) {
    Parse p;
    request_begin(&p, r, error, error_size);
    char *copy = escape_labels(text);
    if (!copy) return refuse(&p, "out of memory");
    bool ok = parse_words(&p, copy) && resolve(&p);
    request_keep_texts(&p, r);
    free(copy);
    return ok;
}

void request_free(Request *r) {
    free(r->file);
    free(r->name);
    free(r->trace);
    free(r->between);
    free(r->scope_text);
    free(r->transport.affinity);
    scope_free(r->scope);
    productions_free(r->productions);
    r->productions = NULL;
    scope_free(r->natives);
    r->file = r->name = r->trace = r->between = r->scope_text = r->transport.affinity = NULL;
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
