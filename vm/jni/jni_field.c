// JNI: field IDs and field access. All loads are ordered like those of a volatile field: JNI says nothing about
// ordering, and a load is cheap compared with the call. A store is ordered if the field is volatile.
#include "vm/jni/handles.h"
#include "vm/linking/classinit.h"
#include "vm/jni/jni_impl.h"
#include "vm/objects/classes.h"

#include <stdatomic.h>
#include <string.h>

static jfieldID field_id(Thread *self, jclass ref, const char *name, const char *desc, bool is_static) {
    Class *cls = jni_class(ref);
    if (!class_is_primitive(cls) && !class_ensure_initialized(self, cls)) return NULL;
    const Symbol *n = symbol_find(name, strlen(name)), *d = symbol_find(desc, strlen(desc));
    Field *f = n && d && !class_is_primitive(cls) ? class_find_field(cls, n, d) : NULL;
    // Fields that the VM added have no FieldInfo and stay invisible.
    if (f && f->info && !(f->flags & ACC_STATIC) == !is_static) {
        if (!is_static || class_ensure_initialized(self, f->cls)) return f;
        return NULL;
    }
    if (is_static) {
        throw_wk(self, "java/lang/NoSuchFieldError", "%s", name);
    } else {
        throw_wk(self, "java/lang/NoSuchFieldError", "%s.%s %s", class_external_name(cls), name, desc);
    }
    return NULL;
}

jfieldID jni_GetFieldID(JNIEnv *env, jclass cls, const char *name, const char *desc) {
    VM_ENTER(env);
    jfieldID result = field_id(self, cls, name, desc, false);
    VM_LEAVE();
    return result;
}

jfieldID jni_GetStaticFieldID(JNIEnv *env, jclass cls, const char *name, const char *desc) {
    VM_ENTER(env);
    jfieldID result = field_id(self, cls, name, desc, true);
    VM_LEAVE();
    return result;
}

static void *instance_addr(jobject obj, const Field *f) { return (char *)handle_get(obj) + f->offset; }

// Access to aligned words and parts of words. The types are those of JNI, some of which are floating-point.
#define LOAD(type, address)                                           \
    __extension__({                                                   \
        type loaded_;                                                 \
        __atomic_load((type *)(address), &loaded_, __ATOMIC_SEQ_CST); \
        loaded_;                                                      \
    })
#define STORE(type, address, field, value)                                                                \
    do {                                                                                                  \
        type stored_ = (value);                                                                           \
        if ((field)->flags & ACC_VOLATILE) __atomic_store((type *)(address), &stored_, __ATOMIC_SEQ_CST); \
        else __atomic_store((type *)(address), &stored_, __ATOMIC_RELAXED);                               \
    } while (0)

jobject jni_GetObjectField(JNIEnv *env, jobject obj, jfieldID id) {
    VM_ENTER(env);
    jobject result = handle_local(self, LOAD(Object *, instance_addr(obj, id)));
    VM_LEAVE();
    return result;
}

void jni_SetObjectField(JNIEnv *env, jobject obj, jfieldID id, jobject value) {
    VM_ENTER(env);
    STORE(Object *, instance_addr(obj, id), id, handle_get(value));
    barrier_stored(BARRIER_jni_field, instance_addr(obj, id));
    VM_LEAVE();
}

jobject jni_GetStaticObjectField(JNIEnv *env, jclass cls, jfieldID id) {
    (void)cls;
    VM_ENTER(env);
    jobject result = handle_local(self, LOAD(Object *, field_static_addr(id)));
    VM_LEAVE();
    return result;
}

void jni_SetStaticObjectField(JNIEnv *env, jclass cls, jfieldID id, jobject value) {
    (void)cls;
    VM_ENTER(env);
    STORE(Object *, field_static_addr(id), id, handle_get(value));
    barrier_stored(BARRIER_jni_field, field_static_addr(id));
    VM_LEAVE();
}

#define NORMAL(kind, value) ((kind) == 'Z' ? (value) != 0 : (value))

#define ACCESSORS(type, Name, member, kind)                                             \
    type jni_Get##Name##Field(JNIEnv *env, jobject obj, jfieldID id) {                  \
        VM_ENTER(env);                                                                  \
        type value = LOAD(type, instance_addr(obj, id));                                \
        VM_LEAVE();                                                                     \
        return value;                                                                   \
    }                                                                                   \
    void jni_Set##Name##Field(JNIEnv *env, jobject obj, jfieldID id, type value) {      \
        VM_ENTER(env);                                                                  \
        STORE(type, instance_addr(obj, id), id, (type)NORMAL(kind, value));             \
        VM_LEAVE();                                                                     \
    }                                                                                   \
    type jni_GetStatic##Name##Field(JNIEnv *env, jclass cls, jfieldID id) {             \
        (void)cls;                                                                      \
        VM_ENTER(env);                                                                  \
        type value = LOAD(type, field_static_addr(id));                                 \
        VM_LEAVE();                                                                     \
        return value;                                                                   \
    }                                                                                   \
    void jni_SetStatic##Name##Field(JNIEnv *env, jclass cls, jfieldID id, type value) { \
        (void)cls;                                                                      \
        VM_ENTER(env);                                                                  \
        STORE(type, field_static_addr(id), id, (type)NORMAL(kind, value));              \
        VM_LEAVE();                                                                     \
    }

JNI_PRIMITIVES(ACCESSORS)
