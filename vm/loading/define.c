// Class creation from bytes (JVMS 5.3.5): parse, load supertypes, check them, build the Class, give it a mirror,
// publish it. An abandoned class is never visible to other threads; its memory stays in the metaspace's arena.
//
// Threads: any mutator; Java code runs while supertypes are loaded. The list of definitions in progress (for
// ClassCircularityError) has a lock that is held briefly.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/classfile.h"
#include "bytecode/classfile/descriptor.h"
#include "vm/loading/classaccess.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/sigpoly.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/objects/fieldorder.h"
#include "vm/objects/layout.h"
#include "vm/loading/loader_internal.h"
#include "vm/loading/metaspace.h"
#include "vm/base/log.h"
#include "vm/loading/mirror.h"
#include "vm/loading/module.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

// ---- definitions in progress -----------------------------------------------------------------

typedef struct InProgress {
    struct InProgress *next;
    const Thread *thread;
    const Loader *loader;
    const Symbol *name;
} InProgress;

static struct Definitions {
    InProgress *in_progress;
    pthread_mutex_t lock;
    _Atomic uint64_t hidden_count;  // number of hidden names assigned
} definitions = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool define_in_progress(const Thread *self, const Loader *loader, const Symbol *name) {
    pthread_mutex_lock(&definitions.lock);
    InProgress *p = definitions.in_progress;
    while (p && !(p->thread == self && p->loader == loader && p->name == name)) p = p->next;
    pthread_mutex_unlock(&definitions.lock);
    return p;
}

// ---- supertypes ------------------------------------------------------------------------------

#define ICCE "java/lang/IncompatibleClassChangeError"

static Class *load_super(Thread *self, Class *cls, int cp_index) {
    Symbol *name = cp_class_name(cls, cp_index);
    if (define_in_progress(self, cls->loader, name)) {
        throw_wk(self, "java/lang/ClassCircularityError", "%s", name->text);
        return NULL;
    }
    return loader_load(self, cls->loader, name);
}

static bool throw_super_access(Thread *self, Class *cls, Class *super) {
    char *text = class_access_text(self, cls, super);
    const char *kind = class_is_interface(super) ? "superinterface" : "superclass";
    if (text) {
        throw_wk(self, "java/lang/IllegalAccessError",
                 class_is_interface(super) ? "superinterface check failed: %s" : "superclass access check failed: %s",
                 text);
    } else {
        char *where = class_pair_description(cls, super);
        bool abstract = !class_is_interface(super) && (super->access & ACC_ABSTRACT);
        throw_wk(self, "java/lang/IllegalAccessError", "class %s cannot access its %s%s %s (%s)",
                 class_external_name(cls), abstract ? "abstract " : "", kind, class_external_name(super), where);
        free(where);
    }
    free(text);
    return false;
}

// JVMS 5.3.5: a sealed class names its direct subclasses, which must share its module.
static bool permits(const Class *super, const Class *cls) {
    if (super->module != cls->module) return false;
    if (!(cls->access & ACC_PUBLIC) && !class_same_package(super, cls)) return false;
    const ClassFile *cf = super->file;
    for (uint32_t i = 0; i < cf->permitted_count; i++) {
        ClassFileUtf8 n = classfile_name_of(cf, cf->permitted[i]);
        if (n.len == cls->name->length && memcmp(n.ptr, cls->name->text, n.len) == 0) return true;
    }
    return false;
}

static bool check_sealed(Thread *self, Class *cls, Class *super) {
    if (!super->file->has_permitted || permits(super, cls)) return true;
    if (class_is_interface(super))
        throw_wk(self, ICCE, "class %s cannot %s sealed interface %s", class_external_name(cls),
                 class_is_interface(cls) ? "extend" : "implement", class_external_name(super));
    else
        throw_wk(self, ICCE, "class %s cannot inherit from sealed class %s", class_external_name(cls),
                 class_external_name(super));
    return false;
}

static bool check_superclass(Thread *self, Class *cls, Class *super) {
    if (class_is_interface(super)) {
        throw_wk(self, ICCE, "class %s has interface %s as super class", class_external_name(cls),
                 class_external_name(super));
        return false;
    }
    if (super->access & ACC_FINAL) {
        throw_wk(self, ICCE, "class %s cannot inherit from final class %s", class_external_name(cls),
                 class_external_name(super));
        return false;
    }
    if (!check_sealed(self, cls, super)) return false;
    if (!class_can_access(cls, super) && !(super->cflags & CF_REFLECTION_ACCESSOR))
        return throw_super_access(self, cls, super);
    return true;
}

static bool load_interfaces(Thread *self, Class *cls) {
    const ClassFile *cf = cls->file;
    cls->interfaces = arena_alloc(&cls->space->arena, cf->interface_count * sizeof(Class *));
    for (uint32_t i = 0; i < cf->interface_count; i++) {
        Class *iface = load_super(self, cls, cf->interfaces[i]);
        if (!iface) return false;
        if (!class_is_interface(iface)) {
            char *where = class_description(iface, false, false);
            throw_wk(self, ICCE, "class %s can not implement %s, because it is not an interface (%s)",
                     class_external_name(cls), class_external_name(iface), where);
            free(where);
            return false;
        }
        cls->interfaces[cls->interface_count++] = iface;
    }
    if (cls->interface_count == 0 || cls->name != SYMS(java_lang_Object)) return true;
    throw_wk(self, "java/lang/ClassFormatError", "java.lang.Object cannot implement an interface in class file %s",
             cls->name->text);
    return false;
}

// In HotSpot's order, which determines the error of a class with several bad supertypes, and the order in which its
// loader is called for them.
static bool load_supers(Thread *self, Class *cls) {
    if (!load_interfaces(self, cls)) return false;
    if (cls->file->super_class) {
        cls->super = load_super(self, cls, cls->file->super_class);
        if (!cls->super || !check_superclass(self, cls, cls->super)) return false;
    }
    for (uint32_t i = 0; i < cls->interface_count; i++) {
        Class *iface = cls->interfaces[i];
        if (!check_sealed(self, cls, iface)) return false;
        if (!class_can_access(cls, iface)) return throw_super_access(self, cls, iface);
    }
    return true;
}

// ---- class hierarchy -------------------------------------------------------------------------

static void add_interface(Class **list, uint32_t *count, Class *iface) {
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == iface) return;
    list[(*count)++] = iface;
}

static void collect_interfaces(Class *cls) {
    uint32_t most = cls->super ? cls->super->all_interface_count : 0, count = 0;
    for (uint32_t i = 0; i < cls->interface_count; i++) most += 1 + cls->interfaces[i]->all_interface_count;
    if (most == 0) return;
    if (cls->interface_count == 0) {  // nothing new: share the superclass's list
        cls->all_interfaces = cls->super->all_interfaces;
        cls->all_interface_count = most;
        return;
    }
    Class **list = arena_alloc(&cls->space->arena, most * sizeof *list);
    for (uint32_t i = 0; cls->super && i < cls->super->all_interface_count; i++)
        list[count++] = cls->super->all_interfaces[i];
    for (uint32_t i = 0; i < cls->interface_count; i++) {
        Class *iface = cls->interfaces[i];
        add_interface(list, &count, iface);
        for (uint32_t j = 0; j < iface->all_interface_count; j++) add_interface(list, &count, iface->all_interfaces[j]);
    }
    cls->all_interfaces = list;
    cls->all_interface_count = count;
}

static ReferenceKind reference_kind(const Class *cls) {
    if (cls->super && cls->super->ref_kind != REF_NONE) return cls->super->ref_kind;
    if (cls->loader != vm.boot_loader) return REF_NONE;
    if (cls->name == SYMS(java_lang_ref_SoftReference)) return REF_SOFT;
    if (cls->name == SYMS(java_lang_ref_WeakReference)) return REF_WEAK;
    if (cls->name == SYMS(java_lang_ref_FinalReference)) return REF_FINAL;
    if (cls->name == SYMS(java_lang_ref_PhantomReference)) return REF_PHANTOM;
    return REF_NONE;
}

enum {
    INHERITED_FLAGS = CF_REFLECTION_ACCESSOR | CF_LOADER_CLASS | CF_THREAD_CLASS | CF_CLONEABLE,
};

static void set_class_flags(Class *cls) {
    if (cls->super) cls->cflags |= cls->super->cflags & INHERITED_FLAGS;
    if (cls->loader == vm.boot_loader) {
        if (cls->name == SYMS(jdk_internal_reflect_MagicAccessorImpl)) cls->cflags |= CF_REFLECTION_ACCESSOR;
        if (cls->name == SYMS(java_lang_ClassLoader)) cls->cflags |= CF_LOADER_CLASS;
        if (cls->name == SYMS(java_lang_Thread)) cls->cflags |= CF_THREAD_CLASS;
        if (cls->name == SYMS(java_lang_Cloneable)) cls->cflags |= CF_CLONEABLE;
    }
    for (uint32_t i = 0; i < cls->interface_count; i++) cls->cflags |= cls->interfaces[i]->cflags & CF_CLONEABLE;
    if (cls->file->has_record && (cls->access & ACC_FINAL) && cls->super &&
        cls->super->name == SYMS(java_lang_Record) && cls->super->loader == vm.boot_loader)
        cls->cflags |= CF_RECORD;
    cls->ref_kind = reference_kind(cls);
}

// ---- fields ----------------------------------------------------------------------------------

typedef struct Injected {
    const char *cls, *name;
    char type;
} Injected;

static const Injected injected_rows[] = {
#define WK_CLASS(id, name) /* the names are repeated below */
#define WK_INJECT(cls, name, type) {#cls, #name, type},
#include "vm/model/wellknown.def"
};
enum { INJECTED_ROWS = sizeof injected_rows / sizeof injected_rows[0] };

// java_lang_Class in the table is java/lang/Class in the class file.
static bool row_is_for(const Injected *row, const Symbol *name) {
    size_t n = strlen(row->cls);
    if (n != name->length) return false;
    for (size_t i = 0; i < n; i++)
        if (row->cls[i] != name->text[i] && !(row->cls[i] == '_' && name->text[i] == '/')) return false;
    return true;
}

static void inject_fields(Class *cls) {
    Field *f = cls->fields + cls->field_count;
    for (int i = 0; cls->injected_count && i < INJECTED_ROWS; i++) {
        const Injected *row = &injected_rows[i];
        if (!row_is_for(row, cls->name)) continue;
        f->cls = cls;
        f->name = symbol_of(row->name);
        f->desc = row->type == 'L' ? SYMS(object_sig) : symbol_intern(&row->type, 1);
        f->type = row->type;
        f->flags = ACC_PRIVATE | ACC_SYNTHETIC;
        f->slot = (uint16_t)(f - cls->fields);
        f++;
    }
}

static void build_fields(Class *cls) {
    const ClassFile *cf = cls->file;
    cls->field_count = cf->field_count;
    if (cls->loader == vm.boot_loader && symbol_has_prefix(cls->name, "java/lang/"))
        for (int i = 0; i < INJECTED_ROWS; i++) cls->injected_count += row_is_for(&injected_rows[i], cls->name);
    cls->fields = arena_alloc(&cls->space->arena, (cls->field_count + cls->injected_count) * sizeof(Field));
    bool trust = cls->cflags & (CF_HIDDEN | CF_RECORD);
    for (uint32_t i = 0; i < cf->field_count; i++) {
        const ClassFileField *info = &cf->fields[i];
        Field *f = &cls->fields[i];
        f->cls = cls;
        f->name = cp_utf8(cls, info->name_index);
        f->desc = cp_utf8(cls, info->desc_index);
        f->flags = info->access_flags;
        f->slot = (uint16_t)i;
        f->type = f->desc->text[0];
        f->info = info;
        f->trusted_final = (f->flags & ACC_FINAL) && ((f->flags & ACC_STATIC) || trust);
    }
    inject_fields(cls);
}

static void layout_instance(Class *cls) {
    uint32_t total = cls->field_count + cls->injected_count;
    Field **fields = arena_malloc((total + 1) * sizeof *fields);
    size_t count = 0;
    for (uint32_t i = 0; i < total; i++)
        if (!(cls->fields[i].flags & ACC_STATIC)) fields[count++] = &cls->fields[i];
    LayoutEnd root = layout_root();
    if (cls->super && count == 0) {
        cls->layout_end = cls->super->layout_end;
    } else {
        LayoutField *places = arena_malloc((count + 1) * sizeof *places);
        LayoutRule rule;
        size_t wanted = fieldorder_arrange(cls, fields, count, &rule);
        bool reference = cls->loader == vm.boot_loader && cls->name == SYMS(java_lang_ref_Reference);
        for (size_t i = 0; i < count; i++)
            places[i] = (LayoutField){.type = fields[i]->type,
                                      .weak = reference && symbol_is(fields[i]->name, "referent")};
        cls->layout_end = arena_alloc(&cls->space->arena, sizeof(LayoutEnd));
        *cls->layout_end = layout_place(cls->super ? cls->super->layout_end : &root, places, count, wanted, rule);
        for (size_t i = 0; i < count; i++) fields[i]->offset = places[i].offset;
        free(places);
    }
    free(fields);
    cls->instance_size = layout_size(cls->layout_end);
}

// Offsets here are provisional; mirror.c makes them relative to the mirror.
static void layout_statics(Class *cls) {
    size_t bytes = 0;
    for (int shift = 3; shift >= 0; shift--) {
        for (uint32_t i = 0; i < cls->field_count; i++) {
            Field *f = &cls->fields[i];
            if (!(f->flags & ACC_STATIC) || layout_shift(f->type) != (unsigned)shift) continue;
            if (f->type == 'L' || f->type == '[') {
                f->offset = cls->static_ref_count++;
            } else {
                f->offset = (int64_t)bytes;
                bytes += (size_t)1 << shift;
            }
        }
    }
    if (bytes) cls->static_prims = arena_alloc(&cls->space->arena, bytes);
}

// ---- methods ---------------------------------------------------------------------------------

static const struct {
    int annotation;
    uint32_t flag;
} method_annotations[] = {
    {CFA_HIDDEN, MF_HIDDEN},
    {CFA_CALLER_SENSITIVE, MF_CALLER_SENSITIVE},
    {CFA_LAMBDA_FORM_COMPILED, MF_LAMBDAFORM_COMPILED},
    {CFA_FORCE_INLINE, MF_FORCE_INLINE},
};

enum { SIGPOLY_NEEDS = ACC_NATIVE | ACC_VARARGS };

static void build_method(Class *cls, Method *m, const ClassFileMethod *info, bool honour) {
    m->cls = cls;
    m->info = info;
    m->name = cp_utf8(cls, info->name_index);
    m->desc = cp_utf8(cls, info->desc_index);
    m->flags = info->access_flags;
    m->nargs = info->arg_slots;
    m->max_locals = info->code ? info->code->max_locals : info->arg_slots;
    m->max_stack = info->code ? info->code->max_stack : 0;
    m->ret = descriptor_return_char((const uint8_t *)m->desc->text, m->desc->length);
    m->vtable_index = m->itable_index = -1;
    m->slot = (uint16_t)(m - cls->methods);
    uint32_t annotations = honour ? info->annotation_mask : 0;  // of most methods 0
    for (size_t i = 0; annotations && i < sizeof method_annotations / sizeof *method_annotations; i++)
        if (annotations & (uint32_t)method_annotations[i].annotation) m->mflags |= method_annotations[i].flag;
    if (cls->cflags & CF_HIDDEN) m->mflags |= MF_HIDDEN;
    if (m->name == SYMS(object_initializer)) {
        m->mflags |= MF_INIT;
        if (!cls->super) m->mflags |= MF_OBJECT_INIT;
    } else if (m->name == SYMS(class_initializer) && m->desc == SYMS(void_method) &&
               (method_is_static(m) || cls->file->major < 51)) {
        m->mflags |= MF_CLINIT;
        m->flags |= ACC_STATIC;
        cls->clinit = m;
    } else if (cls->loader == vm.boot_loader && (m->flags & SIGPOLY_NEEDS) == SIGPOLY_NEEDS &&
               (cls->name == SYMS(java_lang_invoke_MethodHandle) || cls->name == SYMS(java_lang_invoke_VarHandle)) &&
               symbol_has_prefix(m->desc, "([Ljava/lang/Object;)")) {
        m->mflags |= MF_SIGPOLY;  // signature polymorphic (JVMS 2.9.3)
        m->sigpoly = (uint8_t)sigpoly_id(cls->name, m->name);
    }
}

enum { INDEX_FROM = 5 };  // fewer methods are searched linearly

static void index_methods(Class *cls) {
    if (cls->method_count < INDEX_FROM) return;
    uint32_t size = 8;
    while (size < cls->method_count * 2) size *= 2;
    cls->method_index_mask = size - 1;
    uint16_t *index = arena_alloc(&cls->space->arena, size * sizeof *index);
    for (uint32_t i = 0; i < cls->method_count; i++) {
        const Method *m = &cls->methods[i];
        uint32_t at = (m->name->hash + m->desc->hash * 31) & (size - 1);
        while (index[at]) at = (at + 1) & (size - 1);
        index[at] = (uint16_t)(i + 1);
    }
    cls->method_index = index;
}

static void build_methods(Class *cls, bool honour) {
    const ClassFile *cf = cls->file;
    cls->method_count = cf->method_count;
    cls->methods = arena_alloc(&cls->space->arena, cf->method_count * sizeof(Method));
    int32_t itable_index = 0;
    for (uint32_t i = 0; i < cf->method_count; i++) {
        Method *m = &cls->methods[i];
        build_method(cls, m, &cf->methods[i], honour);
        if (!class_is_interface(cls) || (m->flags & ACC_STATIC)) continue;
        m->itable_index = itable_index++;
        if (!method_is_abstract(m)) cls->cflags |= CF_HAS_DEFAULTS;
    }
    index_methods(cls);
    const Method *finalize = class_is_interface(cls)
        ? NULL
        : class_find_declared_method(cls, SYMS(finalize), SYMS(void_method));
    if (finalize && !method_is_static(finalize)) {
        const ClassFileCode *code = finalize->info->code;
        bool is_empty = code && code->code_len == 1;  // only a return
        cls->finalize = is_empty ? NULL : (Method *)finalize;
    } else if (cls->super) {
        cls->finalize = cls->super->finalize;
    }
    if (cls->finalize) cls->cflags |= CF_FINALIZER;
}

// ---- definition ------------------------------------------------------------------------------

static ClassFile *parse(Thread *self, Loader *l, const uint8_t *bytes, size_t len, const DefineOptions *o) {
    ClassFileOptions po = {.trusted = o->trusted || l == vm.boot_loader, .enable_preview = vm.options.enable_preview};
    if (o->expected_name && !(o->flags & DEFINE_HIDDEN))
        po.expected_name = (ClassFileUtf8){(const uint8_t *)o->expected_name->text, o->expected_name->length};
    ClassFileError *err = arena_malloc(sizeof *err);
    ClassFile *cf = classfile_parse(bytes, len, &po, err);
    if (!cf) {
        if (!mirror_ready()) {  // too early for exceptions
            fprintf(stderr, "cabernet: the class library cannot be read: %s\n", err->msg);
            exit(1);
        }
        if (err->kind == CLASSFILE_NO_MEMORY) throw_oom(self, "class file");
        else throw_wk(self, classfile_error_class(err->kind), "%s", err->msg);
    }
    free(err);
    return cf;
}

static bool check_package_name(Thread *self, Loader *l, const Symbol *name) {
    if (l->trusted || !symbol_has_prefix(name, "java/")) return true;
    const Symbol *package = symbol_package(name);
    char *dotted = strdup(package->text);
    for (char *p = dotted; p && *p; p++)
        if (*p == '/') *p = '.';
    throw_wk(self, "java/lang/SecurityException",
             "Class loader (instance of): %s tried to load prohibited package name: %s", loader_name_and_id(l),
             dotted ? dotted : package->text);
    free(dotted);
    return false;
}

// A unique name: the requested one, '+', and a number; Class.getName shows '/' for the '+'.
static Symbol *hidden_name(Metaspace *space, const Symbol *base) {
    uint64_t n = atomic_fetch_add(&definitions.hidden_count, 1) + 1;
    size_t size = base->length + 24u;
    char *text = arena_malloc(size);
    int len = snprintf(text, size, "%s+0x%016llx", base->text, (unsigned long long)(0x800000000u + n * 0x400));
    Symbol *sym = symbol_new_private(&space->arena, text, (size_t)len);
    free(text);
    return sym;
}

static Class *new_class(Metaspace *space, ClassFile *cf, const DefineOptions *o) {
    Loader *l = space->loader;
    Class *cls = arena_alloc(&space->arena, sizeof *cls);
    cls->loader = l;
    cls->space = space;
    cls->file = cf;
    cls->cp_count = cf->cp_count;
    cls->cp = arena_alloc(&space->arena, cf->cp_count * sizeof(CPSlot));
    cls->cp_tags = arena_alloc(&space->arena, cf->cp_count);
    // Programs see the order in which getDeclaredMethods lists methods. HotSpot's is the creation order of the names'
    // symbols, which it creates for the whole constant pool at once, in order. For the class library that order cannot
    // be reproduced anyway, and its pools are large.
    for (int i = 1; !l->trusted && i < cls->cp_count; i++)
        if (cp_tag(cls, i) == CP_UTF8) cp_utf8(cls, i);
    cls->name = symbol_from_utf8(classfile_this_name(cf));
    cls->access = cf->access_flags;
    class_give_id(cls);
    if (l->trusted) cls->cflags |= CF_TRUSTED;
    if (o->flags & DEFINE_HIDDEN) {
        cls->cflags |= CF_HIDDEN | (o->flags & DEFINE_STRONG ? CF_STRONG_HIDDEN : 0);
        cls->name = hidden_name(space, o->expected_name ? o->expected_name : cls->name);
        cls->host = o->host;
        if (o->flags & DEFINE_NESTMATE) cls->cflags |= CF_HIDDEN_NESTMATE;
    }
    size_t source = o->source ? strlen(o->source) : 0;
    if (source && source <= UINT16_MAX) cls->source = symbol_intern(o->source, source)->text;
    if (o->place) cls->place = arena_strndup(&space->arena, o->place, strlen(o->place));
    if (cf->source_file_index) cls->source_file = cp_utf8(cls, cf->source_file_index);
    return cls;
}

static void set_package(Class *cls, const DefineOptions *o) {
    if (cls->host) {  // a hidden class is in the package of its lookup class
        cls->package = cls->host->package;
        cls->module = cls->host->module;
        return;
    }
    cls->package = module_package(cls->loader, symbol_package(cls->name));
    cls->module = cls->package->module;
    if (cls->loader == vm.boot_loader && cls->module && !cls->module->name) cls->package->appended_from = o->source;
    atomic_store_explicit(&cls->package->has_classes, true, memory_order_relaxed);
}

static void build(Class *cls, const DefineOptions *o) {
    set_class_flags(cls);
    collect_interfaces(cls);
    if (cls->super) {
        memcpy(cls->display, cls->super->display, sizeof cls->display);
        cls->depth = cls->super->depth + 1;
    }
    if (cls->depth < CLASS_DISPLAY) cls->display[cls->depth] = cls;
    for (uint32_t i = 0; i < cls->all_interface_count; i++)
        cls->interface_bits |= class_interface_bit(cls->all_interfaces[i]);
    build_fields(cls);
    layout_instance(cls);
    layout_statics(cls);
    build_methods(cls, cls->loader->trusted || (o->flags & DEFINE_VM_ANNOTATIONS));
    cls->verified = (cls->cflags & CF_REFLECTION_ACCESSOR) ||
        (!vm.options.verify_all && (cls->loader == vm.boot_loader || o->trusted));
}

static bool throw_duplicate(Thread *self, Class *cls, const Class *there) {
    char *where = class_description(there, false, true);
    throw_wk(self, "java/lang/LinkageError", "loader %s attempted duplicate %s definition for %s. (%s)",
             loader_name_and_id(cls->loader), class_is_interface(cls) ? "interface" : "class", class_external_name(cls),
             where);
    free(where);
    return false;
}

// For the boot loader a class that another thread published first is used; for other loaders a second one is an error.
static Class *publish(Thread *self, Class *cls) {
    Class *there = cls;
    if (cls->cflags & CF_HIDDEN) {
        loader_add_class(cls);
    } else {
        if (!loader_check_constraints(self, cls->loader, cls)) return NULL;
        there = loader_publish(cls->loader, cls);
        loader_settle_constraint(cls->loader, there);
        if (there != cls) {
            if (cls->loader == vm.boot_loader) return there;
            throw_duplicate(self, cls, there);
            return NULL;
        }
    }
    if (cls->super) {
        Class *head = __atomic_load_n(&cls->super->subclasses, __ATOMIC_RELAXED);
        do cls->next_sibling = head;
        while (!__atomic_compare_exchange_n(&cls->super->subclasses, &head, cls, true, __ATOMIC_RELEASE,
                                            __ATOMIC_RELAXED));
    }
    if (log_is(LOG_CLASS_LOAD, LOG_INFO))
        log_write(LOG_CLASS_LOAD, LOG_INFO, "%s source: %s", class_external_name(cls),
                  cls->source     ? cls->source
                      : cls->host ? class_external_name(cls->host)
                                  : "__JVM_DefineClass__");
    return cls;
}

// Loads the supertypes. Meanwhile the definition is listed, so that a class that is its own supertype is noticed.
static bool load_supers_listed(Thread *self, Class *cls) {
    InProgress p = {.thread = self, .loader = cls->loader, .name = cls->name};
    pthread_mutex_lock(&definitions.lock);
    p.next = definitions.in_progress;
    definitions.in_progress = &p;
    pthread_mutex_unlock(&definitions.lock);
    bool ok = load_supers(self, cls) && check_package_name(self, cls->loader, cls->name);
    pthread_mutex_lock(&definitions.lock);
    InProgress **at = &definitions.in_progress;
    while (*at != &p) at = &(*at)->next;
    *at = p.next;
    pthread_mutex_unlock(&definitions.lock);
    return ok;
}

// The second half of a definition: builds the class, gives it a mirror, and adds it to ClassLoader.classes.
static bool complete(Thread *self, Class *cls, const DefineOptions *o) {
    // Its own this_class entry resolves to the class, whatever name the entry has.
    int i = cls->file->this_class;
    cls->cp[i].cls = cls;
    __atomic_store_n(&cls->cp_tags[i], CP_RESOLVED, __ATOMIC_RELEASE);
    build(cls, o);
    if (!mirror_make(self, cls, o->protection_domain, o->class_data)) return false;
    if (cls->host && !metaspace_need(self, cls->space, cls->host)) return false;
    if (!cls->loader->java_loader || (cls->cflags & CF_HIDDEN && !(cls->cflags & CF_STRONG_HIDDEN))) return true;
    Slot args[2] = {{.o = cls->loader->java_loader}, {.o = cls->mirror}}, result;
    return invoke_virtual(self, WK_M(ClassLoader_addClass), args, &result, ENTRY_VM);
}

static Class *define_in(Thread *self, Metaspace *space, const uint8_t *bytes, size_t len, const DefineOptions *o) {
    Loader *l = space->loader;
    ClassFile *cf = parse(self, l, bytes, len, o);
    if (!cf) return NULL;
    Class *cls = new_class(space, cf, o);
    Class *there = cls->cflags & CF_HIDDEN ? NULL : loader_find_loaded(l, cls->name);
    bool ok = !there || l == vm.boot_loader || throw_duplicate(self, cls, there);
    if (ok) {
        set_package(cls, o);
        ok = load_supers_listed(self, cls);
    }
    if (!ok) classfile_free(cf);
    Class *published = ok && complete(self, cls, o) ? publish(self, cls) : NULL;
    // A class that was not defined is in no list of its loader, so the loader's death would not release its id.
    if (!published) class_take_id(cls);
    return published;
}

Class *define_from_owned(Thread *self, Loader *l, const uint8_t *bytes, size_t len, const DefineOptions *o) {
    return define_in(self, &l->space, bytes, len, o);
}

Class *loader_define(Thread *self, Loader *l, const uint8_t *bytes, size_t len, const DefineOptions *options) {
    static const DefineOptions none;
    const DefineOptions *o = options ? options : &none;
    bool alone = o->flags & DEFINE_HIDDEN && !(o->flags & DEFINE_STRONG);
    Metaspace *space = alone ? metaspace_new_hidden(l) : &l->space;
    uint8_t *copy = arena_alloc(&space->arena, len);
    if (len) memcpy(copy, bytes, len);
    Class *cls = define_in(self, space, copy, len, o);
    if (alone && !space->holder) space->abandoned = true;
    // After the definition: `bytes` may belong to an array that nothing else keeps alive.
    if (cls && space->collectable) metaspace_collect_if_due(self);
    return cls;
}
