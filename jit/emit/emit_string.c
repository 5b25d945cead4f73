// Intrinsics that compare strings and byte arrays, as instructions (jit/plan/intrinsics.def). The rules in
// emit_intrinsic.c apply here too.
//
// Bytes are compared eight at a time. In the last word, the bytes after the end are masked off; they can be read
// because objects fill whole granules (gc/heap.h).
#include <string.h>

#include "jit/emit/emit_access.h"
#include "jit/emit/emit_core.h"
#include "jit/emit/emit_string.h"

enum { WORD = 8 };

void emit_require(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef slow) {
    LLVMBasicBlockRef next = emit_block(e, "fast");
    emit_branch(e, condition, next, slow, 1);
    emit_at(e, next);
}

static LLVMValueRef is_same(Emit *e, LLVMValueRef a, LLVMValueRef b) { return LLVMBuildICmp(e->builder, LLVMIntEQ, a, b, ""); }

// Continues if the condition holds, else jumps to `no`.
static void go_on_if(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef no) {
    LLVMBasicBlockRef next = emit_block(e, "same");
    emit_branch(e, condition, next, no, -1);
    emit_at(e, next);
}

const Field *emit_field_of(const Method *m, const char *name) {
    for (uint32_t i = 0; i < m->cls->field_count; i++)
        if (strcmp(m->cls->fields[i].name->text, name) == 0) return &m->cls->fields[i];
    abort();  // a field of java.lang.String, which the VM knows by name
}

// The bits in which the eight bytes from i on differ. `count` (1...8, an i64) limits the comparison to the first bytes;
// NULL: all eight.
static LLVMValueRef difference(Emit *e, const LLVMValueRef *arrays, LLVMValueRef i, LLVMValueRef count) {
    LLVMValueRef words[2];
    for (int k = 0; k < 2; k++) {
        LLVMValueRef at = emit_offset(e, emit_offset_const(e, arrays[k], e->layout->array_base), i);
        words[k] = LLVMBuildLoad2(e->builder, e->i64, at, "");
        LLVMSetAlignment(words[k], WORD);
    }
    LLVMValueRef x = LLVMBuildXor(e->builder, words[0], words[1], "");
    if (!count) return x;
    LLVMValueRef missing = LLVMBuildSub(e->builder, emit_long(e, WORD), count, "");
    LLVMValueRef mask = LLVMBuildLShr(e->builder, emit_long(e, -1), LLVMBuildShl(e->builder, missing, emit_long(e, 3), ""), "");
    return LLVMBuildAnd(e->builder, x, mask, "");
}

typedef struct Difference {
    LLVMValueRef at;    // i64: index of the first of the eight bytes
    LLVMValueRef bits;  // i64, not 0
} Difference;

// Compares the first `length` bytes (i64) of two arrays. Jumps to `same` if they are equal; the builder continues where
// they differ.
static Difference find_difference(Emit *e, const LLVMValueRef *arrays, LLVMValueRef length, LLVMBasicBlockRef same) {
    LLVMBasicBlockRef before = LLVMGetInsertBlock(e->builder), head = emit_block(e, "words"), body = emit_block(e, "word"),
                      tail = emit_block(e, "rest"), last = emit_block(e, "last"), found = emit_block(e, "differ");
    emit_jump(e, head);
    emit_at(e, head);
    LLVMValueRef i = LLVMBuildPhi(e->builder, e->i64, "");
    LLVMValueRef next = LLVMBuildAdd(e->builder, i, emit_long(e, WORD), "");
    emit_branch(e, LLVMBuildICmp(e->builder, LLVMIntSLE, next, length, ""), body, tail, -1);
    emit_at(e, body);
    LLVMValueRef whole = difference(e, arrays, i, NULL);
    emit_branch(e, is_same(e, whole, emit_long(e, 0)), head, found, 1);
    LLVMAddIncoming(i, (LLVMValueRef[]){emit_long(e, 0), next}, (LLVMBasicBlockRef[]){before, body}, 2);
    emit_at(e, tail);
    LLVMValueRef rest = LLVMBuildSub(e->builder, length, i, "");
    emit_branch(e, is_same(e, rest, emit_long(e, 0)), same, last, -1);
    emit_at(e, last);
    LLVMValueRef part = difference(e, arrays, i, rest);
    emit_branch(e, is_same(e, part, emit_long(e, 0)), same, found, -1);
    emit_at(e, found);
    return (Difference){i, emit_phi2(e, e->i64, whole, body, part, last)};
}

static LLVMValueRef length_of(Emit *e, LLVMValueRef array) {
    return LLVMBuildZExt(e->builder, emit_array_length(e, array), e->i64, "");
}

// The result of a comparison: 1 from block `yes`, 0 from block `no`.
static LLVMValueRef answer(Emit *e, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    LLVMBasicBlockRef done = emit_block(e, "compared");
    emit_at(e, yes);
    emit_jump(e, done);
    emit_at(e, no);
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->i32, emit_int(e, 1), yes, emit_int(e, 0), no);
}

unsigned emit_element_shift(char type) { return type == 'B' ? 0 : type == 'C' ? 1 : type == 'I' ? 2 : 3; }

static void compare(Emit *e, unsigned shift, const LLVMValueRef *arrays, LLVMBasicBlockRef yes, LLVMBasicBlockRef no) {
    go_on_if(e, is_same(e, emit_array_length(e, arrays[0]), emit_array_length(e, arrays[1])), no);
    find_difference(e, arrays, LLVMBuildShl(e->builder, length_of(e, arrays[0]), emit_long(e, shift), ""), yes);
    emit_jump(e, no);
}

LLVMValueRef emit_equal_arrays(Emit *e, char type, const LLVMValueRef *arrays, LLVMBasicBlockRef slow) {
    LLVMBasicBlockRef yes = emit_block(e, "equal"), no = emit_block(e, "other");
    for (int k = 0; k < 2; k++) emit_require(e, LLVMBuildNot(e->builder, emit_is_null(e, arrays[k]), ""), slow);
    compare(e, emit_element_shift(type), arrays, yes, no);
    return answer(e, yes, no);
}

LLVMValueRef emit_equal_strings(Emit *e, const Method *m, const LLVMValueRef *strings, LLVMBasicBlockRef slow) {
    LLVMBasicBlockRef yes = emit_block(e, "equal"), no = emit_block(e, "other"), two = emit_block(e, "two");
    LLVMValueRef values[2], coders[2];
    emit_branch(e, is_same(e, strings[0], strings[1]), yes, two, -1);
    emit_at(e, two);
    go_on_if(e, LLVMBuildNot(e->builder, emit_is_null(e, strings[1]), ""), no);
    go_on_if(e, is_same(e, emit_vtable_of(e, strings[1]), emit_symbol(e, SYMBOL_VTABLE, m->cls)), no);
    for (int k = 0; k < 2; k++) {
        values[k] = emit_get_field(e, emit_field_of(m, "value"), strings[k]);
        // NULL: the string was never constructed.
        emit_require(e, LLVMBuildNot(e->builder, emit_is_null(e, values[k]), ""), slow);
        coders[k] = emit_get_field(e, emit_field_of(m, "coder"), strings[k]);
    }
    go_on_if(e, is_same(e, coders[0], coders[1]), no);
    compare(e, 0, values, yes, no);
    return answer(e, yes, no);
}

static LLVMValueRef byte_at(Emit *e, LLVMValueRef array, LLVMValueRef index) {
    return emit_get_char(e, array, LLVMBuildTrunc(e->builder, index, e->i32, ""), false);
}

LLVMValueRef emit_compare_bytes(Emit *e, const LLVMValueRef *arrays, LLVMBasicBlockRef slow) {
    LLVMBasicBlockRef same = emit_block(e, "prefix"), done = emit_block(e, "compared");
    for (int k = 0; k < 2; k++) emit_require(e, LLVMBuildNot(e->builder, emit_is_null(e, arrays[k]), ""), slow);
    LLVMValueRef lengths[] = {emit_array_length(e, arrays[0]), emit_array_length(e, arrays[1])};
    LLVMValueRef less = LLVMBuildICmp(e->builder, LLVMIntSLT, lengths[0], lengths[1], "");
    LLVMValueRef shorter = LLVMBuildSelect(e->builder, less, lengths[0], lengths[1], "");
    Difference d = find_difference(e, arrays, LLVMBuildZExt(e->builder, shorter, e->i64, ""), same);
    LLVMValueRef bit = emit_count_trailing_zeros(e, d.bits);
    LLVMValueRef at = LLVMBuildAdd(e->builder, d.at, LLVMBuildLShr(e->builder, bit, emit_long(e, 3), ""), "");
    LLVMValueRef bytes = LLVMBuildSub(e->builder, byte_at(e, arrays[0], at), byte_at(e, arrays[1], at), "");
    LLVMBasicBlockRef differ = LLVMGetInsertBlock(e->builder);
    emit_jump(e, done);
    emit_at(e, same);
    LLVMValueRef by_length = LLVMBuildSub(e->builder, lengths[0], lengths[1], "");
    emit_jump(e, done);
    emit_at(e, done);
    return emit_phi2(e, e->i32, bytes, differ, by_length, same);
}
