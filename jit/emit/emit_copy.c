// Intrinsics that copy arrays as instructions (jit/plan/intrinsics.def). The rules in emit_intrinsic.c apply here too.
// The VM makes long copies, and lets other threads stop the world between pieces.
#include <stddef.h>

#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"

enum { LONGEST = 1 << 16 };  // most elements copied by instructions

static LLVMValueRef as_long(Emit *e, LLVMValueRef v) { return LLVMBuildZExt(e->builder, v, e->i64, ""); }

static void require_array(Emit *e, LLVMValueRef array, LLVMBasicBlockRef slow) {
    emit_require(e, LLVMBuildNot(e->builder, emit_is_null(e, array), ""), slow);
}

// Unsigned: a negative `a` is greater than any length.
static void require_at_most(Emit *e, LLVMValueRef a, LLVMValueRef b, LLVMBasicBlockRef slow) {
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntULE, a, b, ""), slow);
}

// Address of an element; index and shift are i64.
static LLVMValueRef element(Emit *e, LLVMValueRef array, LLVMValueRef index, LLVMValueRef shift) {
    LLVMValueRef bytes = LLVMBuildShl(e->builder, index, shift, "");
    return emit_offset(e, emit_offset_const(e, array, e->layout->array_base), bytes);
}

// Copies between arrays of one class, whose elements have 1 << shift bytes. All numbers are i64 and in range.
static void copy(Emit *e, LLVMValueRef from, LLVMValueRef start, LLVMValueRef to, LLVMValueRef at, LLVMValueRef count,
                 LLVMValueRef shift) {
    LLVMValueRef bytes = LLVMBuildShl(e->builder, count, shift, "");
    LLVMBuildMemMove(e->builder, element(e, to, at, shift), 1, element(e, from, start, shift), 1, bytes);
}

void emit_array_copy(Emit *e, const LLVMValueRef *args, LLVMBasicBlockRef slow) {
    LLVMValueRef from = args[0], to = args[2], count = args[4];
    require_array(e, from, slow);
    require_array(e, to, slow);
    LLVMValueRef vtable = emit_vtable_of(e, from);
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntEQ, vtable, emit_vtable_of(e, to), ""), slow);
    LLVMValueRef cls = emit_load_constant(e, e->ptr, vtable, e->layout->vtable_class);
    LLVMValueRef flags = emit_load(e, e->i32, cls, e->layout->class_cflags);
    LLVMValueRef is_array = LLVMBuildAnd(e->builder, flags, emit_int(e, CF_ARRAY), "");
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntNE, is_array, emit_int(e, 0), ""), slow);
    require_at_most(e, count, emit_int(e, LONGEST), slow);
    for (int k = 0; k < 2; k++) {
        LLVMValueRef at = args[2 * k + 1], length = emit_array_length(e, args[2 * k]);
        emit_require(e, LLVMBuildICmp(e->builder, LLVMIntSGE, at, emit_int(e, 0), ""), slow);
        LLVMValueRef end = LLVMBuildAdd(e->builder, at, count, "");  // below 2^32
        require_at_most(e, end, length, slow);
    }
    LLVMValueRef shift = emit_load_constant(e, e->i8, cls, offsetof(Class, elem_shift));
    copy(e, from, as_long(e, args[1]), to, as_long(e, args[3]), as_long(e, count),
         LLVMBuildZExt(e->builder, shift, e->i64, ""));
}

LLVMValueRef emit_array_range(Emit *e, char type, LLVMValueRef from, LLVMValueRef start, LLVMValueRef end, LLVMBasicBlockRef slow) {
    unsigned shift = emit_element_shift(type);
    require_array(e, from, slow);
    require_at_most(e, start, emit_array_length(e, from), slow);
    emit_require(e, LLVMBuildICmp(e->builder, LLVMIntSGE, end, start, ""), slow);
    LLVMValueRef length = LLVMBuildSub(e->builder, end, start, "");
    LLVMValueRef made = emit_new_array_like(e, from, type, length, slow);  // all zero
    LLVMValueRef left = LLVMBuildSub(e->builder, emit_array_length(e, from), start, "");
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntSLT, left, length, "");
    LLVMValueRef count = LLVMBuildSelect(e->builder, less, left, length, "");
    copy(e, from, as_long(e, start), made, emit_long(e, 0), as_long(e, count), emit_long(e, shift));
    return made;
}
