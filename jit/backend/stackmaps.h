// Reader of LLVM's stack maps, version 3: the section, after relocation, that code generation makes from exits and from
// the "deopt" bundles of calls.
#ifndef CABERNET_JIT_BACKEND_STACKMAPS_H
#define CABERNET_JIT_BACKEND_STACKMAPS_H

#include "jit/backend/unit.h"

// The result; malloc'd arrays.
typedef struct StackMaps {
    CodeStackMap *stack_maps;  // sorted by return_offset
    uint32_t stack_map_count;
    CodeValue *values;
    uint32_t value_count;
    uint64_t *constants;
    uint32_t constant_count;
} StackMaps;

// `code`: start of the machine code that the records describe. False with unit->bailout if the section is malformed;
// then *out is empty. A method without deopt bundles and exits has no section (size 0).
bool stackmaps_read(Unit *unit, const void *code, const void *section, size_t size, StackMaps *out);
void stackmaps_free(StackMaps *maps);

#endif
