// Calls. The callee's arguments are the caller's topmost operands; its result takes their place.
#include <stddef.h>

#include "base/grow.h"
#include "vm/api/methodcounts.h"
#include "vm/instrument/scope.h"
#include "vm/interp/flowcounts.h"
#include "vm/interp/quicken.h"
#include "vm/objects/classes.h"
#include "vm/template/helpers.h"
#include "vm/template/translate.h"

static const void *payload(const Translation *t) { return __atomic_load_n(&t->code[t->word + 1].p, __ATOMIC_ACQUIRE); }

// Stores the pc, the address to resume at and the end of the operand stack into the frame. Requires all operands at
// home.
static void begin_call(Translation *t) {
    AsmJump load = asm_load_pair(&t->a, 0);
    asm_mr(&t->a, ASM_MOVUV, false, FRAME_AT(pc), 0);
    asm_rm(&t->a, ASM_LEA, true, REG_AX, operands_home(t->depth));
    asm_mr(&t->a, ASM_MOV, true, FRAME_AT(sp), REG_AX);
    if (!GROW(t->pairs, t->pair_room, t->pair_count + 1)) t->failed = true;
    else t->pairs[t->pair_count++] = (CallPair){load, t->word, 0};
}

// Calls the method in REG_METHOD with the topmost `slots` operands. The type of the result is that of `resolved`.
static void end_call(Translation *t, uint32_t slots, const Method *resolved, uint32_t first_exit) {
    asm_rm(&t->a, ASM_LEA, true, REG_ARGS, operands_home(t->depth - slots));
    asm_jump_memory(&t->a, asm_at(REG_METHOD, offsetof(Method, template_entry)));
    if (t->failed) return;
    t->pairs[t->pair_count - 1].resume = asm_here(&t->a);
    translate_resumes(t, slots, resolved->ret, first_exit);
}

// In exact profiles: sets REG_CALL, which says how the callee counts the call edge. `m`: the callee if it is certain,
// else NULL.
static void set_edge_flag(Translation *t, const Method *m) {
    if (!t->counting) return;
    uint32_t how = CALL_BY_HELPER, number = flow_call_number(&t->insn);
    if (interp_profile()->counts_calls && scope_visible(t->m)) {
        if (m && scope_visible(m)) how = 0;
        else if (!m && number != FLOW_NO_CALL) how = (uint32_t)sizeof(uint64_t) * number;
    }
    asm_constant(&t->a, REG_CALL, how);
}

// Stores all operands home and loads the receiver into REG_DI, checked for null.
static void load_receiver(Translation *t, uint32_t slots) {
    uint32_t index = t->depth - slots;
    bool nonnull = operands_nonnull(t, index);
    operands_flush(t);
    asm_rm(&t->a, ASM_MOV, true, REG_DI, operands_home(index));
    if (nonnull) return;
    asm_rr(&t->a, ASM_TEST, true, REG_DI, REG_DI);
    translate_exit_if(t, CC_EQUAL);
}

// Reports the receiver's class, once it is known that the call is made. Keeps REG_METHOD, and REG_DI if it has the
// receiver.
static void report_receiver(Translation *t, uint32_t slots) {
    if (!translate_reports(t, t->word)) return;
    asm_rr(&t->a, ASM_MOV, true, REG_14, REG_METHOD);
    translate_report(t, PLACE_SELECT);
    asm_rr(&t->a, ASM_MOV, true, REG_METHOD, REG_14);
    asm_rm(&t->a, ASM_MOV, true, REG_DI, operands_home(t->depth - slots));
}

// Counts the receiver's class for plans. The first row is inlined.
static void count_receiver(Translation *t, uint32_t slots) {
    if (!t->counts) return;
    uint32_t bci = t->m->bci[t->word];
    if (!method_counts_selects(t->m->info->code->code[bci])) return;
    ReceiverCounts *rows = &t->counts->receivers[method_counts_selecting(t->m, bci)];
    Asm *a = &t->a;
    asm_rm(a, ASM_MOV, true, REG_SI, asm_at(REG_DI, offsetof(Object, vt)));
    asm_constant(a, REG_DI, (uintptr_t)rows);
    asm_rm(a, ASM_CMP, true, REG_SI, asm_at(REG_DI, offsetof(ReceiverCounts, rows[0].vtable)));
    AsmJump other = asm_jump_if_near(a, CC_NOT_EQUAL);
    asm_mi(a, ASM_ADD, true, asm_at(REG_DI, offsetof(ReceiverCounts, rows[0].count)), 1);
    AsmJump done = asm_jump_near(a);
    asm_bind_near(a, other);
    translate_call_c(t, (const void *)(uintptr_t)helper_count_receiver);
    asm_bind_near(a, done);
    asm_rm(a, ASM_MOV, true, REG_DI, operands_home(t->depth - slots));
}

void ops_invoke_direct(Translation *t, int has_receiver, int other) {
    (void)other;
    const Method *m = payload(t);
    uint32_t slots = t->insn.a;
    if (has_receiver) load_receiver(t, slots);
    else operands_flush(t);
    if (has_receiver) count_receiver(t, slots);
    begin_call(t);
    asm_constant(&t->a, REG_METHOD, (uintptr_t)m);
    set_edge_flag(t, m);
    end_call(t, slots, m, t->exit_count);
}

void ops_invoke_virtual(Translation *t, int far, int other) {
    (void)other;
    const Method *m = payload(t);
    uint32_t slots = t->insn.a, index = far ? (uint32_t)m->vtable_index : (uint16_t)t->insn.b;
    load_receiver(t, slots);
    count_receiver(t, slots);
    report_receiver(t, slots);
    begin_call(t);
    asm_rm(&t->a, ASM_MOV, true, REG_METHOD, asm_at(REG_DI, offsetof(Object, vt)));
    asm_rm(&t->a, ASM_MOV, true, REG_METHOD,
           asm_at(REG_METHOD, (int64_t)offsetof(VTable, methods) + (int64_t)sizeof(Method *) * index));
    set_edge_flag(t, NULL);
    end_call(t, slots, m, t->exit_count);
}

// The call site caches one class, as in the interpreter; a megamorphic site uses the interface table of the receiver's
// class. If neither has the target, the interpreter makes the call.
void ops_invoke_interface(Translation *t, int many, int other) {
    (void)other;
    Asm *a = &t->a;
    const InterfaceCall *seen = payload(t);
    const Method *imethod = seen->imethod;
    uint32_t slots = t->insn.a, first_exit;
    load_receiver(t, slots);
    count_receiver(t, slots);
    operands_forget(t);
    asm_rm(a, ASM_MOV, true, REG_DI, asm_at(REG_DI, offsetof(Object, vt)));
    AsmJump found = 0, in_table;
    if (!many) {
        asm_load_absolute(a, &t->code[t->word + 1]);
        asm_rm(a, ASM_MOV, true, REG_METHOD, asm_at(REG_AX, offsetof(InterfaceCall, target)));
        asm_rm(a, ASM_CMP, true, REG_DI, asm_at(REG_AX, offsetof(InterfaceCall, vt)));
        found = asm_jump_if(a, CC_EQUAL);
    }
    asm_rm(a, ASM_MOV, true, REG_CX,
           asm_at(REG_DI, (int64_t)offsetof(VTable, imt) + (int64_t)sizeof(void *) * interfacecall_slot(imethod)));
    asm_constant(a, REG_SI, (uintptr_t)imethod);
    asm_rm(a, ASM_CMP, true, REG_SI, asm_at(REG_CX, offsetof(InterfaceCall, imethod)));
    AsmJump elsewhere = asm_jump_if_near(a, CC_NOT_EQUAL);
    asm_rm(a, ASM_MOV, true, REG_METHOD, asm_at(REG_CX, offsetof(InterfaceCall, target)));
    in_table = asm_jump_near(a);
    asm_bind_near(a, elsewhere);
    translate_call_c(t, (const void *)(uintptr_t)helper_interface_target);
    asm_rr(a, ASM_MOV, true, REG_METHOD, REG_AX);
    asm_rr(a, ASM_TEST, true, REG_AX, REG_AX);
    first_exit = t->exit_count;
    translate_exit(t, asm_jump_if(a, CC_EQUAL), TEMPLATE_INVOKES, t->word);
    asm_bind_near(a, in_table);
    if (!many) asm_bind(a, found);
    report_receiver(t, slots);
    begin_call(t);
    set_edge_flag(t, NULL);
    end_call(t, slots, imethod, first_exit);
}

// invokedynamic and calls of method handles: a call of an adapter, which may take one more argument.
void ops_invoke_linked(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    const LinkedCall *call = payload(t);
    const Method *m = call->method;
    if (t->insn.a) load_receiver(t, t->insn.a);
    else operands_flush(t);
    begin_call(t);
    if (call->appendix) {
        asm_constant(&t->a, REG_AX, (uintptr_t)call->appendix);
        asm_rm(&t->a, ASM_MOV, true, REG_AX, asm_at(REG_AX, 0));
        asm_mr(&t->a, ASM_MOV, true, operands_home(t->depth), REG_AX);
        operands_push_home(t, 1);
    }
    asm_constant(&t->a, REG_METHOD, (uintptr_t)m);
    set_edge_flag(t, NULL);
    end_call(t, m->nargs, m, t->exit_count);
}

static void count_init_slowly(Translation *t, const SlowCode *slow) {
    asm_rr(&t->a, ASM_MOV, true, REG_DI, REG_THREAD);
    asm_constant(&t->a, REG_SI, (uintptr_t)slow->value);
    asm_rr(&t->a, ASM_MOV, true, REG_DX, REG_FRAME);
    translate_call_c(t, (const void *)(uintptr_t)interp_count_entry);
    asm_bind_to(&t->a, asm_jump(&t->a), slow->back);
}

// Counts an entry of Object.<init>, which gets no frame.
static void count_init(Translation *t) {
    const Method *m = payload(t);
    operands_flush(t);
    operands_forget(t);
    translate_save(t, t->word, t->depth);
    if (interp_profile()->counts_calls && scope_visible(t->m) && scope_visible(m))
        translate_count_entry(t, m, count_init_slowly);
    else {
        SlowCode *slow = translate_slow(t, count_init_slowly, asm_jump(&t->a));
        slow->value = m;
        slow->back = asm_here(&t->a);
    }
}

// Object.<init> does nothing, unless there is a finalizer to register.
void ops_object_init(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    int object = operands_get(t, t->depth - 1, true), its = operands_new(t);
    translate_null_check(t, t->depth - 1, object);
    asm_rm(&t->a, ASM_MOV, true, its, asm_at(object, offsetof(Object, vt)));
    asm_rm(&t->a, ASM_MOV, true, its, asm_at(its, offsetof(VTable, cls)));
    asm_test_bits(&t->a, asm_at(its, offsetof(Class, cflags)), CF_FINALIZER);
    translate_exit_if(t, CC_NOT_EQUAL);
    const InterpProfile *profile = interp_profile();
    const Method *init = payload(t);
    bool in_scope = init->events & probes_events(PLACE_CALL);
    bool reports_calls = profile->reports_calls && !profile->counts && in_scope;
    if (t->reporting && (t->counting || reports_calls)) translate_report(t, REPORT_INIT);
    else if (t->counting) count_init(t);
    operands_pop(t, 1);
}
