// The object file of one compilation (ELF, relocatable, as LLVM writes it): its hash, and what is
// changed in it before it is loaded. Linking needs no symbol table of the whole process: each symbol the
// code refers to is written into the object itself as an absolute address, and the function gets a
// name that no other object has. So nothing about a method outlives its code.
#ifndef CABERNET_JIT_ELFOBJECT_H
#define CABERNET_JIT_ELFOBJECT_H

#include "jit/backend/unit.h"

// 64-bit hash of the object as it came from the code generator.
uint64_t elfobject_hash(const Unit *unit);

// Fills in the addresses of the unit's symbols, in place. Symbols of the C library that LLVM may call by
// itself (memset, floor...) are looked up in the process. Renames UNIT_FUNCTION to `name`, which must be as
// long. False with unit->bailout for a symbol nobody knows or a reference that cannot reach it.
bool elfobject_bind(Unit *unit, const char *name);

#endif
