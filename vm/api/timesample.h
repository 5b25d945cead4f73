// Samples of time: what a thread executes at a timer's tick, with its whole stack. The VM takes them (vm/timing/), the
// analyses `cpu` and `wall` add them up.
#ifndef CABERNET_VM_API_TIMESAMPLE_H
#define CABERNET_VM_API_TIMESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

// The clock that ticks: a thread's processor time, or the time of day. TIME_COUNTED is no clock: samples of counters
// (vm/api/counters.h) take the same way.
typedef enum TimeClock { TIME_CPU, TIME_WALL, TIME_CLOCKS, TIME_COUNTED = TIME_CLOCKS, TIME_SOURCES } TimeClock;

typedef enum TimeMode {
#define TIME_MODE(id, text) TIME_##id,
#include "vm/api/timemodes.def"
    TIME_MODES
} TimeMode;

typedef struct TimeFrame {
    uint32_t method;  // Method.id, or a pseudo-caller
    int32_t bci;      // bytecode index being executed; EVENT_NO_BCI: unknown, or the method has no bytecode
} TimeFrame;

enum { TIME_FRAMES = 1024 };

typedef struct TimeSample {
    uint8_t mode;     // TimeMode
    uint8_t counter;  // CounterId, of TIME_COUNTED
    bool truncated;   // the outermost frames did not fit
    bool unwalked;    // the stack could not be read
    uint32_t ticks;   // of the clock, or periods of the counter, that it stands for; at least 1
    uint32_t count;
    TimeFrame frames[TIME_FRAMES];  // innermost first, hidden methods excluded
} TimeSample;

#endif
