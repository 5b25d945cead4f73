// Methods that the VM implements itself: the table vm/natives/intrinsics.def as C sees it.
//
// A row gives a method of a boot class a C body: natives that no library exports (Unsafe, Object,
// MethodHandleNatives...), natives whose JNI call would cost more than their work, and a few bytecode
// methods that are too hot to interpret. Such a method is a leaf in every tier: entering it is one
// method entry, and nothing that it does counts.
//
// Calling convention, for all kinds: `args` are the argument slots on the Java stack (receiver first;
// long and double take two slots, the value is in the lower); the result replaces args[0]. The caller's
// frame has `pc` and `sp` stored before the call. An exception is left in self->exception.
//   LEAF   no frame. Never calls Java, never blocks. May throw: what it throws has the caller's
//          frame on top of its trace (or its own, where HotSpot shows it: intrinsic_push_frame).
//   FRAME  the interpreter pushes a FRAME_NATIVE for the method around the call. May do anything.
//   TRY    the body of a bytecode method, IntrinsicTryFn: returns false, with nothing changed and no
//          exception, when the case is one for the bytecode (exceptions, rare operands); then the
//          method's bytecode is executed. No frame. Never calls Java; may allocate, and then return
//          true with OutOfMemoryError pending.
// LEAF and TRY may also be QUIET: such a function does nothing but compute on its arguments and what they refer to. It neither
// allocates, throws, reports, waits nor looks at frames, and touches no memory that may be gone (unsafe_is_access). Compiled code calls
// it like any function of C, without a record of where it was left.
//
// The table is constant; all functions here may be called from any thread, none allocates in the
// heap, blocks or throws.
#ifndef CABERNET_VM_INTRINSICS_H
#define CABERNET_VM_INTRINSICS_H

#include "vm/model/class.h"

typedef enum IntrinsicKind { INTRINSIC_LEAF, INTRINSIC_FRAME, INTRINSIC_TRY } IntrinsicKind;

// What Method.intrinsic really points to when the kind is TRY.
typedef bool (*IntrinsicTryFn)(Thread *self, Slot *args);

typedef struct Intrinsic {
    const char *cls;    // internal name
    const char *name;
    const char *desc;
    IntrinsicFn fn;     // cast from IntrinsicTryFn for TRY
    IntrinsicKind kind;
    bool quiet;
} Intrinsic;

// Row of a method, or NULL. By text, hashed.
const Intrinsic *intrinsic_find(const Symbol *cls, const Symbol *name, const Symbol *desc);

// Called by the linker for each method of a boot-loader class before interp_link_method(): sets
// m->intrinsic and MF_INTRINSIC when there is a row. Methods of other loaders never match.
void intrinsic_bind(Method *m);

// Kind of a method that has MF_INTRINSIC.
IntrinsicKind intrinsic_kind(const Method *m);
bool intrinsic_is_quiet(const Method *m);

// A FRAME_NATIVE for `m` on top of the caller's frame, for a LEAF that is about to throw or block and
// wants to be seen in the trace. `args` as passed in. Returns the frame to give to intrinsic_pop_frame
// (never NULL; when the Java stack has no room left the caller's frame stays on top).
Frame *intrinsic_push_frame(Thread *self, Method *m, Slot *args);
void intrinsic_pop_frame(Thread *self, Frame *saved);

// Whether the instruction at `pc` belongs to an accessor of Unsafe, whose memory may be gone. Async-signal-safe.
bool unsafe_is_access(uintptr_t pc);

#endif
