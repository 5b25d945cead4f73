// Global roots: variables in malloc or static memory that hold a reference and are scanned at each
// collection.
#ifndef CABERNET_VM_ROOTS_H
#define CABERNET_VM_ROOTS_H

#include "vm/model/object.h"

// `slot` holds a reference or NULL from now on. Any running thread; a lock for a moment; never
// collects.
void root_add(Object **slot);
// Adds `count` slots from `slots` on as one range.
void root_add_range(Object **slots, size_t count);
void root_push_all(void);  // collector, inside push_roots

#endif
