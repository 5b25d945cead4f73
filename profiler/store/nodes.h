// The nodes of a tree while it is written: numbered in preorder, and found by the numbers that the rows have for them.
// Those are hashes, so the leading bits of a number say nearly where it is in a sorted array. Trees have up to millions
// of nodes, most of them outside the processor's caches. Not thread-safe; malloc only.
#ifndef CABERNET_PROFILER_STORE_NODES_H
#define CABERNET_PROFILER_STORE_NODES_H

#include "profiler/analyses/table.h"

typedef struct Node {
    uint64_t number;
    const uint64_t *key;    // of its row: its number, its parent's number, then the step
    uint64_t index;         // in the file, from 1 on; 0: not below the root
    uint64_t parent_index;  // 0: the root, or none
} Node;

// Zeroed: no nodes.
typedef struct Nodes {
    Node *node;  // by number
    size_t count;
    size_t *first;  // by the leading bits of numbers: the first node with these bits or larger ones
    uint32_t shift;
    size_t next;  // after the node found last: where the next one is, if numbers are looked up in order
} Nodes;

// The nodes in the rows of all threads, numbered: a node before its descendants, and these before its next sibling.
// Siblings are in the order of their steps. The rows must not move. False: out of memory, and there are no nodes.
bool nodes_take(Nodes *n, const Table *rows);
// The node with a number; NULL: there is none.
const Node *nodes_find(Nodes *n, uint64_t number);
void nodes_free(Nodes *n);  // leaves no nodes

#endif
