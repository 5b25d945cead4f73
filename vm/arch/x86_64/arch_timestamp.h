// The processor's time stamp counter, which is cheaper than any system call.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_TIMESTAMP_H
#define CABERNET_VM_ARCH_X86_64_ARCH_TIMESTAMP_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

// Ticks of unknown but constant length since an unknown moment. Processors may differ slightly, so a thread that
// migrates can see it decrease. Not ordered with the surrounding memory accesses.
static inline uint64_t arch_timestamp(void) { return __builtin_ia32_rdtsc(); }

// Whether it ticks at a constant rate, asleep or not and at every frequency, and equally on all processors (CPUID's
// invariant TSC).
static inline bool arch_timestamp_is_steady(void) {
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

#endif
