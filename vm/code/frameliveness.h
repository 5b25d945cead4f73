// Liveness in a frame of compiled code at its calls, derived from the machine code. Pure: computes a table from
// bytes, takes no locks. The result is malloc'd.
#ifndef CABERNET_VM_CODE_FRAMELIVENESS_H
#define CABERNET_VM_CODE_FRAMELIVENESS_H

#include "vm/api/compiler.h"
#include "arch_insn.h"

// The caller's registers that a function saves in its frame: which, and at what distance.
typedef struct FrameSaved {
    uint16_t mask;
    int16_t at[ARCH_REGISTERS];
} FrameSaved;

// Distances are in bytes, from the frame pointer.
typedef struct FrameLiveness {
    bool known;  // false: anything may be live, and no other field is set
    FrameSaved saved;
    int32_t low;            // distance of slot 0; a slot has 8 bytes
    uint32_t slots, words;  // slots of the frame; 64-bit words that hold a bit for each
    uint32_t *registers;    // by stack map: mask of the registers live after the call
    uint64_t *live;         // by stack map, `words` each: the slots live after the call
} FrameLiveness;

// The liveness of the code at its stack maps. `known` is false if the code cannot be analysed or memory is short;
// NULL if there is no memory even for that result.
FrameLiveness *frameliveness_of(const Code *code);

#endif
