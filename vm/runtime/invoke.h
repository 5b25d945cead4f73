// Calling Java from C.
//
// Pushes an ENTRY frame onto the thread's Java stack, followed by the arguments, and runs one activation of the
// interpreter until the method returns or throws. The Java stack may be in any state in which the top frame's pc and sp
// are stored. The thread must be running (not native), without a pending exception.
#ifndef CABERNET_VM_RUNTIME_INVOKE_H
#define CABERNET_VM_RUNTIME_INVOKE_H

#include "vm/model/frame.h"

// Runs exactly `m`: no virtual dispatch, no class initialisation. `args` are m->nargs slots, receiver first (long and
// double take two, the value in the first). They are zeroed, so that the caller's frame does not keep arguments alive
// that the method no longer needs. `result` receives the value (int for types below int) and may be NULL. False: an
// exception is pending, such as StackOverflowError. Natives, intrinsics and abstract methods (AbstractMethodError) are
// allowed. May do anything Java can.
bool invoke_method(Thread *self, Method *m, Slot *args, Slot *result, EntryReason reason);
// The same for code that has counted the call (ENTRY_COUNTED). *entered: the entry of the method was reported.
bool invoke_counted(Thread *self, Method *m, Slot *args, Slot *result, bool *entered);

// The same, after selecting the implementation of `m` for the receiver args[0] (JVMS 5.4.6);
// NullPointerException if that is null.
bool invoke_virtual(Thread *self, Method *m, Slot *args, Slot *result, EntryReason reason);

// Shorthands for upcalls with only reference arguments (`count` of them, at most 6; receiver first). The second returns
// NULL on an exception as well as for null: check self->exception.
bool invoke_void(Thread *self, Method *m, EntryReason reason, int count, ...);
Object *invoke_ref(Thread *self, Method *m, EntryReason reason, int count, ...);

// Has this thread's C stack room for another activation? If not, StackOverflowError is pending.
bool invoke_check_c_stack(Thread *self);

// First free slot above the top frame.
Slot *invoke_stack_top(Thread *self);

#endif
