// Allocations that may be removed (jit/escape/escape.h decides). They are emitted as usual, except that operations
// replace the actions that must not happen if the allocation is removed. Allocations that are reported stay, because
// the event needs the object. Those that are only counted may be removed, and the profile says so (CodeMark.removed).
#include "base/words.h"
#include "bytecode/classfile/opcodes.h"
#include "jit/emit/emit_core.h"
#include "jit/escape/escape.h"

enum { LONGEST_ARRAY = 16, LARGEST_INSTANCE = 256 };

// The array from which valueOf of a box class takes boxes, if the plan is of such a method and it has executed the
// access before (so the array exists); else NULL. Only the boot loader defines classes of java.lang.
static Field *box_cache(const Plan *plan) {
    const Method *m = plan->method;
    if (!method_is_static(m) || strcmp(m->name->text, "valueOf") != 0) return NULL;
    static const char *const all[] = {"java/lang/Integer", "java/lang/Long", "java/lang/Short", "java/lang/Byte",
                                      "java/lang/Character"};
    static const char values[] = "IJSBC";
    int which = WORDS_FIND(all, m->cls->name->text);
    if (which < 0 || m->desc->text[1] != values[which] || m->desc->text[2] != ')') return NULL;
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const Site *s = &plan->sites[i].site;
        if (s->kind == SITE_STATIC && s->field->type == '[' && strcmp(s->field->name->text, "cache") == 0)
            return s->field;
    }
    return NULL;
}

bool emit_allocates(const Plan *plan) {
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const PlanSite *ps = &plan->sites[i];
        unsigned op = plan->code->code[ps->bci];
        if (ps->instance ||
            (ps->site.kind == SITE_CLASS && (op == OPC_new || op == OPC_newarray || op == OPC_anewarray)))
            return true;
        for (uint32_t k = 0; k < PLAN_TARGETS; k++) {
            const Plan *inlined = plan_inlined(ps, k);
            if (inlined && (box_cache(inlined) || emit_allocates(inlined))) return true;
        }
    }
    return false;
}

// Records an allocation of the class at the current instruction, and declares the calls of the VM that make objects.
static uint32_t add_allocation(Emit *e, const Class *cls, uint32_t length) {
    e->unit->materialize = ir_symbol(e->ir, SYMBOL_RUNTIME, (void *)(uintptr_t)RT_materialize);
    e->unit->materialize_often = ir_symbol(e->ir, SYMBOL_RUNTIME, (void *)(uintptr_t)RT_materialize_often);
    e->unit->materialize_box = ir_symbol(e->ir, SYMBOL_RUNTIME, (void *)(uintptr_t)RT_materialize_box);
    uint32_t position = frames_position(e->frames, e->frames->top);
    uint32_t map = unit_add_stack_map(e->unit, position, DEOPT_KEEPS_SAMPLING, NULL, 0);
    LLVMValueRef vtable = ir_symbol(e->ir, SYMBOL_VTABLE, cls), symbol = ir_symbol(e->ir, SYMBOL_CLASS, cls);
    return unit_add_allocation(
        e->unit, (struct UnitAllocation){.cls = cls, .length = length, .map = map, .vtable = vtable, .symbol = symbol});
}

void emit_allocating(Emit *e, const Class *cls, LLVMValueRef length) {
    uint32_t count = 0;
    bool event = e->frames->top->plan->events >> EVENT_allocation & 1;
    if (!e->escapes || (event && !probe_counts(e->probes, EVENT_allocation))) return;
    if (length) {
        if (!LLVMIsAConstantInt(length) || LLVMConstIntGetZExtValue(length) > LONGEST_ARRAY) return;
        count = (uint32_t)LLVMConstIntGetZExtValue(length);
    } else {
        // The collector handles finalizers and Reference objects, so their instances must exist.
        bool collected = cls->ref_kind == REF_NONE && !(cls->cflags & e->ir->layout->cflag_finalizer);
        if (class_is_array(cls) || !collected || cls->instance_size > LARGEST_INSTANCE || !cls->vt) return;
    }
    e->allocation = ir_int(e->ir, add_allocation(e, cls, count));
}

struct UnitAllocation *emit_allocation(const Emit *e, LLVMValueRef number) {
    return &e->unit->allocations[LLVMConstIntGetZExtValue(number)];
}

LLVMValueRef emit_allocated(Emit *e, LLVMValueRef object) {
    if (!e->allocation) return object;
    object = escape_op(e->unit, e->ir->builder, ESCAPE_OBJECT, (LLVMValueRef[]){e->allocation, object});
    e->allocation = NULL;
    return object;
}

// The mark of the allocation in valueOf, which was inlined at a call of the innermost frame. If the code has none
// there, because valueOf has always found its boxes in the cache, a mark of its own. 0: allocations are not counted.
static uint32_t mark_of_box(Emit *e, const Plan *inlined) {
    const Unit *u = e->unit;
    const JavaFrame *f = e->frames->top;
    uint32_t outer = f->parent ? frames_position(e->frames, f->parent) : CODE_NONE, bci = 0;
    for (uint32_t i = u->allocation_count; i-- > 0;) {
        const struct UnitAllocation *a = &u->allocations[i];
        const CodePosition *here = &u->positions[u->stack_maps[a->map].position];
        if (!a->mark || here->method != inlined->method || here->parent == CODE_NONE) continue;
        const CodePosition *call = &u->positions[here->parent];
        if (call->method == f->method && call->bci == (int32_t)inlined->parent_bci && call->parent == outer)
            return a->mark;
    }
    for (uint32_t i = 0; i < inlined->site_count; i++)
        if (inlined->code->code[inlined->sites[i].bci] == OPC_new) bci = inlined->sites[i].bci;
    return probe_new_elsewhere(e->probes, inlined->method, bci, inlined->method->cls);
}

LLVMValueRef emit_boxed(Emit *e, const Plan *inlined, LLVMValueRef value, LLVMValueRef box) {
    Ir *ir = e->ir;
    const Field *cache = e->escapes ? box_cache(inlined) : NULL;
    bool event = inlined->events >> EVENT_allocation & 1;
    uint32_t mark = cache && event ? mark_of_box(e, inlined) : 0;
    if (!cache || (event && !mark)) return box;
    const Class *c = inlined->method->cls;
    bool is_char = inlined->method->desc->text[1] == 'C';
    uint32_t number = add_allocation(e, c, 0);
    struct UnitAllocation *allocation = &e->unit->allocations[number];
    allocation->cache = ir_symbol(ir, SYMBOL_STATIC, cache);
    allocation->least = is_char ? 0 : -128;
    allocation->mark = mark;
    LLVMValueRef wide = is_char ? LLVMBuildZExt(ir->builder, value, ir->i64, "")
                                : LLVMBuildSExt(ir->builder, value, ir->i64, "");
    return escape_op(e->unit, ir->builder, ESCAPE_BOX, (LLVMValueRef[]){ir_int(ir, number), box, wide});
}

LLVMValueRef emit_list_head(Emit *e, LLVMValueRef list) {
    LLVMValueRef object = ir_load(e->ir, e->ir->ptr, list, 0);
    if (!e->allocation) return object;
    return escape_op(e->unit, e->ir->builder, ESCAPE_HEAD, (LLVMValueRef[]){e->allocation, object});
}

void emit_new_word(Emit *e, LLVMValueRef v, LLVMValueRef address, const char *tag) {
    Ir *ir = e->ir;
    LLVMValueRef store;
    if (!e->allocation) store = LLVMBuildStore(ir->builder, v, address);
    else
        store = escape_op(e->unit, ir->builder, LLVMTypeOf(v) == ir->ptr ? ESCAPE_WRITE : ESCAPE_LENGTH,
                          (LLVMValueRef[]){e->allocation, v, address});
    if (tag) ir_tag(ir, store, tag);
}

void emit_new_fence(Emit *e) {
    if (!e->allocation) ir_store_fence(e->ir);
    else escape_op(e->unit, e->ir->builder, ESCAPE_FENCE, &e->allocation);
}

void emit_final_fence(Emit *e, LLVMValueRef object) {
    if (!e->escapes) ir_store_fence(e->ir);
    else escape_op(e->unit, e->ir->builder, ESCAPE_FINAL, &object);
}
