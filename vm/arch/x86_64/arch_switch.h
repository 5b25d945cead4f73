// Switching between stacks. Knows nothing of threads, takes no lock, and may be called on any pthread.
#ifndef CABERNET_VM_ARCH_SWITCH_H
#define CABERNET_VM_ARCH_SWITCH_H

#include <stdatomic.h>
#include <stdint.h>

// Saves the registers that belong to the caller on the current stack and the stack pointer in *save, goes
// over to the stack `to` and only then stores 0 in *left, with release order: from that moment on another
// pthread, which has read the 0 with acquire order, may go on with what was saved. Returns when somebody
// switches back, possibly on another pthread. The control words of the floating-point units are not saved:
// the binary interface makes them the same for everybody.
void arch_switch(void **save, void *to, _Atomic uint32_t *left);

// Prepares a stack (top is its highest address, 16-byte aligned) on which the first switch calls
// entry(arg), which must not return. The result is the stack pointer to switch to.
void *arch_switch_prepare(void *top, void (*entry)(void *arg), void *arg);

// Calls fn(arg) on the stack that ends at `top` (16-byte aligned) and comes back.
void arch_switch_call(void (*fn)(void *arg), void *arg, void *top);

#endif
