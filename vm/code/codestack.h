// The words on a thread's C stack that a collection scans: see codestack.c.
#ifndef CABERNET_VM_CODE_CODESTACK_H
#define CABERNET_VM_CODE_CODESTACK_H

#include "vm/threads/roots.h"
#include "vm/threads/thread.h"

// Collector thread, world stopped. Passes the words of the C stack of `t`, from published_sp up, that may be live
// references to `fn`, from the innermost frame outwards. May call malloc.
void codestack_each_root(const Thread *t, RootFn *fn, void *arg);

#endif
