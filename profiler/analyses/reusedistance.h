// Reuse distances of one sequence of accesses to lines: the number of different lines accessed since the last access to
// the same line (Mattson et al., 1970). A fully associative LRU cache of n lines misses exactly the accesses whose
// distance is at least n, and the first access to each line.
//
// Not thread-safe; malloc only. The memory is proportional to the number of different lines.
#ifndef CABERNET_PROFILER_ANALYSES_REUSEDISTANCE_H
#define CABERNET_PROFILER_ANALYSES_REUSEDISTANCE_H

#include <stdint.h>

typedef struct ReuseDistances ReuseDistances;

enum { REUSE_FIRST = -1, REUSE_NO_ROOM = -2 };

ReuseDistances *reusedistance_new(void);     // NULL: out of memory
void reusedistance_free(ReuseDistances *r);  // accepts NULL

// The distance of an access; REUSE_FIRST: the first one to the line; REUSE_NO_ROOM: out of memory, and the access does
// not belong to the sequence.
int64_t reusedistance_access(ReuseDistances *r, uint64_t line);

#endif
