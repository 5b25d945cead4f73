// Reader of LLVM's stack maps, version 3: the section that code generation makes from the "deopt"
// bundles of calls and from exits, after relocation.
#ifndef CABERNET_JIT_STACKMAPS_H
#define CABERNET_JIT_STACKMAPS_H

#include "jit/backend/unit.h"

// What came out of it; malloc'd arrays.
typedef struct StackMaps {
    CodeStackMap *stack_maps;       // sorted by return_offset
    uint32_t stack_map_count;
    CodeValue *values;
    uint32_t value_count;
    uint64_t *constants;
    uint32_t constant_count;
} StackMaps;

// `code`: begin of the machine code that the records are about. False with unit->bailout when the section
// is not what we expect; then *out is empty. No section (size 0) is a method without sites.
bool stackmaps_read(Unit *unit, const void *code, const void *section, size_t size, StackMaps *out);
void stackmaps_free(StackMaps *maps);

#endif
