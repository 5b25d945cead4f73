// Services that JNI needs from higher rooms. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_JNI_HOOKS_H
#define CABERNET_VM_JNI_HOOKS_H

#include "vm/model/class.h"

typedef struct JniHooks {
    void *(*own_native)(const Method *m);  // natives of the project's classes (vm/jvm/profileapi.h), or NULL
    // A static method was looked up by name (reflected: false); its class may be uninitialised. Running; may stop the
    // world, may throw.
    void (*calls_static)(Thread *self, const Method *m, bool reflected);
} JniHooks;

extern const JniHooks jni_hooks;

#endif
