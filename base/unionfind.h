// The forest of union-find with path halving: the element i of the array is the parent of i; a root is its own parent.
#ifndef CABERNET_BASE_UNIONFIND_H
#define CABERNET_BASE_UNIONFIND_H

#include <stdint.h>

static inline uint32_t unionfind_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

#endif
