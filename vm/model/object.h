// Objects: the only definition of the layout of a Java object in memory.
//
// Word 0 is the class's vtable pointer: Boehm reads the marking descriptor from the vtable's second word. Then come a
// 32-bit lock word and 32 bits that are the length of an array or the first field bytes of any other object. References
// are full pointers and objects never move, so an address inside an object is valid as long as the object is reachable.
//
// References may live only in thread stacks (C and Java), in GC memory and in registered roots, never in malloc memory:
// the collector cannot see them there.
#ifndef CABERNET_VM_MODEL_OBJECT_H
#define CABERNET_VM_MODEL_OBJECT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/model/barrier.h"

typedef struct Object Object;
typedef struct VTable VTable;
typedef struct Class Class;
typedef struct Method Method;
typedef struct Field Field;
typedef struct Loader Loader;
typedef struct Metaspace Metaspace;
typedef struct Symbol Symbol;
typedef struct Thread Thread;
typedef struct Frame Frame;
typedef union Insn Insn;

struct Object {
    VTable *vt;
    _Atomic uint32_t lock;  // see vm/threads/monitor.h for the encoding (thin lock, hash, or monitor index)
    int32_t length;         // arrays only; first field bytes of other objects
};

enum {
    OBJECT_FIELDS_BASE = 12,  // first byte a field may occupy
    ARRAY_BASE = 16,          // first element, for every element type (Unsafe.arrayBaseOffset)
};

// One operand-stack or local-variable slot. long and double take two slots; the value is in the first (lower) one and
// the second is undefined. Sub-int values are held as sign- or zero-extended ints.
typedef union Slot {
    int32_t i;
    uint32_t u;
    int64_t l;
    float f;
    double d;
    Object *o;
    void *p;
    uintptr_t raw;
} Slot;
static_assert(sizeof(Slot) == 8, "a slot is one machine word");

enum { IMT_SLOTS = 16 };

// A vtable lives as long as its class: in the class's metaspace or, when the class may be unloaded, in the heap, where
// it makes instances keep their class. `methods` has cls->vtable_length entries. Arrays have Object's entries.
struct VTable {
    Class *cls;
    uintptr_t gc_descr;          // Boehm descriptor; must be word 1 (gc/heap.h)
    Object *mirror;              // in the heap only; must be word 2 (gc/heap.h)
    struct ITableEntry *itable;  // see vm/linking/link.h
    uint32_t itable_length;
    uint32_t instance_size;                              // bytes, for non-arrays; 8-byte multiple
    const struct InterfaceCall *_Atomic imt[IMT_SLOTS];  // see vm/linking/interfacecall.h
    Method *methods[];
};

static inline Class *object_class(const Object *o) { return o->vt->cls; }

// After the header of a new object has been stored, and at the end of a constructor: any thread that sees the object,
// even through a race, sees its class, its length, its fields' default values and its final fields (JLS 17.4.4, 17.5).
// The reader gets to them through the reference: dependent loads need no ordering on any processor but Alpha.
static inline void object_publishable(void) { atomic_thread_fence(memory_order_release); }

#define FIELD_AT(obj, offset, type) (*(type *)((char *)(obj) + (offset)))
#define ARRAY_DATA(arr, type) ((type *)((char *)(arr) + ARRAY_BASE))

static inline Object *get_ref(const Object *o, size_t off) { return FIELD_AT(o, off, Object *); }
static inline void set_ref(Object *o, size_t off, Object *value) {
    FIELD_AT(o, off, Object *) = value;
    barrier_stored(BARRIER_vm_field, &FIELD_AT(o, off, Object *));
}
static inline void set_element(Object *array, int32_t index, Object *value) {
    ARRAY_DATA(array, Object *)[index] = value;
    barrier_stored(BARRIER_vm_element, &ARRAY_DATA(array, Object *)[index]);
}
static inline int32_t get_int(const Object *o, size_t off) { return FIELD_AT(o, off, int32_t); }
static inline void set_int(Object *o, size_t off, int32_t value) { FIELD_AT(o, off, int32_t) = value; }
static inline int64_t get_long(const Object *o, size_t off) { return FIELD_AT(o, off, int64_t); }
static inline void set_long(Object *o, size_t off, int64_t value) { FIELD_AT(o, off, int64_t) = value; }

// Fields of the class library that the VM and Java code both use as volatile ones, or that publish data that the VM has
// just stored (JLS 17.4.4): a load of the value sees everything written before the store.
static inline int64_t get_long_acquire(const Object *o, size_t off) {
    return __atomic_load_n(&FIELD_AT(o, off, int64_t), __ATOMIC_ACQUIRE);
}
static inline void set_long_release(Object *o, size_t off, int64_t value) {
    __atomic_store_n(&FIELD_AT(o, off, int64_t), value, __ATOMIC_RELEASE);
}
static inline int32_t get_int_acquire(const Object *o, size_t off) {
    return __atomic_load_n(&FIELD_AT(o, off, int32_t), __ATOMIC_ACQUIRE);
}
static inline void set_int_release(Object *o, size_t off, int32_t value) {
    __atomic_store_n(&FIELD_AT(o, off, int32_t), value, __ATOMIC_RELEASE);
}

#endif
