// x86-64 System V: six registers for integers and eight for floats.
#include "arch_call.h"

#define UNUSED __attribute__((unused))
#define NAKED __attribute__((naked, noinline, no_sanitize("thread")))

// Offsets as in arch_entry.h.
#define CALL                                                                                                \
    "pushq %rbp\n\tmovq %rsp, %rbp\n\t"                                                                     \
    "movq %rdi, %r11\n\tmovq %rsi, %r10\n\t"                                                                \
    "movsd 48(%r10), %xmm0\n\tmovsd 56(%r10), %xmm1\n\tmovsd 64(%r10), %xmm2\n\tmovsd 72(%r10), %xmm3\n\t"  \
    "movsd 80(%r10), %xmm4\n\tmovsd 88(%r10), %xmm5\n\tmovsd 96(%r10), %xmm6\n\tmovsd 104(%r10), %xmm7\n\t" \
    "movq (%r10), %rdi\n\tmovq 8(%r10), %rsi\n\tmovq 16(%r10), %rdx\n\tmovq 24(%r10), %rcx\n\t"             \
    "movq 32(%r10), %r8\n\tmovq 40(%r10), %r9\n\t"                                                          \
    "callq *%r11\n\t"                                                                                       \
    "leave\n\tret"

NAKED uint64_t arch_call(UNUSED void (*fn)(void), UNUSED const ArchRegisters *r) { __asm__ volatile(CALL); }
NAKED double arch_call_float(UNUSED void (*fn)(void), UNUSED const ArchRegisters *r) { __asm__ volatile(CALL); }
