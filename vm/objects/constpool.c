// Constant-pool entries as text (vm/objects/constpool.h). Symbols are interned on first use; racing threads store the
// same pointer.
#include "vm/objects/constpool.h"

#include "bytecode/classfile/descriptor.h"
#include "vm/objects/symbol.h"

Symbol *cp_utf8(Class *c, int i) {
    Symbol *s = __atomic_load_n(&c->cp[i].sym, __ATOMIC_ACQUIRE);
    if (s) return s;
    const CpEntry *e = &c->file->cp[i];
    s = symbol_intern((const char *)e->u.utf8, e->utf8_len);
    __atomic_store_n(&c->cp[i].sym, s, __ATOMIC_RELEASE);
    return s;
}

Symbol *cp_class_name(Class *c, int i) {
    if (i == c->file->this_class) return c->name;  // hidden classes: differs from the name in the file
    return cp_utf8(c, c->file->cp[i].u.name_index);
}

Symbol *cp_ref_name(Class *c, int i) { return cp_utf8(c, classfile_nat(c->file, (uint16_t)i)->u.nat.name_index); }

Symbol *cp_ref_desc(Class *c, int i) { return cp_utf8(c, classfile_nat(c->file, (uint16_t)i)->u.nat.desc_index); }

Symbol *cp_ref_class_name(Class *c, int i) { return cp_class_name(c, cp_ref_class_index(c, i)); }

int cp_ref_arg_slots(Class *c, int i) {
    ClassFileUtf8 d = classfile_ref_desc(c->file, (uint16_t)i);
    return (int)descriptor_arg_slots(d.ptr, d.len);
}
