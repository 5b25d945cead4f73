// The registers of a thread that a signal interrupted, as the kernel passes them to the handler. Async-signal-safe.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_CONTEXT_H
#define CABERNET_VM_ARCH_X86_64_ARCH_CONTEXT_H

#include <stdint.h>
#include <ucontext.h>

// The interrupted instruction.
static inline uintptr_t arch_context_pc(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RIP]; }
// The stack pointer.
static inline uintptr_t arch_context_sp(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RSP]; }
// The frame pointer. A frame record is {the caller's frame pointer, the return address}.
static inline uintptr_t arch_context_fp(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RBP]; }

#endif
