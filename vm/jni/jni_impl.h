// Shared by the files of the JNI function table. Private to vm/jni*.c.
#ifndef CABERNET_VM_JNI_JNI_IMPL_H
#define CABERNET_VM_JNI_JNI_IMPL_H

#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/jni/handles.h"
#include "vm/jni/jni.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

// The class of a jclass; NULL for the null reference.
static inline Class *jni_class(jclass ref) {
    Object *mirror = handle_get(ref);
    return mirror ? class_from_mirror(mirror) : NULL;
}

// The reverse; NULL for NULL.
static inline jclass jni_class_handle(Thread *self, const Class *cls) {
    return cls ? handle_local(self, cls->mirror) : NULL;
}

// Families over the eight primitive types: X(java type, Name, slot member, type character).
#define JNI_PRIMITIVES(X)        \
    X(jboolean, Boolean, i, 'Z') \
    X(jbyte, Byte, i, 'B')       \
    X(jchar, Char, i, 'C')       \
    X(jshort, Short, i, 'S')     \
    X(jint, Int, i, 'I')         \
    X(jlong, Long, l, 'J')       \
    X(jfloat, Float, f, 'F')     \
    X(jdouble, Double, d, 'D')

#endif
