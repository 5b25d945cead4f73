// The calling context tree that compiled code updates itself (EVENTS_CONTEXTS; built by
// profiler/analyses/contexts.h): a thread's position in it, and the parts of a node and of a frame that code reads. If
// one lookup in the parent finds a call's node, the call is counted there. Every other call is an event for the
// analysis, which creates the node and stores it where code will find it. So both tiers use one tree and one stack, and
// each can continue where the other was.
//
//     entry of CALLEE from a site           exit of METHOD
//       n = at->child[slot of the site]       top[-1].method != METHOD: report
//       n is not of this edge: report         at = top[-1].node
//       top == limit: report                  top--
//       n->entered++
//       *top++ = {at, CALLEE}
//       at = n->into
//
// Interpreted and template code make the same steps (context_enter, context_leave), and find nodes by prediction.
//
// Belongs to the thread; a collecting thread only reads it.
#ifndef CABERNET_VM_API_CALLTREE_H
#define CABERNET_VM_API_CALLTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONTEXT_SLOTS = 8 };

typedef struct ContextNode {
    uint64_t entered;          // calls counted here by code
    uint64_t site;             // of the call: (Method.id << 32 | bytecode index) + 1
    uint32_t callee;           // Method.id
    uint32_t times;            // occurrences of the callee from the root to this node; for the analysis
    uint64_t edge;             // number of site and callee in code (ProfilerInterface.site); 0: not met by code yet
    struct ContextNode *into;  // the node itself; if its callee occurs more often than recursion= allows, the nearest
                               // ancestor with the callee
    struct ContextNode *child[CONTEXT_SLOTS];  // by context_slot: where code looks; never NULL
    // For the analysis, and for code that has no slots.
    uint64_t count;  // calls reported to it
    uint64_t number;
    struct ContextNode *parent;
    struct ContextNode *last;   // the child found last; never NULL
    struct ContextNode *after;  // the sibling last looked up after this one; never NULL
} ContextNode;

// An active frame.
typedef struct ContextFrame {
    ContextNode *node;  // set by the analysis
    uint64_t method;    // Method.id
} ContextFrame;

typedef struct ContextPosition {
    ContextNode *at;            // parent of the nodes of further calls
    ContextFrame *top, *limit;  // the ends of the active frames and of the space for frames
    ContextNode *found;         // node of the last reported call_edge; NULL: lost
} ContextPosition;

// The slot of a site that is the n-th call of its method; consecutive sites have different slots. Code on a tree that
// leaves its site to the callee (CALL_SITED) passes the slot with it, above the bytecode index.
enum { CONTEXT_SLOT_SHIFT = 16 };
static inline uint32_t context_slot(uint32_t n) { return n % CONTEXT_SLOTS; }

// The child of `parent` by that step, if it is the one taken last, or the one that followed that last time. NULL: it is
// another one, or there is none.
static inline ContextNode *context_predicted(ContextNode *parent, uint64_t site, uint32_t callee) {
    ContextNode *last = parent->last;
    if (__builtin_expect(last->site == site && last->callee == callee, 1)) return last;
    ContextNode *after = last->after;
    if (after->site != site || after->callee != callee || after->parent != parent) return NULL;
    return parent->last = after;
}

// Enters `callee` and counts the call. False: it is to be reported.
static inline bool context_enter(ContextPosition *p, uint64_t site, uint32_t callee) {
    ContextNode *n = context_predicted(p->at, site, callee);
    if (!n || p->top == p->limit) return false;
    __atomic_store_n(&n->entered, n->entered + 1, __ATOMIC_RELAXED);
    *p->top++ = (ContextFrame){p->at, callee};
    p->at = n->into;
    return true;
}

// Leaves `method`. False: it is to be reported.
static inline bool context_leave(ContextPosition *p, uint32_t method) {
    if (p->top[-1].method != method) return false;
    p->at = (--p->top)->node;
    return true;
}

#endif
