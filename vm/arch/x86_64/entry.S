// Stubs between compiled code, the interpreter and the VM (vm/code/entry.h). Thread is in r13 in
// compiled code, the Method called in r10.
#define ENTRY_THREAD_FRAME 8
#define ENTRY_FRAME_FP 16
#define ENTRY_FRAME_RETURN 56

        .text

// uint64_t compiled_call(void *entry, Method *m, Thread *self, const EntryRegisters *r)
        .macro  CALL_IN name
        .globl  \name
        .hidden \name
        .type   \name, @function
        .p2align 4
\name:
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        subq    $8, %rsp
        movq    %rdi, %rax
        movq    %rsi, %r10
        movq    %rdx, %r13
        movq    %rcx, %r11
        movq    112(%r11), %rcx         // arguments on the stack, last one first
        movq    120(%r11), %rdx
        testq   %rcx, %rcx
        jz      2f
        testb   $1, %cl
        jz      1f
        subq    $8, %rsp
1:      pushq   -8(%rdx, %rcx, 8)
        decq    %rcx
        jnz     1b
2:      movsd   48(%r11), %xmm0
        movsd   56(%r11), %xmm1
        movsd   64(%r11), %xmm2
        movsd   72(%r11), %xmm3
        movsd   80(%r11), %xmm4
        movsd   88(%r11), %xmm5
        movsd   96(%r11), %xmm6
        movsd   104(%r11), %xmm7
        movq    (%r11), %rdi
        movq    8(%r11), %rsi
        movq    16(%r11), %rdx
        movq    24(%r11), %rcx
        movq    32(%r11), %r8
        movq    40(%r11), %r9
        call    *%rax
        .endm
        .macro  CALL_OUT name
        leaq    -40(%rbp), %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret
        .size   \name, . - \name
        .endm

        CALL_IN compiled_call
        CALL_OUT compiled_call
        CALL_IN compiled_call_float
        movq    %xmm0, %rax
        CALL_OUT compiled_call_float

// Records in the FRAME_COMPILED where compiled code is left: \ret is the address of the return address.
        .macro  ANCHOR thread, ret, fp
        movq    ENTRY_THREAD_FRAME(\thread), %rax
        movq    \ret, ENTRY_FRAME_RETURN(%rax)
        movq    \fp, ENTRY_FRAME_FP(%rax)
        .endm

// Calls entry_interpret(self, method, registers, stack arguments); its raw result serves as either kind.
        .globl  compiled_to_interpreter
        .hidden compiled_to_interpreter
        .type   compiled_to_interpreter, @function
        .p2align 4
compiled_to_interpreter:
        movq    %rsp, %r11
        ANCHOR  %r13, %r11, %rbp
        pushq   %rbp
        movq    %rsp, %rbp
        subq    $112, %rsp
        movq    %rdi, (%rsp)
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        movsd   %xmm0, 48(%rsp)
        movsd   %xmm1, 56(%rsp)
        movsd   %xmm2, 64(%rsp)
        movsd   %xmm3, 72(%rsp)
        movsd   %xmm4, 80(%rsp)
        movsd   %xmm5, 88(%rsp)
        movsd   %xmm6, 96(%rsp)
        movsd   %xmm7, 104(%rsp)
        movq    %r13, %rdi
        movq    %r10, %rsi
        movq    %rsp, %rdx
        leaq    16(%rbp), %rcx
        call    entry_interpret
        movq    %rax, %xmm0
        leave
        ret
        .size   compiled_to_interpreter, . - compiled_to_interpreter

// One stub for each runtime call that may walk the stack.
// The thread is the first argument of each; r13 is the code's own to use between its calls.
        .macro  STUB_CALL name
        .globl  compiled_rt_\name
        .hidden compiled_rt_\name
        .type   compiled_rt_\name, @function
        .p2align 4
compiled_rt_\name:
        movq    %rsp, %r11
        ANCHOR  %rdi, %r11, %rbp
        jmp     rt_\name
        .size   compiled_rt_\name, . - compiled_rt_\name
        .endm

        .macro  STUB_LEAF name
        .endm

// Keeps every register but rax and r11, vector registers excepted (preserve_most).
        .macro  STUB_KEEP name
        .globl  compiled_rt_\name
        .hidden compiled_rt_\name
        .type   compiled_rt_\name, @function
        .p2align 4
compiled_rt_\name:
        movq    %rsp, %r11
        ANCHOR  %rdi, %r11, %rbp
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        subq    $8, %rsp
        call    rt_\name
        addq    $8, %rsp
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rbp
        ret
        .size   compiled_rt_\name, . - compiled_rt_\name
        .endm

#define RUNTIME(name, signature, kind, text) STUB_##kind name ;
#include "vm/api/runtime_calls.def"

        .section .note.GNU-stack, "", @progbits
