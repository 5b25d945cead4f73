// Code kept across runs (-Xjit:object-cache=DIR). A file keeps only LLVM's object for a module; a later run with an
// equal module skips optimisation and code generation. Each run still makes the plan, checks its facts and emits the
// code. The object's key is a hash of the emitted module and of everything that determines LLVM's output for it:
//   - the module, as bitcode. It names all addresses of the process by symbols, which linking looks up in this run;
//   - the pass list;
//   - processor, its features, triple;
//   - build ids of LLVM and of the compiler, whose code determines the rest.
// The data that accompany an object (stack maps by number, deoptimisation points, positions, symbols, counters) come
// from this run, so they need no validation. docs/COMPILER.md, "Code kept across runs".
//
// Any compile thread; the file (objectpack.h) has its own lock.
#ifndef CABERNET_JIT_BACKEND_OBJECTCACHE_H
#define CABERNET_JIT_BACKEND_OBJECTCACHE_H

#include "jit/backend/unit.h"

// Called once, after backend_start. If the directory cannot be used, logs the reason and keeps nothing.
void objectcache_start(const CompilerOptions *options);
// Before optimisation: sets unit->object if the object is found, or unit->kept with object-cache-verify. Always true.
bool objectcache_find(Unit *unit);
// After code generation: keeps the object, or compares it with unit->kept. Always true.
bool objectcache_keep(Unit *unit);
// Writes the objects that have not been written yet.
void objectcache_finish(void);

#endif
