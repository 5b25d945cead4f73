// What instruction selection of the baseline tier cannot do quickly is written in another way.
#ifndef CABERNET_JIT_SELECTION_H
#define CABERNET_JIT_SELECTION_H

#include "jit/backend/unit.h"

// Module -> module, behind all passes. Stack maps keep their numbers (jit/backend/stackmaps.h reads both forms); nothing for the
// optimising tier.
bool selection_prepare(Unit *unit);

#endif
