// The calling context tree of one profile or two: methods below the methods that called them. Calls of one method from several
// places of its caller are one node. From call-tree counts are exact. From call edges the tree is estimated: each execution of a
// method is taken to make the same calls, whoever called it, and what a method of a cycle leads to is fitted into the work of the
// call that entered the cycle. Recursion is folded: of a method that is on the way already a node has no nodes below it, and
// what it leads to counts below the earlier one.
#ifndef CABERNET_PROFILER_PROF_CONTEXT_H
#define CABERNET_PROFILER_PROF_CONTEXT_H

#include "profiler/tool/read/prof_file.h"

#define CONTEXT_NONE UINT32_MAX

typedef struct ContextNode {
    uint32_t parent;        // CONTEXT_NONE: the method is where a thread begins
    uint32_t method;
    uint64_t count[2];      // by file: entries of the method in this context
    uint64_t inclusive[2];  // these, and those of all nodes below
} ContextNode;

typedef struct ContextTree {
    ContextNode *nodes;     // each behind its parent
    size_t count;
    size_t left;            // nodes left out; of an estimated tree those that were worked out
    bool present[2];        // does the file have calls?
    bool exact[2];
    uint64_t total[2];      // entries of all methods
} ContextTree;

// The tree of `count` files (1 or 2), of which the `most` nodes with the largest inclusive counts are kept. `ids` by file: the
// number of each of its methods in the tree, the same for methods of both files that have one name. Freed by prof_context_free.
ContextTree prof_context(const ProfFile *files, size_t count, uint32_t *const *ids, size_t most);
void prof_context_free(ContextTree *t);

// The `most` of `n` items with the largest values, of equal ones the first: their indexes, ascending, in `out`, which has room for
// them. Returns how many there are.
size_t prof_largest(size_t n, size_t most, uint64_t (*value)(const void *of, size_t item), const void *of, size_t *out);

#endif
