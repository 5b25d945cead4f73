// jdk.internal.misc.Unsafe: raw access to fields, array elements and memory outside the heap.
//
// A (base, offset) pair is an address. base is null (offset is the address), an object, or for statics the class's
// mirror. Nothing moves, so base + offset is valid while base is reachable (Field.offset in vm/model/class.h). Plain
// accesses are plain C accesses, volatile ones are sequentially consistent, acquire and release ones are what they say.
// Misaligned accesses only get here on processors that support them (ARCH_UNALIGNED_ACCESS).
//
// Leaves (see intrinsics.h) except where a row of intrinsics.def says otherwise. Long copies and fills poll for a stop,
// so a collection may run in them; the argument slots keep the objects alive.
//
// Memory may be unmapped: a page of a mapped file that was truncated. The signal handler (vm/services/crash.c) must
// know which accesses may hit such a page. Single accesses are in a section of the library that holds nothing else, so
// the check costs nothing; copies and fills, which call the C library, set Thread.touches_unsafe.
#include <stdlib.h>
#include <string.h>

#include "arch_cache.h"
#include "vm/api/thread.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/runtime/exception.h"
#include "vm/natives/intrinsics.h"
#include "vm/natives/intrinsics_impl.h"
#include "vm/linking/link.h"
#include "vm/loading/loader.h"
#include "vm/threads/park.h"
#include "vm/natives/reflect.h"
#include "vm/objects/string.h"
#include "vm/threads/thread.h"
#include "vm/threads/threadevents.h"

// Arguments of every accessor: [0] the Unsafe, [1] base, [2..3] offset, [4...] values.
#define ADDRESS(args, type) ((type *)((char *)(args)[1].o + (args)[2].l))

#define ACCESS __attribute__((section("unsafe_access")))
extern const char __start_unsafe_access[] __attribute__((visibility("hidden")));
extern const char __stop_unsafe_access[] __attribute__((visibility("hidden")));

bool unsafe_is_access(uintptr_t pc) {
    return pc >= (uintptr_t)__start_unsafe_access && pc < (uintptr_t)__stop_unsafe_access;
}

// Synchronisation order for profilers: release before an access that other threads can see, acquire after a read. The
// Java memory model has no order for opaque and plain access.
#define TELL_RELEASE(args) THREAD_REPORT(sync_release, self, (args)[1].o, ADDRESS(args, char))
#define TELL_ACQUIRE(object, address) THREAD_REPORT(sync_acquire, self, object, address)
#define TELL_COMPARED(object, address, set) \
    THREAD_REPORT(compare_and_set, self, object, object ? object_class(object) : NULL, address, set)

void unsafe_nothing(Thread *self, Slot *args) { (void)self, (void)args; }

// ---- access --------------------------------------------------------------------------------------

#define TELL_NOTHING(...) (void)self
// The barrier of a store, for references alone.
#define STORED(site, Type, address) \
    if ((#Type)[0] == 'R') barrier_stored(site, address)
// TELL follows the access, with the object and the address as arguments.
#define LOADER(name, ctype, atype, member, READ, TELL)          \
    ACCESS void name(Thread *self, Slot *args) {                \
        const Object *object = args[1].o;                       \
        const atype *address = ADDRESS(args, atype);            \
        atype raw = __atomic_load_n(address, __ATOMIC_SEQ_CST); \
        ctype value;                                            \
        memcpy(&value, &raw, sizeof value);                     \
        TELL(object, address);                                  \
        (void)object;                                           \
        args[0].member = READ(value);                           \
    }
#define STORER(Type, suffix, ctype, atype, member, WRITE, order, TELL)  \
    ACCESS void unsafe_put##Type##suffix(Thread *self, Slot *args) {    \
        ctype value = (ctype)WRITE(args[4].member);                     \
        atype raw;                                                      \
        memcpy(&raw, &value, sizeof raw);                               \
        TELL(args);                                                     \
        __atomic_store_n(ADDRESS(args, atype), raw, order);             \
        STORED(BARRIER_unsafe_ordered_put, Type, ADDRESS(args, atype)); \
    }

#define GETTERS(Type, ctype, atype, member, READ)                                \
    ACCESS void unsafe_get##Type(Thread *self, Slot *args) {                     \
        (void)self;                                                              \
        ctype value;                                                             \
        memcpy(&value, ADDRESS(args, uint8_t), sizeof value);                    \
        args[0].member = READ(value);                                            \
    }                                                                            \
    LOADER(unsafe_get##Type##Volatile, ctype, atype, member, READ, TELL_ACQUIRE) \
    LOADER(unsafe_get##Type##Opaque, ctype, atype, member, READ, TELL_NOTHING)

#define PUTTERS(Type, ctype, atype, member, WRITE)                                      \
    ACCESS void unsafe_put##Type(Thread *self, Slot *args) {                            \
        (void)self;                                                                     \
        ctype value = (ctype)WRITE(args[4].member);                                     \
        memcpy(ADDRESS(args, uint8_t), &value, sizeof value);                           \
        STORED(BARRIER_unsafe_put, Type, ADDRESS(args, uint8_t));                       \
    }                                                                                   \
    STORER(Type, Volatile, ctype, atype, member, WRITE, __ATOMIC_SEQ_CST, TELL_RELEASE) \
    STORER(Type, Release, ctype, atype, member, WRITE, __ATOMIC_RELEASE, TELL_RELEASE)  \
    STORER(Type, Opaque, ctype, atype, member, WRITE, __ATOMIC_RELEASE, TELL_NOTHING)

#define AS_IS(v) (v)
#define TRUTH(v) ((v) != 0)
#define LOW_BIT(v) ((v)&1)

#define ACCESSORS(Type, ctype, atype, member, READ, WRITE) \
    GETTERS(Type, ctype, atype, member, READ)              \
    PUTTERS(Type, ctype, atype, member, WRITE)

ACCESSORS(Boolean, uint8_t, uint8_t, i, TRUTH, LOW_BIT)
ACCESSORS(Byte, int8_t, uint8_t, i, AS_IS, AS_IS)
ACCESSORS(Short, int16_t, uint16_t, i, AS_IS, AS_IS)
ACCESSORS(Char, uint16_t, uint16_t, i, AS_IS, AS_IS)
ACCESSORS(Int, int32_t, uint32_t, i, AS_IS, AS_IS)
ACCESSORS(Long, int64_t, uint64_t, l, AS_IS, AS_IS)
ACCESSORS(Float, float, uint32_t, f, AS_IS, AS_IS)
ACCESSORS(Double, double, uint64_t, d, AS_IS, AS_IS)
ACCESSORS(Reference, Object *, uintptr_t, o, AS_IS, AS_IS)

// Compare-and-set, compare-and-exchange, exchange. The slot of the second value depends on the width. The complete body
// of a read-modify-write: `result` is what the intrinsic returns.
#define MODIFIER(name, Type, ctype, member, result)     \
    ACCESS void name##Type(Thread *self, Slot *args) {  \
        const Object *object = args[1].o;               \
        ctype *address = ADDRESS(args, ctype);          \
        TELL_RELEASE(args);                             \
        args[0].member = result;                        \
        STORED(BARRIER_unsafe_exchange, Type, address); \
        TELL_ACQUIRE(object, address);                  \
    }
#define EXCHANGERS(Type, ctype, member, second)                                                                  \
    static ACCESS inline bool set_##Type(ctype *address, ctype *expected, ctype value) {                         \
        return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }                                                                                                            \
    static ACCESS inline bool try_##Type(Thread *self, Slot *args, ctype *found) {                               \
        const Object *object = args[1].o;                                                                        \
        ctype *address = ADDRESS(args, ctype);                                                                   \
        *found = (ctype)args[4].member;                                                                          \
        TELL_RELEASE(args);                                                                                      \
        bool set = set_##Type(address, found, (ctype)args[second].member);                                       \
        STORED(BARRIER_unsafe_compare_and_set, Type, address);                                                   \
        TELL_ACQUIRE(object, address);                                                                           \
        TELL_COMPARED(object, address, set);                                                                     \
        return set;                                                                                              \
    }                                                                                                            \
    ACCESS void unsafe_compareAndSet##Type(Thread *self, Slot *args) {                                           \
        ctype found;                                                                                             \
        args[0].i = try_##Type(self, args, &found);                                                              \
    }                                                                                                            \
    ACCESS void unsafe_compareAndExchange##Type(Thread *self, Slot *args) {                                      \
        ctype found;                                                                                             \
        try_##Type(self, args, &found);                                                                          \
        args[0].member = found;                                                                                  \
    }                                                                                                            \
    MODIFIER(unsafe_getAndSet, Type, ctype, member,                                                              \
             __atomic_exchange_n(address, (ctype)args[4].member, __ATOMIC_SEQ_CST))

#define ADDERS(Type, ctype, member)                 \
    MODIFIER(unsafe_getAndAdd, Type, ctype, member, \
             __atomic_fetch_add(address, (ctype)args[4].member, __ATOMIC_SEQ_CST))

EXCHANGERS(Reference, Object *, o, 5)
EXCHANGERS(Byte, int8_t, i, 5)
EXCHANGERS(Short, int16_t, i, 5)
EXCHANGERS(Int, int32_t, i, 5)
EXCHANGERS(Long, int64_t, l, 6)
ADDERS(Byte, int8_t, i)
ADDERS(Short, int16_t, i)
ADDERS(Int, int32_t, i)
ADDERS(Long, int64_t, l)

// Arguments of ScopedMemoryAccess: [0] receiver, [1] the scope, then those of an accessor from its [1] on. A closable
// scope is left to the bytecode, whose frames scoped_closeScope0 finds.
#define SCOPED(name, access)                     \
    ACCESS bool name(Thread *self, Slot *args) { \
        if (args[1].o) return false;             \
        access(self, args + 1);                  \
        args[0] = args[1];                       \
        return true;                             \
    }
#define SCOPED_ACCESSORS(Type)                 \
    SCOPED(scoped_get##Type, unsafe_get##Type) \
    SCOPED(scoped_put##Type, unsafe_put##Type)
SCOPED_ACCESSORS(Byte)
SCOPED_ACCESSORS(Short)
SCOPED_ACCESSORS(Char)
SCOPED_ACCESSORS(Int)
SCOPED_ACCESSORS(Long)
SCOPED_ACCESSORS(Float)
SCOPED_ACCESSORS(Double)

// The last argument says whether the bytes are in big-endian order.
#define SCOPED_UNALIGNED(Type, ctype, member, swap, last)               \
    ACCESS bool scoped_get##Type##Unaligned(Thread *self, Slot *args) { \
        bool swapped = args[5].i != 0;                                  \
        if (!scoped_get##Type(self, args)) return false;                \
        if (swapped) args[0].member = (ctype)swap(args[0].member);      \
        return true;                                                    \
    }                                                                   \
    ACCESS bool scoped_put##Type##Unaligned(Thread *self, Slot *args) { \
        if (args[1].o) return false;                                    \
        if (args[last].i) args[5].member = (ctype)swap(args[5].member); \
        return scoped_put##Type(self, args);                            \
    }
SCOPED_UNALIGNED(Short, int16_t, i, __builtin_bswap16, 6)
SCOPED_UNALIGNED(Char, uint16_t, i, __builtin_bswap16, 6)
SCOPED_UNALIGNED(Int, int32_t, i, __builtin_bswap32, 6)
SCOPED_UNALIGNED(Long, int64_t, l, __builtin_bswap64, 7)

static const char fences[1];  // the address that represents all of them

void unsafe_loadFence(Thread *self, Slot *args) {
    (void)args;
    atomic_thread_fence(memory_order_acquire);
    THREAD_REPORT(sync_acquire, self, NULL, fences);
}

void unsafe_storeFence(Thread *self, Slot *args) {
    (void)args;
    THREAD_REPORT(sync_release, self, NULL, fences);
    atomic_thread_fence(memory_order_release);
}

void unsafe_fullFence(Thread *self, Slot *args) {
    (void)args;
    THREAD_REPORT(sync_release, self, NULL, fences);
    atomic_thread_fence(memory_order_seq_cst);
    THREAD_REPORT(sync_acquire, self, NULL, fences);
}

ACCESS OPERATION(unsafe_getUncompressedObject, args[0].o = *(Object **)(uintptr_t)args[1].l)

    // ---- memory --------------------------------------------------------------------------------------

    // The Java side handles zero-sized requests. NULL causes its OutOfMemoryError.
    OPERATION(unsafe_allocateMemory0, args[0].l = (int64_t)(uintptr_t)malloc((size_t)args[1].l))
        OPERATION(unsafe_reallocateMemory0,
                  args[0].l = (int64_t)(uintptr_t)realloc((void *)(uintptr_t)args[1].l, (size_t)args[3].l))
            OPERATION(unsafe_freeMemory0, free((void *)(uintptr_t)args[1].l))

                enum {
                    PIECE = 1 << 20
                };  // bytes between two polls of a long fill

void unsafe_setMemory0(Thread *self, Slot *args) {
    char *p = ADDRESS(args, char);
    size_t left = (size_t)args[4].l;
    int value = args[6].i & 0xff;
    self->touches_unsafe = true;
    while (left > PIECE && !self->exception) {
        memset(p, value, PIECE);
        p += PIECE, left -= PIECE;
        thread_poll(self);
    }
    if (!self->exception) memset(p, value, left);
    self->touches_unsafe = false;
}

void unsafe_copyMemory0(Thread *self, Slot *args) {
    const char *src = ADDRESS(args, char);
    char *dst = (char *)args[4].o + args[5].l;
    self->touches_unsafe = true;
    object_move_bytes(self, dst, src, (size_t)args[7].l);
    self->touches_unsafe = false;
}

static void swap_element(char *dst, const char *src, size_t width) {
    uint16_t h;
    uint32_t w;
    uint64_t d;
    switch (width) {
        case 2:
            memcpy(&h, src, 2);
            h = __builtin_bswap16(h);
            memcpy(dst, &h, 2);
            break;
        case 4:
            memcpy(&w, src, 4);
            w = __builtin_bswap32(w);
            memcpy(dst, &w, 4);
            break;
        default:
            memcpy(&d, src, 8);
            d = __builtin_bswap64(d);
            memcpy(dst, &d, 8);
    }
}

void unsafe_copySwapMemory0(Thread *self, Slot *args) {
    const char *src = ADDRESS(args, char);
    char *dst = (char *)args[4].o + args[5].l;
    size_t bytes = (size_t)args[7].l, width = (size_t)args[9].l;
    bool backwards = dst > src && dst < src + bytes;
    self->touches_unsafe = true;
    for (size_t done = 0; done < bytes && !self->exception; done += width) {
        size_t at = backwards ? bytes - done - width : done;
        swap_element(dst + at, src + at, width);
        if (done % PIECE == 0 && done != 0) thread_poll(self);
    }
    self->touches_unsafe = false;
}

ACCESS OPERATION(unsafe_writeback0, arch_cache_write_back((const void *)(uintptr_t)args[1].l))

    OPERATION(unsafe_writebackSync, arch_cache_write_back_wait())

    // ---- fields and arrays ---------------------------------------------------------------------------

    // The member of a java.lang.reflect.Field that must be static, or must not be; NULL with IllegalArgumentException
    // pending.
    static Field *field_argument(Thread *self, const Object *reflected, bool is_static) {
    Field *f = reflect_field_of(reflected);
    if (((f->flags & ACC_STATIC) != 0) == is_static) return class_link(self, f->cls) ? f : NULL;
    throw_wk(self, "java/lang/IllegalArgumentException", NULL);
    return NULL;
}

#define FIELD_QUERY(name, is_static, member, value)                  \
    void name(Thread *self, Slot *args) {                            \
        const Field *f = field_argument(self, args[1].o, is_static); \
        if (f) args[0].member = (value);                             \
    }
FIELD_QUERY(unsafe_objectFieldOffset0, false, l, f->offset)
FIELD_QUERY(unsafe_staticFieldOffset0, true, l, f->offset)
FIELD_QUERY(unsafe_staticFieldBase0, true, o, f->cls->mirror)

void unsafe_objectFieldOffset1(Thread *self, Slot *args) {
    Class *cls = class_from_mirror(args[1].o);
    Symbol *name = string_to_symbol(args[2].o, false);
    if (!class_link(self, cls)) return;
    for (Class *c = cls; c; c = c->super)
        for (uint32_t i = 0; i < c->field_count; i++)
            if (c->fields[i].name == name) {
                args[0].l = c->fields[i].offset;
                return;
            }
    throw_wk(self, "java/lang/InternalError", "%s", name->text);
}

static Class *array_argument(Thread *self, Object *mirror) {
    Class *cls = class_from_mirror(mirror);
    if (class_is_array(cls)) return cls;
    throw_wk(self, "java/lang/IllegalArgumentException", "%s is no array class", class_external_name(cls));
    return NULL;
}

OPERATION(unsafe_arrayBaseOffset0, if (array_argument(self, args[1].o)) args[0].i = ARRAY_BASE)

void unsafe_arrayIndexScale0(Thread *self, Slot *args) {
    Class *cls = array_argument(self, args[1].o);
    if (cls) args[0].i = 1 << cls->elem_shift;
}

// The contents of the new array may be undefined, but ours are always cleared. A reference type is rejected as in
// HotSpot's Java fallback.
bool unsafe_allocateUninitializedArray0(Thread *self, Slot *args) {
    if (!args[1].o) return false;
    Class *component = class_from_mirror(args[1].o);
    if (!class_is_primitive(component) || component->prim == 'V') return false;
    args[0].o = object_new_prim_array(self, component->prim, args[2].i);
    return true;
}

// ---- classes -------------------------------------------------------------------------------------

void unsafe_shouldBeInitialized0(Thread *self, Slot *args) {
    (void)self;
    Class *cls = class_from_mirror(args[1].o);
    args[0].i = !class_is_primitive(cls) && !class_is_initialized(cls);
}

void unsafe_ensureClassInitialized0(Thread *self, Slot *args) {
    Class *cls = class_from_mirror(args[1].o);
    if (!class_is_primitive(cls)) class_initialize(self, cls);
}

void unsafe_allocateInstance(Thread *self, Slot *args) {
    if (!args[1].o) {
        throw_npe(self);
        return;
    }
    Class *cls = class_from_mirror(args[1].o);
    bool abstract = (cls->access & (ACC_ABSTRACT | ACC_INTERFACE)) != 0;
    if (abstract || class_is_array(cls) || class_is_primitive(cls) || cls == WK(java_lang_Class)) {
        throw_wk(self, "java/lang/InstantiationException", "%s", class_external_name(cls));
        return;
    }
    if (class_initialize(self, cls)) args[0].o = object_new(self, cls);
}

void unsafe_defineClass0(Thread *self, Slot *args) {
    Object *name = args[1].o, *bytes = args[2].o, *loader = args[5].o;
    int32_t offset = args[3].i, length = args[4].i;
    if (!bytes) {
        throw_npe(self);
        return;
    }
    if (length < 0 || offset < 0 || offset > bytes->length - length) {
        throw_wk(self, "java/lang/ArrayIndexOutOfBoundsException", NULL);
        return;
    }
    Loader *l = loader_of(self, loader);
    if (!l) return;
    DefineOptions options = {
        .expected_name = !name ? NULL : string_to_symbol(name, true),
        .protection_domain = args[6].o,
        .trusted = !loader,
    };
    Class *cls = loader_define(self, l, ARRAY_DATA(bytes, uint8_t) + offset, (size_t)length, &options);
    if (cls) args[0].o = cls->mirror;
}

void unsafe_throwException(Thread *self, Slot *args) {
    if (!args[1].o) throw_npe(self);
    else throw_object(self, args[1].o);
}

// ---- threads and the machine ---------------------------------------------------------------------

OPERATION(unsafe_park, thread_park(self, args[1].i != 0, args[2].l))
OPERATION(unsafe_unpark, if (args[1].o) thread_unpark(args[1].o))

void unsafe_getLoadAverage0(Thread *self, Slot *args) {
    (void)self;
    double load[3];
    int wanted = args[2].i;
    int got = getloadavg(load, wanted);
    for (int i = 0; i < got; i++) ARRAY_DATA(args[1].o, double)[i] = load[i];
    args[0].i = got;
}
