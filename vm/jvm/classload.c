// JVM_*: finding and defining classes, packages of the boot loader.
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "vm/api/stackwalk.h"
#include "vm/jni/handles.h"
#include "vm/linking/classinit.h"
#include "vm/jni/jni_impl.h"
#include "vm/jvm/hiddenplace.h"
#include "vm/jvm/jvm.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/loading/module.h"
#include "vm/natives/reflect.h"
#include "vm/objects/classes.h"

// NULL for a name that no class can have.
static Symbol *class_name(const char *name) {
    size_t length = name ? strlen(name) : 0;
    return length > 0 && length <= UINT16_MAX ? symbol_intern(name, length) : NULL;
}

// ---- finding -----------------------------------------------------------------------------------

// Not found: NULL without an exception.
EXPORT jclass JVM_FindClassFromBootLoader(JNIEnv *env, const char *text) {
    Symbol *name = class_name(text);
    if (!name) return NULL;
    VM_ENTER(env);
    jclass result = jni_class_handle(self, loader_find_boot(self, name));
    VM_LEAVE();
    return result;
}

static Class *load(Thread *self, Loader *loader, Symbol *name, bool init, bool want_error) {
    Class *cls = !loader ? NULL : want_error ? loader_load(self, loader, name) : loader_load_cnfe(self, loader, name);
    return cls && (!init || class_ensure_initialized(self, cls)) ? cls : NULL;
}

// Class.forName.
EXPORT jclass JVM_FindClassFromCaller(JNIEnv *env, const char *text, jboolean init, jobject loader, jclass caller) {
    (void)caller;
    Symbol *name = class_name(text);
    VM_ENTER(env);
    Class *cls = NULL;
    if (!name) {
        throw_new(self, WK(java_lang_ClassNotFoundException), text ? "%s" : NULL, text);
    } else {
        cls = load(self, loader_of(self, handle_get(loader)), name, init, false);
    }
    jclass result = jni_class_handle(self, cls);
    VM_LEAVE();
    return result;
}

// For the old verifier: resolves like class `from`.
EXPORT jclass JVM_FindClassFromClass(JNIEnv *env, const char *text, jboolean init, jclass from) {
    Symbol *name = class_name(text);
    VM_ENTER(env);
    Class *cls = NULL, *origin = jni_class(from);
    if (!name) {
        throw_new(self, WK(java_lang_NoClassDefFoundError), text ? "%s" : NULL, text);
    } else {
        cls = load(self, origin ? origin->loader : vm.boot_loader, name, init, true);
    }
    jclass result = jni_class_handle(self, cls);
    VM_LEAVE();
    return result;
}

EXPORT jclass JVM_FindLoadedClass(JNIEnv *env, jobject loader, jstring name) {
    VM_ENTER(env);
    Object *text = handle_get(name);
    Symbol *symbol = text ? string_find_symbol(text, true) : NULL;
    Loader *l = symbol ? loader_of_existing(handle_get(loader)) : NULL;
    jclass result = jni_class_handle(self, l ? loader_find_loaded(l, symbol) : NULL);
    VM_LEAVE();
    return result;
}

// ---- defining ----------------------------------------------------------------------------------

EXPORT jclass JVM_DefineClassWithSource(JNIEnv *env, const char *name, jobject loader, const jbyte *bytes, jsize length,
                                        jobject domain, const char *source) {
    VM_ENTER(env);
    DefineOptions options = {
        .expected_name = class_name(name),
        .protection_domain = handle_get(domain),
        .source = source,
    };
    Loader *l = loader_of(self, handle_get(loader));
    Class *cls = NULL;
    if (name && !options.expected_name) {
        throw_new(self, WK(java_lang_NoClassDefFoundError),
                  "Class name is empty or exceeds "
                  "maximum length %d: %s",
                  UINT16_MAX, name);
    } else if (l) {
        cls = loader_define(self, l, (const uint8_t *)bytes, (size_t)length, &options);
    }
    jclass result = jni_class_handle(self, cls);
    VM_LEAVE();
    return result;
}

// An error in the flags of a definition, or NULL.
static const char *flags_fault(const Class *lookup, int flags, bool has_class_data) {
    if (!lookup) return "Lookup class is null";
    if (flags & DEFINE_HIDDEN) {
        if ((flags & DEFINE_VM_ANNOTATIONS) && !lookup->loader->trusted)
            return "vm annotations are only allowed for boot and platform loaders";
        return NULL;
    }
    if (flags & DEFINE_NESTMATE) return "dynamic nestmate is only applicable to hidden classes";
    if (!(flags & DEFINE_STRONG)) return "an ordinary class must be strongly referenced by its defining loader";
    if (flags & DEFINE_VM_ANNOTATIONS) return "vm annotations only allowed for hidden classes";
    if (has_class_data) return "classData is only applicable for hidden classes";
    return NULL;
}

// Hidden classes are linked even if they need not be initialised yet: they cannot be found again by name, so errors
// must be reported now.
static Class *define_from_lookup(Thread *self, Class *lookup, DefineOptions *options, const jbyte *bytes, jsize length,
                                 bool initialize) {
    Class *cls = loader_define(self, lookup->loader, (const uint8_t *)bytes, (size_t)length, options);
    if (!cls) return NULL;
    if (!(options->flags & DEFINE_HIDDEN) && !class_same_package(lookup, cls)) {
        throw_wk(self, "java/lang/IllegalArgumentException",
                 "Lookup class and defined class are in different packages");
        return NULL;
    }
    bool ok = initialize ? class_ensure_initialized(self, cls) : class_link(self, cls);
    return ok ? cls : NULL;
}

EXPORT jclass JVM_LookupDefineClass(JNIEnv *env, jclass lookup_ref, const char *name, const jbyte *bytes, jsize length,
                                    jobject domain, jboolean initialize, jint flags, jobject class_data) {
    VM_ENTER(env);
    Class *lookup = jni_class(lookup_ref), *cls = NULL;
    const char *fault = flags_fault(lookup, flags, handle_get(class_data) != NULL);
    if (fault) {
        throw_wk(self, "java/lang/IllegalArgumentException", "%s", fault);
    } else {
        DefineOptions options = {
            .expected_name = class_name(name),
            .protection_domain = handle_get(domain),
            .class_data = handle_get(class_data),
            .host = lookup,
            .flags = flags,
            .source = "__JVM_LookupDefineClass__",
        };
        char *place = flags & DEFINE_HIDDEN && options.expected_name ? hiddenplace_text(self, lookup, name) : NULL;
        options.place = place;
        cls = define_from_lookup(self, lookup, &options, bytes, length, initialize);
        free(place);
    }
    jclass result = jni_class_handle(self, cls);
    VM_LEAVE();
    return result;
}

// ---- callers -----------------------------------------------------------------------------------

// The first loader on the stack that is neither boot nor platform.
static Object *latest_user_loader(Thread *self) {
    StackWalk w;
    stackwalk_begin(&w, self);
    while (stackwalk_next(&w)) {
        Class *cls = w.method->cls;
        if (cls->cflags & CF_REFLECTION_ACCESSOR) continue;
        Loader *l = cls->loader;
        // For generated reflection classes, the parent of their loader counts.
        if (l->delegating)
            l = loader_of_existing(get_ref(l->java_loader, (size_t)WK_OFF(java_lang_ClassLoader, parent)));
        if (l && l->java_loader && !l->trusted) return l->java_loader;
    }
    return NULL;
}

EXPORT jobject JVM_LatestUserDefinedLoader(JNIEnv *env) {
    VM_ENTER(env);
    jobject result = handle_local(self, latest_user_loader(self));
    VM_LEAVE();
    return result;
}

// ---- packages of the boot loader ---------------------------------------------------------------

EXPORT jstring JVM_GetSystemPackage(JNIEnv *env, jstring name) {
    VM_ENTER(env);
    const Object *text = handle_get(name);
    const Symbol *symbol = text ? string_find_symbol(text, true) : NULL;
    const char *location = symbol ? module_system_package(symbol) : NULL;
    jstring result = location ? handle_local(self, string_from_utf8(self, location)) : NULL;
    VM_LEAVE();
    return result;
}

typedef struct Packages {
    const Symbol **names;
    size_t count, capacity;
} Packages;

static void add_package(void *arg, const PackageEntry *p) {
    Packages *list = arg;
    if (GROW(list->names, list->capacity, list->count + 1)) list->names[list->count++] = p->name;
}

static Object *package_names(Thread *self, const Packages *list) {
    Object *array = reflect_new_array(self, WK(java_lang_String), (int32_t)list->count);
    for (size_t i = 0; array && i < list->count; i++) {
        Object *name = string_from_symbol(self, list->names[i]);
        if (!name) return NULL;
        set_element(array, i, name);
    }
    return array;
}

EXPORT jobjectArray JVM_GetSystemPackages(JNIEnv *env) {
    VM_ENTER(env);
    Packages list = {0};
    module_each_system_package(add_package, &list);
    jobjectArray result = handle_local(self, package_names(self, &list));
    free(list.names);
    VM_LEAVE();
    return result;
}
