// Diagnostic commands (jcmd): one table, vm/management/diagnostics.def, serves the attach interface and the
// DiagnosticCommand MBean. All functions: running state, any thread; may collect, stop the world and run Java; they
// leave no exception pending.
#ifndef CABERNET_VM_MANAGEMENT_DIAGNOSTICS_H
#define CABERNET_VM_MANAGEMENT_DIAGNOSTICS_H

#include <stdio.h>

#include "vm/threads/thread.h"

typedef struct DiagnosticOption {
    const char *name, *help;
    enum DiagnosticKind { DIAGNOSTIC_BOOLEAN, DIAGNOSTIC_INT, DIAGNOSTIC_STRING } kind;
} DiagnosticOption;

enum { DIAGNOSTIC_OPTIONS = 8 };
// A kind's name in help and MBeans, and the value of an option without one: false, 1, none.
extern const char *const diagnostic_kinds[DIAGNOSTIC_STRING + 1][2];

typedef struct Diagnostic {
    const char *name, *impact, *permission, *help;
    const char *argument, *argument_help;  // a string argument, or NULL
    bool mandatory;                        // it must be given
    const char *second, *second_help;      // a second one, after which both form NAME=VALUE, or NULL
    bool many;                             // any number of "name=value": properties below com.sun.management
    DiagnosticOption options[DIAGNOSTIC_OPTIONS];
} Diagnostic;

size_t diagnostics_count(void);
const Diagnostic *diagnostics_get(size_t i);  // in alphabetical order
const Diagnostic *diagnostics_find(const char *name, size_t length);

typedef enum DiagnosticOutcome {
    DIAGNOSTIC_DONE,
    DIAGNOSTIC_REFUSED,    // the command failed: `out` has the reason
    DIAGNOSTIC_MALFORMED,  // *error is the message of an IllegalArgumentException, malloc'd (NULL: out of memory)
} DiagnosticOutcome;

// Runs a command line, "Thread.print -l". The text goes to `out`. Running state; a command may do anything that Java
// code may do.
DiagnosticOutcome diagnostics_execute(Thread *self, const char *line, FILE *out, char **error);

// Processor time of all compilations.
uint64_t diagnostics_compile_ns(void);

// Shared by attach commands and diagnostic commands.
void diagnostics_thread_dump(Thread *self, bool with_locks, bool extended, FILE *out);
void diagnostics_class_histogram(Thread *self, FILE *out);
// The text that `method` of jdk.internal.vm.VMSupport returns. False: it threw; the message is in `out`.
bool diagnostics_properties(Thread *self, const char *method, FILE *out);

#endif
