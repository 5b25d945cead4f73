// The part of a thread's Java stack that a collection scans: see framemaps.c.
#ifndef CABERNET_VM_INTERP_FRAMEMAPS_H
#define CABERNET_VM_INTERP_FRAMEMAPS_H

#include "vm/threads/roots.h"
#include "vm/threads/thread.h"

// Collector thread, world stopped. Passes the words of the frames of `t` from which the program or the VM can still
// reach an object to `fn`, from the innermost frame outwards. May call malloc.
void framemaps_each_root(const Thread *t, RootFn *fn, void *arg);

#endif
