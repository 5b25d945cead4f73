// System calls: making one from a known address, and reading and answering one that the kernel has stopped.
// Async-signal-safe.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_SYSCALL_H
#define CABERNET_VM_ARCH_X86_64_ARCH_SYSCALL_H

#include <elf.h>
#include <linux/audit.h>
#include <stdint.h>
#include <ucontext.h>

#define ARCH_AUDIT AUDIT_ARCH_X86_64

// Relocations of a slot that holds the address of a function of another library.
#define ARCH_IS_FUNCTION_SLOT(type) ((type) == R_X86_64_JUMP_SLOT || (type) == R_X86_64_GLOB_DAT)

// Defines a function long NAME(number, six arguments) whose system call instruction ends at the symbol NAME_end; a
// filter identifies the call by that address.
#define ARCH_SYSCALL_GATE(name)                                                                            \
    __asm__(".text\n\t.hidden " #name "\n\t.globl " #name "\n\t.type " #name ", @function\n" #name ":\n\t" \
            "movq %rdi, %rax\n\tmovq %rsi, %rdi\n\tmovq %rdx, %rsi\n\tmovq %rcx, %rdx\n\t"                 \
            "movq %r8, %r10\n\tmovq %r9, %r8\n\tmovq 8(%rsp), %r9\n\t"                                     \
            "syscall\n\t.hidden " #name "_end\n\t.globl " #name "_end\n" #name "_end:\n\tret\n\t"          \
            ".size " #name ", .-" #name "\n")

// The stopped call: its arguments, and its result when the handler returns.
static inline long arch_syscall_argument(const ucontext_t *c, int which) {
    static const int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
    return (long)c->uc_mcontext.gregs[registers[which]];
}
static inline void arch_syscall_return(ucontext_t *c, long result) { c->uc_mcontext.gregs[REG_RAX] = result; }

#endif
