// Intrinsics on strings and byte arrays (emit_string.c) and copies of arrays (emit_copy.c), and what they share with the others (emit_intrinsic.c). Private to
// both. Where a fast path does not apply, control goes to `slow`; the results are of type i32.
#ifndef CABERNET_JIT_EMIT_STRING_H
#define CABERNET_JIT_EMIT_STRING_H

#include "jit/emit/emit.h"

// The fast path continues if the condition holds; otherwise control goes to `slow`.
void emit_require(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef slow);
// A field of the method's class, which has it.
const Field *emit_field_of(const Method *m, const char *name);
// Of an i64 that is not 0.
LLVMValueRef emit_count_trailing_zeros(Emit *e, LLVMValueRef bits);

// 1 if two arrays of primitive `type` have the same elements.
LLVMValueRef emit_equal_arrays(Emit *e, char type, const LLVMValueRef *arrays, LLVMBasicBlockRef slow);
// How far an index of elements of that type, B C I J or L, is shifted.
unsigned emit_element_shift(char type);
// String.equals, `m`.
LLVMValueRef emit_equal_strings(Emit *e, const Method *m, const LLVMValueRef *strings, LLVMBasicBlockRef slow);
// StringLatin1.compareTo.
LLVMValueRef emit_compare_bytes(Emit *e, const LLVMValueRef *arrays, LLVMBasicBlockRef slow);


// System.arraycopy with its arguments: of two arrays of one class, not many elements.
void emit_array_copy(Emit *e, const LLVMValueRef *args, LLVMBasicBlockRef slow);
// A new array with the elements from `start` to `end`, which may be behind the end of `from`; of that `type`, L for
// references: then the class is the one of `from` as well.
LLVMValueRef emit_array_range(Emit *e, char type, LLVMValueRef from, LLVMValueRef start, LLVMValueRef end, LLVMBasicBlockRef slow);

#endif
