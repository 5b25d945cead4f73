// Assembler macros for the stubs between compiled code, the interpreter and the VM; vm/code/stubs.S lists the stubs. In
// compiled code the thread is in r13, the called Method in r10, the frame pointer in rbp; arguments pass as in C.
//
// The offsets ENTRY_* are those of vm/code/entry_layout.h, those into ArchRegisters of arch_entry.h.
// clang-format off
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_STUBS_H
#define CABERNET_VM_ARCH_X86_64_ARCH_STUBS_H

// The head of a function in the VM.
        .macro  FUNCTION name
        .globl  \name
        .hidden \name
        .type   \name, @function
        .p2align 4
\name:
        .endm

// A frame with the callee-saved registers, and its end.
        .macro  PUSH_FRAME
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        .endm
        .macro  POP_FRAME
        leaq    -40(%rbp), %rsp
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        .endm

// Stores the argument registers into ArchRegisters at rsp, and loads them from those at \from.
        .macro  STORE_ARGUMENTS
        movq    %rdi, (%rsp)
        movq    %rsi, 8(%rsp)
        movq    %rdx, 16(%rsp)
        movq    %rcx, 24(%rsp)
        movq    %r8, 32(%rsp)
        movq    %r9, 40(%rsp)
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        movsd   %xmm\n, 48+\n*8(%rsp)
        .endr
        .endm
        .macro  LOAD_ARGUMENTS from
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7
        movsd   48+\n*8(\from), %xmm\n
        .endr
        movq    (\from), %rdi
        movq    8(\from), %rsi
        movq    16(\from), %rdx
        movq    24(\from), %rcx
        movq    32(\from), %r8
        movq    40(\from), %r9
        .endm

// STUB_ENTRY name: uint64_t name(void *entry, Method *m, Thread *self, ArchRegisters *r)
// calls compiled code and returns its value in rax. Clears the values in *r, which a collection would otherwise find
// there while the code runs: passed arguments, and values that the caller left uninitialised.
        .macro  CALL_IN name
        FUNCTION \name
        PUSH_FRAME
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
        movq    $0, -8(%rdx, %rcx, 8)
        decq    %rcx
        jnz     1b
2:      LOAD_ARGUMENTS %r11
        pxor    %xmm8, %xmm8
        .irp    offset, 0, 16, 32, 48, 64, 80, 96
        movups  %xmm8, \offset(%r11)
        .endr
        call    *%rax
        .endm
        .macro  CALL_OUT name
        POP_FRAME
        ret
        .size   \name, . - \name
        .endm

        .macro  STUB_ENTRY name
        CALL_IN \name
        CALL_OUT \name
        .endm
// The same for a float or double: returns the bits of xmm0.
        .macro  STUB_ENTRY_FLOAT name
        CALL_IN \name
        movq    %xmm0, %rax
        CALL_OUT \name
        .endm

// The caller-saved registers besides rax and r11.
        .macro  PUSH_KEPT
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        .endm
        .macro  POP_KEPT
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        .endm

// Records the position in compiled code in the FRAME_COMPILED: \ret is the address of the return address.
        .macro  ANCHOR thread, ret, fp
        movq    ENTRY_THREAD_FRAME(\thread), %rax
        movq    \ret, ENTRY_FRAME_RETURN(%rax)
        movq    \fp, ENTRY_FRAME_FP(%rax)
        .endm

// A frame with the caller's registers, which are then cleared. Otherwise C functions would save the values of compiled
// code again, at places with unknown owner and liveness (vm/code/codestack.c). The layout is that of arch_frame.h. rsp
// is aligned.
        .macro  SAVE_REGISTERS marker
        PUSH_FRAME
        pushq   $\marker
        .endm
// Also clears values of earlier calls directly below, where the first C functions have slots that they do not fill yet.
        .macro  CLEAR_REGISTERS
        pxor    %xmm15, %xmm15
        .irp    below, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256
        movups  %xmm15, -\below(%rsp)
        .endr
        xorl    %ebx, %ebx
        xorl    %r12d, %r12d
        xorl    %r13d, %r13d
        xorl    %r14d, %r14d
        xorl    %r15d, %r15d
        .endm

// STUB_INTERPRET name, target: called by compiled code in place of an interpreted method. Calls target(self, method,
// registers, stack arguments), which returns the raw result; it is valid for either kind.
        .macro  STUB_INTERPRET name, target
        FUNCTION \name
        movq    %rsp, %r11
        ANCHOR  %r13, %r11, %rbp
        SAVE_REGISTERS 0
        subq    $112, %rsp
        STORE_ARGUMENTS
        movq    %r13, %rdi
        movq    %r10, %rsi
        movq    %rsp, %rdx
        leaq    16(%rbp), %rcx
        CLEAR_REGISTERS
        call    \target
        movq    %rax, %xmm0
        CALL_OUT \name
        .endm

// STUB_RETURN name, target: reached by a return instead of a call. Continues at the address that target() returns, with
// all registers unchanged: results, and all that the callee's calling convention preserves.
        .macro  STUB_RETURN name, target
        FUNCTION \name
        pushq   %rax                    // becomes the address
        pushq   %rbp
        movq    %rsp, %rbp
        pushq   %rax
        PUSH_KEPT
        pushq   %r11
        subq    $264, %rsp
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movups  %xmm\n, \n*16(%rsp)
        .endr
        call    \target
        movq    %rax, 8(%rbp)
        .irp    n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
        movups  \n*16(%rsp), %xmm\n
        .endr
        addq    $264, %rsp
        popq    %r11
        POP_KEPT
        popq    %rax
        popq    %rbp
        ret
        .size   \name, . - \name
        .endm

// STUB_CALL name, target: for a runtime call that may walk the stack. The thread is the first argument of each;
// compiled code may use r13 freely between its calls.
        .macro  STUB_CALL name, target
        FUNCTION \name
        movq    %rsp, %r11
        ANCHOR  %rdi, %r11, %rbp
        SAVE_REGISTERS 0
        CLEAR_REGISTERS
        call    \target
        CALL_OUT \name
        .endm

// The same, preserving every register except rax, r11 and the vector registers (preserve_most).
        .macro  STUB_KEEP name, target
        FUNCTION \name
        movq    %rsp, %r11
        ANCHOR  %rdi, %r11, %rbp
        SAVE_REGISTERS 1
        PUSH_KEPT
        pushq   24(%r11)                // arguments beyond the sixth, if there are such
        pushq   16(%r11)
        pushq   8(%r11)
        CLEAR_REGISTERS
        call    \target
        addq    $24, %rsp
        POP_KEPT
        CALL_OUT \name
        .endm

// STUB_EXIT name, target: called by code with values in its registers. Calls target(self, registers) with the values of
// all registers at the call, by their numbers in instructions: ArchExit in arch_entry.h.
        .macro  STUB_EXIT name, target
        FUNCTION \name
        SAVE_REGISTERS 0
        pushq   %r15
        pushq   %r14
        pushq   %r13
        pushq   %r12
        pushq   %r11
        pushq   %r10
        pushq   %r9
        pushq   %r8
        pushq   %rdi
        pushq   %rsi
        pushq   (%rbp)
        leaq    16(%rbp), %rsi
        pushq   %rsi
        pushq   %rbx
        pushq   %rdx
        pushq   %rcx
        pushq   %rax
        leaq    8(%rbp), %r11
        movq    (%rbp), %rcx
        ANCHOR  %rdi, %r11, %rcx
        movq    %rsp, %rsi
        CLEAR_REGISTERS
        call    \target
        CALL_OUT \name
        .endm

#endif
