// Loadable constants as objects (JVMS 5.1, 5.4.3.5, 5.4.3.6): strings, mirrors, method types and handles, dynamic
// constants; and the slots that hold them.
//
// A class's slots are reachable from its mirror (vm/loading/refchunks.h).
#include <pthread.h>

#include "bytecode/classfile/classfile.h"
#include "vm/linking/hooks.h"
#include "vm/loading/arrayclass.h"
#include "vm/loading/refchunks.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/linking/link_internal.h"
#include "vm/linking/resolve_internal.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

Object **class_new_ref_slot(Thread *self, Class *cls) {
    RefChunks chunks = {cls->mirror, (size_t)WK_OFF(java_lang_Class, resolvedRefs), &cls->ref_slots_used,
                        &linking.slots};
    return refchunks_take(self, &chunks);
}

// ---- constants -------------------------------------------------------------------------------

static Object *make_constant(Thread *self, Class *caller, int i) {
    switch (cp_tag(caller, i)) {
        case CP_STRING: {
            ClassFileUtf8 text = classfile_name_of(caller->file, (uint16_t)i);
            return string_intern_mutf8(self, (const char *)text.ptr, text.len);
        }
        case CP_METHOD_HANDLE: return linking_hooks.method_handle(self, caller, i);
        case CP_METHOD_TYPE: return linking_hooks.method_type(self, caller, i);
        default: {
            char type;
            return linking_hooks.dynamic(self, caller, i, &type);
        }
    }
}

// Slot of a constant that is not a class: the object, boxed if primitive.
static Object **constant_slot(Thread *self, Class *caller, int i) {
    if (cp_state(caller, i) & CP_RESOLVED) return caller->cp[i].p;
    if (resolve_failed(self, caller, i)) return NULL;
    Object *value = make_constant(self, caller, i);
    if (self->exception) return resolve_record_failure(self, caller, i);
    Object **slot = class_new_ref_slot(self, caller);
    if (!slot) return NULL;
    *slot = value;
    barrier_stored(BARRIER_constant_slot, slot);
    uint8_t state = resolve_publish(caller, i, slot, CP_RESOLVED);
    if (state & CP_RESOLVED) return caller->cp[i].p;
    resolve_failed(self, caller, i);
    return NULL;
}

Object **resolve_ref_slot(Thread *self, Class *caller, int i) {
    if (cp_tag(caller, i) != CP_CLASS) return constant_slot(self, caller, i);
    Class *c = resolve_class(self, caller, i);
    return c ? &c->mirror : NULL;
}

bool resolve_dynamic_prim(Thread *self, Class *caller, int i, Slot *out, char *type) {
    Object **slot = constant_slot(self, caller, i);
    if (!slot) return false;
    *type = cp_ref_desc(caller, i)->text[0];
    linking_hooks.unbox(*slot, out);
    return true;
}

Object *resolve_constant_boxed(Thread *self, Class *caller, int i) {
    Slot v = {.l = 0};
    switch (cp_tag(caller, i)) {
        case CP_INTEGER: v.i = cp_int(caller, i); return linking_hooks.box(self, 'I', &v);
        case CP_FLOAT: v.f = cp_float(caller, i); return linking_hooks.box(self, 'F', &v);
        case CP_LONG: v.l = cp_long(caller, i); return linking_hooks.box(self, 'J', &v);
        case CP_DOUBLE: v.d = cp_double(caller, i); return linking_hooks.box(self, 'D', &v);
        default: {
            Object **slot = resolve_ref_slot(self, caller, i);
            return slot ? *slot : NULL;
        }
    }
}

// ---- bootstrap methods -----------------------------------------------------------------------

bool resolve_bootstrap(Thread *self, Class *caller, int i, Object **bsm, Object **args) {
    const ClassFileBootstrap *b = &caller->file->bootstraps[caller->file->cp[i].u.dyn.bsm_index];
    Object **slot = resolve_ref_slot(self, caller, b->method_ref);
    if (!slot) return false;
    *bsm = *slot;
    *args = NULL;
    if (b->arg_count == 0) return true;
    Class *array = class_array_of(self, WK(java_lang_Object));
    Object *all = array ? object_new_array(self, array, b->arg_count) : NULL;
    if (!all) return false;
    for (int k = 0; k < b->arg_count; k++) {
        Object *value = resolve_constant_boxed(self, caller, b->args[k]);
        if (self->exception) return false;
        set_element(all, k, value);
    }
    Object *only = ARRAY_DATA(all, Object *)[0];
    bool bare = b->arg_count == 1 && only && !class_is_array(object_class(only));
    *args = bare ? only : all;
    return true;
}
