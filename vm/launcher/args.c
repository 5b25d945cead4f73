// The launcher's options. Everything that is not in the table here and starts with a dash goes to
// the VM; the first word that does not is the main class (or source file), and what follows it is
// the program's.
#include "vm/launcher/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_LAUNCHER "jdk.compiler/com.sun.tools.javac.launcher.Main"

typedef enum OptionId {
    OPT_CLASS_PATH, OPT_JAR, OPT_MODULE, OPT_SOURCE, OPT_VERSION, OPT_VERSION_OUT, OPT_SHOW_VERSION,
    OPT_SHOW_VERSION_OUT, OPT_HELP, OPT_HELP_OUT, OPT_HELP_EXTRA, OPT_HELP_EXTRA_OUT,
    OPT_LIST_MODULES, OPT_DESCRIBE_MODULE, OPT_VALIDATE_MODULES, OPT_DRY_RUN, OPT_SHOW_SETTINGS,
    OPT_VM_VALUE, OPT_IGNORED,
} OptionId;

typedef struct LauncherOption {
    const char *spelling;
    OptionId id;
    bool value;           // takes the next word, or what follows '=' for -- spellings
    const char *vm_name;  // OPT_VM_VALUE: what the VM calls it
} LauncherOption;

static const LauncherOption launcher_options[] = {
    {"-cp", OPT_CLASS_PATH, true, NULL},
    {"-classpath", OPT_CLASS_PATH, true, NULL},
    {"--class-path", OPT_CLASS_PATH, true, NULL},
    {"-jar", OPT_JAR, true, NULL},
    {"-m", OPT_MODULE, true, NULL},
    {"--module", OPT_MODULE, true, NULL},
    {"--source", OPT_SOURCE, true, NULL},
    {"-p", OPT_VM_VALUE, true, "--module-path"},
    {"--module-path", OPT_VM_VALUE, true, "--module-path"},
    {"--upgrade-module-path", OPT_VM_VALUE, true, "--upgrade-module-path"},
    {"--add-modules", OPT_VM_VALUE, true, "--add-modules"},
    {"--limit-modules", OPT_VM_VALUE, true, "--limit-modules"},
    {"--add-exports", OPT_VM_VALUE, true, "--add-exports"},
    {"--add-opens", OPT_VM_VALUE, true, "--add-opens"},
    {"--add-reads", OPT_VM_VALUE, true, "--add-reads"},
    {"--patch-module", OPT_VM_VALUE, true, "--patch-module"},
    {"--enable-native-access", OPT_VM_VALUE, true, "--enable-native-access"},
    {"-version", OPT_VERSION, false, NULL},
    {"--version", OPT_VERSION_OUT, false, NULL},
    {"-showversion", OPT_SHOW_VERSION, false, NULL},
    {"--show-version", OPT_SHOW_VERSION_OUT, false, NULL},
    {"-help", OPT_HELP, false, NULL},
    {"-h", OPT_HELP, false, NULL},
    {"-?", OPT_HELP, false, NULL},
    {"--help", OPT_HELP_OUT, false, NULL},
    {"-X", OPT_HELP_EXTRA, false, NULL},
    {"--help-extra", OPT_HELP_EXTRA_OUT, false, NULL},
    {"--list-modules", OPT_LIST_MODULES, false, NULL},
    {"-d", OPT_DESCRIBE_MODULE, true, NULL},
    {"--describe-module", OPT_DESCRIBE_MODULE, true, NULL},
    {"--validate-modules", OPT_VALIDATE_MODULES, false, NULL},
    {"--dry-run", OPT_DRY_RUN, false, NULL},
    {"-XshowSettings", OPT_SHOW_SETTINGS, false, NULL},
    {"-XshowSettings:all", OPT_SHOW_SETTINGS, false, NULL},
    {"-XshowSettings:vm", OPT_SHOW_SETTINGS, false, NULL},
    {"-XshowSettings:properties", OPT_SHOW_SETTINGS, false, NULL},
    {"-XshowSettings:locale", OPT_SHOW_SETTINGS, false, NULL},
    {"-XshowSettings:system", OPT_SHOW_SETTINGS, false, NULL},
    {"-Xdiag", OPT_IGNORED, false, NULL},
    {"-jre-restrict-search", OPT_IGNORED, false, NULL},
    {"-no-jre-restrict-search", OPT_IGNORED, false, NULL},
};

static char *concat(const char *a, const char *b, const char *c) {
    size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    char *s = malloc(n);
    if (!s) abort();
    snprintf(s, n, "%s%s%s", a, b, c);
    return s;
}

// The row that `word` spells, with *value set when it came as --name=value.
static const LauncherOption *find_option(const char *word, const char **value) {
    *value = NULL;
    for (size_t i = 0; i < sizeof launcher_options / sizeof *launcher_options; i++) {
        const LauncherOption *o = &launcher_options[i];
        size_t n = strlen(o->spelling);
        if (strncmp(word, o->spelling, n) != 0) continue;
        if (!word[n]) return o;
        if (o->value && word[n] == '=' && word[1] == '-') {
            *value = word + n + 1;
            return o;
        }
    }
    return NULL;
}

static void set_class_path(LaunchPlan *plan, const char *path) {
    char *expanded = classpath_expand(path);
    list_add(&plan->vm_options, concat("-Djava.class.path=", expanded, ""));
    free(expanded);
    plan->class_path_set = true;
}

static void apply(LaunchPlan *plan, const LauncherOption *o, char *word, char *value) {
    switch (o->id) {
    case OPT_CLASS_PATH: set_class_path(plan, value); break;
    case OPT_JAR: plan->mode = LAUNCH_JAR; plan->what = value; break;
    case OPT_MODULE: {
        plan->mode = LAUNCH_MODULE;
        plan->what = value;
        // The class, if one is named, is not part of the property.
        char *module = strndup(value, strcspn(value, "/"));
        list_add(&plan->vm_options, concat("-Djdk.module.main=", module, ""));
        free(module);
        break;
    }
    case OPT_SOURCE:
        plan->mode = LAUNCH_SOURCE;
        list_add(&plan->vm_options, concat("-Djdk.internal.javac.source=", value, ""));
        break;
    case OPT_VERSION_OUT: plan->to_stdout = true; // fall through
    case OPT_VERSION: plan->action = ACTION_VERSION; break;
    case OPT_SHOW_VERSION_OUT: plan->to_stdout = true; // fall through
    case OPT_SHOW_VERSION: plan->show_version = true; break;
    case OPT_HELP_OUT: plan->to_stdout = true; // fall through
    case OPT_HELP: plan->action = ACTION_HELP; break;
    case OPT_HELP_EXTRA_OUT: plan->to_stdout = true; // fall through
    case OPT_HELP_EXTRA: plan->action = ACTION_HELP_EXTRA; break;
    case OPT_LIST_MODULES: plan->action = ACTION_LIST_MODULES; break;
    case OPT_DESCRIBE_MODULE: plan->action = ACTION_DESCRIBE_MODULE; plan->module = value; break;
    case OPT_VALIDATE_MODULES: plan->action = ACTION_VALIDATE_MODULES; break;
    case OPT_DRY_RUN: plan->dry_run = true; break;
    case OPT_SHOW_SETTINGS: plan->show_settings = word; break;
    case OPT_VM_VALUE: list_add(&plan->vm_options, concat(o->vm_name, "=", value)); break;
    case OPT_IGNORED: break;
    }
}

static bool missing_value(const LauncherOption *o, const char *word) {
    if (o->id == OPT_CLASS_PATH) fprintf(stderr, "Error: %s requires class path specification\n", word);
    else if (o->id == OPT_JAR) fprintf(stderr, "Error: %s requires jar file specification\n", word);
    else if (o->id == OPT_MODULE || o->id == OPT_DESCRIBE_MODULE)
        fprintf(stderr, "Error: %s requires module name\n", word);
    else if (strcmp(o->vm_name ? o->vm_name : "", "--module-path") == 0)
        fprintf(stderr, "Error: %s requires module path specification\n", word);
    else fprintf(stderr, "Error: %s requires an argument\n", word);
    return false;
}

static bool is_source_file(const char *name) {
    size_t n = strlen(name);
    struct stat st;
    return n > 5 && strcmp(name + n - 5, ".java") == 0 && stat(name, &st) == 0;
}

// The main class and its arguments: words[i] is the first word that is no option.
static void take_main(LaunchPlan *plan, const StringList *words, size_t i) {
    if (i < words->count && plan->mode == LAUNCH_UNKNOWN)
        plan->mode = is_source_file(words->items[i]) ? LAUNCH_SOURCE : LAUNCH_CLASS;
    if (plan->mode == LAUNCH_SOURCE) {
        list_add(&plan->vm_options, "--add-modules=ALL-DEFAULT");
        list_add(&plan->vm_options, "-Djdk.module.main=jdk.compiler");
        if (i < words->count) plan->what = SOURCE_LAUNCHER;
    } else if (plan->mode == LAUNCH_CLASS) {
        plan->what = words->items[i++];
    }
    for (; i < words->count; i++) list_add(&plan->arguments, words->items[i]);
}

static bool parse_words(LaunchPlan *plan, const StringList *words, size_t *next) {
    size_t i = 0;
    while (i < words->count && words->items[i][0] == '-') {
        char *word = words->items[i++];
        const char *inline_value;
        const LauncherOption *o = find_option(word, &inline_value);
        if (strncmp(word, "-splash:", 8) == 0) continue;  // nothing shows pictures here
        if (!o) {
            list_add(&plan->vm_options, word);
            continue;
        }
        char *value = (char *)inline_value;
        if (o->value && !value) {
            if (i >= words->count) return missing_value(o, word);
            value = words->items[i++];
        }
        apply(plan, o, word, value);
        // These end the options: what follows belongs to the program.
        if (o->id == OPT_JAR || o->id == OPT_MODULE) break;
    }
    *next = i;
    return true;
}

// sun.java.command: what was started, with its arguments, for jps and for the program itself.
static void add_command_property(LaunchPlan *plan) {
    if (!plan->what) return;
    char *text = concat("-Dsun.java.command=", plan->what, "");
    for (size_t i = 0; i < plan->arguments.count; i++) {
        char *longer = concat(text, " ", plan->arguments.items[i]);
        free(text);
        text = longer;
    }
    list_add(&plan->vm_options, text);
    list_add(&plan->vm_options, "-Dsun.java.launcher=SUN_STANDARD");
}

// Whether the file ends as a zip file does: with an end-of-central-directory record and its comment.
static bool ends_like_zip(FILE *f) {
    static char tail[22 + 65535];
    if (fseek(f, 0, SEEK_END) != 0) return false;
    long size = ftell(f);
    long n = size < (long)sizeof tail ? size : (long)sizeof tail;
    if (n < 22 || fseek(f, size - n, SEEK_SET) != 0) return false;
    if (fread(tail, 1, (size_t)n, f) != (size_t)n) return false;
    for (long i = n - 22; i >= 0; i--)
        if (memcmp(tail + i, "PK\5\6", 4) == 0) return true;
    return false;
}

static bool check_jar(const char *name) {
    FILE *f = fopen(name, "rb");
    if (!f) {
        fprintf(stderr, "Error: Unable to access jarfile %s\n", name);
        return false;
    }
    bool ok = ends_like_zip(f);
    fclose(f);
    if (!ok) fprintf(stderr, "Error: Invalid or corrupt jarfile %s\n", name);
    return ok;
}

// The options of the environment come before those of the command line.
static bool collect_words(int argc, char **argv, StringList *words) {
    StringList given = {0};
    const char *environment = getenv("JDK_JAVA_OPTIONS");
    if (environment && *environment) {
        fprintf(stderr, "NOTE: Picked up JDK_JAVA_OPTIONS: %s\n", environment);
        if (!argfile_words(environment, "JDK_JAVA_OPTIONS", &given)) return false;
    }
    for (int i = 1; i < argc; i++) list_add(&given, argv[i]);
    // Argument files are expanded among the options only: what follows the main class is the
    // program's own.
    return argfile_expand(&given, words);
}

// The VM prints that help while it reads its options, and is not created then.
static bool asks_vm_for_help(const LaunchPlan *plan) {
    for (size_t i = 0; i < plan->vm_options.count; i++)
        if (strcmp(plan->vm_options.items[i], "-Xprofile:help") == 0 ||
            strcmp(plan->vm_options.items[i], "-Xadaptive:help") == 0 ||
            strcmp(plan->vm_options.items[i], "-Xjit:help") == 0) return true;
    return false;
}

bool args_parse(LaunchPlan *plan, int argc, char **argv) {
    StringList words = {0};
    size_t next;
    if (!collect_words(argc, argv, &words) || !parse_words(plan, &words, &next)) return false;
    if (plan->mode == LAUNCH_JAR) {
        if (!check_jar(plan->what)) return false;
        set_class_path(plan, plan->what);
    }
    take_main(plan, &words, next);
    const char *class_path = getenv("CLASSPATH");
    if (!class_path && (plan->mode == LAUNCH_CLASS || plan->mode == LAUNCH_SOURCE)) class_path = ".";
    if (!plan->class_path_set && class_path && plan->mode != LAUNCH_JAR) set_class_path(plan, class_path);
    if (plan->action == ACTION_RUN && !plan->what && !plan->show_version && !plan->show_settings
        && !asks_vm_for_help(plan))
        plan->action = ACTION_USAGE_ERROR;
    add_command_property(plan);
    return true;
}
