// Parses the launcher's command line, with the syntax of `java`, into a LaunchPlan. Runs on one thread before the VM
// exists; strings live until the process ends.
#ifndef CABERNET_VM_LAUNCHER_ARGS_H
#define CABERNET_VM_LAUNCHER_ARGS_H

#include <stdbool.h>
#include <stddef.h>

// A growing list of borrowed strings.
typedef struct StringList {
    char **items;
    size_t count, capacity;
} StringList;

void list_add(StringList *list, char *item);

// The values are those that sun.launcher.LauncherHelper.checkAndLoadMain expects.
typedef enum LaunchMode {
    LAUNCH_UNKNOWN,
    LAUNCH_CLASS,
    LAUNCH_JAR,
    LAUNCH_MODULE,
    LAUNCH_SOURCE,
} LaunchMode;

// Texts that are printed instead of running a main class. Those that need a running VM have their own fields below.
typedef enum LaunchAction { ACTION_RUN, ACTION_HELP, ACTION_HELP_EXTRA, ACTION_FULL_VERSION } LaunchAction;

typedef struct LaunchPlan {
    LaunchMode mode;
    LaunchAction action;
    bool to_stdout;                    // --version, --help and similar print on stdout, their old forms on stderr
    bool print_version, show_version;  // instead of the program, before it
    bool list_modules, show_resolved_modules, validate_modules;
    bool dry_run;
    bool class_path_set;
    char *what;             // class, jar, module[/class] or source launcher entry; NULL: none named
    char *describe_module;  // of --describe-module, or NULL
    char *show_settings;    // -XshowSettings[:...], or NULL
    StringList vm_options;  // for JNI_CreateJavaVM
    StringList arguments;   // of main
} LaunchPlan;

// Fills *plan from the environment and argv (argv[0] is skipped). False, with a message on stderr, for a malformed
// command line.
bool args_parse(LaunchPlan *plan, int argc, char **argv);

// Does the option take the next word as its value?
bool args_takes_value(const char *word);

// The words of a command line during the expansion of argument files.
typedef struct WordReader {
    StringList words;
    bool no_files;     // --disable-@files was read
    bool wants_value;  // the next word is the value of the option before it
    bool in_program;   // the main class was read: the following words belong to the program
} WordReader;

// Reads JDK_JAVA_OPTIONS and argv (argv[0] is skipped) into an empty reader, with argument files expanded. Strings of
// argv are not copied. False, with a message on stderr, when a file cannot be read or the variable has a forbidden
// word.
bool words_read(WordReader *r, int argc, char **argv);

// Appends the words of `text`, with the syntax of argument files; the strings are malloc'd.
void argfile_words(const char *text, StringList *out);

// Expands "dir/*" elements of a class path into the jars of the directory; malloc'd.
char *classpath_expand(const char *path);

// Prints the help for the option -help.
void usage_print(bool to_stdout);

#endif
