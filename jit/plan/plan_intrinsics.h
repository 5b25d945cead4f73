// The intrinsics of the VM (vm/natives/intrinsics.def) that the compiler expands, as a table:
// jit/plan/plan_intrinsics.def. Pure look-ups, any thread. jit/emit/emit_intrinsic.c emits the instructions.
#ifndef CABERNET_JIT_PLAN_PLAN_INTRINSICS_H
#define CABERNET_JIT_PLAN_PLAN_INTRINSICS_H

#include "vm/api/compiler.h"

// How a call of a method is compiled.
typedef enum IntrinsicForm {
    INTRINSIC_CALLED,     // called like any method
    INTRINSIC_RUNTIME,    // a call of rt_intrinsic
    INTRINSIC_EXPANDED,   // a few instructions, or a call of the VM's function if it has no row here
    INTRINSIC_FAST_PATH,  // the same for its fast path; the slow path calls the method
    INTRINSIC_FAST_LEAF,  // the same for its fast path; the slow path is a call of rt_intrinsic
} IntrinsicForm;

// The emitted operation; intrinsics.def describes each.
typedef enum IntrinsicOperation {
    INTRINSIC_LLVM,
    INTRINSIC_FLAG,
    INTRINSIC_BITS,
    INTRINSIC_CANONICAL,
    INTRINSIC_SWAP,
    INTRINSIC_HIGH,
    INTRINSIC_CLASS_OF,
    INTRINSIC_IS_CLASS,
    INTRINSIC_SUPERCLASS,
    INTRINSIC_IS_INSTANCE,
    INTRINSIC_REFERENT,
    INTRINSIC_REFERS_TO,
    INTRINSIC_THREAD,
    INTRINSIC_GET,
    INTRINSIC_PUT,
    INTRINSIC_SET_IF,
    INTRINSIC_EXCHANGE_IF,
    INTRINSIC_ADD,
    INTRINSIC_SWAP_IN,
    INTRINSIC_FENCE,
    INTRINSIC_COPY,
    INTRINSIC_HASH_OF,
    INTRINSIC_IS_ASSIGNABLE,  // these three have a frameless slow path
    INTRINSIC_LENGTH,
    INTRINSIC_CHAR_AT,
    INTRINSIC_HASH,
    INTRINSIC_GET_CHAR,
    INTRINSIC_CAST,
    INTRINSIC_ASCII,
    INTRINSIC_ASCII_CASE,
    INTRINSIC_SCOPED_GET,
    INTRINSIC_SCOPED_PUT,
    INTRINSIC_PUT_CHAR,
    INTRINSIC_INDEX,
    INTRINSIC_EXACT,
    INTRINSIC_NARROW,
    INTRINSIC_EQUAL,
    INTRINSIC_EQUAL_ARRAYS,
    INTRINSIC_COMPARE_BYTES,
    INTRINSIC_COPY_RANGE,
    INTRINSIC_COPY_OF,
    INTRINSIC_ALLOCATE,
    INTRINSIC_ALLOCATE_ARRAY,
} IntrinsicOperation;

typedef struct Intrinsic {
    const char *cls, *name, *desc;
    IntrinsicOperation operation;
    const char *detail;
} Intrinsic;

// The rows, in the order of the table.
extern const Intrinsic intrinsics[];
extern const size_t intrinsics_count;

// The row of a method, or NULL.
const Intrinsic *intrinsics_find(const Method *m);
// `m` NULL: the callee is unknown, so it is called.
IntrinsicForm intrinsics_form(const Method *m);

#endif
