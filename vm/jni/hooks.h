// What JNI needs of the rooms above. vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_JNI_HOOKS_H
#define CABERNET_VM_JNI_HOOKS_H

#include "vm/model/class.h"

typedef struct JniHooks {
    void *(*own_native)(const Method *m);  // natives of the project's own classes (vm/jvm/profileapi.h), or NULL
    // A static method was asked for by name, whose class may not be initialised yet. Running, may stop the world, may throw.
    void (*found_static)(Thread *self, const Method *m);
} JniHooks;

extern const JniHooks jni_hooks;

#endif
