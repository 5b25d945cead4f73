// The collections of the heap that a profile lists (profiler/control/collections.c).
#ifndef CABERNET_PROFILER_TOOL_VIEW_PROF_COLLECTIONS_H
#define CABERNET_PROFILER_TOOL_VIEW_PROF_COLLECTIONS_H

#include "profiler/tool/read/prof_file.h"

typedef struct ProfCollection {
    uint64_t start_ns;  // from the profile's start
    uint64_t pause_ns, number;
    const char *collector, *kind, *cause;  // the file's
    uint64_t before, after;                // bytes in use
} ProfCollection;

// In the file's order, that of time. The caller frees them. *count is 0 if there are none or the section is damaged.
ProfCollection *prof_collections(const ProfFile *f, size_t *count);

#endif
