// What JNI needs of the rooms above. vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_JNI_HOOKS_H
#define CABERNET_VM_JNI_HOOKS_H

#include "vm/model/class.h"

typedef struct JniHooks {
    void *(*own_native)(const Method *m);  // natives of the project's own classes (vm/jvm/profileapi.h), or NULL
    void (*calls_static)(Thread *self, const Method *m);  // before the call; running, may stop the world
} JniHooks;

extern const JniHooks jni_hooks;

#endif
