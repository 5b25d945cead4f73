// LLVM's builder, types, values, blocks and memory, and the symbols through which code refers to the running program.
// This room knows LLVM and the VM's layout, and nothing of frames, bytecode or profiles.
//
// The IR contains no address of the running process. It refers to the process through named symbols (ir_symbol), so
// equal plans give equal objects.
//
// Memory tags (LLVM's tbaa) separate memory that cannot overlap: array lengths, vtable pointers, elements by kind, and
// each field by its name. Untagged memory (free lists, lock words, the thread) may alias anything.
//
// References are `ptr`; int and smaller types are i32; return addresses of jsr are i64. A kind is KIND_INT, KIND_LONG
// and so on (bytecode/analysis/dataflow.h); a type is the first letter of a descriptor.
#ifndef CABERNET_JIT_IR_IR_H
#define CABERNET_JIT_IR_IR_H

#include <llvm-c/Core.h>

#include "base/hash.h"
#include "bytecode/analysis/dataflow.h"
#include "jit/backend/unit.h"

typedef struct Ir {
    Unit *unit;
    const CompilerLayout *layout;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMBuilderRef entry_builder;   // for allocas, at the top of the entry block
    LLVMValueRef function, thread;  // set by the caller once the function exists
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, void_type;
    LLVMMetadataRef likely, unlikely;
    unsigned prof_kind;
    LLVMMetadataRef lines;  // the function as the scope of debug locations; NULL: there are none
    HashTable symbols;      // by kind and key
    uint32_t symbol_serial, number_serial;
} Ir;

void ir_begin(Ir *ir, Unit *unit);
void ir_end(Ir *ir);

// ---- ir_lines.c: positions as debug locations, if wanted ----
void ir_lines_begin(Ir *ir);              // once the function exists
void ir_line(Ir *ir, uint32_t position);  // of the instructions that the builder makes from now on

// ---- ir.c: blocks and branches ----
LLVMBasicBlockRef ir_block(Ir *ir, const char *name);  // appended; the builder does not move
void ir_at(Ir *ir, LLVMBasicBlockRef block);           // moves the builder to its end
void ir_jump(Ir *ir, LLVMBasicBlockRef block);
// Conditional branch. `likely`: 1 the condition is expected to hold, 0 to fail, -1 unknown.
void ir_branch(Ir *ir, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, int likely);
// Sets branch weights: how often each of the `count` edges of a branch or switch was taken.
void ir_edge_weights(Ir *ir, LLVMValueRef branch, const uint64_t *counts, uint32_t count);
// Merges two values. The builder is at the end of neither block.
LLVMValueRef ir_phi2(Ir *ir, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a, LLVMValueRef b,
                     LLVMBasicBlockRef from_b);

// ---- ir.c: values ----
static inline bool ir_is_wide(char kind) { return kind == KIND_LONG || kind == KIND_DOUBLE; }
LLVMTypeRef ir_type(const Ir *ir, char kind);  // 'V' too
LLVMValueRef ir_int(Ir *ir, int64_t value);    // i32
LLVMValueRef ir_long(Ir *ir, int64_t value);
LLVMValueRef ir_equal(Ir *ir, LLVMValueRef a, LLVMValueRef b);  // i1
LLVMValueRef ir_is_null(Ir *ir, LLVMValueRef ref);              // i1
// Converts a value to a raw 64-bit slot (ints are zero-extended), and back.
LLVMValueRef ir_to_raw(Ir *ir, char kind, LLVMValueRef v);
LLVMValueRef ir_from_raw(Ir *ir, char kind, LLVMValueRef raw);
// Calls an intrinsic of LLVM that is overloaded by one type.
LLVMValueRef ir_intrinsic(Ir *ir, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned count);
void ir_attribute(Ir *ir, LLVMValueRef of, unsigned index, const char *name, bool is_call);

// ---- ir.c: addresses ----
LLVMValueRef ir_alloca(Ir *ir, LLVMTypeRef type, const char *name);          // in the entry block
LLVMValueRef ir_offset(Ir *ir, LLVMValueRef base, LLVMValueRef i64_offset);  // ptr + bytes
LLVMValueRef ir_offset_const(Ir *ir, LLVMValueRef base, int64_t offset);
// Load and store at base + offset, for memory that no other thread writes meanwhile.
LLVMValueRef ir_load(Ir *ir, LLVMTypeRef type, LLVMValueRef base, int64_t offset);
void ir_store(Ir *ir, LLVMValueRef v, LLVMValueRef base, int64_t offset);
// Load of memory that other threads may write at the same time.
LLVMValueRef ir_load_atomic(Ir *ir, LLVMTypeRef type, LLVMValueRef base, int64_t offset, LLVMAtomicOrdering order);

// ---- ir_memory.c: objects and classes ----
// Tags a load or store. Lengths and vtable pointers never change: their tags are siblings of "heap", the parent of all
// other tags. Calls are tagged "heap", so code need not reload lengths and vtable pointers after a call.
void ir_tag(Ir *ir, LLVMValueRef access, const char *name);
// VTable * of a non-null object; Class * of the object.
LLVMValueRef ir_vtable_of(Ir *ir, LLVMValueRef object);
LLVMValueRef ir_class_of(Ir *ir, LLVMValueRef object);
// Loads what never changes once code can reach it: members of classes, vtables and methods, constants.
LLVMValueRef ir_load_constant(Ir *ir, LLVMTypeRef type, LLVMValueRef base, int64_t offset);
LLVMValueRef ir_array_length(Ir *ir, LLVMValueRef array);
// A thread that sees a later store also sees the stores before the fence: a new object's header and length, and final
// fields, before the reference that publishes it. (The reader relies on the dependency of its loads on that reference.)
void ir_store_fence(Ir *ir);
// A Java type in memory, and its kind on the operand stack.
LLVMTypeRef ir_memory_type(const Ir *ir, char type);
unsigned ir_memory_size(char type);
char ir_stack_kind(char type);
// Loads and stores a Java value; kinds of ints are extended and truncated. Volatile accesses are not tagged: nothing
// may be moved across them anyway.
LLVMValueRef ir_load_value(Ir *ir, char type, LLVMValueRef address, const char *tag, bool is_volatile);
void ir_store_value(Ir *ir, char type, LLVMValueRef v, LLVMValueRef address, const char *tag, bool is_volatile);
LLVMValueRef ir_element_address(Ir *ir, char type, LLVMValueRef array, LLVMValueRef index);
const char *ir_element_tag(char type);
// An element of a byte array, within its bounds, as an unsigned byte, or as a char if `wide`. The value is an i32.
LLVMValueRef ir_get_char(Ir *ir, LLVMValueRef bytes, LLVMValueRef index, bool wide);
void ir_put_char(Ir *ir, LLVMValueRef bytes, LLVMValueRef index, LLVMValueRef v);

// ---- ir_symbols.c ----
typedef enum SymbolKind {
    SYMBOL_CLASS,      // Class *
    SYMBOL_VTABLE,     // VTable * of a Class *
    SYMBOL_METHOD,     // Method *
    SYMBOL_STATIC,     // address of a static Field *
    SYMBOL_FIELD,      // Field *
    SYMBOL_CONST_REF,  // Object ** that holds a constant: ir_const_ref
    SYMBOL_RUNTIME,    // runtime call; the key is its number, cast
} SymbolKind;
// The global with that symbol; its address is the value.
LLVMValueRef ir_symbol(Ir *ir, SymbolKind kind, const void *key);
// Loads the constant in *slot, whose symbol has the name of the place of its first use.
LLVMValueRef ir_const_ref(Ir *ir, Object **slot, const Method *m, uint32_t bci);
// A number below 2^31 that may differ from run to run, as an i64; also a symbol.
LLVMValueRef ir_number(Ir *ir, uint32_t number);
unsigned ir_runtime_convention(enum RuntimeCallId id);

#endif
