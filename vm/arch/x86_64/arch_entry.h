// The argument registers of a call, used by the stubs that enter and leave compiled code (arch_stubs.h).
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_ENTRY_H
#define CABERNET_VM_ARCH_X86_64_ARCH_ENTRY_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { ARCH_INT_REGISTERS = 6, ARCH_FLOAT_REGISTERS = 8 };

// Registers and stack of a call. Arguments that do not fit into the registers of their kind go to the stack in words,
// in argument order.
typedef struct ArchRegisters {
    uint64_t ints[ARCH_INT_REGISTERS];      // rdi rsi rdx rcx r8 r9
    uint64_t floats[ARCH_FLOAT_REGISTERS];  // xmm0 to xmm7, raw bits
    uint64_t stack_count;                   // words
    uint64_t *stack;
} ArchRegisters;
// The registers of code at a call, by their numbers in instructions.
enum { ARCH_EXIT_REGISTERS = 16 };
typedef struct ArchExit {
    uint64_t registers[ARCH_EXIT_REGISTERS];
} ArchExit;

static_assert(offsetof(ArchRegisters, floats) == 48, "arch_stubs.h");
static_assert(offsetof(ArchRegisters, stack_count) == 112, "arch_stubs.h");
static_assert(offsetof(ArchRegisters, stack) == 120, "arch_stubs.h");

#endif
