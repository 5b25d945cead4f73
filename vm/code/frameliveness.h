// What is alive in a frame of compiled code at its calls, found in the machine code. Pure: bytes to a table, no locks; what
// it returns is malloc'd.
#ifndef CABERNET_VM_FRAMELIVENESS_H
#define CABERNET_VM_FRAMELIVENESS_H

#include "vm/api/compiler.h"
#include "arch_insn.h"

// The caller's registers that a function keeps in its frame.
typedef struct FrameSaved {
    uint16_t mask;
    int16_t at[ARCH_REGISTERS];
} FrameSaved;

// Distances are in bytes, from the frame pointer.
typedef struct FrameLiveness {
    bool known;                       // false: anything may be alive, and nothing else is filled in
    FrameSaved saved;
    int32_t low;                      // distance of slot 0; each has 8 bytes
    uint32_t slots, words;            // slots of the frame; words of 64 bits for a bit each
    uint32_t *registers;              // by number of the stack map: mask of registers alive behind the call
    uint64_t *live;                   // by the same, `words` each: slots alive behind it
} FrameLiveness;

// The code's, by its stack maps. Never NULL; for one that cannot be analysed, or when memory is out, `known` is false.
FrameLiveness *frameliveness_of(const Code *code);

static inline bool frameliveness_has(const FrameLiveness *f, uint32_t stack_map, uint32_t slot) {
    return f->live[(size_t)stack_map * f->words + slot / 64] >> (slot % 64) & 1;
}

#endif
