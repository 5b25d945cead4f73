// The heap's callbacks (gc/heap.h), implemented with threads, handles, roots and weak tables.
#ifndef CABERNET_VM_HEAPGLUE_H
#define CABERNET_VM_HEAPGLUE_H

#include "vm/threads/thread.h"

// Calls heap_init with the sizes from the options. Before the first attach. False: *error is static text.
bool heapglue_init(const char **error);
// Call when the offsets of java.lang.ref.Reference are known and roots are complete: gives the heap the layout and
// enables collections.
void heapglue_enable(void);

#endif
