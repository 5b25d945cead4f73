// Global roots: variables in malloc or static memory that hold a reference and are scanned at each collection.
#ifndef CABERNET_VM_THREADS_ROOTS_H
#define CABERNET_VM_THREADS_ROOTS_H

#include "vm/model/object.h"

// From now on each of the `count` slots holds a reference or NULL. Any running thread; takes a lock briefly; never
// collects.
void root_add(Object **slots, size_t count);
void root_push_all(void);  // collector, inside push_roots

#endif
