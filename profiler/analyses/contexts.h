// A tree of calls that one thread builds, and the stack that leads through it: what call-tree and call-subtree share; interprocedural-path has a tree whose steps are other ones.
//
// A node (vm/api/calltree.h) is reached from its parent by one step: a call site and a callee. Nodes are never removed or
// moved. A reader (a profile written in a crash) finds them in chunks; the owner finds a child by a guess and then in a hash
// table. The guess: the step that was last taken from the parent, or the one that followed it when it was taken before. That is right in loops and in sequences of calls (the locality of calling context trees: Ammons, Ball and Larus,
// PLDI 1997).
//
// A node has a number that follows from the steps that lead to it alone (64 bits of hash), so that threads have the same
// number for the same context and their rows can be added up. Two contexts of one parent never share a number's row, as
// rows hold the step as well.
//
// Frames for which there is no memory are counted. As long as there are any, the position is behind a frame of no method and at
// its limit, so that compiled code reports all calls and returns.
#ifndef CABERNET_PROFILER_CONTEXTS_H
#define CABERNET_PROFILER_CONTEXTS_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/analyses/analysis.h"
#include "vm/api/calltree.h"

// One allocation, so that a reader that takes the pointer once has a limit that fits it.
typedef struct ContextStack {
    struct ContextStack *outgrown;
    uint32_t limit;
    ContextFrame below, frame[];
} ContextStack;

struct ContextChunk;
typedef struct Contexts {
    ContextNode root;
    ContextStack *stack;
    ContextPosition *position;  // `own`, or the thread's; `at` and `found` are call-tree's
    ContextPosition own;
    ContextFrame *top;          // position->top without `beyond`
    uint32_t beyond;            // frames on top of these for which there was no memory
    uint32_t node_count;
    uint32_t mask;              // of the table, which is at most half full
    ContextNode **table;        // by number
    struct ContextChunk *first, *chunk;
    AnalysisSettings *settings;
    uint64_t lost;
} Contexts;

// False: out of memory, and there is nothing to free.
bool contexts_begin(Contexts *c, AnalysisSettings *settings);
void contexts_end(Contexts *c);

// The position becomes that one, before any event.
void contexts_place(Contexts *c, ContextPosition *position);
// A position of a thread that has no tree: everything is reported.
void contexts_nowhere(ContextPosition *position);
// The node from which there are no steps, and to which none leads: of a call that is lost. Constant.
ContextNode *contexts_nobody(void);

// The child of `parent` by a step that is no guess; makes it if it is not there. NULL: no memory, or as many nodes as
// there may be.
ContextNode *contexts_find(Contexts *c, ContextNode *parent, uint64_t site, uint32_t callee);

// The same, by a guess if possible.
static inline ContextNode *contexts_child(Contexts *c, ContextNode *parent, uint64_t site, uint32_t callee) {
    ContextNode *last = parent->last;
    if (__builtin_expect(last->site == site && last->callee == callee, 1)) return last;
    ContextNode *after = last->after;
    if (after->site != site || after->callee != callee || after->parent != parent)
        return contexts_find(c, parent, site, callee);
    return parent->last = after;
}

bool contexts_grow_stack(Contexts *c);
void contexts_go_beyond(Contexts *c);

// Frames that there is memory for.
static inline uint32_t contexts_depth(const Contexts *c) {
    return (uint32_t)((c->beyond ? c->top : c->position->top) - c->stack->frame);
}

// A method is entered. False: there is no memory for its frame, nor will there be one for those above it.
static inline bool contexts_push(Contexts *c, ContextNode *node, uint32_t method) {
    ContextPosition *p = c->position;
    if (__builtin_expect(p->top == p->limit, 0) && !contexts_grow_stack(c)) {
        contexts_go_beyond(c);
        return false;
    }
    *p->top++ = (ContextFrame){node, method};
    return true;
}

// The top frame if it is one of `method`, which ends.
static inline ContextFrame *contexts_top(const Contexts *c, uint32_t method) {
    ContextFrame *top = c->position->top - 1;
    return __builtin_expect(top->method == method, 1) ? top : NULL;
}

// Where contexts_top gives NULL: how many frames end with that one of `method` that is the innermost, which is the last of
// them; 0: none, as it was not entered while the profile recorded, or there was no memory for its frame.
uint32_t contexts_ending(Contexts *c, uint32_t method);
// Frames end, of which contexts_depth has as many at least.
static inline void contexts_pop(Contexts *c, uint32_t frames) { c->position->top -= frames; }
// All frames end.
void contexts_empty(Contexts *c);

// Nodes in the order in which they were made, from a reader; *at is NULL at first. NULL: there are no more.
typedef struct ContextCursor {
    const struct ContextChunk *chunk;
    uint32_t next;
} ContextCursor;
const ContextNode *contexts_next(const Contexts *c, ContextCursor *at);

// The number of the child of a node with number `parent`. The root's is 0.
uint64_t contexts_number(uint64_t parent, uint64_t site, uint32_t callee);

// A row for the columns CONTEXT_COLUMNS. The table keeps rows whose count is 0: others may be below them.
void contexts_add_row(Table *out, uint64_t number, uint64_t parent, uint64_t site, uint32_t callee, uint64_t count);
#define CONTEXT_COLUMNS                                                                                   \
    {{"node", COLUMN_NODE, NULL}, {"parent", COLUMN_NODE, NULL}, {"caller", COLUMN_METHOD, NULL},         \
     {"site", COLUMN_BCI, NULL}, {"callee", COLUMN_METHOD, NULL}}

#endif
