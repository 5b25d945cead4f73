// Handles: native code's references to objects. A jobject is the address of a slot that holds the object pointer,
// tagged in its low two bits: local 0, weak global 1, global 2. NULL is the null reference.
//
// Local slots are in the thread's handle blocks (a chain that grows and is freed with the thread), or they are argument
// slots of the native's frame on the Java stack, or the mirror slot of a Class. All are roots, so an argument needs no
// new handle. Globals are in collector-visible blocks, weak globals in malloc memory that handles_clear_weak clears. A
// handle may only be dereferenced while the thread is running (VM_ENTER). The tables of globals have a lock that is
// never held across an operation that may collect or block.
#ifndef CABERNET_VM_JNI_HANDLES_H
#define CABERNET_VM_JNI_HANDLES_H

#include "vm/jni/jni.h"
#include "vm/model/handlestate.h"
#include "vm/model/object.h"
#include "vm/threads/roots.h"

enum { HANDLE_LOCAL = 0, HANDLE_WEAK = 1, HANDLE_GLOBAL = 2, HANDLE_TAG = 3 };

// The handle state at entry of a native call; frame.native of a NATIVE frame points to one.
typedef struct HandleState HandleMark;

// The object of a handle; NULL for NULL and for a weak handle whose object was collected.
static inline Object *handle_get(jobject ref) {
    return ref ? *(Object **)((uintptr_t)ref & ~(uintptr_t)HANDLE_TAG) : NULL;
}

// A new local handle in the thread's current frame; NULL for NULL. Never collects. Out of memory ends the process with
// a message (JNI cannot report it).
jobject handle_local(Thread *self, Object *object);
// Frees a local handle. Ignores NULL. A slot outside the handle blocks (an argument) is only cleared.
void handle_delete_local(Thread *self, jobject ref);

// A frame of local handles around a call into native code: pop frees all handles created since the push.
void handles_push(Thread *self, HandleMark *mark);
void handles_pop(Thread *self, const HandleMark *mark);

// PushLocalFrame and PopLocalFrame. A pop without a push in this native call only translates `result`.
void handles_push_local_frame(Thread *self);
jobject handles_pop_local_frame(Thread *self, jobject result);

// Records monitors entered by native code, because nothing else exits them when their thread ends. Call these after
// MonitorEnter, before MonitorExit, and at the end of the thread. Each record has a global handle.
void handles_monitor_entered(Thread *self, Object *object);
void handles_monitor_exits(Thread *self, const Object *object);
void handles_leave_monitors(Thread *self);

// Global and weak global handles; NULL for NULL or when out of memory. Any attached thread.
jobject handle_new_global(Object *object);
void handle_delete_global(jobject ref);
jweak handle_new_weak(Object *object);
void handle_delete_weak(jweak ref);

// Kind of reference, as for GetObjectRefType: invalid if the slot is not in a table of the right kind.
jobjectRefType handle_type(Thread *self, jobject ref);

// For the collector (world stopped): passes the thread's local handles, and all global handles, to `fn`; clears weak
// globals whose object is not marked.
void handles_each_local_root(const Thread *thread, RootFn *fn, void *arg);
void handles_each_global_root(RootFn *fn, void *arg);
void handles_clear_weak(void);
// Frees the blocks of a terminating thread.
void handles_free(Thread *thread);

#endif
