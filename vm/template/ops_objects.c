// Allocation, type tests and monitors.
#include <stddef.h>

#include "vm/code/placecounters.h"
#include "vm/objects/classes.h"
#include "vm/template/helpers.h"
#include "vm/template/translate.h"
#include "vm/threads/thread.h"

static const void *payload(const Translation *t, int i) {
    return __atomic_load_n(&t->code[t->word + (uint32_t)i].p, __ATOMIC_RELAXED);
}

// ---- allocation -----------------------------------------------------------------------------------

// Takes the first object from a free list of this thread into REG_RESULT. Uses REG_DX.
static AsmJump take_object(Translation *t, AsmMemory list) {
    asm_rm(&t->a, ASM_MOV, true, REG_RESULT, list);
    asm_rr(&t->a, ASM_TEST, true, REG_RESULT, REG_RESULT);
    AsmJump empty = asm_jump_if(&t->a, CC_EQUAL);
    asm_rm(&t->a, ASM_MOV, true, REG_DX, asm_at(REG_RESULT, 0));
    asm_mr(&t->a, ASM_MOV, true, list, REG_DX);
    return empty;
}

static void store_vtable(Translation *t, const VTable *vt) {
    asm_constant(&t->a, REG_DX, (uintptr_t)vt);
    asm_mr(&t->a, ASM_MOV, true, asm_at(REG_RESULT, offsetof(Object, vt)), REG_DX);
}

static void allocate_slowly(Translation *t, const SlowCode *slow) {
    translate_save(t, slow->word, slow->depth);
    asm_constant(&t->a, REG_CX, (uintptr_t)slow->value);
    translate_call_slow(t, SLOW_ALLOCATE);
    translate_slow_end(t, slow, true);
}

// The events of the object in REG_RESULT. If the profile has changed, the frame leaves the code after the instruction.
static void report_object_slowly(Translation *t, const SlowCode *slow) {
    asm_rr(&t->a, ASM_MOV, true, REG_14, REG_RESULT);
    translate_save(t, slow->word, slow->depth);
    asm_rr(&t->a, ASM_MOV, true, REG_CX, REG_14);
    translate_call_slow(t, SLOW_REPORT_OBJECT);
    asm_rr(&t->a, ASM_MOV, true, REG_RESULT, REG_14);
    translate_slow_end(t, slow, true);
}

// Counts the object in REG_RESULT. Uses REG_CX.
static void count_object(Translation *t, const Class *cls, int32_t counters) {
    Asm *a = &t->a;
    asm_mi(a, ASM_ADD, true, asm_at(REG_THREAD, counters), 1);
    if (!class_is_array(cls)) return;
    asm_rm(a, ASM_MOV, false, REG_CX, asm_at(REG_RESULT, offsetof(Object, length)));
    if (cls->elem_shift) asm_shift(a, ASM_SHL, true, REG_CX, cls->elem_shift);
    asm_ri(a, ASM_ADD, true, REG_CX, ARRAY_BASE + HEAP_GRANULE - 1);
    asm_ri(a, ASM_AND, true, REG_CX, -HEAP_GRANULE);
    asm_mr(a, ASM_ADD, true, asm_at(REG_THREAD, counters + 8), REG_CX);
}

// The events of the object in REG_RESULT. `counted`: its class; NULL: an array with arrays below it.
static void report_object(Translation *t, const Class *counted, uint32_t slots) {
    if (!translate_reports(t, t->word)) return;
    uint32_t counters = counted ? placecounters_take(t->m, t->m->bci[t->word], counted) : 0;
    if (counters) {
        count_object(t, counted, (int32_t)counters);
        return;
    }
    SlowCode *report = translate_slow(t, report_object_slowly, asm_jump(&t->a));
    report->slots = slots;
    report->back = asm_here(&t->a);
}

static void push_object(Translation *t, SlowCode *slow, const Class *cls, uint32_t slots, const Class *counted) {
    slow->value = cls;
    slow->slots = slots;
    slow->back = asm_here(&t->a);
    operands_forget(t);
    report_object(t, counted, slots);
    operands_pop(t, slots);
    operands_push_register(t, REG_RESULT, false, 1);
}

void ops_new_small(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    const VTable *vt = payload(t, 1);
    operands_flush(t);
    SlowCode *slow = translate_slow(t, allocate_slowly, take_object(t, THREAD_AT(heap.list[HEAP_TYPED][t->insn.a])));
    store_vtable(t, vt);
    push_object(t, slow, vt->cls, 0, vt->cls);
}

void ops_new_object(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    operands_flush(t);
    push_object(t, translate_slow(t, allocate_slowly, asm_jump(&t->a)), payload(t, 1), 0, payload(t, 1));
}

static void allocate_array_slowly(Translation *t, const SlowCode *slow) {
    translate_save(t, slow->word, slow->depth);
    asm_constant(&t->a, REG_CX, (uintptr_t)slow->value);
    asm_rm(&t->a, ASM_MOVSX32, true, REG_8, operands_home(slow->depth - 1));
    translate_call_slow(t, SLOW_ALLOCATE_ARRAY);
    translate_slow_end(t, slow, true);
}

// Small arrays are allocated inline, from the thread's free lists.
void ops_new_array(Translation *t, int kind, int other) {
    (void)other;
    Asm *a = &t->a;
    const Class *cls = payload(t, 1);
    unsigned shift = cls->elem_shift;
    const int32_t most = (HEAP_SMALL_MAX - ARRAY_BASE) >> shift;
    int32_t length;
    bool constant = operands_constant(t, t->depth - 1, &length);
    operands_flush(t);
    if (constant && (length < 0 || length > most)) {
        push_object(t, translate_slow(t, allocate_array_slowly, asm_jump(a)), cls, 1, cls);
        return;
    }
    SlowCode *slow, *too_long = NULL;
    if (constant) {
        unsigned size_class = HEAP_GRANULES(ARRAY_BASE + ((unsigned)length << shift));
        slow = translate_slow(t, allocate_array_slowly, take_object(t, THREAD_AT(heap.list[kind][size_class])));
        store_vtable(t, cls->vt);
        asm_store_immediate(a, false, asm_at(REG_RESULT, offsetof(Object, length)), length);
    } else {
        asm_rm(a, ASM_MOV, false, REG_CX, operands_home(t->depth - 1));
        asm_ri(a, ASM_CMP, false, REG_CX, most);
        too_long = translate_slow(t, allocate_array_slowly, asm_jump_if(a, CC_ABOVE));
        uint32_t number = t->slow_count - 1;
        asm_rr(a, ASM_MOV, false, REG_SI, REG_CX);
        if (shift) asm_shift(a, ASM_SHL, false, REG_SI, shift);
        asm_ri(a, ASM_ADD, false, REG_SI, ARRAY_BASE + HEAP_GRANULE - 1);
        asm_shift(a, ASM_SHR, false, REG_SI, (unsigned)__builtin_ctz(HEAP_GRANULE));
        AsmMemory list = asm_indexed(REG_THREAD, REG_SI, 3, THREAD_AT(heap.list[kind][0]).offset);
        slow = translate_slow(t, allocate_array_slowly, take_object(t, list));
        if (t->failed) return;
        too_long = &t->slow[number];  // the array may have moved
        store_vtable(t, cls->vt);
        asm_mr(a, ASM_MOV, false, asm_at(REG_RESULT, offsetof(Object, length)), REG_CX);
    }
    if (too_long) {
        too_long->value = cls;
        too_long->slots = 1;
        too_long->back = asm_here(a);
    }
    push_object(t, slow, cls, 1, cls);
}

static void allocate_multi_slowly(Translation *t, const SlowCode *slow) {
    translate_save(t, slow->word, slow->depth);
    asm_constant(&t->a, REG_CX, (uintptr_t)slow->value);
    asm_constant(&t->a, REG_8, slow->slots);
    translate_call_slow(t, SLOW_ALLOCATE_MULTI);
    translate_slow_end(t, slow, true);
}

void ops_new_multi(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    operands_flush(t);
    push_object(t, translate_slow(t, allocate_multi_slowly, asm_jump(&t->a)), payload(t, 1), t->insn.a, NULL);
}

// ---- type tests -----------------------------------------------------------------------------------

// Whether the subtype test for this class is one load from the tested class's display (class_is_subtype).
static bool by_display(const Class *cls) {
    return !(cls->access & ACC_INTERFACE) && !class_is_array(cls) && cls->depth < CLASS_DISPLAY;
}

static AsmMemory display_at(int reg, const Class *cls) {
    return asm_at(reg, (int64_t)offsetof(Class, display) + (int64_t)sizeof(Class *) * cls->depth);
}

static void load_class(Translation *t, int to, int object) {
    asm_rm(&t->a, ASM_MOV, true, to, asm_at(object, offsetof(Object, vt)));
    asm_rm(&t->a, ASM_MOV, true, to, asm_at(to, offsetof(VTable, cls)));
}

// Tests the object in REG_DI, which is not null; sets the low byte of REG_AX to 0 if it fails. The fast path is for the
// class that passed last.
static void test_with_helper(Translation *t) {
    Asm *a = &t->a;
    load_class(t, REG_DI, REG_DI);
    asm_constant(a, REG_SI, (uintptr_t)(t->code + t->word));
    asm_constant(a, REG_AX, 1);
    asm_rm(a, ASM_CMP, true, REG_DI, asm_at(REG_SI, 2 * sizeof(Insn)));
    AsmJump same = asm_jump_if_near(a, CC_EQUAL);
    translate_call_c(t, (const void *)(uintptr_t)helper_type_passes);
    asm_bind_near(a, same);
}

static void cast_with_helper(Translation *t) {
    Asm *a = &t->a;
    operands_flush(t);
    operands_forget(t);
    asm_rm(a, ASM_MOV, true, REG_DI, operands_home(t->depth - 1));
    asm_rr(a, ASM_TEST, true, REG_DI, REG_DI);
    AsmJump null = asm_jump_if_near(a, CC_EQUAL);
    test_with_helper(t);
    asm_test_byte(a, REG_AX, UINT8_MAX);
    translate_exit_if(t, CC_EQUAL);
    asm_bind_near(a, null);
}

void ops_checkcast(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    Asm *a = &t->a;
    const Class *cls = payload(t, 1);
    if (!by_display(cls)) {
        cast_with_helper(t);
        return;
    }
    int object = operands_get(t, t->depth - 1, true), its = operands_new(t), wanted = operands_new(t);
    asm_rr(a, ASM_TEST, true, object, object);
    AsmJump null = asm_jump_if_near(a, CC_EQUAL);
    load_class(t, its, object);
    asm_constant(a, wanted, (uintptr_t)cls);
    asm_rm(a, ASM_CMP, true, wanted, display_at(its, cls));
    translate_exit_if(t, CC_NOT_EQUAL);
    asm_bind_near(a, null);
}

static void instance_with_helper(Translation *t) {
    Asm *a = &t->a;
    operands_flush(t);
    operands_forget(t);
    asm_rm(a, ASM_MOV, true, REG_DI, operands_home(t->depth - 1));
    asm_rr(a, ASM_XOR, false, REG_AX, REG_AX);
    asm_rr(a, ASM_TEST, true, REG_DI, REG_DI);
    AsmJump null = asm_jump_if_near(a, CC_EQUAL);
    test_with_helper(t);
    asm_bind_near(a, null);
    asm_rr(a, ASM_MOVZX8, false, REG_AX, REG_AX);
    operands_pop(t, 1);
    operands_push_register(t, REG_AX, true, 1);
}

void ops_instanceof(Translation *t, int argument, int other) {
    (void)argument, (void)other;
    Asm *a = &t->a;
    const Class *cls = payload(t, 1);
    if (!by_display(cls)) {
        instance_with_helper(t);
        return;
    }
    int object = operands_get(t, t->depth - 1, true), its = operands_new(t), result = operands_new(t);
    asm_constant(a, result, 0);
    asm_rr(a, ASM_TEST, true, object, object);
    AsmJump null = asm_jump_if_near(a, CC_EQUAL);
    load_class(t, its, object);
    asm_constant(a, result, (uintptr_t)cls);
    asm_rm(a, ASM_CMP, true, result, display_at(its, cls));
    asm_constant(a, result, 0);
    asm_set(a, CC_EQUAL, result);
    asm_bind_near(a, null);
    operands_pop(t, 1);
    operands_push_register(t, result, true, 1);
}

// ---- monitors -------------------------------------------------------------------------------------

static void monitor_slowly(Translation *t, const SlowCode *slow) {
    translate_save(t, slow->word, slow->depth);
    asm_rm(&t->a, ASM_MOV, true, REG_CX, operands_home(slow->depth - 1));
    translate_call_slow(t, slow->number ? SLOW_MONITOR_EXIT : SLOW_MONITOR_ENTER);
    translate_slow_end(t, slow, false);
}

// The fast path is one compare-and-swap, for entering a free lock or leaving a lock that is held once.
void ops_monitor(Translation *t, int exits, int other) {
    (void)other;
    Asm *a = &t->a;
    int free_register = exits ? REG_CX : REG_AX, own = exits ? REG_AX : REG_CX;
    operands_flush(t);
    operands_forget(t);
    asm_rm(a, ASM_MOV, true, REG_DX, operands_home(t->depth - 1));
    asm_rr(a, ASM_TEST, true, REG_DX, REG_DX);
    translate_exit_if(t, CC_EQUAL);
    asm_rm(a, ASM_MOV, false, own, THREAD_AT(thin_lock));
    asm_rr(a, ASM_XOR, false, free_register, free_register);
    SlowCode *slow = translate_slow(t, monitor_slowly, translate_exchange_lock(t));
    slow->number = exits;
    slow->slots = 1;
    asm_mi(a, exits ? ASM_SUB : ASM_ADD, false, FRAME_AT(lock_count), 1);
    slow->back = asm_here(a);
    operands_pop(t, 1);
}
