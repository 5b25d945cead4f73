// The machine code of one instruction, as far as going on behind a memory access that failed takes it.
#ifndef CABERNET_VM_ARCH_INSN_H
#define CABERNET_VM_ARCH_INSN_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

// The length in bytes of the instruction at `code`; 0: none that compilers use. Async-signal-safe, as the other one.
size_t arch_insn_length(const uint8_t *code);
// Makes the interrupted thread go on behind the instruction that it is at, as if the instruction had loaded zero:
// so that a general register has a value of the width that the code knows it to have. A vector register and a place
// in memory keep their contents. False: the instruction is not known, and nothing is changed.
int arch_insn_skip(ucontext_t *c);

#endif
