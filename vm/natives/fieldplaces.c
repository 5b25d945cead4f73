// An offset is looked up on first use, among the fields of the object's superclasses, and cached. Classes of the boot
// loader are never unloaded and have unique names.
#include "vm/natives/fieldplaces.h"

#include <string.h>

#include "vm/model/class.h"
#include "vm/model/classloader.h"

static const struct {
    const char *cls, *name, *desc;
} rows[] = {
#define FIELD_PLACE(id, cls, name, desc) {cls, name, desc},
#include "vm/natives/fieldplaces.def"
};

static struct FieldPlaces {
    struct {
        _Atomic(const Class *) cls;  // declares the field, stored after the offset; NULL: not found yet
        int64_t offset;
    } found[PLACE_COUNT];
} fieldplaces;

static const Class *find(const Object *o, FieldPlace place) {
    const Class *c = object_class(o);
    while (c && (!c->name || strcmp(c->name->text, rows[place].cls) != 0)) c = c->super;
    if (!c || c->loader->java_loader) return NULL;
    for (uint32_t i = 0; i < c->field_count; i++) {
        const Field *f = &c->fields[i];
        if (f->flags & ACC_STATIC || strcmp(f->name->text, rows[place].name) != 0) continue;
        if (strcmp(f->desc->text, rows[place].desc) != 0) continue;
        __atomic_store_n(&fieldplaces.found[place].offset, f->offset, __ATOMIC_RELAXED);
        atomic_store_explicit(&fieldplaces.found[place].cls, c, memory_order_release);
        return c;
    }
    return NULL;
}

void *fieldplaces_in(const Object *o, FieldPlace place) {
    const Class *declares = atomic_load_explicit(&fieldplaces.found[place].cls, memory_order_acquire);
    if (!declares && !(declares = find(o, place))) return NULL;
    const Class *c = object_class(o);
    while (c != declares && c->super) c = c->super;
    return c == declares ? (char *)o + fieldplaces.found[place].offset : NULL;
}

Object *fieldplaces_get(const Object *o, FieldPlace place) {
    Object *const *at = !o ? NULL : fieldplaces_in(o, place);
    return !at ? NULL : *at;
}
