// Objects and classes in memory (ir.h).
//
// Memory order (JLS 17.4). Volatile fields are sequentially consistent. References are unordered atomics, LLVM's
// ordering for Java's plain variables: they are read and written whole, with no further guarantee. Numbers could be
// unordered too, but LLVM neither vectorises such accesses nor folds them into other instructions, so they are
// non-atomic, aligned accesses. Therefore long and double may be torn (JLS 17.7). Other numbers are not torn, and a
// racy read returns a value that some thread wrote, only because LLVM does not split or repeat an aligned access.
#include <string.h>

#include "jit/ir/ir.h"

void ir_tag(Ir *ir, LLVMValueRef access, const char *name) {
    LLVMContextRef c = ir->context;
    LLVMMetadataRef root_name = LLVMMDStringInContext2(c, "cabernet", 8);
    LLVMMetadataRef root = LLVMMDNodeInContext2(c, &root_name, 1);
    LLVMMetadataRef zero = LLVMValueAsMetadata(LLVMConstInt(ir->i64, 0, 0));
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

LLVMValueRef ir_vtable_of(Ir *ir, LLVMValueRef object) {
    LLVMValueRef vtable = ir_load(ir, ir->ptr, object, ir->layout->object_vtable);
    ir_tag(ir, vtable, "vtable");
    return vtable;
}

LLVMValueRef ir_load_constant(Ir *ir, LLVMTypeRef type, LLVMValueRef base, int64_t offset) {
    LLVMValueRef v = ir_load(ir, type, base, offset);
    LLVMMetadataRef empty = LLVMMDNodeInContext2(ir->context, NULL, 0);
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(ir->context, "invariant.load", 14),
                    LLVMMetadataAsValue(ir->context, empty));
    return v;
}

LLVMValueRef ir_class_of(Ir *ir, LLVMValueRef object) {
    return ir_load_constant(ir, ir->ptr, ir_vtable_of(ir, object), ir->layout->vtable_class);
}

LLVMValueRef ir_array_length(Ir *ir, LLVMValueRef array) {
    LLVMValueRef length = ir_load(ir, ir->i32, array, ir->layout->array_length);
    ir_tag(ir, length, "length");
    LLVMMetadataRef range[] = {LLVMValueAsMetadata(ir_int(ir, 0)), LLVMValueAsMetadata(ir_int(ir, INT32_MIN))};
    LLVMSetMetadata(length, LLVMGetMDKindIDInContext(ir->context, "range", 5),
                    LLVMMetadataAsValue(ir->context, LLVMMDNodeInContext2(ir->context, range, 2)));
    return length;
}

void ir_store_fence(Ir *ir) { LLVMBuildFence(ir->builder, LLVMAtomicOrderingRelease, false, ""); }

LLVMTypeRef ir_memory_type(const Ir *ir, char type) {
    switch (type) {
        case 'Z':
        case 'B': return ir->i8;
        case 'C':
        case 'S': return ir->i16;
        case 'I': return ir->i32;
        case 'J': return ir->i64;
        case 'F': return ir->f32;
        case 'D': return ir->f64;
        default: return ir->ptr;
    }
}

unsigned ir_memory_size(char type) {
    switch (type) {
        case 'Z':
        case 'B': return 1;
        case 'C':
        case 'S': return 2;
        case 'I':
        case 'F': return 4;
        default: return 8;
    }
}

char ir_stack_kind(char type) {
    switch (type) {
        case 'Z':
        case 'B':
        case 'C':
        case 'S':
        case 'I': return KIND_INT;
        case 'J': return KIND_LONG;
        case 'F': return KIND_FLOAT;
        case 'D': return KIND_DOUBLE;
        default: return KIND_REF;
    }
}

static void set_order(LLVMValueRef access, char type, bool is_volatile) {
    LLVMSetAlignment(access, ir_memory_size(type));
    if (is_volatile) LLVMSetOrdering(access, LLVMAtomicOrderingSequentiallyConsistent);
    else if (ir_stack_kind(type) == KIND_REF) LLVMSetOrdering(access, LLVMAtomicOrderingUnordered);
}

LLVMValueRef ir_load_value(Ir *ir, char type, LLVMValueRef address, const char *tag, bool is_volatile) {
    LLVMValueRef v = LLVMBuildLoad2(ir->builder, ir_memory_type(ir, type), address, "");
    set_order(v, type, is_volatile);
    if (!is_volatile) ir_tag(ir, v, tag);
    switch (type) {
        case 'Z':
        case 'B':
        case 'S': return LLVMBuildSExt(ir->builder, v, ir->i32, "");
        case 'C': return LLVMBuildZExt(ir->builder, v, ir->i32, "");
        default: return v;
    }
}

// Types below int keep the low bits; boolean only one (JVMS 2.3.4).
void ir_store_value(Ir *ir, char type, LLVMValueRef v, LLVMValueRef address, const char *tag, bool is_volatile) {
    if (type == 'Z') v = LLVMBuildAnd(ir->builder, v, ir_int(ir, 1), "");
    if (ir_memory_size(type) < 4) v = LLVMBuildTrunc(ir->builder, v, ir_memory_type(ir, type), "");
    LLVMValueRef store = LLVMBuildStore(ir->builder, v, address);
    set_order(store, type, is_volatile);
    if (!is_volatile) ir_tag(ir, store, tag);
}

LLVMValueRef ir_element_address(Ir *ir, char type, LLVMValueRef array, LLVMValueRef index) {
    LLVMValueRef base = ir_offset_const(ir, array, ir->layout->array_base);
    LLVMValueRef wide = LLVMBuildZExt(ir->builder, index, ir->i64, "");
    return LLVMBuildInBoundsGEP2(ir->builder, ir_memory_type(ir, type), base, &wide, 1, "");
}

// Elements of boolean and byte arrays share instructions and therefore the tag.
const char *ir_element_tag(char type) {
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

LLVMValueRef ir_get_char(Ir *ir, LLVMValueRef bytes, LLVMValueRef index, bool wide) {
    char type = wide ? 'C' : 'B';
    LLVMValueRef v = ir_load_value(ir, type, ir_element_address(ir, type, bytes, index), ir_element_tag('B'), false);
    return wide ? v : LLVMBuildAnd(ir->builder, v, ir_int(ir, 0xff), "");
}

void ir_put_char(Ir *ir, LLVMValueRef bytes, LLVMValueRef index, LLVMValueRef v) {
    ir_store_value(ir, 'C', v, ir_element_address(ir, 'C', bytes, index), ir_element_tag('B'), false);
}
