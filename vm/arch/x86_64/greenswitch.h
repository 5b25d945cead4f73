// Switching stacks. Knows nothing of threads.
#ifndef CABERNET_VM_GREENSWITCH_H
#define CABERNET_VM_GREENSWITCH_H

#include <stdatomic.h>
#include <stdint.h>

// Saves the callee-saved registers on the current stack and its pointer in *save, goes over to the
// stack `to` and only then stores 0 in *left: from that moment on another pthread may go on with
// what was saved. Returns when somebody switches back, possibly on another pthread. The control
// words of the floating-point units are not saved: the ABI makes them the same for everybody.
void greenswitch(void **save, void *to, _Atomic uint32_t *left);

// A stack (top is its highest address, 16-byte aligned) on which the first switch calls entry(arg),
// which must not return.
void *greenswitch_prepare(void *top, void (*entry)(void *arg), void *arg);

// ThreadSanitizer wants to be told of stacks. In other builds these do nothing.
#ifdef __SANITIZE_THREAD__
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define GREENSWITCH_TSAN(statement) statement
#else
#define GREENSWITCH_TSAN(statement) (void)0
#endif

// Calls fn(arg) on the stack that ends at `top` (16-byte aligned) and comes back.
void greenswitch_call(void (*fn)(void *arg), void *arg, void *top);

#endif
