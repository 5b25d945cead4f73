// An assembler, which appends instructions to a buffer. The template tier uses it.
//
// An instruction is a row of arch_asm.def. Its operands choose the form: asm_rr (register, register), asm_rm (register,
// memory), asm_mr (memory, register), asm_ri and asm_mi (with an immediate). `wide` means 64-bit operands; otherwise
// they have 32 bits, and the upper half of a written register becomes zero. A form that the row lacks is a bug of the
// caller and is asserted.
//
// When the buffer is full, `full` is set and later instructions are dropped, so the caller checks it once, at the end.
// No function allocates, throws or blocks; a buffer belongs to one thread.
#ifndef CABERNET_VM_ARCH_X86_64_ARCH_ASM_H
#define CABERNET_VM_ARCH_X86_64_ARCH_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// clang-format off
typedef enum AsmRegister {
    REG_AX, REG_CX, REG_DX, REG_BX, REG_SP, REG_BP, REG_SI, REG_DI,
    REG_8, REG_9, REG_10, REG_11, REG_12, REG_13, REG_14, REG_15,
    REG_NONE = -1,
} AsmRegister;
// clang-format on

// Conditions, by their encoding. After an unordered comparison of floats, below, below-or-equal, equal and parity hold.
// clang-format off
typedef enum AsmCondition {
    CC_OVERFLOW, CC_NOT_OVERFLOW, CC_BELOW, CC_ABOVE_EQUAL, CC_EQUAL, CC_NOT_EQUAL, CC_BELOW_EQUAL, CC_ABOVE,
    CC_NEGATIVE, CC_NOT_NEGATIVE, CC_PARITY, CC_NOT_PARITY, CC_LESS, CC_GREATER_EQUAL, CC_LESS_EQUAL, CC_GREATER,
} AsmCondition;
// clang-format on
static inline AsmCondition asm_negate(AsmCondition cc) { return (AsmCondition)(cc ^ 1); }

typedef enum AsmOp {
#define ASM(name, prefix, map, load, store, digit, text) ASM_##name,
#include "arch_asm.def"
    ASM_COUNT
} AsmOp;

typedef struct AsmMemory {
    int8_t base, index;  // registers; REG_NONE: no index. REG_SP cannot be one
    uint8_t shift;       // of the index
    int32_t offset;
} AsmMemory;
static inline AsmMemory asm_at(int base, int64_t offset) {
    return (AsmMemory){(int8_t)base, REG_NONE, 0, (int32_t)offset};
}
static inline AsmMemory asm_indexed(int base, int index, unsigned shift, int32_t offset) {
    return (AsmMemory){(int8_t)base, (int8_t)index, (uint8_t)shift, offset};
}

typedef struct Asm {
    uint8_t *begin, *at, *end;
    bool full;
} Asm;

// Offset in the buffer of a jump's displacement, to be filled in later.
typedef uint32_t AsmJump;

static inline uint32_t asm_here(const Asm *a) { return (uint32_t)(a->at - a->begin); }

void asm_byte(Asm *a, unsigned byte);
void asm_word32(Asm *a, uint32_t word);
void asm_word64(Asm *a, uint64_t word);
void asm_align(Asm *a, unsigned bytes);

void asm_rr(Asm *a, AsmOp op, bool wide, int to, int from);
void asm_rm(Asm *a, AsmOp op, bool wide, int to, AsmMemory from);
// STORE16 is never wide.
void asm_mr(Asm *a, AsmOp op, bool wide, AsmMemory to, int from);
// ADD to CMP. The immediate is sign-extended.
void asm_ri(Asm *a, AsmOp op, bool wide, int to, int32_t value);
void asm_mi(Asm *a, AsmOp op, bool wide, AsmMemory to, int32_t value);
// NOT, NEG, IDIV.
void asm_unary(Asm *a, AsmOp op, bool wide, int reg);
// SHL, SHR, SAR, by a constant, or by the low bits of REG_CX.
void asm_shift(Asm *a, AsmOp op, bool wide, int reg, unsigned by);
void asm_shift_cx(Asm *a, AsmOp op, bool wide, int reg);
// Extends the sign of REG_AX into REG_DX.
void asm_extend_ax(Asm *a, bool wide);
// to = from * value.
void asm_multiply(Asm *a, bool wide, int to, int from, int32_t value);

// Loads a constant with the shortest encoding that keeps the flags.
void asm_constant(Asm *a, int to, uint64_t value);
// Loads 64 bits from a 64-bit absolute address into REG_AX, the only register that the processor allows.
void asm_load_absolute(Asm *a, const void *address);
// Stores a sign-extended immediate.
void asm_store_immediate(Asm *a, bool wide, AsmMemory to, int32_t value);
void asm_store_byte(Asm *a, AsmMemory to, uint8_t value);
void asm_test_bits(Asm *a, AsmMemory at, uint32_t mask);  // flags of a 32-bit word and a mask
void asm_test_byte(Asm *a, int reg, uint8_t mask);        // the same of a register's lowest byte; REG_AX to REG_BX
void asm_set(Asm *a, AsmCondition cc, int reg);           // the lowest byte becomes 0 or 1
void asm_fence(Asm *a);                                   // orders stores before loads; keeps the registers
void asm_lock(Asm *a);                                    // the next instruction is atomic

// Jumps and calls. The first two return the position for asm_bind.
AsmJump asm_jump(Asm *a);
AsmJump asm_jump_if(Asm *a, AsmCondition cc);
void asm_bind(Asm *a, AsmJump jump);                      // the jump leads to here
void asm_bind_to(Asm *a, AsmJump jump, uint32_t target);  // ... to an offset into the buffer
AsmJump asm_jump_if_near(Asm *a, AsmCondition cc);        // over less than 128 bytes
AsmJump asm_jump_near(Asm *a);
void asm_bind_near(Asm *a, AsmJump jump);
void asm_jump_memory(Asm *a, AsmMemory target);
void asm_jump_register(Asm *a, int target);
void asm_call_register(Asm *a, int target);
void asm_return(Asm *a);
void asm_push(Asm *a, int reg);
void asm_pop(Asm *a, int reg);
void asm_pop_memory(Asm *a, AsmMemory to);  // with base REG_SP: an address after the pop
// Jumps and calls to an address, relative to `base`, the address at which the buffer's start will be executed.
void asm_jump_to(Asm *a, const uint8_t *base, const void *target);
void asm_call_to(Asm *a, const uint8_t *base, const void *target);
// Loads the address at `target` bytes into the buffer; bound like a jump.
AsmJump asm_address(Asm *a, int to);
// Loads 16 bytes from inside the buffer into a vector register; bound like a jump.
AsmJump asm_load_pair(Asm *a, int to);

#endif
