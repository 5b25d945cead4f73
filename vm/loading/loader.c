// Class loaders: dictionaries, lookup, and calls of Java loaders. Class creation is in define.c.
//
// The boot loader finds classes itself: package -> module (vm/loading/module.h) -> the modules file. Before java.base
// is defined, only java.base is searched. For any other loader the VM calls loadClass and records the loader as an
// initiating one of the result (JVMS 5.3.2).
//
// Two threads may load one class of the boot loader at the same time. Both parse it, the first to publish wins, and the
// other's class is dropped. That sometimes wastes memory, but avoids waiting and possible deadlocks.
#include "vm/loading/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/grow.h"
#include "base/hash.h"
#include "gc/heap.h"
#include "vm/loading/arrayclass.h"
#include "vm/loading/bootpath.h"
#include "vm/loading/classaccess.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/loading/jimage.h"
#include "vm/loading/loader_internal.h"
#include "vm/loading/metaspace.h"
#include "vm/base/log.h"
#include "vm/loading/module.h"
#include "vm/threads/monitor.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

enum { FIRST_CLASSES = 32, BOOT_CLASSES = 1024 };

static struct Loaders {
    _Atomic(Loader *) all;
    pthread_mutex_t lock;  // list of loaders
    _Atomic uint32_t class_count, unloaded_count, last_serial;
    pthread_mutex_t constraint_lock;
    HashTable constraints;  // of LoaderConstraint
} loaders = {.lock = PTHREAD_MUTEX_INITIALIZER, .constraint_lock = PTHREAD_MUTEX_INITIALIZER};

// ---- dictionaries ----------------------------------------------------------------------------

static uint32_t hash_of_class(const void *owner, uintptr_t item) {
    (void)owner;
    return ((const Class *)item)->name->hash;
}

static bool has_name(const void *owner, uintptr_t item, const void *name) {
    (void)owner;
    return ((const Class *)item)->name == name;
}

static const HashKind by_name = {hash_of_class, has_name};

static Class *record_locked(Loader *l, Class *cls) {
    ASSERT(!class_is_primitive(cls) && cls->loader, "class %s is recorded", cls->name->text);
    Class *there = (Class *)hash_find(&l->dictionary, &by_name, NULL, cls->name->hash, cls->name);
    if (there) return there;
    hash_add_or_exit(&l->dictionary, &by_name, NULL, cls->name->hash, (uintptr_t)cls);
    return cls;
}

static Class *find_plain(Loader *l, const Symbol *name) {
    pthread_mutex_lock(&l->lock);
    Class *c = (Class *)hash_find(&l->dictionary, &by_name, NULL, name->hash, name);
    pthread_mutex_unlock(&l->lock);
    return c;
}

// ---- loader constraints ----------------------------------------------------------------------

// JVMS 5.3.4. One node per set of loaders that must agree on a name; all nodes under one lock.
typedef struct LoaderConstraint {
    Symbol *name;
    Class *cls;  // the class they agree on, once one of them has loaded it
    Loader **loaders;
    uint32_t count, capacity;
} LoaderConstraint;

typedef struct ConstraintKey {
    const Loader *loader;
    const Symbol *name;
} ConstraintKey;

static uint32_t hash_of_constraint(const void *owner, uintptr_t item) {
    (void)owner;
    return ((const LoaderConstraint *)item)->name->hash;
}

static bool binds(const void *owner, uintptr_t item, const void *key) {
    (void)owner;
    const LoaderConstraint *c = (const LoaderConstraint *)item;
    const ConstraintKey *k = key;
    if (c->name != k->name) return false;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->loaders[i] == k->loader) return true;
    return false;
}

static const HashKind by_loader_and_name = {hash_of_constraint, binds};

static LoaderConstraint *constraint_of(const Loader *l, const Symbol *name) {
    return (LoaderConstraint *)hash_find(&loaders.constraints, &by_loader_and_name, NULL, name->hash,
                                         &(ConstraintKey){l, name});
}

static void constraint_join(LoaderConstraint *c, Loader *l) {
    GROW_OR_EXIT(c->loaders, c->capacity, c->count + 1);
    c->loaders[c->count++] = l;
}

bool loader_add_constraint(Loader *a, Loader *b, Symbol *name) {
    if (a == b) return true;
    Class *ca = find_plain(a, name), *cb = find_plain(b, name);
    if (ca && cb) return ca == cb;
    pthread_mutex_lock(&loaders.constraint_lock);
    LoaderConstraint *na = constraint_of(a, name), *nb = constraint_of(b, name);
    Class *known = ca ? ca : cb;
    Class *xa = na ? na->cls : NULL, *xb = nb ? nb->cls : NULL;
    bool ok = (!xa || !xb || xa == xb) && (!known || !xa || known == xa) && (!known || !xb || known == xb);
    if (ok) {
        LoaderConstraint *n = na ? na : nb;
        if (!n) {
            n = arena_malloc(sizeof *n);
            n->name = name;
            hash_add_or_exit(&loaders.constraints, &by_loader_and_name, NULL, name->hash, (uintptr_t)n);
        }
        if (!na) constraint_join(n, a);
        if (!nb) constraint_join(n, b);
        if (na && nb && na != nb) {
            for (uint32_t i = 0; i < nb->count; i++) constraint_join(na, nb->loaders[i]);
            if (!na->cls) na->cls = nb->cls;
            nb->count = 0;  // no longer matches any loader
            nb->cls = NULL;
        }
        if (!n->cls) n->cls = known;
    }
    pthread_mutex_unlock(&loaders.constraint_lock);
    return ok;
}

// Called before a class becomes known to `l` under its name: NULL if the constraints allow it, else the class that it
// would have to be. Two definitions by `l` itself are a race, not a violation: publishing decides which one is used
// (loader_settle_constraint).
static Class *constraint_conflict(const Loader *l, Class *cls) {
    pthread_mutex_lock(&loaders.constraint_lock);
    LoaderConstraint *c = constraint_of(l, cls->name);
    Class *other = c && c->cls != cls ? c->cls : NULL;
    if (other && other->loader == l && cls->loader == l) {
        pthread_mutex_unlock(&loaders.constraint_lock);
        return NULL;
    }
    if (c && !other) c->cls = cls;
    pthread_mutex_unlock(&loaders.constraint_lock);
    return other;
}

void loader_settle_constraint(const Loader *l, Class *published) {
    pthread_mutex_lock(&loaders.constraint_lock);
    LoaderConstraint *c = constraint_of(l, published->name);
    if (c && c->cls && c->cls->loader == published->loader) c->cls = published;
    pthread_mutex_unlock(&loaders.constraint_lock);
}

// ---- classes of a loader ---------------------------------------------------------------------

void loader_add_class(Class *cls) {
    metaspace_add_class(cls);
    if (!class_is_array(cls)) atomic_fetch_add(&loaders.class_count, 1);
}

Class *loader_publish(Loader *l, Class *cls) {
    pthread_mutex_lock(&l->lock);
    Class *there = record_locked(l, cls);
    pthread_mutex_unlock(&l->lock);
    if (there == cls) loader_add_class(cls);
    return there;
}

uint32_t loader_class_count(void) { return atomic_load(&loaders.class_count); }
uint32_t loader_unloaded_count(void) { return atomic_load(&loaders.unloaded_count); }

// ---- loaders ---------------------------------------------------------------------------------

static bool is_class_named(const Object *o, const char *name) {
    const Class *c = object_class(o);
    return c->loader == vm.boot_loader && symbol_is(c->name, name);
}

static Loader *new_loader(Object *java_loader, uint32_t classes, size_t arena_chunk) {
    Loader *l = arena_malloc(sizeof *l);
    // Programs cannot create loaders of these classes. ClassLoader keeps a loader that a program names as the system
    // loader.
    bool permanent = !java_loader ||
        is_class_named(java_loader, "jdk/internal/loader/ClassLoaders$PlatformClassLoader") ||
        is_class_named(java_loader, "jdk/internal/loader/ClassLoaders$AppClassLoader");
    l->java_loader = java_loader;
    l->serial = atomic_fetch_add(&loaders.last_serial, 1) + 1;
    if (permanent) *metaspace_new_root() = java_loader;
    else l->space.holder = java_loader;
    pthread_mutex_init(&l->lock, NULL);
    if (!hash_begin(&l->dictionary, classes)) grow_out_of_memory(classes * sizeof(Class *));
    metaspace_begin(&l->space, l, !permanent, arena_chunk);
    return l;
}

// Replaces separators of packages, members and columns.
static void make_label(Loader *l) {
    Object *name = get_ref(l->java_loader, WK_OFF(java_lang_ClassLoader, name));
    const char *class_name = object_class(l->java_loader)->name->text, *slash = strrchr(class_name, '/');
    char *own = name ? string_to_mutf8(name) : NULL;
    const char *text = own ? own : slash ? slash + 1 : class_name;
    char *label = arena_strndup(&l->space.arena, text, strlen(text));
    for (char *p = label; *p; p++)
        if (strchr("/.:;@# ", *p)) *p = '_';
    l->label = label;
    free(own);
}

static void link_loader(Loader *l) {
    l->next = atomic_load(&loaders.all);
    while (!atomic_compare_exchange_weak(&loaders.all, &l->next, l)) {}
}

static Class *new_primitive(char code, const char *name) {
    Class *c = arena_alloc(&vm.boot_loader->space.arena, sizeof *c);
    c->name = symbol_of(name);
    c->prim = code;
    c->access = ACC_PUBLIC | ACC_FINAL | ACC_ABSTRACT;
    c->cflags = CF_PRIMITIVE | CF_TRUSTED;
    c->loader = vm.boot_loader;
    c->space = &vm.boot_loader->space;
    c->display[0] = c;
    c->verified = true;
    c->module = module_java_base();
    atomic_store(&c->state, CLASS_INITIALIZED);
    loader_add_class(c);
    return c;
}

bool loader_init(void) {
    static const char *const names[] = {"boolean", "byte", "char", "short", "int", "long", "float", "double", "void"};
    symbol_init();
    char *error = NULL;
    if (!jimage_open(vm.java_home, &error)) {
        fprintf(stderr, "cabernet: %s\n", error ? error : "cannot open the class library");
        free(error);
        return false;
    }
    vm.boot_loader = new_loader(NULL, BOOT_CLASSES, 256 << 10);
    vm.boot_loader->trusted = true;
    link_loader(vm.boot_loader);
    module_init();
    for (int i = 0; VM_PRIMITIVES[i]; i++) vm.prims[i] = new_primitive(VM_PRIMITIVES[i], names[i]);
    return true;
}

Loader *loader_of_existing(const Object *java_loader) {
    if (!java_loader) return vm.boot_loader;
    size_t offset = (size_t)WK_OFF(java_lang_ClassLoader, vmLoader);
    return __atomic_load_n(&FIELD_AT(java_loader, offset, Loader *), __ATOMIC_ACQUIRE);
}

Loader *loader_of(Thread *self, Object *java_loader) {
    (void)self;
    Loader *l = loader_of_existing(java_loader);
    if (l) return l;
    pthread_mutex_lock(&loaders.lock);
    l = loader_of_existing(java_loader);
    if (!l) {
        l = new_loader(java_loader, FIRST_CLASSES, 4 << 10);
        l->trusted = is_class_named(java_loader, "jdk/internal/loader/ClassLoaders$PlatformClassLoader");
        l->delegating = is_class_named(java_loader, "jdk/internal/reflect/DelegatingClassLoader");
        make_label(l);
        link_loader(l);
        __atomic_store_n(&FIELD_AT(java_loader, WK_OFF(java_lang_ClassLoader, vmLoader), Loader *), l,
                         __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&loaders.lock);
    return l;
}

typedef struct EachClass {
    void (*fn)(void *arg, Class *cls);
    void *arg;
} EachClass;

static void each_of_space(void *arg, Metaspace *space) {
    const EachClass *each = arg;
    for (Class *c = atomic_load(&space->classes); c; c = c->next_in_space) each->fn(each->arg, c);
}

void loader_each_class(void (*fn)(void *arg, Class *cls), void *arg) {
    metaspace_each(each_of_space, &(EachClass){fn, arg});
}

// ClassLoader.nameAndId is "'app'" for named built-in loaders, "'name' @hash" or "Class @hash" otherwise; it is null
// while the loader's constructor runs.
const char *loader_name_and_id(Loader *loader) {
    if (!loader->java_loader) return "'bootstrap'";
    Object *s = get_ref(loader->java_loader, WK_OFF(java_lang_ClassLoader, nameAndId));
    if (!s) return class_external_name(object_class(loader->java_loader));
    char *text = string_to_utf8(s);
    char *copy = arena_strndup(&loader->space.arena, text, strlen(text));
    free(text);
    return copy;
}

// ---- lookup in the class library -------------------------------------------------------------

// From the module of the class's package, or from the appended path if the package is in no named module.
Class *loader_find_boot(Thread *self, Symbol *name) {
    Class *c = find_plain(vm.boot_loader, name);
    if (c) return c;
    const char *module = "java.base";
    if (module_system_ready()) {
        const PackageEntry *package = module_find_package(vm.boot_loader, symbol_package(name));
        module = package && package->module->name ? package->module->name->text : NULL;
    }
    Arena *arena = &vm.boot_loader->space.arena;
    char source[256];
    uint8_t *bytes = NULL;
    size_t size = 0;
    DefineOptions o = {.expected_name = name};
    JImageLocation at;
    if (!module) {
        bytes = bootpath_read(arena, name, &size, &o.source);
    } else if (jimage_find(module, name->text, &at)) {
        snprintf(source, sizeof source, "jrt:/%s", module);
        o.trusted = true;
        o.source = source;
        size = (size_t)at.size;
        bytes = arena_alloc(arena, size);
        if (!jimage_read(&at, bytes)) bytes = NULL;
    }
    if (bytes) c = define_from_owned(self, vm.boot_loader, bytes, size, &o);
    // Another thread was faster: its definition is used.
    if (!c && !self->exception) c = find_plain(vm.boot_loader, name);
    return c;
}

// ---- loading ---------------------------------------------------------------------------------

bool loader_check_constraints(Thread *self, Loader *l, Class *cls) {
    Class *other = constraint_conflict(l, cls);
    if (!other) return true;
    const char *kind = class_is_interface(cls) ? "interface" : "class";
    char *where = class_description(other, false, true);
    throw_wk(self, "java/lang/LinkageError",
             "loader constraint violation: loader %s wants to load %s %s. A different %s with the "
             "same name was previously loaded by %s. (%s)",
             loader_name_and_id(l), kind, class_external_name(cls), kind, loader_name_and_id(other->loader), where);
    free(where);
    return false;
}

// JVMS 5.3.2. NULL without an exception: the loader returned null, or a class of another name.
static Class *ask_java(Thread *self, Loader *l, Symbol *name) {
    Object *dotted = string_from_symbol_dotted(self, name);
    if (!dotted) return NULL;
    Object *loader = l->java_loader;
    bool lock = !get_ref(loader, WK_OFF(java_lang_ClassLoader, parallelLockMap));
    if (lock && !monitor_enter(self, loader)) return NULL;
    Slot args[2] = {{.o = loader}, {.o = dotted}}, result = {.o = NULL};
    bool ok = invoke_virtual(self, WK_M(ClassLoader_loadClass), args, &result, ENTRY_VM);
    if (lock) {
        Object *thrown = exception_take(self);
        monitor_exit(self, loader);
        if (thrown) throw_object(self, thrown);
    }
    Class *c = ok && result.o ? class_from_mirror(result.o) : NULL;
    if (!c || c->name != name) return NULL;  // as if the class was not found
    if (c->loader == l) return c;
    if (!loader_check_constraints(self, l, c) || !metaspace_need(self, &l->space, c)) return NULL;
    pthread_mutex_lock(&l->lock);
    Class *there = record_locked(l, c);
    pthread_mutex_unlock(&l->lock);
    return there;
}

static Class *load_plain(Thread *self, Loader *l, Symbol *name) {
    Class *c = find_plain(l, name);
    if (c) return c;
    if (!thread_c_stack_ok(self)) {
        throw_stack_overflow(self);
        return NULL;
    }
    return l->java_loader ? ask_java(self, l, name) : loader_find_boot(self, name);
}

// Splits [[I or [[Lname; : *dims, and the primitive's class or the element's name. False: malformed.
static bool split_array_name(const Symbol *name, int *dims, Class **prim, Symbol **element, bool make) {
    const char *p = name->text, *end = p + name->length;
    while (p < end && *p == '[') p++;
    *dims = (int)(p - name->text);
    *prim = NULL;
    *element = NULL;
    if (*dims > 255 || p == end) return false;
    if (p + 1 == end) {
        *prim = *p == 'V' ? NULL : class_primitive(*p);
        return *prim;
    }
    if (*p != 'L' || end[-1] != ';' || end - p < 3) return false;
    size_t len = (size_t)(end - p - 2);
    *element = make ? symbol_intern(p + 1, len) : symbol_find(p + 1, len);
    return *element;
}

static Class *load_array(Thread *self, Loader *l, Symbol *name) {
    int dims;
    Class *c;
    Symbol *element;
    if (!split_array_name(name, &dims, &c, &element, true)) return NULL;
    if (!c) c = load_plain(self, l, element);
    while (c && dims-- > 0) c = class_array_of(self, c);
    return c;
}

// NULL with or without an exception.
static Class *load_or_null(Thread *self, Loader *l, Symbol *name) {
    return name->text[0] == '[' ? load_array(self, l, name) : load_plain(self, l, name);
}

Class *loader_load_cnfe(Thread *self, Loader *l, Symbol *name) {
    Class *c = load_or_null(self, l, name);
    if (!c && !self->exception) throw_wk(self, "java/lang/ClassNotFoundException", "%s", name->text);
    return c;
}

Class *loader_load(Thread *self, Loader *l, Symbol *name) {
    Class *c = load_or_null(self, l, name);
    if (c) return c;
    if (!self->exception) {
        throw_wk(self, "java/lang/NoClassDefFoundError", "%s", name->text);
    } else if (exception_is(self, WK(java_lang_ClassNotFoundException))) {
        Object *cause = exception_take(self);
        throw_wk_cause(self, "java/lang/NoClassDefFoundError", cause, "%s", name->text);
    }
    return NULL;
}

Class *loader_find_loaded(Loader *l, const Symbol *name) {
    if (name->text[0] != '[') return find_plain(l, name);
    int dims;
    Class *c;
    Symbol *element;
    if (!split_array_name(name, &dims, &c, &element, false)) return NULL;
    if (!c) c = find_plain(l, element);
    while (c && dims-- > 0) c = atomic_load_explicit(&c->array_class, memory_order_acquire);
    return c;
}

// ---- unloading -------------------------------------------------------------------------------

static bool constraint_lives(uintptr_t item) {
    LoaderConstraint *c = (LoaderConstraint *)item;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++)
        if (!c->loaders[i]->space.dead) c->loaders[kept++] = c->loaders[i];
    c->count = kept;
    if (c->cls && class_is_dead(c->cls)) c->cls = NULL;
    if (kept) return true;
    free(c->loaders);
    free(c);
    return false;
}

void loader_forget_dead(uint32_t classes) {
    Loader *last = NULL;
    for (Loader *l = atomic_load(&loaders.all); l; l = l->next) {
        if (l->space.dead) continue;
        if (last) last->next = l;
        else atomic_store(&loaders.all, l);
        last = l;
    }
    last->next = NULL;
    hash_filter(&loaders.constraints, constraint_lives);
    atomic_fetch_add(&loaders.unloaded_count, classes);
}

void loader_free(Loader *l) {
    hash_free(&l->dictionary);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

void loader_before_fork(void) {
    pthread_mutex_lock(&loaders.constraint_lock);
    pthread_mutex_lock(&loaders.lock);
    for (Loader *l = atomic_load(&loaders.all); l; l = l->next) pthread_mutex_lock(&l->lock);
    metaspace_before_fork();
}

void loader_after_fork(void) {
    metaspace_after_fork();
    for (Loader *l = atomic_load(&loaders.all); l; l = l->next) pthread_mutex_unlock(&l->lock);
    pthread_mutex_unlock(&loaders.lock);
    pthread_mutex_unlock(&loaders.constraint_lock);
}
