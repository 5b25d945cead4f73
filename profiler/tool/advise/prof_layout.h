// The order in which the fields of a class are best laid out, as a pure function of how they are accessed.
#ifndef CABERNET_PROFILER_PROF_LAYOUT_H
#define CABERNET_PROFILER_PROF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct LayoutUse {
    uint64_t accesses;
    uint32_t bytes;      // 1 to 8
} LayoutUse;

// Puts into order[0...] the indexes of the fields that are to come first, in their order, and returns how many these are:
// those with at least a hundredth of the accesses of the one that is accessed most, which is the first. Behind it
// comes each time the one with the largest sum of its accesses and of what it shares with those already there, the less
// the farther they are away, and nothing beyond a cache line. together[i * count + j]: how often i and j are accessed by
// the same method, symmetrical. Equal ones come by index. No state; allocates nothing.
size_t prof_layout_order(const LayoutUse *fields, const uint64_t *together, size_t count, size_t *order);

#endif
