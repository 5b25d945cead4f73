// Calling a function with the caller's registers on the stack and that stack published for the collector.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_PUBLISH_H
#define CABERNET_VM_ARCH_X86_64_ARCH_PUBLISH_H

// A function that consists of assembly alone.
#define ARCH_NAKED __attribute__((naked, noinline, no_sanitize("thread")))

// The whole body of an ARCH_NAKED function: calls `body` with the function's own arguments. Meanwhile the word at
// `offset` from the first argument's target holds the lowest address of the caller's registers and of all its callers'
// frames; afterwards the word has its previous value. The frame exists from before `body` begins until it has returned,
// whatever the C compiler does. `body` is a global symbol.
//
// Seven words and the return address: the stack is aligned at the call.
#define ARCH_RUN_PUBLISHED(body, offset)                                                                       \
    __asm__ volatile("pushq %%rbp\n\tmovq %%rsp, %%rbp\n\t"                                                    \
                     "pushq %%rbx\n\tpushq %%r12\n\tpushq %%r13\n\tpushq %%r14\n\tpushq %%r15\n\t"             \
                     "pushq %c0(%%rdi)\n\tmovq %%rdi, %%rbx\n\tmovq %%rsp, %c0(%%rdi)\n\t"                     \
                     "call " #body "\n\t"                                                                      \
                     "popq %c0(%%rbx)\n\t"                                                                     \
                     "popq %%r15\n\tpopq %%r14\n\tpopq %%r13\n\tpopq %%r12\n\tpopq %%rbx\n\tpopq %%rbp\n\tret" \
                     :                                                                                         \
                     : "i"(offset))

// The whole body of an ARCH_NAKED function that takes the same first argument and does not return: makes the function
// that has published the stack return to its caller, although the frames that it has called no longer exist.
#define ARCH_LEAVE_PUBLISHED(offset)                                                                           \
    __asm__ volatile("movq %c0(%%rdi), %%rsp\n\tpopq %c0(%%rdi)\n\t"                                           \
                     "popq %%r15\n\tpopq %%r14\n\tpopq %%r13\n\tpopq %%r12\n\tpopq %%rbx\n\tpopq %%rbp\n\tret" \
                     :                                                                                         \
                     : "i"(offset))

#endif
