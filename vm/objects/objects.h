// Creating, copying and comparing objects. vm/model/object.h has their layout.
#ifndef CABERNET_VM_OBJECTS_OBJECTS_H
#define CABERNET_VM_OBJECTS_OBJECTS_H

#include "vm/model/object.h"

// Allocation. Each function may collect (a safepoint) and returns NULL with OutOfMemoryError (or
// NegativeArraySizeException) pending. `object_new` does not initialise the class; callers do.
Object *object_new(Thread *self, Class *cls);
Object *object_new_array(Thread *self, Class *array_class, int32_t length);
// "Requested array size exceeds VM limit" above INT32_MAX - 2, as HotSpot.
Object *object_new_multi(Thread *self, Class *array_class, int dims, const int32_t *lengths);
Object *object_new_prim_array(Thread *self, char elem_type /* Z B C S I J F D */, int32_t length);
// The same for instructions, which report the allocation event themselves; the functions above and object_clone report
// it for the instruction being executed. The array functions poll for an exception of Thread.stop, so any exception may
// be pending.
Object *object_allocate(Thread *self, Class *cls);
Object *object_allocate_array(Thread *self, Class *array_class, int32_t length);
Object *object_allocate_multi(Thread *self, Class *array_class, int dims, const int32_t *lengths);
// An instance, or an array of `length` elements, that the program must see as already allocated: exceeds the heap's
// limit if necessary; *beyond, unless NULL, tells whether. Never NULL, throws nothing, reports nothing. Not for
// subclasses of Reference.
Object *object_allocate_beyond(Thread *self, Class *cls, int32_t length, bool *beyond);
// Reports an object that was created without these functions (vm/runtime/exception.c).
void object_report(Thread *self, const Object *o);
// Shallow copy for Object.clone of arrays and Cloneable objects (does not check Cloneable). A clone of a finalizable
// object is registered, and a clone of a Reference is registered with the heap.
Object *object_clone(Thread *self, Object *o);

// instanceof on classes; never loads classes (JVMS 6.5 instanceof). The fast path is inline in class.h.
bool object_is_instance(const Object *o, const Class *cls);  // null is not an instance

// memmove that polls occasionally, for memory of any size. [switch]
void object_move_bytes(Thread *self, char *to, const char *from, size_t bytes);

// System.arraycopy with HotSpot's checks and messages; throws by leaving an exception pending. Polls for a stop between
// pieces of a long copy.
bool object_arraycopy(Thread *self, Object *src, int32_t sp, Object *dst, int32_t dp, int32_t n);

#endif
