// Methods that the VM implements itself: the C view of the table vm/natives/intrinsics.def.
//
// A row gives a method of a boot class a C body: natives that no library exports (Unsafe, Object,
// MethodHandleNatives...), natives whose JNI call would cost more than their work, and a few bytecode methods that are
// too hot to interpret. Such a method is a leaf in every tier: entering it counts as one method entry, and nothing
// inside it is counted.
//
// Calling convention, for all kinds: `args` are the argument slots on the Java stack (receiver first; long and double
// take two slots, the value is in the lower); the result replaces args[0]. The caller's frame has `pc` and `sp` stored
// before the call. An exception is left in self->exception.
//   LEAF   no frame. Never calls Java, never blocks. May throw: the trace of the exception begins with the caller's
//          frame (or its own, where HotSpot shows it: intrinsic_push_frame).
//   FRAME  the interpreter pushes a FRAME_NATIVE for the method around the call. May do anything.
//   TRY    the body of a bytecode method, IntrinsicTryFn. Returns false, with nothing changed and no exception, for
//          cases that it leaves to the bytecode (exceptions, rare operands); the method's bytecode is then executed.
//          No frame. Never calls Java; may allocate, and then return true with OutOfMemoryError pending.
// LEAF and TRY may also be QUIET: such a function only computes on its arguments and the objects they refer to. It does
// not allocate, throw, report events, wait or inspect frames, and accesses no memory that may be unmapped
// (unsafe_is_access). Compiled code calls it like any C function, without recording the call site's state.
//
// The table is constant; all functions here may be called from any thread; none allocates in the heap, blocks or
// throws.
#ifndef CABERNET_VM_NATIVES_INTRINSICS_H
#define CABERNET_VM_NATIVES_INTRINSICS_H

#include "vm/model/class.h"

typedef enum IntrinsicKind { INTRINSIC_LEAF, INTRINSIC_FRAME, INTRINSIC_TRY } IntrinsicKind;

// The actual type of Method.intrinsic for kind TRY.
typedef bool (*IntrinsicTryFn)(Thread *self, Slot *args);

typedef struct Intrinsic {
    const char *cls;  // internal name
    const char *name;
    const char *desc;
    IntrinsicFn fn;  // cast from IntrinsicTryFn for TRY
    IntrinsicKind kind;
    bool quiet;
} Intrinsic;

// The row of a method, or NULL; hash lookup by text.
const Intrinsic *intrinsic_find(const Symbol *cls, const Symbol *name, const Symbol *desc);

// Called by the linker for each method of a boot-loader class before interp_link_method(): sets
// m->intrinsic and MF_INTRINSIC when there is a row. Methods of other loaders never match.
void intrinsic_bind(Method *m);

// Kind of a method with MF_INTRINSIC.
IntrinsicKind intrinsic_kind(const Method *m);

// Pushes a FRAME_NATIVE for `m` on top of the caller's frame, for a LEAF that is about to throw or block and should be
// visible in the trace. `args` as passed in. Returns the caller's frame, never NULL, which the LEAF stores back into
// self->frame before it returns. When the Java stack is full, the caller's frame stays on top.
Frame *intrinsic_push_frame(Thread *self, Method *m, Slot *args);

// Does the instruction at `pc` belong to an accessor of Unsafe, which may access unmapped memory? Async-signal-safe.
bool unsafe_is_access(uintptr_t pc);

#endif
