// The best field order of a class, as a pure function of how its fields are accessed.
#ifndef CABERNET_PROFILER_TOOL_ADVISE_PROF_LAYOUT_H
#define CABERNET_PROFILER_TOOL_ADVISE_PROF_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct LayoutUse {
    uint64_t accesses;
    uint32_t bytes;  // 1 to 8
} LayoutUse;

// Writes the indexes of the fields to place first into order[0...], in layout order, and returns their number. Only
// fields with at least a hundredth of the accesses of the most accessed field are placed. That field comes first; each
// next field maximises the sum of its accesses and of its affinity to the fields already placed. Affinity falls with
// distance and is zero beyond a cache line. together[i * count + j] (symmetric): how often the same method accesses i
// and j. Ties go to the lower index. No state; allocates nothing.
size_t prof_layout_order(const LayoutUse *fields, const uint64_t *together, size_t count, size_t *order);

#endif
