// Instructions that compute: constants, locals, the operand stack, arithmetic, conversions, comparisons.
#include "vm/template/translate.h"

#include "vm/template/branches.h"

void ops_constant(Translation *t, int argument, int other) {
    (void)other;
    operands_push_constant(t, argument ? 0 : t->insn.b, 1);  // argument: null
}

void ops_constant_wide(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    operands_push_constant(t, t->code[t->word + 1].l, 2);
}

// The reference lies in memory that the collector knows.
void ops_constant_reference(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    int reg = operands_new(t);
    asm_constant(&t->a, reg, (uintptr_t)t->code[t->word + 1].p);
    asm_rm(&t->a, ASM_MOV, true, reg, asm_at(reg, 0));
    operands_push_register(t, reg, false, 1);
}

void ops_load(Translation *t, int slots, int other) {
    (void)other;
    operands_push_local(t, t->insn.a, (uint32_t)slots);
}

void ops_store(Translation *t, int slots, int other) {
    (void)other;
    operands_set_local(t, t->insn.a, t->depth - (uint32_t)slots, (uint32_t)slots);
}

void ops_increment(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    operands_push_local(t, t->insn.a, 1);
    int reg = operands_own(t, t->depth - 1, false);
    asm_ri(&t->a, ASM_ADD, false, reg, t->insn.b);
    operands_pop(t, 1);
    operands_local_register(t, t->insn.a, reg);
}

void ops_pop(Translation *t, int slots, int other) {
    (void)other;
    operands_pop(t, (uint32_t)slots);
}

void ops_shuffle(Translation *t, int which, int other) {
    (void)other;
    static const struct {
        uint8_t count, new_count, from[6];
    } patterns[] = {
        [SHUFFLE_DUP] = {1, 2, {0, 0}},
        [SHUFFLE_DUP_X1] = {2, 3, {1, 0, 1}},
        [SHUFFLE_DUP_X2] = {3, 4, {2, 0, 1, 2}},
        [SHUFFLE_DUP2] = {2, 4, {0, 1, 0, 1}},
        [SHUFFLE_DUP2_X1] = {3, 5, {1, 2, 0, 1, 2}},
        [SHUFFLE_DUP2_X2] = {4, 6, {2, 3, 0, 1, 2, 3}},
        [SHUFFLE_SWAP] = {2, 2, {1, 0}},
    };
    operands_shuffle(t, patterns[which].count, patterns[which].from, patterns[which].new_count);
}

// ---- integers -------------------------------------------------------------------------------------

static void replace(Translation *t, uint32_t slots, int reg, bool wide) {
    operands_pop(t, slots);
    operands_push_register(t, reg, !wide, wide ? 2 : 1);
}

void ops_int(Translation *t, int op, int wide) {
    uint32_t slots = wide ? 2 : 1, b = t->depth - slots, a = b - slots;
    int32_t value;
    AsmMemory at;
    int reg;
    if (operands_constant(t, b, &value)) {
        reg = operands_own(t, a, wide);
        asm_ri(&t->a, (AsmOp)op, wide, reg, value);
    } else if (operands_in_memory(t, b, &at)) {
        reg = operands_own(t, a, wide);
        asm_rm(&t->a, (AsmOp)op, wide, reg, at);
    } else {
        int from = operands_get(t, b, wide);
        reg = operands_own(t, a, wide);
        asm_rr(&t->a, (AsmOp)op, wide, reg, from);
    }
    replace(t, 2 * slots, reg, wide);
}

void ops_multiply(Translation *t, int argument, int wide) {
    uint32_t slots = wide ? 2 : 1, b = t->depth - slots, a = b - slots;
    int32_t value;
    (void)argument;
    if (!operands_constant(t, b, &value)) {
        ops_int(t, ASM_IMUL, wide);
        return;
    }
    int from = operands_get(t, a, wide), reg = operands_new(t);
    asm_multiply(&t->a, wide, reg, from, value);
    replace(t, 2 * slots, reg, wide);
}

void ops_shift(Translation *t, int op, int wide) {
    uint32_t slots = wide ? 2 : 1, b = t->depth - 1, a = b - slots;
    int32_t value;
    int reg;
    if (operands_constant(t, b, &value)) {
        reg = operands_own(t, a, wide);
        asm_shift(&t->a, (AsmOp)op, wide, reg, (unsigned)value & (wide ? 63 : 31));
    } else {
        operands_claim(t, REG_CX);
        int count = operands_get(t, b, false);
        reg = operands_own(t, a, wide);
        asm_rr(&t->a, ASM_MOV, false, REG_CX, count);
        asm_shift_cx(&t->a, (AsmOp)op, wide, reg);
    }
    replace(t, slots + 1, reg, wide);
}

// A divisor of -1 is handled apart, because the processor traps when it divides the smallest number by it.
void ops_divide(Translation *t, int remainder, int wide) {
    uint32_t slots = wide ? 2 : 1, b = t->depth - slots, a = b - slots;
    int32_t value = 0;
    bool safe = operands_constant(t, b, &value) && value != 0 && value != -1;
    operands_claim(t, REG_AX);
    operands_claim(t, REG_DX);
    int divisor = operands_get(t, b, wide), dividend = operands_get(t, a, wide);
    if (!safe) {
        asm_rr(&t->a, ASM_TEST, wide, divisor, divisor);
        translate_exit_if(t, CC_EQUAL);
    }
    asm_rr(&t->a, ASM_MOV, wide, REG_AX, dividend);
    AsmJump done = 0;
    if (!safe) {
        asm_ri(&t->a, ASM_CMP, wide, divisor, -1);
        AsmJump usual = asm_jump_if_near(&t->a, CC_NOT_EQUAL);
        asm_unary(&t->a, ASM_NEG, wide, REG_AX);
        asm_rr(&t->a, ASM_XOR, false, REG_DX, REG_DX);
        done = asm_jump_near(&t->a);
        asm_bind_near(&t->a, usual);
    }
    asm_extend_ax(&t->a, wide);
    asm_unary(&t->a, ASM_IDIV, wide, divisor);
    if (!safe) asm_bind_near(&t->a, done);
    replace(t, 2 * slots, remainder ? REG_DX : REG_AX, wide);
}

void ops_negate(Translation *t, int argument, int wide) {
    (void)argument;
    uint32_t slots = wide ? 2 : 1;
    int reg = operands_own(t, t->depth - slots, wide);
    asm_unary(&t->a, ASM_NEG, wide, reg);
    replace(t, slots, reg, wide);
}

void ops_narrow(Translation *t, int op, int other) {
    (void)other;
    int from = operands_get(t, t->depth - 1, false), reg = operands_new(t);
    asm_rr(&t->a, (AsmOp)op, false, reg, from);
    replace(t, 1, reg, false);
}

void ops_int_to_long(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    int from = operands_get(t, t->depth - 1, false), reg = operands_new(t);
    asm_rr(&t->a, ASM_MOVSX32, true, reg, from);
    replace(t, 1, reg, true);
}

void ops_long_to_int(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    int reg = operands_own(t, t->depth - 2, true);
    asm_rr(&t->a, ASM_MOV, false, reg, reg);
    replace(t, 2, reg, false);
}

// ---- floats and doubles -----------------------------------------------------------------------------

static void replace_vector(Translation *t, uint32_t slots, int reg, uint32_t new_slots) {
    operands_pop(t, slots);
    operands_push_vector(t, reg, new_slots);
}

void ops_float(Translation *t, int op, int wide) {
    uint32_t slots = wide ? 2 : 1, b = t->depth - slots, a = b - slots;
    AsmMemory at;
    int reg;
    if (operands_in_memory(t, b, &at)) {
        reg = operands_own_vector(t, a, wide);
        asm_rm(&t->a, (AsmOp)op, false, reg, at);
    } else {
        int from = operands_get_vector(t, b, wide);
        reg = operands_own_vector(t, a, wide);
        asm_rr(&t->a, (AsmOp)op, false, reg, from);
    }
    replace_vector(t, 2 * slots, reg, slots);
}

// Negation flips the sign bit, also of a NaN.
void ops_float_negate(Translation *t, int argument, int wide) {
    (void)argument;
    uint32_t slots = wide ? 2 : 1;
    int reg = operands_own(t, t->depth - slots, wide);
    if (wide) {
        int sign = operands_new(t);
        asm_constant(&t->a, sign, UINT64_C(1) << 63);
        asm_rr(&t->a, ASM_XOR, true, reg, sign);
    } else {
        asm_ri(&t->a, ASM_XOR, false, reg, INT32_MIN);
    }
    replace(t, slots, reg, wide);
}

void ops_remainder(Translation *t, int argument, int wide) {
    (void)argument;
    uint32_t slots = wide ? 2 : 1;
    operands_flush(t);
    asm_rm(&t->a, ASM_LEA, true, REG_DI, operands_home(t->depth - 2 * slots));
    translate_call_c(
        t, wide ? (const void *)(uintptr_t)helper_double_remainder : (const void *)(uintptr_t)helper_float_remainder);
    operands_forget(t);
    operands_pop(t, 2 * slots);
    operands_push_home(t, slots);
}

// `kind`: bit 0 for a long operand, bit 1 for a double result.
void ops_int_to_float(Translation *t, int op, int kind) {
    uint32_t slots = kind & 1 ? 2 : 1;
    int from = operands_get(t, t->depth - slots, kind & 1), reg = operands_new_vector(t);
    // Avoids a dependency on the old value, of which the conversion keeps the upper half.
    asm_rr(&t->a, ASM_XORV, false, reg, reg);
    asm_rr(&t->a, (AsmOp)op, kind & 1, reg, from);
    replace_vector(t, slots, reg, kind & 2 ? 2 : 1);
}

// The processor converts NaN and out-of-range values to the smallest number. In that case the interpreter converts.
void ops_float_to_int(Translation *t, int op, int wide) {
    bool from_double = op == ASM_D_TO_INT;
    uint32_t slots = from_double ? 2 : 1;
    int from = operands_get_vector(t, t->depth - slots, from_double), reg = operands_new(t);
    asm_rr(&t->a, (AsmOp)op, wide, reg, from);
    if (wide) {
        int smallest = operands_new(t);
        asm_constant(&t->a, smallest, UINT64_C(1) << 63);
        asm_rr(&t->a, ASM_CMP, true, reg, smallest);
    } else {
        asm_ri(&t->a, ASM_CMP, false, reg, INT32_MIN);
    }
    translate_exit_if(t, CC_EQUAL);
    replace(t, slots, reg, wide);
}

void ops_float_to_float(Translation *t, int op, int other) {
    (void)other;
    bool from_double = op == ASM_D_TO_S;
    uint32_t slots = from_double ? 2 : 1;
    int from = operands_get_vector(t, t->depth - slots, from_double), reg = operands_new_vector(t);
    asm_rr(&t->a, ASM_XORV, false, reg, reg);
    asm_rr(&t->a, (AsmOp)op, false, reg, from);
    replace_vector(t, slots, reg, 3 - slots);
}

// ---- comparisons, with the branch that follows ---------------------------------------------------------

void ops_long_compare(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    AsmCondition cc;
    int b = operands_get(t, t->depth - 2, true), a = operands_get(t, t->depth - 4, true);
    if (branches_follow(t, &cc)) {
        operands_pop(t, 4);
        operands_flush(t);
        asm_rr(&t->a, ASM_CMP, true, a, b);
        branches_take_next(t, cc);
        return;
    }
    int greater = operands_new(t), less = operands_new(t);
    asm_constant(&t->a, greater, 0);
    asm_constant(&t->a, less, 0);
    asm_rr(&t->a, ASM_CMP, true, a, b);
    asm_set(&t->a, CC_GREATER, greater);
    asm_set(&t->a, CC_LESS, less);
    asm_rr(&t->a, ASM_SUB, false, greater, less);
    replace(t, 4, greater, false);
}

// Pushes the result of a three-way comparison. For unordered operands it is `unordered`.
static void compare_to_register(Translation *t, AsmOp op, int a, int b, int unordered, uint32_t slots) {
    int reg = operands_new(t);
    asm_rr(&t->a, op, false, a, b);
    asm_constant(&t->a, reg, (uint32_t)unordered);
    AsmJump is_unordered = asm_jump_if_near(&t->a, CC_PARITY);
    AsmJump is_it = asm_jump_if_near(&t->a, unordered > 0 ? CC_ABOVE : CC_BELOW);
    asm_constant(&t->a, reg, 0);
    asm_set(&t->a, CC_NOT_EQUAL, reg);
    if (unordered > 0) asm_unary(&t->a, ASM_NEG, false, reg);
    asm_bind_near(&t->a, is_unordered);
    asm_bind_near(&t->a, is_it);
    replace(t, 2 * slots, reg, false);
}

// An unordered comparison sets the flags for below, equal and parity. The operands are compared in the order for which
// "above" is false, or "below" true, as the instruction requires for unordered operands.
void ops_float_compare(Translation *t, int unordered, int wide) {
    uint32_t slots = wide ? 2 : 1;
    AsmOp op = wide ? ASM_COMID : ASM_COMIS;
    AsmCondition cc;
    int b = operands_get_vector(t, t->depth - slots, wide), a = operands_get_vector(t, t->depth - 2 * slots, wide);
    if (!branches_follow(t, &cc)) {
        compare_to_register(t, op, a, b, unordered, slots);
        return;
    }
    operands_pop(t, 2 * slots);
    operands_flush(t);
    if (cc == CC_EQUAL || cc == CC_NOT_EQUAL) {
        asm_rr(&t->a, op, false, a, b);
        branches_take_next_float(t, cc);
        return;
    }
    bool wants_greater = cc == CC_GREATER || cc == CC_GREATER_EQUAL, strict = cc == CC_GREATER || cc == CC_LESS;
    bool when_unordered = wants_greater == (unordered > 0);
    bool swapped = wants_greater == when_unordered;
    asm_rr(&t->a, op, false, swapped ? b : a, swapped ? a : b);
    if (when_unordered) branches_take_next(t, strict ? CC_BELOW : CC_BELOW_EQUAL);
    else branches_take_next(t, strict ? CC_ABOVE : CC_ABOVE_EQUAL);
}
