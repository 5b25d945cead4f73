// Resolution ahead of execution: a method that is compiled or translated at its first call has executed nothing, so all its
// instructions would be exits.
#ifndef CABERNET_VM_PRELINK_H
#define CABERNET_VM_PRELINK_H

#include "vm/interp/interp.h"

// Quickens what needs no class loading, no class initialisation and no Java code: JVMS 5.4 allows
// resolution at any time before the first use. What fails is left for the interpreter, which will report it
// when it gets there. `args`: the arguments, on the Java stack; the method is decoded. May allocate and collect;
// leaves no exception.
void prelink_method(Thread *self, Method *m, Slot *args);

// The same for a method that is not being called: its class is linked, which runs no code of the program, and the method decoded.
// `room`: Java stack that nobody uses. Nothing happens if the class cannot be linked.
void prelink_uncalled(Thread *self, Method *m, Slot *room);

#endif
