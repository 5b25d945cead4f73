// Emission of array elements and fields (JVMS 6.5: xaload, xastore, arraylength, getfield, putfield,
// getstatic, putstatic).
//
// The tests are in Java's order: null, then the index, then the type of the stored value.
//
// jit/ir/ir_memory.c describes the memory order of plain accesses. A release fence follows each store of a final field,
// so the store precedes the one that publishes the object.
#include <stdio.h>

#include "jit/emit/emit_core.h"
#include "jit/escape/escape.h"

void emit_stored(Emit *e, BarrierSite site, LLVMValueRef v, LLVMValueRef place) {
    Ir *ir = e->ir;
    if (!compiler_cards() || LLVMIsAConstantPointerNull(v)) return;
    ir_tag(ir, escape_op(e->unit, ir->builder, ESCAPE_STORED, (LLVMValueRef[]){ir_int(ir, site), place}), "card");
}

// ---- arrays -----------------------------------------------------------------------------------------

static void check_element(Emit *e, LLVMValueRef array, LLVMValueRef index) {
    Ir *ir = e->ir;
    LLVMValueRef length = emit_loop_array_length(e, array);
    if (length) {
        // The length is 0 if the array is null. Only the cold path finds out which exception it is.
        LLVMBasicBlockRef cold = ir_block(ir, "bad"), next = ir_block(ir, "ok");
        ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntUGE, index, length, ""), cold, next, 0);
        ir_at(ir, cold);
        emit_null_check(e, array);
        frames_runtime(e->frames, RT_throw_bounds, (LLVMValueRef[]){index, ir_array_length(ir, array)}, 2);
        ir_jump(ir, emit_unwind_label(e));
        ir_at(ir, next);
        frames_mark_nonnull(e->frames, array);
    } else {
        emit_null_check(e, array);
        LLVMValueRef array_length = ir_array_length(ir, array);
        LLVMValueRef bad = LLVMBuildICmp(ir->builder, LLVMIntUGE, index, array_length, "");
        emit_throw_if(e, bad, RT_throw_bounds, (LLVMValueRef[]){index, array_length}, 2);
    }
}

static void array_load(Emit *e, char type) {
    LLVMValueRef index = frames_pop(e->frames), array = frames_pop(e->frames);
    check_element(e, array, index);
    LLVMValueRef address = ir_element_address(e->ir, type, array, index);
    probe_event(e->probes, EVENT_array_access, (LLVMValueRef[]){ir_int(e->ir, 0), ir_int(e->ir, type), array, address});
    probe_shared(e->probes, NULL, type, false, array, address);
    LLVMValueRef v = ir_load_value(e->ir, type, address, ir_element_tag(type), false);
    probe_value(e->probes, v);
    frames_push(e->frames, ir_stack_kind(type), v);
}

LLVMValueRef emit_ask_subtype(Emit *e, LLVMValueRef known, LLVMValueRef sub, LLVMValueRef super) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef from = LLVMGetInsertBlock(ir->builder);
    LLVMBasicBlockRef ask = ir_block(ir, "subtype"), done = ir_block(ir, "subtype.done");
    ir_branch(ir, known, done, ask, 1);
    ir_at(ir, ask);
    LLVMValueRef answer = frames_runtime(e->frames, RT_is_subtype, (LLVMValueRef[]){sub, super}, 2);
    LLVMValueRef yes = LLVMBuildICmp(ir->builder, LLVMIntNE, answer, ir_int(ir, 0), "");
    ask = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->i1, LLVMConstInt(ir->i1, 1, 0), from, yes, ask);
}

LLVMValueRef emit_is_subtype(Emit *e, LLVMValueRef sub, LLVMValueRef super) {
    Ir *ir = e->ir;
    // The display answers for classes of small depth; the VM answers the rest. A deeper class is in no display, so its
    // depth may be truncated to an index.
    LLVMValueRef depth = ir_load_constant(ir, ir->i32, super, offsetof(Class, depth));
    LLVMValueRef cut = LLVMBuildAnd(ir->builder, depth, ir_int(ir, CLASS_DISPLAY - 1), "");
    LLVMValueRef bytes = LLVMBuildShl(ir->builder, LLVMBuildZExt(ir->builder, cut, ir->i64, ""), ir_long(ir, 3), "");
    LLVMValueRef display = ir_offset_const(ir, sub, ir->layout->class_display);
    LLVMValueRef ancestor = ir_load_constant(ir, ir->ptr, ir_offset(ir, display, bytes), 0);
    LLVMValueRef known = LLVMBuildICmp(ir->builder, LLVMIntEQ, ancestor, super, "");
    return emit_ask_subtype(e, known, sub, super);
}

// The element class of an array.
static LLVMValueRef component_of(Emit *e, LLVMValueRef array) {
    Ir *ir = e->ir;
    return ir_load_constant(ir, ir->ptr, ir_class_of(ir, array), ir->layout->class_component);
}

// ArrayStoreException unless the value fits: null, anything into an Object[], or a subtype.
static void check_store(Emit *e, LLVMValueRef array, LLVMValueRef value) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef not_null = ir_block(ir, "store.type"), test = ir_block(ir, "store.test");
    LLVMBasicBlockRef fits = ir_block(ir, "store");
    ir_branch(ir, ir_is_null(ir, value), fits, not_null, -1);
    ir_at(ir, not_null);
    LLVMValueRef component = component_of(e, array);
    const Class *c = e->frames->top->method->cls;
    while (c->super) c = c->super;
    LLVMValueRef any = ir_symbol(ir, SYMBOL_CLASS, c);
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntEQ, component, any, ""), fits, test, -1);
    ir_at(ir, test);
    LLVMValueRef ok = emit_is_subtype(e, ir_class_of(ir, value), component);
    emit_throw_if(e, LLVMBuildNot(ir->builder, ok, ""), RT_throw_store, &value, 1);
    ir_jump(ir, fits);
    ir_at(ir, fits);
}

static void array_store(Emit *e, char type) {
    Ir *ir = e->ir;
    LLVMValueRef value = frames_pop(e->frames), index = frames_pop(e->frames), array = frames_pop(e->frames);
    check_element(e, array, index);
    if (type == 'L') check_store(e, array, value);
    if (type == 'B') {
        // Only the array's class at run time distinguishes byte arrays from boolean arrays.
        LLVMValueRef prim = ir_load_constant(ir, ir->i8, component_of(e, array), ir->layout->class_prim);
        LLVMValueRef is_boolean = LLVMBuildICmp(ir->builder, LLVMIntEQ, prim, LLVMConstInt(ir->i8, 'Z', 0), "");
        LLVMValueRef mask = LLVMBuildSelect(ir->builder, is_boolean, ir_int(ir, 1), ir_int(ir, 0xff), "");
        value = LLVMBuildAnd(ir->builder, value, mask, "");
    }
    LLVMValueRef address = ir_element_address(ir, type, array, index);
    probe_event(e->probes, EVENT_array_access, (LLVMValueRef[]){ir_int(ir, 1), ir_int(ir, type), array, address});
    probe_shared(e->probes, NULL, type, true, array, address);
    ir_store_value(ir, type, value, address, ir_element_tag(type), false);
    if (type == 'L') emit_stored(e, BARRIER_optimised_aastore, value, address);
}

// ---- fields -----------------------------------------------------------------------------------------

static LLVMValueRef load_field(Emit *e, const Field *f, LLVMValueRef address) {
    char tag[256];
    snprintf(tag, sizeof tag, "%s.%s", f->cls->name->text, f->name->text);
    LLVMValueRef v = ir_load_value(e->ir, f->type, address, tag, f->flags & ACC_VOLATILE);
    if (f->flags & ACC_VOLATILE) probe_sync(e->probes, EVENT_sync_acquire, f, address);
    return v;
}

// `object` NULL: the field is static.
static void store_field(Emit *e, const Field *f, LLVMValueRef v, LLVMValueRef object, LLVMValueRef address) {
    char tag[256];
    if (f->flags & ACC_VOLATILE) probe_sync(e->probes, EVENT_sync_release, f, address);
    snprintf(tag, sizeof tag, "%s.%s", f->cls->name->text, f->name->text);
    ir_store_value(e->ir, f->type, v, address, tag, f->flags & ACC_VOLATILE);
    if (ir_stack_kind(f->type) == KIND_REF)
        emit_stored(e, object ? BARRIER_optimised_putfield : BARRIER_optimised_putstatic, v, address);
    if (!(f->flags & ACC_FINAL)) return;
    if (object) emit_final_fence(e, object);
    else ir_store_fence(e->ir);
}

LLVMValueRef emit_get_field(Emit *e, const Field *f, LLVMValueRef object) {
    return load_field(e, f, ir_offset_const(e->ir, object, f->offset));
}

// A number is assigned to a field, whose type truncates it.
static void assigned(Emit *e, const Field *f, LLVMValueRef v, LLVMValueRef address) {
    Ir *ir = e->ir;
    if (!strchr("BCSIJFD", f->type) || !probe_wants(e->probes, EVENT_scalar_pair)) return;
    if (f->type == 'B') v = LLVMBuildSExt(ir->builder, LLVMBuildTrunc(ir->builder, v, ir->i8, ""), ir->i32, "");
    if (f->type == 'S') v = LLVMBuildSExt(ir->builder, LLVMBuildTrunc(ir->builder, v, ir->i16, ""), ir->i32, "");
    if (f->type == 'C') v = LLVMBuildZExt(ir->builder, LLVMBuildTrunc(ir->builder, v, ir->i16, ""), ir->i32, "");
    probe_assigned(e->probes, ir_stack_kind(f->type), v, load_field(e, f, address));
}

static void field_access(Emit *e, unsigned opcode) {
    Ir *ir = e->ir;
    const PlanSite *ps = plan_site(e->frames->top->plan, e->frames->top->bci);
    bool is_static = opcode == OPC_getstatic || opcode == OPC_putstatic;
    if (!ps || ps->site.kind != (is_static ? SITE_STATIC : SITE_FIELD)) {
        emit_deopt(e, DEOPT_unresolved);
        return;
    }
    switch (opcode) {
        case OPC_getfield: {
            LLVMValueRef object = frames_pop(e->frames);
            emit_null_check(e, object);
            probe_field(e->probes, ps->site.field, false, object);
            LLVMValueRef v = emit_get_field(e, ps->site.field, object);
            probe_value(e->probes, v);
            frames_push(e->frames, ir_stack_kind(ps->site.field->type), v);
            break;
        }
        case OPC_putfield: {
            LLVMValueRef v = frames_pop(e->frames), object = frames_pop(e->frames);
            emit_null_check(e, object);
            probe_field(e->probes, ps->site.field, true, object);
            assigned(e, ps->site.field, v, ir_offset_const(ir, object, ps->site.field->offset));
            store_field(e, ps->site.field, v, object, ir_offset_const(ir, object, ps->site.field->offset));
            break;
        }
        case OPC_getstatic: {
            emit_class_barrier(e, &ps->site, ps->site.field->cls);
            probe_instruction(e->probes, NULL, 0);
            probe_field(e->probes, ps->site.field, false, NULL);
            LLVMValueRef v = load_field(e, ps->site.field, ir_symbol(ir, SYMBOL_STATIC, ps->site.field));
            probe_value(e->probes, v);
            frames_push(e->frames, ir_stack_kind(ps->site.field->type), v);
            break;
        }
        default: {  // putstatic
            emit_class_barrier(e, &ps->site, ps->site.field->cls);
            LLVMValueRef v = frames_pop(e->frames);
            probe_instruction(e->probes, &v, 1);
            probe_field(e->probes, ps->site.field, true, NULL);
            assigned(e, ps->site.field, v, ir_symbol(ir, SYMBOL_STATIC, ps->site.field));
            store_field(e, ps->site.field, v, NULL, ir_symbol(ir, SYMBOL_STATIC, ps->site.field));
            break;
        }
    }
}

// ---- the group --------------------------------------------------------------------------------------

bool emit_memory(Emit *e, unsigned opcode) {
    switch (opcode) {
        case OPC_iaload: array_load(e, 'I'); break;
        case OPC_laload: array_load(e, 'J'); break;
        case OPC_faload: array_load(e, 'F'); break;
        case OPC_daload: array_load(e, 'D'); break;
        case OPC_aaload: array_load(e, 'L'); break;
        case OPC_baload: array_load(e, 'B'); break;
        case OPC_caload: array_load(e, 'C'); break;
        case OPC_saload: array_load(e, 'S'); break;
        case OPC_iastore: array_store(e, 'I'); break;
        case OPC_lastore: array_store(e, 'J'); break;
        case OPC_fastore: array_store(e, 'F'); break;
        case OPC_dastore: array_store(e, 'D'); break;
        case OPC_aastore: array_store(e, 'L'); break;
        case OPC_bastore: array_store(e, 'B'); break;
        case OPC_castore: array_store(e, 'C'); break;
        case OPC_sastore: array_store(e, 'S'); break;
        case OPC_arraylength: {
            LLVMValueRef array = frames_pop(e->frames);
            emit_null_check(e, array);
            frames_push(e->frames, KIND_INT, ir_array_length(e->ir, array));
            probe_result(e->probes);
            break;
        }
        case OPC_getfield:
        case OPC_putfield:
        case OPC_getstatic:
        case OPC_putstatic: field_access(e, opcode); break;
        default: return false;
    }
    return true;
}
