// The abstract operand stack: see operandstack.h.
#include "vm/template/operandstack.h"

#include <string.h>

#include "base/invariant.h"

// In order of preference: instructions with the first ones need no prefix.
static const uint8_t scratch[] = {REG_AX, REG_CX, REG_DX, REG_SI, REG_DI, REG_8, REG_9, REG_10, REG_11};

AsmMemory operands_home(uint32_t index) {
    return asm_at(REG_FRAME, (int64_t)sizeof(Frame) + (int64_t)sizeof(Slot) * index);
}

AsmMemory operands_local(const Translation *t, uint32_t local) {
    return asm_at(REG_FRAME, (int64_t)sizeof(Slot) * ((int64_t)local - t->frame_locals));
}

// ---- registers ----------------------------------------------------------------------------------

void operands_unpin(Translation *t) {
    for (int r = 0; r < REGISTERS; r++) t->registers[r].pinned = t->vectors[r].pinned = false;
}

static void release(Translation *t, Operand *o) {
    if (o->place == AT_REGISTER) t->registers[o->reg].uses--;
    else if (o->place == AT_VECTOR) t->vectors[o->reg].uses--;
}

void operands_store(Translation *t, const Operand *o, AsmMemory to, int scratch_register) {
    switch ((Place)o->place) {
        case AT_HOME:
        case AT_NOTHING: break;
        case AT_CONSTANT:
            if (o->value == (int32_t)o->value) {
                asm_store_immediate(&t->a, true, to, (int32_t)o->value);
                break;
            }
            asm_constant(&t->a, scratch_register, (uint64_t)o->value);
            asm_mr(&t->a, ASM_MOV, true, to, scratch_register);
            break;
        case AT_LOCAL:
            asm_rm(&t->a, ASM_MOV, true, scratch_register, operands_local(t, o->local));
            asm_mr(&t->a, ASM_MOV, true, to, scratch_register);
            break;
        case AT_REGISTER: asm_mr(&t->a, ASM_MOV, true, to, o->reg); break;
        case AT_VECTOR: asm_mr(&t->a, ASM_MOVD, false, to, o->reg); break;
    }
}

// Stores all operands of the register to their homes.
static void spill(Translation *t, Place place, int reg) {
    for (uint32_t i = 0; i < t->depth; i++) {
        Operand *o = &t->stack[i];
        if (o->place != place || o->reg != reg) continue;
        operands_store(t, o, operands_home(i), REG_NONE);
        release(t, o);
        o->place = AT_HOME;
    }
}

static int take(Translation *t, RegisterState *states, const uint8_t *order, int count, Place place) {
    int found = -1;
    for (int i = 0; i < count; i++) {
        const RegisterState *s = &states[order[i]];
        if (s->pinned || s->uses) continue;
        if (s->local < 0) {
            found = order[i];
            break;
        }
        if (found < 0) found = order[i];
    }
    // The deepest operand will be needed last.
    for (uint32_t i = 0; found < 0 && i < t->depth; i++) {
        const Operand *o = &t->stack[i];
        if (o->place != place || states[o->reg].pinned) continue;
        found = o->reg;
        spill(t, place, found);
    }
    ASSERT(found >= 0, "an instruction of %s pins all registers", t->m->name->text);
    states[found] = (RegisterState){.pinned = true, .local = -1};
    return found;
}

int operands_new(Translation *t) { return take(t, t->registers, scratch, sizeof scratch, AT_REGISTER); }

int operands_new_vector(Translation *t) {
    static const uint8_t order[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return take(t, t->vectors, order, sizeof order, AT_VECTOR);
}

void operands_claim(Translation *t, int reg) {
    RegisterState *s = &t->registers[reg];
    ASSERT(!s->pinned, "register %d is needed twice", reg);
    if (s->uses) {
        s->pinned = true;  // so that operands_new does not choose it
        int to = operands_new(t);
        asm_rr(&t->a, ASM_MOV, true, to, reg);
        RegisterState *n = &t->registers[to];
        n->uses = s->uses;
        n->local = s->local;
        n->clean = s->clean;
        n->pinned = false;
        for (uint32_t i = 0; i < t->depth; i++)
            if (t->stack[i].place == AT_REGISTER && t->stack[i].reg == reg) t->stack[i].reg = (uint8_t)to;
    }
    *s = (RegisterState){.pinned = true, .local = -1};
}

void operands_forget(Translation *t) {
    for (int r = 0; r < REGISTERS; r++) {
        ASSERT(!t->registers[r].uses && !t->vectors[r].uses, "register %d is in use where a block of %s begins", r,
               t->m->name->text);
        t->registers[r] = t->vectors[r] = (RegisterState){.local = -1};
    }
    t->nonnull = t->receiver_kept;
}

static int find_local(const RegisterState *states, uint32_t local) {
    for (int r = 0; r < REGISTERS; r++)
        if (states[r].local == (int32_t)local) return r;
    return -1;
}

// ---- operands -----------------------------------------------------------------------------------

static void put_in(Translation *t, Operand *o, Place place, int reg, bool clean) {
    RegisterState *s = place == AT_REGISTER ? &t->registers[reg] : &t->vectors[reg];
    s->uses++;
    s->pinned = true;
    *o = (Operand){.place = (uint8_t)place, .reg = (uint8_t)reg, .clean = clean};
}

int operands_get(Translation *t, uint32_t index, bool wide) {
    ASSERT(index < t->depth, "operand %u of %u in %s", index, t->depth, t->m->name->text);
    Operand *o = &t->stack[index];
    if (o->place == AT_REGISTER) {
        t->registers[o->reg].pinned = true;
        return o->reg;
    }
    Operand old = *o;
    int reg, vector;
    switch ((Place)old.place) {
        case AT_LOCAL:
            reg = find_local(t->registers, old.local);
            if (reg >= 0) {
                put_in(t, o, AT_REGISTER, reg, t->registers[reg].clean);
                return reg;
            }
            vector = find_local(t->vectors, old.local);
            reg = operands_new(t);
            if (vector >= 0) {
                asm_rr(&t->a, ASM_VECTOR_TO_BITS, wide, reg, vector);
            } else {
                asm_rm(&t->a, ASM_MOV, wide, reg, operands_local(t, old.local));
                t->registers[reg].local = (int32_t)old.local;
                t->registers[reg].clean = !wide;
            }
            break;
        case AT_CONSTANT:
            reg = operands_new(t);
            asm_constant(&t->a, reg, wide ? (uint64_t)old.value : (uint32_t)old.value);
            break;
        case AT_VECTOR:
            reg = operands_new(t);
            asm_rr(&t->a, ASM_VECTOR_TO_BITS, wide, reg, old.reg);
            break;
        default: reg = operands_new(t); asm_rm(&t->a, ASM_MOV, wide, reg, operands_home(index));
    }
    o = &t->stack[index];
    if (o->place == AT_VECTOR) release(t, o);
    put_in(t, o, AT_REGISTER, reg, !wide);
    return reg;
}

int operands_get_index(Translation *t, uint32_t index) {
    int reg = operands_get(t, index, false);
    Operand *o = &t->stack[index];
    if (o->clean) return reg;
    asm_rr(&t->a, ASM_MOV, false, reg, reg);  // other operands in the register are ints as well
    o->clean = true;
    t->registers[reg].clean = true;
    return reg;
}

int operands_own(Translation *t, uint32_t index, bool wide) {
    int reg = operands_get(t, index, wide);
    if (t->registers[reg].uses == 1 && t->registers[reg].local < 0) return reg;
    int copy = operands_new(t);
    asm_rr(&t->a, ASM_MOV, wide, copy, reg);
    Operand *o = &t->stack[index];
    if (o->place == AT_REGISTER) release(t, o);
    put_in(t, o, AT_REGISTER, copy, !wide);
    return copy;
}

int operands_get_vector(Translation *t, uint32_t index, bool wide) {
    ASSERT(index < t->depth, "operand %u of %u in %s", index, t->depth, t->m->name->text);
    Operand *o = &t->stack[index];
    AsmOp move = wide ? ASM_MOVD : ASM_MOVS;
    if (o->place == AT_VECTOR) {
        t->vectors[o->reg].pinned = true;
        return o->reg;
    }
    int reg, integer;
    if (o->place == AT_LOCAL) {
        reg = find_local(t->vectors, o->local);
        if (reg >= 0) {
            put_in(t, o, AT_VECTOR, reg, false);
            return reg;
        }
        reg = operands_new_vector(t);
        integer = find_local(t->registers, o->local);
        if (integer >= 0) asm_rr(&t->a, ASM_BITS_TO_VECTOR, wide, reg, integer);
        else asm_rm(&t->a, move, false, reg, operands_local(t, o->local));
        t->vectors[reg].local = (int32_t)o->local;
    } else {
        reg = operands_new_vector(t);
        o = &t->stack[index];
        if (o->place == AT_CONSTANT && o->value == 0) {
            asm_rr(&t->a, ASM_XORV, false, reg, reg);
        } else if (o->place == AT_HOME) {
            asm_rm(&t->a, move, false, reg, operands_home(index));
        } else {
            integer = operands_get(t, index, wide);
            asm_rr(&t->a, ASM_BITS_TO_VECTOR, wide, reg, integer);
        }
    }
    o = &t->stack[index];
    release(t, o);
    put_in(t, o, AT_VECTOR, reg, false);
    return reg;
}

int operands_own_vector(Translation *t, uint32_t index, bool wide) {
    int reg = operands_get_vector(t, index, wide);
    if (t->vectors[reg].uses == 1 && t->vectors[reg].local < 0) return reg;
    int copy = operands_new_vector(t);
    asm_rr(&t->a, ASM_MOVV, false, copy, reg);
    Operand *o = &t->stack[index];
    release(t, o);
    put_in(t, o, AT_VECTOR, copy, false);
    return copy;
}

bool operands_in_memory(const Translation *t, uint32_t index, AsmMemory *at) {
    const Operand *o = &t->stack[index];
    if (o->place == AT_HOME) {
        *at = operands_home(index);
        return true;
    }
    if (o->place != AT_LOCAL || find_local(t->registers, o->local) >= 0 || find_local(t->vectors, o->local) >= 0)
        return false;
    *at = operands_local(t, o->local);
    return true;
}

bool operands_constant(const Translation *t, uint32_t index, int32_t *value) {
    const Operand *o = &t->stack[index];
    if (o->place != AT_CONSTANT || o->value != (int32_t)o->value) return false;
    *value = (int32_t)o->value;
    return true;
}

// The local variable whose value the operand has, or -1 if none is known.
static int local_of(const Translation *t, uint32_t index) {
    const Operand *o = &t->stack[index];
    if (o->place == AT_LOCAL) return o->local;
    return o->place == AT_REGISTER ? t->registers[o->reg].local : -1;
}

bool operands_nonnull(const Translation *t, uint32_t index) {
    int local = local_of(t, index);
    return local >= 0 && local < 64 && t->nonnull >> local & 1;
}

void operands_set_nonnull(Translation *t, uint32_t index) {
    int local = local_of(t, index);
    if (local >= 0 && local < 64) t->nonnull |= UINT64_C(1) << local;
}

// ---- pushing and popping --------------------------------------------------------------------------

void operands_pop(Translation *t, uint32_t slots) {
    ASSERT(slots <= t->depth, "%u of %u operands of %s", slots, t->depth, t->m->name->text);
    while (slots--) release(t, &t->stack[--t->depth]);
}

static Operand *push(Translation *t, uint32_t slots) {
    ASSERT(t->depth + slots <= t->max_depth, "%u operands of %s", t->depth + slots, t->m->name->text);
    Operand *o = &t->stack[t->depth];
    if (slots == 2) o[1] = (Operand){.place = AT_NOTHING};
    t->depth += slots;
    return o;
}

void operands_push_constant(Translation *t, int64_t value, uint32_t slots) {
    *push(t, slots) = (Operand){.place = AT_CONSTANT, .value = value};
}

void operands_push_local(Translation *t, uint32_t local, uint32_t slots) {
    *push(t, slots) = (Operand){.place = AT_LOCAL, .local = (uint16_t)local};
}

void operands_push_register(Translation *t, int reg, bool clean, uint32_t slots) {
    put_in(t, push(t, slots), AT_REGISTER, reg, clean);
}

void operands_push_vector(Translation *t, int reg, uint32_t slots) { put_in(t, push(t, slots), AT_VECTOR, reg, false); }

void operands_push_home(Translation *t, uint32_t slots) { *push(t, slots) = (Operand){.place = AT_HOME}; }

// ---- memory ---------------------------------------------------------------------------------------

void operands_flush(Translation *t) {
    uint32_t pinned = 0;  // pinned by the instruction, which has popped its operands and still needs them
    for (int r = 0; r < REGISTERS; r++) pinned |= (uint32_t)t->registers[r].pinned << r;
    for (uint32_t i = 0; i < t->depth; i++) {
        Operand *o = &t->stack[i];
        if (o->place == AT_HOME || o->place == AT_NOTHING) continue;
        bool reads = o->place == AT_LOCAL || (o->place == AT_CONSTANT && o->value != (int32_t)o->value);
        if (reads) operands_get(t, i, true);
        o = &t->stack[i];
        if (o->place != AT_HOME) operands_store(t, o, operands_home(i), REG_NONE);
        if (reads && o->place == AT_REGISTER) t->registers[o->reg].pinned = pinned >> o->reg & 1;
        release(t, o);
        o->place = AT_HOME;
    }
}

// Reads the local variable for the operands that stand for it, before it changes.
static void keep_old(Translation *t, uint32_t local, uint32_t except) {
    for (uint32_t i = 0; i < t->depth; i++)
        if (i != except && t->stack[i].place == AT_LOCAL && t->stack[i].local == local) operands_get(t, i, true);
}

static void forget_local(Translation *t, uint32_t local) {
    for (int r = 0; r < REGISTERS; r++) {
        if (t->registers[r].local == (int32_t)local) t->registers[r].local = -1;
        if (t->vectors[r].local == (int32_t)local) t->vectors[r].local = -1;
    }
    if (local < 64) t->nonnull &= ~(UINT64_C(1) << local);
}

void operands_set_local(Translation *t, uint32_t local, uint32_t index, uint32_t slots) {
    Operand *o = &t->stack[index];
    if (o->place == AT_LOCAL && o->local == local) {
        operands_pop(t, slots);
        return;
    }
    keep_old(t, local, index);
    bool nonnull = operands_nonnull(t, index);
    if (o->place == AT_CONSTANT && o->value == (int32_t)o->value) {
        asm_store_immediate(&t->a, true, operands_local(t, local), (int32_t)o->value);
        forget_local(t, local);
    } else {
        if (o->place != AT_VECTOR) operands_get(t, index, true);
        o = &t->stack[index];
        operands_store(t, o, operands_local(t, local), REG_NONE);
        forget_local(t, local);
        RegisterState *s = o->place == AT_VECTOR ? &t->vectors[o->reg] : &t->registers[o->reg];
        s->local = (int32_t)local;
        s->clean = o->clean;
    }
    if (nonnull && local < 64) t->nonnull |= UINT64_C(1) << local;
    operands_pop(t, slots);
}

void operands_local_register(Translation *t, uint32_t local, int reg) {
    keep_old(t, local, UINT32_MAX);
    asm_mr(&t->a, ASM_MOV, true, operands_local(t, local), reg);
    forget_local(t, local);
    t->registers[reg].local = (int32_t)local;
    t->registers[reg].clean = true;
}

void operands_shuffle(Translation *t, uint32_t count, const uint8_t *from, uint32_t new_count) {
    Operand old[4];
    uint32_t bottom = t->depth - count;
    for (uint32_t i = 0; i < count; i++)
        if (t->stack[bottom + i].place == AT_HOME) operands_get(t, bottom + i, true);
    for (uint32_t i = 0; i < count; i++) old[i] = t->stack[bottom + i];
    operands_pop(t, count);
    for (uint32_t i = 0; i < new_count; i++) {
        Operand *o = &t->stack[t->depth++];
        *o = old[from[i]];
        if (o->place == AT_REGISTER) t->registers[o->reg].uses++;
        else if (o->place == AT_VECTOR) t->vectors[o->reg].uses++;
    }
}
