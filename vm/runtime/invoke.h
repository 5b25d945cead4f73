// Calling Java from C.
//
// An ENTRY frame goes on top of the thread's Java stack, the arguments behind it, and one
// activation of the interpreter runs until the method returns or throws. Any state of the Java
// stack is a good start as long as the top frame's pc and sp are stored. The thread must be running
// (not native), without a pending exception.
#ifndef CABERNET_VM_INVOKE_H
#define CABERNET_VM_INVOKE_H

#include "vm/model/frame.h"

// Runs exactly `m`: no virtual dispatch, no class initialisation. `args` are m->nargs slots,
// receiver first (long and double take two, the value in the first). They are taken: what is there
// afterwards is zero, so that the caller's frame keeps no argument alive that the method has done with. `result`
// receives the value (int for types below int) and may be NULL. False: an exception is pending,
// StackOverflowError among others. Natives, intrinsics and abstract methods (AbstractMethodError)
// are fine. May do anything Java can.
bool invoke_method(Thread *self, Method *m, Slot *args, Slot *result, EntryReason reason);
// The same for code that has counted the call (ENTRY_COUNTED). *entered: the method's entry was reported.
bool invoke_counted(Thread *self, Method *m, Slot *args, Slot *result, bool *entered);

// The same, after selecting the implementation of `m` for the receiver args[0] (JVMS 5.4.6);
// NullPointerException if that is null.
bool invoke_virtual(Thread *self, Method *m, Slot *args, Slot *result, EntryReason reason);

// Shorthands for upcalls with reference arguments only (at most 6, as `count` says; receiver
// first). The result of the second is NULL on an exception as well as for null: look at
// self->exception.
bool invoke_void(Thread *self, Method *m, EntryReason reason, int count, ...);
Object *invoke_ref(Thread *self, Method *m, EntryReason reason, int count, ...);

// True if this thread's C stack has room for another activation; else StackOverflowError is
// pending.
bool invoke_check_c_stack(Thread *self);

// First free slot above the top frame.
Slot *invoke_stack_top(Thread *self);

#endif
