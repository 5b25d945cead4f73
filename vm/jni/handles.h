// Handles: how native code names objects. A jobject is the address of a slot that holds the object
// pointer, tagged in its low two bits: local 0, weak global 1, global 2. NULL is the null reference.
//
// Local slots lie in the thread's handle blocks (a chain that grows and is freed with the thread) or
// are argument slots of the native's frame on the Java stack, or the mirror slot of a Class: all
// are roots, so an argument costs no new handle. Globals lie in collector-visible blocks, weak
// globals in malloc memory that handles_clear_weak clears. A handle is looked at only while the
// thread runs (VM_ENTER); the tables of globals have a lock that is never held across anything that
// may collect or block.
#ifndef CABERNET_VM_HANDLES_H
#define CABERNET_VM_HANDLES_H

#include "vm/jni/jni.h"
#include "vm/model/handlestate.h"
#include "vm/model/object.h"

enum { HANDLE_LOCAL = 0, HANDLE_WEAK = 1, HANDLE_GLOBAL = 2, HANDLE_TAG = 3 };

// Where a native call found the state; frame.native of a NATIVE frame points to one.
typedef struct HandleState HandleMark;

// The object behind a handle. NULL for NULL and for a weak handle whose object has gone.
static inline Object *handle_get(jobject ref) {
    return ref ? *(Object **)((uintptr_t)ref & ~(uintptr_t)HANDLE_TAG) : NULL;
}

// New local handle in the thread's current frame; NULL for NULL. Never collects; when memory
// for a block is out the process ends with a message (the JNI has no way to report it).
jobject handle_local(Thread *self, Object *object);
// Frees a local handle. Ignores NULL and slots that are no handle block's (arguments: cleared).
void handle_delete_local(Thread *self, jobject ref);

// A frame of local handles around a call into native code: pop frees all made since.
void handles_push(Thread *self, HandleMark *mark);
void handles_pop(Thread *self, const HandleMark *mark);

// PushLocalFrame and PopLocalFrame. Pop without a push in this native call does nothing but
// translate `result`.
void handles_push_local_frame(Thread *self);
jobject handles_pop_local_frame(Thread *self, jobject result);

// Monitors that native code enters are recorded, since nothing else leaves them when their thread
// ends: to be called after MonitorEnter, before MonitorExit, and at the end. A global handle each.
void handles_monitor_entered(Thread *self, Object *object);
void handles_monitor_exits(Thread *self, const Object *object);
void handles_leave_monitors(Thread *self);

// Global and weak global handles; NULL for NULL or when memory is out. Any attached thread.
jobject handle_new_global(Thread *self, Object *object);
void handle_delete_global(jobject ref);
jweak handle_new_weak(Thread *self, Object *object);
void handle_delete_weak(jweak ref);

// Kind of reference, as GetObjectRefType: invalid when the slot is in no table of the right kind.
jobjectRefType handle_type(Thread *self, jobject ref);

// Collector side (world stopped): pushes the thread's local handles with heap_push_range; clears weak
// globals whose object is not marked.
void handles_push_roots(Thread *thread);
void handles_clear_weak(void);
// Frees the blocks of a thread that ends.
void handles_free(Thread *thread);

#endif
