// The calling context tree that compiled code walks by itself (ProfilerInterface.has_contexts; profiler/analyses/contexts.h
// builds it): where a thread is in it, and what of a node and of a frame code looks at. A call whose node is found by one
// look into its parent is counted there; every other one is an event for the analysis, which makes the node and puts it
// where code will look. So both tiers work on one tree and one stack, and each may go on where the other was.
//
//     entry of CALLEE from a site           exit of METHOD
//       n = at->child[slot of the site]       top[-1].method != METHOD: report
//       n is not of this edge: report         at = top[-1].node
//       top == limit: report                  top--
//       n->entered++
//       *top++ = {at, CALLEE}
//       at = n->into
//
// Of the thread; who collects reads what is there.
#ifndef CABERNET_VM_API_CALLTREE_H
#define CABERNET_VM_API_CALLTREE_H

#include <stdint.h>

enum { CONTEXT_SLOTS = 8 };

typedef struct ContextNode {
    uint64_t entered;           // calls that code has counted here
    uint64_t site;              // the call's: Method.id << 32 | bytecode index, and 1 more
    uint32_t callee;            // Method.id
    uint32_t times;             // the callee on the way from the root to here, this node included; the analysis's own
    uint64_t edge;              // what code calls site and callee (ProfilerInterface.site), 0: it has not been here
    struct ContextNode *into;   // the node itself; if its callee is on the way more often than recursion= says, the nearest
                                // ancestor that has the callee
    struct ContextNode *child[CONTEXT_SLOTS];  // by context_slot: where code looks, never NULL
    // The analysis's own.
    uint64_t count;             // calls that it was told of
    uint64_t number;
    struct ContextNode *parent;
    struct ContextNode *last;   // the child found last, never NULL
    struct ContextNode *after;  // the sibling that was looked for after this one, never NULL
} ContextNode;

// A frame that has not ended.
typedef struct ContextFrame {
    ContextNode *node;          // the analysis says which
    uint64_t method;            // Method.id
} ContextFrame;

typedef struct ContextPosition {
    ContextNode *at;            // whose children are the calls to come
    ContextFrame *top, *limit;  // behind the innermost frame, and behind the last one that there is room for
    ContextNode *found;         // of the call_edge that was reported last; NULL: it was lost
} ContextPosition;

// The slot of a site that is the n-th call of its method: those that follow each other have different ones. Code on a tree that
// leaves its site to the callee (CALL_SITED) leaves the slot with it, above the bytecode index.
enum { CONTEXT_SLOT_SHIFT = 16 };
static inline uint32_t context_slot(uint32_t n) { return n % CONTEXT_SLOTS; }

#endif
