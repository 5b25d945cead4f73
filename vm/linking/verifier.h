// Verification of classes of application loaders: bytecode/verifier/verify.h with answers about other
// classes.
#ifndef CABERNET_VM_VERIFIER_H
#define CABERNET_VM_VERIFIER_H

#include "vm/model/class.h"

// JVMS 4.10. Type checking for class files of version 50 and later, type inference by the JDK's
// libverify for older ones. False with VerifyError, ClassFormatError or what loading a class threw
// pending. Loads classes, so it may run Java code.
bool verifier_check(Thread *self, Class *cls);

#endif
