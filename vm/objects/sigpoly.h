// Signature-polymorphic methods (JVMS 2.9.3): which methods of MethodHandle and VarHandle they are.
#ifndef CABERNET_VM_SIGPOLY_H
#define CABERNET_VM_SIGPOLY_H

#include "vm/model/class.h"

// Method.sigpoly.
enum MhIntrinsic {
    MH_NONE,
    MH_GENERIC,       // MethodHandle.invoke, invokeExact, VarHandle access modes: linked by mh_link_method
    MH_INVOKE_BASIC,  // jumps to args[0].form.vmentry
    // The linkTo* family pops its trailing MemberName and jumps to what that names.
    MH_LINK_TO_STATIC,
    MH_LINK_TO_SPECIAL,
    MH_LINK_TO_VIRTUAL,
    MH_LINK_TO_INTERFACE,
    MH_LINK_TO_NATIVE,  // jdk.incubator.foreign only: UnsupportedOperationException
};

// MhIntrinsic of a method by class name and method name; MH_NONE for any other than MethodHandle's and VarHandle's.
// The loader stores it into Method.sigpoly (with MF_SIGPOLY) for native varargs methods with descriptor
// ([Ljava/lang/Object;)X of these two boot classes. Pure.
int sigpoly_id(const Symbol *cls, const Symbol *name);
// Name of one of the methods from MH_INVOKE_BASIC on.
const char *sigpoly_name(int id);

#endif
