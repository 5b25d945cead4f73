#include "vm/services/references.h"

#include "gc/heap.h"

// The Reference Handler, which never ends, once it has waited.
static _Atomic(Thread *) waiter;

void references_pending(void) {
    Thread *t = atomic_load(&waiter);
    if (t) thread_wake(t);
}

void references_wait(Thread *self) {
    atomic_store(&waiter, self);
    while (!heap_has_pending_list()) thread_block(self, THREAD_FOREVER);
}
