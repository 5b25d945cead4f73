// Shadow profiling (vm/shadow/shadow.h): the request of -Xprofile:where=shadow, and the profiler's functions in a
// shadow and for a shadow's results. After Moseley, Shye, Reddi, Grunwald and Peri, "Shadow Profiling: Hiding
// Instrumentation Costs with Parallelism", CGO 2007.
#ifndef CABERNET_VM_API_SHADOW_H
#define CABERNET_VM_API_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ShadowRequest {
    double load;         // average number of shadows
    uint64_t checks;     // a shadow's length in checks of all its threads (vm/api/sampling.h); 0: no bound
    uint64_t ns;         // the same in processor time; 0: no bound
    uint64_t period_ns;  // how often the controller checks whether to fork a shadow
    uint64_t limit_ns;   // time after which a shadow has failed; 0: none
    uint64_t wait_ns;    // time for which the end of the program waits for shadows
    uint64_t memory;     // bytes that a shadow may map in addition to the program's; 0: no bound
    bool yields;         // no shadow while the processors are busy
    bool huge_pages;     // the heap is put on huge pages
    bool prepares;       // code is compiled for shadows beforehand
    bool changes;        // fork a shadow when the program changes to another phase
    bool converges;      // fewer shadows once the profile no longer changes
} ShadowRequest;

// A row about shadows for the profile's header.
typedef struct ShadowFact {
    char key[40], text[224];
} ShadowFact;

// The profiler's functions with where=shadow.
typedef struct ShadowSink {
    // In a shadow, before its first event: the profile's present contents are the program's. No thread is known.
    void (*begin)(void);
    // In a shadow with stopped threads: returns everything recorded, malloc'd, for `take` in the original process.
    // False: out of memory.
    bool (*give)(uint8_t **data, size_t *size);
    // Adds a shadow's results to the profile. False: out of memory, or damaged, with the profile unchanged. `part`: the
    // fraction of its planned length that the shadow ran; results with less than 1 are no evidence of convergence.
    bool (*take)(const uint8_t *data, size_t size, double part);
    // A shadow has ended without results. May block on the profiler's lock.
    void (*lost)(void);
    // Whether recent results no longer change the profile much.
    bool (*converged)(void);
    // call: a call that a thread of the program is in. phase, after the calls of all threads: whether they are a
    // different phase from the last time; if so, statistics of the shares start again. On the thread that forks
    // shadows.
    void (*call)(uint32_t caller, uint32_t callee);
    bool (*phase)(void);
    // Whether natives= lists a native method as benign.
    bool (*native)(const char *class_name, const char *name, const char *desc);
    // Rows for the profile's header, copied.
    void (*facts)(const ShadowFact *facts, int count);
} ShadowSink;

#endif
