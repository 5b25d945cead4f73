// Nine words and the return address: the stack is aligned at the call.
//
// The stack directly below is cleared of values that earlier calls left there: the first functions of such a call have
// slots there that they do not fill, and a collection scans them.
#include "arch_mark.h"

#define CLEAR_TWO(below) "movups %%xmm0, -" #below "(%%rsp)\n\t"
#define CLEAR_BELOW                                                                                               \
    "pxor %%xmm0, %%xmm0\n\t" CLEAR_TWO(16) CLEAR_TWO(32) CLEAR_TWO(48) CLEAR_TWO(64) CLEAR_TWO(80) CLEAR_TWO(96) \
        CLEAR_TWO(112) CLEAR_TWO(128) CLEAR_TWO(144) CLEAR_TWO(160) CLEAR_TWO(176) CLEAR_TWO(192) CLEAR_TWO(208)  \
            CLEAR_TWO(224) CLEAR_TWO(240) CLEAR_TWO(256)

#define CALL_MARKED(leaving)                                                                                   \
    __asm__ volatile("pushq %%rbp\n\tmovq %%rsp, %%rbp\n\t"                                                    \
                     "pushq %%rbx\n\tpushq %%r12\n\tpushq %%r13\n\tpushq %%r14\n\tpushq %%r15\n\t"             \
                     "pushq %%rdi\n\tpushq %0\n\tpushq (%%rdi)\n\tmovq %%rsp, (%%rdi)\n\t"                     \
                     "movq %%rsi, %%rax\n\tmovq %%rdx, %%rdi\n\tmovq %%rcx, %%rsi\n\tmovq %%r8, %%rdx\n\t"     \
                     "movq %%r9, %%rcx\n\t"                                                                    \
                     "xorl %%ebx, %%ebx\n\txorl %%r12d, %%r12d\n\txorl %%r13d, %%r13d\n\t"                     \
                     "xorl %%r14d, %%r14d\n\txorl %%r15d, %%r15d\n\t" CLEAR_BELOW "call *%%rax\n\t"            \
                     "popq %%rcx\n\tpopq %%rdx\n\tpopq %%rdx\n\tmovq %%rcx, (%%rdx)\n\t"                       \
                     "popq %%r15\n\tpopq %%r14\n\tpopq %%r13\n\tpopq %%r12\n\tpopq %%rbx\n\tpopq %%rbp\n\tret" \
                     :                                                                                         \
                     : "i"(leaving))

#define UNUSED __attribute__((unused))
#define NAKED __attribute__((naked, noinline, no_sanitize("thread")))

NAKED uint64_t arch_call_entering(UNUSED ArchMark **innermost, UNUSED ArchMarkedFn *fn, UNUSED void *a, UNUSED void *b,
                                  UNUSED void *c, UNUSED void *d) {
    CALL_MARKED(0);
}

NAKED uint64_t arch_call_leaving(UNUSED ArchMark **innermost, UNUSED ArchMarkedFn *fn, UNUSED void *a, UNUSED void *b,
                                 UNUSED void *c, UNUSED void *d) {
    CALL_MARKED(1);
}
