// The JNI function table itself, and its functions on classes, references, exceptions, objects and the VM. The other
// files: jni_call.c (calls), jni_field.c, jni_string.c, jni_array.c, jni_invoke.c (the invocation interface). Each
// function is entered in the native state (vm/jni/jni.h); on an error it leaves a Java exception pending and returns 0.
#include "vm/jni/jni.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/jni/handles.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/invoke.h"
#include "vm/jni/jni_impl.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/loading/module.h"
#include "vm/threads/monitor.h"
#include "vm/jni/nativelib.h"
#include "vm/natives/reflect.h"

const struct JNINativeInterface_ jni_functions = {
#define JNI_FN(ret, name, params) .name = jni_##name,
#include "vm/jni/jni.def"
};

bool jni_version_supported(jint version) {
    switch (version) {
        case JNI_VERSION_1_1:
        case JNI_VERSION_1_2:
        case JNI_VERSION_1_4:
        case JNI_VERSION_1_6:
        case JNI_VERSION_1_8:
        case JNI_VERSION_9:
        case JNI_VERSION_10: return true;
        default: return false;
    }
}

jint jni_GetVersion(JNIEnv *env) {
    (void)env;
    return JNI_VERSION_10;
}

// ---- classes -----------------------------------------------------------------------------------

static Symbol *name_symbol(Thread *self, const char *name) {
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length > UINT16_MAX) {
        throw_new(self, WK(java_lang_NoClassDefFoundError), name ? "%s" : NULL, name);
        return NULL;
    }
    return symbol_intern(name, length);
}

jclass jni_DefineClass(JNIEnv *env, const char *name, jobject loader, const jbyte *bytes, jsize length) {
    VM_ENTER(env);
    DefineOptions options = {.expected_name = NULL};
    Loader *l = loader_of(self, handle_get(loader));
    bool ok = l && (!name || (options.expected_name = name_symbol(self, name)));
    Class *cls = ok ? loader_define(self, l, (const uint8_t *)bytes, (size_t)length, &options) : NULL;
    jclass result = jni_class_handle(self, cls);
    VM_LEAVE();
    return result;
}

// The loader of the calling native method; NULL for the boot loader, or with self->exception set.
static Object *caller_loader(Thread *self) {
    // Innermost method frame; NULL without Java frames.
    Frame *f = self->frame;
    while (f && !f->method) f = f->prev;
    if (!f) {
        if (vm.init_level < 4) return NULL;
        Method *get = class_find_declared_method(WK(java_lang_ClassLoader), symbol_of("getSystemClassLoader"),
                                                 symbol_of("()Ljava/lang/ClassLoader;"));
        return invoke_ref(self, get, ENTRY_VM, 0);
    }
    Class *cls = f->method->cls;
    Object *loader = cls->loader->java_loader;
    if (loader || !symbol_is(cls->name, "jdk/internal/loader/NativeLibraries")) return loader;
    // A library's JNI_OnLoad is called from NativeLibraries.load, but must see the classes of the class that called
    // System.loadLibrary.
    Method *get = class_find_declared_method(cls, symbol_of("getFromClass"), symbol_of("()Ljava/lang/Class;"));
    Object *mirror = get ? invoke_ref(self, get, ENTRY_VM, 0) : NULL;
    return mirror ? class_from_mirror(mirror)->loader->java_loader : NULL;
}

jclass jni_FindClass(JNIEnv *env, const char *text) {
    VM_ENTER(env);
    Symbol *name = name_symbol(self, text);
    Object *java_loader = name ? caller_loader(self) : NULL;
    Loader *loader = self->exception ? NULL : loader_of(self, java_loader);
    Class *cls = loader ? loader_load(self, loader, name) : NULL;
    if (cls && !class_ensure_initialized(self, cls)) cls = NULL;
    jclass result = jni_class_handle(self, cls);
    VM_LEAVE();
    return result;
}

jclass jni_GetSuperclass(JNIEnv *env, jclass sub) {
    VM_ENTER(env);
    Class *cls = jni_class(sub);
    Class *super = class_is_interface(cls) || class_is_primitive(cls) ? NULL : cls->super;
    jclass result = jni_class_handle(self, super);
    VM_LEAVE();
    return result;
}

jboolean jni_IsAssignableFrom(JNIEnv *env, jclass sub, jclass super) {
    VM_ENTER(env);
    const Class *from = jni_class(sub), *to = jni_class(super);
    bool result = class_is_primitive(from) || class_is_primitive(to) ? from == to : class_is_subtype(from, to);
    VM_LEAVE();
    return result;
}

jobject jni_GetModule(JNIEnv *env, jclass cls) {
    VM_ENTER(env);
    Object *mirror = handle_get(cls);
    jobject result = NULL;
    if (!mirror) {
        throw_npe(self);
    } else if (object_class(mirror) != WK(java_lang_Class)) {
        throw_wk(self, "java/lang/IllegalArgumentException", NULL);
    } else {
        result = handle_local(self, get_ref(mirror, (size_t)WK_OFF(java_lang_Class, module)));
    }
    VM_LEAVE();
    return result;
}

// ---- reflection ------------------------------------------------------------------------------

jmethodID jni_FromReflectedMethod(JNIEnv *env, jobject method) {
    VM_ENTER(env);
    Method *m = reflect_method_of(handle_get(method));
    if (!class_ensure_initialized(self, m->cls)) m = NULL;
    VM_LEAVE();
    return m;
}

jfieldID jni_FromReflectedField(JNIEnv *env, jobject field) {
    VM_ENTER(env);
    Field *f = reflect_field_of(handle_get(field));
    if (!class_ensure_initialized(self, f->cls)) f = NULL;
    VM_LEAVE();
    return f;
}

jobject jni_ToReflectedMethod(JNIEnv *env, jclass cls, jmethodID id, jboolean is_static) {
    (void)cls, (void)is_static;
    VM_ENTER(env);
    Object *o = id->mflags & MF_INIT ? reflect_new_constructor(self, id) : reflect_new_method(self, id);
    jobject result = handle_local(self, o);
    VM_LEAVE();
    return result;
}

jobject jni_ToReflectedField(JNIEnv *env, jclass cls, jfieldID id, jboolean is_static) {
    (void)cls, (void)is_static;
    VM_ENTER(env);
    jobject result = handle_local(self, reflect_new_field(self, id));
    VM_LEAVE();
    return result;
}

// ---- exceptions --------------------------------------------------------------------------------

jint jni_Throw(JNIEnv *env, jthrowable exception) {
    VM_ENTER(env);
    Object *o = handle_get(exception);
    if (o) throw_object(self, o);
    VM_LEAVE();
    return o ? JNI_OK : JNI_ERR;
}

jint jni_ThrowNew(JNIEnv *env, jclass cls, const char *message) {
    VM_ENTER(env);
    Class *c = jni_class(cls);
    if (message) {
        throw_new(self, c, "%s", message);
    } else {
        throw_new(self, c, NULL);
    }
    VM_LEAVE();
    return JNI_OK;
}

jthrowable jni_ExceptionOccurred(JNIEnv *env) {
    VM_ENTER(env);
    jthrowable result = handle_local(self, self->exception);
    VM_LEAVE();
    return result;
}

jboolean jni_ExceptionCheck(JNIEnv *env) { return thread_from_env(env)->exception != NULL; }

void jni_ExceptionClear(JNIEnv *env) {
    VM_ENTER(env);
    exception_clear(self);
    VM_LEAVE();
}

// Prints the exception like an uncaught one and clears it, through Java code if possible.
void jni_ExceptionDescribe(JNIEnv *env) {
    VM_ENTER(env);
    Object *exception = exception_take(self);
    if (exception && object_class(exception) != WK(java_lang_ThreadDeath)) {
        char name[256];
        thread_name(self, name, sizeof name);
        fprintf(stderr, "Exception in thread \"%s\" ", name);
        fflush(stderr);
        Slot receiver = {.o = exception};
        if (vm.init_level == 0 || !invoke_virtual(self, WK_M(Throwable_printStackTrace), &receiver, NULL, ENTRY_VM)) {
            exception_clear(self);
            exception_print(self, exception, stderr);
        }
    }
    VM_LEAVE();
}

void jni_FatalError(JNIEnv *env, const char *message) {
    (void)env;
    fprintf(stderr, "FATAL ERROR in native method: %s\n", message ? message : "");
    fflush(stderr);
    if (vm.options.abort_hook) vm.options.abort_hook();
    abort();
}

// ---- references ----------------------------------------------------------------------------------

jint jni_PushLocalFrame(JNIEnv *env, jint capacity) {
    if (capacity < 0) return JNI_ERR;
    VM_ENTER(env);
    handles_push_local_frame(self);
    VM_LEAVE();
    return JNI_OK;
}

jobject jni_PopLocalFrame(JNIEnv *env, jobject result) {
    VM_ENTER(env);
    jobject outer = handles_pop_local_frame(self, result);
    VM_LEAVE();
    return outer;
}

jobject jni_NewGlobalRef(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    jobject result = handle_new_global(handle_get(ref));
    VM_LEAVE();
    return result;
}

void jni_DeleteGlobalRef(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    handle_delete_global(ref);
    VM_LEAVE();
}

void jni_DeleteLocalRef(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    handle_delete_local(self, ref);
    VM_LEAVE();
}

jboolean jni_IsSameObject(JNIEnv *env, jobject a, jobject b) {
    VM_ENTER(env);
    bool same = handle_get(a) == handle_get(b);
    VM_LEAVE();
    return same;
}

jobject jni_NewLocalRef(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    jobject result = handle_local(self, handle_get(ref));
    VM_LEAVE();
    return result;
}

// Local handles grow as needed.
jint jni_EnsureLocalCapacity(JNIEnv *env, jint capacity) {
    (void)env;
    return capacity < 0 ? JNI_ERR : JNI_OK;
}

jweak jni_NewWeakGlobalRef(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    Object *o = handle_get(obj);
    jweak result = handle_new_weak(o);
    if (o && !result) throw_oom(self, "JNI weak references");
    VM_LEAVE();
    return result;
}

void jni_DeleteWeakGlobalRef(JNIEnv *env, jweak ref) {
    VM_ENTER(env);
    handle_delete_weak(ref);
    VM_LEAVE();
}

jobjectRefType jni_GetObjectRefType(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    jobjectRefType type = handle_type(self, ref);
    VM_LEAVE();
    return type;
}

// ---- objects -------------------------------------------------------------------------------------

jclass jni_GetObjectClass(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    jclass result = handle_local(self, object_class(handle_get(obj))->mirror);
    VM_LEAVE();
    return result;
}

// Unlike in Java, the null reference is an instance of every class here.
jboolean jni_IsInstanceOf(JNIEnv *env, jobject obj, jclass cls) {
    VM_ENTER(env);
    Object *o = handle_get(obj);
    bool result = !o || object_is_instance(o, jni_class(cls));
    VM_LEAVE();
    return result;
}

jint jni_MonitorEnter(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    Object *o = handle_get(obj);
    if (!o) throw_npe(self);
    bool ok = o && monitor_enter(self, o);
    if (ok) handles_monitor_entered(self, o);
    VM_LEAVE();
    return ok ? JNI_OK : JNI_ERR;
}

// Works with an exception pending, and keeps it.
jint jni_MonitorExit(JNIEnv *env, jobject obj) {
    VM_ENTER(env);
    Object *o = handle_get(obj), *pending = self->exception;
    if (!o) {
        throw_npe(self);
    } else {
        self->exception = NULL;
    }
    bool ok = o && monitor_exit(self, o);
    if (ok) handles_monitor_exits(self, o);
    if (pending) self->exception = pending;
    VM_LEAVE();
    return ok ? JNI_OK : JNI_ERR;
}

// ---- natives, VM -----------------------------------------------------------------------------------

static Method *native_to_bind(Thread *self, Class *cls, const JNINativeMethod *row) {
    Symbol *name = symbol_find(row->name, strlen(row->name));
    Symbol *desc = symbol_find(row->signature, strlen(row->signature));
    if (!name || !desc) {
        throw_wk(self, "java/lang/NoSuchMethodError", "Method %s.%s%s not found", class_external_name(cls), row->name,
                 row->signature);
        return NULL;
    }
    Method *m = class_find_declared_method(cls, name, desc);
    if (m && method_is_native(m)) return m;
    char *text = method_external_signature(cls->name, name, desc);
    throw_wk(self, "java/lang/NoSuchMethodError",
             m ? "Method '%s' is not declared as native" : "Method '%s' name or signature does not match",
             text ? text : row->name);
    free(text);
    return NULL;
}

jint jni_RegisterNatives(JNIEnv *env, jclass cls, const JNINativeMethod *methods, jint count) {
    VM_ENTER(env);
    Class *c = jni_class(cls);
    jint result = JNI_OK;
    for (jint i = 0; i < count && result == JNI_OK; i++) {
        Method *m = native_to_bind(self, c, &methods[i]);
        if (m) {
            native_bind(m, methods[i].fnPtr);
        } else {
            result = JNI_ERR;
        }
    }
    VM_LEAVE();
    return result;
}

jint jni_UnregisterNatives(JNIEnv *env, jclass cls) {
    VM_ENTER(env);
    Class *c = jni_class(cls);
    for (uint32_t i = 0; i < c->method_count; i++)
        if (method_is_native(&c->methods[i])) native_bind(&c->methods[i], NULL);
    VM_LEAVE();
    return JNI_OK;
}

jint jni_GetJavaVM(JNIEnv *env, JavaVM **out) {
    (void)env;
    *out = &vm.java_vm;
    return JNI_OK;
}
