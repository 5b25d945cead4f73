// Entries of the run-time constant pool (JVMS 5.1) as text and numbers, and whether they are resolved.
// vm/linking/resolve.h resolves them.
//
// The result of resolving an entry is in cls->cp, the state in cls->cp_tags: 0, CP_RESOLVED, or CP_FAILED with the
// error kept. Raw tags are those of the class file (cp_tag). Any thread; nothing here allocates in the Java heap or
// throws.
#ifndef CABERNET_VM_OBJECTS_CONSTPOOL_H
#define CABERNET_VM_OBJECTS_CONSTPOOL_H

#include "vm/model/class.h"

enum { CP_RESOLVED = 0x80, CP_FAILED = 0x40 };

static inline uint8_t cp_tag(const Class *c, int i) { return c->file->cp[i].tag; }  // raw
static inline uint8_t cp_state(const Class *c, int i) { return __atomic_load_n(&c->cp_tags[i], __ATOMIC_ACQUIRE); }
static inline bool cp_is_resolved(const Class *c, int i) { return cp_state(c, i) & CP_RESOLVED; }
static inline int32_t cp_int(const Class *c, int i) { return c->file->cp[i].u.i; }
static inline float cp_float(const Class *c, int i) { return c->file->cp[i].u.f; }
static inline int64_t cp_long(const Class *c, int i) { return c->file->cp[i].u.j; }
static inline double cp_double(const Class *c, int i) { return c->file->cp[i].u.d; }
// Symbols, interned on first use.
Symbol *cp_utf8(Class *c, int i);        // UTF8 entry
Symbol *cp_class_name(Class *c, int i);  // CLASS entry (also STRING, METHOD_TYPE, MODULE, PACKAGE)
// Name, descriptor and class name of a FIELDREF, METHODREF, INTERFACE_METHODREF, DYNAMIC or INVOKE_DYNAMIC entry (the
// last two have no class).
Symbol *cp_ref_name(Class *c, int i);
Symbol *cp_ref_desc(Class *c, int i);
Symbol *cp_ref_class_name(Class *c, int i);
static inline int cp_ref_class_index(const Class *c, int i) { return c->file->cp[i].u.ref.class_index; }
// Argument slots (without receiver) of a METHODREF-like or INVOKE_DYNAMIC entry.
int cp_ref_arg_slots(Class *c, int i);

#endif
