// Call data of an advice file (-Xadvice:FILE, docs/FORMATS.md): profile data of an earlier run, which plans may use
// while this run has no profile snapshot. Read before the first class is defined and constant from then on: any thread,
// no lock. Methods and classes are stable names (vm/api/compiler.h).
#ifndef CABERNET_VM_API_ADVICE_H
#define CABERNET_VM_API_ADVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#pragma GCC visibility push(default)

#define ADVICE_NAME "cabernet-advice"
#define ADVICE_VERSION "1"
#define ADVICE_HEADER ADVICE_NAME " " ADVICE_VERSION

typedef struct AdvisedCount {
    uint32_t bci;
    uint64_t count;
    const char *name;  // name of the callee, or of the receivers' class
} AdvisedCount;

typedef struct AdvisedCounts {
    AdvisedCount *rows;  // by bci, in the file's order
    uint32_t count, room;
} AdvisedCounts;

typedef struct AdvisedMethod {
    const char *name;
    uint64_t entries;  // calls of the method, recursive ones included
    AdvisedCounts calls, receivers;
    _Atomic bool named;  // the method is stale, and that has been reported
} AdvisedMethod;

// Whether there is a file with calls, and the total number of calls in its profile, including those without a line.
bool advice_has_calls(void);
uint64_t advice_all_calls(void);
// The method of that name; NULL: it is not in the file.
const AdvisedMethod *advice_of_method(const char *name);
// Reports on stderr, once for each method, that the file's lines describe another version of the method: `what` is
// wrong at `bci`. malloc; any thread.
void advice_name_stale(const char *name, uint32_t bci, const char *what);

// Whether another VM has made the current file, which has been reported on stderr. For another compiler see
// jit/replay/replay_file.c.
bool advice_is_foreign(void);
// Prints the line `vm` of a recording by this VM; `compiler`: build id of the compiler (base/buildid.h). malloc.
void advice_print_vm(FILE *out, const char *compiler);
// Prints the lines `layout` of the current advice file, for a recording.
void advice_print_layouts(FILE *out);

#pragma GCC visibility pop

#endif
