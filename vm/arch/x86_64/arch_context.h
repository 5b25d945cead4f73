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
// The registers in which a C function may keep a value, besides the stack pointer.
enum { ARCH_CONTEXT_VALUES = 15 };
static inline uintptr_t arch_context_value(const ucontext_t *c, unsigned i) {
    static const uint8_t numbers[ARCH_CONTEXT_VALUES] = {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14,
                                                         REG_R15, REG_RAX, REG_RCX, REG_RDX, REG_RSI,
                                                         REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11};
    return (uintptr_t)c->uc_mcontext.gregs[numbers[i]];
}
// The register in which template code keeps its frame (REG_FRAME in vm/template/operandstack.h), and the one in which it
// passes the method that it calls (REG_METHOD).
static inline uintptr_t arch_context_frame(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RBX]; }
static inline uintptr_t arch_context_method(const ucontext_t *c) { return (uintptr_t)c->uc_mcontext.gregs[REG_RSI]; }

// Where a function with frame records that was interrupted has its return address, as long as, or since, the frame
// pointer is its caller's: at the first two instructions (push rbp; mov rbp, rsp) and at the return. 0: the frame record
// is complete.
static inline uintptr_t arch_context_return_slot(const ucontext_t *c) {
    const uint8_t *pc = (const uint8_t *)arch_context_pc(c);
    if (pc[0] == 0x55 || pc[0] == 0xc3) return arch_context_sp(c);
    if (pc[0] == 0x48 && pc[1] == 0x89 && pc[2] == 0xe5) return arch_context_sp(c) + sizeof(uintptr_t);
    return 0;
}

#endif
