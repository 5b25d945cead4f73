// Time stamps for the profiler: nanoseconds since a moment near the profile's start, from the processor's own counter where
// it runs evenly on all processors, and from CLOCK_MONOTONIC otherwise. Implemented in vm/threads/stamp.c.
#ifndef CABERNET_VM_API_STAMP_H
#define CABERNET_VM_API_STAMP_H

#include <stdbool.h>
#include <stdint.h>

// Now. Any thread, any state; neither locks nor blocks. Two processors may differ by some tens of nanoseconds, so that the
// later of two stamps of different threads may be the smaller one.
uint64_t stamp_now(void);

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
