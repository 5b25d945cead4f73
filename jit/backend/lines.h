// The positions of all instructions of the code, from the line table that LLVM puts into an object (jit/ir/ir_lines.c).
#ifndef CABERNET_JIT_BACKEND_LINES_H
#define CABERNET_JIT_BACKEND_LINES_H

#include "jit/backend/unit.h"

// Sets unit->runs (Code.runs) from unit->object. Nothing if the object has no such table, or one of an unknown form.
void lines_read(Unit *unit);

#endif
