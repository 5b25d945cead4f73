// The heap's callbacks (gc/heap.h), implemented with threads, handles, roots and weak tables.
#ifndef CABERNET_VM_BOOT_HEAPGLUE_H
#define CABERNET_VM_BOOT_HEAPGLUE_H

#include "vm/threads/thread.h"

// Calls heap_init with the sizes from the options. Before the first attach. False: *error is static text.
bool heapglue_init(const char **error);

#endif
