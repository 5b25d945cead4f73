// The processor's own clock: cheaper than any call of the system.
#ifndef CABERNET_VM_ARCH_TIMESTAMP_H
#define CABERNET_VM_ARCH_TIMESTAMP_H

#include <stdint.h>

// Ticks of unknown but constant length since an unknown moment. Processors may differ by a little, so that
// a thread that migrates can see it go backwards. Not ordered with the memory accesses around it.
static inline uint64_t arch_timestamp(void) { return __builtin_ia32_rdtsc(); }

#endif
