// The operands that an instruction pops. Pure; any thread. Needs checked code.
#ifndef CABERNET_BYTECODE_CLASSFILE_OPERANDS_H
#define CABERNET_BYTECODE_CLASSFILE_OPERANDS_H

#include "bytecode/classfile/classfile.h"

enum { OPERANDS_MOST = 256 };  // a call has at most 255 slots of arguments

typedef struct Operands {
    unsigned count, slots;     // slots: total
    char type[OPERANDS_MOST];  // I J F D A, deepest first
} Operands;

// Operands of the instruction at `bci`. Instructions that move arbitrary stack slots (pop, dup, swap) have none here.
void operands_of(const ClassFile *cf, const uint8_t *code, uint32_t bci, Operands *to);

#endif
