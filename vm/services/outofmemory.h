// What the options want done when memory runs out: -XX:OnOutOfMemoryError, +CrashOnOutOfMemoryError,
// +ExitOnOutOfMemoryError; +HeapDumpOnOutOfMemoryError is told that there is none.
#ifndef CABERNET_VM_OUTOFMEMORY_H
#define CABERNET_VM_OUTOFMEMORY_H

#include "vm/threads/thread.h"

// To be called before an OutOfMemoryError for the heap or for an array's size is thrown, on the
// thread that ran out. Does something at the first call only. May not return, blocks while commands
// run, allocates no Java objects.
void outofmemory_report(Thread *self, const char *message);

#endif
