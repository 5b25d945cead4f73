// How events are sampled: what -Xprofile asks for, in the VM's terms. The profiler fills it in
// (profiler/control/request.c), the VM counts by it, the compiler duplicates code by it.
//
// A *check* happens at each method entry and each execution of a loop header; a check that starts a
// sample turns recording on until the next check.
#ifndef CABERNET_VM_API_SAMPLING_H
#define CABERNET_VM_API_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

// What starts a sample.
typedef enum SamplingMode {
    SAMPLING_OFF,      // no checks: every event is recorded
    SAMPLING_COUNTER,  // every interval-th check
    SAMPLING_JITTER,   // a check after interval +- jitter others
    SAMPLING_TIMER,    // the first check after interval_us have passed
} SamplingMode;

// Where compiled code keeps its events, with the same values as in the option dup=.
enum { DUP_FULL, DUP_PARTIAL, DUP_NO, DUP_AUTO };
// Where checks stand: method entries and loops, or loops alone.
enum { CHECKS_ALL, CHECKS_BACKEDGES };

// Numbers of checks; every field has a value that makes sense, whatever the mode.
typedef struct SamplingRequest {
    SamplingMode mode;
    uint32_t interval;     // at least 1
    uint32_t jitter;       // less than interval; 0 unless SAMPLING_JITTER
    uint32_t interval_us;  // SAMPLING_TIMER
    uint32_t burst;        // checks in a row that record; at least 1
    uint64_t seed;         // of the random part
    uint8_t dup;           // DUP_
    uint8_t checks;        // CHECKS_
    bool memory_counter;   // count in memory at each check instead of in a register
} SamplingRequest;

#endif
