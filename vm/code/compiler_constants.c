// Constants for the compiler (vm/api/compiler.h).
//
// A compile thread does not stop for collections and keeps no object alive. It may still read an object as long as no
// collection has begun since it found the object, because memory that was reachable when the epoch was taken is
// reused only after the next collection. So each function reads a word and then checks that the epoch is unchanged;
// only then is the word valid. Classes found in this way live until the compilation ends (vm/boot/unload.h).
#include <string.h>
#include <time.h>

#include "bytecode/classfile/classfile.h"
#include "gc/heap.h"
#include "vm/api/compiler.h"
#include "vm/linking/classinit.h"
#include "vm/linking/link.h"
#include "vm/loading/metaspace.h"
#include "vm/model/wellknown.h"
#include "vm/natives/methodhandle.h"
#include "vm/objects/classes.h"
#include "vm/objects/symbol.h"

uint64_t compiler_epoch(void) {
    uint64_t epoch;
    while (!heap_epoch(&epoch)) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    return epoch;
}

bool compiler_epoch_is(uint64_t epoch) { return heap_epoch_is(epoch); }

// The reference at `at`, in memory that was alive when the epoch was taken. NULL if the epoch is over.
static Object *read_reference(const void *at, uint64_t epoch) {
    Object *o = __atomic_load_n((Object *const *)at, __ATOMIC_ACQUIRE);
    return heap_epoch_is(epoch) ? o : NULL;
}

static Object *read_at(const Object *o, size_t offset, uint64_t epoch) {
    return o ? read_reference((const char *)o + offset, epoch) : NULL;
}

static Constant constant_object(Object *o) {
    return o ? (Constant){.kind = CONSTANT_OBJECT, .object = o} : (Constant){0};
}

Constant compiler_constant_slot(const Class *owner, Object *const *slot, uint64_t epoch) {
    return class_is_dead(owner) ? (Constant){0} : constant_object(read_reference(slot, epoch));
}

static bool is_stable(const Field *f) {
    return f->cls->cflags & CF_TRUSTED && f->info && f->info->annotation_mask & CFA_STABLE;
}

static Constant field_value(const Field *f, const void *at, uint64_t epoch) {
    if (f->type == 'L' || f->type == '[') {
        Constant c = constant_object(read_reference(at, epoch));
        c.stable = f->type == '[' && is_stable(f);
        return c;
    }
    if (f->type != 'I' || !(f->flags & ACC_FINAL)) return (Constant){0};
    Constant number = {.kind = CONSTANT_INT, .number = *(const volatile int32_t *)at};
    return heap_epoch_is(epoch) ? number : (Constant){0};
}

// System.setOut and the like replace System.in, out and err.
Constant compiler_constant_static(const Field *f, uint64_t epoch) {
    bool fixed = f->flags & ACC_FINAL && !symbol_is(f->cls->name, "java/lang/System");
    if (!(f->flags & ACC_STATIC) || !(fixed || is_stable(f)) || class_is_dead(f->cls) || !class_is_initialized(f->cls))
        return (Constant){0};
    return field_value(f, field_static_addr(f), epoch);
}

Constant compiler_constant_field(const Object *holder, const Field *f, uint64_t epoch) {
    bool library = f->cls->cflags & CF_TRUSTED && symbol_has_prefix(f->cls->name, "java/lang/invoke/");
    bool fixed = f->trusted_final || (library && f->flags & ACC_FINAL);
    if (f->flags & ACC_STATIC || !(fixed || is_stable(f))) return (Constant){0};
    return field_value(f, (const char *)holder + f->offset, epoch);
}

Constant compiler_constant_element(const Object *array, int32_t index, uint64_t epoch) {
    int32_t length = *(const volatile int32_t *)&array->length;
    if (!heap_epoch_is(epoch) || index < 0 || index >= length) return (Constant){0};
    return constant_object(read_reference(&ARRAY_DATA(array, Object *const)[index], epoch));
}

Method *compiler_constant_member(const Object *member, uint64_t epoch) {
    const Object *resolved = read_at(member, (size_t)WK_OFF(java_lang_invoke_MemberName, method), epoch);
    if (!resolved) return NULL;
    Method *m = (Method *)(uintptr_t)get_long(resolved, (size_t)WK_OFF(java_lang_invoke_ResolvedMethodName, vmtarget));
    return heap_epoch_is(epoch) && m && !class_is_dead(m->cls) ? m : NULL;
}

Method *compiler_constant_handle(const Object *handle, uint64_t epoch) {
    const Object *form = read_at(handle, (size_t)WK_OFF(java_lang_invoke_MethodHandle, form), epoch);
    const Object *entry = read_at(form, (size_t)WK_OFF(java_lang_invoke_LambdaForm, vmentry), epoch);
    return entry ? compiler_constant_member(entry, epoch) : NULL;
}

Method *compiler_constant_target(const Object *receiver, Method *resolved, uint64_t epoch) {
    const VTable *vtable = *(const VTable *const volatile *)&receiver->vt;
    if (!heap_epoch_is(epoch)) return NULL;
    const Class *cls = vtable->cls;
    if (!class_is_linked(cls) || !compiler_is_subtype(cls, resolved->cls)) return NULL;
    Method *m = class_select_virtual(cls, resolved);
    return m && !method_is_abstract(m) ? m : NULL;
}

Class *compiler_constant_instance(const Object *mirror, uint64_t epoch) {
    Class *c = class_from_mirror(mirror);
    if (!heap_epoch_is(epoch) || !c || class_is_primitive(c) || class_is_array(c) ||
        c->access & (ACC_ABSTRACT | ACC_INTERFACE) || c == WK(java_lang_Class) || !class_is_initialized(c) ||
        c->ref_kind != REF_NONE || c->instance_size > compiler_layout()->small_max)
        return NULL;
    return c;
}

Class *compiler_constant_array(const Object *mirror, uint64_t epoch) {
    const Class *c = class_from_mirror(mirror);
    return heap_epoch_is(epoch) && c && class_is_primitive(c) ? atomic_load(&c->array_class) : NULL;
}
