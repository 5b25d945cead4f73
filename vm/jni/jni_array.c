// JNI: arrays and direct buffers. Objects do not move, so native code works on the array itself: element pointers are
// not copies, releasing them does nothing, and critical sections need no protection. The handle that native code must
// keep for the release keeps the array alive.
#include "vm/jni/handles.h"
#include "vm/linking/classinit.h"
#include "vm/loading/arrayclass.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/invoke.h"
#include "vm/jni/jni_impl.h"
#include "vm/loading/loader.h"

#include <string.h>

jsize jni_GetArrayLength(JNIEnv *env, jarray array) {
    VM_ENTER(env);
    jsize length = handle_get(array)->length;
    VM_LEAVE();
    return length;
}

// ---- arrays of references ----------------------------------------------------------------------

jobjectArray jni_NewObjectArray(JNIEnv *env, jsize n, jclass cls, jobject initial) {
    VM_ENTER(env);
    Class *array_class = class_array_of(self, jni_class(cls));
    Object *array = array_class ? object_new_array(self, array_class, n) : NULL;
    Object *value = handle_get(initial);
    if (array && value)
        for (jsize i = 0; i < n; i++) set_element(array, i, value);
    jobjectArray result = handle_local(self, array);
    VM_LEAVE();
    return result;
}

static bool check_index(Thread *self, const Object *array, jsize index) {
    if (index >= 0 && index < array->length) return true;
    throw_wk(self, "java/lang/ArrayIndexOutOfBoundsException", "Index %d out of bounds for length %d", index,
             array->length);
    return false;
}

jobject jni_GetObjectArrayElement(JNIEnv *env, jobjectArray array, jsize index) {
    VM_ENTER(env);
    Object *a = handle_get(array);
    jobject result = NULL;
    if (check_index(self, a, index)) result = handle_local(self, ARRAY_DATA(a, Object *)[index]);
    VM_LEAVE();
    return result;
}

void jni_SetObjectArrayElement(JNIEnv *env, jobjectArray array, jsize index, jobject value) {
    VM_ENTER(env);
    Object *a = handle_get(array), *o = handle_get(value);
    const Class *element = object_class(a)->component;
    if (o && !object_is_instance(o, element)) {
        throw_new(self, WK(java_lang_ArrayStoreException), "type mismatch: can not store %s to %s[%d]",
                  class_external_name(object_class(o)), class_external_name(element), index);
    } else if (check_index(self, a, index)) {
        set_element(a, index, o);
    }
    VM_LEAVE();
}

// ---- arrays of primitives --------------------------------------------------------------------

static jarray new_primitive_array(JNIEnv *env, char kind, jsize n) {
    VM_ENTER(env);
    jarray result = handle_local(self, object_new_prim_array(self, kind, n));
    VM_LEAVE();
    return result;
}

static void *elements(JNIEnv *env, jarray array, jboolean *is_copy) {
    VM_ENTER(env);
    void *data = ARRAY_DATA(handle_get(array), char);
    if (is_copy) *is_copy = JNI_FALSE;
    VM_LEAVE();
    return data;
}

// Copies between an array and native memory.
static void copy_region(JNIEnv *env, jarray array, jsize start, jsize n, size_t size, void *to, const void *from) {
    VM_ENTER(env);
    Object *a = handle_get(array);
    if (start < 0 || n < 0 || (int64_t)start + n > a->length) {
        throw_wk(self, "java/lang/ArrayIndexOutOfBoundsException", "Array region %d..%lld out of bounds for length %d",
                 start, (long long)start + n, a->length);
    } else if (n > 0) {
        char *data = ARRAY_DATA(a, char) + (size_t)start * size;
        memcpy(to ? to : data, from ? from : data, (size_t)n * size);
    }
    VM_LEAVE();
}

#define ARRAYS(type, Name, member, kind)                                                                     \
    type##Array jni_New##Name##Array(JNIEnv *env, jsize n) { return new_primitive_array(env, kind, n); }     \
    type *jni_Get##Name##ArrayElements(JNIEnv *env, type##Array array, jboolean *is_copy) {                  \
        return elements(env, array, is_copy);                                                                \
    }                                                                                                        \
    void jni_Release##Name##ArrayElements(JNIEnv *env, type##Array array, type *data, jint mode) {           \
        (void)env, (void)array, (void)data, (void)mode;                                                      \
    }                                                                                                        \
    void jni_Get##Name##ArrayRegion(JNIEnv *env, type##Array array, jsize start, jsize n, type *buf) {       \
        copy_region(env, array, start, n, sizeof(type), buf, NULL);                                          \
    }                                                                                                        \
    void jni_Set##Name##ArrayRegion(JNIEnv *env, type##Array array, jsize start, jsize n, const type *buf) { \
        copy_region(env, array, start, n, sizeof(type), NULL, buf);                                          \
    }

JNI_PRIMITIVES(ARRAYS)

void *jni_GetPrimitiveArrayCritical(JNIEnv *env, jarray array, jboolean *is_copy) {
    return elements(env, array, is_copy);
}

void jni_ReleasePrimitiveArrayCritical(JNIEnv *env, jarray array, void *data, jint mode) {
    (void)env, (void)array, (void)data, (void)mode;
}

// ---- direct buffers ------------------------------------------------------------------------------

static Object *new_buffer(Thread *self, void *address, jlong capacity) {
    Class *cls = loader_load(self, vm.boot_loader, symbol_of("java/nio/DirectByteBuffer"));
    if (!cls) return NULL;
    Method *init = class_find_declared_method(cls, symbol_of("<init>"), symbol_of("(JI)V"));
    if (!init) {
        throw_wk(self, "java/lang/UnsupportedOperationException", "NewDirectByteBuffer");
        return NULL;
    }
    Object *buffer = class_initialize(self, cls) ? object_new(self, cls) : NULL;
    if (!buffer) return NULL;
    Slot args[4] = {{.o = buffer}, {.l = (int64_t)(uintptr_t)address}, {.l = 0}, {.i = (jint)capacity}};
    return invoke_method(self, init, args, NULL, ENTRY_JNI) ? buffer : NULL;
}

jobject jni_NewDirectByteBuffer(JNIEnv *env, void *address, jlong capacity) {
    VM_ENTER(env);
    jobject result = handle_local(self, new_buffer(self, address, capacity));
    VM_LEAVE();
    return result;
}

// The buffer if it is direct, else NULL. All direct buffers implement this interface.
static Object *direct_buffer(Thread *self, jobject ref) {
    Object *buffer = handle_get(ref);
    if (!buffer || !object_is_instance(buffer, WK(java_nio_Buffer))) return NULL;
    Object *pending = self->exception;
    Class *direct = loader_load(self, vm.boot_loader, symbol_of("sun/nio/ch/DirectBuffer"));
    if (!direct) self->exception = pending;
    return direct && object_is_instance(buffer, direct) ? buffer : NULL;
}

void *jni_GetDirectBufferAddress(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    Object *b = direct_buffer(self, ref);
    int64_t address = b ? get_long(b, (size_t)WK_OFF(java_nio_Buffer, address)) : 0;
    VM_LEAVE();
    return (void *)(uintptr_t)address;
}

jlong jni_GetDirectBufferCapacity(JNIEnv *env, jobject ref) {
    VM_ENTER(env);
    Object *b = direct_buffer(self, ref);
    jlong capacity = b ? get_int(b, (size_t)WK_OFF(java_nio_Buffer, capacity)) : -1;
    VM_LEAVE();
    return capacity;
}
