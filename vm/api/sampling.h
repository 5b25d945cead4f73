// How events are sampled: the request of -Xprofile in the VM's terms. The profiler fills it in
// (profiler/control/request.c), the VM counts accordingly, and the compiler duplicates code accordingly.
//
// A *check* happens at each entry of a method with loops or calls, and at each backedge. A check that starts a sample
// turns recording on for its activation, until the activation's next backedge or its return.
#ifndef CABERNET_VM_API_SAMPLING_H
#define CABERNET_VM_API_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

// The trigger of a sample.
typedef enum SamplingMode {
    SAMPLING_OFF,      // no checks: every event is recorded
    SAMPLING_COUNTER,  // every interval-th check
    SAMPLING_JITTER,   // a check after interval +- jitter others
    SAMPLING_TIMER,    // the first check after interval_us, or one of the `skip` checks after it
} SamplingMode;

// How compiled code is duplicated (Arnold and Ryder, PLDI 2001), with the same values as in the option dup=.
typedef enum SamplingDup {
    DUP_FULL,     // every node has a duplicated version
    DUP_PARTIAL,  // without top-nodes and bottom-nodes (their section 3.1)
    DUP_NO,       // nothing is duplicated; each event has a separate check
    DUP_AUTO,     // the compiler chooses for each method
} SamplingDup;

// Where checks are placed, with the same values as in the option checks=.
typedef enum SamplingChecks {
    CHECKS_ALL,        // at method entries and before loop headers
    CHECKS_BACKEDGES,  // only on backedges
} SamplingChecks;

// Where samples are executed, with the same values as in the option copies=.
typedef enum SamplingCopies {
    COPIES_EXITS,   // in the interpreter: optimised code deoptimises when a sample begins
    COPIES_INLINE,  // in duplicated code within the optimised code
} SamplingCopies;

// Numbers of checks; every field has a sensible value in every mode.
typedef struct SamplingRequest {
    SamplingMode mode;
    uint32_t interval;     // at least 1
    uint32_t jitter;       // less than interval; 0 unless SAMPLING_JITTER
    uint32_t rate;         // samples in a second of a thread's processor time, to set its interval; 0: use `interval`
    uint32_t phase;        // check of a thread's first sample, at most interval; 0: random for each thread
    uint32_t interval_us;  // SAMPLING_TIMER
    uint32_t skip;         // SAMPLING_TIMER: most checks, a random number, between the timer and the sample
    uint32_t burst;        // consecutive checks that record; at least 1
    uint64_t seed;         // of the random generator
    uint8_t dup;           // DUP_
    uint8_t checks;        // CHECKS_
    uint8_t copies;        // COPIES_
} SamplingRequest;

// Whether compiled code deoptimises when a sample begins: with copies=exits, unless each event has a separate check.
static inline bool sampling_leaves_code(const SamplingRequest *s) {
    return s->mode != SAMPLING_OFF && s->copies == COPIES_EXITS && s->dup != DUP_NO;
}

// Whether each sample is one of an activation, from a check to the activation's next backedge or return: with
// copies=exits and both a checking and a duplicated version of the code (dup=full).
static inline bool sampling_has_activations(const SamplingRequest *s) {
    return sampling_leaves_code(s) && s->dup == DUP_FULL;
}

// State of each thread for its checks (vm/instrument/sampling.h).
enum {
    SAMPLE_STRIDE = 1000,           // most checks between two polls for stop requests, except in counted loops
    SAMPLE_MOST_GRANTED = 1 << 20,  // which poll for stop requests, but not for changes of the configuration
};

typedef struct SampleState {
    int32_t budget;              // [self] checks that still pass; first, because compiled code decrements it
    bool checking;               // [self][stopped] the interpreter counts checks in this thread
    bool instrumented;           // [self][stopped] the interpreter records events in this thread
    _Atomic bool due;            // the timer requests a sample
    _Atomic bool skipping;       // the timer has requested a sample; `remaining` checks pass before it
    _Atomic uint32_t withdrawn;  // checks of the present budget that the timer has withdrawn
    uint32_t epoch;              // of the configuration that the other members are based on
    uint32_t burst_left;         // further checks that are samples
    uint32_t granted;            // initial checks of the present budget; loops add to it
    uint32_t interval;           // with a rate: the present interval
    uint32_t window;             // with a rate: samples until the interval is adjusted
    double stretched;      // sum over the window's samples: how many times the interval the next one was put off to
    int64_t window_began;  // the thread's processor time at the start of the window, in ns; 0: unknown
    int64_t remaining;     // checks from the end of the budget to the next sample; unused while the timer decides
    uint64_t random;       // state of the jitter's generator
    SamplingRequest config;
    bool paused;
    uint64_t bursts;           // number begun
    uint64_t samples, checks;  // totals; checks: without those of the present budget
} SampleState;

#endif
