// Shadow profiling (vm/shadow/shadow.h): what -Xprofile:where=shadow asks for, and what the profiler does in a shadow and
// with what one hands over. After Moseley, Shye, Reddi, Grunwald and Peri, "Shadow Profiling: Hiding Instrumentation
// Costs with Parallelism", CGO 2007.
#ifndef CABERNET_VM_API_SHADOW_H
#define CABERNET_VM_API_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ShadowRequest {
    double load;          // how many shadows there are on average
    uint64_t checks;      // a shadow's length in checks of all its threads (vm/api/sampling.h); 0: no bound
    uint64_t ns;          // the same as a time; 0: no bound
    uint64_t period_ns;   // how often the controller looks whether a shadow is wanted
    uint64_t limit_ns;    // a shadow that takes longer has failed; 0: none
    uint64_t wait_ns;     // how long the end of the program waits for shadows
    uint64_t memory;      // bytes that a shadow may map beyond what the program has; 0: no bound
    bool yields;          // no shadow while the processors are busy
    bool huge_pages;      // the heap is put on huge pages
    bool prepares;        // code is compiled for shadows beforehand
    bool changes;         // a shadow when the program goes over to another phase
    bool converges;       // fewer shadows when the profile does not change any more
} ShadowRequest;

// What the profile's header says of shadows: a row for each.
typedef struct ShadowFact {
    char key[40], text[224];
} ShadowFact;

#endif
