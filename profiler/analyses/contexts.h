// A tree of calls built by one thread, and the stack of its current path. call-tree and call-subtree share this code;
// interprocedural-path uses a tree with other steps.
//
// A node (vm/api/calltree.h) is reached from its parent by one step: a call site and a callee. Nodes are never removed
// or moved. A reader (a profile written in a crash) iterates over chunks. The owner finds a child by prediction first,
// then in a hash table. The prediction is the step taken last from the parent, or else the step that followed that one
// last time. It is correct in loops and in repeated sequences of calls (the locality of calling context trees: Ammons,
// Ball and Larus, PLDI 1997).
//
// A node's number is a 64-bit hash of the steps from the root, so all threads give the same context the same number and
// their rows can be added up. Two contexts with the same parent never share a row, because rows also contain the step.
//
// Frames without memory are counted. While there are any, the position follows a frame without a method and is at its
// limit, so compiled code reports all calls and returns.
#ifndef CABERNET_PROFILER_ANALYSES_CONTEXTS_H
#define CABERNET_PROFILER_ANALYSES_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/published.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"
#include "vm/api/calltree.h"

// The frames of the current path (base/published.h). The first one is preceded by a frame without a method.
typedef struct ContextStack {
    PUBLISHED_HEAD;
    ContextFrame below, frame[];
} ContextStack;

struct ContextChunk;
typedef struct Contexts {
    ContextNode root;
    ContextStack *stack;
    ContextPosition *position;  // `own`, or the thread's; `at` and `found` belong to call-tree
    ContextPosition own;
    ContextFrame *top;  // position->top, excluding `beyond`
    uint32_t beyond;    // innermost frames for which there was no memory
    uint32_t node_count;
    uint32_t mask;        // of the table, which is at most three quarters full
    ContextNode **table;  // by number
    struct ContextChunk *first, *chunk;
    AnalysisSettings *settings;
    uint64_t lost;
} Contexts;

// False: out of memory, nothing to free.
bool contexts_begin(Contexts *c, AnalysisSettings *settings);
// thread_free of an analysis whose state begins with a Contexts.
void contexts_free(void *state);

// The position of a thread without a tree: every call and return is reported.
void contexts_nowhere(ContextPosition *position);
// A node without incoming or outgoing steps, for a lost call. Constant.
ContextNode *contexts_nobody(void);

// The child of `parent` by a step that was not predicted; created if missing. NULL: out of memory, or the limit on
// nodes is reached.
ContextNode *contexts_find(Contexts *c, ContextNode *parent, uint64_t site, uint32_t callee);

// The same, trying the prediction first.
static inline ContextNode *contexts_child(Contexts *c, ContextNode *parent, uint64_t site, uint32_t callee) {
    ContextNode *n = context_predicted(parent, site, callee);
    return n ? n : contexts_find(c, parent, site, callee);
}

// Finds the node of a stack, from its outermost frame on.
typedef struct ContextWalk {
    Contexts *tree;
    ContextNode *at;  // NULL: as contexts_child
    uint64_t site;    // where `at` calls the next frame
} ContextWalk;

static inline ContextWalk contexts_walk(Contexts *tree) {
    return (ContextWalk){tree, &tree->root, sitecounts_site(EVENT_PSEUDO(CALLER_THREAD), EVENT_NO_BCI)};
}

// The next frame is at bci of the method.
static inline void contexts_walk_frame(ContextWalk *w, uint32_t method, int32_t bci) {
    if (w->at) w->at = contexts_child(w->tree, w->at, w->site, method);
    w->site = sitecounts_site(method, bci);
}

bool contexts_grow_stack(Contexts *c);
void contexts_go_beyond(Contexts *c);

// Number of frames, excluding those without memory.
static inline uint32_t contexts_depth(const Contexts *c) {
    return (uint32_t)((c->beyond ? c->top : c->position->top) - c->stack->frame);
}

// Enters a method. False: there is no memory for its frame; frames above it will have none either.
static inline bool contexts_push(Contexts *c, ContextNode *node, uint32_t method) {
    ContextPosition *p = c->position;
    if (__builtin_expect(p->top == p->limit, 0) && !contexts_grow_stack(c)) {
        contexts_go_beyond(c);
        return false;
    }
    *p->top++ = (ContextFrame){node, method};
    return true;
}

// The top frame if it belongs to `method`, which ends; otherwise NULL.
static inline ContextFrame *contexts_top(const Contexts *c, uint32_t method) {
    ContextFrame *top = c->position->top - 1;
    return __builtin_expect(top->method == method, 1) ? top : NULL;
}

// For a NULL contexts_top: the number of frames that end, down to and including the innermost frame of `method`. 0: it
// was entered before recording began, or its frame had no memory.
uint32_t contexts_ending(Contexts *c, uint32_t method);
// Pops frames; contexts_depth must be at least `frames`.
static inline void contexts_pop(Contexts *c, uint32_t frames) { c->position->top -= frames; }
// Pops all frames.
void contexts_empty(Contexts *c);

// Iterates over nodes in creation order, also from another thread. *at is NULL at first. NULL: the end.
typedef struct ContextCursor {
    const struct ContextChunk *chunk;
    uint32_t next;
} ContextCursor;
const ContextNode *contexts_next(const Contexts *c, ContextCursor *at);

// The number of the child of the node numbered `parent`. The root's number is 0.
uint64_t contexts_number(uint64_t parent, uint64_t site, uint32_t callee);

// A row for the columns CONTEXT_COLUMNS. The table keeps rows with count 0, because they may have descendants.
void contexts_add_row(Table *out, uint64_t number, uint64_t parent, uint64_t site, uint32_t callee, uint64_t count);
#define CONTEXT_COLUMNS                                                                              \
    {                                                                                                \
        {"node", COLUMN_NODE, NULL}, {"parent", COLUMN_NODE, NULL}, {"caller", COLUMN_METHOD, NULL}, \
            {"site", COLUMN_BCI, NULL}, {                                                            \
            "callee", COLUMN_METHOD, NULL                                                            \
        }                                                                                            \
    }

#endif
