// What profiles call a hidden class. Its name has a number that depends on the order in which hidden classes were made; profiles of two runs
// need names that depend on the class and on the place that made it (vm/instrument/classlabels.h).
#ifndef CABERNET_VM_JVM_HIDDENPLACE_H
#define CABERNET_VM_JVM_HIDDENPLACE_H

#include "vm/model/class.h"

// The name and the place for a hidden class that the current thread defines now: "Main$$Lambda+main:12" where an instruction of the lookup
// class is being linked, at bytecode index 12; else it ends in '-', behind which a hash of the class belongs. malloc'd. Walks the stack;
// does not block, allocate Java objects or throw.
char *hiddenplace_text(Thread *self, const Class *lookup, const char *name);

#endif
