// The launcher's command line, as people type it after `java`: what it says is collected into one
// LaunchPlan. Runs on one thread before the VM exists; strings live until the process ends.
#ifndef CABERNET_VM_LAUNCHER_ARGS_H
#define CABERNET_VM_LAUNCHER_ARGS_H

#include <stdbool.h>
#include <stddef.h>

// A growing list of strings it does not own.
typedef struct StringList {
    char **items;
    size_t count, capacity;
} StringList;

void list_add(StringList *list, char *item);

// The values are those that sun.launcher.LauncherHelper.checkAndLoadMain expects.
typedef enum LaunchMode {
    LAUNCH_UNKNOWN, LAUNCH_CLASS, LAUNCH_JAR, LAUNCH_MODULE, LAUNCH_SOURCE,
} LaunchMode;

// What to do instead of, or before, running a main class.
typedef enum LaunchAction {
    ACTION_RUN, ACTION_HELP, ACTION_HELP_EXTRA, ACTION_VERSION, ACTION_LIST_MODULES,
    ACTION_DESCRIBE_MODULE, ACTION_VALIDATE_MODULES, ACTION_USAGE_ERROR,
} LaunchAction;

typedef struct LaunchPlan {
    LaunchMode mode;
    LaunchAction action;
    bool to_stdout;        // --version, --help and kin print on stdout, their old forms on stderr
    bool show_version;
    bool dry_run;
    bool class_path_set;
    char *what;            // class, jar, module[/class] or source launcher entry
    char *module;          // of --describe-module
    char *show_settings;   // -XshowSettings[:...], or NULL
    StringList vm_options; // for JNI_CreateJavaVM
    StringList arguments;  // of main
} LaunchPlan;

// Fills *plan from argv (argv[0] is skipped). Prints what is wrong on stderr and returns false for a
// malformed command line.
bool args_parse(LaunchPlan *plan, int argc, char **argv);

// Replaces each @file of the list by the words of that file and drops the @ of @@name
// (launcher argument files); false with a message when one cannot be read.
bool argfile_expand(const StringList *in, StringList *out);

// Appends the words of `text` as an argument file has them; false with a message for an open quote.
bool argfile_words(const char *text, const char *origin, StringList *out);

// Expands "dir/*" elements of a class path into the jars of the directory; malloc'd.
char *classpath_expand(const char *path);

void usage_print(bool to_stdout);
void usage_print_extra(bool to_stdout);

#endif
