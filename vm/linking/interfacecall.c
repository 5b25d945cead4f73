// Interface calls (vm/linking/interfacecall.h).
#include "vm/linking/interfacecall.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/invariant.h"
#include "vm/base/arena.h"
#include "vm/linking/link.h"
#include "vm/loading/metaspace.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"

const InterfaceCall interfacecall_none;

// All pairs, each in the metaspace of the vtable's class. Only grows while threads run. The slow path of every
// interface call reads the chains without the lock, so this is not a HashTable (base/hash.h), which moves its items
// when it grows.
enum { BUCKETS = 4096 };
static struct InterfaceCalls {
    InterfaceCall *_Atomic buckets[BUCKETS];
    pthread_mutex_t lock;
    _Atomic uint32_t conflicts;  // in IMT slots
} interface_calls = {.lock = PTHREAD_MUTEX_INITIALIZER};

static InterfaceCall *_Atomic *bucket_of(const VTable *vt, const Method *imethod) {
    uint64_t h = ((uintptr_t)vt >> 4) * UINT64_C(0x9e3779b97f4a7c15);
    h ^= ((uintptr_t)imethod >> 4) * 31;
    return &interface_calls.buckets[(h ^ h >> 32) % BUCKETS];
}

static InterfaceCall *search(const VTable *vt, const Method *imethod) {
    InterfaceCall *c = atomic_load_explicit(bucket_of(vt, imethod), memory_order_acquire);
    while (c && (c->vt != vt || c->imethod != imethod)) c = c->next;
    return c;
}

static const InterfaceCall *make(Thread *self, const VTable *vt, Method *imethod) {
    Method *target = itable_lookup(vt, imethod);
    if (target) {
        InterfaceCall *_Atomic *bucket = bucket_of(vt, imethod);
        ASSERT(class_is_interface(imethod->cls) && target->nargs == imethod->nargs, "%s.%s is selected for %s",
               target->cls->name->text, target->name->text, imethod->name->text);
        pthread_mutex_lock(&interface_calls.lock);
        InterfaceCall *c = search(vt, imethod);
        if (!c) {
            c = arena_alloc(&vt->cls->space->arena, sizeof *c);
            *c = (InterfaceCall){vt, imethod, target, atomic_load_explicit(bucket, memory_order_relaxed)};
            atomic_store_explicit(bucket, c, memory_order_release);
        }
        pthread_mutex_unlock(&interface_calls.lock);
        return c;
    }
    throw_wk(self, "java/lang/IncompatibleClassChangeError", "Class %s does not implement the requested interface %s",
             class_external_name(vt->cls), class_external_name(imethod->cls));
    return NULL;
}

// ---- interface method tables --------------------------------------------------------------------

void interfacecall_begin(VTable *vt) {
    for (int i = 0; i < IMT_SLOTS; i++) atomic_init(&vt->imt[i], &interfacecall_none);
}

// Methods of one interface have consecutive slots. The names of hidden classes differ between runs.
uint32_t interfacecall_slot(const Method *imethod) {
    const Class *c = imethod->cls;
    ASSERT(imethod->itable_index >= 0, "%s.%s has no place in a table", c->name->text, imethod->name->text);
    return ((c->cflags & CF_HIDDEN ? 0 : c->name->hash) + (uint32_t)imethod->itable_index) % IMT_SLOTS;
}

const InterfaceCall *interfacecall_find(const VTable *vt, const Method *imethod) {
    const InterfaceCall *c = atomic_load_explicit(&vt->imt[interfacecall_slot(imethod)], memory_order_acquire);
    return c->imethod == imethod ? c : search(vt, imethod);
}

const InterfaceCall *interfacecall_select(Thread *self, VTable *vt, Method *imethod) {
    const InterfaceCall *c = search(vt, imethod);
    if (!c) c = make(self, vt, imethod);
    if (c) {
        // Pairs that share a slot replace each other only occasionally: otherwise threads that call both would write to
        // the vtable at every call.
        const InterfaceCall *_Atomic *slot = &vt->imt[interfacecall_slot(c->imethod)];
        const InterfaceCall *there = atomic_load_explicit(slot, memory_order_relaxed);
        if (there != c &&
            (there == &interfacecall_none ||
             atomic_fetch_add_explicit(&interface_calls.conflicts, 1, memory_order_relaxed) % 64 == 0))
            atomic_store_explicit(slot, c, memory_order_release);
    }
    return c;
}

// ---- unloading ----------------------------------------------------------------------------------

// The interface and the target are in the vtable's class or its supertypes, so they do not die before it.
void interfacecall_forget_dead(void) {
    for (int i = 0; i < BUCKETS; i++) {
        InterfaceCall *live = NULL, *next;
        for (InterfaceCall *c = atomic_load(&interface_calls.buckets[i]); c; c = next) {
            next = c->next;
            if (class_is_dead(c->vt->cls)) continue;
            c->next = live;
            live = c;
        }
        atomic_store(&interface_calls.buckets[i], live);
    }
}
