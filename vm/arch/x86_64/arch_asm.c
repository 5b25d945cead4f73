// Encoding (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2): prefix, REX, opcode,
// ModRM, SIB, displacement, immediate.
#include "arch_asm.h"

#include <assert.h>
#include <string.h>

typedef struct AsmRow {
    int16_t prefix, map, load, store, digit;
} AsmRow;

static const AsmRow asm_rows[ASM_COUNT] = {
#define NONE (-1)
#define ASM(name, prefix, map, load, store, digit, text) [ASM_##name] = {prefix, map, load, store, digit},
#include "arch_asm.def"
};

void asm_byte(Asm *a, unsigned byte) {
    if (a->at < a->end) *a->at++ = (uint8_t)byte;
    else a->full = true;
}

void asm_word32(Asm *a, uint32_t word) {
    if (a->end - a->at < 4) a->full = true;
    else memcpy(a->at, &word, 4), a->at += 4;
}

void asm_word64(Asm *a, uint64_t word) {
    if (a->end - a->at < 8) a->full = true;
    else memcpy(a->at, &word, 8), a->at += 8;
}

void asm_align(Asm *a, unsigned bytes) {
    while (asm_here(a) % bytes && !a->full) asm_byte(a, 0x90);
}

// ---- parts of an instruction --------------------------------------------------------------------

// `byte`: a register operand is its lowest byte, which needs a REX prefix from SP on.
static void rex(Asm *a, bool wide, int reg, int index, int base, bool byte) {
    unsigned bits = (unsigned)wide << 3 | (unsigned)(reg > 7) << 2 | (unsigned)(index > 7) << 1 | (unsigned)(base > 7);
    if (bits || byte) asm_byte(a, 0x40 | bits);
}

static void opcode(Asm *a, int map, int code) {
    if (map) asm_byte(a, (unsigned)map);
    asm_byte(a, (unsigned)code);
}

static void modrm_register(Asm *a, int reg, int rm) {
    asm_byte(a, 0xc0u | (unsigned)(reg & 7) << 3 | (unsigned)(rm & 7));
}

static void modrm_memory(Asm *a, int reg, AsmMemory m) {
    assert(m.base != REG_NONE && m.index != REG_SP && m.shift < 4);
    bool indexed = m.index != REG_NONE, sib = indexed || (m.base & 7) == REG_SP;
    unsigned mode = m.offset == 0 && (m.base & 7) != REG_BP ? 0 : m.offset == (int8_t)m.offset ? 1 : 2;
    asm_byte(a, mode << 6 | (unsigned)(reg & 7) << 3 | (sib ? 4u : (unsigned)(m.base & 7)));
    if (sib) asm_byte(a, (unsigned)m.shift << 6 | (unsigned)(indexed ? m.index & 7 : 4) << 3 | (unsigned)(m.base & 7));
    if (mode == 1) asm_byte(a, (uint8_t)m.offset);
    if (mode == 2) asm_word32(a, (uint32_t)m.offset);
}

static void with_register(Asm *a, const AsmRow *row, int code, bool wide, int reg, int rm, bool byte) {
    if (row->prefix) asm_byte(a, (unsigned)row->prefix);
    rex(a, wide, reg, 0, rm, byte);
    opcode(a, row->map, code);
    modrm_register(a, reg, rm);
}

static void with_memory(Asm *a, const AsmRow *row, int code, bool wide, int reg, AsmMemory m, bool byte) {
    if (row->prefix) asm_byte(a, (unsigned)row->prefix);
    rex(a, wide, reg, m.index == REG_NONE ? 0 : m.index, m.base, byte);
    opcode(a, row->map, code);
    modrm_memory(a, reg, m);
}

// ---- instructions -------------------------------------------------------------------------------

void asm_rr(Asm *a, AsmOp op, bool wide, int to, int from) {
    const AsmRow *row = &asm_rows[op];
    assert((row->load >= 0 || row->store >= 0) && op != ASM_LEA && !(op == ASM_STORE16 && wide));
    bool byte = (op == ASM_MOVZX8 || op == ASM_MOVSX8) && from >= REG_SP;
    bool bytes = op == ASM_STORE8 && (from >= REG_SP || to >= REG_SP);
    if (row->load >= 0) with_register(a, row, row->load, wide, to, from, byte);
    else with_register(a, row, row->store, wide, from, to, bytes);
}

void asm_rm(Asm *a, AsmOp op, bool wide, int to, AsmMemory from) {
    assert(asm_rows[op].load >= 0);
    with_memory(a, &asm_rows[op], asm_rows[op].load, wide, to, from, false);
}

void asm_mr(Asm *a, AsmOp op, bool wide, AsmMemory to, int from) {
    assert(asm_rows[op].store >= 0 && !(op == ASM_STORE16 && wide));
    with_memory(a, &asm_rows[op], asm_rows[op].store, wide, from, to, op == ASM_STORE8 && from >= REG_SP);
}

static void immediate(Asm *a, int32_t value) {
    if (value == (int8_t)value) asm_byte(a, (uint8_t)value);
    else asm_word32(a, (uint32_t)value);
}

void asm_ri(Asm *a, AsmOp op, bool wide, int to, int32_t value) {
    assert(op <= ASM_CMP);
    rex(a, wide, 0, 0, to, false);
    asm_byte(a, value == (int8_t)value ? 0x83 : 0x81);
    modrm_register(a, asm_rows[op].digit, to);
    immediate(a, value);
}

void asm_mi(Asm *a, AsmOp op, bool wide, AsmMemory to, int32_t value) {
    assert(op <= ASM_CMP);
    rex(a, wide, 0, to.index == REG_NONE ? 0 : to.index, to.base, false);
    asm_byte(a, value == (int8_t)value ? 0x83 : 0x81);
    modrm_memory(a, asm_rows[op].digit, to);
    immediate(a, value);
}

static void group(Asm *a, unsigned code, bool wide, int digit, int reg) {
    rex(a, wide, 0, 0, reg, false);
    asm_byte(a, code);
    modrm_register(a, digit, reg);
}

void asm_unary(Asm *a, AsmOp op, bool wide, int reg) {
    assert(op >= ASM_NOT && op <= ASM_IDIV);
    group(a, 0xf7, wide, asm_rows[op].digit, reg);
}

void asm_shift(Asm *a, AsmOp op, bool wide, int reg, unsigned by) {
    assert(op >= ASM_SHL && op <= ASM_SAR);
    group(a, 0xc1, wide, asm_rows[op].digit, reg);
    asm_byte(a, by);
}

void asm_shift_cx(Asm *a, AsmOp op, bool wide, int reg) {
    assert(op >= ASM_SHL && op <= ASM_SAR);
    group(a, 0xd3, wide, asm_rows[op].digit, reg);
}

void asm_extend_ax(Asm *a, bool wide) {
    rex(a, wide, 0, 0, 0, false);
    asm_byte(a, 0x99);
}

void asm_multiply(Asm *a, bool wide, int to, int from, int32_t value) {
    rex(a, wide, to, 0, from, false);
    asm_byte(a, value == (int8_t)value ? 0x6b : 0x69);
    modrm_register(a, to, from);
    immediate(a, value);
}

void asm_constant(Asm *a, int to, uint64_t value) {
    if (value <= UINT32_MAX) {
        rex(a, false, 0, 0, to, false);
        asm_byte(a, 0xb8u + (unsigned)(to & 7));
        asm_word32(a, (uint32_t)value);
    } else if ((int64_t)value == (int32_t)value) {
        group(a, 0xc7, true, 0, to);
        asm_word32(a, (uint32_t)value);
    } else {
        rex(a, true, 0, 0, to, false);
        asm_byte(a, 0xb8u + (unsigned)(to & 7));
        asm_word64(a, value);
    }
}

void asm_load_absolute(Asm *a, const void *address) {
    asm_byte(a, 0x48);
    asm_byte(a, 0xa1);
    asm_word64(a, (uint64_t)(uintptr_t)address);
}

void asm_store_immediate(Asm *a, bool wide, AsmMemory to, int32_t value) {
    rex(a, wide, 0, to.index == REG_NONE ? 0 : to.index, to.base, false);
    asm_byte(a, 0xc7);
    modrm_memory(a, 0, to);
    asm_word32(a, (uint32_t)value);
}

void asm_store_byte(Asm *a, AsmMemory to, uint8_t value) {
    rex(a, false, 0, to.index == REG_NONE ? 0 : to.index, to.base, false);
    asm_byte(a, 0xc6);
    modrm_memory(a, 0, to);
    asm_byte(a, value);
}

void asm_test_bits(Asm *a, AsmMemory at, uint32_t mask) {
    rex(a, false, 0, at.index == REG_NONE ? 0 : at.index, at.base, false);
    asm_byte(a, 0xf7);
    modrm_memory(a, 0, at);
    asm_word32(a, mask);
}

void asm_test_byte(Asm *a, int reg, uint8_t mask) {
    assert(reg <= REG_BX);
    asm_byte(a, 0xf6);
    modrm_register(a, 0, reg);
    asm_byte(a, mask);
}

void asm_set(Asm *a, AsmCondition cc, int reg) {
    rex(a, false, 0, 0, reg, reg >= REG_SP);
    opcode(a, 0x0f, 0x90 + (int)cc);
    modrm_register(a, 0, reg);
}

// A locked addition of zero to the top of the machine's stack, which is faster than mfence.
void asm_fence(Asm *a) {
    asm_lock(a);
    asm_mi(a, ASM_ADD, false, asm_at(REG_SP, 0), 0);
}

void asm_lock(Asm *a) { asm_byte(a, 0xf0); }

// ---- jumps --------------------------------------------------------------------------------------

AsmJump asm_jump(Asm *a) {
    asm_byte(a, 0xe9);
    asm_word32(a, 0);
    return asm_here(a) - 4;
}

AsmJump asm_jump_if(Asm *a, AsmCondition cc) {
    opcode(a, 0x0f, 0x80 + (int)cc);
    asm_word32(a, 0);
    return asm_here(a) - 4;
}

void asm_bind_to(Asm *a, AsmJump jump, uint32_t target) {
    if (a->full) return;
    int32_t distance = (int32_t)(target - (jump + 4));
    memcpy(a->begin + jump, &distance, 4);
}

void asm_bind(Asm *a, AsmJump jump) { asm_bind_to(a, jump, asm_here(a)); }

AsmJump asm_jump_if_near(Asm *a, AsmCondition cc) {
    asm_byte(a, 0x70u + cc);
    asm_byte(a, 0);
    return asm_here(a) - 1;
}

AsmJump asm_jump_near(Asm *a) {
    asm_byte(a, 0xeb);
    asm_byte(a, 0);
    return asm_here(a) - 1;
}

void asm_bind_near(Asm *a, AsmJump jump) {
    if (a->full) return;
    uint32_t distance = asm_here(a) - (jump + 1);
    assert(distance < 128);
    a->begin[jump] = (uint8_t)distance;
}

void asm_jump_memory(Asm *a, AsmMemory target) {
    rex(a, false, 0, target.index == REG_NONE ? 0 : target.index, target.base, false);
    asm_byte(a, 0xff);
    modrm_memory(a, asm_rows[ASM_JMP].digit, target);
}

void asm_jump_register(Asm *a, int target) { group(a, 0xff, false, asm_rows[ASM_JMP].digit, target); }
void asm_call_register(Asm *a, int target) { group(a, 0xff, false, asm_rows[ASM_CALL].digit, target); }
void asm_return(Asm *a) { asm_byte(a, 0xc3); }

void asm_push(Asm *a, int reg) {
    rex(a, false, 0, 0, reg, false);
    asm_byte(a, 0x50u + (unsigned)(reg & 7));
}

void asm_pop(Asm *a, int reg) {
    rex(a, false, 0, 0, reg, false);
    asm_byte(a, 0x58u + (unsigned)(reg & 7));
}

void asm_pop_memory(Asm *a, AsmMemory to) {
    rex(a, false, 0, to.index == REG_NONE ? 0 : to.index, to.base, false);
    asm_byte(a, 0x8f);
    modrm_memory(a, 0, to);
}

static void relative(Asm *a, unsigned code, const uint8_t *base, const void *target) {
    asm_byte(a, code);
    const uint8_t *next = base + asm_here(a) + 4;
    asm_word32(a, (uint32_t)(int32_t)((const uint8_t *)target - next));
}

void asm_jump_to(Asm *a, const uint8_t *base, const void *target) { relative(a, 0xe9, base, target); }
void asm_call_to(Asm *a, const uint8_t *base, const void *target) { relative(a, 0xe8, base, target); }

// Displacements are relative to the next instruction.
static AsmJump relative_operand(Asm *a, int reg) {
    asm_byte(a, (unsigned)(reg & 7) << 3 | 5u);
    asm_word32(a, 0);
    return asm_here(a) - 4;
}

AsmJump asm_address(Asm *a, int to) {
    rex(a, true, to, 0, 0, false);
    asm_byte(a, (unsigned)asm_rows[ASM_LEA].load);
    return relative_operand(a, to);
}

AsmJump asm_load_pair(Asm *a, int to) {
    rex(a, false, to, 0, 0, false);
    opcode(a, 0x0f, 0x10);
    return relative_operand(a, to);
}
