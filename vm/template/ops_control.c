// Branches, switches and returns.
#include <string.h>

#include "base/invariant.h"
#include "vm/template/branches.h"
#include "vm/threads/thread.h"

void ops_nothing(Translation *t, int argument, int other) { (void)t, (void)argument, (void)other; }

// Emits a jump from the instruction at `from` to `target`, taken if the condition holds. `number`: of the branch's
// counter in exact profiles.
static void take(Translation *t, AsmCondition cc, uint32_t from, uint32_t target, uint32_t number) {
    translate_reaches(t, target);
    if (target > from && !t->counting) {
        translate_fix_up(t, (Fixup){asm_jump_if(&t->a, cc), target, 0});
        return;
    }
    AsmJump skip = asm_jump_if_near(&t->a, asm_negate(cc));
    if (t->counting) translate_count(t, number);
    if (target <= from) translate_backedge(t, target);
    translate_fix_up(t, (Fixup){asm_jump(&t->a), target, 0});
    asm_bind_near(&t->a, skip);
}

static void take_always(Translation *t, uint32_t from, uint32_t target, uint32_t number) {
    translate_reaches(t, target);
    if (t->counting) translate_count(t, number);
    if (target <= from) translate_backedge(t, target);
    translate_fix_up(t, (Fixup){asm_jump(&t->a), target, 0});
}

static uint32_t target_of(const Translation *t, uint32_t word) { return word + (uint32_t)t->code[word].b; }

bool branches_follow(const Translation *t, AsmCondition *cc) {
    if (translate_next_op(t) == INSN_COUNT || translate_reports(t, t->next)) return false;
    switch (translate_next_op(t)) {
        case INSN_ifeq: *cc = CC_EQUAL; return true;
        case INSN_ifne: *cc = CC_NOT_EQUAL; return true;
        case INSN_iflt: *cc = CC_LESS; return true;
        case INSN_ifge: *cc = CC_GREATER_EQUAL; return true;
        case INSN_ifgt: *cc = CC_GREATER; return true;
        case INSN_ifle: *cc = CC_LESS_EQUAL; return true;
        default: return false;
    }
}

void branches_take_next(Translation *t, AsmCondition cc) {
    uint32_t word = t->next;
    take(t, cc, word, target_of(t, word), t->code[word].a);
    t->next = word + 1;
}

void branches_take_next_float(Translation *t, AsmCondition cc) {
    uint32_t word = t->next, target = target_of(t, word), number = t->code[word].a;
    if (cc == CC_EQUAL) {
        AsmJump unordered = asm_jump_if(&t->a, CC_PARITY);
        take(t, CC_EQUAL, word, target, number);
        asm_bind(&t->a, unordered);
    } else {
        take(t, CC_PARITY, word, target, number);
        take(t, CC_NOT_EQUAL, word, target, number);
    }
    t->next = word + 1;
}

void ops_if_zero(Translation *t, int cc, int wide) {
    uint32_t index = t->depth - 1;
    int reg = operands_get(t, index, wide);
    // On the fall-through path of ifnull the operand is not null. The target begins a block, which assumes nothing.
    if (wide && cc == CC_EQUAL) operands_set_nonnull(t, index);
    operands_pop(t, 1);
    operands_flush(t);
    asm_rr(&t->a, ASM_TEST, wide, reg, reg);
    take(t, (AsmCondition)cc, t->word, target_of(t, t->word), t->insn.a);
}

void ops_if_pair(Translation *t, int cc, int wide) {
    int32_t value;
    AsmMemory at;
    int a, b;
    if (operands_constant(t, t->depth - 1, &value)) {
        a = operands_get(t, t->depth - 2, wide);
        operands_pop(t, 2);
        operands_flush(t);
        asm_ri(&t->a, ASM_CMP, wide, a, value);
    } else if (operands_in_memory(t, t->depth - 1, &at)) {
        a = operands_get(t, t->depth - 2, wide);
        operands_pop(t, 2);
        operands_flush(t);
        asm_rm(&t->a, ASM_CMP, wide, a, at);
    } else {
        b = operands_get(t, t->depth - 1, wide);
        a = operands_get(t, t->depth - 2, wide);
        operands_pop(t, 2);
        operands_flush(t);
        asm_rr(&t->a, ASM_CMP, wide, a, b);
    }
    take(t, (AsmCondition)cc, t->word, target_of(t, t->word), t->insn.a);
}

void ops_goto(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    operands_flush(t);
    take_always(t, t->word, target_of(t, t->word), t->insn.a);
    t->ended = true;
}

// ---- switches -------------------------------------------------------------------------------------

// A case that is a backedge, or that is counted, needs code before its jump.
static void table_entry(Translation *t, uint32_t at, uint32_t table, uint32_t target, uint32_t number) {
    translate_reaches(t, target);
    if (target > t->word && !t->counting) {
        Fixup f = {.jump = at, .word = target, .table = table};
        translate_fix_up(t, f);
        return;
    }
    uint32_t value = asm_here(&t->a) - table;
    if (!t->a.full) memcpy(t->a.begin + at, &value, sizeof value);
    take_always(t, t->word, target, number);
}

void ops_tableswitch(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    const int32_t *payload = (const int32_t *)(t->code + t->word + 1);
    uint32_t count = (uint32_t)payload[1];
    int reg = operands_own(t, t->depth - 1, false), table = operands_new(t);
    operands_pop(t, 1);
    operands_flush(t);
    if (payload[0]) asm_ri(&t->a, ASM_SUB, false, reg, payload[0]);
    else asm_rr(&t->a, ASM_MOV, false, reg, reg);
    asm_ri(&t->a, ASM_CMP, false, reg, (int32_t)count);
    take(t, CC_ABOVE_EQUAL, t->word, target_of(t, t->word), t->insn.a + count);
    AsmJump address = asm_address(&t->a, table);
    asm_rm(&t->a, ASM_MOVSX32, true, reg, asm_indexed(table, reg, 2, 0));
    asm_rr(&t->a, ASM_ADD, true, reg, table);
    asm_jump_register(&t->a, reg);
    asm_align(&t->a, 4);
    asm_bind(&t->a, address);
    uint32_t begin = asm_here(&t->a);
    for (uint32_t i = 0; i < count; i++) asm_word32(&t->a, 0);
    for (uint32_t i = 0; i < count; i++)
        table_entry(t, begin + 4 * i, begin, t->word + (uint32_t)payload[2 + i], t->insn.a + i);
    t->ended = true;
}

// Binary search among the cases from `first` to `end`.
static void search(Translation *t, int reg, const int32_t *cases, uint32_t first, uint32_t end) {
    enum { FEW = 4 };
    if (end - first > FEW) {
        uint32_t middle = (first + end) / 2;
        asm_ri(&t->a, ASM_CMP, false, reg, cases[2 * middle]);
        AsmJump below = asm_jump_if(&t->a, CC_LESS);
        search(t, reg, cases, middle, end);
        asm_bind(&t->a, below);
        search(t, reg, cases, first, middle);
        return;
    }
    for (uint32_t i = first; i < end; i++) {
        asm_ri(&t->a, ASM_CMP, false, reg, cases[2 * i]);
        take(t, CC_EQUAL, t->word, t->word + (uint32_t)cases[2 * i + 1], t->insn.a + i);
    }
    take_always(t, t->word, target_of(t, t->word), t->insn.a + (uint32_t)cases[-2]);
}

void ops_lookupswitch(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    const int32_t *payload = (const int32_t *)(t->code + t->word + 1);
    int reg = operands_get(t, t->depth - 1, false);
    operands_pop(t, 1);
    operands_flush(t);
    search(t, reg, payload + 2, 0, (uint32_t)payload[0]);
    t->ended = true;
}

// ---- returns --------------------------------------------------------------------------------------

// Loads the result into REG_RESULT and returns to Frame.resume of the caller.
void ops_return(Translation *t, int type, int other) {
    (void)other;
    Asm *a = &t->a;
    uint32_t slots = type == 'V' ? 0 : type == 'J' ? 2 : 1;
    if (slots) {
        bool wide = type == 'J' || type == 'L';
        int reg = operands_get(t, t->depth - slots, wide);
        switch (type) {
            case 'Z':
                if (reg != REG_RESULT) asm_rr(a, ASM_MOV, false, REG_RESULT, reg);
                asm_ri(a, ASM_AND, false, REG_RESULT, 1);
                break;
            case 'B': asm_rr(a, ASM_MOVSX8, false, REG_RESULT, reg); break;
            case 'C': asm_rr(a, ASM_MOVZX16, false, REG_RESULT, reg); break;
            case 'S': asm_rr(a, ASM_MOVSX16, false, REG_RESULT, reg); break;
            case 'I': asm_rr(a, ASM_MOV, false, REG_RESULT, reg); break;
            default:
                if (reg != REG_RESULT) asm_rr(a, ASM_MOV, true, REG_RESULT, reg);
        }
    }
    asm_rm(a, ASM_LEA, true, REG_ARGS, operands_local(t, 0));
    asm_rm(a, ASM_MOV, true, REG_FRAME, FRAME_AT(prev));
    asm_rm(a, ASM_MOV, true, REG_CX, FRAME_AT(resume));
    asm_rr(a, ASM_TEST, true, REG_CX, REG_CX);
    translate_leave(t, asm_jump_if(a, CC_EQUAL), template_stubs->return_exits[slots]);
    asm_jump_register(a, REG_CX);
    t->ended = true;
}

void ops_throw(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    operands_flush(t);
    asm_rm(&t->a, ASM_MOV, true, REG_DX, operands_home(t->depth - 1));
    asm_rr(&t->a, ASM_TEST, true, REG_DX, REG_DX);
    translate_exit_if(t, CC_EQUAL);
    translate_save(t, t->word, t->depth);
    asm_mr(&t->a, ASM_MOV, true, THREAD_AT(exception), REG_DX);
    translate_leave(t, asm_jump(&t->a), template_stubs->exits[TEMPLATE_THROWS]);
    t->ended = true;
}

static void unlock_slowly(Translation *t, const SlowCode *slow) {
    translate_save(t, slow->word, slow->depth);
    asm_rr(&t->a, ASM_MOV, true, REG_CX, REG_FRAME);
    translate_call_slow(t, SLOW_UNLOCK_METHOD);
    translate_slow_end(t, slow, false);
}

void ops_unlock(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    Asm *a = &t->a;
    operands_flush(t);
    operands_forget(t);
    asm_rm(a, ASM_MOV, true, REG_DX, FRAME_AT(monitor));
    asm_rm(a, ASM_MOV, false, REG_AX, THREAD_AT(thin_lock));
    asm_rr(a, ASM_XOR, false, REG_CX, REG_CX);
    SlowCode *slow = translate_slow(t, unlock_slowly, translate_exchange_lock(t));
    asm_store_immediate(a, true, FRAME_AT(monitor), 0);
    slow->back = asm_here(a);
}
