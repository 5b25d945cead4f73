// Calls of C functions whose types are known only at run time.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_CALL_H
#define CABERNET_VM_ARCH_X86_64_ARCH_CALL_H

#include "arch_entry.h"

// Calls fn with the arguments in the registers of *r, and none on the stack, and returns the value of rax, or of xmm0,
// whose lower half is a float. Integers have 64 bits in *r; the function reads as many bits as its argument has,
// extended to 32. *r is no longer needed when fn begins. Any thread and state; fn may do anything.
uint64_t arch_call(void (*fn)(void), const ArchRegisters *r);
double arch_call_float(void (*fn)(void), const ArchRegisters *r);

#endif
