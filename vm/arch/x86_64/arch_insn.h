// The machine code of one instruction: how long it is, what it does to registers and to the frame that it runs in, and how
// to go on behind it when its access of memory has failed.
#ifndef CABERNET_VM_ARCH_INSN_H
#define CABERNET_VM_ARCH_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

// The length in bytes of the instruction at `code`; 0: none that compilers use. Async-signal-safe, as the other one.
size_t arch_insn_length(const uint8_t *code);
// Makes the interrupted thread go on behind the instruction that it is at, as if the instruction had loaded zero:
// so that a general register has a value of the width that the code knows it to have. A vector register and a place
// in memory keep their contents. False: the instruction is not known, and nothing is changed.
int arch_insn_skip(ucontext_t *c);

// General registers by their number in instructions, in a mask: bit n for register n.
enum { ARCH_RAX, ARCH_RCX, ARCH_RDX, ARCH_RBX, ARCH_RSP, ARCH_RBP, ARCH_RSI, ARCH_RDI, ARCH_R8, ARCH_R12 = 12, ARCH_REGISTERS = 16 };

// Where control goes from an instruction.
typedef enum ArchFlow {
    ARCH_FLOW_NEXT,
    ARCH_FLOW_CALL,      // to the next one, after a call
    ARCH_FLOW_BRANCH,    // to the next one or to `address`
    ARCH_FLOW_JUMP,      // to `address`
    ARCH_FLOW_INDIRECT,  // to an address that is computed
    ARCH_FLOW_END,       // nowhere in this function
} ArchFlow;

// What an instruction does to the stack pointer.
typedef enum ArchStackChange { ARCH_STACK_KEPT, ARCH_STACK_MOVED, ARCH_STACK_SET, ARCH_STACK_LOST } ArchStackChange;

// What is read may be said to be more than it is, and what is written less: for whoever asks what is needed later.
typedef struct ArchInsn {
    uint8_t length;
    uint8_t flow;             // ArchFlow
    uint8_t stack;            // ArchStackChange: MOVED by stack_by bytes, SET to the frame pointer plus stack_by
    uint16_t reads, writes;   // general registers; written ones as a whole (32 bits clear the rest)
    // Memory at a constant distance from the stack or frame pointer, in bytes; 0: none. Of reads only those count that
    // could be of an address, which has 8 bytes.
    uint8_t frame_base;       // ARCH_RSP or ARCH_RBP; another number: no such memory
    uint8_t frame_read, frame_written;
    bool frame_somewhere;     // reads memory of the frame at a distance that is not known
    bool frame_address;       // computes the address frame_base + frame_at
    int32_t frame_at, stack_by;
    const uint8_t *address;   // of the branch; or what the instruction computes from its own address; or NULL
} ArchInsn;

// False: the instruction is none that is known.
bool arch_insn_decode(const uint8_t *code, ArchInsn *out);

#endif
