// What an advice file (-Xadvice:FILE, docs/FORMATS.md) says of a method's calls: profile data of an earlier run, which plans may
// read where there is no snapshot of this run's profile. Read before the first class is defined and constant from then on: any
// thread, no lock. Methods and classes are stable names (vm/api/compiler.h).
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
    const char *name;      // of the callee, or of the receivers' class
} AdvisedCount;

typedef struct AdvisedCounts {
    AdvisedCount *rows;    // by bci, in the file's order
    uint32_t count, room;
} AdvisedCounts;

typedef struct AdvisedMethod {
    const char *name;
    uint64_t entries;      // calls of it by others and itself
    AdvisedCounts calls, receivers;
    _Atomic bool named;    // it is stale, and that has been said
} AdvisedMethod;

// Whether there is a file with calls, and how many calls its profile has, those without a line included.
bool advice_has_calls(void);
uint64_t advice_all_calls(void);
// The method of that name; NULL: the file says nothing of it.
const AdvisedMethod *advice_of_method(const char *name);
// Says on stderr, once a method, that the file's lines about it are of another version of it: `what` is wrong at `bci`. malloc; any thread.
void advice_name_stale(const char *name, uint32_t bci, const char *what);

// Whether another VM has made the file that is in force, which has been said on stderr. Another compiler: see jit/plan/replay_file.c.
bool advice_is_foreign(void);
// The line `vm` of a recording that this VM makes; `compiler`: build id of the compiler (base/buildid.h). malloc.
void advice_print_vm(FILE *out, const char *compiler);
// The lines `layout` of the advice file that is in force, for a recording.
void advice_print_layouts(FILE *out);

#pragma GCC visibility pop

#endif
