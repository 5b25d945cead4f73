// Access to the parts of objects and classes that the VM's layout defines, implemented in emit_memory.c and
// emit_object.c. Private to this folder.
//
// Memory tags (LLVM's tbaa) separate memory that cannot overlap: array lengths, vtable pointers, elements by kind, and
// each field by its name. Untagged memory (free lists, lock words, the thread) may alias anything.
#ifndef CABERNET_JIT_EMIT_ACCESS_H
#define CABERNET_JIT_EMIT_ACCESS_H

#include "jit/emit/emit.h"

// Tags a load or store. Lengths and vtable pointers never change: their tags are siblings of "heap", the parent of all
// other tags. Calls are tagged "heap", so code need not reload lengths and vtable pointers after a call.
void emit_tag(Emit *e, LLVMValueRef access, const char *name);

// VTable * of a non-null object; Class * of the object.
LLVMValueRef emit_vtable_of(Emit *e, LLVMValueRef object);
LLVMValueRef emit_class_of(Emit *e, LLVMValueRef object);
// A member of a class or vtable that never changes once the class is visible.
LLVMValueRef emit_load_constant(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset);
LLVMValueRef emit_array_length(Emit *e, LLVMValueRef array);

// A field of a non-null object, without an event.
LLVMValueRef emit_get_field(Emit *e, const Field *f, LLVMValueRef object);
// An element of a byte array, within its bounds, as an unsigned byte, or as a char if `wide`. The value is an i32.
LLVMValueRef emit_get_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, bool wide);
void emit_put_char(Emit *e, LLVMValueRef bytes, LLVMValueRef index, LLVMValueRef v);

// In a strip-mined loop (jit/emit/emit_loop.c): the array's length as read at the beginning of the strip, 0 if the
// array is null. NULL: it was not read there.
LLVMValueRef emit_loop_array_length(Emit *e, LLVMValueRef array);

// i1: class `sub` is a subtype of class `super`. Both are known at run time only.
LLVMValueRef emit_is_subtype(Emit *e, LLVMValueRef sub, LLVMValueRef super);
// The same with a fast path: if `known` (i1) holds, `sub` is a subtype.
LLVMValueRef emit_ask_subtype(Emit *e, LLVMValueRef known, LLVMValueRef sub, LLVMValueRef super);

// A thread that sees a later store also sees the stores before the fence: a new object's header and length, and final
// fields, before the reference that publishes it. (The reader relies on the dependency of its loads on that reference.)
void emit_store_fence(Emit *e);
// The same, after the store of a final field of an object.
void emit_final_fence(Emit *e, LLVMValueRef object);

#endif
