// The words on a thread's C stack that a collection scans: see codestack.c.
#ifndef CABERNET_VM_CODE_CODESTACK_H
#define CABERNET_VM_CODE_CODESTACK_H

#include "vm/threads/thread.h"

// Called inside push_roots (gc/heap.h), with the world stopped, on the collector thread. Pushes the words of the C
// stack of `t`, from published_sp up, that may be live references. May call malloc.
void codestack_push(const Thread *t);

#endif
