/*
 * Disassembler: methods as text, in the manner of javap. Reads only; any thread.
 */
#ifndef CABERNET_BYTECODE_CLASSFILE_DISASM_H
#define CABERNET_BYTECODE_CLASSFILE_DISASM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bytecode/classfile/classfile.h"

/*
 * Prints the instruction at `bci` into buf (no newline, always terminated), with constant-pool
 * operands resolved through cf (which may be NULL: then indexes only). Returns its length in bytes,
 * 0 if there is no whole instruction (buf then says so).
 */
uint32_t disasm_instruction(const ClassFile *cf, const uint8_t *code, uint32_t code_len, uint32_t bci, char *buf,
                            size_t cap);

/* A method: header line, code, exception table, line numbers. Never fails on malformed code. */
void disasm_method(FILE *out, const ClassFile *cf, const ClassFileMethod *method);

#endif
