// What emit_memory.c and emit_object.c share: reading the parts of objects and classes that the VM's
// layout defines. Private to them.
//
// Memory tags (LLVM's tbaa) tell apart what cannot be the same memory: array lengths, vtable
// pointers, elements by kind, each field by its name. Whatever has no tag (free lists, lock words, the
// thread, anything the VM does in a call) may be the same as anything.
#ifndef CABERNET_JIT_EMIT_ACCESS_H
#define CABERNET_JIT_EMIT_ACCESS_H

#include "jit/emit/emit.h"

// Tags a load or store. Lengths and vtable pointers never change: they stand beside "heap", which all the others
// are parts of and with which calls are tagged, so that a call does not make code load them again.
void emit_tag(Emit *e, LLVMValueRef access, const char *name);

// VTable * of an object that is not null; Class * of a VTable; Class * of the object.
LLVMValueRef emit_vtable_of(Emit *e, LLVMValueRef object);
LLVMValueRef emit_class_of(Emit *e, LLVMValueRef object);
// A member of a class or vtable that never changes once the class can be seen.
LLVMValueRef emit_load_constant(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset);
LLVMValueRef emit_array_length(Emit *e, LLVMValueRef array);

// A field of an object that is not null, without an event.
LLVMValueRef emit_get_field(Emit *e, const Field *f, LLVMValueRef object);
// Element of a byte array, which has it, as an unsigned byte, or as a char if `wide`: i32.
LLVMValueRef emit_get_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, bool wide);
void emit_put_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, LLVMValueRef v);

// In a strip-mined loop (jit/emit/emit_loop.c): the array's length as read where the strip began, 0 if it is null.
// NULL: not read there.
LLVMValueRef emit_loop_array_length(Emit *e, LLVMValueRef array);

// 1 if class `sub` is a subtype of class `super`, both known at run time only: i1.
LLVMValueRef emit_is_subtype(Emit *e, LLVMValueRef sub, LLVMValueRef super);
// The same, with a fast path: if `known` (i1) holds, it is one.
LLVMValueRef emit_ask_subtype(Emit *e, LLVMValueRef known, LLVMValueRef sub, LLVMValueRef super);

// Whoever sees a store after it sees the stores before it: a new object's header and length, and final fields, before
// the reference by which it is published. (The reader's side is the dependency of its loads on that reference.)
void emit_store_fence(Emit *e);
// The same behind the store of a final field of an object.
void emit_final_fence(Emit *e, LLVMValueRef object);

#endif
