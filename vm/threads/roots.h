// Roots: words outside the heap that keep objects alive. Each owner of roots has a function that passes them to a
// RootFn: the collector marks from them, a heap dump lists them. Here are the global roots: variables in malloc or static
// memory that hold a reference.
#ifndef CABERNET_VM_THREADS_ROOTS_H
#define CABERNET_VM_THREADS_ROOTS_H

#include "vm/model/object.h"

typedef enum RootKind {
    ROOT_FRAME,       // a Java frame
    ROOT_C_STACK,     // the C stack, outside of compiled code's frames
    ROOT_JNI_LOCAL,   // a thread's local handles
    ROOT_JNI_GLOBAL,  // global handles
    ROOT_VM,          // the VM's own
} RootKind;

// Receives the words in [lo, hi), each of which may be a reference, to an object's inside too. `frame`, for ROOT_FRAME:
// the Frame, or compiled code's frame pointer, by which a stack walk identifies the frame; else NULL.
typedef void RootFn(void *arg, RootKind kind, const void *frame, const void *lo, const void *hi);

// From now on each of the `count` slots holds a reference or NULL. Any running thread; takes a lock briefly; never
// collects.
void root_add(Object **slots, size_t count);
void root_each(RootFn *fn, void *arg);  // collector thread, world stopped

#endif
