// Native methods of the class library that green threads treat in their own way.
#ifndef CABERNET_VM_GREENNATIVES_H
#define CABERNET_VM_GREENNATIVES_H

#include "vm/model/class.h"

// The function to bind instead of the library's, NULL for nearly all.
void *greennatives_replacement(const Method *m);
// What to add to Method.mflags: MF_LONG and what calls of it wait for, or nothing.
uint32_t greennatives_flags(const Method *m);
// Before a call of a method with MF_LONG: waits for what the call would wait for. True: the call will
// not last, as far as can be told. Timeouts among the arguments that have been spent here are 0 after it.
// Running state. [switch]
bool greennatives_await(Thread *self, const Method *m, Slot *args);

#endif
