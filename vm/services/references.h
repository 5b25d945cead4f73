// The Reference Handler's way to references that a collection has cleared.
#ifndef CABERNET_VM_REFERENCES_H
#define CABERNET_VM_REFERENCES_H

#include "vm/threads/thread.h"

// JVM_WaitForReferencePendingList: returns when there are some. One thread at a time. [switch]
void references_wait(Thread *self);
// There are some: wakes who waits. Any thread; the heap's callback.
void references_pending(void);

#endif
