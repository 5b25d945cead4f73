#include "profiler/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
#define ANALYSIS(id, name, help) {name, help, ANALYSIS_##id},
#define LATER(name, help) {name, help, -1},
#include "profiler/analyses.def"
};

enum KeyId {
#define KEY(id, name, kind, state, help) KEY_##id,
#include "profiler/options.def"
    KEY_COUNT
};

enum KeyKind { TEXT, CHOICE };

static const struct Key {
    const char *name, *help;
    enum KeyKind kind;
    State state;
} keys[KEY_COUNT] = {
#define KEY(id, name, kind, state, help) {name, help, kind, STATE_##state},
#include "profiler/options.def"
};

typedef struct Value {
    enum KeyId key;
    const char *text, *help;
    State state;
} Value;

static const Value values[] = {
#define VALUE(id, text, state, help) {KEY_##id, text, help, STATE_##state},
#include "profiler/options.def"
};

static const struct Preset {
    const char *name, *expansion, *help;
    State state;
} presets[] = {
#define PRESET(name, state, expansion, help) {name, expansion, help, STATE_##state},
#include "profiler/options.def"
};

#define LENGTH(a) (sizeof(a) / sizeof *(a))

// ---- parsing -----------------------------------------------------------------------------------

typedef struct Parse {
    Request *r;
    bool seen[KEY_COUNT];
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

// Cuts *rest at the next unescaped `end`, takes backslashes out, and moves *rest behind it (NULL at
// the end of the text).
static char *next_word(char **rest, char end) {
    char *word = *rest, *to = word, *from = word;
    for (; *from && *from != end; from++) {
        if (*from == '\\' && from[1]) from++;
        *to++ = *from;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return word;
}

static const struct Preset *find_preset(const char *name) {
    for (size_t i = 0; i < LENGTH(presets); i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}

static bool is_key(const char *name) {
    for (size_t i = 0; i < LENGTH(keys); i++)
        if (strcmp(keys[i].name, name) == 0) return true;
    return false;
}

static bool add_analysis(Parse *p, const char *name) {
    if (!*name) return refuse(p, "an analysis is missing between commas" SEE_HELP);
    for (size_t i = 0; i < LENGTH(analyses); i++) {
        if (strcmp(analyses[i].name, name) != 0) continue;
        if (analyses[i].id < 0) return refuse(p, "the analysis %s is not built yet", name);
        if (p->r->analysis[analyses[i].id]) return refuse(p, "%s is named twice", name);
        p->r->analysis[analyses[i].id] = true;
        return true;
    }
    if (find_preset(name))
        return refuse(p, "the preset %s stands alone, without a list of analyses", name);
    if (strcmp(name, "help") == 0) return refuse(p, "help stands alone: -Xprofile:help");
    if (is_key(name))
        return refuse(p, "%s is an option: name analyses first, then :%s=...", name, name);
    return refuse(p, "there is no analysis or preset %s" SEE_HELP, name);
}

static bool add_analyses(Parse *p, char *list) {
    char *rest = list;
    while (rest) {
        char *end = strchr(rest, ',');
        char *name = rest;
        if (end) *end = '\0';
        rest = end ? end + 1 : NULL;
        if (!add_analysis(p, name)) return false;
    }
    return true;
}

static bool set_text(Parse *p, enum KeyId key, const char *value) {
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
    for (size_t i = 0; i < LENGTH(values); i++) {
        if (values[i].key != key || strcmp(values[i].text, text) != 0) continue;
        if (values[i].state != NOW)
            return refuse(p, "%s=%s is not built yet", keys[key].name, text);
        if (key == KEY_MESSAGE) p->r->message = strcmp(text, "on") == 0;
        return true;
    }
    return refuse(p, "%s=%s: there is no such value" SEE_HELP, keys[key].name, text);
}

static bool set_option(Parse *p, char *word) {
    char *value = strchr(word, '=');
    if (!*word) return refuse(p, "an option is missing between colons" SEE_HELP);
    if (!value) {
        if (find_preset(word)) return refuse(p, "the preset %s must come first and alone", word);
        if (is_key(word)) return refuse(p, "%s needs a value: %s=...", word, word);
        return refuse(p, "there is no option %s" SEE_HELP, word);
    }
    *value++ = '\0';
    for (size_t i = 0; i < LENGTH(keys); i++) {
        if (strcmp(keys[i].name, word) != 0) continue;
        if (keys[i].state != NOW) return refuse(p, "%s= is not built yet (%s)", word, keys[i].help);
        // What follows a preset may repeat one of its options (and so confirm or change it).
        if (p->seen[i]) return refuse(p, "%s= is given twice", word);
        p->seen[i] = !p->preset;
        return keys[i].kind == TEXT ? set_text(p, (enum KeyId)i, value)
                                    : set_choice(p, (enum KeyId)i, value);
    }
    return refuse(p, "there is no option %s=" SEE_HELP, word);
}

static bool set_options(Parse *p, char *rest) {
    while (rest)
        if (!set_option(p, next_word(&rest, ':'))) return false;
    return true;
}

static bool apply_preset(Parse *p, const struct Preset *preset) {
    if (preset->state != NOW) return refuse(p, "the preset %s is not built yet", preset->name);
    char *text = strdup(preset->expansion), *rest = text;
    if (!text) return refuse(p, "out of memory");
    p->preset = true;
    bool ok = add_analyses(p, next_word(&rest, ':')) && set_options(p, rest);
    p->preset = false;
    free(text);
    return ok;
}

static bool parse_words(Parse *p, char *text) {
    char *rest = text;
    char *first = next_word(&rest, ':');
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
    bool ok = parse_words(&p, copy);
    free(copy);
    return ok;
}

void request_free(Request *r) {
    free(r->file);
    r->file = NULL;
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
