// Shared by many tables: orders for qsort and bsearch, and hash tables of texts.
#ifndef CABERNET_PROFILER_TOOL_BASE_PROF_ORDER_H
#define CABERNET_PROFILER_TOOL_BASE_PROF_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

// Items, given by their indexes, and what decides their places in a list.
typedef struct ProfRank {
    uint64_t weight;
    size_t item;
} ProfRank;

typedef struct ProfShare {
    double weight;
    size_t item;
} ProfShare;

typedef struct ProfNamed {
    char *name;
    size_t item;
} ProfNamed;

// Of ProfRank and of ProfShare: the largest weight first, ties by index.
int prof_by_weight(const void *x, const void *y);
int prof_by_share(const void *x, const void *y);
// Of ProfNamed: by name, ties by index.
int prof_by_name(const void *x, const void *y);
// Of numbers, or of structures that begin with one: ascending. The numbers are uint64_t or size_t, which are the same.
int prof_by_number(const void *x, const void *y);
// Of texts (char *), or of structures that begin with one: in the order of strcmp.
int prof_by_text(const void *x, const void *y);

// Of indexes plus 1 in an array of texts. The owner is the address of the array's pointer, which may change; a key is a
// text.
extern const HashKind prof_text_kind;

#endif
