// JVM_*: java.lang.Object's natives, interning, raw monitors, java.lang.ref.
#include <pthread.h>
#include <stdlib.h>

#include "gc/heap.h"
#include "vm/jni/handles.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/services/references.h"
#include "vm/threads/monitor.h"

EXPORT jint JVM_IHashCode(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    Object *o = handle_get(obj);
    jint hash = o ? (jint)monitor_hash(self, o) : 0;
    VM_LEAVE();
    return hash;
}

EXPORT jobject JVM_Clone(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    Object *o = handle_get(obj);
    Class *cls = object_class(o);
    jobject result = NULL;
    if (class_is_array(cls) || ((cls->cflags & CF_CLONEABLE) && cls->ref_kind == REF_NONE)) {
        result = handle_local(self, object_clone(self, o));
    } else {
        throw_wk(self, "java/lang/CloneNotSupportedException", "%s", class_external_name(cls));
    }
    VM_LEAVE();
    return result;
}

EXPORT void JVM_MonitorWait(JNIEnv *env, jobject obj, jlong millis) {
    VM_ENTER(env);
    monitor_wait(self, handle_get(obj), millis, 0);
    VM_LEAVE();
}

EXPORT void JVM_MonitorNotify(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    monitor_notify(self, handle_get(obj), false);
    VM_LEAVE();
}

EXPORT void JVM_MonitorNotifyAll(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    monitor_notify(self, handle_get(obj), true);
    VM_LEAVE();
}

EXPORT jstring JVM_InternString(JNIEnv *env, jstring string) {
    VM_ENTER(env);
    Object *s = handle_get(string);
    jstring result = s ? handle_local(self, string_intern(self, s)) : NULL;
    VM_LEAVE();
    return result;
}

// ---- raw monitors: plain mutexes of native code, locked in the native state ------------------------

EXPORT void *JVM_RawMonitorCreate(void) {
    pthread_mutex_t *mutex = malloc(sizeof *mutex);
    if (mutex && pthread_mutex_init(mutex, NULL) != 0) {
        free(mutex);
        mutex = NULL;
    }
    return mutex;
}

EXPORT void JVM_RawMonitorDestroy(void *monitor) {
    pthread_mutex_destroy(monitor);
    free(monitor);
}

EXPORT jint JVM_RawMonitorEnter(void *monitor) {
    pthread_mutex_lock(monitor);
    return 0;
}

EXPORT void JVM_RawMonitorExit(void *monitor) { pthread_mutex_unlock(monitor); }

// ---- references ------------------------------------------------------------------------------

EXPORT void JVM_WaitForReferencePendingList(JNIEnv *env) {
    VM_ENTER(env);
    references_wait(self);
    VM_LEAVE();
}

EXPORT jobject JVM_GetAndClearReferencePendingList(JNIEnv *env) {
    VM_ENTER(env);
    jobject result = handle_local(self, heap_take_pending_list());
    VM_LEAVE();
    return result;
}

EXPORT jboolean JVM_HasReferencePendingList(JNIEnv *env) {
    (void)env;
    return heap_has_pending_list();
}

#define REFERENT ((size_t)WK_OFF(java_lang_ref_Reference, referent))

static jboolean refers_to(JNIEnv *env, jobject ref, jobject obj) {
    VM_ENTER(env);
    bool result = get_ref(handle_get(ref), REFERENT) == handle_get(obj);
    VM_LEAVE();
    return result;
}

EXPORT jboolean JVM_ReferenceRefersTo(JNIEnv *env, jobject ref, jobject obj) { return refers_to(env, ref, obj); }

EXPORT jboolean JVM_PhantomReferenceRefersTo(JNIEnv *env, jobject ref, jobject obj) { return refers_to(env, ref, obj); }

EXPORT void JVM_ReferenceClear(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    set_ref(handle_get(ref), REFERENT, NULL);
    VM_LEAVE();
}
