// Orders for qsort and bsearch that many tables share.
#ifndef CABERNET_PROFILER_PROF_ORDER_H
#define CABERNET_PROFILER_PROF_ORDER_H

#include <stddef.h>
#include <stdint.h>

// Items, given by their indexes, and what decides their places in a list.
typedef struct ProfRank {
    uint64_t weight;
    size_t item;
} ProfRank;

typedef struct ProfNamed {
    char *name;
    size_t item;
} ProfNamed;

// Of ProfRank: the largest weight first, ties by index.
int prof_by_weight(const void *x, const void *y);
// Of ProfNamed: by name, ties by index.
int prof_by_name(const void *x, const void *y);
// Of numbers, or of structures that begin with one: ascending. The numbers are uint64_t or size_t, which are the same.
int prof_by_number(const void *x, const void *y);
// Of texts (char *), or of structures that begin with one: in the order of strcmp.
int prof_by_text(const void *x, const void *y);

#endif
