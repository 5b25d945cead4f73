// Allocation, cloning and copying of objects and arrays: see vm/objects/objects.h.
//
// Everything here runs on the calling mutator. Allocation may collect; nothing else may collect between heap_alloc_*
// and the store of the vtable.
#include "vm/objects/objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "gc/heap.h"
#include "vm/objects/classes.h"
#include "vm/objects/hooks.h"
#include "vm/threads/monitor.h"
#include "vm/threads/threadevents.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

enum { MAX_ARRAY_LENGTH = INT32_MAX - 2 };

static Object *out_of_heap(Thread *self) {
    object_hooks.out_of_memory(self, "Java heap space");
    object_hooks.throw_oom(self, NULL);
    return NULL;
}

// The object is a sample of what the thread allocates (heap_sample).
__attribute__((noinline)) static void report_sample(Thread *self, const Class *cls, const Object *o) {
    uint32_t samples = self->heap.samples;
    self->heap.samples = 0;
    THREAD_REPORT(allocation_sample, self, cls, samples, o);
}

Object *object_allocate(Thread *self, Class *cls) {
    // A class that C code instantiates without initialising it may not be linked yet.
    if (__builtin_expect(!cls->vt, 0)) {
        if (!object_hooks.link_class(self, cls)) return NULL;
        if (!cls->vt) {
            object_hooks.throw_wk(self, "java/lang/InstantiationError", "%s", class_external_name(cls));
            return NULL;
        }
    }
    ASSERT(!class_is_array(cls), "an instance of %s without a length", cls->name->text);
    ASSERT(thread_is_running(self) && !safepoint_stopped_by_me(), "thread %u allocates in state %u", self->id,
           atomic_load(&self->state));
    ASSERT(cls->instance_size >= sizeof(Object) - sizeof(int32_t) && cls->vt->cls == cls,
           "instances of %s have %u bytes", cls->name->text, cls->instance_size);
    Object *o = heap_alloc_object(&self->heap, cls->instance_size);
    if (__builtin_expect(!o, 0)) return out_of_heap(self);
    o->vt = cls->vt;
    object_publishable();
    if (__builtin_expect(cls->ref_kind != REF_NONE, 0)) {
        static const HeapReferenceKind kinds[] = {
            [REF_SOFT] = HEAP_SOFT, [REF_WEAK] = HEAP_WEAK, [REF_FINAL] = HEAP_FINAL, [REF_PHANTOM] = HEAP_PHANTOM};
        heap_register_reference(&self->heap, o, kinds[cls->ref_kind]);
    }
    if (__builtin_expect(self->heap.samples != 0, 0)) report_sample(self, cls, o);
    return o;
}

static Object *allocate_array(Thread *self, Class *array_class, int32_t length) {
    if (__builtin_expect((uint32_t)length > MAX_ARRAY_LENGTH, 0)) {
        static const char too_large[] = "Requested array size exceeds VM limit";
        if (length < 0) {
            object_hooks.throw_wk(self, "java/lang/NegativeArraySizeException", "%d", length);
        } else {
            object_hooks.out_of_memory(self, too_large);
            object_hooks.throw_oom(self, too_large);
        }
        return NULL;
    }
    ASSERT(thread_is_running(self) && !safepoint_stopped_by_me(), "thread %u allocates in state %u", self->id,
           atomic_load(&self->state));
    ASSERT(class_is_array(array_class) && array_class->vt, "an array of %s", array_class->name->text);
    size_t bytes = ARRAY_BASE + ((size_t)length << array_class->elem_shift);
    Object *o = class_is_primitive(array_class->component) ? heap_alloc_prims(&self->heap, bytes)
                                                           : heap_alloc_refs(&self->heap, bytes);
    if (__builtin_expect(!o, 0)) return out_of_heap(self);
    o->vt = array_class->vt;
    o->length = length;
    object_publishable();
    if (__builtin_expect(self->heap.samples != 0, 0)) report_sample(self, array_class, o);
    return o;
}

Object *object_allocate_beyond(Thread *self, Class *cls, int32_t length, bool *beyond) {
    bool is_array = class_is_array(cls);
    size_t bytes = is_array ? ARRAY_BASE + ((size_t)length << cls->elem_shift) : cls->instance_size;
    int kind = !is_array ? HEAP_TYPED : class_is_primitive(cls->component) ? HEAP_PRIMS : HEAP_REFS;
    Object *o = heap_alloc_beyond(&self->heap, kind, bytes, beyond);
    o->vt = cls->vt;
    if (is_array) o->length = length;
    object_publishable();
    if (__builtin_expect(self->heap.samples != 0, 0)) report_sample(self, cls, o);
    return o;
}

// If a part cannot be allocated, the completed parts are still reported as objects.
static Object *new_multi(Thread *self, Class *array_class, int dims, const int32_t *lengths) {
    ASSERT(dims > 0 && dims <= array_class->dims, "%d dimensions of %s", dims, array_class->name->text);
    Object *o = allocate_array(self, array_class, lengths[0]);
    if (!o || dims == 1) return o;
    for (int32_t i = 0; i < lengths[0]; i++) {
        Object *sub = new_multi(self, array_class->component, dims - 1, lengths + 1);
        if (!sub) {
            THREAD_REPORT(allocated, self, o, (uint32_t)dims - 1);
            return NULL;
        }
        set_element(o, i, sub);
    }
    return o;
}

// All lengths are checked before anything is allocated (JVMS 6.5 multianewarray).
static Object *allocate_multi(Thread *self, Class *array_class, int dims, const int32_t *lengths) {
    for (int i = 0; i < dims; i++)
        if (lengths[i] < 0) {
            object_hooks.throw_wk(self, "java/lang/NegativeArraySizeException", "%d", lengths[i]);
            return NULL;
        }
    return new_multi(self, array_class, dims, lengths);
}

// The end of an array-creating instruction, which may take long. A pending Thread.stop exception is raised here, where
// handlers around the instruction catch it. The program never sees the array, but it was allocated.
static Object *end_instruction(Thread *self, Object *o, uint32_t inner) {
    if (__builtin_expect(!o || !thread_async_pending(self), 1)) return o;
    thread_safepoint(self);
    if (!self->exception) return o;
    THREAD_REPORT(allocated, self, o, inner);
    return NULL;
}

Object *object_allocate_array(Thread *self, Class *array_class, int32_t length) {
    return end_instruction(self, allocate_array(self, array_class, length), 0);
}

Object *object_allocate_multi(Thread *self, Class *array_class, int dims, const int32_t *lengths) {
    return end_instruction(self, allocate_multi(self, array_class, dims, lengths), (uint32_t)dims - 1);
}

// ---- objects made by native code and the VM ------------------------------------------------------

void object_report(Thread *self, const Object *o) { THREAD_REPORT(allocated, self, o, 0); }

Object *object_new(Thread *self, Class *cls) {
    Object *o = object_allocate(self, cls);
    if (o) object_report(self, o);
    return o;
}

Object *object_new_array(Thread *self, Class *array_class, int32_t length) {
    Object *o = allocate_array(self, array_class, length);
    if (o) object_report(self, o);
    return o;
}

Object *object_new_prim_array(Thread *self, char elem_type, int32_t length) {
    Class *array_class = object_hooks.array_of(self, class_primitive(elem_type));
    return array_class ? object_new_array(self, array_class, length) : NULL;
}

Object *object_new_multi(Thread *self, Class *array_class, int dims, const int32_t *lengths) {
    Object *o = allocate_multi(self, array_class, dims, lengths);
    if (o) THREAD_REPORT(allocated, self, o, (uint32_t)dims - 1);
    return o;
}

Object *object_clone(Thread *self, Object *o) {
    Class *c = object_class(o);
    Object *copy = class_is_array(c) ? object_new_array(self, c, o->length) : object_new(self, c);
    if (!copy) return NULL;
    if (class_is_array(c)) {
        size_t bytes = (size_t)o->length << c->elem_shift;
        memcpy(ARRAY_DATA(copy, char), ARRAY_DATA(o, char), bytes);
        if (!class_is_primitive(c->component)) barrier_stored_range(BARRIER_clone, ARRAY_DATA(copy, char), bytes);
        return copy;
    }
    memcpy((char *)copy + OBJECT_FIELDS_BASE, (char *)o + OBJECT_FIELDS_BASE, c->instance_size - OBJECT_FIELDS_BASE);
    barrier_stored_range(BARRIER_clone, copy, c->instance_size);
    object_publishable();  // no constructor runs
    if (c->cflags & CF_FINALIZER && !object_hooks.register_finalizer(self, copy)) return NULL;
    return copy;
}

bool object_is_instance(const Object *o, const Class *cls) { return o && class_is_subtype(object_class(o), cls); }

// ---- System.arraycopy ------------------------------------------------------------------------

#define ASE "java/lang/ArrayStoreException"
#define AIOOBE "java/lang/ArrayIndexOutOfBoundsException"

// "int" or "object array": element types as in the messages.
static const char *element_text(const Class *array_class) {
    return class_is_primitive(array_class->component) ? array_class->component->name->text : "object array";
}

static bool throw_mismatch(Thread *self, const Class *sc, const Class *dc) {
    if (!class_is_array(sc))
        object_hooks.throw_wk(self, ASE, "arraycopy: source type %s is not an array", class_external_name(sc));
    else if (!class_is_array(dc))
        object_hooks.throw_wk(self, ASE, "arraycopy: destination type %s is not an array", class_external_name(dc));
    else
        object_hooks.throw_wk(self, ASE, "arraycopy: type mismatch: can not copy %s[] into %s[]", element_text(sc),
                              element_text(dc));
    return false;
}

static bool throw_bounds(Thread *self, Object *src, int32_t sp, Object *dst, int32_t dp, int32_t n) {
    const char *st = element_text(object_class(src)), *dt = element_text(object_class(dst));
    if (sp < 0)
        object_hooks.throw_wk(self, AIOOBE, "arraycopy: source index %d out of bounds for %s[%d]", sp, st, src->length);
    else if (dp < 0)
        object_hooks.throw_wk(self, AIOOBE, "arraycopy: destination index %d out of bounds for %s[%d]", dp, dt,
                              dst->length);
    else if (n < 0) object_hooks.throw_wk(self, AIOOBE, "arraycopy: length %d is negative", n);
    else if ((uint32_t)n + (uint32_t)sp > (uint32_t)src->length)
        object_hooks.throw_wk(self, AIOOBE, "arraycopy: last source index %u out of bounds for %s[%d]",
                              (uint32_t)n + (uint32_t)sp, st, src->length);
    else
        object_hooks.throw_wk(self, AIOOBE, "arraycopy: last destination index %u out of bounds for %s[%d]",
                              (uint32_t)n + (uint32_t)dp, dt, dst->length);
    return false;
}

enum { COPY_PIECE = 1 << 20 };  // bytes between polls

// Copies from the end if the ranges overlap that way. Aligned elements of up to 8 bytes never straddle two pieces.
static void move_elements(Thread *self, char *to, const char *from, size_t bytes, bool references) {
    if (bytes <= COPY_PIECE) {
        memmove(to, from, bytes);
        if (references) barrier_stored_range(BARRIER_arraycopy, to, bytes);
        return;
    }
    bool backwards = to > from && to < from + bytes;
    for (size_t done = 0; done < bytes;) {
        size_t piece = bytes - done < COPY_PIECE ? bytes - done : COPY_PIECE;
        size_t at = backwards ? bytes - done - piece : done;
        memmove(to + at, from + at, piece);
        if (references) barrier_stored_range(BARRIER_arraycopy, to + at, piece);
        done += piece;
        thread_poll(self);
        if (self->exception) return;
    }
}

void object_move_bytes(Thread *self, char *to, const char *from, size_t bytes) {
    move_elements(self, to, from, bytes, false);
}

static bool copy_checked(Thread *self, Object *src, int32_t sp, Object *dst, int32_t dp, int32_t n) {
    const Class *from = object_class(src)->component, *to = object_class(dst)->component;
    Object **s = ARRAY_DATA(src, Object *) + sp, **d = ARRAY_DATA(dst, Object *) + dp;
    for (int32_t i = 0; i < n; i++) {
        Object *o = s[i];
        if (o && !class_is_subtype(object_class(o), to)) {
            if (!class_is_subtype(to, from) && !class_is_interface(to) && !class_is_interface(from))
                object_hooks.throw_wk(self, ASE, "arraycopy: type mismatch: can not copy %s[] into %s[]",
                                      class_external_name(from), class_external_name(to));
            else
                object_hooks.throw_wk(self, ASE,
                                      "arraycopy: element type mismatch: can not cast one of the elements of "
                                      "%s[] to the type of the destination array, %s",
                                      class_external_name(from), class_external_name(to));
            return false;
        }
        d[i] = o;
        barrier_stored(BARRIER_arraycopy_checked, &d[i]);
        if ((i & 0xFFFF) == 0xFFFF) thread_poll(self);
    }
    return true;
}

bool object_arraycopy(Thread *self, Object *src, int32_t sp, Object *dst, int32_t dp, int32_t n) {
    if (!src || !dst) {
        object_hooks.throw_npe(self);
        return false;
    }
    const Class *sc = object_class(src), *dc = object_class(dst);
    bool arrays = class_is_array(sc) && class_is_array(dc);
    if (!arrays || (sc != dc && (class_is_primitive(sc->component) || class_is_primitive(dc->component))))
        return throw_mismatch(self, sc, dc);
    if ((sp | dp | n) < 0 || (uint32_t)n + (uint32_t)sp > (uint32_t)src->length ||
        (uint32_t)n + (uint32_t)dp > (uint32_t)dst->length)
        return throw_bounds(self, src, sp, dst, dp, n);
    if (n == 0) return true;
    if (sc != dc && !class_is_subtype(sc->component, dc->component)) return copy_checked(self, src, sp, dst, dp, n);
    move_elements(self, ARRAY_DATA(dst, char) + ((size_t)dp << dc->elem_shift),
                  ARRAY_DATA(src, char) + ((size_t)sp << sc->elem_shift), (size_t)n << sc->elem_shift,
                  !class_is_primitive(dc->component));
    return true;
}
