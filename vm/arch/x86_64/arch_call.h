// Calls of C functions whose types are known when the program runs.
#ifndef CABERNET_VM_ARCH_CALL_H
#define CABERNET_VM_ARCH_CALL_H

#include "arch_entry.h"

// Calls fn with the arguments in the registers of *r, and none on the stack, and returns what it leaves in rax, or in xmm0, of which a float takes the lower half. Integers
// have 64 bits in *r; the function may look at as many bits as its argument has, extended to 32. *r is not needed any more when fn
// begins. Any thread and state; fn may do anything.
uint64_t arch_call(void (*fn)(void), const ArchRegisters *r);
double arch_call_float(void (*fn)(void), const ArchRegisters *r);

#endif
