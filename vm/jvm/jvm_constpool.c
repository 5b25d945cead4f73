// JVM_*: jdk.internal.reflect.ConstantPool, the class library's view of a class's constants (annotation parsing, lambda
// and reflection internals).
//
// ConstantPool.constantPoolOop is the class's mirror; it is passed as the second object argument.
#include "vm/jni/handles.h"
#include "vm/linking/classinit.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/natives/reflect.h"
#include "vm/linking/resolve.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/objects.h"

EXPORT jobject JVM_GetClassConstantPool(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Class *type = WK(jdk_internal_reflect_ConstantPool);
    Object *pool = NULL;
    if (jni_class(ref)->file && class_ensure_initialized(self, type)) pool = object_new(self, type);
    if (pool) set_ref(pool, (size_t)WK_OFF(jdk_internal_reflect_ConstantPool, constantPoolOop), handle_get(ref));
    jobject result = handle_local(self, pool);
    VM_LEAVE();
    return result;
}

// ---- checks --------------------------------------------------------------------------------------

static bool in_bounds(Thread *self, const Class *cls, jint index) {
    if (index >= 0 && index < cls->cp_count) return true;
    throw_wk(self, "java/lang/IllegalArgumentException", "Constant pool index out of bounds");
    return false;
}

static bool wrong_type(Thread *self) {
    throw_wk(self, "java/lang/IllegalArgumentException", "Wrong type at constant pool index");
    return false;
}

static bool has_tag(Thread *self, const Class *cls, jint index, int tag) {
    if (!in_bounds(self, cls, index)) return false;
    return cp_tag(cls, index) == tag || wrong_type(self);
}

static bool is_method_ref(Thread *self, const Class *cls, jint index) {
    if (!in_bounds(self, cls, index)) return false;
    int tag = cp_tag(cls, index);
    return tag == CP_METHODREF || tag == CP_INTERFACE_METHODREF || wrong_type(self);
}

static bool is_member_ref(Thread *self, const Class *cls, jint index) {
    if (!in_bounds(self, cls, index)) return false;
    return cp_tag(cls, index) == CP_FIELDREF || is_method_ref(self, cls, index);
}

// ---- plain constants -----------------------------------------------------------------------------

EXPORT jint JVM_ConstantPoolGetSize(JNIEnv *env, jobject pool, jobject ref) {
    (void)pool;
    VM_ENTER(env);
    jint size = jni_class(ref)->cp_count;
    VM_LEAVE();
    return size;
}

EXPORT jbyte JVM_ConstantPoolGetTagAt(JNIEnv *env, jobject pool, jobject ref, jint index) {
    (void)pool;
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    jbyte tag = in_bounds(self, cls, index) ? (jbyte)cp_tag(cls, index) : 0;
    VM_LEAVE();
    return tag;
}

#define NUMBER(type, name, tag, get)                                       \
    EXPORT type name(JNIEnv *env, jobject pool, jobject ref, jint index) { \
        (void)pool;                                                        \
        VM_ENTER(env);                                                     \
        Class *cls = jni_class(ref);                                       \
        type value = has_tag(self, cls, index, tag) ? get(cls, index) : 0; \
        VM_LEAVE();                                                        \
        return value;                                                      \
    }
NUMBER(jint, JVM_ConstantPoolGetIntAt, CP_INTEGER, cp_int)
NUMBER(jlong, JVM_ConstantPoolGetLongAt, CP_LONG, cp_long)
NUMBER(jfloat, JVM_ConstantPoolGetFloatAt, CP_FLOAT, cp_float)
NUMBER(jdouble, JVM_ConstantPoolGetDoubleAt, CP_DOUBLE, cp_double)

EXPORT jstring JVM_ConstantPoolGetUTF8At(JNIEnv *env, jobject pool, jobject ref, jint index) {
    (void)pool;
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    jstring value = NULL;
    if (has_tag(self, cls, index, CP_UTF8)) value = handle_local(self, string_from_symbol(self, cp_utf8(cls, index)));
    VM_LEAVE();
    return value;
}

EXPORT jstring JVM_ConstantPoolGetStringAt(JNIEnv *env, jobject pool, jobject ref, jint index) {
    (void)pool;
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    Object **slot = NULL;
    if (has_tag(self, cls, index, CP_STRING)) slot = resolve_ref_slot(self, cls, index);
    jstring value = handle_local(self, !slot ? NULL : *slot);
    VM_LEAVE();
    return value;
}

// ---- classes and members -------------------------------------------------------------------------

// A class that an entry names: loaded, or only looked up.
static Class *class_at(Thread *self, Class *cls, int index, bool load) {
    return load ? resolve_class(self, cls, index) : resolve_class_if_loaded(cls, index);
}

static Object *class_object(Thread *self, Class *cls, jint index, bool load) {
    const Class *found = has_tag(self, cls, index, CP_CLASS) ? class_at(self, cls, index, load) : NULL;
    return found ? found->mirror : NULL;
}

static Object *method_object(Thread *self, Class *cls, jint index, bool load) {
    if (!is_method_ref(self, cls, index)) return NULL;
    Class *holder = class_at(self, cls, cp_ref_class_index(cls, index), load);
    if (!holder) return NULL;
    Method *m = class_find_method(holder, cp_ref_name(cls, index), cp_ref_desc(cls, index));
    if (!m) {
        throw_wk(self, "java/lang/RuntimeException", "Unable to look up method in target class");
        return NULL;
    }
    return m->mflags & MF_INIT ? reflect_new_constructor(self, m) : reflect_new_method(self, m);
}

static Object *field_object(Thread *self, Class *cls, jint index, bool load) {
    if (!has_tag(self, cls, index, CP_FIELDREF)) return NULL;
    Class *holder = class_at(self, cls, cp_ref_class_index(cls, index), load);
    if (!holder) return NULL;
    Field *f = class_find_field(holder, cp_ref_name(cls, index), cp_ref_desc(cls, index));
    if (f) return reflect_new_field(self, f);
    throw_wk(self, "java/lang/RuntimeException", "Unable to look up field in target class");
    return NULL;
}

#define MEMBER(type, name, object, load)                                             \
    EXPORT type name(JNIEnv *env, jobject pool, jobject ref, jint index) {           \
        (void)pool;                                                                  \
        VM_ENTER(env);                                                               \
        type result = handle_local(self, object(self, jni_class(ref), index, load)); \
        VM_LEAVE();                                                                  \
        return result;                                                               \
    }
MEMBER(jclass, JVM_ConstantPoolGetClassAt, class_object, true)
MEMBER(jclass, JVM_ConstantPoolGetClassAtIfLoaded, class_object, false)
MEMBER(jobject, JVM_ConstantPoolGetMethodAt, method_object, true)
MEMBER(jobject, JVM_ConstantPoolGetMethodAtIfLoaded, method_object, false)
MEMBER(jobject, JVM_ConstantPoolGetFieldAt, field_object, true)
MEMBER(jobject, JVM_ConstantPoolGetFieldAtIfLoaded, field_object, false)

// ---- indexes and texts ---------------------------------------------------------------------------

EXPORT jint JVM_ConstantPoolGetClassRefIndexAt(JNIEnv *env, jobject pool, jobject ref, jint index) {
    (void)pool;
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    jint result = is_member_ref(self, cls, index) ? cp_ref_class_index(cls, index) : 0;
    VM_LEAVE();
    return result;
}

EXPORT jint JVM_ConstantPoolGetNameAndTypeRefIndexAt(JNIEnv *env, jobject pool, jobject ref, jint index) {
    (void)pool;
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    jint result = 0;
    if (in_bounds(self, cls, index)) {
        int tag = cp_tag(cls, index);
        if (tag == CP_DYNAMIC || tag == CP_INVOKE_DYNAMIC || is_member_ref(self, cls, index))
            result = cls->file->cp[index].u.ref.nat_index;
    }
    VM_LEAVE();
    return result;
}

// String[] of symbols.
static Object *texts(Thread *self, int32_t count, Symbol *const *symbols) {
    Object *result = reflect_new_array(self, WK(java_lang_String), count);
    for (int32_t i = 0; result && i < count; i++) {
        Object *text = string_from_symbol(self, symbols[i]);
        if (!text) return NULL;
        set_element(result, i, text);
    }
    return result;
}

EXPORT jobjectArray JVM_ConstantPoolGetMemberRefInfoAt(JNIEnv *env, jobject pool, jobject ref, jint index) {
    (void)pool;
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    Object *info = NULL;
    if (is_member_ref(self, cls, index)) {
        Symbol *parts[] = {cp_ref_class_name(cls, index), cp_ref_name(cls, index), cp_ref_desc(cls, index)};
        info = texts(self, 3, parts);
    }
    jobjectArray result = handle_local(self, info);
    VM_LEAVE();
    return result;
}

EXPORT jobjectArray JVM_ConstantPoolGetNameAndTypeRefInfoAt(JNIEnv *env, jobject pool, jobject ref, jint index) {
    (void)pool;
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    Object *info = NULL;
    if (has_tag(self, cls, index, CP_NAME_AND_TYPE)) {
        const CpEntry *nat = &cls->file->cp[index];
        Symbol *parts[] = {cp_utf8(cls, nat->u.nat.name_index), cp_utf8(cls, nat->u.nat.desc_index)};
        info = texts(self, 2, parts);
    }
    jobjectArray result = handle_local(self, info);
    VM_LEAVE();
    return result;
}
