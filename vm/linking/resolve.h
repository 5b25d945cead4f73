// Resolution of constant-pool entries (JVMS 5.4.3) and access control (5.4.4).
//
// Outcomes are cached in cls->cp, their state in cls->cp_tags: 0, CP_RESOLVED, or CP_FAILED with
// the error kept, so that later attempts throw the same. Raw tags are the class file's (cp_tag).
// Any number of threads may resolve the same entry; the first to finish wins. All functions that
// take `self` may load classes, run Java code and leave an exception pending.
#ifndef CABERNET_VM_RESOLVE_H
#define CABERNET_VM_RESOLVE_H

#include "vm/model/class.h"

enum { CP_RESOLVED = 0x80, CP_FAILED = 0x40 };

static inline uint8_t cp_tag(const Class *c, int i) { return c->file->cp[i].tag; }  // raw
static inline uint8_t cp_state(const Class *c, int i) {
    return __atomic_load_n(&c->cp_tags[i], __ATOMIC_ACQUIRE);
}
static inline bool cp_is_resolved(const Class *c, int i) { return cp_state(c, i) & CP_RESOLVED; }
static inline int32_t cp_int(const Class *c, int i) { return c->file->cp[i].u.i; }
static inline float cp_float(const Class *c, int i) { return c->file->cp[i].u.f; }
static inline int64_t cp_long(const Class *c, int i) { return c->file->cp[i].u.j; }
static inline double cp_double(const Class *c, int i) { return c->file->cp[i].u.d; }
// Symbols, interned on first use.
Symbol *cp_utf8(Class *c, int i);        // UTF8 entry
Symbol *cp_class_name(Class *c, int i);  // CLASS entry (also STRING, METHOD_TYPE, MODULE, PACKAGE)
// Name, descriptor and class name behind FIELDREF, METHODREF, INTERFACE_METHODREF, DYNAMIC,
// INVOKE_DYNAMIC (the last two have no class).
Symbol *cp_ref_name(Class *c, int i);
Symbol *cp_ref_desc(Class *c, int i);
Symbol *cp_ref_class_name(Class *c, int i);
static inline int cp_ref_class_index(const Class *c, int i) {
    return c->file->cp[i].u.ref.class_index;
}
// Argument slots (without receiver) of a METHODREF-like or INVOKE_DYNAMIC entry.
int cp_ref_arg_slots(Class *c, int i);

// A CLASS entry: loaded, access checked (IllegalAccessError), neither linked nor initialised.
Class *resolve_class(Thread *self, Class *caller, int cp_index);
// The class if resolved or already loaded by the caller's loader; else NULL. No exception.
Class *resolve_class_if_loaded(Class *caller, int cp_index);
// FIELDREF. Checks staticness, access, and for puts finality: in class files from version 53 on a final
// field may be set only in <init>/<clinit>, which `method` tells (NULL: not asked). Does not initialise.
Field *resolve_field_in(Thread *self, Class *caller, const Method *method, int cp_index,
                        bool is_static, bool is_put);
// METHODREF or INTERFACE_METHODREF for an OPC_invoke* opcode: JVMS 5.4.3.3/4, access, static or
// not, loader constraints. For invokespecial the method to run (JVMS 6.5: super calls). A
// signature-polymorphic method comes back as declared (MF_SIGPOLY): the entry's own descriptor
// counts.
Method *resolve_method(Thread *self, Class *caller, int cp_index, int opcode);
// The same from names, for method handles and JNI: `caller` NULL skips access checks.
Method *resolve_method_named(Thread *self, Class *caller, Class *holder, Symbol *name, Symbol *desc,
                             int opcode, bool holder_is_interface_ref);

// STRING, CLASS (mirror), METHOD_HANDLE, METHOD_TYPE, DYNAMIC of reference type: the address of the
// element of the class's resolvedRefs that holds it, filled. Stable for the life of the class.
// A null dynamic constant is held as NULL.
Object **resolve_ref_slot(Thread *self, Class *caller, int cp_index);
// DYNAMIC of a primitive type: value as a stack slot, type character in *type.
bool resolve_dynamic_prim(Thread *self, Class *caller, int cp_index, Slot *out, char *type);
// Any loadable constant as an object (primitives boxed): bootstrap arguments.
Object *resolve_constant_boxed(Thread *self, Class *caller, int cp_index);
// Bootstrap method and static arguments of a DYNAMIC or INVOKE_DYNAMIC entry, in the form that
// MethodHandleNatives.linkCallSite and linkDynamicConstant want. False with an exception pending.
bool resolve_bootstrap(Thread *self, Class *caller, int cp_index, Object **bsm, Object **args);

// A new element of the class's resolvedRefs, NULL-valued; its address is stable and the collector
// sees what is put there. NULL with OutOfMemoryError pending.
Object **class_new_ref_slot(Thread *self, Class *cls);

// Class of a field descriptor ("I", "Lfoo/Bar;", "[[J"); 'V' too. Loads through `loader`.
Class *resolve_type(Thread *self, Loader *loader, const char *desc, size_t len);

// Access control. The check_ functions throw IllegalAccessError; the others only tell.
bool resolve_can_access_class(const Class *from, const Class *to);
// `flags` ACC_* of a member of `holder`, found through `resolved` (the class named in the
// reference).
bool resolve_can_access_member(Thread *self, Class *from, const Class *resolved, Class *holder,
                               int flags, bool *pending);
bool resolve_check_class(Thread *self, Class *from, Class *to);
bool resolve_check_method(Thread *self, Class *from, Class *resolved, Method *m);
bool resolve_check_field(Thread *self, Class *from, Class *resolved, Field *f);

// Nest host (JVMS 5.4.4), validated; the class itself when there is none or it does not validate.
// NULL only with an exception pending (StackOverflow, OutOfMemory).
Class *class_nest_host(Thread *self, Class *cls);

// For messages, malloc'd. "A is in unnamed module of loader 'app'" (`use_are`: "are"), with ",
// parent loader 'x'" if asked for and the loader is not built in.
char *class_description(const Class *a, bool use_are, bool with_parent);
// "A and B are in module java.base of loader 'bootstrap'", if of one module; else "A is in ...; B
// is in ...".
char *class_pair_description(const Class *a, const Class *b);
// Why `from` may not use `to` for a reason of modules; NULL if that is not the reason.
char *resolve_class_access_text(Thread *self, const Class *from, const Class *to);

#endif
