// Classes: subtype tests, names, member lookup. vm/model/class.h has their layout.
#ifndef CABERNET_VM_OBJECTS_CLASSES_H
#define CABERNET_VM_OBJECTS_CLASSES_H

#include "vm/model/class.h"

// Is `sub` the same as, a subclass, an implementor or a covariant array of `super`? Never loads.
bool class_is_subtype_slow(const Class *sub, const Class *super);
static inline bool class_is_subtype(const Class *sub, const Class *super) {
    if (sub == super) return true;
    if (super->depth < CLASS_DISPLAY && sub->display[super->depth] == super) return true;
    return class_is_subtype_slow(sub, super);
}

// External name with dots in static-lifetime (arena) memory: java.lang.String, [I.
const char *class_external_name(const Class *c);
// The Class of a mirror; NULL if the object is not a proper mirror.
Class *class_from_mirror(const Object *mirror);
// Declared members only; NULL: none. Do not throw.
Method *class_find_declared_method(const Class *c, const Symbol *name, const Symbol *desc);
Field *class_find_declared_field(const Class *c, const Symbol *name, const Symbol *desc);
// Class, superclass and superinterface search (JVMS 5.4.3.3 without access checks); NULL: none.
Method *class_find_method(const Class *c, const Symbol *name, const Symbol *desc);
// The maximally-specific superinterface methods that are not abstract (JVMS 5.4.3.3): counts them, and stores the first
// `most`.
uint32_t class_find_specific_methods(const Class *c, const Symbol *name, const Symbol *desc, Method **found,
                                     uint32_t most);
Field *class_find_field(const Class *c, const Symbol *name, const Symbol *desc);
// Same runtime package (same loader, same package name); false for NULL.
bool class_same_package(const Class *a, const Class *b);
// Whether it has the signature of a program's main.
bool method_is_main(const Method *m);
// line number of a bci, -1 unknown, -2 native
int method_line_number(const Method *m, int bci);
// Bytecode index of an instruction word of decoded code; -1 for ENTER words and natives.
int method_bci(const Method *m, const Insn *pc);

// Instruction word at bytecode index `bci`. NULL: no instruction begins there, or the method is not decoded.
const Insn *method_pc_at(const Method *m, int bci);

// Methods by dense id (0 is none), in order of linking.
uint32_t method_id_limit(void);  // one more than the largest id assigned
Method *method_by_id(uint32_t id);
void method_give_id(Method *m);  // called by class_link, and by code that creates a method without a class file
// The method is unloaded, and its id becomes invalid. `again`: the id may be reused.
void method_take_id(Method *m, bool again);
// The same for classes, except primitive types; the code that creates a class assigns its id.
uint32_t class_id_limit(void);
Class *class_by_id(uint32_t id);
void class_give_id(Class *c);
void class_take_id(Class *c);  // the class is unloaded

// World stopped, collector thread: drops a live class's references to dead ones.
void class_forget_dead(Class *c);

// The class of a primitive type, by Z B C S I J F D V; NULL for other characters.
Class *class_primitive(char code);

#endif
