// What an instruction takes from the operand stack. Pure; any thread. Needs checked code.
#ifndef BYTECODE_OPERANDS_H
#define BYTECODE_OPERANDS_H

#include "bytecode/classfile/classfile.h"

enum { OPERANDS_MOST = 256 };  // a call has at most 255 slots of arguments

typedef struct Operands {
    unsigned count, slots;      // slots: of all together
    char type[OPERANDS_MOST];   // I J F D A, the deepest on the stack first
} Operands;

// Of the instruction at `bci`. Instructions that move whatever is on the stack (pop, dup, swap) take nothing here.
void operands_of(const ClassFile *cf, const uint8_t *code, uint32_t bci, Operands *to);

#endif
