// The part of a thread's Java stack that a collection scans: see framemaps.c.
#ifndef CABERNET_VM_INTERP_FRAMEMAPS_H
#define CABERNET_VM_INTERP_FRAMEMAPS_H

#include "vm/threads/thread.h"

// Inside push_roots (gc/heap.h), on the collector thread; the world is stopped. Pushes the words of the frames of `t`
// from which the program or the VM can still reach an object.
void framemaps_push(const Thread *t);

#endif
