// Names of hidden classes in profiles. A hidden class's name has a number that depends on the order in which hidden
// classes were created. To compare profiles of two runs, names must depend only on the class and the place that created
// it (vm/instrument/classlabels.h).
#ifndef CABERNET_VM_JVM_HIDDENPLACE_H
#define CABERNET_VM_JVM_HIDDENPLACE_H

#include "vm/model/class.h"

// The name and place of a hidden class that the current thread is defining: "Main$$Lambda+main:12" if an instruction of
// the lookup class is being linked, at bytecode index 12. Otherwise it ends in '-', to which the caller appends a hash
// of the class. malloc'd. Walks the stack; does not block, allocate Java objects or throw.
char *hiddenplace_text(Thread *self, const Class *lookup, const char *name);

#endif
