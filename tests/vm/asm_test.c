// The assembler (vm/arch/x86_64/arch_asm.h) against LLVM's disassembler. Every instruction of arch_asm.def is emitted
// in every form of its row, with all registers, both widths, all kinds of memory operands and immediates of each size.
// The expected text is built from the request, never from the bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "arch_asm.h"

// ---- spelling of instructions -----------------------------------------------------------------------

typedef enum Kind { BITS, BITS8, BITS16, BITS32, BITS64, VECTOR } Kind;  // BITS: 32 or 64, as `wide` says

typedef struct Row {
    const char *name, *text;
    bool load, store, digit;
} Row;
static const Row rows[ASM_COUNT] = {
#define NONE (-1)
#define ASM(name, prefix, map, load, store, digit, text) \
    [ASM_##name] = {#name, text, (load) >= 0, (store) >= 0, (digit) >= 0},
#include "arch_asm.def"
};

static const char *const registers[][16] = {
    [BITS8] = {"%al", "%cl", "%dl", "%bl", "%spl", "%bpl", "%sil", "%dil", "%r8b", "%r9b", "%r10b", "%r11b", "%r12b",
               "%r13b", "%r14b", "%r15b"},
    [BITS16] = {"%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di", "%r8w", "%r9w", "%r10w", "%r11w", "%r12w",
                "%r13w", "%r14w", "%r15w"},
    [BITS32] = {"%eax", "%ecx", "%edx", "%ebx", "%esp", "%ebp", "%esi", "%edi", "%r8d", "%r9d", "%r10d", "%r11d",
                "%r12d", "%r13d", "%r14d", "%r15d"},
    [BITS64] = {"%rax", "%rcx", "%rdx", "%rbx", "%rsp", "%rbp", "%rsi", "%rdi", "%r8", "%r9", "%r10", "%r11", "%r12",
                "%r13", "%r14", "%r15"},
    [VECTOR] = {"%xmm0", "%xmm1", "%xmm2", "%xmm3", "%xmm4", "%xmm5", "%xmm6", "%xmm7", "%xmm8", "%xmm9", "%xmm10",
                "%xmm11", "%xmm12", "%xmm13", "%xmm14", "%xmm15"},
};
static const char *const conditions[16] = {
    [CC_OVERFLOW] = "o", [CC_NOT_OVERFLOW] = "no",  [CC_BELOW] = "b",        [CC_ABOVE_EQUAL] = "ae",
    [CC_EQUAL] = "e",    [CC_NOT_EQUAL] = "ne",     [CC_BELOW_EQUAL] = "be", [CC_ABOVE] = "a",
    [CC_NEGATIVE] = "s", [CC_NOT_NEGATIVE] = "ns",  [CC_PARITY] = "p",       [CC_NOT_PARITY] = "np",
    [CC_LESS] = "l",     [CC_GREATER_EQUAL] = "ge", [CC_LESS_EQUAL] = "le",  [CC_GREATER] = "g",
};

// Kind of the destination register, then of the other operand.
static Kind kind_to(AsmOp op) {
    switch (op) {
        case ASM_STORE8: return BITS8;
        case ASM_STORE16: return BITS16;
        case ASM_S_TO_INT:
        case ASM_D_TO_INT:
        case ASM_VECTOR_TO_BITS: return BITS;
        default: return op >= ASM_MOVS ? VECTOR : BITS;
    }
}
static Kind kind_from(AsmOp op) {
    switch (op) {
        case ASM_MOVZX8:
        case ASM_MOVSX8:
        case ASM_STORE8: return BITS8;
        case ASM_MOVZX16:
        case ASM_MOVSX16:
        case ASM_STORE16: return BITS16;
        case ASM_MOVSX32: return BITS32;
        case ASM_INT_TO_S:
        case ASM_INT_TO_D:
        case ASM_BITS_TO_VECTOR: return BITS;
        default: return op >= ASM_MOVS ? VECTOR : BITS;
    }
}

static const char *register_text(Kind kind, bool wide, int reg) {
    return registers[kind == BITS ? wide ? BITS64 : BITS32 : kind][reg];
}

// A conversion from an integer in memory needs the width in its mnemonic.
static const char *mnemonic(AsmOp op, bool wide, bool memory) {
    static char text[16];
    size_t n = strlen(strcpy(text, rows[op].text));
    if (op == ASM_INT_TO_S || op == ASM_INT_TO_D) {
        if (memory) strcpy(text + n, wide ? "q" : "l");
    } else if (op == ASM_BITS_TO_VECTOR || op == ASM_VECTOR_TO_BITS) {
        if (wide) text[n - 1] = 'q';
    } else if (wide && kind_to(op) == BITS && text[n - 1] == 'l') {
        text[n - 1] = 'q';
    }
    return text;
}

static const char *memory_text(AsmMemory m) {
    static char text[64];
    int n = m.offset ? sprintf(text, "%d", m.offset) : 0;
    n += sprintf(text + n, "(%s", registers[BITS64][m.base]);
    if (m.index != REG_NONE) n += sprintf(text + n, ",%s", registers[BITS64][m.index]);
    if (m.index != REG_NONE && m.shift) n += sprintf(text + n, ",%d", 1 << m.shift);
    sprintf(text + n, ")");
    return text;
}

// ---- comparing --------------------------------------------------------------------------------------

static LLVMDisasmContextRef disassembler;
static uint8_t code[64];
static unsigned long compared;

static Asm *fresh(void) {
    static Asm a;
    memset(code, 0xcc, sizeof code);
    a = (Asm){.begin = code, .at = code, .end = code + sizeof code};
    return &a;
}

// Collapses blanks and truncates immediates to `bits` bits: LLVM prints some of them signed and others unsigned.
static char *append_normal(char *to, const char *from, unsigned bits) {
    bool blank = true;
    for (; *from; from++) {
        if (*from == '\t' || *from == ' ') {
            if (!blank) *to++ = ' ';
            blank = true;
            continue;
        }
        blank = false;
        *to++ = *from;
        if (*from != '$') continue;
        char *end;
        int64_t value = from[1] == '-' ? strtoll(from + 1, &end, 10) : (int64_t)strtoull(from + 1, &end, 10);
        to += sprintf(to, "%llu", (unsigned long long)((uint64_t)value & (UINT64_MAX >> (64 - bits))));
        from = end - 1;
    }
    *to = 0;
    return to;
}

// All instructions in the buffer, between semicolons.
static const char *disassemble(const Asm *a, unsigned bits) {
    static char text[512];
    char *to = text, line[128];
    *to = 0;
    for (uint8_t *at = a->begin; at < a->at;) {
        size_t length = LLVMDisasmInstruction(disassembler, at, (uint64_t)(a->at - at), (uint64_t)(at - a->begin), line,
                                              sizeof line);
        if (!length) return "no instruction";
        if (at > a->begin) to += sprintf(to, "; ");
        to = append_normal(to, line, bits);
        at += length;
    }
    return text;
}

// Checks that the buffer holds exactly these instructions. `bits` is the width of immediates.
__attribute__((format(printf, 3, 4))) static void expect(const Asm *a, unsigned bits, const char *format, ...) {
    char text[256], want[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    append_normal(want, text, bits);
    assert_false(a->full);
    assert_string_equal(disassemble(a, bits), want);
    compared++;
}

// ---- memory operands --------------------------------------------------------------------------------

static const int32_t offsets[] = {0, 8, 127, -128, 128, -129, INT32_MAX, INT32_MIN};
enum { OFFSETS = sizeof offsets / sizeof *offsets };

// BP and 13 as a base have no form without a displacement.
static size_t displacement_bytes(AsmMemory m) {
    if (m.offset == 0 && m.base != REG_BP && m.base != REG_13) return 0;
    return m.offset >= -128 && m.offset <= 127 ? 1 : 4;
}

typedef void WithMemory(Asm *a, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value);

// A displacement takes the fewest bytes possible.
static void check_length(const Asm *a, WithMemory *emit, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value) {
    uint8_t bytes[64];
    Asm far = {.begin = bytes, .at = bytes, .end = bytes + sizeof bytes};
    size_t want = displacement_bytes(m);
    m.offset = 0x12345678;
    emit(&far, op, wide, m, reg, value);
    assert_int_equal(asm_here(a), asm_here(&far) - 4 + want);
}

typedef void CheckMemory(AsmOp op, bool wide, AsmMemory m, int reg);

// All registers with all bases, then all bases with all indices.
static void over_memory(AsmOp op, bool wide, CheckMemory *check) {
    for (int base = 0; base < 16; base++)
        for (int reg = 0; reg < 16; reg++)
            for (int i = 0; i < OFFSETS; i++) check(op, wide, asm_at(base, offsets[i]), reg);
    for (int base = 0; base < 16; base++)
        for (int index = 0; index < 16; index++)
            for (unsigned shift = 0; shift < 4 && index != REG_SP; shift++)
                for (int i = 0; i < 5; i++)
                    check(op, wide, asm_indexed(base, index, shift, offsets[i]),
                          (base + index + (int)shift * 5 + i) & 15);
}

// ---- rows of the table ------------------------------------------------------------------------------

// REX.W would turn a 16-bit store into a 64-bit one.
static bool has_width(AsmOp op, bool wide) { return !wide || op != ASM_STORE16; }

static void emit_rm(Asm *a, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value) {
    (void)value;
    asm_rm(a, op, wide, reg, m);
}
static void emit_mr(Asm *a, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value) {
    (void)value;
    asm_mr(a, op, wide, m, reg);
}
static void emit_mi(Asm *a, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value) {
    (void)reg;
    asm_mi(a, op, wide, m, value);
}

static void check_rm(AsmOp op, bool wide, AsmMemory m, int reg) {
    Asm *a = fresh();
    emit_rm(a, op, wide, m, reg, 0);
    expect(a, 64, "%s %s, %s", mnemonic(op, wide, true), memory_text(m), register_text(kind_to(op), wide, reg));
    check_length(a, emit_rm, op, wide, m, reg, 0);
}

static void check_mr(AsmOp op, bool wide, AsmMemory m, int reg) {
    Asm *a = fresh();
    emit_mr(a, op, wide, m, reg, 0);
    expect(a, 64, "%s %s, %s", mnemonic(op, wide, true), register_text(kind_from(op), wide, reg), memory_text(m));
    check_length(a, emit_mr, op, wide, m, reg, 0);
}

static void check_rr(AsmOp op, bool wide) {
    for (int to = 0; to < 16; to++) {
        for (int from = 0; from < 16; from++) {
            Asm *a = fresh();
            asm_rr(a, op, wide, to, from);
            expect(a, 64, "%s %s, %s", mnemonic(op, wide, false), register_text(kind_from(op), wide, from),
                   register_text(kind_to(op), wide, to));
        }
    }
}

static const int32_t immediates[] = {0, 1, -1, 127, -128, 128, -129, 255, 65536, INT32_MAX, INT32_MIN};
enum { IMMEDIATES = sizeof immediates / sizeof *immediates };

static size_t immediate_bytes(int32_t value) { return value >= -128 && value <= 127 ? 1 : 4; }

static void check_ri(AsmOp op, bool wide) {
    for (int reg = 0; reg < 16; reg++) {
        for (int i = 0; i < IMMEDIATES; i++) {
            Asm *a = fresh();
            asm_ri(a, op, wide, reg, immediates[i]);
            expect(a, wide ? 64 : 32, "%s $%d, %s", mnemonic(op, wide, false), immediates[i],
                   register_text(BITS, wide, reg));
            assert_int_equal(asm_here(a), (wide || reg > 7) + 2 + immediate_bytes(immediates[i]));
        }
    }
}

static void check_mi(AsmOp op, bool wide, AsmMemory m, int reg) {
    int32_t value = immediates[reg % IMMEDIATES];
    Asm *a = fresh();
    emit_mi(a, op, wide, m, reg, value);
    expect(a, wide ? 64 : 32, "%s $%d, %s", mnemonic(op, wide, true), value, memory_text(m));
    check_length(a, emit_mi, op, wide, m, reg, value);
}

static void check_unary(AsmOp op, bool wide) {
    for (int reg = 0; reg < 16; reg++) {
        Asm *a = fresh();
        asm_unary(a, op, wide, reg);
        expect(a, 64, "%s %s", mnemonic(op, wide, false), register_text(BITS, wide, reg));
    }
}

static void check_shift(AsmOp op, bool wide) {
    for (int reg = 0; reg < 16; reg++) {
        for (unsigned by = 0; by < (wide ? 64 : 32); by++) {
            Asm *a = fresh();
            asm_shift(a, op, wide, reg, by);
            expect(a, 8, "%s $%u, %s", mnemonic(op, wide, false), by, register_text(BITS, wide, reg));
        }
        Asm *a = fresh();
        asm_shift_cx(a, op, wide, reg);
        expect(a, 64, "%s %%cl, %s", mnemonic(op, wide, false), register_text(BITS, wide, reg));
    }
}

static void check_jump_memory(AsmOp op, bool wide, AsmMemory m, int reg) {
    (void)wide, (void)reg;
    Asm *a = fresh();
    asm_jump_memory(a, m);
    expect(a, 64, "%s *%s", rows[op].text, memory_text(m));
}

static void check_branch(AsmOp op) {
    for (int reg = 0; reg < 16; reg++) {
        Asm *a = fresh();
        (op == ASM_CALL ? asm_call_register : asm_jump_register)(a, reg);
        expect(a, 64, "%s *%s", rows[op].text, registers[BITS64][reg]);
    }
    if (op == ASM_JMP) over_memory(op, false, check_jump_memory);
}

// Checks the forms with a /digit in the ModRM byte.
static void check_digit(AsmOp op, bool wide) {
    if (op <= ASM_CMP) {
        check_ri(op, wide);
        over_memory(op, wide, check_mi);
    } else if (op >= ASM_NOT && op <= ASM_IDIV) {
        check_unary(op, wide);
    } else if (op >= ASM_SHL && op <= ASM_SAR) {
        check_shift(op, wide);
    } else {
        assert_true(op == ASM_CALL || op == ASM_JMP);
        check_branch(op);
    }
}

static void check_row(AsmOp op, bool wide) {
    const Row *row = &rows[op];
    unsigned long before = compared;
    if ((row->load || row->store) && op != ASM_LEA) check_rr(op, wide);
    if (row->load) over_memory(op, wide, check_rm);
    if (row->store) over_memory(op, wide, check_mr);
    if (row->digit) check_digit(op, wide);
    if (compared == before) fail_msg("%s has no form", row->name);
}

static void every_row(void **state) {
    (void)state;
    for (int op = 0; op < ASM_COUNT; op++)
        for (int wide = 0; wide < 2; wide++)
            if (has_width((AsmOp)op, wide)) check_row((AsmOp)op, wide);
}

// ---- other functions --------------------------------------------------------------------------------

static void sign_and_products(void **state) {
    (void)state;
    Asm *a = fresh();
    asm_extend_ax(a, false);
    asm_extend_ax(a, true);
    expect(a, 64, "cltd; cqto");
    for (int to = 0; to < 16; to++) {
        for (int from = 0; from < 16; from++) {
            for (int i = 0; i < IMMEDIATES * 2; i++) {
                bool wide = i & 1;
                int32_t value = immediates[i / 2];
                a = fresh();
                asm_multiply(a, wide, to, from, value);
                expect(a, wide ? 64 : 32, "imul%c $%d, %s, %s", wide ? 'q' : 'l', value,
                       register_text(BITS, wide, from), register_text(BITS, wide, to));
                assert_int_equal(asm_here(a), (wide || to > 7 || from > 7) + 2 + immediate_bytes(value));
            }
        }
    }
}

static void constants(void **state) {
    (void)state;
    static const uint64_t values[] = {
        0,
        1,
        127,
        255,
        INT32_MAX,
        0x80000000,
        UINT32_MAX,
        0x100000000,
        INT64_MAX,
        (uint64_t)INT64_MIN,
        UINT64_MAX,
        (uint64_t)INT32_MIN,
        (uint64_t)INT32_MIN - 1,
        0x123456789abcdef0,
    };
    for (int reg = 0; reg < 16; reg++) {
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            uint64_t v = values[i];
            bool narrow = v >> 32 == 0, sign = v >> 31 == 0x1ffffffff;
            Asm *a = fresh();
            asm_constant(a, reg, v);
            expect(a, narrow ? 32 : 64, "%s $%llu, %s",
                   narrow     ? "movl"
                       : sign ? "movq"
                              : "movabsq",
                   (unsigned long long)v, register_text(BITS, !narrow, reg));
            assert_int_equal(asm_here(a), narrow ? 5 + (reg > 7) : sign ? 7 : 10);
        }
    }
    Asm *a = fresh();
    asm_load_absolute(a, (void *)0x123456789abcdef0);
    asm_load_absolute(a, (void *)16);
    expect(a, 64, "movabsq %lld, %%rax; movabsq 16, %%rax", 0x123456789abcdef0ll);
}

static void emit_store(Asm *a, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value) {
    (void)op, (void)reg;
    asm_store_immediate(a, wide, m, value);
}
static void emit_test(Asm *a, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value) {
    (void)op, (void)wide, (void)reg;
    asm_test_bits(a, m, (uint32_t)value);
}
static void emit_pop(Asm *a, AsmOp op, bool wide, AsmMemory m, int reg, int32_t value) {
    (void)op, (void)wide, (void)reg, (void)value;
    asm_pop_memory(a, m);
}

static void check_words_of_memory(AsmOp op, bool wide, AsmMemory m, int reg) {
    int32_t value = immediates[reg % IMMEDIATES];
    Asm *a = fresh();
    emit_store(a, op, wide, m, reg, value);
    expect(a, wide ? 64 : 32, "mov%c $%d, %s", wide ? 'q' : 'l', value, memory_text(m));
    check_length(a, emit_store, op, wide, m, reg, value);
    if (wide) return;
    a = fresh();
    emit_test(a, op, wide, m, reg, value);
    expect(a, 32, "testl $%d, %s", value, memory_text(m));
    check_length(a, emit_test, op, wide, m, reg, value);
    a = fresh();
    emit_pop(a, op, wide, m, reg, value);
    expect(a, 64, "popq %s", memory_text(m));
    check_length(a, emit_pop, op, wide, m, reg, value);
}

static void words_of_memory(void **state) {
    (void)state;
    over_memory(ASM_MOV, false, check_words_of_memory);
    over_memory(ASM_MOV, true, check_words_of_memory);
}

static void bits_and_conditions(void **state) {
    (void)state;
    for (int reg = 0; reg < 16; reg++) {
        for (unsigned mask = 0; mask < 256 && reg <= REG_BX; mask++) {
            Asm *a = fresh();
            asm_test_byte(a, reg, (uint8_t)mask);
            expect(a, 8, "testb $%u, %s", mask, registers[BITS8][reg]);
        }
        for (int cc = 0; cc < 16; cc++) {
            Asm *a = fresh();
            asm_set(a, (AsmCondition)cc, reg);
            expect(a, 64, "set%s %s", conditions[cc], registers[BITS8][reg]);
        }
    }
}

static void opposite_conditions(void **state) {
    (void)state;
    static const AsmCondition pairs[][2] = {
        {CC_OVERFLOW, CC_NOT_OVERFLOW}, {CC_BELOW, CC_ABOVE_EQUAL},     {CC_EQUAL, CC_NOT_EQUAL},
        {CC_BELOW_EQUAL, CC_ABOVE},     {CC_NEGATIVE, CC_NOT_NEGATIVE}, {CC_PARITY, CC_NOT_PARITY},
        {CC_LESS, CC_GREATER_EQUAL},    {CC_LESS_EQUAL, CC_GREATER},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_int_equal(asm_negate(pairs[i][0]), pairs[i][1]);
        assert_int_equal(asm_negate(pairs[i][1]), pairs[i][0]);
    }
}

static void stack_and_locks(void **state) {
    (void)state;
    for (int reg = 0; reg < 16; reg++) {
        Asm *a = fresh();
        asm_push(a, reg);
        asm_pop(a, reg);
        expect(a, 64, "pushq %s; popq %s", registers[BITS64][reg], registers[BITS64][reg]);
    }
    Asm *a = fresh();
    asm_return(a);
    asm_fence(a);
    asm_lock(a);
    asm_mr(a, ASM_CMPXCHG, true, asm_at(REG_12, 8), REG_9);
    expect(a, 32, "retq; lock; addl $0, (%%rsp); lock; cmpxchgq %%r9, 8(%%r12)");
}

// ---- jumps --------------------------------------------------------------------------------------------

enum { FIRST = 3, FAR_BYTES = 70000 };

// A buffer with `before` bytes of nop in it.
static Asm with_nops(uint8_t *bytes, uint32_t before) {
    memset(bytes, 0x90, FAR_BYTES);
    return (Asm){.begin = bytes, .at = bytes + before, .end = bytes + FAR_BYTES};
}

// The one instruction between two places in the buffer.
__attribute__((format(printf, 4, 5))) static void expect_between(const Asm *a, uint32_t from, uint32_t to,
                                                                 const char *format, ...) {
    char want[128];
    va_list args;
    va_start(args, format);
    vsnprintf(want, sizeof want, format, args);
    va_end(args);
    Asm one = {.begin = a->begin + from, .at = a->begin + to, .end = a->begin + to};
    expect(&one, 64, "%s", want);
}

// A jump and what follows it, to the end of `distance` bytes.
static void check_forward(uint8_t *bytes, int cc, uint32_t distance) {
    Asm a = with_nops(bytes, FIRST);
    AsmJump jump = cc < 0 ? asm_jump(&a) : asm_jump_if(&a, (AsmCondition)cc);
    uint32_t next = asm_here(&a);
    a.at += distance;
    asm_bind(&a, jump);
    expect_between(&a, FIRST, next, "j%s %u", cc < 0 ? "mp" : conditions[cc], distance);
    assert_int_equal(next - FIRST, cc < 0 ? 5 : 6);
    if (distance > 127) return;
    a = with_nops(bytes, FIRST);
    jump = cc < 0 ? asm_jump_near(&a) : asm_jump_if_near(&a, (AsmCondition)cc);
    next = asm_here(&a);
    a.at += distance;
    asm_bind_near(&a, jump);
    expect_between(&a, FIRST, next, "j%s %u", cc < 0 ? "mp" : conditions[cc], distance);
    assert_int_equal(next - FIRST, 2);
}

static void check_back(uint8_t *bytes, int cc, uint32_t distance) {
    Asm a = with_nops(bytes, FIRST + distance);
    uint32_t begin = asm_here(&a);
    AsmJump jump = cc < 0 ? asm_jump(&a) : asm_jump_if(&a, (AsmCondition)cc);
    asm_bind_to(&a, jump, FIRST);
    expect_between(&a, begin, asm_here(&a), "j%s %d", cc < 0 ? "mp" : conditions[cc], (int)FIRST - (int)asm_here(&a));
}

static void jumps(void **state) {
    (void)state;
    static uint8_t bytes[FAR_BYTES];
    static const uint32_t distances[] = {0, 1, 126, 127, 128, 300, 66000};
    for (int cc = -1; cc < 16; cc++) {
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
            check_forward(bytes, cc, distances[i]);
            check_back(bytes, cc, distances[i]);
        }
    }
}

// Code is written at one address and executed at another.
static void jumps_to_addresses(void **state) {
    (void)state;
    const uint8_t *base = (const uint8_t *)0x7f0012340000;
    static const int32_t distances[] = {0, 1, -1, -5, 4096, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        uint8_t bytes[32];
        Asm a = {.begin = bytes, .at = bytes, .end = bytes + sizeof bytes};
        asm_push(&a, REG_12);
        asm_jump_to(&a, base, base + 2 + 5 + distances[i]);
        asm_call_to(&a, base, base + 2 + 5 + 5 + distances[i]);
        expect(&a, 64, "pushq %%r12; jmp %d; callq %d", distances[i], distances[i]);
    }
}

static void places_in_the_buffer(void **state) {
    (void)state;
    static uint8_t bytes[FAR_BYTES];
    static const uint32_t distances[] = {0, 1, 200, 60000};
    for (int reg = 0; reg < 16; reg++) {
        for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
            Asm a = with_nops(bytes, FIRST);
            AsmJump address = asm_address(&a, reg);
            uint32_t next = asm_here(&a);
            AsmJump pair = asm_load_pair(&a, reg), end = asm_here(&a);
            a.at += distances[i];
            asm_bind(&a, pair);
            asm_bind_to(&a, address, 0);
            expect_between(&a, FIRST, next, "leaq %d(%%rip), %s", -(int)next, registers[BITS64][reg]);
            // LLVM omits a displacement of 0.
            char displacement[16] = "";
            if (distances[i]) sprintf(displacement, "%u", distances[i]);
            expect_between(&a, next, end, "movups %s(%%rip), %s", displacement, registers[VECTOR][reg]);
        }
    }
}

// ---- the buffer ---------------------------------------------------------------------------------------

static void emit_everything(Asm *a) {
    AsmJump far = asm_jump(a), near = asm_jump_near(a), maybe = asm_jump_if(a, CC_LESS),
            close = asm_jump_if_near(a, CC_LESS);
    AsmJump address = asm_address(a, REG_9), pair = asm_load_pair(a, 9);
    asm_bind_near(a, near);
    asm_bind_near(a, close);
    asm_rm(a, ASM_MOV, true, REG_AX, asm_indexed(REG_12, REG_13, 3, 1000));
    asm_mi(a, ASM_ADD, true, asm_at(REG_BP, 0), 70000);
    asm_constant(a, REG_8, UINT64_MAX / 3);
    asm_load_absolute(a, a);
    asm_align(a, 16);
    asm_bind(a, far);
    asm_bind(a, maybe);
    asm_bind(a, pair);
    asm_bind_to(a, address, 0);
    asm_word32(a, 0x12345678);
    asm_word64(a, 0x1122334455667788);
    asm_byte(a, 0xab);
}

static void full_buffers(void **state) {
    (void)state;
    uint8_t whole[256], bytes[256];
    Asm a = {.begin = whole, .at = whole, .end = whole + sizeof whole};
    emit_everything(&a);
    assert_false(a.full);
    uint32_t size = asm_here(&a);
    assert_memory_equal(a.at - 13, "\x78\x56\x34\x12\x88\x77\x66\x55\x44\x33\x22\x11\xab", 13);
    for (uint32_t room = 0; room <= size; room++) {
        memset(bytes, 0x5a, sizeof bytes);
        a = (Asm){.begin = bytes, .at = bytes, .end = bytes + room};
        emit_everything(&a);
        assert_int_equal(a.full, room < size);
        assert_true(asm_here(&a) <= room);
        for (size_t i = room; i < sizeof bytes; i++) assert_int_equal(bytes[i], 0x5a);
    }
}

static void alignment(void **state) {
    (void)state;
    for (uint32_t before = 0; before < 40; before++) {
        for (unsigned bytes = 1; bytes <= 16; bytes *= 2) {
            Asm *a = fresh();
            for (uint32_t i = 0; i < before; i++) asm_byte(a, 0xcc);
            asm_align(a, bytes);
            uint32_t end = asm_here(a);
            assert_int_equal(end, (before + bytes - 1) / bytes * bytes);
            for (uint32_t i = before; i < end; i++) assert_int_equal(code[i], 0x90);
        }
    }
}

int main(void) {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    disassembler = LLVMCreateDisasm("x86_64-linux-gnu", NULL, 0, NULL, NULL);
    if (!disassembler) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row),           cmocka_unit_test(sign_and_products),
        cmocka_unit_test(constants),           cmocka_unit_test(words_of_memory),
        cmocka_unit_test(bits_and_conditions), cmocka_unit_test(opposite_conditions),
        cmocka_unit_test(stack_and_locks),     cmocka_unit_test(jumps),
        cmocka_unit_test(jumps_to_addresses),  cmocka_unit_test(places_in_the_buffer),
        cmocka_unit_test(full_buffers),        cmocka_unit_test(alignment),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    LLVMDisasmDispose(disassembler);
    return failed;
}
