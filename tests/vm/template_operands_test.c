// The abstract operand stack of the template tier (vm/template/operandstack.h). Random sequences of operations on it
// are emitted and executed on a frame; a model tells the expected contents of the frame's slots.
//
// Ints have noise in the upper halves of their slots, as the interpreter may leave it there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "vm/template/operandstack.h"

enum {
    INTS = 12,
    FIRST_LONG = 12,
    FIRST_DOUBLE = 20,
    SEEN = 26,
    LOCALS = 90,
    DEPTH = 24,
    STEPS = 60,
    PROGRAMS = 20000,
    CODE_BYTES = 1 << 16
};

typedef enum Type { INT, LONG, DOUBLE, SECOND } Type;

typedef struct Value {
    Type type;
    uint64_t bits;
} Value;

static struct {
    Translation t;
    Operand stack[DEPTH + 8];
    Value model[DEPTH + 8];  // operand stack, slot by slot
    Value locals[LOCALS];
    uint32_t seen;  // locals from SEEN on that are assigned, each once
    struct {
        Slot locals[LOCALS];
        Frame frame;
        Slot stack[DEPTH + 8];
    } memory;
    uint64_t random;
} test;

static uint32_t random_below(uint32_t limit) {
    test.random = test.random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(test.random >> 33) % limit;
}

static uint64_t random_bits(Type type) {
    static const int32_t edges[] = {0, 1, -1, 127, -128, INT32_MAX, INT32_MIN};
    uint64_t noise = (uint64_t)random_below(1u << 31) << 33 ^ (uint64_t)random_below(1u << 31) << 5;
    double d = (double)random_below(1000) / 8;
    if (type == DOUBLE) memcpy(&noise, &d, sizeof d);
    else if (random_below(2)) noise = (uint64_t)(int64_t)edges[random_below(7)];
    return type == INT ? (uint32_t)noise : noise;
}

static uint32_t width(Type type) { return type == INT ? 1 : 2; }
static uint32_t first_of(Type type) { return type == INT ? 0 : type == LONG ? FIRST_LONG : FIRST_DOUBLE; }
static uint32_t any_local(Type type) {
    return type == INT ? random_below(INTS)
        : type == LONG ? FIRST_LONG + 2 * random_below(4)
                       : FIRST_DOUBLE + 2 * random_below(3);
}

// ---- the model's operand stack ----------------------------------------------------------------------

static uint32_t depth(void) { return test.t.depth; }

static void expect_operand(uint32_t at, Type type, uint64_t bits) {
    test.model[at] = (Value){type, type == INT ? (uint32_t)bits : bits};
    if (width(type) == 2) test.model[at + 1].type = SECOND;
}

// The type of the operand that ends `below` slots from the top, or SECOND if none ends there.
static Type type_at(uint32_t below) {
    if (below >= depth()) return SECOND;
    uint32_t at = depth() - 1 - below;
    return test.model[at].type == SECOND ? test.model[at - 1].type : INT;
}

static bool room(uint32_t slots) { return depth() + slots + 2 <= DEPTH; }

static void push_local(Type type) {
    uint32_t local = any_local(type);
    if (!room(2)) return;
    expect_operand(depth(), type, test.locals[local].bits);
    operands_push_local(&test.t, local, width(type));
}

static void push_value(void) {
    Type type = random_below(3);
    if (!room(2)) return;
    uint64_t bits = random_bits(type);
    expect_operand(depth(), type, bits);
    if (random_below(2)) {
        operands_push_constant(&test.t, type == INT ? (int32_t)bits : (int64_t)bits, width(type));
        return;
    }
    int reg = operands_new(&test.t);
    bool clean = type == INT && random_below(2);
    asm_constant(&test.t.a, reg, type == INT && !clean ? bits | UINT64_C(0xabcd) << 40 : bits);
    operands_push_register(&test.t, reg, clean, width(type));
}

// ---- operations -------------------------------------------------------------------------------------

static void add(void) {
    Type type = type_at(0);
    Translation *t = &test.t;
    if (type == SECOND || type_at(width(type)) != type) return;
    uint32_t slots = width(type), b = depth() - slots, a = b - slots;
    bool wide = type != INT;
    AsmMemory at;
    int32_t value;
    int reg, from;
    if (type == DOUBLE) {
        double x, y;
        memcpy(&x, &test.model[a].bits, sizeof x);
        memcpy(&y, &test.model[b].bits, sizeof y);
        x += y;
        from = operands_get_vector(t, b, true);
        reg = operands_own_vector(t, a, true);
        asm_rr(&t->a, ASM_ADDD, false, reg, from);
        operands_pop(t, 4);
        memcpy(&test.model[a].bits, &x, sizeof x);
        operands_push_vector(t, reg, 2);
        return;
    }
    uint64_t sum = test.model[a].bits + test.model[b].bits;
    if (operands_constant(t, b, &value)) {
        reg = operands_own(t, a, wide);
        asm_ri(&t->a, ASM_ADD, wide, reg, value);
    } else if (operands_in_memory(t, b, &at)) {
        reg = operands_own(t, a, wide);
        asm_rm(&t->a, ASM_ADD, wide, reg, at);
    } else {
        from = operands_get(t, b, wide);
        reg = operands_own(t, a, wide);
        asm_rr(&t->a, ASM_ADD, wide, reg, from);
    }
    operands_pop(t, 2 * slots);
    operands_push_register(t, reg, !wide, slots);
    expect_operand(a, type, sum);
}

static void increment(void) {
    uint32_t local = any_local(INT);
    operands_push_local(&test.t, local, 1);
    int reg = operands_own(&test.t, depth() - 1, false);
    asm_ri(&test.t.a, ASM_ADD, false, reg, 77);
    operands_pop(&test.t, 1);
    operands_local_register(&test.t, local, reg);
    test.locals[local].bits = (uint32_t)(test.locals[local].bits + 77);
}

static void store(void) {
    Type type = type_at(0);
    if (type == SECOND) return;
    uint32_t local = any_local(type), slots = width(type), index = depth() - slots;
    test.locals[local].bits = test.model[index].bits;
    operands_set_local(&test.t, local, index, slots);
}

// Zero-extends an int to a long, which requires that the upper half of its register is zero.
static void extend(void) {
    if (type_at(0) != INT) return;
    uint64_t bits = test.model[depth() - 1].bits;
    int from = operands_get_index(&test.t, depth() - 1), reg = operands_new(&test.t);
    asm_rr(&test.t.a, ASM_MOV, true, reg, from);
    operands_pop(&test.t, 1);
    expect_operand(depth(), LONG, bits);
    operands_push_register(&test.t, reg, false, 2);
}

// dup_x2 and similar.
static void shuffle(void) {
    static const struct {
        uint8_t moved, below, new_count, from[6];
    } patterns[] = {
        {1, 0, 2, {0, 0}},          {1, 1, 3, {1, 0, 1}},          {1, 2, 4, {2, 0, 1, 2}}, {2, 0, 4, {0, 1, 0, 1}},
        {2, 1, 5, {1, 2, 0, 1, 2}}, {2, 2, 6, {2, 3, 0, 1, 2, 3}}, {1, 1, 2, {1, 0}},
    };
    uint32_t which = random_below(7), moved = patterns[which].moved, count = moved + patterns[which].below;
    if (depth() < count || !room(6)) return;
    uint32_t bottom = depth() - count;
    if (test.model[bottom].type == SECOND || test.model[bottom + patterns[which].below].type == SECOND) return;
    Value old[4];
    memcpy(old, &test.model[bottom], count * sizeof *old);
    for (uint32_t i = 0; i < patterns[which].new_count; i++) test.model[bottom + i] = old[patterns[which].from[i]];
    operands_shuffle(&test.t, count, patterns[which].from, patterns[which].new_count);
}

static void clobber(int reg) { asm_constant(&test.t.a, reg, UINT64_C(0xdeadbeefdeadbeef)); }

static void claim(void) {
    static const uint8_t claimed[] = {REG_CX, REG_AX, REG_DX};
    uint32_t first = random_below(2);
    for (uint32_t i = 0; i <= first; i++) {
        operands_claim(&test.t, claimed[first + i]);
        clobber(claimed[first + i]);
    }
}

static void call(void) {
    static const uint8_t changed[] = {REG_AX, REG_CX, REG_DX, REG_SI, REG_DI, REG_8, REG_9, REG_10, REG_11};
    operands_flush(&test.t);
    operands_forget(&test.t);
    for (uint32_t i = 0; i < sizeof changed; i++) clobber(changed[i]);
    for (int v = 0; v < REGISTERS; v++) asm_rr(&test.t.a, ASM_BITS_TO_VECTOR, true, v, REG_AX);
}

// As a branch does: pops its operands, flushes the others to their home slots, then uses the registers.
static void compare(void) {
    Type type = type_at(0);
    if (type == SECOND || test.seen == LOCALS) return;
    uint32_t slots = width(type), other = type_at(slots) == type ? slots : 0, index = depth() - slots;
    bool wide = type != INT;
    test.locals[test.seen] = test.model[index];
    AsmMemory to = operands_local(&test.t, test.seen++);
    int b = operands_get(&test.t, index, wide);
    if (other) operands_get(&test.t, index - other, wide);
    operands_pop(&test.t, slots + other);
    operands_flush(&test.t);
    asm_mr(&test.t.a, ASM_MOV, true, to, b);
}

static void pop(void) {
    if (type_at(0) != SECOND) operands_pop(&test.t, width(type_at(0)));
}

static void step(void) {
    operands_unpin(&test.t);
    switch (random_below(16)) {
        case 0:
        case 1:
        case 2: push_local(random_below(3)); break;
        case 3:
        case 4: push_value(); break;
        case 5:
        case 6: add(); break;
        case 7: increment(); break;
        case 8:
        case 9: store(); break;
        case 10: extend(); break;
        case 11:
        case 12: shuffle(); break;
        case 13:
            if (random_below(2)) claim();
            else compare();
            break;
        case 14:
            if (random_below(4) == 0) call();
            break;
        default: pop();
    }
}

// ---- execution --------------------------------------------------------------------------------------

static void set_slot(Slot *slot, Value v) { slot->raw = v.type == INT ? v.bits | UINT64_C(0x5a5a) << 32 : v.bits; }

static void begin(uint8_t *code) {
    test.t = (Translation){.a = {code, code, code + CODE_BYTES, false},
                           .frame_locals = LOCALS,
                           .max_depth = DEPTH + 6,
                           .stack = test.stack};
    test.seen = SEEN;
    operands_forget(&test.t);
    for (Type type = INT; type <= DOUBLE; type++)
        for (uint32_t i = first_of(type); i < (type == DOUBLE ? SEEN : first_of(type + 1)); i += width(type)) {
            test.locals[i] = (Value){type, random_bits(type)};
            set_slot(&test.memory.locals[i], test.locals[i]);
        }
    for (uint32_t n = random_below(5); n > 0; n--) {
        Type type = random_below(3);
        uint32_t at = depth();
        expect_operand(at, type, random_bits(type));
        set_slot(&test.memory.stack[at], test.model[at]);
        for (uint32_t k = 0; k < width(type); k++) operands_push_home(&test.t, 1);
    }
    asm_push(&test.t.a, REG_FRAME);
    asm_rr(&test.t.a, ASM_MOV, true, REG_FRAME, REG_DI);
}

// As an exit does: stores operands in registers first, because storing the others needs a register.
static void leave(void) {
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < depth(); i++) {
            const Operand *o = &test.stack[i];
            if ((o->place == AT_REGISTER || o->place == AT_VECTOR) == (pass == 0))
                operands_store(&test.t, o, operands_home(i), REG_AX);
        }
}

static void expect_slot(Value want, Slot got, const char *what, uint32_t index, unsigned program) {
    if (want.type == INT ? got.u == (uint32_t)want.bits : got.raw == want.bits) return;
    fail_msg("program %u: %s %u is %llx, not %llx", program, what, index, (unsigned long long)got.raw,
             (unsigned long long)want.bits);
}

static void random_programs(void **state) {
    (void)state;
    uint8_t *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    for (unsigned program = 1; program <= PROGRAMS; program++) {
        test.random = program * UINT64_C(0x9e3779b97f4a7c15);
        assert_int_equal(mprotect(code, CODE_BYTES, PROT_READ | PROT_WRITE), 0);
        begin(code);
        for (int i = 0; i < STEPS; i++) step();
        operands_unpin(&test.t);
        if (random_below(2)) operands_flush(&test.t);
        else leave();
        asm_pop(&test.t.a, REG_FRAME);
        asm_return(&test.t.a);
        assert_false(test.t.a.full);
        assert_int_equal(mprotect(code, CODE_BYTES, PROT_READ | PROT_EXEC), 0);
        ((void (*)(Frame *))(uintptr_t)code)(&test.memory.frame);
        for (uint32_t i = 0; i < depth(); i++)
            if (test.model[i].type != SECOND) expect_slot(test.model[i], test.memory.stack[i], "operand", i, program);
        for (uint32_t i = 0; i < test.seen; i++)
            if (i < FIRST_LONG || i >= SEEN || i % 2 == 0)
                expect_slot(test.locals[i], test.memory.locals[i], "local", i, program);
    }
    munmap(code, CODE_BYTES);
}

// A comparison has popped its operand, whose register also holds a local variable deeper on the stack. Flushing a
// constant must not take that register, even when all others are in use.
static void flush_keeps_pinned(void **state) {
    (void)state;
    uint8_t *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(code != MAP_FAILED);
    test.random = 1;
    begin(code);
    operands_pop(&test.t, depth());
    for (uint32_t local = 0; local < INTS; local++) {
        operands_unpin(&test.t);
        operands_push_local(&test.t, local, 1);
        operands_get(&test.t, 0, false);
        operands_pop(&test.t, 1);
    }
    for (uint32_t local = 0; local < INTS; local++) {
        operands_unpin(&test.t);
        operands_push_local(&test.t, local, 1);
        operands_push_constant(&test.t, INT64_C(0x123456789abcdef), 2);
        operands_push_local(&test.t, local, 1);
        int reg = operands_get(&test.t, 3, false);
        operands_pop(&test.t, 1);
        operands_flush(&test.t);
        assert_true(test.t.registers[reg].pinned);
        assert_int_equal(test.t.registers[reg].local, local);
        operands_pop(&test.t, 3);
    }
    munmap(code, CODE_BYTES);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs), cmocka_unit_test(flush_keeps_pinned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
