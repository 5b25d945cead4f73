// The hint to the processor that the caller spins.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_PAUSE_H
#define CABERNET_VM_ARCH_X86_64_ARCH_PAUSE_H

// Once per iteration of a loop that waits for another processor's store. Orders nothing.
static inline void arch_pause(void) { __builtin_ia32_pause(); }

#endif
