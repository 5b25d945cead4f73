// JVM_*: java.lang.reflect.Array and System.arraycopy.
#include "vm/jni/handles.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/loading/arrayclass.h"
#include "vm/natives/reflect.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"

// ---- checks --------------------------------------------------------------------------------------

static bool illegal(Thread *self, const char *message) {
    throw_wk(self, "java/lang/IllegalArgumentException", "%s", message);
    return false;
}

static bool is_array(Thread *self, const Object *o, bool primitive) {
    if (!o) {
        throw_npe(self);
        return false;
    }
    if (!class_is_array(object_class(o))) return illegal(self, "Argument is not an array");
    if (primitive && !class_is_primitive(object_class(o)->component))
        return illegal(self, "Argument is not an array of primitive type");
    return true;
}

static bool in_bounds(Thread *self, const Object *array, jint index) {
    if (index >= 0 && index < array->length) return true;
    throw_wk(self, "java/lang/ArrayIndexOutOfBoundsException", NULL);
    return false;
}

// ---- elements as slots ---------------------------------------------------------------------------

#define ELEMENTS(ROW)        \
    ROW('Z', uint8_t, i, z)  \
    ROW('B', int8_t, i, b)   \
    ROW('C', uint16_t, i, c) \
    ROW('S', int16_t, i, s)  \
    ROW('I', int32_t, i, i)  \
    ROW('J', int64_t, l, j)  \
    ROW('F', float, f, f)    \
    ROW('D', double, d, d)

static char load(const Object *array, jint index, Slot *value) {
    char type = object_class(array)->component->prim;
    switch (type) {
#define ROW(code, ctype, member, field) \
    case code: value->member = ARRAY_DATA(array, ctype)[index]; return code;
        ELEMENTS(ROW)
#undef ROW
        default: value->o = ARRAY_DATA(array, Object *)[index]; return 'L';
    }
}

static void store(Object *array, jint index, const Slot *value) {
    switch (object_class(array)->component->prim) {
#define ROW(code, ctype, member, field) \
    case code: ARRAY_DATA(array, ctype)[index] = (ctype)value->member; break;
        ELEMENTS(ROW)
#undef ROW
        default: set_element(array, index, value->o);
    }
}

static jvalue to_jvalue(char type, const Slot *value) {
    jvalue v = {.j = 0};
    switch (type) {
#define ROW(code, ctype, member, field) \
    case code: v.field = (ctype)value->member; break;
        ELEMENTS(ROW)
#undef ROW
    }
    return v;
}

static void from_jvalue(char type, jvalue v, Slot *value) {
    switch (type) {
#define ROW(code, ctype, member, field) \
    case code: value->member = v.field; break;
        ELEMENTS(ROW)
#undef ROW
    }
}

// The type character for the class library's code of a primitive type (table of newarray in the JVMS).
static char type_of_code(int code) { return code >= 4 && code <= 11 ? "ZCFDBSIJ"[code - 4] : 0; }

// ---- entry points --------------------------------------------------------------------------------

EXPORT void JVM_ArrayCopy(JNIEnv *env, jclass unused, jobject src, jint src_at, jobject dst, jint dst_at, jint length) {
    (void)unused;
    VM_ENTER(env);
    object_arraycopy(self, handle_get(src), src_at, handle_get(dst), dst_at, length);
    VM_LEAVE();
}

EXPORT jint JVM_GetArrayLength(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    Object *array = handle_get(ref);
    jint length = is_array(self, array, false) ? array->length : 0;
    VM_LEAVE();
    return length;
}

EXPORT jobject JVM_GetArrayElement(JNIEnv *env, jobject ref, jint index) {
    VM_ENTER(env);
    Object *array = handle_get(ref), *element = NULL;
    if (is_array(self, array, false) && in_bounds(self, array, index)) {
        Slot value;
        char type = load(array, index, &value);
        element = reflect_box(self, type, &value);
    }
    jobject result = handle_local(self, element);
    VM_LEAVE();
    return result;
}

EXPORT jvalue JVM_GetPrimitiveArrayElement(JNIEnv *env, jobject ref, jint index, jint code) {
    VM_ENTER(env);
    jvalue result = {.j = 0};
    Object *array = handle_get(ref);
    char want = type_of_code(code);
    if (is_array(self, array, true) && in_bounds(self, array, index)) {
        Slot value;
        char type = load(array, index, &value);
        if (reflect_widen(type, want, &value)) result = to_jvalue(want, &value);
        else illegal(self, "argument type mismatch");
    }
    VM_LEAVE();
    return result;
}

// Stores a primitive value into a primitive array, widening it.
static void set_primitive(Thread *self, Object *array, jint index, char type, Slot *value) {
    if (!in_bounds(self, array, index)) return;
    if (type != 0 && reflect_widen(type, object_class(array)->component->prim, value)) store(array, index, value);
    else illegal(self, "argument type mismatch");
}

static void set_any_element(Thread *self, Object *array, jint index, Object *element) {
    Slot value = {.o = element};
    const Class *component = object_class(array)->component;
    if (class_is_primitive(component)) {
        if (!element) throw_wk(self, "java/lang/IllegalArgumentException", NULL);
        else set_primitive(self, array, index, reflect_unbox(element, &value), &value);
    } else if (element && !object_is_instance(element, component)) {
        illegal(self, "array element type mismatch");
    } else if (in_bounds(self, array, index)) {
        store(array, index, &value);
    }
}

EXPORT void JVM_SetArrayElement(JNIEnv *env, jobject ref, jint index, jobject element) {
    VM_ENTER(env);
    Object *array = handle_get(ref);
    if (is_array(self, array, false)) set_any_element(self, array, index, handle_get(element));
    VM_LEAVE();
}

EXPORT void JVM_SetPrimitiveArrayElement(JNIEnv *env, jobject ref, jint index, jvalue v, unsigned char code) {
    VM_ENTER(env);
    Object *array = handle_get(ref);
    char type = type_of_code(code);
    if (is_array(self, array, true)) {
        Slot value = {.l = 0};
        from_jvalue(type, v, &value);
        set_primitive(self, array, index, type, &value);
    }
    VM_LEAVE();
}

EXPORT jobject JVM_NewArray(JNIEnv *env, jclass component, jint length) {
    VM_ENTER(env);
    Object *array = NULL;
    if (!component) throw_npe(self);
    else array = reflect_new_array(self, jni_class(component), length);
    jobject result = handle_local(self, array);
    VM_LEAVE();
    return result;
}

static Object *new_multi(Thread *self, Class *component, const Object *lengths) {
    int32_t dims = lengths->length;
    int32_t have = class_is_array(component) ? component->dims : 0;
    if (dims == 0 || dims + have > 255 || component->prim == 'V') {
        throw_wk(self, "java/lang/IllegalArgumentException", NULL);
        return NULL;
    }
    Class *cls = component;
    for (int32_t i = 0; i < dims && cls; i++) cls = class_array_of(self, cls);
    return !cls ? NULL : object_new_multi(self, cls, dims, ARRAY_DATA(lengths, int32_t));
}

EXPORT jobject JVM_NewMultiArray(JNIEnv *env, jclass component, jintArray lengths) {
    VM_ENTER(env);
    Object *array = NULL;
    if (!component || !lengths) throw_npe(self);
    else array = new_multi(self, jni_class(component), handle_get(lengths));
    jobject result = handle_local(self, array);
    VM_LEAVE();
    return result;
}
