// Classes as such: subtype tests, names, array classes, member lookup. Everything here is safe on
// any thread; only class_array_of and the functions that take `self` allocate in the Java heap.
#include "vm/model/class.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/runtime/exception.h"
#include "vm/linking/interfacecall.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/loading/mirror.h"
#include "vm/loading/module.h"
#include "vm/objects/symbol.h"
#include "vm/model/vm.h"

enum { MAX_DIMS = 255 };

// ---- subtypes --------------------------------------------------------------------------------

static bool implements(const Class *sub, const Class *iface) {
    for (uint32_t i = 0; i < sub->all_interface_count; i++)
        if (sub->all_interfaces[i] == iface) return true;
    return false;
}

static bool extends(const Class *sub, const Class *super) {
    if (sub->depth <= super->depth) return false;
    for (const Class *c = sub->super; c; c = c->super)
        if (c == super) return true;
    return false;
}

static bool array_is_subtype(const Class *sub, const Class *super) {
    if (!class_is_array(sub)) return false;
    const Class *a = sub->component, *b = super->component;
    if (class_is_primitive(a) || class_is_primitive(b)) return a == b;
    return class_is_subtype(a, b);
}

// One positive and one negative answer are remembered per class: casts come in runs.
bool class_is_subtype_slow(const Class *sub, const Class *super) {
    if (class_is_primitive(sub) || class_is_primitive(super)) return sub == super;
    Class *memo = (Class *)sub;
    if (atomic_load_explicit(&memo->cached_super, memory_order_relaxed) == super) return true;
    if (atomic_load_explicit(&memo->cached_no_super, memory_order_relaxed) == super) return false;
    bool yes = class_is_array(super)       ? array_is_subtype(sub, super)
               : class_is_interface(super) ? implements(sub, super)
               : super->depth < CLASS_DISPLAY ? false
                                              : extends(sub, super);
    atomic_store_explicit(yes ? &memo->cached_super : &memo->cached_no_super, super,
                          memory_order_relaxed);
    return yes;
}

// ---- names -----------------------------------------------------------------------------------

// Hidden classes: the symbol has '+' before the suffix (JVMS class names may not contain '/'-less
// dots), people see '/'.
const char *class_external_name(const Class *c) {
    Class *self = (Class *)c;
    const char *known = atomic_load_explicit(&self->external_name, memory_order_acquire);
    if (known) return known;
    char *text = arena_strndup(&c->loader->arena, c->name->text, c->name->length);
    for (char *p = text; *p; p++)
        if (*p == '/') *p = '.';
    if ((class_is_array(c) ? c->element : c)->cflags & CF_HIDDEN) {
        char *plus = strrchr(text, '+');
        if (plus) *plus = '/';
    }
    const char *expected = NULL;
    if (!atomic_compare_exchange_strong(&self->external_name, &expected, text)) return expected;
    return text;
}

Class *class_from_mirror(const Object *mirror) {
    return (Class *)(uintptr_t)get_long(mirror, WK_OFF(java_lang_Class, vmClass));
}

bool class_same_package(const Class *a, const Class *b) {
    if (!a || !b) return false;
    if (a == b) return true;
    if (class_is_array(a)) a = a->element;
    if (class_is_array(b)) b = b->element;
    if (a->package && b->package) return a->package == b->package;
    return a->loader == b->loader && !class_is_primitive(a) && !class_is_primitive(b) &&
           module_package_name(a->name) == module_package_name(b->name);
}

// ---- array classes ---------------------------------------------------------------------------

static Symbol *array_name(const Class *component) {
    char small[256];
    size_t n = component->name->length, need = n + 4;
    char *text = need <= sizeof small ? small : arena_malloc(need);
    size_t len = 0;
    text[len++] = '[';
    if (class_is_primitive(component)) {
        text[len++] = component->prim;
    } else {
        bool wrap = !class_is_array(component);
        if (wrap) text[len++] = 'L';
        memcpy(text + len, component->name->text, n);
        len += n;
        if (wrap) text[len++] = ';';
    }
    Symbol *sym = symbol_intern(text, len);
    if (text != small) free(text);
    return sym;
}

static VTable *array_vtable(Class *c, const Class *object) {
    uint32_t n = object->vtable_length;
    VTable *vt = arena_alloc(&c->loader->arena, sizeof(VTable) + n * sizeof(Method *));
    memcpy(vt->methods, object->vt->methods, n * sizeof(Method *));
    vt->cls = c;
    vt->gc_descr = 0;  // arrays are marked by their allocation kind
    c->vtable_length = n;
    interfacecall_begin(vt);
    return vt;
}

static uint8_t element_shift(const Class *component) {
    switch (component->prim) {
    case 'Z': case 'B': return 0;
    case 'C': case 'S': return 1;
    case 'I': case 'F': return 2;
    default: return 3;
    }
}

static Class *make_array_class(Class *component) {
    Class *object = WK(java_lang_Object);
    Class *c = arena_alloc(&component->loader->arena, sizeof *c);
    c->name = array_name(component);
    c->loader = component->loader;
    c->module = component->module;
    c->package = component->package;
    c->super = object;
    c->depth = 1;
    c->display[0] = object;
    c->display[1] = c;
    c->component = component;
    c->element = class_is_array(component) ? component->element : component;
    c->dims = (uint8_t)(component->dims + 1);
    c->elem_shift = element_shift(component);
    c->access = (uint16_t)((c->element->access & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED)) |
                           ACC_FINAL | ACC_ABSTRACT);
    c->cflags = CF_ARRAY | CF_CLONEABLE | (component->cflags & CF_TRUSTED);
    c->interfaces = c->all_interfaces =
        arena_alloc(&c->loader->arena, 2 * sizeof(Class *));
    c->interfaces[0] = WK(java_lang_Cloneable);
    c->interfaces[1] = WK(java_io_Serializable);
    c->interface_count = 2;
    c->all_interface_count = 2;
    c->vt = array_vtable(c, object);
    c->verified = true;
    atomic_store(&c->state, CLASS_INITIALIZED);
    return c;
}

Class *class_array_of(Thread *self, Class *c) {
    Class *array = atomic_load_explicit(&c->array_class, memory_order_acquire);
    if (__builtin_expect(array != NULL, 1)) return array;
    if (c->dims == MAX_DIMS || c->prim == 'V') {
        throw_wk(self, "java/lang/IllegalArgumentException", NULL);
        return NULL;
    }
    if (!class_is_linked(WK(java_lang_Object)) && !class_link(self, WK(java_lang_Object)))
        return NULL;
    Class *made = make_array_class(c);
    if (!mirror_make(self, made, NULL, NULL)) return NULL;
    // A racing thread may be first: its class counts, ours stays unreferenced in the arena.
    Class *expected = NULL;
    if (!atomic_compare_exchange_strong(&c->array_class, &expected, made)) return expected;
    loader_add_class(c->loader, made);
    return made;
}

// ---- members ---------------------------------------------------------------------------------

Method *class_find_declared_method(const Class *c, const Symbol *name, const Symbol *desc) {
    if (!c->method_index) {
        for (uint32_t i = 0; i < c->method_count; i++)
            if (c->methods[i].name == name && c->methods[i].desc == desc) return &c->methods[i];
        return NULL;
    }
    uint32_t i = (name->hash + desc->hash * 31) & c->method_index_mask;
    for (uint16_t at; (at = c->method_index[i]) != 0; i = (i + 1) & c->method_index_mask) {
        Method *m = &c->methods[at - 1];
        if (m->name == name && m->desc == desc) return m;
    }
    return NULL;
}

Field *class_find_declared_field(const Class *c, const Symbol *name, const Symbol *desc) {
    for (uint32_t i = 0; i < c->field_count; i++)
        if (c->fields[i].name == name && c->fields[i].desc == desc) return &c->fields[i];
    return NULL;
}

// JVMS 5.4.3.3 step 3: the maximally-specific superinterface methods, if exactly one is not
// abstract, else any that is neither private nor static.
static Method *find_interface_method(const Class *c, const Symbol *name, const Symbol *desc) {
    Method *any = NULL, *best = NULL;
    bool several = false;
    for (uint32_t i = 0; i < c->all_interface_count; i++) {
        Class *iface = c->all_interfaces[i];
        Method *m = class_find_declared_method(iface, name, desc);
        if (!m || (m->flags & (ACC_PRIVATE | ACC_STATIC))) continue;
        if (!any) any = m;
        bool shadowed = false;
        for (uint32_t j = 0; j < c->all_interface_count && !shadowed; j++) {
            Class *other = c->all_interfaces[j];
            if (other == iface || !class_is_subtype(other, iface)) continue;
            Method *n = class_find_declared_method(other, name, desc);
            shadowed = n && !(n->flags & (ACC_PRIVATE | ACC_STATIC));
        }
        if (shadowed || method_is_abstract(m)) continue;
        if (best) several = true;
        best = m;
    }
    return best && !several ? best : any;
}

Method *class_find_method(const Class *c, const Symbol *name, const Symbol *desc) {
    for (const Class *k = c; k; k = k->super) {
        Method *m = class_find_declared_method(k, name, desc);
        if (m && (k == c || !class_is_interface(c) ||
                  (m->flags & (ACC_PUBLIC | ACC_STATIC)) == ACC_PUBLIC))
            return m;  // of Object an interface sees only the public instance methods (5.4.3.4)
    }
    return find_interface_method(c, name, desc);
}

// JVMS 5.4.3.2: the class, its superinterfaces, then the superclass.
Field *class_find_field(const Class *c, const Symbol *name, const Symbol *desc) {
    for (const Class *k = c; k; k = k->super) {
        Field *f = class_find_declared_field(k, name, desc);
        if (f) return f;
        for (uint32_t i = 0; i < k->interface_count; i++) {
            f = class_find_field(k->interfaces[i], name, desc);
            if (f) return f;
        }
    }
    return NULL;
}

int method_line_number(const Method *m, int bci) {
    if (method_is_native(m)) return -2;
    if (!m->info || !m->info->code || bci < 0) return -1;
    return classfile_line_of(m->info->code, (uint32_t)bci);
}
