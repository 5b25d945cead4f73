// What a collection looks at in the Java stack of a thread: see framemaps.c.
#ifndef CABERNET_VM_FRAMEMAPS_H
#define CABERNET_VM_FRAMEMAPS_H

#include "vm/threads/thread.h"

// Inside push_roots (gc/heap.h): the world is stopped, on the collector thread. Pushes the words of the frames of `t`
// from which the program, or the VM, can still get at an object.
void framemaps_push(const Thread *t);

#endif
