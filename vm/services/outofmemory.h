// Actions when memory runs out: -XX:+HeapDumpOnOutOfMemoryError, OnOutOfMemoryError, +CrashOnOutOfMemoryError,
// +ExitOnOutOfMemoryError, in this order.
#ifndef CABERNET_VM_SERVICES_OUTOFMEMORY_H
#define CABERNET_VM_SERVICES_OUTOFMEMORY_H

#include "vm/threads/thread.h"

// Call before throwing an OutOfMemoryError for the heap or for an array's size, on the thread that ran out. Only the
// first call acts. May not return, collects, blocks while commands run, allocates no Java
// objects.
void outofmemory_report(Thread *self, const char *message);

#endif
