// Machine code instructions: their length, their effects on registers and on the frame, and how to continue after one
// whose memory access has failed.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_INSN_H
#define CABERNET_VM_ARCH_X86_64_ARCH_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

// The length in bytes of the instruction at `code`; 0: not an instruction that compilers use. Async-signal-safe, as is
// arch_insn_skip.
size_t arch_insn_length(const uint8_t *code);
// Makes the interrupted thread continue after its present instruction as if that had loaded zero, so that a general
// register has a value of the width that the code expects. A vector register and a memory destination keep their
// contents. False: the instruction is not known, and nothing is changed.
int arch_insn_skip(ucontext_t *c);

// General registers by their numbers in instructions; in a mask, bit n is register n.
enum {
    ARCH_RAX,
    ARCH_RCX,
    ARCH_RDX,
    ARCH_RBX,
    ARCH_RSP,
    ARCH_RBP,
    ARCH_RSI,
    ARCH_RDI,
    ARCH_R8,
    ARCH_R12 = 12,
    ARCH_REGISTERS = 16
};

// Successors of an instruction.
typedef enum ArchFlow {
    ARCH_FLOW_NEXT,
    ARCH_FLOW_CALL,      // to the next one, after a call
    ARCH_FLOW_BRANCH,    // to the next one or to `address`
    ARCH_FLOW_JUMP,      // to `address`
    ARCH_FLOW_INDIRECT,  // to a computed address
    ARCH_FLOW_END,       // nowhere in this function
} ArchFlow;

// Effect of an instruction on the stack pointer.
typedef enum ArchStackChange { ARCH_STACK_KEPT, ARCH_STACK_MOVED, ARCH_STACK_SET, ARCH_STACK_LOST } ArchStackChange;

// For liveness: reads may be overstated, and writes understated.
typedef struct ArchInsn {
    uint8_t length;
    uint8_t flow;            // ArchFlow
    uint8_t stack;           // ArchStackChange: MOVED by stack_by bytes, SET to the frame pointer plus stack_by
    uint16_t reads, writes;  // general registers; writes: whole registers only (32 bits clear the rest)
    // Memory at a constant offset from the stack or frame pointer, in bytes; 0: none. Only reads that could be of an
    // address, which has 8 bytes, count.
    uint8_t frame_base;  // ARCH_RSP or ARCH_RBP; another number: no such memory
    uint8_t frame_read, frame_written;
    bool frame_somewhere;  // reads memory of the frame at an unknown offset
    bool frame_address;    // computes the address frame_base + frame_at
    int32_t frame_at, stack_by;
    const uint8_t *address;  // the branch target; or an address computed from the instruction's own; or NULL
} ArchInsn;

// False: the instruction is not known.
bool arch_insn_decode(const uint8_t *code, ArchInsn *out);

#endif
