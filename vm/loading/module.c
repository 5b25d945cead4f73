// Modules and packages: see vm/loading/module.h. Argument checks and messages of the module_define family are
// HotSpot's, because java.lang.Module's callers and tests see them.
//
// One lock for all entries. A package's module is set when the package is made (or is java.base, for packages of the
// boot loader from before java.base was defined), and never changes afterwards, so it is read without the lock.
#include "vm/loading/module.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/loading/metaspace.h"
#include "vm/loading/mirror.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

#define IAE "java/lang/IllegalArgumentException"

static struct Modules {
    pthread_mutex_t lock;
    ModuleEntry *java_base;
    _Atomic bool ready;
} modules = {.lock = PTHREAD_MUTEX_INITIALIZER};

static ModuleEntry *new_entry(Loader *l, Symbol *name) {
    ModuleEntry *m = arena_alloc(&l->space.arena, sizeof *m);
    m->name = name;
    m->loader = l;
    m->module = l->space.collectable ? arena_alloc(&l->space.arena, sizeof *m->module) : metaspace_new_root();
    return m;
}

void module_init(void) {
    modules.java_base = new_entry(vm.boot_loader, SYMS(java_base));
    vm.boot_loader->modules = modules.java_base;
}

bool module_system_ready(void) { return atomic_load_explicit(&modules.ready, memory_order_acquire); }

ModuleEntry *module_java_base(void) { return modules.java_base; }

// ---- packages --------------------------------------------------------------------------------

static uint32_t hash_of_package(const void *owner, uintptr_t item) {
    (void)owner;
    return ((const PackageEntry *)item)->name->hash;
}

static bool has_name(const void *owner, uintptr_t item, const void *name) {
    (void)owner;
    return ((const PackageEntry *)item)->name == name;
}

static const HashKind by_name = {hash_of_package, has_name};

static PackageEntry *find_package_locked(Loader *l, const Symbol *name) {
    return (PackageEntry *)hash_find(&l->packages, &by_name, NULL, name->hash, name);
}

static PackageEntry *new_package_locked(Loader *l, Symbol *name, ModuleEntry *module) {
    PackageEntry *p = arena_alloc(&l->space.arena, sizeof *p);
    p->name = name;
    p->module = module;
    hash_add_or_exit(&l->packages, &by_name, NULL, name->hash, (uintptr_t)p);
    return p;
}

static ModuleEntry *unnamed_of(Loader *l) {
    if (!l->unnamed) l->unnamed = new_entry(l, NULL);
    return l->unnamed;
}

PackageEntry *module_find_package(Loader *l, const Symbol *name) {
    pthread_mutex_lock(&modules.lock);
    PackageEntry *p = find_package_locked(l, name);
    pthread_mutex_unlock(&modules.lock);
    return p;
}

PackageEntry *module_package(Loader *l, Symbol *name) {
    pthread_mutex_lock(&modules.lock);
    PackageEntry *p = find_package_locked(l, name);
    if (!p) {
        bool early = l == vm.boot_loader && !module_system_ready();
        p = new_package_locked(l, name, early ? modules.java_base : unnamed_of(l));
    }
    pthread_mutex_unlock(&modules.lock);
    return p;
}

// ---- module objects --------------------------------------------------------------------------

// The unnamed module of a loader is found through the loader's field on first use.
Object *module_object(const ModuleEntry *m) {
    if (!m) return NULL;
    Object *o = __atomic_load_n(m->module, __ATOMIC_ACQUIRE);
    if (o || m->name || !m->loader->java_loader) return o;
    o = get_ref(m->loader->java_loader, WK_OFF(java_lang_ClassLoader, unnamedModule));
    if (o) __atomic_store_n(m->module, o, __ATOMIC_RELEASE);
    return o;
}

Object *module_object_for(const PackageEntry *package) { return module_object(package->module); }

ModuleEntry *module_of(Thread *self, Object *module) {
    int64_t known = get_long(module, WK_OFF(java_lang_Module, vmModule));
    if (known) return (ModuleEntry *)(uintptr_t)known;
    // An unnamed module is never defined; it is found through its loader.
    if (get_ref(module, WK_OFF(java_lang_Module, name))) return NULL;
    Object *java_loader = get_ref(module, WK_OFF(java_lang_Module, loader));
    if (!java_loader) return NULL;
    Loader *l = loader_of(self, java_loader);
    pthread_mutex_lock(&modules.lock);
    ModuleEntry *m = unnamed_of(l);
    pthread_mutex_unlock(&modules.lock);
    if (get_ref(java_loader, WK_OFF(java_lang_ClassLoader, unnamedModule)) != module) return NULL;
    set_long(module, WK_OFF(java_lang_Module, vmModule), (int64_t)(uintptr_t)m);
    return m;
}

static void bind_object(ModuleEntry *m, Object *module) {
    __atomic_store_n(m->module, module, __ATOMIC_RELEASE);
    set_long(module, WK_OFF(java_lang_Module, vmModule), (int64_t)(uintptr_t)m);
}

// ---- definition ------------------------------------------------------------------------------

#define illegal(self, ...) (throw_wk((self), IAE, __VA_ARGS__), false)

typedef struct Definition {
    Object *module;
    Loader *loader;
    Symbol *name, *version, *location;
    Symbol **packages;
    int32_t package_count;
    bool open;
} Definition;

static void dotted(const Symbol *s, char *buf, size_t cap) {
    size_t n = s->length < cap ? s->length : cap - 1;
    for (size_t i = 0; i < n; i++) buf[i] = s->text[i] == '/' ? '.' : s->text[i];
    buf[n] = 0;
}

static bool check_module_object(Thread *self, Object *module) {
    if (!module) {
        throw_wk(self, "java/lang/NullPointerException", "Null module object");
        return false;
    }
    if (!object_is_instance(module, WK(java_lang_Module)))
        return illegal(self, "module is not an instance of type java.lang.Module");
    return true;
}

static bool read_packages(Thread *self, Definition *d, Object *packages) {
    int32_t n = packages ? packages->length : 0;
    d->packages = arena_malloc((size_t)n * sizeof(Symbol *));
    for (int32_t i = 0; i < n; i++) {
        Object *s = ARRAY_DATA(packages, Object *)[i];
        if (!s || object_class(s) != WK(java_lang_String)) return illegal(self, "Bad package name");
        Symbol *p = string_to_symbol(s, true);
        if (!p || p->length == 0 || memchr(p->text, ';', p->length) || p->text[0] == '[')
            return illegal(self, "Invalid package name: %s", p ? p->text : "");
        if (!d->loader->trusted && (symbol_has_prefix(p, "java/") || symbol_is(p, "java"))) {
            char text[256];
            dotted(p, text, sizeof text);
            return illegal(self,
                           "Class loader (instance of): %s tried to define prohibited package "
                           "name: %s",
                           class_external_name(object_class(d->loader->java_loader)), text);
        }
        d->packages[d->package_count++] = p;
    }
    return true;
}

static bool read_definition(Thread *self, Definition *d, Object *version, Object *location, Object *packages) {
    Object *name = get_ref(d->module, WK_OFF(java_lang_Module, name));
    if (!name) return illegal(self, "Module name cannot be null");
    d->name = string_to_symbol(name, false);
    Object *java_loader = get_ref(d->module, WK_OFF(java_lang_Module, loader));
    if (java_loader && symbol_is(object_class(java_loader)->name, "jdk/internal/reflect/DelegatingClassLoader"))
        return illegal(self, "Class loader is an invalid delegating class loader");
    if (d->name == SYMS(java_base) && java_loader) return illegal(self, "Class loader must be the boot class loader");
    d->loader = loader_of(self, java_loader);
    if (!d->loader) return false;
    d->version = version ? string_to_symbol(version, false) : NULL;
    d->location = location ? string_to_symbol(location, false) : NULL;
    return read_packages(self, d, packages);
}

static ModuleEntry *find_module_locked(Loader *l, const Symbol *name) {
    ModuleEntry *m = l->modules;
    while (m && m->name != name) m = m->next_in_loader;
    return m;
}

// Under the lock: NULL if the definition is valid, else the text of the IllegalStateException.
static char *find_conflict_locked(const Definition *d) {
    char *text = NULL, package[256];
    ModuleEntry *there = find_module_locked(d->loader, d->name);
    if (there && !(there == modules.java_base && !module_system_ready())) {
        if (asprintf(&text, "Module %s is already defined", d->name->text) < 0) return NULL;
        return text;
    }
    for (int32_t i = 0; i < d->package_count; i++) {
        PackageEntry *p = find_package_locked(d->loader, d->packages[i]);
        if (!p || p->module == there) continue;
        dotted(d->packages[i], package, sizeof package);
        int n = p->module->name ? asprintf(&text,
                                           "Package %s for module %s is already in another module, %s, "
                                           "defined to the class loader",
                                           package, d->name->text, p->module->name->text)
                                : asprintf(&text,
                                           "Package %s for module %s is already in the unnamed module defined "
                                           "to the class loader",
                                           package, d->name->text);
        return n < 0 ? NULL : text;
    }
    return NULL;
}

static ModuleEntry *define_locked(const Definition *d) {
    ModuleEntry *m = find_module_locked(d->loader, d->name);
    if (!m) {
        m = new_entry(d->loader, d->name);
        m->next_in_loader = d->loader->modules;
        d->loader->modules = m;
    }
    m->version = d->version;
    m->location = d->location;
    m->open = d->open;
    for (int32_t i = 0; i < d->package_count; i++)
        if (!find_package_locked(d->loader, d->packages[i])) new_package_locked(d->loader, d->packages[i], m);
    return m;
}

// Everything loaded before java.base was defined belongs to it, including arrays and primitive types.
static void give_module(void *module, Class *cls) {
    if (!cls->mirror || get_ref(cls->mirror, WK_OFF(java_lang_Class, module))) return;
    if (cls->module == modules.java_base) set_ref(cls->mirror, WK_OFF(java_lang_Class, module), module);
}

bool module_define(Thread *self, Object *module, bool is_open, Object *version, Object *location, Object *packages) {
    Definition d = {.module = module, .open = is_open};
    bool ok = check_module_object(self, module) && read_definition(self, &d, version, location, packages) &&
        (!d.loader->space.collectable || metaspace_keep(self, &d.loader->space, module));
    if (ok) {
        pthread_mutex_lock(&modules.lock);
        char *conflict = find_conflict_locked(&d);
        if (!conflict) {
            ModuleEntry *m = define_locked(&d);
            bind_object(m, module);
            if (m == modules.java_base) atomic_store_explicit(&modules.ready, true, memory_order_release);
        }
        pthread_mutex_unlock(&modules.lock);
        if (conflict) {
            throw_wk(self, "java/lang/IllegalStateException", "%s", conflict);
            free(conflict);
            ok = false;
        } else if (d.name == SYMS(java_base)) {
            loader_each_class(give_module, module);
        }
    }
    free(d.packages);
    return ok;
}

static void give_boot_unnamed(void *module, Class *cls) {
    if (cls->mirror && cls->module && !cls->module->name && !cls->loader->java_loader)
        set_ref(cls->mirror, WK_OFF(java_lang_Class, module), module);
}

bool module_set_boot_unnamed(Thread *self, Object *module) {
    if (!check_module_object(self, module)) return false;
    if (get_ref(module, WK_OFF(java_lang_Module, name)))
        return illegal(self, "boot loader's unnamed module's java.lang.Module has a name");
    if (get_ref(module, WK_OFF(java_lang_Module, loader)))
        return illegal(self, "Class loader must be the boot class loader");
    pthread_mutex_lock(&modules.lock);
    ModuleEntry *m = unnamed_of(vm.boot_loader);
    bind_object(m, module);
    pthread_mutex_unlock(&modules.lock);
    loader_each_class(give_boot_unnamed, module);
    return true;
}

// ---- reads and exports -----------------------------------------------------------------------

static bool add_unique(ModuleEntry ***list, uint32_t *count, uint32_t *capacity, ModuleEntry *m) {
    for (uint32_t i = 0; i < *count; i++)
        if ((*list)[i] == m) return false;
    GROW_OR_EXIT(*list, *capacity, *count + 1);
    (*list)[(*count)++] = m;
    return true;
}

static ModuleEntry *entry_or_throw(Thread *self, Object *module, const char *null_text, const char *bad_text) {
    if (!module) {
        throw_wk(self, "java/lang/NullPointerException", "%s", null_text);
        return NULL;
    }
    ModuleEntry *m = module_of(self, module);
    if (!m) throw_wk(self, IAE, "%s", bad_text);
    return m;
}

bool module_add_reads(Thread *self, Object *from, Object *to) {
    ModuleEntry *f = entry_or_throw(self, from, "from_module is null", "from_module is not valid");
    if (!f) return false;
    ModuleEntry *t = NULL;
    if (to && !(t = entry_or_throw(self, to, "", "to_module is not valid"))) return false;
    if (f == t || !f->name) return true;
    pthread_mutex_lock(&modules.lock);
    if (!t) f->reads_all_unnamed = true;
    else add_unique(&f->reads, &f->read_count, &f->read_capacity, t);
    pthread_mutex_unlock(&modules.lock);
    return true;
}

// The package of a module by its dotted name; NULL with the exception pending.
static PackageEntry *package_of(Thread *self, ModuleEntry *m, Object *package) {
    if (!package) {
        throw_wk(self, "java/lang/NullPointerException", "package is null");
        return NULL;
    }
    Symbol *name = string_to_symbol(package, true);
    PackageEntry *p = name ? module_find_package(m->loader, name) : NULL;
    char *text = string_to_utf8(package);
    if (!p)
        throw_wk(self, IAE, "Package %s not found in from_module %s", text, m->name ? m->name->text : "unnamed module");
    else if (p->module != m)
        throw_wk(self, IAE, "Package: %s found in module %s, not in from_module: %s", text,
                 p->module->name ? p->module->name->text : "unnamed module",
                 m->name ? m->name->text : "unnamed module");
    free(text);
    return self->exception ? NULL : p;
}

bool module_add_exports(Thread *self, Object *from, Object *package, Object *to, ExportTo how) {
    ModuleEntry *f = entry_or_throw(self, from, "from_module is null", "from_module is not valid");
    if (!f) return false;
    ModuleEntry *t = NULL;
    if (how == EXPORT_MODULE && !(t = entry_or_throw(self, to, "to_module is null", "to_module is not valid")))
        return false;
    if (!f->name || f->open) return true;  // exports everything already
    PackageEntry *p = package_of(self, f, package);
    if (!p) return false;
    pthread_mutex_lock(&modules.lock);
    if (how == EXPORT_ALL) p->exported = true;
    else if (how == EXPORT_UNNAMED) p->exported_all_unnamed = true;
    else if (t != f) add_unique(&p->exports, &p->export_count, &p->export_capacity, t);
    pthread_mutex_unlock(&modules.lock);
    return true;
}

static bool listed(ModuleEntry *const *list, uint32_t count, const ModuleEntry *m) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == m) return true;
    return false;
}

bool module_can_read(const ModuleEntry *from, const ModuleEntry *to) {
    if (from == to || !from->name || to == modules.java_base) return true;
    pthread_mutex_lock(&modules.lock);
    bool yes = (!to->name && from->reads_all_unnamed) || listed(from->reads, from->read_count, to);
    pthread_mutex_unlock(&modules.lock);
    return yes;
}

bool module_exports_to(const PackageEntry *p, const ModuleEntry *to) {
    if (p->module == to || !p->module->name || p->module->open || p->exported) return true;
    pthread_mutex_lock(&modules.lock);
    bool yes = (!to->name && p->exported_all_unnamed) || listed(p->exports, p->export_count, to);
    pthread_mutex_unlock(&modules.lock);
    return yes;
}

// ---- unloading -------------------------------------------------------------------------------

static uint32_t drop_dead(ModuleEntry **list, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!list[i]->loader->space.dead) list[kept++] = list[i];
    return kept;
}

static void forget_dead_in(void *arg, Metaspace *space) {
    (void)arg;
    Loader *l = space->loader;
    if (space != &l->space) return;
    for (ModuleEntry *m = l->modules; m; m = m->next_in_loader) m->read_count = drop_dead(m->reads, m->read_count);
    uint32_t at = 0;
    for (uintptr_t item; (item = hash_next(&l->packages, &at)) != 0;) {
        PackageEntry *p = (PackageEntry *)item;
        p->export_count = drop_dead(p->exports, p->export_count);
    }
}

void module_forget_dead(void) { metaspace_each(forget_dead_in, NULL); }

void module_free_all(Loader *l) {
    uint32_t at = 0;
    for (uintptr_t item; (item = hash_next(&l->packages, &at)) != 0;) free(((PackageEntry *)item)->exports);
    for (ModuleEntry *m = l->modules; m; m = m->next_in_loader) free(m->reads);
    hash_free(&l->packages);
}

// ---- system packages -------------------------------------------------------------------------

// NULL for no package, or one in which the VM has found no classes: dynamic modules of proxies have no location.
static const char *system_location(PackageEntry *p) {
    if (!p || !atomic_load(&p->has_classes)) return NULL;
    return p->module->location ? p->module->location->text : p->appended_from;
}

const char *module_system_package(const Symbol *name) {
    return system_location(module_find_package(vm.boot_loader, name));
}

void module_each_system_package(void (*fn)(void *arg, const PackageEntry *p), void *arg) {
    uint32_t at = 0;
    pthread_mutex_lock(&modules.lock);
    for (uintptr_t item; (item = hash_next(&vm.boot_loader->packages, &at)) != 0;) {
        PackageEntry *p = (PackageEntry *)item;
        if (system_location(p)) fn(arg, p);
    }
    pthread_mutex_unlock(&modules.lock);
}
