// Allocations that may vanish: emitted as always, but with operations in place of what must not happen when they do
// (jit/emit/escape.h), which decides. Not in baseline code, and not where allocations are events: the profile is of those that
// the program makes, and what has an event needs the object.
#include "jit/emit/escape.h"
#include "bytecode/classfile/opcodes.h"
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"

enum { LONGEST_ARRAY = 16, LARGEST_INSTANCE = 256 };

// Finalizers and references are the collector's business.
static bool may_vanish(const Class *c) {
    return !class_is_array(c) && c->ref_kind == REF_NONE && !(c->cflags & compiler_layout()->cflag_finalizer) &&
           c->instance_size <= LARGEST_INSTANCE && c->vt;
}

static bool allocates(const Plan *plan) {
    for (uint32_t i = 0; i < plan->site_count; i++) {
        const PlanSite *ps = &plan->sites[i];
        unsigned op = plan->code->code[ps->bci];
        if (ps->instance || (ps->site.kind == SITE_CLASS && (op == OPC_new || op == OPC_newarray || op == OPC_anewarray)))
            return true;
        if (ps->inlined && allocates(ps->inlined)) return true;
    }
    return false;
}

void emit_escape_begin(Emit *e) {
    e->escapes = e->root->tier == TIER_OPTIMIZED && e->unit->options->escape && allocates(e->root);
}

void emit_allocating(Emit *e, const Class *cls, LLVMValueRef length) {
    uint32_t count = 0;
    if (!e->escapes || (e->frame->plan->events >> EVENT_allocation & 1)) return;
    if (length) {
        if (!LLVMIsAConstantInt(length) || LLVMConstIntGetZExtValue(length) > LONGEST_ARRAY) return;
        count = (uint32_t)LLVMConstIntGetZExtValue(length);
    } else if (!may_vanish(cls)) {
        return;
    }
    e->unit->materialize = emit_symbol(e, SYMBOL_RUNTIME, (void *)(uintptr_t)RT_materialize);
    e->allocation = emit_int(e, unit_add_allocation(e->unit, (struct UnitAllocation){
        cls, count, emit_symbol(e, SYMBOL_VTABLE, cls), emit_symbol(e, SYMBOL_CLASS, cls)}));
}

LLVMValueRef emit_allocated(Emit *e, LLVMValueRef object) {
    if (!e->allocation) return object;
    object = escape_op(e->unit, e->builder, ESCAPE_OBJECT, (LLVMValueRef[]){e->allocation, object});
    e->allocation = NULL;
    return object;
}

LLVMValueRef emit_list_head(Emit *e, LLVMValueRef list) {
    LLVMValueRef object = emit_load(e, e->ptr, list, 0);
    if (!e->allocation) return object;
    return escape_op(e->unit, e->builder, ESCAPE_HEAD, (LLVMValueRef[]){e->allocation, object});
}

void emit_new_word(Emit *e, LLVMValueRef v, LLVMValueRef address, const char *tag) {
    LLVMValueRef store;
    if (!e->allocation) store = LLVMBuildStore(e->builder, v, address);
    else store = escape_op(e->unit, e->builder, LLVMTypeOf(v) == e->ptr ? ESCAPE_WRITE : ESCAPE_LENGTH,
                           (LLVMValueRef[]){e->allocation, v, address});
    if (tag) emit_tag(e, store, tag);
}

void emit_new_fence(Emit *e) {
    if (!e->allocation) emit_store_fence(e);
    else escape_op(e->unit, e->builder, ESCAPE_FENCE, &e->allocation);
}

void emit_final_fence(Emit *e, LLVMValueRef object) {
    if (!e->escapes) emit_store_fence(e);
    else escape_op(e->unit, e->builder, ESCAPE_FINAL, &object);
}
