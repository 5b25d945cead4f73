/* Code that takes a bounded time: it has no loops and calls no methods. */
#ifndef BYTECODE_LEAFCODE_H
#define BYTECODE_LEAFCODE_H

#include <stdbool.h>

#include "bytecode/classfile/classfile.h"

/* Whether the code, which is checked and belongs to a method of `file`, has no backward branch, no jsr and no invocation
 * but that of Object's constructor. Does not allocate. */
bool leafcode_is(const ClassFile *file, const ClassFileCode *code);

#endif
