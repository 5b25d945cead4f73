// Time stamps for the profiler: nanoseconds since a moment near the profile's start, from the processor's own counter where
// it runs evenly on all processors, and from CLOCK_MONOTONIC otherwise. Implemented in vm/threads/stamp.c.
#ifndef CABERNET_VM_API_STAMP_H
#define CABERNET_VM_API_STAMP_H

#include <stdbool.h>
#include <stdint.h>

// Now. Any thread, any state; neither locks nor blocks. Two processors may differ by some tens of nanoseconds, so that the
// later of two stamps of different threads may be the smaller one.
uint64_t stamp_now(void);

// One in how many of things that are too frequent to time each is timed next, when one in `period` has been and the last
// one was `elapsed` ns ago: more where more than 100 microseconds lie between two, fewer where less; 1 to 1024. Timing one costs 2 to 3 microseconds.
static inline uint32_t stamp_period(uint32_t period, uint64_t elapsed) {
    enum { BETWEEN = 100000, MOST = 1024 };
    if (elapsed < BETWEEN) return period >= MOST ? MOST : period ? 4 * period : 1;
    for (; elapsed >= BETWEEN && period > 1; elapsed /= 2) period /= 2;
    return period ? period : 1;
}

// That of the next one behind a wait, which is timed itself: what comes then may be slower.
static inline uint32_t stamp_period_after_wait(uint32_t period) { return period < 16 ? period : 16; }

// Measures the counter against CLOCK_MONOTONIC, for two milliseconds the first time; before any stamp. One thread.
void stamp_start(void);

typedef struct StampFacts {
    bool counter;          // the processor's; else the system's clock
    double ticks_per_ns;   // of the counter
    double drift;          // how much longer a stamp's second is than the clock's, as a share; over the whole run
    double cost_ns;        // of one stamp_now, measured
} StampFacts;
void stamp_facts(StampFacts *out);

#endif
