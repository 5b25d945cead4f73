// The heap's callbacks (gc/heap.h) in terms of threads, handles, roots and weak tables.
#ifndef CABERNET_VM_HEAPGLUE_H
#define CABERNET_VM_HEAPGLUE_H

#include "vm/threads/thread.h"

// heap_init with the options' sizes. Before the first attach. False: *error is static text.
bool heapglue_init(const char **error);
// When the offsets of java.lang.ref.Reference are known and roots are complete: tells the heap the
// layout and lets collections begin.
void heapglue_enable(void);

#endif
