// The launcher's options. Other words that start with a dash go to the VM. The first word without a dash is the main
// class (or source file); the words after it belong to the program.
#include "vm/launcher/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SOURCE_LAUNCHER "jdk.compiler/com.sun.tools.javac.launcher.Main"

typedef enum OptionId {
    OPT_CLASS_PATH,
    OPT_JAR,
    OPT_MODULE,
    OPT_SOURCE,
    OPT_VERSION,
    OPT_VERSION_OUT,
    OPT_SHOW_VERSION,
    OPT_SHOW_VERSION_OUT,
    OPT_FULL_VERSION,
    OPT_FULL_VERSION_OUT,
    OPT_HELP,
    OPT_HELP_OUT,
    OPT_HELP_EXTRA,
    OPT_HELP_EXTRA_OUT,
    OPT_LIST_MODULES,
    OPT_DESCRIBE_MODULE,
    OPT_VALIDATE_MODULES,
    OPT_RESOLVED_MODULES,
    OPT_DRY_RUN,
    OPT_DIAGNOSE,
    OPT_VM,
    OPT_DEPRECATED,
    OPT_UNSUPPORTED,
    OPT_OTHER_JRE,
} OptionId;

typedef struct LauncherOption {
    const char *spelling;
    OptionId id;
    bool value;           // takes the next word, or the text after '=' for -- spellings
    const char *vm_name;  // OPT_VM, OPT_DEPRECATED: the VM's spelling
    const char *wants;    // the missing value, as named in the error message
    bool may_be_empty;    // an empty text after the '=' is a value
} LauncherOption;

#define CLASS_PATH "class path specification"
#define MODULE_NAME "module name"
#define MODULE_PATH "module path specification"
#define MODULES "modules to be specified"

static const LauncherOption launcher_options[] = {
    {"-cp", OPT_CLASS_PATH, true, NULL, CLASS_PATH, false},
    {"-classpath", OPT_CLASS_PATH, true, NULL, CLASS_PATH, false},
    {"--class-path", OPT_CLASS_PATH, true, NULL, CLASS_PATH, true},
    {"-jar", OPT_JAR, false, NULL, NULL, false},  // further options may precede the file
    {"-m", OPT_MODULE, true, NULL, MODULE_NAME, false},
    {"--module", OPT_MODULE, true, NULL, MODULE_NAME, false},
    {"--source", OPT_SOURCE, true, NULL, "source version", false},
    {"-p", OPT_VM, true, "--module-path", MODULE_PATH, false},
    {"--module-path", OPT_VM, true, "--module-path", MODULE_PATH, false},
    {"--upgrade-module-path", OPT_VM, true, "--upgrade-module-path", MODULE_PATH, false},
    {"--add-modules", OPT_VM, true, "--add-modules", MODULES, false},
    {"--limit-modules", OPT_VM, true, "--limit-modules", MODULES, false},
    {"--add-exports", OPT_VM, true, "--add-exports", MODULES, false},
    {"--add-opens", OPT_VM, true, "--add-opens", MODULES, true},
    {"--add-reads", OPT_VM, true, "--add-reads", MODULES, false},
    {"--patch-module", OPT_VM, true, "--patch-module", MODULES, false},
    {"--enable-native-access", OPT_VM, true, "--enable-native-access", MODULES, false},
    {"-version", OPT_VERSION, false, NULL, NULL, false},
    {"--version", OPT_VERSION_OUT, false, NULL, NULL, false},
    {"-showversion", OPT_SHOW_VERSION, false, NULL, NULL, false},
    {"--show-version", OPT_SHOW_VERSION_OUT, false, NULL, NULL, false},
    {"-fullversion", OPT_FULL_VERSION, false, NULL, NULL, false},
    {"--full-version", OPT_FULL_VERSION_OUT, false, NULL, NULL, false},
    {"-help", OPT_HELP, false, NULL, NULL, false},
    {"-h", OPT_HELP, false, NULL, NULL, false},
    {"-?", OPT_HELP, false, NULL, NULL, false},
    {"--help", OPT_HELP_OUT, false, NULL, NULL, false},
    {"-X", OPT_HELP_EXTRA, false, NULL, NULL, false},
    {"--help-extra", OPT_HELP_EXTRA_OUT, false, NULL, NULL, false},
    {"--list-modules", OPT_LIST_MODULES, false, NULL, NULL, false},
    {"-d", OPT_DESCRIBE_MODULE, true, NULL, MODULE_NAME, false},
    {"--describe-module", OPT_DESCRIBE_MODULE, true, NULL, MODULE_NAME, true},
    {"--validate-modules", OPT_VALIDATE_MODULES, false, NULL, NULL, false},
    {"--show-module-resolution", OPT_VM, false, "-Djdk.module.showModuleResolution=true", NULL, false},
    {"--show-resolved-modules", OPT_RESOLVED_MODULES, false, NULL, NULL, false},
    {"--dry-run", OPT_DRY_RUN, false, NULL, NULL, false},
    {"-Xdiag", OPT_DIAGNOSE, false, NULL, NULL, false},
    {"-verbosegc", OPT_VM, false, "-verbose:gc", NULL, false},
    {"-t", OPT_VM, false, "-Xt", NULL, false},
    {"-tm", OPT_VM, false, "-Xtm", NULL, false},
    {"-debug", OPT_VM, false, "-Xdebug", NULL, false},
    {"-noclassgc", OPT_VM, false, "-Xnoclassgc", NULL, false},
    {"-verify", OPT_VM, false, "-Xverify:all", NULL, false},
    {"-verifyremote", OPT_VM, false, "-Xverify:remote", NULL, false},
    {"-noverify", OPT_VM, false, "-Xverify:none", NULL, false},
    {"-Xfuture", OPT_DEPRECATED, false, "-Xverify:all", NULL, false},
    {"-checksource", OPT_UNSUPPORTED, false, NULL, NULL, false},
    {"-cs", OPT_UNSUPPORTED, false, NULL, NULL, false},
    {"-noasyncgc", OPT_UNSUPPORTED, false, NULL, NULL, false},
    {"-jre-restrict-search", OPT_OTHER_JRE, false, NULL, NULL, false},
    {"-jre-no-restrict-search", OPT_OTHER_JRE, false, NULL, NULL, false},
};

static char *concat(const char *a, const char *b, const char *c) {
    size_t n = strlen(a) + strlen(b) + strlen(c) + 1;
    char *s = malloc(n);
    if (!s) abort();
    snprintf(s, n, "%s%s%s", a, b, c);
    return s;
}

// The row that `word` spells; sets *value if it is written --name=value.
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

static bool starts_with(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

bool args_takes_value(const char *word) {
    const char *value;
    const LauncherOption *o = find_option(word, &value);
    return o && !value && (o->value || o->id == OPT_JAR);
}

// Applies the option of this row. Options that set `action` or `print_version` end the command line.
static void apply(LaunchPlan *plan, const LauncherOption *o, char *word, char *value) {
    switch (o->id) {
        case OPT_CLASS_PATH:
            set_class_path(plan, value);
            if (plan->mode != LAUNCH_SOURCE) plan->mode = LAUNCH_CLASS;
            break;
        case OPT_JAR: plan->mode = LAUNCH_JAR; break;
        case OPT_MODULE: {
            // The property excludes the class, if one is named.
            char *module = strndup(value, strcspn(value, "/"));
            plan->mode = LAUNCH_MODULE;
            plan->what = value;
            list_add(&plan->vm_options, concat("-Djdk.module.main=", module, ""));
            free(module);
            break;
        }
        case OPT_SOURCE:
            plan->mode = LAUNCH_SOURCE;
            list_add(&plan->vm_options, concat("-Djdk.internal.javac.source=", value, ""));
            break;
        case OPT_VERSION_OUT: plan->to_stdout = true;  // fall through
        case OPT_VERSION: plan->print_version = true; break;
        case OPT_SHOW_VERSION_OUT: plan->to_stdout = true;  // fall through
        case OPT_SHOW_VERSION: plan->show_version = true; break;
        case OPT_FULL_VERSION:
        case OPT_FULL_VERSION_OUT:
            plan->to_stdout = o->id == OPT_FULL_VERSION_OUT;
            plan->action = ACTION_FULL_VERSION;
            break;
        case OPT_HELP_OUT: plan->to_stdout = true;  // fall through
        case OPT_HELP: plan->action = ACTION_HELP; break;
        case OPT_HELP_EXTRA_OUT: plan->to_stdout = true;  // fall through
        case OPT_HELP_EXTRA: plan->action = ACTION_HELP_EXTRA; break;
        case OPT_LIST_MODULES: plan->list_modules = true; break;
        case OPT_RESOLVED_MODULES: plan->show_resolved_modules = true; break;
        case OPT_DESCRIBE_MODULE: plan->describe_module = value; break;
        case OPT_VALIDATE_MODULES:
            // The library validates the modules while it starts.
            plan->validate_modules = true;
            list_add(&plan->vm_options, (char *)"-Djdk.module.validation=true");
            break;
        case OPT_DRY_RUN: plan->dry_run = true; break;
        case OPT_DIAGNOSE: list_add(&plan->vm_options, (char *)"-Dsun.java.launcher.diag=true"); break;
        case OPT_DEPRECATED:
            fprintf(stderr, "Warning: %s option is deprecated and may be removed in a future release.\n",
                    word);  // fall through
        case OPT_VM: list_add(&plan->vm_options, value ? concat(o->vm_name, "=", value) : (char *)o->vm_name); break;
        case OPT_UNSUPPORTED: fprintf(stderr, "Warning: %s option is no longer supported.\n", word); break;
        case OPT_OTHER_JRE:
            fputs("Error: Specifying an alternate JDK/JRE is no longer supported.\n"
                  "  The related flags -jre-restrict-search | -jre-no-restrict-search are also no longer valid.\n",
                  stderr);
            list_add(&plan->vm_options, word);
            break;
    }
}

// Takes a word without a row: some belong to the launcher, all others to the VM.
static void apply_other(LaunchPlan *plan, char *word) {
    static const char *const old_sizes[] = {"-ss", "-oss", "-ms", "-mx"};
    if (starts_with(word, "-splash:")) return;  // splash screens are not supported
    if (strcmp(word, "-XshowSettings") == 0 || starts_with(word, "-XshowSettings:")) {
        plan->show_settings = word;
        return;
    }
    if (starts_with(word, "-Djava.class.path=")) plan->class_path_set = true;
    if (starts_with(word, "-version:"))
        fputs("Error: Specifying an alternate JDK/JRE version is no longer supported.\n"
              "  The use of the flag '-version:' is no longer valid.\n"
              "  Please download and execute the appropriate version.\n",
              stderr);
    for (size_t i = 0; i < sizeof old_sizes / sizeof *old_sizes; i++)
        if (starts_with(word, old_sizes[i])) word = concat("-X", word + 1, "");
    list_add(&plan->vm_options, word);
}

// Takes the option, and its value, that begins at word *i.
static bool take_option(LaunchPlan *plan, const StringList *words, size_t *i) {
    char *word = words->items[(*i)++];
    const char *inline_value;
    const LauncherOption *o = find_option(word, &inline_value);
    if (!o) {
        apply_other(plan, word);
        return true;
    }
    char *value = (char *)inline_value;
    bool next = *i < words->count && words->items[*i][0] != '-';
    if (o->value && !value && next) value = words->items[(*i)++];
    if (o->value && (!value || (!*value && value == inline_value && !o->may_be_empty))) {
        // java's launcher uses the other message only for the spelling without a value.
        bool path = value && strcmp(o->wants, MODULE_PATH) == 0;
        fprintf(stderr, "Error: %s requires %s\n", word, path ? MODULES : o->wants);
        return false;
    }
    if (plan->mode == LAUNCH_SOURCE && (o->id == OPT_JAR || o->id == OPT_MODULE)) {
        fprintf(stderr, "Error: Option %s is not allowed with --source\n", word);
        return false;
    }
    if (o->id == OPT_JAR && *i >= words->count) {
        fprintf(stderr, "Error: %s requires jar file specification\n", word);
        usage_print(false);
        return false;
    }
    apply(plan, o, word, value);
    return true;
}

static bool is_source_file(const char *name) {
    size_t n = strlen(name);
    struct stat st;
    return n > 5 && strcmp(name + n - 5, ".java") == 0 && stat(name, &st) == 0;
}

// Takes the main class and its arguments: words[i] is the first word that is not an option.
static void take_main(LaunchPlan *plan, const StringList *words, size_t i) {
    if (plan->action != ACTION_RUN || plan->print_version) return;
    if (!plan->what && i < words->count) {
        plan->what = words->items[i];
        if (plan->mode == LAUNCH_UNKNOWN || (plan->mode == LAUNCH_CLASS && is_source_file(plan->what)))
            plan->mode = is_source_file(plan->what) ? LAUNCH_SOURCE : LAUNCH_CLASS;
        if (plan->mode != LAUNCH_SOURCE) i++;  // the source launcher takes the file's name as its first argument
    }
    if (plan->mode == LAUNCH_SOURCE) {
        list_add(&plan->vm_options, (char *)"--add-modules=ALL-DEFAULT");
        list_add(&plan->vm_options, (char *)"-Djdk.module.main=jdk.compiler");
        plan->what = (char *)SOURCE_LAUNCHER;
    }
    for (; i < words->count; i++) list_add(&plan->arguments, words->items[i]);
}

// sun.java.command: the program and its arguments, for jps and for the program itself.
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

// Does the file end like a zip file, with an end-of-central-directory record and its comment?
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

bool args_parse(LaunchPlan *plan, int argc, char **argv) {
    WordReader reader = {0};
    const StringList *words = &reader.words;
    if (!words_read(&reader, argc, argv)) return false;
    // The variable is applied first, so that any option replaces it.
    const char *class_path = getenv("CLASSPATH");
    if (class_path) set_class_path(plan, class_path);
    size_t next = 0;
    while (next < words->count && words->items[next][0] == '-' && plan->mode != LAUNCH_MODULE &&
           plan->action == ACTION_RUN && !plan->print_version)
        if (!take_option(plan, words, &next)) return false;
    bool unknown = plan->mode == LAUNCH_UNKNOWN;
    take_main(plan, words, next);
    if (plan->mode == LAUNCH_JAR && plan->what) {
        if (!check_jar(plan->what)) return false;
        set_class_path(plan, plan->what);
    } else if (unknown && plan->what && !plan->class_path_set) {
        set_class_path(plan, ".");
    }
    add_command_property(plan);
    return true;
}
