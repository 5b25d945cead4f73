// Resolution ahead of execution. A method that is compiled or translated at its first call has executed no instruction,
// so without it all its instructions would be exits.
#ifndef CABERNET_VM_INTERP_PRELINK_H
#define CABERNET_VM_INTERP_PRELINK_H

#include "vm/interp/interp.h"

// Quickens the instructions that need no class loading, no class initialisation and no Java code: JVMS 5.4 allows
// resolution at any time before the first use. Instructions that fail stay unresolved, and the interpreter reports the
// error when it executes them. `args`: the arguments, on the Java stack; the method is decoded. May allocate and
// collect; leaves no exception.
void prelink_method(Thread *self, Method *m, Slot *args);

// The same for a method that is not being called. Links its class, which runs no code of the program, and decodes the
// method. `room`: unused Java stack. Has no effect if the class cannot be linked.
void prelink_uncalled(Thread *self, Method *m, Slot *room);

#endif
