// The calling context tree of one profile or two: methods below the methods that called them. Calls of a method from
// several call sites of its caller are one node. From a call-tree analysis counts are exact. From call edges the tree
// is estimated: every execution of a method is assumed to make the same calls in every context, and the work of a
// cycle's methods is scaled to fit into the work of the call that entered the cycle. Recursion is folded: a node whose
// method is already on its path has no children; their counts go below the earlier node.
#ifndef CABERNET_PROFILER_TOOL_VIEW_PROF_CONTEXT_H
#define CABERNET_PROFILER_TOOL_VIEW_PROF_CONTEXT_H

#include "profiler/tool/read/prof_file.h"

#define CONTEXT_NONE UINT32_MAX

typedef struct ContextNode {
    uint32_t parent;  // CONTEXT_NONE: a thread begins with the method
    uint32_t method;
    uint64_t count[2];      // by file: entries of the method in this context
    uint64_t inclusive[2];  // these, plus those of all nodes below
} ContextNode;

typedef struct ContextTree {
    ContextNode *nodes;  // each after its parent
    size_t count;
    size_t left;      // number of nodes left out; in an estimated tree, of those that were expanded
    bool present[2];  // does the file have calls?
    bool exact[2];
    uint64_t total[2];  // entries of all methods
    // By file and row of its tree of stacks, NULL if it has none: twice the node's index plus 2, 0 for none, and 1 more
    // if the row's own node was left out and this is the nearest one above.
    uint32_t *places[2];
} ContextTree;

// The tree of `count` files (1 or 2), made of their trees of stacks called `name` (prof_stack_tree), or with NULL of
// the first tree that each has, or else of its calls. It is cut to the `most` nodes with the largest inclusive counts.
// `ids` by file: the number of each of its methods in the tree, equal for methods with the same name in both files.
// Freed by prof_context_free.
ContextTree prof_context(const ProfFile *files, size_t count, uint32_t *const *ids, const char *name, size_t most);
void prof_context_free(ContextTree *t);

// The `most` of `n` items with the largest values; ties go to the first. Writes their indexes in ascending order to
// `out`, which has room for them, and returns their number.
size_t prof_largest(size_t n, size_t most, const uint64_t *values, size_t *out);

#endif
