// JVM_*: the entry points of refused.def.
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"

static void refuse(JNIEnv *env, const char *name, const char *why) {
    VM_ENTER(env);
    throw_wk(self, "java/lang/UnsupportedOperationException", "%s: %s is not supported", name, why);
    VM_LEAVE();
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define REFUSED(ret, name, params, why) \
    EXPORT ret JVM_##name params {      \
        refuse(env, "JVM_" #name, why); \
        return (ret)0;                  \
    }
#include "vm/jvm/refused.def"
