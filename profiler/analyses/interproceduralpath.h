// The steps of interprocedural paths, as written to files (COLUMN_STEP).
#ifndef CABERNET_PROFILER_ANALYSES_INTERPROCEDURALPATH_H
#define CABERNET_PROFILER_ANALYSES_INTERPROCEDURALPATH_H

#include <stdint.h>

enum { INTERPROCEDURALPATH_LAST = 1 << 17 };  // no step has a larger number: switches have fewer cases
// enter, return, back, throw, or edge with the edge's number. malloc'd; NULL: out of memory. Any thread.
char *interproceduralpath_step(uint32_t what);

#endif
