// Locks held and waited for. Locks of a frame: the frame holds that of a synchronized method. Those of monitorenter are
// not recorded. javac keeps each in a local variable for the exit, so the locals of a frame that holds locks are
// searched for objects that the thread owns.
//
// AbstractOwnableSynchronizers (such as ReentrantLock's sync) keep their owner in a field. Only a heap walk finds those
// that a thread owns.
#include "vm/services/threadlocks.h"

#include "vm/loading/arrayclass.h"
#include "vm/model/class.h"
#include "vm/loading/loader.h"
#include "vm/objects/classes.h"
#include "vm/objects/objects.h"
#include "vm/services/services_internal.h"
#include "vm/threads/monitor.h"
#include "vm/objects/symbol.h"
#include "vm/model/vm.h"

enum { CYCLE_LIMIT = 1 << 20, FIRST_GUESS = 256 };

// ---- monitors of a frame -----------------------------------------------------------------------

static bool holds(const Thread *t, const Object *o, bool waited_on) {
    if (waited_on && t->block_kind == BLOCK_WAIT && t->block_object == o) return true;
    return monitor_owner(o) == t->id;
}

static int entered_monitors(const Thread *t, const StackWalk *w, bool waited_on, Object **out) {
    int count = 0;
    for (int i = w->method->max_locals; i-- > 0 && count < THREADLOCKS_MAX - 1;) {
        Object *o = w->locals[i].o;
        // Live objects have a vtable, which is not heap memory; free ones have a link into the heap or NULL.
        const VTable *vt = o && heap_is_object(o) ? o->vt : NULL;
        if (vt && !heap_is_object(vt) && holds(t, o, waited_on)) out[count++] = o;
    }
    // A program variable may hold an object besides the variable that monitorexit needs: drop duplicates from the end.
    for (int i = count; i-- > 1 && count > (int)w->frame->lock_count;) {
        int first = 0;
        while (out[first] != out[i]) first++;
        if (first == i) continue;
        count--;
        for (int j = i; j < count; j++) out[j] = out[j + 1];
    }
    return count;
}

int threadlocks_of_frame(const Thread *t, const StackWalk *w, bool waited_on, Object *out[THREADLOCKS_MAX]) {
    int count = 0;
    if (w->code) {
        Object *entered[THREADLOCKS_MAX];
        int n = stackwalk_compiled_monitors(w, entered, THREADLOCKS_MAX);
        for (int i = 0; i < n; i++)
            if (entered[i] && holds(t, entered[i], waited_on)) out[count++] = entered[i];
        return count;
    }
    if (!w->is_native && w->frame->lock_count > 0) count = entered_monitors(t, w, waited_on, out);
    Object *method_lock = stackwalk_monitor(w);
    if (method_lock && holds(t, method_lock, waited_on)) out[count++] = method_lock;
    return count;
}

// ---- ownable synchronizers ---------------------------------------------------------------------

static Class *ownable_class(size_t *owner_offset) {
    Class *c = atomic_load(&services.ownable);
    if (!c) {
        c = loader_find_loaded(vm.boot_loader, symbol_of("java/util/concurrent/locks/AbstractOwnableSynchronizer"));
        Field *f = c && atomic_load(&c->state) >= CLASS_LINKED
            ? class_find_declared_field(c, symbol_of("exclusiveOwnerThread"), symbol_of("Ljava/lang/Thread;"))
            : NULL;
        if (!f) return NULL;
        atomic_store(&services.ownable_owner, (size_t)f->offset);
        atomic_store(&services.ownable, c);
    }
    *owner_offset = atomic_load(&services.ownable_owner);
    return c;
}

Object *threadlocks_owner(const Object *o) {
    size_t offset;
    Class *c = ownable_class(&offset);
    return c && class_is_subtype(object_class(o), c) ? get_ref(o, offset) : NULL;
}

typedef struct Search {
    Object *array;
    int32_t found;  // may exceed the array's length
} Search;

static void look_at(void *arg, void *object, size_t bytes) {
    (void)bytes;
    Search *s = arg;
    if (!threadlocks_owner(object)) return;
    if (s->found < s->array->length) set_element(s->array, s->found, object);
    s->found++;
}

Object *threadlocks_ownables(Thread *self) {
    size_t offset;
    Class *cls = class_array_of(self, WK(java_lang_Object));
    int32_t room = ownable_class(&offset) ? FIRST_GUESS : 0;
    for (;;) {
        Search s = {cls ? object_new_array(self, cls, room) : NULL, 0};
        if (!s.array || room == 0) return s.array;
        heap_walk(&self->heap, look_at, &s);
        if (s.found <= room) return s.array;
        room = s.found + FIRST_GUESS;
    }
}

// ---- wait-for relation -------------------------------------------------------------------------

Thread *threadlocks_thread(uint32_t id) {
    for (Thread *t = threads.first; id && t; t = t->next)
        if (t->id == id) return t;
    return NULL;
}

Thread *threadlocks_waits_for(const Thread *t, bool synchronizers, Object **lock) {
    Object *o = t->block_object;
    Thread *owner = NULL;
    if (!o) return NULL;
    if (t->block_kind == BLOCK_ENTER) owner = threadlocks_thread(monitor_owner(o));
    if (t->block_kind == BLOCK_PARK && synchronizers) {
        const Object *java_owner = threadlocks_owner(o);
        for (Thread *other = threads.first; java_owner && other && !owner; other = other->next)
            if (other->java_thread == java_owner) owner = other;
    }
    if (lock) *lock = o;
    return owner == t ? NULL : owner;
}

bool threadlocks_leads_cycle(const Thread *t, bool synchronizers) {
    const Thread *at = t;
    for (int i = 0; i < CYCLE_LIMIT; i++) {
        at = threadlocks_waits_for(at, synchronizers, NULL);
        if (!at || at->serial < t->serial) return false;
        if (at == t) return true;
    }
    return false;
}
