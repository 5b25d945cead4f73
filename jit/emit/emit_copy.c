// Intrinsics that copy arrays as instructions (jit/plan/plan_intrinsics.def). The rules in emit_intrinsic.c apply here
// too. The VM makes long copies, and lets other threads stop the world between pieces.
#include <stddef.h>

#include "jit/backend/cards.h"
#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"

enum { LONGEST = 1 << 16 };  // most elements copied by instructions

// Unsigned: a negative `a` is greater than any length.
static void require_at_most(Emit *e, LLVMValueRef a, LLVMValueRef b, LLVMBasicBlockRef slow) {
    emit_require(e, LLVMBuildICmp(e->ir->builder, LLVMIntULE, a, b, ""), slow);
}

// Address of an element; index and shift are i64.
static LLVMValueRef element(Emit *e, LLVMValueRef array, LLVMValueRef index, LLVMValueRef shift) {
    Ir *ir = e->ir;
    LLVMValueRef bytes = LLVMBuildShl(ir->builder, index, shift, "");
    return ir_offset(ir, ir_offset_const(ir, array, ir->layout->array_base), bytes);
}

// Copies between arrays of one class, whose elements have 1 << shift bytes. All numbers are i64 and in range.
static void copy(Emit *e, LLVMValueRef from, LLVMValueRef start, LLVMValueRef to, LLVMValueRef at, LLVMValueRef count,
                 LLVMValueRef shift) {
    LLVMValueRef bytes = LLVMBuildShl(e->ir->builder, count, shift, "");
    LLVMBuildMemMove(e->ir->builder, element(e, to, at, shift), 1, element(e, from, start, shift), 1, bytes);
}

// The write barrier of a copy into an array of that class.
static void mark_cards(Emit *e, LLVMValueRef cls, LLVMValueRef begin, LLVMValueRef bytes) {
    Ir *ir = e->ir;
    if (!compiler_cards()) return;
    LLVMBasicBlockRef mark = ir_block(ir, "cards"), done = ir_block(ir, "copied");
    LLVMValueRef component = ir_load_constant(ir, ir->ptr, cls, ir->layout->class_component);
    LLVMValueRef prim = ir_load_constant(ir, ir->i8, component, ir->layout->class_prim);
    LLVMValueRef is_reference = LLVMBuildICmp(ir->builder, LLVMIntEQ, prim, LLVMConstInt(ir->i8, 0, 0), "");
    ir_branch(ir, is_reference, mark, done, -1);
    ir_at(ir, mark);
    cards_mark_range(e->unit, ir->builder, BARRIER_optimised_arraycopy, begin, bytes);
    ir_jump(ir, done);
    ir_at(ir, done);
}

void emit_array_copy(Emit *e, const LLVMValueRef *args, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMValueRef from = args[0], to = args[2], count = args[4];
    emit_require_object(e, from, slow);
    emit_require_object(e, to, slow);
    LLVMValueRef vtable = ir_vtable_of(ir, from);
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntEQ, vtable, ir_vtable_of(ir, to), ""), slow);
    LLVMValueRef cls = ir_load_constant(ir, ir->ptr, vtable, ir->layout->vtable_class);
    LLVMValueRef flags = ir_load(ir, ir->i32, cls, ir->layout->class_cflags);
    LLVMValueRef is_array = LLVMBuildAnd(ir->builder, flags, ir_int(ir, CF_ARRAY), "");
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntNE, is_array, ir_int(ir, 0), ""), slow);
    require_at_most(e, count, ir_int(ir, LONGEST), slow);
    for (int k = 0; k < 2; k++) {
        LLVMValueRef at = args[2 * k + 1], length = ir_array_length(ir, args[2 * k]);
        emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntSGE, at, ir_int(ir, 0), ""), slow);
        LLVMValueRef end = LLVMBuildAdd(ir->builder, at, count, "");  // below 2^32
        require_at_most(e, end, length, slow);
    }
    LLVMValueRef shift = ir_load_constant(ir, ir->i8, cls, offsetof(Class, elem_shift));
    LLVMValueRef at = LLVMBuildZExt(ir->builder, args[3], ir->i64, "");
    count = LLVMBuildZExt(ir->builder, count, ir->i64, "");
    shift = LLVMBuildZExt(ir->builder, shift, ir->i64, "");
    copy(e, from, LLVMBuildZExt(ir->builder, args[1], ir->i64, ""), to, at, count, shift);
    mark_cards(e, cls, element(e, to, at, shift), LLVMBuildShl(ir->builder, count, shift, ""));
}

LLVMValueRef emit_array_range(Emit *e, char type, LLVMValueRef from, LLVMValueRef start, LLVMValueRef end,
                              LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    unsigned shift = emit_element_shift(type);
    emit_require_object(e, from, slow);
    require_at_most(e, start, ir_array_length(ir, from), slow);
    emit_require(e, LLVMBuildICmp(ir->builder, LLVMIntSGE, end, start, ""), slow);
    LLVMValueRef length = LLVMBuildSub(ir->builder, end, start, "");
    LLVMValueRef made = emit_new_array_like(e, from, type, length, slow);  // all zero
    LLVMValueRef left = LLVMBuildSub(ir->builder, ir_array_length(ir, from), start, "");
    LLVMValueRef less = LLVMBuildICmp(ir->builder, LLVMIntSLT, left, length, "");
    LLVMValueRef count = LLVMBuildSelect(ir->builder, less, left, length, "");
    copy(e, from, LLVMBuildZExt(ir->builder, start, ir->i64, ""), made, ir_long(ir, 0),
         LLVMBuildZExt(ir->builder, count, ir->i64, ""), ir_long(ir, shift));
    probe_new(e->probes, made, compiler_primitive_array(type), length, 0);
    return made;
}
