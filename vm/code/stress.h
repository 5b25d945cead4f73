// What -Xjit:deopt-stress, poll-stress and poll-stress-sites force on compiled code. Off, each function
// costs a test. No locks: chances and places are counted with atomics.
#ifndef CABERNET_VM_COMPILED_STRESS_H
#define CABERNET_VM_COMPILED_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/threads/thread.h"

typedef struct StressConfig {
    uint32_t deopt_stress;       // 0 off; N: every N-th chance
    uint32_t poll_stress;        // 0 off; N: every N-th poll collects
    uint32_t poll_stress_sites;  // N: each place that polls collects N times
} StressConfig;

// Once, before compiled code runs.
void stress_configure(const StressConfig *wanted);

// Whether this chance of leaving compiled code is to be taken: each N-th under deopt-stress=N.
bool stress_deopt(void);
// What Thread.deopt_pending holds for good.
uint32_t stress_deopt_pending(void);
// A yieldpoint was reached: collects at each N-th under poll-stress=N, and under poll-stress-sites=N when
// compiled code came from this place less than N times before. [switch]
void stress_poll(Thread *self);

#endif
