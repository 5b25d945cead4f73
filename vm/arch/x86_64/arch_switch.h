// Switching between stacks. Independent of threads, takes no lock, and may be called on any pthread.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_SWITCH_H
#define CABERNET_VM_ARCH_X86_64_ARCH_SWITCH_H

#include <stdatomic.h>
#include <stdint.h>

// Saves the callee-saved registers on the current stack and the stack pointer in *save, switches to the stack `to`, and
// only then stores 0 in *left, with release order. From then on another pthread that has read the 0 with acquire order
// may resume the saved context. Returns when some pthread switches back, possibly another one. The control words of the
// floating-point units are not saved, because the ABI makes them the same for all.
void arch_switch(void **save, void *to, _Atomic uint32_t *left);

// Prepares a stack (top is its highest address, 16-byte aligned) on which the first switch calls entry(arg), which must
// not return. The result is the stack pointer to switch to.
void *arch_switch_prepare(void *top, void (*entry)(void *arg), void *arg);

// Calls fn(arg) on the stack that ends at `top` (16-byte aligned) and returns.
void arch_switch_call(void (*fn)(void *arg), void *arg, void *top);

#endif
