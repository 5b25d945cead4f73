// call-tree: the calling context tree (Ammons, Ball and Larus, PLDI 1997): one node for each parent, call site and
// callee.
//
// Recursion is folded. If the callee already occurs recursion= times on the path from the root, the node counts the
// call but gets no children, and calls made by it are counted below its nearest ancestor with that callee. A recursive
// program thus has a bounded tree, and each call still counts at its site: the counts of a call site and callee add up
// to call-edge's, those of a callee to method-count's.
//
// In a sampled profile each recorded call determines its own position: its stack is walked, and returns are ignored.
//
// A call without a node (limit=, out of memory) and all calls below it are lost.
#include <stdlib.h>

#include "profiler/analyses/contexts.h"
#include "profiler/analyses/sitecounts.h"
#include "vm/api/callcontext.h"

typedef struct CallTree {
    // First, for contexts_free. A frame's node is the caller's position, or contexts_nobody() in a lost call.
    Contexts tree;
    ContextNode *below;  // the position below the frames without memory
} CallTree;

static void *thread_new(AnalysisSettings *settings) {
    CallTree *t = malloc(sizeof *t);
    if (t && contexts_begin(&t->tree, settings)) return t;
    free(t);
    return NULL;
}

static void thread_placed(void *state, ContextPosition *position) {
    Contexts *c = &((CallTree *)state)->tree;
    *position = c->own;
    c->position = position;
}

static inline void enter(CallTree *t, uint64_t site, uint32_t callee, bool told) {
    ContextPosition *p = t->tree.position;
    ContextNode *from = p->at, *n = from == contexts_nobody() ? NULL : contexts_child(&t->tree, from, site, callee);
    bool known = contexts_push(&t->tree, from, callee);
    if (n) n->count += told;
    else t->tree.lost += told;
    p->at = n && known ? n->into : contexts_nobody();
    p->found = n;
    if (__builtin_expect(!known && t->tree.beyond == 1, 0)) t->below = from;
}

static void begin_at_root(CallTree *t) {
    contexts_empty(&t->tree);
    t->tree.position->at = &t->tree.root;
}

static void enter_below(void *tree, uint32_t caller, int32_t bci, uint32_t callee) {
    enter(tree, sitecounts_site(caller, bci), callee, false);
}

static __attribute__((noinline)) void follow_stack(CallTree *t, uint32_t callee) {
    begin_at_root(t);
    callcontext_calls(callee, enter_below, t);
}

static void on_call_edge(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    CallTree *t = sink->state;
    if (__builtin_expect(t->tree.settings->sampled, 0)) follow_stack(t, callee);
    enter(t, sitecounts_site(caller, bci), callee, true);
    EVENT_PASS(sink, caller, bci, callee);
}

static __attribute__((noinline)) void leave_slow(CallTree *t, uint32_t method) {
    bool beyond = t->tree.beyond;
    uint32_t frames = contexts_ending(&t->tree, method);
    if (beyond && !t->tree.beyond) t->tree.position->at = t->below;
    if (!frames) return;
    contexts_pop(&t->tree, frames);
    t->tree.position->at = t->tree.position->top->node;
}

static inline void leave(CallTree *t, uint32_t method) {
    const ContextFrame *top = contexts_top(&t->tree, method);
    if (__builtin_expect(!top, 0)) {
        leave_slow(t, method);
        return;
    }
    contexts_pop(&t->tree, 1);
    t->tree.position->at = top->node;
}

static void on_method_exit(const EventSink_method_exit *sink, uint32_t method) {
    leave(sink->state, method);
    EVENT_PASS(sink, method);
}

static void on_method_unwind(const EventSink_method_unwind *sink, uint32_t method) {
    leave(sink->state, method);
    EVENT_PASS(sink, method);
}

static void on_stack_taken(const EventSink_stack_taken *sink, uint64_t thread) {
    begin_at_root(sink->state);
    EVENT_PASS(sink, thread);
}

static void on_stack_frame(const EventSink_stack_frame *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    enter_below(sink->state, caller, bci, callee);
    EVENT_PASS(sink, caller, bci, callee);
}

static uint64_t entered_by_code(const ContextNode *n) { return __atomic_load_n(&n->entered, __ATOMIC_RELAXED); }

static void collect(const void *state, Table *out, uint64_t *lost) {
    const CallTree *t = state;
    ContextCursor at = {0};
    for (const ContextNode *n; (n = contexts_next(&t->tree, &at));)
        contexts_add_row(out, n->number, n->parent->number, n->site, n->callee,
                         __atomic_load_n(&n->count, __ATOMIC_RELAXED) + entered_by_code(n));
    *lost += t->tree.lost;
}

static void counted(const void *state, CountedFn *fn, void *arg) {
    const CallTree *t = state;
    ContextCursor at = {0};
    for (const ContextNode *n; (n = contexts_next(&t->tree, &at));) {
        uint64_t times = entered_by_code(n);
        uint32_t words[] = {(uint32_t)((n->site - 1) >> 32), (uint32_t)(n->site - 1), n->callee};
        if (times) fn(arg, EVENT_call_edge, words, times);
    }
}

const Analysis analysis_call_tree = {
    .name = "call-tree",
    .event = EVENT_call_edge,
    .columns = CONTEXT_COLUMNS,
    .uncut = "the stack is looked at where a call is in a sample, which is one of an activation with copies=exits and "
             "dup=full alone",
    .ungathered = "the stack is looked at where a call happens: transport=direct",
    .thread_new = thread_new,
    .thread_placed = thread_placed,
    .thread_free = contexts_free,
    .collect = collect,
    .counted = counted,
    .on_call_edge = on_call_edge,
    .on_method_exit = on_method_exit,
    .on_method_unwind = on_method_unwind,
    .on_stack_taken = on_stack_taken,
    .on_stack_frame = on_stack_frame,
};
