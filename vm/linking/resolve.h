// Resolution of constant-pool entries (JVMS 5.4.3) and access control (5.4.4).
//
// Results are cached in the entries (vm/objects/constpool.h). A failure is cached with its error, so later attempts
// throw the same. Any number of threads may resolve the same entry; the first to finish wins. All functions that take
// `self` may load classes, run Java code and leave an exception pending.
#ifndef CABERNET_VM_LINKING_RESOLVE_H
#define CABERNET_VM_LINKING_RESOLVE_H

#include "vm/objects/constpool.h"

// A CLASS entry: loaded, access checked (IllegalAccessError), neither linked nor initialised.
Class *resolve_class(Thread *self, Class *caller, int cp_index);
// The class if resolved or already loaded by the caller's loader; else NULL. No exception.
Class *resolve_class_if_loaded(Class *caller, int cp_index);
// FIELDREF. Checks staticness, access, and for puts finality: in class files from version 53 on a final field may be
// set only in <init>/<clinit>, which is checked for `method` (NULL: no check). Does not initialise.
Field *resolve_field_in(Thread *self, Class *caller, const Method *method, int cp_index, bool is_static, bool is_put);
// METHODREF or INTERFACE_METHODREF for an OPC_invoke* opcode: JVMS 5.4.3.3/4, access, staticness, loader constraints.
// For invokespecial, the method to run (JVMS 6.5: super calls). A signature-polymorphic method is returned as declared
// (MF_SIGPOLY); the entry's own descriptor applies.
Method *resolve_method(Thread *self, Class *caller, int cp_index, int opcode);
// The same by names, for method handles and JNI: `caller` NULL skips access checks.
Method *resolve_method_named(Thread *self, Class *caller, Class *holder, Symbol *name, Symbol *desc, int opcode,
                             bool holder_is_interface_ref);

// STRING, CLASS (mirror), METHOD_HANDLE, METHOD_TYPE, DYNAMIC of reference type: the address of the element of the
// class's resolvedRefs that holds the object. Constant for the life of the class. A null dynamic constant is stored as
// NULL.
Object **resolve_ref_slot(Thread *self, Class *caller, int cp_index);
// DYNAMIC of a primitive type: value as a stack slot, type character in *type.
bool resolve_dynamic_prim(Thread *self, Class *caller, int cp_index, Slot *out, char *type);
// Any loadable constant as an object (primitives boxed): bootstrap arguments.
Object *resolve_constant_boxed(Thread *self, Class *caller, int cp_index);
// Bootstrap method and static arguments of a DYNAMIC or INVOKE_DYNAMIC entry, in the form required by
// MethodHandleNatives.linkCallSite and linkDynamicConstant. False with an exception pending.
bool resolve_bootstrap(Thread *self, Class *caller, int cp_index, Object **bsm, Object **args);

// A new element of the class's resolvedRefs, initially NULL. Its address is constant, and the collector scans it. NULL
// with OutOfMemoryError pending.
Object **class_new_ref_slot(Thread *self, Class *cls);

// Class of a field descriptor ("I", "Lfoo/Bar;", "[[J"); also of 'V'. Loads through `loader`.
Class *resolve_type(Thread *self, Loader *loader, const char *desc, size_t len);

// Access control of members; that of classes is in vm/loading/classaccess.h. The check_ functions throw
// IllegalAccessError; the other one only returns the result. `flags`: ACC_* of a member of `holder`, found through
// `resolved` (the class named in the reference).
bool resolve_can_access_member(Thread *self, Class *from, const Class *resolved, Class *holder, int flags,
                               bool *pending);
bool resolve_check_method(Thread *self, Class *from, Class *resolved, Method *m);
bool resolve_check_field(Thread *self, Class *from, Class *resolved, Field *f);

// Nest host (JVMS 5.4.4), validated; the class itself if it has no host or validation fails. NULL only with an
// exception pending (StackOverflow, OutOfMemory).
Class *class_nest_host(Thread *self, Class *cls);

#endif
