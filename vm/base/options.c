// Parsing of the VM's options. The table is options.def; options with an irregular syntax (properties, module options,
// assertions) have small functions below. Runs once, on one thread, before the rest of the VM exists, so it uses only
// malloc and stderr.
#include "vm/base/options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/grow.h"
#include "base/words.h"
#include "arch_platform.h"
#include "vm/base/hotspotflags.h"
#include "vm/base/createresult.h"
#include "vm/base/log.h"
#include "vm/base/version.h"

typedef enum RowKind {
    FLAG,
    SWITCH,
    NEGATED,
    SIZE,
    NUMBER,
    PERCENT,
    TEXT,
    ONCE,
    PRESET,
    LIST,
    LATER,
    WRONG,
    CHOICE,
    GONE,
    WARN,
    IGNORE
} RowKind;

enum { SMALLEST_STACK = 136 << 10, LARGEST_STACK = 1 << 30 };  // HotSpot's

#define MAX_ADDRESS (INT64_C(1) << 47)  // address space limit of a process

typedef struct Row {
    RowKind kind;
    const char *spelling;
    size_t offset;
    const char *help;
    bool experiment;
} Row;

static const Row rows[] = {
#define OPT(kind, spelling, field, help) {kind, spelling, offsetof(Options, field), help, false},
#define EXPERIMENT(kind, spelling, field, help) {kind, spelling, offsetof(Options, field), help, true},
#include "vm/base/options.def"
};

// Alternative spellings of -Xlog selections.
typedef struct LogOption {
    const char *spelling, *selection, *help;
    bool deprecated;
} LogOption;

static const LogOption log_options[] = {
#define LOGOPT(spelling, selection, help) {spelling, selection, help, false},
#define LOGOLD(spelling, selection) {spelling, selection, NULL, true},
#include "vm/base/options.def"
};

// Options that become numbered or plain properties for the library's module system (JEP 261).
typedef struct ModuleOption {
    const char *spelling;
    const char *property;
    bool numbered;
} ModuleOption;

static const ModuleOption module_options[] = {
    {"--add-modules=", "jdk.module.addmods", true},
    {"--add-reads=", "jdk.module.addreads", true},
    {"--add-exports=", "jdk.module.addexports", true},
    {"--add-opens=", "jdk.module.addopens", true},
    {"--limit-modules=", "jdk.module.limitmods", false},
    {"--module-path=", "jdk.module.path", false},
    {"--upgrade-module-path=", "jdk.module.upgrade.path", false},
    {"--enable-native-access=", "jdk.module.enable.native.access", true},
};

char *options_copy(const char *text, size_t length) {
    char *s = malloc(length + 1);
    if (!s) abort();
    memcpy(s, text, length);
    s[length] = 0;
    return s;
}

static bool starts_with(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

bool options_parse_size(const char *text, int64_t *bytes) { return words_size(text, 0, "kmgt", bytes); }

const char *options_property(const Options *o, const char *key) {
    for (size_t i = 0; i < o->property_count; i++)
        if (strcmp(o->properties[i].key, key) == 0) return o->properties[i].value;
    return NULL;
}

void options_set_property(Options *o, const char *key, const char *value) {
    char *v = options_copy(value, strlen(value));
    for (size_t i = 0; i < o->property_count; i++) {
        if (strcmp(o->properties[i].key, key) != 0) continue;
        free(o->properties[i].value);
        o->properties[i].value = v;
        return;
    }
    GROW_OR_EXIT(o->properties, o->property_capacity, o->property_count + 1);
    o->properties[o->property_count++] = (Property){options_copy(key, strlen(key)), v};
}

static void set_numbered(Options *o, const char *prefix, const char *value) {
    char key[128];
    for (int n = 0;; n++) {
        snprintf(key, sizeof key, "%s.%d", prefix, n);
        if (!options_property(o, key)) break;
    }
    options_set_property(o, key, value);
}

static bool parse_module_option(Options *o, const char *s) {
    for (size_t i = 0; i < sizeof module_options / sizeof *module_options; i++) {
        const ModuleOption *m = &module_options[i];
        if (!starts_with(s, m->spelling)) continue;
        const char *value = s + strlen(m->spelling);
        if (m->numbered) set_numbered(o, m->property, value);
        else options_set_property(o, m->property, value);
        return true;
    }
    return false;
}

static void define_property(Options *o, const char *definition) {
    const char *eq = strchr(definition, '=');
    char *key = eq ? options_copy(definition, (size_t)(eq - definition)) : options_copy(definition, strlen(definition));
    options_set_property(o, key, eq ? eq + 1 : "");
    // Any property of this kind starts the management agent, whose module is otherwise not loaded.
    if (starts_with(key, "com.sun.management") && !o->management_agent) {
        o->management_agent = true;
        set_numbered(o, "jdk.module.addmods", "jdk.management.agent");
    }
    free(key);
}

static bool parse_assertion(Options *o, const char *s) {
    static const struct {
        const char *spelling;
        bool enable, system;
    } forms[] = {
        {"-ea", true, false},  {"-enableassertions", true, false},
        {"-da", false, false}, {"-disableassertions", false, false},
        {"-esa", true, true},  {"-enablesystemassertions", true, true},
        {"-dsa", false, true}, {"-disablesystemassertions", false, true},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t n = strlen(forms[i].spelling);
        if (strncmp(s, forms[i].spelling, n) != 0 || (s[n] && s[n] != ':')) continue;
        if (forms[i].system) {
            if (s[n]) return false;
            o->system_assertions = forms[i].enable;
            return true;
        }
        AssertionRule rule = {.enable = forms[i].enable};
        if (s[n]) {
            rule.name = options_copy(s + n + 1, strlen(s + n + 1));
            for (char *p = rule.name; *p; p++)
                if (*p == '.') *p = '/';
            size_t length = strlen(rule.name);
            rule.package = length >= 3 && strcmp(rule.name + length - 3, "///") == 0;
            if (rule.package) rule.name[length - 3] = 0;
        }
        GROW_OR_EXIT(o->assertions, o->assertion_capacity, o->assertion_count + 1);
        o->assertions[o->assertion_count++] = rule;
        return true;
    }
    return false;
}

bool options_assertions_enabled(const Options *o, const char *class_name, bool system_class) {
    // A class rule takes precedence over a package rule, and that over the general switch; among package rules the
    // longest wins.
    bool enabled = system_class ? o->system_assertions : false;
    size_t best = 0;
    bool class_rule = false;
    for (size_t i = 0; i < o->assertion_count; i++) {
        const AssertionRule *r = &o->assertions[i];
        if (!r->name) {
            if (!system_class && best == 0 && !class_rule) enabled = r->enable;
            continue;
        }
        size_t n = strlen(r->name);
        if (!r->package && strcmp(r->name, class_name) == 0) {
            class_rule = true;
            enabled = r->enable;
        } else if (r->package && !class_rule && n + 1 >= best) {
            bool in = n == 0 ? !strchr(class_name, '/') : strncmp(class_name, r->name, n) == 0 && class_name[n] == '/';
            if (in) {
                best = n + 1;
                enabled = r->enable;
            }
        }
    }
    return enabled;
}

typedef enum Outcome { TAKEN, IGNORED, BAD, UNKNOWN } Outcome;

// HotSpot's term for an option's value in its error message; otherwise the option itself.
static void complain_size(const char *s) {
    static const struct {
        const char *spelling, *what;
    } names[] = {
        {"-Xmx", "maximum heap size"}, {"-XX:MaxHeapSize=", "maximum heap size"}, {"-Xms", "initial heap size"},
        {"-Xss", "thread stack size"}, {"-Xmn", "initial young generation size"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!starts_with(s, names[i].spelling)) continue;
        fprintf(stderr, "Invalid %s: %s\n", names[i].what, s);
        return;
    }
    if (starts_with(s, "-XX:")) fprintf(stderr, "Improperly specified VM option '%s'\n", s + 4);
    else fprintf(stderr, "Invalid size in option: %s\n", s);
}

static Outcome take_size(Options *o, const Row *row, const char *s) {
    int64_t bytes;
    if (starts_with(s, "-XX:") && !hotspotflags_in_range(s + 4)) return BAD;
    bool ok = options_parse_size(s + strlen(row->spelling), &bytes);
    if (!ok ||
        (bytes == 0 && (row->offset == offsetof(Options, max_heap) || row->offset == offsetof(Options, young_heap)))) {
        complain_size(s);
        return BAD;
    }
    if (row->offset == offsetof(Options, stack_size) && bytes > LARGEST_STACK) {
        complain_size(s);
        fputs("The specified size exceeds the maximum representable size.\n", stderr);
        return BAD;
    }
    *(int64_t *)((char *)o + row->offset) = bytes;
    return TAKEN;
}

static Outcome take_number(Options *o, const Row *row, const char *s) {
    const char *text = s + strlen(row->spelling);
    int64_t n;
    if (!options_parse_size(text + (*text == '-'), &n)) {
        fprintf(stderr, "Improperly specified VM option '%s'\n", s + 4);
        return BAD;
    }
    if (!hotspotflags_in_range(s + 4)) return BAD;
    *(int64_t *)((char *)o + row->offset) = *text == '-' ? -n : n;
    return TAKEN;
}

static Outcome take_percentage(Options *o, const Row *row, const char *s) {
    const char *text = s + strlen(row->spelling);
    char *end;
    double n = strtod(text, &end);
    if (end > text && !*end && *text != '-' && n <= 100) {
        *(double *)((char *)o + row->offset) = n;
        return TAKEN;
    }
    if (end > text && !*end && *text != '-')
        fprintf(stderr, "double %.*s=%f is outside the allowed range [ 0.000000 ... 100.000000 ]\n",
                (int)strcspn(s + 4, "="), s + 4, n);
    fprintf(stderr, "Improperly specified VM option '%s'\n", s + 4);
    return BAD;
}

static Outcome take_row(Options *o, const Row *row, const char *s) {
    char *field = (char *)o + row->offset;
    switch (row->kind) {
        case FLAG:
            if (strcmp(s, row->spelling) != 0) return UNKNOWN;
            *(bool *)field = true;
            return TAKEN;
        case SWITCH:
        case NEGATED:  // the name follows the plus or minus
            if (!starts_with(s, "-XX:") || (s[4] != '+' && s[4] != '-') || strcmp(s + 5, row->spelling) != 0)
                return UNKNOWN;
            *(bool *)field = (s[4] == '+') == (row->kind == SWITCH);
            return TAKEN;
        case NUMBER: return starts_with(s, row->spelling) ? take_number(o, row, s) : UNKNOWN;
        case PERCENT: return starts_with(s, row->spelling) ? take_percentage(o, row, s) : UNKNOWN;
        case SIZE: return starts_with(s, row->spelling) ? take_size(o, row, s) : UNKNOWN;
        case TEXT:
        case ONCE:
            if (!starts_with(s, row->spelling)) return UNKNOWN;
            if (row->kind == ONCE && *(const char **)field) {
                fprintf(stderr, "Error: %s is given twice: %s%s and %s\n", row->spelling, row->spelling,
                        *(const char **)field, s);
                return BAD;
            }
            *(const char **)field = options_copy(s + strlen(row->spelling), strlen(s) - strlen(row->spelling));
            return TAKEN;
        case PRESET:
            if (strcmp(s, row->spelling) != 0) return UNKNOWN;
            if (*(const char **)field) {
                fprintf(stderr, "Error: %s is given twice: %s:%s and %s\n", s, s, *(const char **)field, s);
                return BAD;
            }
            *(const char **)field = options_copy(row->help, strlen(row->help));
            return TAKEN;
        case LIST:
            if (!starts_with(s, row->spelling)) return UNKNOWN;
            char **list = (char **)field;
            char *joined;
            if (asprintf(&joined, "%s%s%s", *list ? *list : "", *list ? "," : "", s + strlen(row->spelling)) < 0)
                abort();
            free(*list);
            *list = joined;
            return TAKEN;
        case LATER:
            if (!starts_with(s, row->spelling)) return UNKNOWN;
            fprintf(stderr, "Option not supported: %s (%s: not built yet)\n", s, row->help);
            return BAD;
        case WRONG:
            if (!starts_with(s, row->spelling)) return UNKNOWN;
            fprintf(stderr, "Error: %s: %s\n", s, row->help);
            return BAD;
        case GONE:
            if (!starts_with(s, row->spelling)) return UNKNOWN;
            printf("%s\n", row->help);
            fflush(stdout);
            return BAD;
        case WARN:
            if (!starts_with(s, row->spelling)) return UNKNOWN;
            fprintf(stderr, "cabernet warning: Ignoring option %s; %s\n", s, row->help);
            return TAKEN;
        case CHOICE:
            if (!starts_with(s, row->spelling)) return UNKNOWN;
            fprintf(stderr, "%s: %s\n", row->help, s);
            return BAD;
        case IGNORE: return starts_with(s, row->spelling) ? IGNORED : UNKNOWN;
    }
    return UNKNOWN;
}

// ---- the log -----------------------------------------------------------------------------------

static Outcome configure_log(Options *o, const char *option, const char *text) {
    if (strcmp(text, ":help") == 0) {
        log_print_help();
        o->create_result = CREATE_PRINTED;
        return BAD;
    }
    if (log_configure(text)) return TAKEN;
    fprintf(stderr, "Invalid -Xlog option '%s', see error log for details.\n", option);
    return BAD;
}

static void warn_log_option(const char *option, const char *instead, const char *file) {
    log_write(LOG_GC, LOG_WARNING, "%s is deprecated. Will use -Xlog:%s%s instead.", option, instead, file);
}

static Outcome take_log_option(Options *o, const char *s) {
    char text[4200];
    if (strcmp(s, "-Xlog") == 0 || starts_with(s, "-Xlog:")) return configure_log(o, s, s + 5);
    if (starts_with(s, "-Xloggc:")) {
        warn_log_option("-Xloggc", "gc:", s + 8);
        snprintf(text, sizeof text, ":gc:file=\"%s\"", s + 8);
        return configure_log(o, s, text);
    }
    for (size_t i = 0; i < sizeof log_options / sizeof *log_options; i++) {
        const LogOption *l = &log_options[i];
        if (strcmp(s, l->spelling) != 0) continue;
        if (l->deprecated) warn_log_option(s, l->selection, "");
        snprintf(text, sizeof text, ":%s", l->selection);
        return configure_log(o, s, text);
    }
    return UNKNOWN;
}

// ---- all of them -------------------------------------------------------------------------------

static Outcome take_option(Options *o, const char *s) {
    if (starts_with(s, "-D")) {
        define_property(o, s + 2);
        return TAKEN;
    }
    if (strcmp(s, "-Xint") == 0 || strcmp(s, "-Xcomp") == 0 || strcmp(s, "-Xmixed") == 0)
        o->interpret_only = o->compile_all = false;  // the row sets one of them
    if (strcmp(s, "-Xinternalversion") == 0) {
        printf("Cabernet VM (%s) for linux-" ARCH_NAME ", built with " __VERSION__ "\n", version_build);
        o->create_result = CREATE_PRINTED;
        return BAD;
    }
    if (strcmp(s, "-Xverify:none") == 0 || strcmp(s, "-noverify") == 0)
        fputs("cabernet warning: Options -Xverify:none and -noverify were deprecated in JDK 13 and will likely be "
              "removed in a future release.\n",
              stderr);
    if (parse_module_option(o, s) || parse_assertion(o, s)) return TAKEN;
    Outcome outcome = take_log_option(o, s);
    if (outcome != UNKNOWN) return outcome;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outcome = take_row(o, &rows[i], s);
        if (outcome != UNKNOWN) return outcome;
    }
    if (!starts_with(s, "-XX:")) return UNKNOWN;
    switch (hotspotflags_take(s + 4, o->unlock_diagnostic, o->unlock_experimental)) {
        case HOTSPOTFLAG_TAKEN: return IGNORED;
        case HOTSPOTFLAG_BAD: return BAD;
        default: return UNKNOWN;
    }
}

static bool reject_unknown(const Options *o, const char *s, bool ignore_unrecognized) {
    if (starts_with(s, "-XX:")) {
        if (o->ignore_unrecognized) return true;
        const char *name = s + 4 + (s[4] == '+' || s[4] == '-');
        fprintf(stderr, "Unrecognized VM option '%s'\n", s[4] == '+' || s[4] == '-' ? name : s + 4);
        return false;
    }
    // The JNI flag of this name covers only -X and underscore spellings.
    if (ignore_unrecognized && (starts_with(s, "-X") || *s == '_')) return true;
    fprintf(stderr, "Unrecognized option: %s\n", s);
    return false;
}

// As HotSpot does: on stdout, and the launcher prints nothing more.
static bool refuse(Options *o, const char *why) {
    printf("Error occurred during initialization of VM\n%s\n", why);
    o->create_result = CREATE_REFUSED;
    return false;
}

// HotSpot has one collector at a time. The last setting of each collector counts.
static bool several_collectors(int count, char *const *strings) {
    static const char *const collectors[] = {"UseSerialGC", "UseParallelGC",   "UseG1GC",
                                             "UseZGC",      "UseShenandoahGC", "UseEpsilonGC"};
    int chosen = 0;
    for (size_t n = 0; n < sizeof collectors / sizeof *collectors; n++) {
        bool on = false;
        for (int i = 0; i < count; i++)
            if (starts_with(strings[i], "-XX:") && strings[i][4] && strcmp(strings[i] + 5, collectors[n]) == 0)
                on = strings[i][4] == '+';
        chosen += on;
    }
    return chosen > 1;
}

bool options_parse(Options *o, int count, char *const *strings, void *const *extras, bool ignore_unrecognized) {
    *o = (Options){
        .max_direct_memory = -1, .max_stack_trace_depth = 1024, .soft_ref_ms_per_mb = 1000, .helpful_npe = true};
    o->arguments = calloc((size_t)count + 1, sizeof *o->arguments);
    const char **ignored = calloc((size_t)count + 1, sizeof *ignored);
    if (!o->arguments || !ignored) abort();
    int ignored_count = 0;
    // Some options also affect the options before them.
    for (int i = 0; i < count; i++) {
        if (strcmp(strings[i], "-XX:+IgnoreUnrecognizedVMOptions") == 0) o->ignore_unrecognized = true;
        if (starts_with(strings[i], "-XX:")) hotspotflags_warn_deprecated(strings[i] + 4);
    }
    for (int i = 0; i < count; i++) {
        const char *s = strings[i];
        void **hook = strcmp(s, "vfprintf") == 0 ? (void **)&o->vfprintf_hook
            : strcmp(s, "exit") == 0             ? (void **)&o->exit_hook
            : strcmp(s, "abort") == 0            ? (void **)&o->abort_hook
                                                 : NULL;
        if (hook) {
            *hook = extras ? extras[i] : NULL;
            continue;
        }
        bool by_launcher = starts_with(s, "-Djava.class.path") || starts_with(s, "-Dsun.java.command") ||
            starts_with(s, "-Dsun.java.launcher");
        if (!by_launcher) o->arguments[o->argument_count++] = options_copy(s, strlen(s));
        Outcome outcome = take_option(o, s);
        if (outcome == IGNORED) ignored[ignored_count++] = s;
        if (outcome == BAD) return false;
        if (outcome == UNKNOWN && !reject_unknown(o, s, ignore_unrecognized)) return false;
    }
    // The log is configured now.
    for (int i = 0; i < ignored_count && log_is(LOG_ARGUMENTS, LOG_INFO); i++)
        log_write(LOG_ARGUMENTS, LOG_INFO, "%s has no effect", ignored[i]);
    free(ignored);
    if (!o->stack_size && o->stack_size_kb) o->stack_size = o->stack_size_kb << 10;
    if (o->stack_size && o->stack_size < SMALLEST_STACK) {
        printf("\nThe Java thread stack size specified is too small. Specify at least %dk\n", SMALLEST_STACK >> 10);
        fflush(stdout);
        return false;
    }
    if (o->max_ram_fraction > 0) o->max_ram_percentage = 100.0 / (double)o->max_ram_fraction;
    if (several_collectors(count, strings)) return refuse(o, "Multiple garbage collectors selected");
    if (o->max_heap > MAX_ADDRESS) {
        char why[96];
        snprintf(why, sizeof why, "Could not reserve enough space for %" PRId64 "KB object heap", o->max_heap >> 10);
        return refuse(o, why);
    }
    if (o->max_heap && o->min_heap > o->max_heap)
        return refuse(o, "Incompatible minimum and maximum heap sizes specified");
    if (o->max_heap && o->max_heap < 2 << 20) return refuse(o, "Too small maximum heap");
    if (o->max_heap && o->initial_heap > o->max_heap)
        return refuse(o, "Initial heap size set to a larger value than the maximum heap size");
    return true;
}

static void print_help_rows(FILE *out, bool experiments) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Row *row = &rows[i];
        if (row->experiment != experiments) continue;
        if (row->help && row->kind != PRESET && row->kind != LATER && row->kind != WRONG && row->kind != CHOICE &&
            row->kind != GONE && row->kind != WARN) {
            bool is_switch = row->kind == SWITCH || row->kind == NEGATED;
            const char *value = row->kind == SIZE ? "<size>" : "";
            if (row->kind == TEXT || row->kind == ONCE || row->kind == LIST) value = "<text>";
            if (row->kind == NUMBER || row->kind == PERCENT) value = "<number>";
            char spelling[96];
            snprintf(spelling, sizeof spelling, "%s%s%s", is_switch ? "-XX:+" : "", row->spelling, value);
            fprintf(out, "    %-34s %s\n", spelling, row->help);
        }
    }
}

void options_print_help(FILE *out) {
    print_help_rows(out, false);
    for (size_t i = 0; i < sizeof log_options / sizeof *log_options; i++)
        if (log_options[i].help) fprintf(out, "    %-34s %s\n", log_options[i].spelling, log_options[i].help);
    fprintf(out, "    %-34s %s\n", "-Xlog:<selection>", "log messages: -Xlog:help lists tags and levels");
    fputs("HotSpot's other -XX options are accepted and have no effect; -Xlog:arguments names those of a\n"
          "command line.\n\nFor comparisons and experiments:\n",
          out);
    print_help_rows(out, true);
}
