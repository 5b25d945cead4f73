// The object file of one compilation (ELF, relocatable, as LLVM writes it): its hash, and the changes to it before it
// is loaded. Linking needs no symbol table of the whole process. Each symbol that the code refers to is written into
// the object as an absolute address, and the function gets a name that no other object has. So no record of a method
// outlives its code.
#ifndef CABERNET_JIT_BACKEND_ELFOBJECT_H
#define CABERNET_JIT_BACKEND_ELFOBJECT_H

#include "jit/backend/unit.h"

// 64-bit hash of the object as the code generator made it.
uint64_t elfobject_hash(const Unit *unit);

// Fills in the addresses of the unit's symbols, in place. Looks up in the process the symbols of the C library that
// LLVM may call on its own (memset, floor...). Renames UNIT_FUNCTION to `name`, which must have the same length. False
// with unit->bailout for an unknown symbol or a reference that cannot reach its symbol.
bool elfobject_bind(Unit *unit, const char *name);

#endif
