// Time stamps for the profiler: nanoseconds since a moment near the profile's start. They come from the processor's
// counter where it runs evenly on all processors, and from CLOCK_MONOTONIC otherwise. Implemented in
// vm/threads/stamp.c.
#ifndef CABERNET_VM_API_STAMP_H
#define CABERNET_VM_API_STAMP_H

#include <stdbool.h>
#include <stdint.h>

// The present time. Any thread, any state; neither locks nor blocks. Two processors may differ by some tens of
// nanoseconds, so the later of two stamps of different threads may be smaller.
uint64_t stamp_now(void);

// The next sampling period for operations too frequent to time each, given that one in `period` was timed and the last
// one was `elapsed` ns ago. The share of timed operations rises if more than 100 microseconds lie between two, and
// falls if less; the period is 1 to 1024. Timing one costs 2 to 3 microseconds.
static inline uint32_t stamp_period(uint32_t period, uint64_t elapsed) {
    enum { BETWEEN = 100000, MOST = 1024 };
    if (elapsed < BETWEEN) return period >= MOST ? MOST : period ? 4 * period : 1;
    for (; elapsed >= BETWEEN && period > 1; elapsed /= 2) period /= 2;
    return period ? period : 1;
}

// The period after a wait; the next operation is timed, and later ones may be slower than before.
static inline uint32_t stamp_period_after_wait(uint32_t period) { return period < 16 ? period : 16; }

// Measures the counter against CLOCK_MONOTONIC, for two milliseconds the first time; before any stamp. One thread.
void stamp_start(void);

typedef struct StampFacts {
    bool counter;         // stamps come from the processor's counter; else from the system's clock
    double ticks_per_ns;  // of the counter
    double drift;         // relative excess of a stamp's second over the clock's, over the whole run
    double cost_ns;       // measured cost of one stamp_now
} StampFacts;
void stamp_facts(StampFacts *out);

#endif
