// Partial escape analysis (L. Stadler, T. Würthinger, H. Mössenböck, "Partial escape analysis and scalar replacement
// for Java", CGO 2014) on the emitted function. Inlining is done and locals are in SSA form, so the function shows all
// of an object's uses. An object is virtual from its allocation to the first place that needs its address. There it is
// materialised: it gets the current values of its fields, and its monitor is entered as often as the program has
// entered it. If its fields never change, their values stay known after that. Deoptimisation points are such places
// too, so the interpreter's frames get real objects.
//
// The emitter marks the code that belongs to an allocation by calls of functions that do not exist (the operations
// below). This pass replaces all of them. It is a function of the module, so equal plans still give equal code.
#ifndef CABERNET_JIT_ESCAPE_ESCAPE_H
#define CABERNET_JIT_ESCAPE_ESCAPE_H

#include "jit/backend/unit.h"

// A box from valueOf of java.lang.Integer and its like is virtual as a whole. The identity of the object depends only
// on the value, and no program may rely on a new object. So valueOf's code is dead if the box is virtual.
//
// N is the number of the allocation (unit_add_allocation), i32. Each operation has a meaning for a virtual object and,
// after the semicolon, one for a real object:
typedef enum EscapeOp {
    ESCAPE_HEAD,    // ptr (N, ptr list's first object): never null; that object
    ESCAPE_WRITE,   // void (N, ptr value, ptr address): nothing; a store, with the memory tag of the call
    ESCAPE_LENGTH,  // void (N, i32 value, ptr address): the same
    ESCAPE_FENCE,   // void (N): nothing; a release fence
    ESCAPE_OBJECT,  // ptr (N, ptr object): the virtual object; the object, however it was made
    ESCAPE_BOX,     // ptr (N, ptr box, i64 value): the virtual box with that value; the box, out of valueOf
    ESCAPE_FINAL,   // void (ptr object): nothing; a release fence after a store to a final field
    ESCAPE_PLAIN,   // i1 (ptr object, i1 condition): true; the condition (that its class has no finalizer)
    ESCAPE_ENTER,   // i1 (ptr object, i32 from, i32 to): true, and locked once more; whether its lock word was
                    // exchanged
    ESCAPE_EXIT,    // the same, but locked once less
    ESCAPE_SLOW,    // void (ptr object): unreachable; nothing
    ESCAPE_STORED,  // void (i32 BarrierSite, ptr place): nothing; the write barrier of a reference stored there
    ESCAPE_OPS
} EscapeOp;

// Emits an operation at the builder's position.
LLVMValueRef escape_op(Unit *unit, LLVMBuilderRef builder, EscapeOp op, LLVMValueRef *args);

// The pass. Requires unit->allocations as emitted, and placed counters. Breaks the identity of instructions. Does
// nothing for units without operations. False with unit->bailout set.
bool escape_analyze(Unit *unit);

#endif
