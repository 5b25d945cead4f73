// Mirrors: see vm/loading/mirror.h.
//
// Statics: primitives are in the class's static_prims (arena), references in an Object[] that the mirror holds.
// Field.offset is the distance from the mirror to the storage, so Unsafe, reflection and the interpreter all use
// (mirror, offset); objects never move.
#include "vm/loading/mirror.h"

#include "vm/loading/arrayclass.h"
#include "vm/loading/loader.h"
#include "vm/loading/metaspace.h"
#include "vm/loading/module.h"
#include "vm/model/vm.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"

bool mirror_ready(void) { return vm.mirrors_ready; }

static bool make_statics(Thread *self, Class *cls, Object *mirror) {
    Object *refs = NULL;
    if (cls->static_ref_count) {
        Class *array = class_array_of(self, WK(java_lang_Object));
        if (!array) return false;
        refs = object_new_array(self, array, (int32_t)cls->static_ref_count);
        if (!refs) return false;
        set_ref(mirror, WK_OFF(java_lang_Class, staticRefs), refs);
    }
    for (uint32_t i = 0; i < cls->field_count; i++) {
        Field *f = &cls->fields[i];
        if (!(f->flags & ACC_STATIC)) continue;
        char *address = f->type == 'L' || f->type == '[' ? (char *)&ARRAY_DATA(refs, Object *)[f->offset]
                                                         : cls->static_prims + f->offset;
        f->offset = address - (char *)cls->mirror;
    }
    return true;
}

bool mirror_make(Thread *self, Class *cls, Object *protection_domain, Object *class_data) {
    if (!vm.mirrors_ready) return true;
    // Statics need Object[] before mirror_fixup_all has reached Object.
    if (cls->component && !cls->component->mirror && !mirror_make(self, cls->component, NULL, NULL)) return false;
    Object *mirror = object_new(self, WK(java_lang_Class));
    if (!mirror) return false;
    set_long(mirror, WK_OFF(java_lang_Class, vmClass), (int64_t)(uintptr_t)cls);
    cls->mirror = mirror;
    bool holds = cls->space->collectable && !cls->space->holder;
    if (holds) cls->space->holder = mirror;
    else if (!metaspace_keep(self, cls->space, mirror)) return false;
    set_ref(mirror, WK_OFF(java_lang_Class, classLoader), cls->loader->java_loader);
    set_ref(mirror, WK_OFF(java_lang_Class, protectionDomain), protection_domain);
    set_ref(mirror, WK_OFF(java_lang_Class, classData), class_data);
    if (cls->component) set_ref(mirror, WK_OFF(java_lang_Class, componentType), cls->component->mirror);
    set_ref(mirror, WK_OFF(java_lang_Class, module),
            cls->package ? module_object_for(cls->package) : module_object(cls->module));
    return make_statics(self, cls, mirror);
}

bool mirror_fixup_all(Thread *self) {
    vm.mirrors_ready = true;
    // Components before their arrays: an array class is always newer than its component, and lists are newest first, so
    // repeat until nothing is left to do.
    for (bool again = true; again;) {
        again = false;
        for (Class *c = atomic_load(&vm.boot_loader->space.classes); c; c = c->next_in_space) {
            if (c->mirror) continue;
            if (c->component && !c->component->mirror) {
                again = true;
                continue;
            }
            if (!mirror_make(self, c, NULL, NULL)) return false;
        }
    }
    return true;
}
