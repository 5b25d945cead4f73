#include "vm/services/references.h"

#include "gc/heap.h"
#include "vm/services/services_internal.h"

void references_pending(void) {
    Thread *t = atomic_load(&services.reference_handler);
    if (t) thread_wake(t);
}

void references_wait(Thread *self) {
    atomic_store(&services.reference_handler, self);
    while (!heap_has_pending_list()) thread_block(self, THREAD_FOREVER);
}
