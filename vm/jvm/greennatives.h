// Native methods of the class library that green threads treat in their own way.
#ifndef CABERNET_VM_GREENNATIVES_H
#define CABERNET_VM_GREENNATIVES_H

#include "vm/classes/class.h"

// The function to bind instead of the library's, NULL for nearly all.
void *greennatives_replacement(const Method *m);
// Calls of it wait for the outside world.
bool greennatives_is_long(const Method *m);

#endif
