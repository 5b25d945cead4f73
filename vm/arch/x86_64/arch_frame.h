// What lies at a frame pointer: code of the VM and compiled code keep one. Frames are walked from the frame
// pointer of the innermost outwards; whether an address may be read is the caller's business.
#ifndef CABERNET_VM_ARCH_FRAME_H
#define CABERNET_VM_ARCH_FRAME_H

#include <stdint.h>

typedef struct ArchFrame {
    struct ArchFrame *caller;  // the caller's frame pointer
    char *return_pc;           // where it goes on there
} ArchFrame;

// Words right below the frame pointer in which a function may keep its caller's registers.
enum { ARCH_FRAME_SAVED = 5 };  // rbx, r12 to r15

// What a stub has below the return address through which it was called: the caller's frame pointer, these registers, one
// below the other, a marker at so many bytes from the return address, and, where that is not zero, the other registers and copies of so many arguments that may be on the stack.
#define ARCH_STUB_SAVED {3, 12, 13, 14, 15}        // rbx, r12 to r15
#define ARCH_STUB_KEPT {1, 2, 6, 7, 8, 9, 10}      // rcx, rdx, rsi, rdi, r8 to r10
enum { ARCH_STUB_MARKER = 56, ARCH_STUB_ARGUMENTS = 3 };

// The stack pointer of a caller at the instruction to which the return address in `slot` leads.
static inline char *arch_frame_caller_sp(void *slot) { return (char *)slot + sizeof(void *); }
// The other way.
static inline char **arch_frame_return_slot(char *caller_sp) { return (char **)caller_sp - 1; }

#endif
