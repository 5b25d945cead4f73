// Functions of higher layers that linking needs: methods that the VM implements, java.lang.invoke, the interpreter,
// compiled code, the library that verifies old class files. vm/boot/hooks.c fills the table, which is constant.
#ifndef CABERNET_VM_LINKING_HOOKS_H
#define CABERNET_VM_LINKING_HOOKS_H

#include "bytecode/verifier/verify.h"
#include "vm/model/class.h"

typedef struct LinkingHooks {
    void (*bind_intrinsic)(Method *m);  // vm/natives/intrinsics.h
    // vm/natives/methodhandle.h; vm/natives/reflect.h
    Method *(*sigpoly_method)(Thread *self, int id, Symbol *desc);
    Object *(*method_handle)(Thread *self, Class *caller, int cp_index);
    Object *(*method_type)(Thread *self, Class *caller, int cp_index);
    Object *(*dynamic)(Thread *self, Class *caller, int cp_index, char *type);
    Object *(*box)(Thread *self, char type, const Slot *value);
    char (*unbox)(const Object *box, Slot *out);
    void (*link_method)(Method *m);                  // vm/interp/interp.h: how to call it
    void (*class_linked)(Thread *self, Class *cls);  // vm/code/code.h: assumptions of compiled code. [switch]
    // Verification by type inference, for class files before version 50, by the JDK's libverify (vm/jvm/oldverifier.c).
    // VERIFY_PENDING with an exception pending.
    enum VerifyStatus (*infer_types)(Thread *self, Class *cls, VerifyError *error);
} LinkingHooks;

extern const LinkingHooks linking_hooks;

#endif
