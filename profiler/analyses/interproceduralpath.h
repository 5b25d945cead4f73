// The steps of interprocedural paths, as files have them (COLUMN_STEP).
#ifndef CABERNET_PROFILER_INTERPROCEDURALPATH_H
#define CABERNET_PROFILER_INTERPROCEDURALPATH_H

#include <stdint.h>

enum { INTERPROCEDURALPATH_LAST = 1 << 17 };  // there is no step with a larger number: switches have fewer cases
// enter, return, back, throw, or edge: and the edge's number. malloc'd; NULL: no memory. Any thread.
char *interproceduralpath_step(uint32_t what);

#endif
