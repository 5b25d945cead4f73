// Dumps of a compilation's stages (letters of CompilerOptions.dump). Each function checks whether its dump is wanted.
// Any compile thread may call them; one lock protects the file.
#ifndef CABERNET_JIT_DUMP_H
#define CABERNET_JIT_DUMP_H

#include "jit/backend/unit.h"

void dump_plan(const Unit *unit);
void dump_flow(const Unit *unit);
void dump_ir(const Unit *unit, bool optimized);
void dump_allocations(const Unit *unit);
void dump_assembly(Unit *unit);  // after backend_link
void dump_finish(void);

#endif
