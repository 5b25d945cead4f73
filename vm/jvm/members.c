// JVM_*: reflection: declared members, reflective calls, parameters, annotations.
#include <stdlib.h>

#include "vm/jni/handles.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/linking/link.h"
#include "vm/natives/reflect.h"
#include "vm/objects/classes.h"

// ---- the order of methods ------------------------------------------------------------------------

// HotSpot sorts the methods of a class file by the symbols of their names (see vm/loading/define.c), with the following
// quicksort. It determines the order in which programs see constructors and methods with the same name. Methods that
// are filtered out take part in the sort.
static int compare_names(const Method *a, const Method *b) {
    return a->name->serial < b->name->serial ? -1 : a->name->serial > b->name->serial;
}

static void swap_methods(Method **list, size_t i, size_t j) {
    Method *m = list[i];
    list[i] = list[j];
    list[j] = m;
}

static void sort_methods(Method **list, size_t count) {
    if (count < 2) return;
    size_t middle = count / 2, last = count - 1;
    if (compare_names(list[0], list[middle]) > 0) swap_methods(list, 0, middle);
    if (compare_names(list[0], list[last]) > 0) swap_methods(list, 0, last);
    if (compare_names(list[middle], list[last]) > 0) swap_methods(list, middle, last);
    if (count < 4) return;
    const Method *pivot = list[middle];
    size_t left = 0, right = last;
    for (;; left++, right--) {
        while (compare_names(list[left], pivot) < 0) left++;
        while (compare_names(list[right], pivot) > 0) right--;
        if (left >= right) break;
        swap_methods(list, left, right);  // swaps equal ones too
    }
    sort_methods(list, right + 1);
    sort_methods(list + right + 1, count - right - 1);
}

// ---- declared members ----------------------------------------------------------------------------

static bool has_members(Thread *self, Class *cls) { return cls->file && class_link(self, cls); }

// The wanted methods, malloc'd; NULL: out of memory.
static Method **wanted_methods(Class *cls, bool constructors, bool public_only, int32_t *count) {
    Method **list = malloc((cls->method_count + 1) * sizeof *list);
    size_t all = 0;
    *count = 0;
    for (uint32_t i = 0; list && i < cls->method_count; i++)
        if (!(cls->methods[i].mflags & MF_OVERPASS)) list[all++] = &cls->methods[i];
    if (list) sort_methods(list, all);
    for (size_t i = 0; i < all; i++) {
        Method *m = list[i];
        bool is_kind = !(m->mflags & MF_CLINIT) && ((m->mflags & MF_INIT) != 0) == constructors;
        if (is_kind && (!public_only || m->flags & ACC_PUBLIC)) list[(*count)++] = m;
    }
    return list;
}

static Object *declared_methods(Thread *self, Class *cls, bool constructors, bool public_only) {
    Class *element = constructors ? WK(java_lang_reflect_Constructor) : WK(java_lang_reflect_Method);
    int32_t count = 0;
    Method **list = NULL;
    if (has_members(self, cls)) list = wanted_methods(cls, constructors, public_only, &count);
    if (self->exception) return NULL;
    Object *result = reflect_new_array(self, element, count);
    for (int32_t i = 0; result && i < count; i++) {
        Object *o = constructors ? reflect_new_constructor(self, list[i]) : reflect_new_method(self, list[i]);
        if (!o) result = NULL;
        else set_element(result, i, o);
    }
    free(list);
    return result;
}

static Object *declared_fields(Thread *self, Class *cls, bool public_only) {
    int32_t count = 0, n = 0;
    bool members = has_members(self, cls);
    if (self->exception) return NULL;
    for (uint32_t i = 0; members && i < cls->field_count; i++)
        count += !public_only || (cls->fields[i].flags & ACC_PUBLIC);
    Object *result = reflect_new_array(self, WK(java_lang_reflect_Field), count);
    for (uint32_t i = 0; result && n < count; i++) {
        Field *f = &cls->fields[i];
        if (public_only && !(f->flags & ACC_PUBLIC)) continue;
        Object *o = reflect_new_field(self, f);
        if (!o) return NULL;
        set_element(result, n++, o);
    }
    return result;
}

EXPORT jobjectArray JVM_GetClassDeclaredMethods(JNIEnv *env, jclass ref, jboolean public_only) {
    VM_ENTER(env);
    Object *array = declared_methods(self, jni_class(ref), false, public_only);
    jobjectArray result = handle_local(self, array);
    VM_LEAVE();
    return result;
}

EXPORT jobjectArray JVM_GetClassDeclaredConstructors(JNIEnv *env, jclass ref, jboolean public_only) {
    VM_ENTER(env);
    Object *array = declared_methods(self, jni_class(ref), true, public_only);
    jobjectArray result = handle_local(self, array);
    VM_LEAVE();
    return result;
}

EXPORT jobjectArray JVM_GetClassDeclaredFields(JNIEnv *env, jclass ref, jboolean public_only) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, declared_fields(self, jni_class(ref), public_only));
    VM_LEAVE();
    return result;
}

// ---- calls ---------------------------------------------------------------------------------------

EXPORT jobject JVM_InvokeMethod(JNIEnv *env, jobject method, jobject receiver, jobjectArray args) {
    VM_ENTER(env);
    Object *value = reflect_invoke(self, handle_get(method), handle_get(receiver), handle_get(args));
    jobject result = handle_local(self, value);
    VM_LEAVE();
    return result;
}

EXPORT jobject JVM_NewInstanceFromConstructor(JNIEnv *env, jobject constructor, jobjectArray args) {
    VM_ENTER(env);
    Object *value = reflect_new_instance(self, handle_get(constructor), handle_get(args));
    jobject result = handle_local(self, value);
    VM_LEAVE();
    return result;
}

EXPORT jobjectArray JVM_GetMethodParameters(JNIEnv *env, jobject executable) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, reflect_parameters(self, handle_get(executable)));
    VM_LEAVE();
    return result;
}

// ---- annotations ---------------------------------------------------------------------------------

EXPORT jbyteArray JVM_GetClassAnnotations(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    const Class *cls = jni_class(ref);
    Object *bytes = !cls->file ? NULL : reflect_bytes(self, cls->file->annotations);
    jbyteArray result = handle_local(self, bytes);
    VM_LEAVE();
    return result;
}

EXPORT jbyteArray JVM_GetClassTypeAnnotations(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    const Class *cls = jni_class(ref);
    Object *bytes = !cls->file ? NULL : reflect_bytes(self, cls->file->type_annotations);
    jbyteArray result = handle_local(self, bytes);
    VM_LEAVE();
    return result;
}

EXPORT jbyteArray JVM_GetFieldTypeAnnotations(JNIEnv *env, jobject field) {
    VM_ENTER(env);
    const Field *f = reflect_field_of(handle_get(field));
    jbyteArray result = handle_local(self, reflect_bytes(self, f->info->type_annotations));
    VM_LEAVE();
    return result;
}

EXPORT jbyteArray JVM_GetMethodTypeAnnotations(JNIEnv *env, jobject method) {
    VM_ENTER(env);
    const Method *m = reflect_method_of(handle_get(method));
    jbyteArray result = handle_local(self, reflect_bytes(self, m->info->type_annotations));
    VM_LEAVE();
    return result;
}
