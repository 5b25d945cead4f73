// Array classes (vm/loading/arrayclass.h). Any thread; a compare-and-swap decides races.
#include "vm/loading/arrayclass.h"

#include <stdlib.h>
#include <string.h>

#include "vm/base/arena.h"
#include "vm/loading/hooks.h"
#include "vm/loading/loader.h"
#include "vm/loading/metaspace.h"
#include "vm/objects/layout.h"
#include "vm/loading/mirror.h"
#include "vm/model/vm.h"
#include "vm/objects/symbol.h"
#include "vm/runtime/exception.h"

enum { MAX_DIMS = 255 };

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

// Arrays are marked by their allocation kind, so there is no descriptor.
static bool make_vtable(Thread *self, Class *c) {
    const Class *object = c->super;
    uint32_t n = object->vtable_length;
    VTable *vt = metaspace_new_vtable(self, c, n);
    if (!vt) return false;
    memcpy(vt->methods, object->vt->methods, n * sizeof(Method *));
    c->vtable_length = n;
    loading_hooks.vtable_made(vt);
    c->vt = vt;
    return true;
}

static Class *make_array_class(Class *component) {
    Class *object = WK(java_lang_Object);
    Class *c = arena_alloc(&component->space->arena, sizeof *c);
    c->name = array_name(component);
    class_give_id(c);
    c->loader = component->loader;
    c->space = component->space;
    c->module = component->module;
    c->package = component->package;
    c->super = object;
    c->depth = 1;
    c->display[0] = object;
    c->display[1] = c;
    c->component = component;
    c->element = class_is_array(component) ? component->element : component;
    c->dims = (uint8_t)(component->dims + 1);
    c->elem_shift = (uint8_t)layout_shift(component->prim);
    c->access = (uint16_t)((c->element->access & (ACC_PUBLIC | ACC_PRIVATE | ACC_PROTECTED)) | ACC_FINAL |
                           ACC_ABSTRACT);
    c->cflags = CF_ARRAY | CF_CLONEABLE | (component->cflags & CF_TRUSTED);
    c->interfaces = c->all_interfaces = arena_alloc(&c->space->arena, 2 * sizeof(Class *));
    c->interfaces[0] = WK(java_lang_Cloneable);
    c->interfaces[1] = WK(java_io_Serializable);
    c->interface_count = 2;
    c->all_interface_count = 2;
    c->interface_bits = class_interface_bit(c->interfaces[0]) | class_interface_bit(c->interfaces[1]);
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
    if (!loading_hooks.link_class(self, WK(java_lang_Object))) return NULL;
    Class *made = make_array_class(c);
    if (!mirror_make(self, made, NULL, NULL) || !make_vtable(self, made)) return NULL;
    // A racing thread may be first: its class is used, and ours stays unreferenced in the arena.
    Class *expected = NULL;
    if (!atomic_compare_exchange_strong(&c->array_class, &expected, made)) return expected;
    loader_add_class(made);
    return made;
}
