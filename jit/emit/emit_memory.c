// Emission of array elements and fields (JVMS 6.5: xaload, xastore, arraylength, getfield, putfield,
// getstatic, putstatic).
//
// The tests are in Java's order: null, then the index, then the type of the stored value.
//
// Memory order (JLS 17.4). Volatile fields are sequentially consistent. References are unordered atomics, LLVM's
// ordering for Java's plain variables: they are read and written whole, with no further guarantee. Numbers could be
// unordered too, but LLVM neither vectorises such accesses nor folds them into other instructions, so they are
// non-atomic, aligned accesses. Therefore long and double may be torn (JLS 17.7). Other numbers are not torn, and a
// racy read returns a value that some thread wrote, only because LLVM does not split or repeat an aligned access. A
// release fence follows each store of a final field, so the store precedes the one that publishes the object.
#include "jit/emit/emit.h"

#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"

// ---- memory tags ----------------------------------------------------------------------------------

void emit_tag(Emit *e, LLVMValueRef access, const char *name) {
    LLVMContextRef c = e->context;
    LLVMMetadataRef root_name = LLVMMDStringInContext2(c, "cabernet", 8);
    LLVMMetadataRef root = LLVMMDNodeInContext2(c, &root_name, 1);
    LLVMMetadataRef zero = LLVMValueAsMetadata(LLVMConstInt(e->i64, 0, 0));
    LLVMMetadataRef heap_parts[] = {LLVMMDStringInContext2(c, "heap", 4), root, zero};
    LLVMMetadataRef heap = LLVMMDNodeInContext2(c, heap_parts, 3);
    bool never_changes = strcmp(name, "length") == 0 || strcmp(name, "vtable") == 0;
    LLVMMetadataRef parent = never_changes ? root : heap;
    LLVMMetadataRef type_parts[] = {LLVMMDStringInContext2(c, name, strlen(name)), parent, zero};
    LLVMMetadataRef type = strcmp(name, "heap") == 0 ? heap : LLVMMDNodeInContext2(c, type_parts, 3);
    LLVMMetadataRef tag_parts[] = {type, type, zero};
    LLVMMetadataRef tag = LLVMMDNodeInContext2(c, tag_parts, 3);
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(c, "tbaa", 4), LLVMMetadataAsValue(c, tag));
}

// ---- headers --------------------------------------------------------------------------------------

LLVMValueRef emit_vtable_of(Emit *e, LLVMValueRef object) {
    LLVMValueRef vtable = emit_load(e, e->ptr, object, e->layout->object_vtable);
    emit_tag(e, vtable, "vtable");
    return vtable;
}

LLVMValueRef emit_load_constant(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset) {
    LLVMValueRef v = emit_load(e, type, base, offset);
    emit_metadata(e, v, "invariant.load");
    return v;
}

LLVMValueRef emit_class_of(Emit *e, LLVMValueRef object) {
    return emit_load_constant(e, e->ptr, emit_vtable_of(e, object), e->layout->vtable_class);
}

LLVMValueRef emit_array_length(Emit *e, LLVMValueRef array) {
    LLVMValueRef length = emit_load(e, e->i32, array, e->layout->array_length);
    emit_tag(e, length, "length");
    LLVMMetadataRef range[] = {LLVMValueAsMetadata(emit_int(e, 0)), LLVMValueAsMetadata(emit_int(e, INT32_MIN))};
    LLVMSetMetadata(length, LLVMGetMDKindIDInContext(e->context, "range", 5),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, range, 2)));
    return length;
}

void emit_store_fence(Emit *e) {
    LLVMBuildFence(e->builder, LLVMAtomicOrderingRelease, false, "");
}

// ---- values in memory -------------------------------------------------------------------------------

// The memory type of a Java type.
static LLVMTypeRef memory_type(const Emit *e, char type) {
    switch (type) {
    case 'Z': case 'B': return e->i8;
    case 'C': case 'S': return e->i16;
    case 'I': return e->i32;
    case 'J': return e->i64;
    case 'F': return e->f32;
    case 'D': return e->f64;
    default: return e->ptr;
    }
}

static unsigned memory_size(char type) {
    switch (type) {
    case 'Z': case 'B': return 1;
    case 'C': case 'S': return 2;
    case 'I': case 'F': return 4;
    default: return 8;
    }
}

static char stack_kind(char type) {
    switch (type) {
    case 'Z': case 'B': case 'C': case 'S': case 'I': return KIND_INT;
    case 'J': return KIND_LONG;
    case 'F': return KIND_FLOAT;
    case 'D': return KIND_DOUBLE;
    default: return KIND_REF;
    }
}

static void set_order(LLVMValueRef access, char type, bool is_volatile) {
    LLVMSetAlignment(access, memory_size(type));
    if (is_volatile) LLVMSetOrdering(access, LLVMAtomicOrderingSequentiallyConsistent);
    else if (stack_kind(type) == KIND_REF) LLVMSetOrdering(access, LLVMAtomicOrderingUnordered);
}

// `tag` NULL: none. Volatile accesses are not tagged: nothing may be moved across them anyway.
static LLVMValueRef load_value(Emit *e, char type, LLVMValueRef address, const char *tag, bool is_volatile) {
    LLVMValueRef v = LLVMBuildLoad2(e->builder, memory_type(e, type), address, "");
    set_order(v, type, is_volatile);
    if (!is_volatile) emit_tag(e, v, tag);
    switch (type) {
    case 'Z': case 'B': case 'S': return LLVMBuildSExt(e->builder, v, e->i32, "");
    case 'C': return LLVMBuildZExt(e->builder, v, e->i32, "");
    default: return v;
    }
}

// Types below int keep the low bits; boolean only one (JVMS 2.3.4).
static void store_value(Emit *e, char type, LLVMValueRef v, LLVMValueRef address, const char *tag,
                        bool is_volatile) {
    if (type == 'Z') v = LLVMBuildAnd(e->builder, v, emit_int(e, 1), "");
    if (memory_size(type) < 4) v = LLVMBuildTrunc(e->builder, v, memory_type(e, type), "");
    LLVMValueRef store = LLVMBuildStore(e->builder, v, address);
    set_order(store, type, is_volatile);
    if (!is_volatile) emit_tag(e, store, tag);
}

// ---- arrays -----------------------------------------------------------------------------------------

static LLVMValueRef element_address(Emit *e, char type, LLVMValueRef array, LLVMValueRef index) {
    LLVMValueRef base = emit_offset_const(e, array, e->layout->array_base);
    LLVMValueRef wide = LLVMBuildZExt(e->builder, index, e->i64, "");
    return LLVMBuildInBoundsGEP2(e->builder, memory_type(e, type), base, &wide, 1, "");
}

static void check_element(Emit *e, LLVMValueRef array, LLVMValueRef index) {
    LLVMValueRef length = emit_loop_array_length(e, array);
    if (length) {
        // The length is 0 if the array is null. Only the cold path finds out which exception it is.
        LLVMBasicBlockRef cold = emit_block(e, "bad"), next = emit_block(e, "ok");
        emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntUGE, index, length, ""), cold, next, 0);
        emit_at(e, cold);
        emit_null_check(e, array);
        emit_runtime(e, RT_throw_bounds, (LLVMValueRef[]){index, emit_array_length(e, array)}, 2);
        emit_unwind(e);
        emit_at(e, next);
        emit_mark_nonnull(e, array);
    } else {
        emit_null_check(e, array);
        LLVMValueRef array_length = emit_array_length(e, array);
        LLVMValueRef bad = LLVMBuildICmp(e->builder, LLVMIntUGE, index, array_length, "");
        emit_throw_if(e, bad, RT_throw_bounds, (LLVMValueRef[]){index, array_length}, 2);
    }
}

// Elements of boolean and byte arrays share instructions and therefore the tag.
static const char *element_tag(char type) {
    switch (type) {
    case 'B': return "[B";
    case 'C': return "[C";
    case 'S': return "[S";
    case 'I': return "[I";
    case 'J': return "[J";
    case 'F': return "[F";
    case 'D': return "[D";
    default: return "[L";
    }
}

static void array_load(Emit *e, char type) {
    LLVMValueRef index = emit_pop(e), array = emit_pop(e);
    check_element(e, array, index);
    LLVMValueRef address = element_address(e, type, array, index);
    emit_probe(e, EVENT_array_access, (LLVMValueRef[]){emit_int(e, 0), array, address});
    emit_shared_probe(e, NULL, type, false, array, address);
    LLVMValueRef v = load_value(e, type, address, element_tag(type), false);
    emit_value_probe(e, v);
    emit_push(e, stack_kind(type), v);
}

LLVMValueRef emit_ask_subtype(Emit *e, LLVMValueRef known, LLVMValueRef sub, LLVMValueRef super) {
    LLVMBasicBlockRef from = LLVMGetInsertBlock(e->builder);
    LLVMBasicBlockRef ask = emit_block(e, "subtype"), done = emit_block(e, "subtype.done");
    emit_branch(e, known, done, ask, 1);
    emit_at(e, ask);
    LLVMValueRef answer = emit_runtime(e, RT_is_subtype, (LLVMValueRef[]){sub, super}, 2);
    LLVMValueRef yes = LLVMBuildICmp(e->builder, LLVMIntNE, answer, emit_int(e, 0), "");
    ask = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->i1, LLVMConstInt(e->i1, 1, 0), from, yes, ask);
}

LLVMValueRef emit_is_subtype(Emit *e, LLVMValueRef sub, LLVMValueRef super) {
    // The display answers for classes of small depth; the VM answers the rest. A deeper class is in no display, so its
    // depth may be truncated to an index.
    LLVMValueRef depth = emit_load_constant(e, e->i32, super, offsetof(Class, depth));
    LLVMValueRef cut = LLVMBuildAnd(e->builder, depth, emit_int(e, CLASS_DISPLAY - 1), "");
    LLVMValueRef bytes = LLVMBuildShl(e->builder, LLVMBuildZExt(e->builder, cut, e->i64, ""),
                                      emit_long(e, 3), "");
    LLVMValueRef display = emit_offset_const(e, sub, e->layout->class_display);
    LLVMValueRef ancestor = emit_load_constant(e, e->ptr, emit_offset(e, display, bytes), 0);
    LLVMValueRef known = LLVMBuildICmp(e->builder, LLVMIntEQ, ancestor, super, "");
    return emit_ask_subtype(e, known, sub, super);
}

// The element class of an array.
static LLVMValueRef component_of(Emit *e, LLVMValueRef array) {
    return emit_load_constant(e, e->ptr, emit_class_of(e, array), e->layout->class_component);
}

// ArrayStoreException unless the value fits: null, anything into an Object[], or a subtype.
static void check_store(Emit *e, LLVMValueRef array, LLVMValueRef value) {
    LLVMBasicBlockRef not_null = emit_block(e, "store.type"), test = emit_block(e, "store.test");
    LLVMBasicBlockRef fits = emit_block(e, "store");
    emit_branch(e, emit_is_null(e, value), fits, not_null, -1);
    emit_at(e, not_null);
    LLVMValueRef component = component_of(e, array);
    const Class *c = e->frame->method->cls;
    while (c->super) c = c->super;
    LLVMValueRef any = emit_symbol(e, SYMBOL_CLASS, c);
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntEQ, component, any, ""), fits, test, -1);
    emit_at(e, test);
    LLVMValueRef ok = emit_is_subtype(e, emit_class_of(e, value), component);
    emit_throw_if(e, LLVMBuildNot(e->builder, ok, ""), RT_throw_store, &value, 1);
    emit_jump(e, fits);
    emit_at(e, fits);
}

static void array_store(Emit *e, char type) {
    LLVMValueRef value = emit_pop(e), index = emit_pop(e), array = emit_pop(e);
    check_element(e, array, index);
    if (type == 'L') check_store(e, array, value);
    if (type == 'B') {
        // Only the array's class at run time distinguishes byte arrays from boolean arrays.
        LLVMValueRef prim = emit_load_constant(e, e->i8, component_of(e, array), e->layout->class_prim);
        LLVMValueRef is_boolean = LLVMBuildICmp(e->builder, LLVMIntEQ, prim, LLVMConstInt(e->i8, 'Z', 0), "");
        LLVMValueRef mask = LLVMBuildSelect(e->builder, is_boolean, emit_int(e, 1), emit_int(e, 0xff), "");
        value = LLVMBuildAnd(e->builder, value, mask, "");
    }
    LLVMValueRef address = element_address(e, type, array, index);
    emit_probe(e, EVENT_array_access, (LLVMValueRef[]){emit_int(e, 1), array, address});
    emit_shared_probe(e, NULL, type, true, array, address);
    store_value(e, type, value, address, element_tag(type), false);
}

LLVMValueRef emit_get_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, bool wide) {
    char type = wide ? 'C' : 'B';
    LLVMValueRef v = load_value(e, type, element_address(e, type, bytes, index), element_tag('B'), false);
    return wide ? v : LLVMBuildAnd(e->builder, v, emit_int(e, 0xff), "");
}

void emit_put_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, LLVMValueRef v) {
    store_value(e, 'C', v, element_address(e, 'C', bytes, index), element_tag('B'), false);
}

// ---- fields -----------------------------------------------------------------------------------------

static const char *field_tag(const Field *f, char *buf, size_t cap) {
    snprintf(buf, cap, "%s.%s", f->cls->name->text, f->name->text);
    return buf;
}

static LLVMValueRef load_field(Emit *e, const Field *f, LLVMValueRef address) {
    char tag[256];
    LLVMValueRef v = load_value(e, f->type, address, field_tag(f, tag, sizeof tag), f->flags & ACC_VOLATILE);
    if (f->flags & ACC_VOLATILE) emit_sync(e, EVENT_sync_acquire, f, address);
    return v;
}

// `object` NULL: the field is static.
static void store_field(Emit *e, const Field *f, LLVMValueRef v, LLVMValueRef object, LLVMValueRef address) {
    char tag[256];
    if (f->flags & ACC_VOLATILE) emit_sync(e, EVENT_sync_release, f, address);
    store_value(e, f->type, v, address, field_tag(f, tag, sizeof tag), f->flags & ACC_VOLATILE);
    if (!(f->flags & ACC_FINAL)) return;
    if (object) emit_final_fence(e, object);
    else emit_store_fence(e);
}

LLVMValueRef emit_get_field(Emit *e, const Field *f, LLVMValueRef object) {
    return load_field(e, f, emit_offset_const(e, object, f->offset));
}

// A number is assigned to a field, whose type truncates it.
static void assigned(Emit *e, const Field *f, LLVMValueRef v, LLVMValueRef address) {
    if (!strchr("BCSIJFD", f->type) || !emit_wants(e, EVENT_scalar_pair)) return;
    if (f->type == 'B') v = LLVMBuildSExt(e->builder, LLVMBuildTrunc(e->builder, v, e->i8, ""), e->i32, "");
    if (f->type == 'S') v = LLVMBuildSExt(e->builder, LLVMBuildTrunc(e->builder, v, e->i16, ""), e->i32, "");
    if (f->type == 'C') v = LLVMBuildZExt(e->builder, LLVMBuildTrunc(e->builder, v, e->i16, ""), e->i32, "");
    emit_assigned_probes(e, stack_kind(f->type), v, load_field(e, f, address));
}

static void field_access(Emit *e, unsigned opcode) {
    const PlanSite *ps = plan_site(e->frame->plan, e->frame->bci);
    bool is_static = opcode == OPC_getstatic || opcode == OPC_putstatic;
    if (!ps || ps->site.kind != (is_static ? SITE_STATIC : SITE_FIELD)) {
        emit_deopt(e, DEOPT_unresolved);
        return;
    }
    switch (opcode) {
    case OPC_getfield: {
        LLVMValueRef object = emit_pop(e);
        emit_null_check(e, object);
        emit_field_probe(e, ps->site.field, false, object);
        LLVMValueRef v = emit_get_field(e, ps->site.field, object);
        emit_value_probe(e, v);
        emit_push(e, stack_kind(ps->site.field->type), v);
        break;
    }
    case OPC_putfield: {
        LLVMValueRef v = emit_pop(e), object = emit_pop(e);
        emit_null_check(e, object);
        emit_field_probe(e, ps->site.field, true, object);
        assigned(e, ps->site.field, v, emit_offset_const(e, object, ps->site.field->offset));
        store_field(e, ps->site.field, v, object, emit_offset_const(e, object, ps->site.field->offset));
        break;
    }
    case OPC_getstatic: {
        emit_class_barrier(e, &ps->site, ps->site.field->cls);
        emit_instruction_probe(e, NULL, 0);
        emit_field_probe(e, ps->site.field, false, NULL);
        LLVMValueRef v = load_field(e, ps->site.field, emit_symbol(e, SYMBOL_STATIC, ps->site.field));
        emit_value_probe(e, v);
        emit_push(e, stack_kind(ps->site.field->type), v);
        break;
    }
    default: {  // putstatic
        emit_class_barrier(e, &ps->site, ps->site.field->cls);
        LLVMValueRef v = emit_pop(e);
        emit_instruction_probe(e, &v, 1);
        emit_field_probe(e, ps->site.field, true, NULL);
        assigned(e, ps->site.field, v, emit_symbol(e, SYMBOL_STATIC, ps->site.field));
        store_field(e, ps->site.field, v, NULL, emit_symbol(e, SYMBOL_STATIC, ps->site.field));
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
        LLVMValueRef array = emit_pop(e);
        emit_null_check(e, array);
        emit_push(e, KIND_INT, emit_array_length(e, array));
        emit_result_probe(e);
        break;
    }
    case OPC_getfield: case OPC_putfield: case OPC_getstatic: case OPC_putstatic:
        field_access(e, opcode);
        break;
    default: return false;
    }
    return true;
}
