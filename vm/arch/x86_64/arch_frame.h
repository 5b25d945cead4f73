// The frame record at a frame pointer, which code of the VM and compiled code keep. Frames are walked outwards from the
// innermost frame pointer; the caller must know which addresses may be read.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_FRAME_H
#define CABERNET_VM_ARCH_X86_64_ARCH_FRAME_H

#include <stdint.h>

typedef struct ArchFrame {
    struct ArchFrame *caller;  // the caller's frame pointer
    char *return_pc;           // return address in the caller
} ArchFrame;

// Words directly below the frame pointer in which a function may save its caller's registers.
enum { ARCH_FRAME_SAVED = 5 };  // rbx, r12 to r15

// A stub's data below the return address of its call: the caller's frame pointer; these registers, in descending
// addresses; a marker, ARCH_STUB_MARKER bytes from the return address; and, if the marker is nonzero, the other
// registers and copies of ARCH_STUB_ARGUMENTS arguments that may be on the stack.
#define ARCH_STUB_SAVED \
    { 3, 12, 13, 14, 15 }  // rbx, r12 to r15
#define ARCH_STUB_KEPT \
    { 1, 2, 6, 7, 8, 9, 10 }  // rcx, rdx, rsi, rdi, r8 to r10
enum { ARCH_STUB_MARKER = 56, ARCH_STUB_ARGUMENTS = 3 };

// The stack pointer of a caller at the instruction that the return address in `slot` leads to.
static inline char *arch_frame_caller_sp(void *slot) { return (char *)slot + sizeof(void *); }
// The reverse.
static inline char **arch_frame_return_slot(char *caller_sp) { return (char **)caller_sp - 1; }

#endif
