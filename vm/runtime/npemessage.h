// Helpful NullPointerException messages (JEP 358): the expression that was null, computed from the bytecode.
#ifndef CABERNET_VM_RUNTIME_NPEMESSAGE_H
#define CABERNET_VM_RUNTIME_NPEMESSAGE_H

#include "vm/model/class.h"

// The message of a NullPointerException that the instruction at `bci` of `m` raised, malloc'd; NULL: that instruction
// cannot raise one, or the exception was created explicitly (a constructor call). Pure function of the class file; any
// thread; neither allocates in the heap nor throws.
char *npe_message(const Method *m, int bci);

#endif
