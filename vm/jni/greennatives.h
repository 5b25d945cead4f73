// Native methods of the class library that need special treatment with green threads.
#ifndef CABERNET_VM_JNI_GREENNATIVES_H
#define CABERNET_VM_JNI_GREENNATIVES_H

#include "vm/model/class.h"

// The function to bind instead of the library's; NULL for nearly all methods.
void *greennatives_replacement(const Method *m);
// Flags to add to Method.mflags: MF_LONG and what its calls wait for, or 0.
uint32_t greennatives_flags(const Method *m);
// Before a call of a method with MF_LONG: waits for the event that the call would wait for. True: the call is not
// expected to block. Timeout arguments that were used up here become 0. Running state. [switch]
bool greennatives_await(Thread *self, const Method *m, Slot *args);

#endif
