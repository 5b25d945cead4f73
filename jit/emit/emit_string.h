// Intrinsics on strings and byte arrays (emit_string.c), copies of arrays (emit_copy.c), and the functions that they
// share with emit_intrinsic.c. Private to this folder. Where a fast path does not apply, control goes to `slow`.
// Results are i32 unless stated otherwise.
#ifndef CABERNET_JIT_EMIT_EMIT_STRING_H
#define CABERNET_JIT_EMIT_EMIT_STRING_H

#include "jit/emit/emit_core.h"

// The fast path continues if the condition holds; otherwise control goes to `slow`.
void emit_require(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef slow);
void emit_require_object(Emit *e, LLVMValueRef ref, LLVMBasicBlockRef slow);  // not null
// The field of the method's class with that name, which must exist.
const Field *emit_field_of(const Method *m, const char *name);

// 1 if two arrays of primitive `type` have the same elements.
LLVMValueRef emit_equal_arrays(Emit *e, char type, const LLVMValueRef *arrays, LLVMBasicBlockRef slow);
// Shift from an index to a byte offset, for elements of type B, C, I, J or L.
unsigned emit_element_shift(char type);
// String.equals, `m`.
LLVMValueRef emit_equal_strings(Emit *e, const Method *m, const LLVMValueRef *strings, LLVMBasicBlockRef slow);
// StringLatin1.compareTo.
LLVMValueRef emit_compare_bytes(Emit *e, const LLVMValueRef *arrays, LLVMBasicBlockRef slow);

// System.arraycopy with its arguments. The fast path copies a limited number of elements between two arrays of one
// class.
void emit_array_copy(Emit *e, const LLVMValueRef *args, LLVMBasicBlockRef slow);
// A new array with the elements of `from` from `start` to `end`, which may exceed the length of `from`. Its elements
// have that `type`; for L (references), the new array has the class of `from`.
LLVMValueRef emit_array_range(Emit *e, char type, LLVMValueRef from, LLVMValueRef start, LLVMValueRef end,
                              LLVMBasicBlockRef slow);

#endif
