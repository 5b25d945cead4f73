// Linking: verification, preparation, vtables and interface tables (JVMS 5.4.1, 5.4.2, 5.4.5, 5.4.6).
#ifndef CABERNET_VM_LINKING_LINK_H
#define CABERNET_VM_LINKING_LINK_H

#include "vm/model/class.h"
#include "vm/objects/classes.h"

// Links `cls` and its supertypes. False with an exception pending (VerifyError, LinkageError...). May load classes
// (verification), so it may run Java code; one thread links a class, others wait.
bool class_link(Thread *self, Class *cls);

// One superinterface of a class and the selected methods: methods[m->itable_index], filled on first use.
typedef struct ITableEntry {
    Class *iface;
    _Atomic(Method *) *methods;
} ITableEntry;

// The method that a call of interface method `imethod` on an instance selects (JVMS 5.4.6); NULL if the class does not
// implement the interface. Never throws: if the call must fail, the result is abstract or MF_OVERPASS, and
// method_throw_unlinked throws the error. Private methods select themselves.
Method *itable_lookup(const VTable *vt, const Method *imethod);
// Selection for both invokevirtual and invokeinterface: `resolved` may be a method of a class or an interface, private
// or final. NULL as above.
Method *class_select_virtual(const Class *receiver, const Method *resolved);
// Throws the error of calling the abstract or overpass method `selected`: AbstractMethodError,
// IncompatibleClassChangeError (conflicting defaults), IllegalAccessError. `resolved` may equal `selected`; `receiver`
// may be NULL.
void method_throw_unlinked(Thread *self, const Method *selected, const Class *receiver, const Method *resolved);

// "void A.f(int, java.lang.String)", in the form of HotSpot's messages; malloc'd.
char *method_external_name(const Method *m);
char *method_external_signature(Symbol *class_name, Symbol *name, Symbol *desc);

// After a fork, in the child: no remaining thread holds the linker's lock. A class that another thread was linking
// stays in that state.
void link_after_fork_child(void);

#endif
