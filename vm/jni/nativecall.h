// Calls from Java into native methods: a FRAME_NATIVE frame on the Java stack, handles for the references, the thread
// in the native state. The shape of the descriptor determines how the function is called; it is computed once and
// shared. Arguments are passed in registers if they all fit, otherwise by libffi.
#ifndef CABERNET_VM_JNI_NATIVECALL_H
#define CABERNET_VM_JNI_NATIVECALL_H

#include "vm/model/frame.h"

typedef struct NativeCall NativeCall;  // immutable, never freed

// Calls the JNI function of native method `m`, binding it first if necessary (nativelib.h). `args` are its argument
// slots (receiver first) at the top of the caller's operand stack; the result replaces them at args[0] (args[0] and [1]
// for long and double). The caller has stored pc and sp of its frame, and self->frame is that frame. A synchronized
// method's monitor is held during the call. May collect, block and run any code. False with an exception pending.
bool native_call(Thread *self, Method *m, Slot *args);

// The shape of m's descriptor, created on demand and stored in m->native_call. NULL with OutOfMemoryError pending.
const NativeCall *native_prepare(Thread *self, Method *m);

#endif
