// What a collection looks at in the C stack of a thread: see codestack.c.
#ifndef CABERNET_VM_CODESTACK_H
#define CABERNET_VM_CODESTACK_H

#include "vm/threads/thread.h"

// Inside push_roots (gc/heap.h): the world is stopped, on the collector thread. Pushes the words of the C stack of `t`, from
// published_sp up, that may be references somebody still uses. May take memory with malloc.
void codestack_push(const Thread *t);

#endif
