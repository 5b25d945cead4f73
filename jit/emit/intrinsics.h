// Intrinsics of the VM as instructions of compiled code (jit/emit/intrinsics.def).
#ifndef CABERNET_JIT_INTRINSICS_H
#define CABERNET_JIT_INTRINSICS_H

#include "jit/emit/emit.h"

// How a call of `m` (NULL: not known) is done where it stands.
typedef enum IntrinsicForm {
    INTRINSIC_CALLED,     // it is called like any method
    INTRINSIC_RUNTIME,    // by rt_intrinsic
    INTRINSIC_EXPANDED,   // as a few instructions
    INTRINSIC_USUALLY,    // as a few instructions in its usual cases, otherwise called
} IntrinsicForm;
IntrinsicForm intrinsics_form(const Method *m);

// Emits what is INTRINSIC_EXPANDED or INTRINSIC_USUALLY; arguments as of the call, the receiver not null. The unusual
// cases go to `miss`. The result is NULL for void.
LLVMValueRef intrinsics_emit(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef miss);

#endif
