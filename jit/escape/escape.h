// Partial escape analysis (L. Stadler, T. Würthinger, H. Mössenböck, "Partial escape analysis and scalar replacement for
// Java", CGO 2014), on the emitted function: with everything inlined and locals in SSA form, an object's uses are all there
// is to know about it. An object is virtual from its allocation to the first place that needs its address; there it is
// made, with the values that its fields have by then, and its monitor entered as often as the program has; where its fields never
// change they are still known behind that. Deoptimisation
// points are such places, too: so the interpreter's frames get real objects.
//
// Emission says by calls of functions that do not exist (the operations below) what belongs to an allocation; this
// pass replaces all of them. It is a function of the module: equal plans still give equal code.
#ifndef CABERNET_JIT_ESCAPE_ESCAPE_H
#define CABERNET_JIT_ESCAPE_ESCAPE_H

#include "jit/backend/unit.h"

// What valueOf of java.lang.Integer and its like returns is virtual as a whole: which object that is depends on nothing but the
// value, and nobody may rely on it being a new one. So the code of valueOf is without use when the box is.
//
// N is the number of the allocation (unit_add_allocation), i32. What a virtual object makes of an operation, and what it
// is otherwise:
typedef enum EscapeOp {
    ESCAPE_HEAD,    // ptr (N, ptr list's first object): never null; that object
    ESCAPE_WRITE,   // void (N, ptr value, ptr address): nothing; a store, with the memory tag of the call
    ESCAPE_LENGTH,  // void (N, i32 value, ptr address): the same
    ESCAPE_FENCE,   // void (N): nothing; a release fence
    ESCAPE_OBJECT,  // ptr (N, ptr object): the virtual object; the object, however it was made
    ESCAPE_BOX,     // ptr (N, ptr box, i64 value): the virtual box with that value; the box, out of valueOf
    ESCAPE_FINAL,   // void (ptr object): nothing; a release fence behind a store of a final field
    ESCAPE_PLAIN,   // i1 (ptr object, i1 condition): true; the condition (that its class has no finalizer)
    ESCAPE_ENTER,   // i1 (ptr object, i32 from, i32 to): true, and it is locked once more; whether its lock word was exchanged
    ESCAPE_EXIT,    // likewise, once less
    ESCAPE_SLOW,    // void (ptr object): control does not come here; nothing
    ESCAPE_OPS
} EscapeOp;

// Emits one where the builder is.
LLVMValueRef escape_op(Unit *unit, LLVMBuilderRef builder, EscapeOp op, LLVMValueRef *args);

// The pass. Requires unit->allocations as emitted and the counters to be placed; breaks instructions' identities. Nothing
// for units without operations. False with unit->bailout set.
bool escape_analyze(Unit *unit);

#endif
