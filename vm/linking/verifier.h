// Verification of application loaders' classes: bytecode/verifier/verify.h with callbacks about other classes.
#ifndef CABERNET_VM_LINKING_VERIFIER_H
#define CABERNET_VM_LINKING_VERIFIER_H

#include "vm/model/class.h"

// JVMS 4.10. Type checking for class files of version 50 and later, type inference by the JDK's libverify for older
// ones. False with VerifyError, ClassFormatError or the exception of loading a class pending. Loads classes, so it may
// run Java code.
bool verifier_check(Thread *self, Class *cls);

#endif
