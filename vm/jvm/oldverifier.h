// Verification by type inference (JVMS 4.10.2) for class files before version 50, by the JDK's libverify, which queries
// the VM through JVM_ functions.
#ifndef CABERNET_VM_JVM_OLDVERIFIER_H
#define CABERNET_VM_JVM_OLDVERIFIER_H

#include "bytecode/verifier/verify.h"
#include "vm/model/class.h"

// Returns the outcome, with the message in *error; VERIFY_PENDING: an exception is pending. Goes native. [switch]
enum VerifyStatus oldverifier_infer(Thread *self, Class *cls, VerifyError *error);

#endif
