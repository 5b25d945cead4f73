// The VM's options: one structure filled from a JavaVMInitArgs according to options.def, constant once the VM runs. No
// locks; nothing here allocates Java objects.
#ifndef CABERNET_VM_BASE_OPTIONS_H
#define CABERNET_VM_BASE_OPTIONS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A system property, as JVM_GetProperties passes it to the library: UTF-8, owned by the options.
typedef struct Property {
    char *key;
    char *value;
} Property;

// -ea, -da, -esa, -dsa in the order given.
typedef struct AssertionRule {
    char *name;    // internal form with slashes; NULL: all non-system classes
    bool package;  // name is a package ("..." form), subpackages included
    bool enable;
} AssertionRule;

typedef struct Options {
    int64_t max_heap, initial_heap;     // bytes; 0: chosen by the heap
    int64_t min_heap, young_heap;       // bytes; accepted, but only used for checks
    int64_t stack_size, stack_size_kb;  // bytes (kilobytes); 0: default
    int64_t max_direct_memory;          // bytes; -1: not given
    int64_t gc_stress;                  // collect at every n-th allocation; 0: never
    int64_t gc_young_stress;            // collect the young objects at every n-th allocation; 0: never
    bool gc_verify;                     // compare each young collection with a full mark
    bool gc_full;                       // no young collections
    int64_t thread_stress;              // microseconds by which transitions are delayed; 0: none
    int64_t max_stack_trace_depth;      // 1024
    int64_t soft_ref_ms_per_mb;         // 1000
    bool interpret_only, compile_all;   // -Xint, -Xcomp: the last one wins
    bool print_compilation;
    int64_t max_ram, max_ram_fraction;                  // bytes; 0: not given
    double max_ram_percentage, initial_ram_percentage;  // of the available memory; 0: not given
    int64_t processors;                                 // 0: all available
    bool deterministic, reduce_signals;
    bool verify_none, verify_all, enable_preview;
    bool helpful_npe, show_hidden_frames, ignore_unrecognized;
    bool disable_attach, disable_explicit_gc, no_stack_traces, no_perf_data;
    bool unlock_diagnostic, unlock_experimental, print_flags, print_command_line;
    bool exit_on_oom, crash_on_oom, heap_dump_on_oom;  // actions of vm/services/outofmemory.h
    const char *on_oom, *heap_dump_path;               // commands, or NULL; file or directory, or NULL
    int64_t heap_dump_level;                           // of gzip's compression; 0: none
    bool management_agent;                             // a -Dcom.sun.management... property was given
    bool none;                                         // target of rows without a field
    const char *threads;                               // text after -Xthreads:, or NULL
    const char *profile;                               // text after -Xprofile:, or NULL
    const char *jit;                                   // texts after -Xjit:, joined by commas, or NULL
    const char *replay_record, *replay_file;           // -Xreplay:record=FILE, -Xreplay:FILE, or NULL
    const char *replay_when;                           // -Xreplay:when=WORD, or NULL
    const char *advice;                                // -Xadvice:FILE, or NULL
    bool adaptive;                                     // -Xadaptive
    const char *adaptive_options;                      // text after -Xadaptive:, or NULL
    const char *layout;                                // text after -Xlayout:, or NULL
    const char *boot_append;                           // -Xbootclasspath/a, or NULL
    bool system_assertions;                            // -esa
    AssertionRule *assertions;
    size_t assertion_count, assertion_capacity;
    Property *properties;
    size_t property_count, property_capacity;
    char **arguments;  // every option of the user as given
    size_t argument_count;
    // Hooks of JNI_CreateJavaVM callers; NULL when not given.
    int (*vfprintf_hook)(FILE *, const char *, va_list);
    int create_result;  // of JNI_CreateJavaVM when it fails (vm/base/createresult.h); 0: JNI's own
    void (*exit_hook)(int);
    void (*abort_hook)(void);
} Options;

// Fills *o from the option strings. False with a message on stderr, with HotSpot's text if it has one ("Unrecognized
// option: -Xfoo"), for anything unknown, malformed or not built yet.
bool options_parse(Options *o, int count, char *const *strings, void *const *extras, bool ignore_unrecognized);

// The last value given for a property, or NULL; and setting or replacing one (copies both strings).
const char *options_property(const Options *o, const char *key);
void options_set_property(Options *o, const char *key, const char *value);

// A NUL-terminated copy, which the caller frees. Ends the process when out of memory.
char *options_copy(const char *text, size_t length);

// Parses "512", "64k", "2g" and the like; false: not a size.
bool options_parse_size(const char *text, int64_t *bytes);

// Prints the rows of options.def that have a help text, for -X.
void options_print_help(FILE *out);

// Does -ea/-da/-esa/-dsa enable assertions for this class? Internal name.
bool options_assertions_enabled(const Options *o, const char *class_name, bool system_class);

#endif
