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

// The stack pointer of a caller at the instruction to which the return address in `slot` leads.
static inline char *arch_frame_caller_sp(void *slot) { return (char *)slot + sizeof(void *); }
// The other way.
static inline char **arch_frame_return_slot(char *caller_sp) { return (char **)caller_sp - 1; }

#endif
