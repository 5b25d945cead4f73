// Intrinsics that compare strings and byte arrays, as instructions (jit/plan/plan_intrinsics.def). The rules in
// emit_intrinsic.c apply here too.
//
// Bytes are compared eight at a time. In the last word, the bytes after the end are masked off; they can be read
// because objects fill whole granules (gc/heap.h).
#include <string.h>

#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"

enum { WORD = 8 };

void emit_require(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef slow) {
    LLVMBasicBlockRef next = ir_block(e->ir, "fast");
    ir_branch(e->ir, condition, next, slow, 1);
    ir_at(e->ir, next);
}

void emit_require_object(Emit *e, LLVMValueRef ref, LLVMBasicBlockRef slow) {
    emit_require(e, LLVMBuildNot(e->ir->builder, ir_is_null(e->ir, ref), ""), slow);
}

// Continues if the condition holds, else jumps to `no`.
static void continue_if(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef no) {
    LLVMBasicBlockRef next = ir_block(e->ir, "same");
    ir_branch(e->ir, condition, next, no, -1);
    ir_at(e->ir, next);
}

const Field *emit_field_of(const Method *m, const char *name) {
    for (uint32_t i = 0; i < m->cls->field_count; i++)
        if (strcmp(m->cls->fields[i].name->text, name) == 0) return &m->cls->fields[i];
    abort();  // a field of java.lang.String, which the VM knows by name
}

// The bits in which the eight bytes from i on differ. `count` (1...8, an i64) limits the comparison to the first bytes;
// NULL: all eight.
static LLVMValueRef difference(Emit *e, const LLVMValueRef *arrays, LLVMValueRef i, LLVMValueRef count) {
    Ir *ir = e->ir;
    LLVMValueRef words[2];
    for (int k = 0; k < 2; k++) {
        LLVMValueRef at = ir_offset(ir, ir_offset_const(ir, arrays[k], ir->layout->array_base), i);
        words[k] = LLVMBuildLoad2(ir->builder, ir->i64, at, "");
        LLVMSetAlignment(words[k], WORD);
    }
    LLVMValueRef x = LLVMBuildXor(ir->builder, words[0], words[1], "");
    if (!count) return x;
    LLVMValueRef missing = LLVMBuildSub(ir->builder, ir_long(ir, WORD), count, "");
    LLVMValueRef mask = LLVMBuildLShr(ir->builder, ir_long(ir, -1),
                                      LLVMBuildShl(ir->builder, missing, ir_long(ir, 3), ""), "");
    return LLVMBuildAnd(ir->builder, x, mask, "");
}

typedef struct Difference {
    LLVMValueRef at;    // i64: index of the first of the eight bytes
    LLVMValueRef bits;  // i64, not 0
} Difference;

// Compares the first `length` bytes (i64) of two arrays. Jumps to `same` if they are equal; the builder continues where
// they differ.
static Difference find_difference(Emit *e, const LLVMValueRef *arrays, LLVMValueRef length, LLVMBasicBlockRef same) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(ir->builder), head = ir_block(ir, "words"),
                      body = ir_block(ir, "word"), tail = ir_block(ir, "rest"), last = ir_block(ir, "last"),
                      found = ir_block(ir, "differ");
    ir_jump(ir, head);
    ir_at(ir, head);
    LLVMValueRef i = LLVMBuildPhi(ir->builder, ir->i64, "");
    LLVMValueRef next = LLVMBuildAdd(ir->builder, i, ir_long(ir, WORD), "");
    ir_branch(ir, LLVMBuildICmp(ir->builder, LLVMIntSLE, next, length, ""), body, tail, -1);
    ir_at(ir, body);
    LLVMValueRef whole = difference(e, arrays, i, NULL);
    ir_branch(ir, ir_equal(ir, whole, ir_long(ir, 0)), head, found, 1);
    LLVMAddIncoming(i, (LLVMValueRef[]){ir_long(ir, 0), next}, (LLVMBasicBlockRef[]){before, body}, 2);
    ir_at(ir, tail);
    LLVMValueRef rest = LLVMBuildSub(ir->builder, length, i, "");
    ir_branch(ir, ir_equal(ir, rest, ir_long(ir, 0)), same, last, -1);
    ir_at(ir, last);
    LLVMValueRef part = difference(e, arrays, i, rest);
    ir_branch(ir, ir_equal(ir, part, ir_long(ir, 0)), same, found, -1);
    ir_at(ir, found);
    return (Difference){i, ir_phi2(ir, ir->i64, whole, body, part, last)};
}

// The result of a comparison: 1 from block `yes`, 0 from block `no`.
static LLVMValueRef answer(Emit *e, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef done = ir_block(ir, "compared");
    ir_at(ir, yes);
    ir_jump(ir, done);
    ir_at(ir, no);
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->i32, ir_int(ir, 1), yes, ir_int(ir, 0), no);
}

unsigned emit_element_shift(char type) { return type == 'B' ? 0 : type == 'C' ? 1 : type == 'I' ? 2 : 3; }

static void compare(Emit *e, unsigned shift, const LLVMValueRef *arrays, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    Ir *ir = e->ir;
    continue_if(e, ir_equal(ir, ir_array_length(ir, arrays[0]), ir_array_length(ir, arrays[1])), no);
    find_difference(e, arrays,
                    LLVMBuildShl(ir->builder, LLVMBuildZExt(ir->builder, ir_array_length(ir, arrays[0]), ir->i64, ""),
                                 ir_long(ir, shift), ""),
                    yes);
    ir_jump(ir, no);
}

LLVMValueRef emit_equal_arrays(Emit *e, char type, const LLVMValueRef *arrays, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef yes = ir_block(ir, "equal"), no = ir_block(ir, "other");
    for (int k = 0; k < 2; k++) emit_require_object(e, arrays[k], slow);
    compare(e, emit_element_shift(type), arrays, yes, no);
    return answer(e, yes, no);
}

LLVMValueRef emit_equal_strings(Emit *e, const Method *m, const LLVMValueRef *strings, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef yes = ir_block(ir, "equal"), no = ir_block(ir, "other"), two = ir_block(ir, "two");
    LLVMValueRef values[2], coders[2];
    ir_branch(ir, ir_equal(ir, strings[0], strings[1]), yes, two, -1);
    ir_at(ir, two);
    continue_if(e, LLVMBuildNot(ir->builder, ir_is_null(ir, strings[1]), ""), no);
    continue_if(e, ir_equal(ir, ir_vtable_of(ir, strings[1]), ir_symbol(ir, SYMBOL_VTABLE, m->cls)), no);
    for (int k = 0; k < 2; k++) {
        values[k] = emit_get_field(e, emit_field_of(m, "value"), strings[k]);
        // NULL: the string was never constructed.
        emit_require_object(e, values[k], slow);
        coders[k] = emit_get_field(e, emit_field_of(m, "coder"), strings[k]);
    }
    continue_if(e, ir_equal(ir, coders[0], coders[1]), no);
    compare(e, 0, values, yes, no);
    return answer(e, yes, no);
}

LLVMValueRef emit_compare_bytes(Emit *e, const LLVMValueRef *arrays, LLVMBasicBlockRef slow) {
    Ir *ir = e->ir;
    LLVMBasicBlockRef same = ir_block(ir, "prefix"), done = ir_block(ir, "compared");
    for (int k = 0; k < 2; k++) emit_require_object(e, arrays[k], slow);
    LLVMValueRef lengths[] = {ir_array_length(ir, arrays[0]), ir_array_length(ir, arrays[1])};
    LLVMValueRef less = LLVMBuildICmp(ir->builder, LLVMIntSLT, lengths[0], lengths[1], "");
    LLVMValueRef shorter = LLVMBuildSelect(ir->builder, less, lengths[0], lengths[1], "");
    Difference d = find_difference(e, arrays, LLVMBuildZExt(ir->builder, shorter, ir->i64, ""), same);
    LLVMValueRef bit = ir_intrinsic(ir, "llvm.cttz", ir->i64, (LLVMValueRef[]){d.bits, LLVMConstInt(ir->i1, 1, false)},
                                    2);
    LLVMValueRef at = LLVMBuildAdd(ir->builder, d.at, LLVMBuildLShr(ir->builder, bit, ir_long(ir, 3), ""), "");
    LLVMValueRef found[2];
    for (int k = 1; k >= 0; k--)
        found[k] = ir_get_char(ir, arrays[k], LLVMBuildTrunc(ir->builder, at, ir->i32, ""), false);
    LLVMValueRef bytes = LLVMBuildSub(ir->builder, found[0], found[1], "");
    LLVMBasicBlockRef differ = LLVMGetInsertBlock(ir->builder);
    ir_jump(ir, done);
    ir_at(ir, same);
    LLVMValueRef by_length = LLVMBuildSub(ir->builder, lengths[0], lengths[1], "");
    ir_jump(ir, done);
    ir_at(ir, done);
    return ir_phi2(ir, ir->i32, bytes, differ, by_length, same);
}
