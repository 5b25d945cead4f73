// Code kept across runs (-Xjit:object-cache=DIR): LLVM's object for a module that was optimised and generated before is taken from a
// file, and nothing else is. The plan is made, its facts are checked and code is emitted in each run; the object's key is a hash of
// what emission has made and of all that decides what LLVM makes of it:
//   - the module, as bitcode. It names all addresses of the process by symbols, which linking looks up in this run;
//   - the pass list;
//   - processor, its features, triple;
//   - build ids of LLVM and of the compiler, whose code chooses the rest.
// So what stands beside an object (stack maps by number, deoptimisation points, positions, symbols, counters) is that of this run, and
// needs no proof. docs/COMPILER.md, "Code kept across runs".
//
// Any compile thread; the file (objectpack.h) has a lock of its own.
#ifndef CABERNET_JIT_OBJECTCACHE_H
#define CABERNET_JIT_OBJECTCACHE_H

#include "jit/backend/unit.h"

// Once, behind backend_start. Where the directory cannot be used that is said, and nothing is kept.
void objectcache_start(const CompilerOptions *options);
// In front of optimisation: unit->object if there is one. With object-cache-verify it becomes unit->kept instead. Always true.
bool objectcache_find(Unit *unit);
// Behind code generation: keeps the object, or compares it with unit->kept. Always true.
bool objectcache_keep(Unit *unit);
// Writes what has not been written.
void objectcache_finish(void);

#endif
