// Forced events in compiled code for -Xjit:deopt-stress, poll-stress and poll-stress-sites, through code_stress
// (vm/code/hooks.h). No locks: chances and places are counted with atomics.
#ifndef CABERNET_VM_CODE_STRESS_H
#define CABERNET_VM_CODE_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/threads/thread.h"

typedef struct StressConfig {
    uint32_t deopt_stress;       // 0 off; N: every N-th chance
    uint32_t poll_stress;        // 0 off; N: every N-th poll collects
    uint32_t poll_stress_sites;  // N: each place that polls collects the first N times
} StressConfig;

// Once, before compiled code runs.
void stress_configure(const StressConfig *wanted);

#endif
