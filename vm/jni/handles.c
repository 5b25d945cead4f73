// Handles (vm/jni/handles.h). A thread's blocks form a chain, and a frame of handles is a saved position in it. Deleted
// local slots are linked through themselves with the low bit set, so that a link is never mistaken for a reference. A
// free list belongs to the frame that was current.
//
// Globals: `global_handles.lock` guards the lists and free chains of both tables. Running threads hold it for a few
// instructions, and never across an allocation that may collect.
#include "vm/jni/handles.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/invariant.h"
#include "gc/heap.h"
#include "vm/objects/classes.h"
#include "vm/threads/monitor.h"
#include "vm/threads/thread.h"
#include "vm/model/vm.h"

enum { LOCAL_SLOTS = 126, GLOBAL_SLOTS = 256, RECORD_SLOTS = 5 };

struct HandleBlock {
    HandleBlock *prev, *next;  // next: spare blocks kept after a pop
    Object *slots[LOCAL_SLOTS];
};

// ---- free slots are linked -------------------------------------------------------------------

static Object *free_link(Object **next) { return (Object *)((uintptr_t)next | 1); }
static bool is_free(const Object *value) { return (uintptr_t)value & 1; }
static Object **free_next(Object *value) { return (Object **)((uintptr_t)value & ~(uintptr_t)1); }
static Object **slot_of(jobject ref) { return (Object **)((uintptr_t)ref & ~(uintptr_t)HANDLE_TAG); }

// ---- local handles ---------------------------------------------------------------------------

static void grow(HandleState *h) {
    HandleBlock *next = h->block ? h->block->next : NULL;
    if (!next) {
        next = malloc(sizeof *next);
        if (!next) {
            fputs("cabernet: out of memory for JNI references\n", stderr);
            abort();
        }
        next->prev = h->block;
        next->next = NULL;
        if (h->block) h->block->next = next;
    }
    for (; h->top < h->limit; h->top++) *h->top = NULL;
    h->block = next;
    h->top = next->slots;
    h->limit = next->slots + LOCAL_SLOTS;
}

jobject handle_local(Thread *self, Object *object) {
    HandleState *h = &self->handles;
    if (!object) return NULL;
    Object **slot = h->free;
    if (slot) {
        ASSERT(is_free(*slot), "slot %p of the free chain holds %p", (void *)slot, (void *)*slot);
        h->free = free_next(*slot);
    } else {
        if (h->top == h->limit) grow(h);
        slot = h->top++;
    }
    ASSERT(!is_free(object), "%p is no object", (void *)object);
    ASSERT(thread_is_running(self), "a handle is made in state %u", atomic_load(&self->state));
    *slot = object;
    return (jobject)slot;
}

// Is it a slot of the chain below the current top?
static bool is_chain_slot(const HandleState *h, Object **slot) {
    for (const HandleBlock *b = h->block; b; b = b->prev)
        if (slot >= b->slots && slot < b->slots + LOCAL_SLOTS) return b != h->block || slot < h->top;
    return false;
}

static bool on_java_stack(const Thread *t, Object **slot) {
    return (void *)slot >= (void *)t->stack_base && (void *)slot < (void *)t->stack_limit;
}

void handle_delete_local(Thread *self, jobject ref) {
    HandleState *h = &self->handles;
    Object **slot = slot_of(ref);
    if (!ref || ((uintptr_t)ref & HANDLE_TAG) != HANDLE_LOCAL) return;
    if (is_chain_slot(h, slot)) {
        if (is_free(*slot)) return;
        if (slot + 1 == h->top) {
            h->top--;
        } else {
            *slot = free_link(h->free);
            h->free = slot;
        }
    } else if (on_java_stack(self, slot)) {
        *slot = NULL;
    }
}

void handles_push(Thread *self, HandleMark *mark) {
    HandleState *h = &self->handles;
    if (!h->block) grow(h);
    *mark = *h;
    h->free = NULL;
    h->frame = NULL;
}

// Keeps one spare block, so that a loop at a block boundary does not call malloc each time.
static void drop_spares(HandleBlock *current) {
    HandleBlock *spare = current->next;
    if (!spare) return;
    for (HandleBlock *b = spare->next, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    spare->next = NULL;
}

// Is `block` in use?
static bool in_chain(const HandleState *h, const HandleBlock *block) {
    const HandleBlock *b = h->block;
    while (b && b != block) b = b->prev;
    return b != NULL;
}

void handles_pop(Thread *self, const HandleMark *mark) {
    HandleState *h = &self->handles;
    ASSERT(mark->block && in_chain(h, mark->block), "a frame of handles is popped that is not there");
    ASSERT(mark->top >= mark->block->slots && mark->top <= mark->limit, "the mark is outside of its block");
    bool moved = h->block != mark->block;
    *h = *mark;
    if (moved) drop_spares(h->block);
}

// The record of a local frame is the saved state itself, in five handle slots. The collector may scan them, because
// their words are not object addresses.
void handles_push_local_frame(Thread *self) {
    HandleState *h = &self->handles;
    if (!h->block || h->limit - h->top < RECORD_SLOTS) grow(h);
    HandleState saved = *h;
    Object **record = h->top;
    ASSERT(h->limit - h->top >= RECORD_SLOTS, "%td slots are left", h->limit - h->top);
    record[0] = (Object *)saved.top;
    record[1] = (Object *)saved.limit;
    record[2] = (Object *)saved.free;
    record[3] = (Object *)saved.block;
    record[4] = (Object *)saved.frame;
    h->top += RECORD_SLOTS;
    h->free = NULL;
    h->frame = record;
}

jobject handles_pop_local_frame(Thread *self, jobject result) {
    HandleState *h = &self->handles;
    Object *object = handle_get(result);
    Object **record = h->frame;
    if (record) {
        HandleMark mark = {(Object **)record[0], (Object **)record[1], (Object **)record[2], (HandleBlock *)record[3],
                           (Object **)record[4]};
        handles_pop(self, &mark);
    }
    return handle_local(self, object);
}

void handles_each_local_root(const Thread *thread, RootFn *fn, void *arg) {
    const HandleState *h = &thread->handles;
    for (const HandleBlock *b = h->block; b; b = b->prev)
        fn(arg, ROOT_JNI_LOCAL, NULL, b->slots, b == h->block ? h->top : b->slots + LOCAL_SLOTS);
}

void handles_free(Thread *thread) {
    HandleBlock *b = thread->handles.block;
    if (b) {
        while (b->next) b = b->next;
    }
    for (HandleBlock *prev; b; b = prev) {
        prev = b->prev;
        free(b);
    }
    thread->handles = (HandleState){0};
}

// ---- global handles --------------------------------------------------------------------------

// Blocks of slots. The collector scans those of the strong table, but not those of the weak table.
typedef struct GlobalBlock {
    struct GlobalBlock *next;
    Object **slots;
    uint32_t used;  // high-water mark of slots in use
} GlobalBlock;

typedef struct GlobalTable {
    GlobalBlock *blocks;
    Object **free;
    void *(*alloc)(size_t bytes);
} GlobalTable;

static void *alloc_weak(size_t bytes) { return calloc(1, bytes); }

static struct GlobalHandles {
    pthread_mutex_t lock;
    GlobalTable strong_table;
    GlobalTable weak_table;
} global_handles = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .strong_table = {.alloc = heap_alloc_root},
    .weak_table = {.alloc = alloc_weak},
};

static bool add_block(GlobalTable *t) {
    GlobalBlock *b = malloc(sizeof *b);
    if (!b) return false;
    b->slots = t->alloc(GLOBAL_SLOTS * sizeof(Object *));
    if (!b->slots) {
        free(b);
        return false;
    }
    b->used = 0;
    b->next = t->blocks;
    t->blocks = b;
    return true;
}

static Object **take_slot(GlobalTable *t) {
    Object **slot = t->free;
    if (slot) {
        ASSERT(is_free(*slot), "slot %p of the free chain holds %p", (void *)slot, (void *)*slot);
        t->free = free_next(*slot);
        return slot;
    }
    if ((!t->blocks || t->blocks->used == GLOBAL_SLOTS) && !add_block(t)) return NULL;
    ASSERT(t->blocks->used < GLOBAL_SLOTS, "%u slots of a block are used", t->blocks->used);
    return &t->blocks->slots[t->blocks->used++];
}

static jobject table_new(GlobalTable *t, Object *object, uintptr_t tag) {
    if (!object) return NULL;
    pthread_mutex_lock(&global_handles.lock);
    Object **slot = take_slot(t);
    if (slot) *slot = object;
    pthread_mutex_unlock(&global_handles.lock);
    return slot ? (jobject)((uintptr_t)slot | tag) : NULL;
}

static void table_delete(GlobalTable *t, jobject ref, uintptr_t tag) {
    if (!ref || ((uintptr_t)ref & HANDLE_TAG) != tag) return;
    Object **slot = slot_of(ref);
    pthread_mutex_lock(&global_handles.lock);
    if (!is_free(*slot)) {
        *slot = free_link(t->free);
        t->free = slot;
    }
    pthread_mutex_unlock(&global_handles.lock);
}

static bool table_holds(const GlobalTable *t, Object **slot) {
    bool found = false;
    pthread_mutex_lock(&global_handles.lock);
    for (const GlobalBlock *b = t->blocks; b && !found; b = b->next)
        found = slot >= b->slots && slot < b->slots + b->used && !is_free(*slot);
    pthread_mutex_unlock(&global_handles.lock);
    return found;
}

jobject handle_new_global(Object *object) { return table_new(&global_handles.strong_table, object, HANDLE_GLOBAL); }
void handle_delete_global(jobject ref) { table_delete(&global_handles.strong_table, ref, HANDLE_GLOBAL); }

void handles_each_global_root(RootFn *fn, void *arg) {
    for (const GlobalBlock *b = global_handles.strong_table.blocks; b; b = b->next)
        fn(arg, ROOT_JNI_GLOBAL, NULL, b->slots, b->slots + b->used);
}

jweak handle_new_weak(Object *object) { return table_new(&global_handles.weak_table, object, HANDLE_WEAK); }
void handle_delete_weak(jweak ref) { table_delete(&global_handles.weak_table, ref, HANDLE_WEAK); }

void handles_clear_weak(void) {
    for (GlobalBlock *b = global_handles.weak_table.blocks; b; b = b->next)
        for (uint32_t i = 0; i < b->used; i++) {
            Object *o = b->slots[i];
            if (o && !is_free(o) && !heap_is_marked(o)) b->slots[i] = NULL;
        }
}

// ---- queries -----------------------------------------------------------------------------------

jobjectRefType handle_type(Thread *self, jobject ref) {
    Object **slot = slot_of(ref);
    if (!ref) return JNIInvalidRefType;
    switch ((uintptr_t)ref & HANDLE_TAG) {
        case HANDLE_WEAK:
            return table_holds(&global_handles.weak_table, slot) ? JNIWeakGlobalRefType : JNIInvalidRefType;
        case HANDLE_GLOBAL:
            return table_holds(&global_handles.strong_table, slot) ? JNIGlobalRefType : JNIInvalidRefType;
        case HANDLE_LOCAL: break;
        default: return JNIInvalidRefType;
    }
    bool valid;
    if (is_chain_slot(&self->handles, slot)) {
        valid = !is_free(*slot);
    } else if (on_java_stack(self, slot)) {
        valid = *slot != NULL;
    } else {
        // The only other local handle is the mirror slot of a Class, which static natives receive.
        Object *o = *slot;
        valid = o && heap_is_object(o) && object_class(o) == WK(java_lang_Class) && class_from_mirror(o) &&
            &class_from_mirror(o)->mirror == slot;
    }
    return valid ? JNILocalRefType : JNIInvalidRefType;
}

// ---- monitors of native code -----------------------------------------------------------------

typedef struct JniMonitor {
    struct JniMonitor *next;
    jobject object;
} JniMonitor;

// If there is no memory for the record, the monitor is not exited automatically.
void handles_monitor_entered(Thread *self, Object *object) {
    JniMonitor *m = malloc(sizeof *m);
    if (!m) return;
    *m = (JniMonitor){.next = self->jni_monitors, .object = handle_new_global(object)};
    self->jni_monitors = m;
}

void handles_monitor_exits(Thread *self, const Object *object) {
    JniMonitor **at = &self->jni_monitors;
    while (*at && handle_get((*at)->object) != object) at = &(*at)->next;
    JniMonitor *m = *at;
    if (!m) return;  // entered by synchronized code
    *at = m->next;
    handle_delete_global(m->object);
    free(m);
}

void handles_leave_monitors(Thread *self) {
    while (self->jni_monitors) {
        Object *o = handle_get(self->jni_monitors->object);
        if (!o || !monitor_exit(self, o)) self->exception = NULL;
        handles_monitor_exits(self, o);
    }
}
