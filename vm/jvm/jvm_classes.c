// JVM_*: queries of java.lang.Class about a class: names, modifiers, nests, records, assertions.
//
// All answers come from the class file as read. Other classes named there are loaded on demand, like constant-pool
// entries of the class.
#include <string.h>

#include "vm/jni/handles.h"
#include "vm/linking/classinit.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/jvm.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/natives/reflect.h"
#include "vm/linking/resolve.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/objects.h"

// Arrays are allocated for the maximum, then cut.
static Object *cut_array(Thread *self, Object *array, int32_t length) {
    if (!array || array->length == length) return array;
    Object *copy = object_new_array(self, object_class(array), length);
    for (int32_t i = 0; copy && i < length; i++) set_element(copy, i, ARRAY_DATA(array, Object *)[i]);
    return copy;
}

// ---- kinds, names, modifiers ---------------------------------------------------------------------

EXPORT jclass JVM_FindPrimitiveClass(JNIEnv *env, const char *name) {
    static const struct {
        const char *name;
        char code;
    } names[] = {
        {"boolean", 'Z'}, {"byte", 'B'},  {"char", 'C'},   {"short", 'S'}, {"int", 'I'},
        {"long", 'J'},    {"float", 'F'}, {"double", 'D'}, {"void", 'V'},
    };
    VM_ENTER(env);
    jclass result = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0) result = jni_class_handle(self, class_primitive(names[i].code));
    if (!result) throw_new(self, WK(java_lang_ClassNotFoundException), "%s", name);
    VM_LEAVE();
    return result;
}

EXPORT jstring JVM_InitClassName(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Object *name = string_intern_utf8(self, class_external_name(jni_class(ref)));
    if (name) set_ref(handle_get(ref), (size_t)WK_OFF(java_lang_Class, name), name);
    jstring result = handle_local(self, name);
    VM_LEAVE();
    return result;
}

#define CLASS_QUERY(type, name, value)          \
    EXPORT type name(JNIEnv *env, jclass ref) { \
        VM_ENTER(env);                          \
        const Class *cls = jni_class(ref);      \
        type result = (value);                  \
        VM_LEAVE();                             \
        return result;                          \
    }
CLASS_QUERY(jboolean, JVM_IsArrayClass, class_is_array(cls))
CLASS_QUERY(jboolean, JVM_IsPrimitiveClass, class_is_primitive(cls))
CLASS_QUERY(jboolean, JVM_IsInterface, class_is_interface(cls))
CLASS_QUERY(jboolean, JVM_IsHiddenClass, (cls->cflags & CF_HIDDEN) != 0)
CLASS_QUERY(jboolean, JVM_IsRecord, (cls->cflags & CF_RECORD) != 0)
CLASS_QUERY(jint, JVM_GetClassAccessFlags, reflect_access_flags(cls))
CLASS_QUERY(jint, JVM_GetClassModifiers, reflect_class_modifiers(cls))

EXPORT jstring JVM_GetClassSignature(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    jstring result = NULL;
    if (cls->file && cls->file->signature_index != 0)
        result = handle_local(self, string_from_symbol(self, cp_utf8(cls, cls->file->signature_index)));
    VM_LEAVE();
    return result;
}

EXPORT jobjectArray JVM_GetClassInterfaces(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    Object *result = reflect_new_array(self, WK(java_lang_Class), cls->interface_count);
    for (int32_t i = 0; result && i < cls->interface_count; i++) set_element(result, i, cls->interfaces[i]->mirror);
    jobjectArray handle = handle_local(self, result);
    VM_LEAVE();
    return handle;
}

// ---- protection domain, signers ------------------------------------------------------------------

EXPORT jobject JVM_GetProtectionDomain(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Object *domain = get_ref(handle_get(ref), (size_t)WK_OFF(java_lang_Class, protectionDomain));
    jobject result = handle_local(self, domain);
    VM_LEAVE();
    return result;
}

EXPORT jobjectArray JVM_GetClassSigners(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Object *signers = get_ref(handle_get(ref), (size_t)WK_OFF(java_lang_Class, signers));
    jobjectArray result = handle_local(self, !signers ? NULL : object_clone(self, signers));
    VM_LEAVE();
    return result;
}

EXPORT void JVM_SetClassSigners(JNIEnv *env, jclass ref, jobjectArray signers) {
    VM_ENTER(env);
    if (jni_class(ref)->file) set_ref(handle_get(ref), (size_t)WK_OFF(java_lang_Class, signers), handle_get(signers));
    VM_LEAVE();
}

// ---- inner and enclosing classes -----------------------------------------------------------------

// The InnerClasses entry that describes the class itself, or NULL.
static const ClassFileInnerClass *own_entry(const Class *cls) {
    if (!cls->file) return NULL;
    const ClassFile *file = cls->file;
    ClassFileUtf8 own = classfile_this_name(file);
    for (uint16_t i = 0; i < file->inner_class_count; i++) {
        const ClassFileInnerClass *e = &file->inner_classes[i];
        if (classfile_utf8_equal(classfile_name_of(file, e->inner_class_index), own)) return e;
    }
    return NULL;
}

// Does the InnerClasses attribute of `outer` say that `inner` is its member? Throws if not.
static bool check_member(Thread *self, Class *outer, Class *inner) {
    const ClassFile *file = outer->file;
    for (uint16_t i = 0; file && i < file->inner_class_count; i++) {
        const ClassFileInnerClass *e = &file->inner_classes[i];
        if (e->outer_class_index == 0 || cp_class_name(outer, e->outer_class_index) != outer->name ||
            cp_class_name(outer, e->inner_class_index) != inner->name)
            continue;
        return true;
    }
    throw_wk(self, "java/lang/IncompatibleClassChangeError", "%s and %s disagree on InnerClasses attribute",
             class_external_name(outer), class_external_name(inner));
    return false;
}

static Object *declared_classes(Thread *self, Class *cls) {
    const ClassFile *file = cls->file;
    int32_t count = cls->file ? file->inner_class_count : 0, n = 0;
    Object *result = reflect_new_array(self, WK(java_lang_Class), count);
    for (int32_t i = 0; result && i < count; i++) {
        const ClassFileInnerClass *e = &file->inner_classes[i];
        if (e->outer_class_index == 0 || e->inner_class_index == 0 ||
            cp_class_name(cls, e->outer_class_index) != cls->name)
            continue;
        Class *inner = resolve_class(self, cls, e->inner_class_index);
        if (!inner) return NULL;  // HotSpot does not check `inner`
        set_element(result, n++, inner->mirror);
    }
    return cut_array(self, result, n);
}

EXPORT jobjectArray JVM_GetDeclaredClasses(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, declared_classes(self, jni_class(ref)));
    VM_LEAVE();
    return result;
}

EXPORT jclass JVM_GetDeclaringClass(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Class *cls = jni_class(ref), *outer = NULL;
    const ClassFileInnerClass *e = own_entry(cls);
    if (e && e->outer_class_index != 0) {
        outer = resolve_class(self, cls, e->outer_class_index);
        if (outer && !check_member(self, outer, cls)) outer = NULL;
    }
    jclass result = jni_class_handle(self, outer);
    VM_LEAVE();
    return result;
}

EXPORT jstring JVM_GetSimpleBinaryName(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    const ClassFileInnerClass *e = own_entry(cls);
    jstring result = NULL;
    if (e && e->name_index != 0) result = handle_local(self, string_from_symbol(self, cp_utf8(cls, e->name_index)));
    VM_LEAVE();
    return result;
}

// {Class, method name or null, method descriptor or null}; null without an EnclosingMethod attribute.
static Object *enclosing_method(Thread *self, Class *cls) {
    if (!cls->file || cls->file->enclosing_class == 0) return NULL;
    Object *info = reflect_new_array(self, WK(java_lang_Object), 3);
    Class *outer = !info ? NULL : resolve_class(self, cls, cls->file->enclosing_class);
    if (!outer) return NULL;
    set_element(info, 0, outer->mirror);
    if (cls->file->enclosing_method == 0) return info;
    const CpEntry *nat = &cls->file->cp[cls->file->enclosing_method];
    Object *name = string_intern_symbol(self, cp_utf8(cls, nat->u.nat.name_index));
    if (!name) return NULL;
    set_element(info, 1, name);
    Object *descriptor = string_from_symbol(self, cp_utf8(cls, nat->u.nat.desc_index));
    if (!descriptor) return NULL;
    set_element(info, 2, descriptor);
    return info;
}

EXPORT jobjectArray JVM_GetEnclosingMethodInfo(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, enclosing_method(self, jni_class(ref)));
    VM_LEAVE();
    return result;
}

// ---- nests, sealed classes, records --------------------------------------------------------------

EXPORT jboolean JVM_AreNestMates(JNIEnv *env, jclass a, jclass b) {
    VM_ENTER(env);
    Class *host_a = class_nest_host(self, jni_class(a));
    Class *host_b = !host_a ? NULL : class_nest_host(self, jni_class(b));
    VM_LEAVE();
    return host_b && host_a == host_b;
}

EXPORT jclass JVM_GetNestHost(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    jclass result = jni_class_handle(self, class_nest_host(self, jni_class(ref)));
    VM_LEAVE();
    return result;
}

// A class that cannot be loaded is left out of lists, unless the VM is out of memory or stack.
static Class *try_resolve(Thread *self, Class *cls, uint16_t index, bool *fatal) {
    Class *found = resolve_class(self, cls, index);
    if (found) return found;
    *fatal = exception_is(self, WK(java_lang_OutOfMemoryError)) || exception_is(self, WK(java_lang_StackOverflowError));
    if (!*fatal) exception_clear(self);
    return NULL;
}

static Object *nest_members(Thread *self, Class *cls) {
    bool fatal = false;
    Class *host = class_nest_host(self, cls);
    if (!host) return NULL;
    int32_t count = host->file ? host->file->nest_member_count : 0, n = 1;
    Object *result = reflect_new_array(self, WK(java_lang_Class), count + 1);
    if (!result) return NULL;
    set_element(result, 0, host->mirror);
    for (int32_t i = 0; i < count && !fatal; i++) {
        Class *member = try_resolve(self, host, host->file->nest_members[i], &fatal);
        if (member && class_nest_host(self, member) == host) set_element(result, n++, member->mirror);
        fatal = fatal || self->exception != NULL;
    }
    return fatal ? NULL : cut_array(self, result, n);
}

EXPORT jobjectArray JVM_GetNestMembers(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, nest_members(self, jni_class(ref)));
    VM_LEAVE();
    return result;
}

static Object *permitted_subclasses(Thread *self, Class *cls) {
    bool fatal = false;
    if (!cls->file || !cls->file->has_permitted) return NULL;
    int32_t count = cls->file->permitted_count, n = 0;
    Object *result = reflect_new_array(self, WK(java_lang_Class), count);
    for (int32_t i = 0; result && i < count && !fatal; i++) {
        Class *sub = try_resolve(self, cls, cls->file->permitted[i], &fatal);
        if (sub) set_element(result, n++, sub->mirror);
    }
    return fatal ? NULL : cut_array(self, result, n);
}

EXPORT jobjectArray JVM_GetPermittedSubclasses(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    jobjectArray result = handle_local(self, permitted_subclasses(self, jni_class(ref)));
    VM_LEAVE();
    return result;
}

EXPORT jobjectArray JVM_GetRecordComponents(JNIEnv *env, jclass ref) {
    VM_ENTER(env);
    Class *cls = jni_class(ref);
    Object *components = NULL;
    if (cls->file && class_link(self, cls)) components = reflect_record_components(self, cls);
    jobjectArray result = handle_local(self, components);
    VM_LEAVE();
    return result;
}

// ---- assertions ----------------------------------------------------------------------------------

EXPORT jboolean JVM_DesiredAssertionStatus(JNIEnv *env, jclass unused, jclass ref) {
    (void)unused;
    VM_ENTER(env);
    const Class *cls = jni_class(ref);
    bool system = !cls->loader->java_loader;
    bool enabled = options_assertions_enabled(&vm.options, cls->name->text, system);
    VM_LEAVE();
    return enabled;
}

// The rules for classes or for packages, as parallel arrays of names and flags.
static bool fill_directives(Thread *self, Object *directives, bool packages) {
    const Options *o = &vm.options;
    int32_t count = 0, n = 0;
    for (size_t i = 0; i < o->assertion_count; i++)
        count += o->assertions[i].name && o->assertions[i].package == packages;
    Object *names = reflect_new_array(self, WK(java_lang_String), count);
    Object *flags = !names ? NULL : object_new_prim_array(self, 'Z', count);
    if (!flags) return false;
    for (size_t i = o->assertion_count; i-- > 0;) {  // the last rule takes precedence
        const AssertionRule *rule = &o->assertions[i];
        if (!rule->name || rule->package != packages) continue;
        Object *name = string_from_symbol_dotted(self, symbol_of(rule->name));
        if (!name) return false;
        set_element(names, n, name);
        ARRAY_DATA(flags, uint8_t)[n++] = rule->enable;
    }
    int64_t names_at = packages ? WK_OFF(java_lang_AssertionStatusDirectives, packages)
                                : WK_OFF(java_lang_AssertionStatusDirectives, classes);
    int64_t flags_at = packages ? WK_OFF(java_lang_AssertionStatusDirectives, packageEnabled)
                                : WK_OFF(java_lang_AssertionStatusDirectives, classEnabled);
    set_ref(directives, (size_t)names_at, names);
    set_ref(directives, (size_t)flags_at, flags);
    return true;
}

EXPORT jobject JVM_AssertionStatusDirectives(JNIEnv *env, jclass unused) {
    (void)unused;
    VM_ENTER(env);
    Class *cls = WK(java_lang_AssertionStatusDirectives);
    Object *directives = class_ensure_initialized(self, cls) ? object_new(self, cls) : NULL;
    bool ok = directives && fill_directives(self, directives, false) && fill_directives(self, directives, true);
    if (ok) {
        bool status = false;
        for (size_t i = 0; i < vm.options.assertion_count; i++)
            if (!vm.options.assertions[i].name && !vm.options.assertions[i].package)
                status = vm.options.assertions[i].enable;
        FIELD_AT(directives, WK_OFF(java_lang_AssertionStatusDirectives, deflt), uint8_t) = status;
    }
    jobject result = handle_local(self, ok ? directives : NULL);
    VM_LEAVE();
    return result;
}
