// How events are sampled: what -Xprofile asks for, in the VM's terms. The profiler fills it in
// (profiler/control/request.c), the VM counts by it, the compiler duplicates code by it.
//
// A *check* happens at each entry of a method with loops or calls, and at each backedge. A check that starts a sample turns
// recording on for its activation, until the activation's next backedge or its return.
#ifndef CABERNET_VM_API_SAMPLING_H
#define CABERNET_VM_API_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

// What starts a sample.
typedef enum SamplingMode {
    SAMPLING_OFF,      // no checks: every event is recorded
    SAMPLING_COUNTER,  // every interval-th check
    SAMPLING_JITTER,   // a check after interval +- jitter others
    SAMPLING_TIMER,    // the first check after interval_us have passed, or one of the `skip` checks behind it
} SamplingMode;

// How compiled code is duplicated (Arnold and Ryder, PLDI 2001), with the same values as in the option dup=.
typedef enum SamplingDup {
    DUP_FULL,          // every node has a duplicated version
    DUP_PARTIAL,       // without top-nodes and bottom-nodes (their section 3.1)
    DUP_NO,            // nothing is duplicated; each event has a check of its own
    DUP_AUTO,          // the compiler chooses for each method
} SamplingDup;

// Where checks stand, with the same values as in the option checks=.
typedef enum SamplingChecks {
    CHECKS_ALL,        // at method entries and in front of loop headers
    CHECKS_BACKEDGES,  // on the edges that go back, alone
} SamplingChecks;

// Where samples are executed, with the same values as in the option copies=.
typedef enum SamplingCopies {
    COPIES_EXITS,      // in the interpreter: optimised code is left when a sample begins
    COPIES_INLINE,     // in a copy within the optimised code
} SamplingCopies;

// Numbers of checks; every field has a value that makes sense, whatever the mode.
typedef struct SamplingRequest {
    SamplingMode mode;
    uint32_t interval;     // at least 1
    uint32_t jitter;       // less than interval; 0 unless SAMPLING_JITTER
    uint32_t rate;         // samples in a second of a thread's processor time, from which its interval follows; 0: `interval` holds
    uint32_t phase;        // the first sample of a thread is this check, at most interval; 0: each thread begins at random
    uint32_t interval_us;  // SAMPLING_TIMER
    uint32_t skip;         // SAMPLING_TIMER: at most so many checks, a random number, pass between the timer and the sample
    uint32_t burst;        // checks in a row that record; at least 1
    uint64_t seed;         // of the random part
    uint8_t dup;           // DUP_
    uint8_t checks;        // CHECKS_
    uint8_t copies;        // COPIES_
} SamplingRequest;

// Whether compiled code is left when a sample begins: with copies=exits, unless each event has a check of its own.
static inline bool sampling_leaves_code(const SamplingRequest *s) {
    return s->mode != SAMPLING_OFF && s->copies == COPIES_EXITS && s->dup != DUP_NO;
}

// Whether each sample is one of an activation, from a check to the activation's next backedge or its return: with copies=exits and
// a version of the code for each of the two (dup=full).
static inline bool sampling_has_activations(const SamplingRequest *s) { return sampling_leaves_code(s) && s->dup == DUP_FULL; }

// What each thread keeps for its checks (vm/instrument/sampling.h).
enum {
    SAMPLE_STRIDE = 1000,           // most checks between two looks at stop requests, but in counted loops
    SAMPLE_MOST_GRANTED = 1 << 20,  // those look at stop requests, but not at changes of the configuration
};

typedef struct SampleState {
    int32_t budget;       // [self] checks that still pass; first, because compiled code counts it
    bool checking;        // [self][stopped] the interpreter counts checks in this thread
    bool instrumented;    // [self][stopped] the interpreter records events in this thread
    _Atomic bool due;     // the timer asks for a sample
    uint8_t patience;     // [self] how often an inner loop that is hot stays out of optimised code, which a sample has left
    _Atomic bool skipping;      // the timer has asked; `remaining` checks pass before the sample
    _Atomic uint32_t withdrawn; // checks of the present budget that the timer has taken back
    uint32_t epoch;       // of the configuration that the rest was made from
    uint32_t burst_left;  // checks after this one that are samples too
    uint32_t granted;     // checks that the present budget stood for; loops add to it
    uint32_t interval;    // with a rate: the present one
    uint32_t window;      // with a rate: samples until the interval is looked at again
    int64_t window_began; // the thread's processor time then, in ns; 0: not known
    int64_t remaining;    // checks from the end of the budget to the next sample; none while the timer decides
    uint64_t random;      // state of the jitter's generator
    SamplingRequest config;
    bool paused;
    uint64_t bursts;      // begun so far
    uint64_t samples, checks;  // made so far; checks: those of the present budget not counted
} SampleState;

#endif
