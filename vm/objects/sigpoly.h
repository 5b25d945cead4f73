// Signature-polymorphic methods (JVMS 2.9.3) of MethodHandle and VarHandle.
#ifndef CABERNET_VM_OBJECTS_SIGPOLY_H
#define CABERNET_VM_OBJECTS_SIGPOLY_H

#include "vm/model/class.h"

// MhIntrinsic of a method by class name and method name; MH_NONE for classes other than MethodHandle and VarHandle. The
// loader stores it into Method.sigpoly (with MF_SIGPOLY) for native varargs methods with descriptor
// ([Ljava/lang/Object;)X of these two boot classes. Pure.
int sigpoly_id(const Symbol *cls, const Symbol *name);
// Name of a method from MH_INVOKE_BASIC on.
const char *sigpoly_name(int id);

#endif
