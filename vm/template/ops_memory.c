// Fields and arrays.
//
// A type is one of the letters z b c s i l a, as in the names of the interpreter's operations; i includes floats, l
// doubles.
#include <stddef.h>

#include "base/invariant.h"
#include "vm/objects/classes.h"
#include "vm/template/helpers.h"
#include "vm/template/translate.h"

static bool is_wide(int type) { return type == 'l' || type == 'a'; }
static uint32_t slots_of(int type) { return type == 'l' ? 2 : 1; }

// Loads into a new register, pops `slots` operands and pushes the register.
static void load(Translation *t, int type, AsmMemory from, uint32_t slots) {
    static const uint8_t ops[128] = {['b'] = ASM_MOVSX8, ['c'] = ASM_MOVZX16, ['s'] = ASM_MOVSX16,
                                     ['i'] = ASM_MOV,    ['l'] = ASM_MOV,     ['a'] = ASM_MOV};
    int reg = operands_new(t);
    asm_rm(&t->a, (AsmOp)ops[type], is_wide(type), reg, from);
    operands_pop(t, slots);
    operands_push_register(t, reg, !is_wide(type), slots_of(type));
}

// Stores the operand at `index`.
static void store(Translation *t, int type, uint32_t index, AsmMemory to) {
    const Operand *o = &t->stack[index];
    bool wide = is_wide(type);
    int32_t value;
    int reg;
    if (type == 'i' || wide) {
        if (operands_constant(t, index, &value)) asm_store_immediate(&t->a, wide, to, value);
        else if (o->place == AT_VECTOR)
            asm_mr(&t->a, wide ? ASM_MOVD : ASM_MOVS, false, to, operands_get_vector(t, index, wide));
        else asm_mr(&t->a, ASM_MOV, wide, to, operands_get(t, index, wide));
        return;
    }
    if (type == 'z') {
        reg = operands_own(t, index, false);
        asm_ri(&t->a, ASM_AND, false, reg, 1);
    } else {
        reg = operands_get(t, index, false);
    }
    asm_mr(&t->a, type == 's' ? ASM_STORE16 : ASM_STORE8, false, to, reg);
}

// Marks the card of a place that a reference has been stored to, unless that is null: the operand at `index`.
static void mark_card(Translation *t, BarrierSite site, uint32_t index, AsmMemory place) {
    int32_t null;
    if (!barrier.cards || operands_constant(t, index, &null)) return;
    int card = operands_new(t), base = operands_new(t);
    asm_rm(&t->a, ASM_LEA, false, card, place);
    asm_shift(&t->a, ASM_SHR, false, card, BARRIER_CARD_SHIFT);
    asm_constant(&t->a, base, (uintptr_t)barrier.cards);
    asm_store_byte(&t->a, asm_indexed(base, card, 0, 0), 1);
    if (!barrier.counts) return;
    asm_constant(&t->a, base, (uintptr_t)&barrier.counts[site]);
    asm_mi(&t->a, ASM_ADD, true, asm_at(base, 0), 1);
}

// ---- fields ---------------------------------------------------------------------------------------

static AsmMemory static_field(Translation *t) {
    int reg = operands_new(t);
    asm_constant(&t->a, reg, (uintptr_t)t->code[t->word + 1].p);
    return asm_at(reg, 0);
}

void ops_getstatic(Translation *t, int type, int other) {
    (void)other;
    load(t, type, static_field(t), 0);
}

void ops_putstatic(Translation *t, int type, int other) {
    (void)other;
    uint32_t slots = slots_of(type);
    AsmMemory to = static_field(t);
    store(t, type, t->depth - slots, to);
    if (type == 'a') mark_card(t, BARRIER_template_putstatic, t->depth - 1, to);
    operands_pop(t, slots);
}

// The processor orders loads, so volatile loads need nothing more.
void ops_getfield(Translation *t, int type, int other) {
    (void)other;
    int object = operands_get(t, t->depth - 1, true);
    translate_null_check(t, t->depth - 1, object);
    load(t, type, asm_at(object, t->insn.b), 1);
}

void ops_putfield(Translation *t, int type, int other) {
    (void)other;
    uint32_t slots = slots_of(type), index = t->depth - 1 - slots;
    int object = operands_get(t, index, true);
    translate_null_check(t, index, object);
    store(t, type, t->depth - slots, asm_at(object, t->insn.b));
    if (type == 'a') mark_card(t, BARRIER_template_putfield, t->depth - 1, asm_at(object, t->insn.b));
    operands_pop(t, 1 + slots);
}

static int volatile_type(int type) {
    switch (type) {
        case 'Z': return 'z';
        case 'B': return 'b';
        case 'C':
        case 'S': return 's';
        case 'I':
        case 'F': return 'i';
        case 'J':
        case 'D': return 'l';
        default: return 'a';
    }
}

void ops_volatile_put(Translation *t, int is_static, int other) {
    (void)other;
    int type = volatile_type(t->insn.a);
    if (is_static) ops_putstatic(t, type, 0);
    else ops_putfield(t, type, 0);
    asm_fence(&t->a);
}

// ---- arrays ---------------------------------------------------------------------------------------

static AsmMemory length_of(int array) { return asm_at(array, offsetof(Object, length)); }

// The address of an array element, after the checks for null and bounds. The array is the operand at `index`, followed
// by the element's index.
static AsmMemory element(Translation *t, uint32_t index, unsigned shift) {
    int array = operands_get(t, index, true);
    int32_t value;
    translate_null_check(t, index, array);
    if (operands_constant(t, index + 1, &value) && value >= 0 && value < 1 << 24) {
        asm_mi(&t->a, ASM_CMP, false, length_of(array), value);
        translate_exit_if(t, CC_BELOW_EQUAL);
        return asm_at(array, ARRAY_BASE + ((int64_t)value << shift));
    }
    int i = operands_get_index(t, index + 1);
    asm_rm(&t->a, ASM_CMP, false, i, length_of(array));
    translate_exit_if(t, CC_ABOVE_EQUAL);
    return asm_indexed(array, i, shift, ARRAY_BASE);
}

void ops_array_load(Translation *t, int type, int shift) {
    load(t, type, element(t, t->depth - 2, (unsigned)shift), 2);
}

// bastore is for arrays of booleans and of bytes. In an array of booleans it keeps the value's lowest bit.
static void mask_boolean(Translation *t, int array, uint32_t index) {
    int32_t value;
    if (operands_constant(t, index, &value) && (value & 1) == value) return;
    int reg = operands_own(t, index, false), vtable = operands_new(t);
    asm_rm(&t->a, ASM_MOV, true, vtable, asm_at(array, offsetof(Object, vt)));
    asm_rm(&t->a, ASM_MOV, true, vtable, asm_at(vtable, offsetof(VTable, cls)));
    asm_rm(&t->a, ASM_MOV, true, vtable, asm_at(vtable, offsetof(Class, component)));
    asm_rm(&t->a, ASM_MOVZX8, false, vtable, asm_at(vtable, offsetof(Class, prim)));
    asm_ri(&t->a, ASM_CMP, false, vtable, 'Z');
    AsmJump bytes = asm_jump_if_near(&t->a, CC_NOT_EQUAL);
    asm_ri(&t->a, ASM_AND, false, reg, 1);
    asm_bind_near(&t->a, bytes);
}

void ops_array_store(Translation *t, int type, int shift) {
    uint32_t slots = slots_of(type), index = t->depth - slots - 2;
    AsmMemory to = element(t, index, (unsigned)shift);
    if (type == 'b') mask_boolean(t, to.base, t->depth - 1);
    store(t, type, t->depth - slots, to);
    operands_pop(t, 2 + slots);
}

// The fast path is for a value whose class is the array's element class.
void ops_reference_store(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    Asm *a = &t->a;
    uint32_t index = t->depth - 3;
    int32_t null;
    if (!operands_constant(t, t->depth - 1, &null)) {
        operands_flush(t);
        operands_forget(t);
        asm_rm(a, ASM_MOV, true, REG_SI, operands_home(t->depth - 1));
        asm_rm(a, ASM_MOV, true, REG_DI, operands_home(index));
        asm_rr(a, ASM_TEST, true, REG_DI, REG_DI);
        translate_exit_if(t, CC_EQUAL);
        asm_rr(a, ASM_TEST, true, REG_SI, REG_SI);
        AsmJump is_null = asm_jump_if_near(a, CC_EQUAL);
        asm_rm(a, ASM_MOV, true, REG_AX, asm_at(REG_DI, offsetof(Object, vt)));
        asm_rm(a, ASM_MOV, true, REG_AX, asm_at(REG_AX, offsetof(VTable, cls)));
        asm_rm(a, ASM_MOV, true, REG_AX, asm_at(REG_AX, offsetof(Class, component)));
        asm_rm(a, ASM_MOV, true, REG_CX, asm_at(REG_SI, offsetof(Object, vt)));
        asm_rm(a, ASM_CMP, true, REG_AX, asm_at(REG_CX, offsetof(VTable, cls)));
        AsmJump same = asm_jump_if_near(a, CC_EQUAL);
        translate_call_c(t, (const void *)(uintptr_t)helper_array_takes);
        asm_test_byte(a, REG_AX, UINT8_MAX);
        translate_exit_if(t, CC_EQUAL);
        asm_bind_near(a, same);
        asm_bind_near(a, is_null);
    }
    AsmMemory to = element(t, index, 3);
    store(t, 'a', t->depth - 1, to);
    mark_card(t, BARRIER_template_aastore, t->depth - 1, to);
    operands_pop(t, 3);
}

void ops_array_length(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    int array = operands_get(t, t->depth - 1, true);
    translate_null_check(t, t->depth - 1, array);
    load(t, 'i', length_of(array), 1);
}
