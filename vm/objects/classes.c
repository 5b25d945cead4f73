// Classes: subtype tests, names, member lookup, methods by number. Everything here is safe on any thread and does not
// touch the Java heap.
#include "vm/objects/classes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/invariant.h"
#include "vm/model/classloader.h"
#include "vm/objects/symbol.h"
#include "vm/model/vm.h"

// ---- subtypes --------------------------------------------------------------------------------

// Each class caches one positive and one negative result, because casts repeat.
bool class_is_subtype_slow(const Class *sub, const Class *super) {
    if (class_is_primitive(sub) || class_is_primitive(super)) return sub == super;
    Class *memo = (Class *)sub;
    if (atomic_load_explicit(&memo->cached_super, memory_order_relaxed) == super) return true;
    if (atomic_load_explicit(&memo->cached_no_super, memory_order_relaxed) == super) return false;
    bool yes = false;
    if (class_is_array(super)) {
        const Class *a = sub->component, *b = super->component;
        bool primitive = a && (class_is_primitive(a) || class_is_primitive(b));
        yes = a && (primitive ? a == b : class_is_subtype(a, b));
    } else if (class_is_interface(super)) {
        bool maybe = sub->interface_bits & class_interface_bit(super);
        for (uint32_t i = 0; maybe && i < sub->all_interface_count && !yes; i++) yes = sub->all_interfaces[i] == super;
    } else if (super->depth >= CLASS_DISPLAY) {  // else the display has answered
        ASSERT(!sub->super || sub->depth == sub->super->depth + 1 || class_is_interface(sub), "class %s at depth %u",
               sub->name->text, sub->depth);
        const Class *c = sub->depth > super->depth ? sub->super : NULL;
        while (c && c != super) c = c->super;
        yes = c;
    }
    atomic_store_explicit(yes ? &memo->cached_super : &memo->cached_no_super, super, memory_order_relaxed);
    return yes;
}

// ---- names -----------------------------------------------------------------------------------

// Hidden classes: the symbol has '+' before the suffix (JVMS class names may not contain '/'-less dots), the external
// name '/'.
const char *class_external_name(const Class *c) {
    Class *self = (Class *)c;
    const char *known = atomic_load_explicit(&self->external_name, memory_order_acquire);
    if (known) return known;
    char *text = arena_strndup(&c->space->arena, c->name->text, c->name->length);
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
        symbol_package(a->name) == symbol_package(b->name);
}

// ---- primitives ------------------------------------------------------------------------------

Class *class_primitive(char code) {
    static const char codes[] = VM_PRIMITIVES;
    const char *at = strchr(codes, code);
    return at && *at ? vm.prims[at - codes] : NULL;
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

static Method *inherited_from(const Class *iface, const Symbol *name, const Symbol *desc) {
    Method *m = class_find_declared_method(iface, name, desc);
    return m && !(m->flags & (ACC_PRIVATE | ACC_STATIC)) ? m : NULL;
}

uint32_t class_find_specific_methods(const Class *c, const Symbol *name, const Symbol *desc, Method **found,
                                     uint32_t most) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->all_interface_count; i++) {
        const Class *iface = c->all_interfaces[i];
        Method *m = inherited_from(iface, name, desc);
        if (!m || method_is_abstract(m)) continue;
        bool shadowed = false;
        for (uint32_t j = 0; j < c->all_interface_count && !shadowed; j++) {
            const Class *other = c->all_interfaces[j];
            shadowed = other != iface && class_is_subtype(other, iface) && inherited_from(other, name, desc);
        }
        if (shadowed) continue;
        if (count < most) found[count] = m;
        count++;
    }
    return count;
}

Method *class_find_method(const Class *c, const Symbol *name, const Symbol *desc) {
    for (const Class *k = c; k; k = k->super) {
        Method *m = class_find_declared_method(k, name, desc);
        if (m && (k == c || !class_is_interface(c) || (m->flags & (ACC_PUBLIC | ACC_STATIC)) == ACC_PUBLIC))
            return m;  // of Object, an interface inherits only the public instance methods (5.4.3.4)
    }
    // JVMS 5.4.3.3 step 3: the maximally-specific superinterface method, if exactly one is not abstract, else any that
    // is neither private nor static.
    Method *found = NULL;
    if (class_find_specific_methods(c, name, desc, &found, 1) == 1) return found;
    found = NULL;
    for (uint32_t i = 0; i < c->all_interface_count && !found; i++)
        found = inherited_from(c->all_interfaces[i], name, desc);
    return found;
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

bool method_is_main(const Method *m) {
    return method_is_static(m) && symbol_is(m->name, "main") && symbol_is(m->desc, "([Ljava/lang/String;)V");
}

int method_line_number(const Method *m, int bci) {
    if (method_is_native(m)) return -2;
    if (!m->info || !m->info->code || bci < 0) return -1;
    return classfile_line_of(m->info->code, (uint32_t)bci);
}

// ---- instructions ----------------------------------------------------------------------------

enum { NO_BCI = UINT16_MAX };  // for the instruction words that enter the method

int method_bci(const Method *m, const Insn *pc) {
    if (!m->code_words || pc < m->code || pc >= m->code + m->code_words) return -1;
    uint16_t bci = m->bci[pc - m->code];
    return bci == NO_BCI ? -1 : bci;
}

const Insn *method_pc_at(const Method *m, int bci) {
    uint32_t low = 0, high = m->code_words;
    while (low < high && m->bci[low] == NO_BCI) low++;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (m->bci[mid] < bci) low = mid + 1;
        else high = mid;
    }
    return low < m->code_words && m->bci[low] == bci ? m->code + low : NULL;
}

// ---- ids of methods and classes ------------------------------------------------------------------

enum { ID_CHUNK = 4096, ID_CHUNKS = 4096 };

typedef struct IdTable {
    _Atomic uint32_t next;
    _Atomic(_Atomic(void *) *) chunks[ID_CHUNKS];
} IdTable;

static struct Ids {
    IdTable methods, classes;
    // Ids of unloaded methods, for reuse. Class ids are not reused: they give the order of definition.
    pthread_mutex_t lock;
    _Atomic uint32_t free_count;
    uint32_t *free, free_room;
} ids = {.methods.next = 1, .classes.next = 1, .lock = PTHREAD_MUTEX_INITIALIZER};

static _Atomic(void *) *id_slot(IdTable *t, uint32_t id) {
    _Atomic(_Atomic(void *) *) *chunk = &t->chunks[id / ID_CHUNK];
    _Atomic(void *) *slots = atomic_load_explicit(chunk, memory_order_acquire);
    if (!slots) {
        _Atomic(void *) *fresh = arena_malloc(ID_CHUNK * sizeof *fresh);
        if (atomic_compare_exchange_strong(chunk, &slots, fresh)) slots = fresh;
        else free(fresh);
    }
    return &slots[id % ID_CHUNK];
}

// `*id` is set before the table refers to the item.
static void give_id(IdTable *t, uint32_t *id, void *item) {
    if (!*id) *id = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
    ASSERT(*id / ID_CHUNK < ID_CHUNKS, "id %u", *id);
    atomic_store_explicit(id_slot(t, *id), item, memory_order_release);
}

static void *by_id(IdTable *t, uint32_t id) {
    if (id == 0 || id >= atomic_load(&t->next)) return NULL;
    return atomic_load_explicit(id_slot(t, id), memory_order_acquire);
}

void method_give_id(Method *m) {
    if (atomic_load_explicit(&ids.free_count, memory_order_relaxed)) {
        pthread_mutex_lock(&ids.lock);
        if (ids.free_count) m->id = ids.free[--ids.free_count];
        pthread_mutex_unlock(&ids.lock);
    }
    give_id(&ids.methods, &m->id, m);
}

uint32_t method_id_limit(void) { return atomic_load(&ids.methods.next); }
Method *method_by_id(uint32_t id) { return by_id(&ids.methods, id); }

void class_give_id(Class *c) { give_id(&ids.classes, &c->id, c); }
uint32_t class_id_limit(void) { return atomic_load(&ids.classes.next); }
Class *class_by_id(uint32_t id) { return by_id(&ids.classes, id); }
void class_take_id(Class *c) { atomic_store_explicit(id_slot(&ids.classes, c->id), NULL, memory_order_release); }
void method_take_id(Method *m, bool again) {
    if (!m->id) return;
    atomic_store_explicit(id_slot(&ids.methods, m->id), NULL, memory_order_release);
    if (!again) return;
    pthread_mutex_lock(&ids.lock);
    GROW_OR_EXIT(ids.free, ids.free_room, ids.free_count + 1);
    ids.free[ids.free_count++] = m->id;
    pthread_mutex_unlock(&ids.lock);
}

// ---- unloading -------------------------------------------------------------------------------

void class_forget_dead(Class *c) {
    const Class *no = atomic_load_explicit(&c->cached_no_super, memory_order_relaxed);
    if (no && no->space->dead) atomic_store_explicit(&c->cached_no_super, NULL, memory_order_relaxed);
    // Unlinked classes keep their links, so a thread that walks the list without stopping still reaches live classes.
    Class **at = &c->subclasses;
    for (Class *sub = *at; sub; sub = sub->next_sibling) {
        if (sub->space->dead) continue;
        __atomic_store_n(at, sub, __ATOMIC_RELEASE);
        at = &sub->next_sibling;
    }
    __atomic_store_n(at, NULL, __ATOMIC_RELEASE);
}
