// x86-64 System V: rbx, rbp and r12 to r15 are callee-saved. A switch is a call, so it saves nothing else. A saved
// stack, from its pointer up:
//
//     r15 r14 r13 r12 rbx rbp return-address
//
// A plain store has release order on this processor.
#include "arch_switch.h"

#define UNUSED __attribute__((unused))

__attribute__((naked, noinline, no_sanitize("thread"))) void arch_switch(UNUSED void **save, UNUSED void *to,
                                                                         UNUSED _Atomic uint32_t *left) {
    __asm__ volatile("pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\t"
                     "movq %rsp, (%rdi)\n\t"
                     "movq %rsi, %rsp\n\t"
                     "movl $0, (%rdx)\n\t"
                     "popq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\t"
                     "ret");
}

// First code on a new stack: entry in rbx, its argument in r12.
__attribute__((naked, noinline, no_sanitize("thread"))) static void begin(void) {
    __asm__ volatile("movq %r12, %rdi\n\tcallq *%rbx\n\tud2");
}

void *arch_switch_prepare(void *top, void (*entry)(void *arg), void *arg) {
    enum { R15, R14, R13, R12, RBX, RBP, RETURN, END, WORDS = 9 };
    void **sp = (void **)top - WORDS;  // so that the stack is aligned in begin()
    for (int i = 0; i < WORDS; i++) sp[i] = 0;
    sp[R12] = arg;
    *(void (**)(void *)) & sp[RBX] = entry;
    *(void (**)(void)) & sp[RETURN] = begin;
    return sp;
}

__attribute__((naked, noinline, no_sanitize("thread"))) void arch_switch_call(UNUSED void (*fn)(void *arg),
                                                                              UNUSED void *arg, UNUSED void *top) {
    __asm__ volatile("pushq %rbp\n\tmovq %rsp, %rbp\n\t"
                     "movq %rdi, %rax\n\tmovq %rsi, %rdi\n\tmovq %rdx, %rsp\n\t"
                     "callq *%rax\n\t"
                     "movq %rbp, %rsp\n\tpopq %rbp\n\tret");
}
