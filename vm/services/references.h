// Delivers references that a collection has cleared to the Reference Handler.
#ifndef CABERNET_VM_SERVICES_REFERENCES_H
#define CABERNET_VM_SERVICES_REFERENCES_H

#include "vm/threads/thread.h"

// JVM_WaitForReferencePendingList: returns when there are pending references. One thread at a time. [switch]
void references_wait(Thread *self);
// References are pending: wakes the waiting thread. Any thread; the heap's callback.
void references_pending(void);

#endif
