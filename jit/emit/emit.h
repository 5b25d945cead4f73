// Emits LLVM IR from a plan: one function per compilation, including the inlined methods. Below are jit/ir (LLVM),
// jit/frames (the bytecode's state and calls of the VM) and jit/probes (events).
//
// emit.c owns the function and its beginning; emit_versions.c the walk over the nodes of the code, each in its
// versions, and the edges between them; emit_ops.c arithmetic, constants and branches; emit_call.c calls;
// emit_intrinsic.c, emit_string.c and emit_copy.c intrinsics; emit_memory.c fields and arrays; emit_object.c
// allocation, type checks and monitors; emit_exception.c throwing and handlers; emit_deopt.c deoptimisation points
// and yieldpoints; emit_loop.c strip-mined loops; emit_sample.c sampling checks; emit_leave.c returns;
// emit_virtual.c allocations that escape.c may remove.
//
// Order inside an instruction: pop the operands; emit the tests that throw (emit_throw_if, emit_null_check); call the
// VM, with emit_check after each call; push the results. If a call was the last action, emit_check(e, true) follows the
// push. emit.c maintains JavaFrame.before.
#ifndef CABERNET_JIT_EMIT_EMIT_H
#define CABERNET_JIT_EMIT_EMIT_H

#include "jit/backend/unit.h"

// Emits the whole module into unit->module. Returns false with unit->bailout set.
bool emit_module(Unit *unit);

#endif
