// The invocation interface (JNI specification, chapter 5): creating and destroying the VM, attaching threads. One VM
// per process; a second one is never created, not even after DestroyJavaVM.
#include <stdatomic.h>
#include <stdio.h>

#include "vm/boot/boot.h"
#include "vm/jni/handles.h"
#include "vm/jni/jni_impl.h"
#include "vm/services/javathread.h"

const struct JNIInvokeInterface_ jni_invoke_functions;

enum CreateState { VM_NONE, VM_STARTING, VM_RUNNING, VM_DESTROYED };

static JNIEnv *env_of(Thread *t) { return (JNIEnv *)&t->jni; }

// ---- creation ----------------------------------------------------------------------------------

EXPORT jint JNI_GetDefaultJavaVMInitArgs(void *args) {
    JavaVMInitArgs *a = args;
    if (!jni_version_supported(a->version) || a->version == JNI_VERSION_1_1) {
        a->version = JNI_VERSION_10;
        return JNI_ERR;
    }
    a->ignoreUnrecognized = JNI_FALSE;
    return JNI_OK;
}

// A failed start leaves threads and libraries, so there is no second attempt.
EXPORT jint JNI_CreateJavaVM(JavaVM **jvm, void **env, void *args) {
    JavaVMInitArgs *a = args;
    if (!jni_version_supported(a->version) || a->version == JNI_VERSION_1_1) return JNI_EVERSION;
    int none = VM_NONE;
    if (!atomic_compare_exchange_strong(&vm.create_state, &none, VM_STARTING)) return JNI_EEXIST;
    vm.java_vm = &jni_invoke_functions;
    jint result = vm_boot(a);
    if (result != JNI_OK) return result;
    Thread *self = thread_current();
    if (thread_is_running(self)) thread_vm_to_native(self);
    *jvm = &vm.java_vm;
    *env = env_of(self);
    atomic_store(&vm.create_state, VM_RUNNING);
    return JNI_OK;
}

static bool is_alive(void) {
    int state = atomic_load(&vm.create_state);
    return state == VM_STARTING || state == VM_RUNNING;
}

EXPORT jint JNI_GetCreatedJavaVMs(JavaVM **buf, jsize length, jsize *count) {
    *count = is_alive();
    if (*count > 0 && length > 0) buf[0] = &vm.java_vm;
    return JNI_OK;
}

// ---- threads -----------------------------------------------------------------------------------

static jint attach(void **env, const JavaVMAttachArgs *args, bool daemon) {
    Thread *self = thread_current();
    if (!self) {
        if (args && !jni_version_supported(args->version)) return JNI_EVERSION;
        if (!is_alive()) return JNI_ERR;
        const char *error = NULL;
        // The group is a global handle (no local handles exist yet); globals do not move.
        Object *group = args ? handle_get(args->group) : NULL;
        self = thread_attach_current(args ? args->name : NULL, group, daemon, &error);
        if (!self) return JNI_ERR;
        thread_vm_to_native(self);
    }
    *env = env_of(self);
    return JNI_OK;
}

static jint invoke_AttachCurrentThread(JavaVM *jvm, void **env, void *args) {
    (void)jvm;
    return attach(env, args, false);
}

static jint invoke_AttachCurrentThreadAsDaemon(JavaVM *jvm, void **env, void *args) {
    (void)jvm;
    return attach(env, args, true);
}

// A thread with Java frames cannot be detached.
static jint invoke_DetachCurrentThread(JavaVM *jvm) {
    (void)jvm;
    Thread *self = thread_current();
    if (!self) return JNI_OK;
    if (self->frame) return JNI_ERR;
    thread_native_to_vm(self);
    thread_detach(self);
    return JNI_OK;
}

static jint invoke_GetEnv(JavaVM *jvm, void **env, jint version) {
    (void)jvm;
    Thread *self = thread_current();
    *env = NULL;
    if (!is_alive() || !self) return JNI_EDETACHED;
    if (!jni_version_supported(version)) return JNI_EVERSION;
    *env = env_of(self);
    return JNI_OK;
}

// The launcher first detaches, so that an uncaught exception is reported, and then destroys the VM from a thread that
// is attached again for that.
static jint invoke_DestroyJavaVM(JavaVM *jvm) {
    (void)jvm;
    void *env;
    JavaVMAttachArgs args = {JNI_VERSION_10, (char *)"DestroyJavaVM", NULL};
    if (atomic_load(&vm.create_state) != VM_RUNNING) return JNI_ERR;
    if (attach(&env, &args, false) != JNI_OK) return JNI_ERR;
    VM_ENTER((JNIEnv *)env);
    vm_destroy(self);
    VM_LEAVE();
    atomic_store(&vm.create_state, VM_DESTROYED);
    return JNI_OK;
}

const struct JNIInvokeInterface_ jni_invoke_functions = {
    .DestroyJavaVM = invoke_DestroyJavaVM,
    .AttachCurrentThread = invoke_AttachCurrentThread,
    .DetachCurrentThread = invoke_DetachCurrentThread,
    .GetEnv = invoke_GetEnv,
    .AttachCurrentThreadAsDaemon = invoke_AttachCurrentThreadAsDaemon,
};
