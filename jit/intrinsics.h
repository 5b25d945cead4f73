// Intrinsics of the VM as compiled code has them (jit/intrinsics.def): as instructions, or as the method's own
// bytecode where that is better.
#ifndef CABERNET_JIT_INTRINSICS_H
#define CABERNET_JIT_INTRINSICS_H

#include "jit/emit.h"

// compiler_intrinsic, but COMPILER_NO_INTRINSIC for methods whose bytecode is to be compiled. `events`: method
// entries are reported (Plan.events of the root).
CompilerIntrinsic intrinsics_kind(const Method *m, bool events);

// Is a call of `m` (NULL: not known) a few instructions and no call?
bool intrinsics_is_expanded(const Method *m);

// Emits a COMPILER_LEAF as instructions; arguments as of the call, the receiver not null. False: there are none,
// rt_intrinsic must be called. *result is NULL for void.
bool intrinsics_emit(Emit *e, const Method *m, LLVMValueRef *args, LLVMValueRef *result);

#endif
