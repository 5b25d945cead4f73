// Linking: see vm/linking/link.h.
//
// A vtable holds only methods that classes declare. Interface methods, default or abstract, are reached through the
// interface table, whose entries are computed at the first lookup: selection (JVMS 5.4.6) is a pure function of the
// class hierarchy, which is fixed once a class is loaded. HotSpot's miranda and overpass vtable slots have no
// counterpart; invokevirtual of a method inherited from an interface dispatches like invokeinterface.
//
// One thread links a class, others wait on `linking.linking` (a VM lock, so a waiting thread is at a safepoint). The
// lock is not held during the work; `link_thread` marks the work in progress.
#include "vm/linking/link.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/text.h"
#include "bytecode/classfile/descriptor.h"
#include "gc/heap.h"
#include "vm/linking/hooks.h"
#include "vm/loading/classaccess.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/linking/interfacecall.h"
#include "vm/objects/layout.h"
#include "vm/linking/link_internal.h"
#include "vm/loading/loader.h"
#include "vm/loading/metaspace.h"
#include "vm/threads/lock.h"
#include "vm/linking/resolve.h"
#include "vm/objects/symbol.h"
#include "vm/linking/verifier.h"
#include "vm/model/vm.h"

#define ICCE "java/lang/IncompatibleClassChangeError"

Linking linking = {.publish = PTHREAD_MUTEX_INITIALIZER, .slots = PTHREAD_MUTEX_INITIALIZER};

// ---- messages --------------------------------------------------------------------------------

static void put_type(Text *t, const DescriptorType *type) {
    const char *prim = type->element == 'V' ? "void" : NULL;
    if (type->element != 'L' && !prim) prim = class_primitive(type->element)->name->text;
    if (prim) {
        text_put(t, prim, strlen(prim));
    } else {
        size_t at = t->length;
        text_put(t, (const char *)type->name, type->name_len);
        for (; at < t->length; at++)
            if (t->at[at] == '/') t->at[at] = '.';
    }
    for (int i = 0; i < type->dims; i++) text_put(t, "[]", 2);
}

// cls NULL: omits the class.
static char *signature_text(const char *cls, const Symbol *name, const Symbol *desc) {
    Text t = {0};
    DescriptorIter it;
    DescriptorType type;
    const uint8_t *d = (const uint8_t *)desc->text;
    descriptor_begin(&it, d, desc->length);
    while (descriptor_next(&it, &type)) {}
    if (descriptor_return(&it, &type)) put_type(&t, &type);
    text_put(&t, " ", 1);
    if (cls) {
        text_put(&t, cls, strlen(cls));
        text_put(&t, ".", 1);
    }
    text_put(&t, name->text, name->length);
    text_put(&t, "(", 1);
    bool first = true;
    for (descriptor_begin(&it, d, desc->length); descriptor_next(&it, &type); first = false) {
        if (!first) text_put(&t, ", ", 2);
        put_type(&t, &type);
    }
    text_put(&t, ")", 1);
    return t.at;
}

char *method_external_name(const Method *m) { return signature_text(class_external_name(m->cls), m->name, m->desc); }

char *method_external_signature(Symbol *class_name, Symbol *name, Symbol *desc) {
    if (!class_name) return signature_text(NULL, name, desc);
    char *dotted = arena_malloc(class_name->length + 1u);
    for (int i = 0; i < class_name->length; i++) dotted[i] = class_name->text[i] == '/' ? '.' : class_name->text[i];
    char *text = signature_text(dotted, name, desc);
    free(dotted);
    return text;
}

void method_throw_unlinked(Thread *self, const Method *selected, const Class *receiver, const Method *resolved) {
    if (selected && selected->mflags & MF_OVERPASS) {
        throw_wk(self, selected->conflict_class, "%s", selected->conflict);
        return;
    }
    const Method *m = resolved ? resolved : selected;
    char *text = signature_text(NULL, m->name, m->desc);
    const char *abstract = method_is_abstract(m) ? "abstract " : "";
    const char *kind = class_is_interface(m->cls) ? "interface " : "abstract class ";
    char tail[1024] = "";
    if (selected && selected != m) {
        char *other = method_external_name(selected);
        snprintf(tail, sizeof tail, " Selected method is '%s%s'.", method_is_abstract(selected) ? "abstract " : "",
                 other);
        free(other);
    }
    if (receiver)
        throw_wk(self, "java/lang/AbstractMethodError",
                 "Receiver class %s does not define or inherit an implementation of the resolved "
                 "method '%s%s' of %s%s.%s",
                 class_external_name(receiver), abstract, text, kind, class_external_name(m->cls), tail);
    else
        throw_wk(self, "java/lang/AbstractMethodError", "Missing implementation of resolved method '%s%s' of %s%s.%s",
                 abstract, text, kind, class_external_name(m->cls), tail);
    free(text);
}

// ---- vtables ---------------------------------------------------------------------------------

static bool is_virtual(const Method *m) {
    return !(m->flags & (ACC_STATIC | ACC_PRIVATE)) && !(m->mflags & (MF_INIT | MF_CLINIT));
}

// JVMS 5.4.5 for one step: may a method of `cls` override `m`?
static bool overridable(const Method *m, const Class *cls) {
    if (m->flags & (ACC_PUBLIC | ACC_PROTECTED)) return true;
    return !(m->flags & ACC_PRIVATE) && class_same_package(m->cls, cls);
}

static bool same_loader_constraints(Thread *self, const Method *a, const Method *b);

static bool check_override(Thread *self, Method *m, const Method *super) {
    if (super->flags & ACC_FINAL) {
        throw_wk(self, ICCE, "class %s overrides final method %s.%s%s", class_external_name(m->cls),
                 class_external_name(super->cls), super->name->text, super->desc->text);
        return false;
    }
    return same_loader_constraints(self, m, super);
}

// The slots of `table` that `m` overrides become its own.
static bool override(Thread *self, Class *cls, Method *m, Method **table) {
    if (cls->super->cflags & CF_SPLIT_SLOTS) {
        // A superclass has several slots for one name and descriptor (package-private methods of different packages):
        // checks the present method of each slot.
        for (uint32_t i = 0; i < cls->super->vtable_length; i++) {
            Method *there = table[i];
            if (there->name != m->name || there->desc != m->desc || !overridable(there, cls)) continue;
            if (!check_override(self, m, there)) return false;
            table[i] = m;
            if (m->vtable_index < 0) m->vtable_index = (int32_t)i;
        }
        return true;
    }
    // Otherwise all overridden declarations share one slot, and the nearest one has its index.
    for (Class *c = cls->super; c; c = c->super) {
        Method *there = class_find_declared_method(c, m->name, m->desc);
        if (!there || there->vtable_index < 0) continue;
        if (!overridable(there, cls)) {
            cls->cflags |= CF_SPLIT_SLOTS;
            continue;
        }
        if (!check_override(self, m, there)) return false;
        m->vtable_index = there->vtable_index;
        ASSERT((uint32_t)m->vtable_index < cls->super->vtable_length, "%s.%s overrides entry %d of %u", cls->name->text,
               m->name->text, m->vtable_index, cls->super->vtable_length);
        table[m->vtable_index] = m;
        return true;
    }
    return true;
}

static bool fill_vtable(Thread *self, Class *cls, Method **table, uint32_t *length) {
    for (uint32_t i = 0; i < cls->method_count; i++) {
        Method *m = &cls->methods[i];
        if (!is_virtual(m)) continue;
        if (cls->super && !override(self, cls, m, table)) return false;
        if (m->vtable_index < 0) {
            m->vtable_index = (int32_t)*length;
            table[(*length)++] = m;
        }
    }
    return true;
}

static bool build_vtable(Thread *self, Class *cls) {
    uint32_t length = cls->super ? cls->super->vtable_length : 0;
    if (cls->super) cls->cflags |= cls->super->cflags & CF_SPLIT_SLOTS;
    Method **table = arena_malloc((length + cls->method_count) * sizeof *table);
    if (length) memcpy(table, cls->super->vt->methods, length * sizeof *table);
    VTable *vt = fill_vtable(self, cls, table, &length) ? metaspace_new_vtable(self, cls, length) : NULL;
    if (vt) {
        cls->vtable_length = length;
        ASSERT(length < INT32_MAX && (!cls->super || length >= cls->super->vtable_length),
               "%u methods in the table of %s", length, cls->name->text);
        vt->gc_descr = layout_descriptor(cls->layout_end);
        if (cls->space->collectable) vt->gc_descr = heap_descriptor_with_vtable(vt->gc_descr);
        vt->instance_size = cls->instance_size;
        memcpy(vt->methods, table, length * sizeof(Method *));
        interfacecall_begin(vt);
        cls->vt = vt;
    }
    free(table);
    return vt;
}

// ---- interface tables ------------------------------------------------------------------------

static void build_itable(Class *cls) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < cls->all_interface_count; i++) n += cls->all_interfaces[i]->vtable_length != 0;
    if (n == 0) return;
    ITableEntry *entries = arena_alloc(&cls->space->arena, n * sizeof *entries);
    uint32_t at = 0;
    for (uint32_t i = 0; i < cls->all_interface_count; i++)
        if (cls->all_interfaces[i]->vtable_length) entries[at++].iface = cls->all_interfaces[i];
    cls->vt->itable = entries;
    cls->vt->itable_length = n;
}

// A method whose call always fails: conflict and conflict_class determine the exception.
static Method *new_overpass(const Class *cls, const Method *like, const char *error, const char *text) {
    Overpass *o = arena_alloc(&cls->space->arena, sizeof *o);
    Method *m = &o->method;
    m->cls = (Class *)cls;
    m->name = like->name;
    m->desc = like->desc;
    m->nargs = m->max_locals = like->nargs;
    m->ret = like->ret;
    m->flags = ACC_PUBLIC | ACC_ABSTRACT | ACC_SYNTHETIC;
    m->mflags = MF_OVERPASS;
    m->vtable_index = m->itable_index = -1;
    m->conflict = text;
    m->conflict_class = error;
    method_give_id(m);
    linking_hooks.link_method(m);
    o->next = atomic_load(&m->cls->overpasses);
    while (!atomic_compare_exchange_weak(&m->cls->overpasses, &o->next, o)) {}
    return m;
}

enum { MAX_SPECIFIC = 16 };

static Method *select_interface(const Class *cls, const Method *imethod) {
    for (const Class *c = cls; c; c = c->super) {
        Method *m = class_find_declared_method(c, imethod->name, imethod->desc);
        if (!m || !is_virtual(m)) continue;
        if (m->flags & ACC_PUBLIC) return m;
        char *name = method_external_name(m), text[1024];
        snprintf(text, sizeof text, "'%s'", name);
        free(name);
        return new_overpass(cls, imethod, "java/lang/IllegalAccessError",
                            arena_strndup(&cls->space->arena, text, strlen(text)));
    }
    Method *found[MAX_SPECIFIC];
    uint32_t count = class_find_specific_methods(cls, imethod->name, imethod->desc, found, MAX_SPECIFIC);
    if (count == 1) return found[0];
    if (count == 0 && method_is_abstract(imethod)) return (Method *)imethod;
    char text[2048];
    if (count == 0) {  // a default method that is redeclared abstract in a subinterface
        char *name = signature_text(NULL, imethod->name, imethod->desc);
        snprintf(text, sizeof text,
                 "Receiver class %s does not define or inherit an implementation of the resolved "
                 "method '%s' of interface %s.",
                 class_external_name(cls), name, class_external_name(imethod->cls));
        free(name);
    } else {
        size_t len = (size_t)snprintf(text, sizeof text, "Conflicting default methods:");
        for (uint32_t i = 0; i < count && i < MAX_SPECIFIC && len < sizeof text; i++)
            len += (size_t)snprintf(text + len, sizeof text - len, " %s.%s", found[i]->cls->name->text,
                                    found[i]->name->text);
    }
    return new_overpass(cls, imethod, count == 0 ? "java/lang/AbstractMethodError" : ICCE,
                        arena_strndup(&cls->space->arena, text, strlen(text)));
}

Method *itable_lookup(const VTable *vt, const Method *imethod) {
    if (imethod->flags & ACC_PRIVATE) return (Method *)imethod;
    ITableEntry *e = vt->itable, *end = e + vt->itable_length;
    while (e < end && e->iface != imethod->cls) e++;
    if (e == end) return NULL;
    _Atomic(_Atomic(Method *) *) *at = (void *)&e->methods;
    _Atomic(Method *) *methods = atomic_load_explicit(at, memory_order_acquire);
    if (!methods) {
        _Atomic(Method *) *fresh = arena_alloc(&vt->cls->space->arena, e->iface->vtable_length * sizeof *fresh);
        if (atomic_compare_exchange_strong(at, &methods, fresh)) methods = fresh;
    }
    _Atomic(Method *) *slot = methods + imethod->itable_index;
    Method *m = atomic_load_explicit(slot, memory_order_acquire);
    if (m) return m;
    Method *selected = select_interface(vt->cls, imethod);
    // The first result stays, so that an overpass method is unique.
    return atomic_compare_exchange_strong(slot, &m, selected) ? selected : m;
}

Method *class_select_virtual(const Class *receiver, const Method *resolved) {
    if (!is_virtual(resolved)) return (Method *)resolved;
    if (!receiver->vt) return NULL;
    if (class_is_interface(resolved->cls)) return itable_lookup(receiver->vt, resolved);
    if (resolved->vtable_index < 0) return (Method *)resolved;
    if ((uint32_t)resolved->vtable_index >= receiver->vtable_length) return NULL;
    return receiver->vt->methods[resolved->vtable_index];
}

// ---- loader constraints (JVMS 5.3.4) ---------------------------------------------------------

static bool constrain_type(Loader *a, Loader *b, const DescriptorType *t, Symbol **bad) {
    if (!t->name) return true;
    Symbol *name = symbol_intern((const char *)t->name, t->name_len);
    if (loader_add_constraint(a, b, name)) return true;
    *bad = name;
    return false;
}

bool link_constrain_method(Loader *a, Loader *b, const Symbol *desc, Symbol **bad) {
    if (a == b) return true;
    DescriptorIter it;
    DescriptorType type;
    descriptor_begin(&it, (const uint8_t *)desc->text, desc->length);
    while (descriptor_next(&it, &type))
        if (!constrain_type(a, b, &type, bad)) return false;
    return !descriptor_return(&it, &type) || constrain_type(a, b, &type, bad);
}

static bool same_loader_constraints(Thread *self, const Method *a, const Method *b) {
    Symbol *bad = NULL;
    if (link_constrain_method(a->cls->loader, b->cls->loader, b->desc, &bad)) return true;
    char *name = method_external_name(a), *where = class_description(a->cls, false, true);
    char *super_where = class_description(b->cls, false, true);
    throw_wk(self, "java/lang/LinkageError",
             "loader constraint violation for class %s: when selecting overriding method '%s' the "
             "class loader %s of the selected method's type %s, and the class loader %s for its "
             "super type %s have different Class objects for the type %s used in the signature "
             "(%s; %s)",
             class_external_name(a->cls), name, loader_name_and_id(a->cls->loader), class_external_name(a->cls),
             loader_name_and_id(b->cls->loader), class_external_name(b->cls), bad->text, where, super_where);
    free(super_where);
    free(name);
    free(where);
    return false;
}

// ---- linking a class -------------------------------------------------------------------------

static bool prepare(Thread *self, Class *cls) {
    if (class_is_interface(cls)) {
        // For an interface: the number of methods in its tables.
        uint32_t n = 0;
        for (uint32_t i = 0; i < cls->method_count; i++) n += cls->methods[i].itable_index >= 0;
        cls->vtable_length = n;
    } else {
        if (!build_vtable(self, cls)) return false;
        build_itable(cls);
    }
    bool boot = cls->loader == vm.boot_loader;
    for (uint32_t i = 0; i < cls->method_count; i++) {
        Method *m = &cls->methods[i];
        method_give_id(m);
        if (boot) linking_hooks.bind_intrinsic(m);
        linking_hooks.link_method(m);
    }
    linking_hooks.class_linked(self, cls);
    return true;
}

bool class_link(Thread *self, Class *cls) {
    if (class_is_linked(cls)) return true;
    if (cls->super && !class_link(self, cls->super)) return false;
    for (uint32_t i = 0; i < cls->interface_count; i++)
        if (!class_link(self, cls->interfaces[i])) return false;
    lock_enter(self, &linking.linking);
    while (cls->link_thread && cls->link_thread != self && !class_is_linked(cls))
        lock_wait(self, &linking.linking, THREAD_FOREVER, false);
    bool linked = class_is_linked(cls), nested = !linked && cls->link_thread == self;
    if (!linked) cls->link_thread = self;
    lock_exit(self, &linking.linking);
    if (linked) return true;  // by another thread meanwhile
    // Verification loads classes through Java code, which may get here again for the same class: the inner call then
    // prepares it, and the outer one finds that done.
    bool ok = nested || cls->verified || verifier_check(self, cls);
    if (ok && !class_is_linked(cls)) {
        cls->verified = true;
        ok = prepare(self, cls);
    }
    lock_enter(self, &linking.linking);
    if (ok && !class_is_linked(cls)) atomic_store_explicit(&cls->state, CLASS_LINKED, memory_order_release);
    cls->link_thread = NULL;
    lock_notify(self, &linking.linking, true);
    lock_exit(self, &linking.linking);
    return ok;
}

// ---- fork (vm/boot/subsystems.def) --------------------------------------------------

// In a shadow the threads that hold locks still exist.
void link_after_fork_child(void) {
    if (!threads.shadow) linking.linking = (Lock){0};
}
