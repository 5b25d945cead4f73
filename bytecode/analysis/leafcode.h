/* Code with bounded running time: it has no loops and calls no methods. */
#ifndef CABERNET_BYTECODE_ANALYSIS_LEAFCODE_H
#define CABERNET_BYTECODE_ANALYSIS_LEAFCODE_H

#include <stdbool.h>

#include "bytecode/classfile/classfile.h"

/*
 * Does the code have no backward branch, no jsr and no invocation but that of Object's constructor?
 * It is checked code of a method of `file`. Does not allocate.
 */
bool leafcode_is(const ClassFile *file, const ClassFileCode *code);

#endif
