// call-subtree: subtrees of depth two of the dynamic call tree: an invocation of a method and the calls that it makes
// directly (Ha et al., PLDI 2007, and OOPSLA 2009, section 5.2). A subtree is the method and the set of its call sites
// with callees, like the bit vector of the paper; the number and order of calls are not part of it. The count is the
// number of invocations that made exactly these calls. Unfinished invocations count with the calls made up to now.
//
// A running invocation is represented by a node: at first its method's, a child of the root, then one step further with
// each new call. Invocations that make the same calls in the same order share a node, and a repeated call does not
// move. A frame that was on the stack when recording began is not counted: its node is contexts_nobody(). Rows list the
// calls of a set in site order.
#include <stdlib.h>

#include "base/grow.h"
#include "profiler/analyses/contexts.h"
#include "profiler/analyses/sitecounts.h"

static void *thread_new(AnalysisSettings *settings) {
    Contexts *c = malloc(sizeof *c);
    if (c && contexts_begin(c, settings)) return c;
    free(c);
    return NULL;
}

// The node of an invocation after a call: unchanged if it has made that call before. Checks the most recently repeated
// call first (stored in `into`, which is unused here), then all calls it has made.
static ContextNode *step(Contexts *c, ContextNode *from, uint64_t site, uint32_t callee) {
    ContextNode *repeated = from->into;
    if (repeated->site == site && repeated->callee == callee) return from;
    for (ContextNode *n = from; n->parent != &c->root; n = n->parent)
        if (n->site == site && n->callee == callee) {
            from->into = n;
            return from;
        }
    return contexts_child(c, from, site, callee);
}

static void on_call_edge(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    Contexts *c = sink->state;
    if (contexts_depth(c) > 0 && !c->beyond) {
        ContextFrame *top = c->position->top - 1;
        if (top->node && top->node != contexts_nobody())
            top->node = step(c, top->node, sitecounts_site(caller, bci), callee);
    }
    // The new invocation is at first its method's node.
    ContextNode *n = contexts_child(c, &c->root, sitecounts_site(callee, EVENT_NO_BCI), callee);
    if (!contexts_push(c, n, callee)) c->lost++;
    EVENT_PASS(sink, caller, bci, callee);
}

static void leave(Contexts *c, uint32_t method) {
    uint32_t frames = contexts_top(c, method) ? 1 : contexts_ending(c, method);
    for (; frames > 0; frames--) {
        const ContextFrame *f = --c->position->top;
        if (f->node == contexts_nobody()) continue;
        if (f->node) f->node->count++;
        else c->lost++;
    }
}

static void on_method_exit(const EventSink_method_exit *sink, uint32_t method) {
    leave(sink->state, method);
    EVENT_PASS(sink, method);
}

static void on_method_unwind(const EventSink_method_unwind *sink, uint32_t method) {
    leave(sink->state, method);
    EVENT_PASS(sink, method);
}

// The current invocations are taken to have ended.
static void on_stack_taken(const EventSink_stack_taken *sink, uint64_t thread) {
    Contexts *c = sink->state;
    while (c->beyond) contexts_ending(c, 0);
    while (contexts_depth(c) > 0) leave(c, c->position->top[-1].method);
    EVENT_PASS(sink, thread);
}

static void on_stack_frame(const EventSink_stack_frame *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    contexts_push(sink->state, contexts_nobody(), callee);
    EVENT_PASS(sink, caller, bci, callee);
}

// ---- rows ----

// The calls of an invocation.
typedef struct CallSet {
    const ContextNode *method;
    const ContextNode **calls;
    uint32_t count, room;
} CallSet;

static int by_site(const void *a, const void *b) {
    const ContextNode *x = *(const ContextNode *const *)a, *y = *(const ContextNode *const *)b;
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    return x->callee < y->callee ? -1 : x->callee > y->callee;
}

static bool read_calls(CallSet *set, const Contexts *c, const ContextNode *n) {
    set->count = 0;
    for (; n->parent != &c->root; n = n->parent) {
        if (!GROW(set->calls, set->room, set->count + 1)) return false;
        set->calls[set->count++] = n;
    }
    set->method = n;
    if (set->count) qsort(set->calls, set->count, sizeof *set->calls, by_site);
    return true;
}

static void add_rows(CallSet *set, const Contexts *c, const ContextNode *n, uint64_t count, Table *out) {
    if (!count || out->failed) return;
    if (!read_calls(set, c, n)) {
        out->failed = true;
        return;
    }
    uint64_t parent = 0, number = contexts_number(0, set->method->site, set->method->callee);
    contexts_add_row(out, number, 0, set->method->site, set->method->callee, set->count ? 0 : count);
    for (uint32_t i = 0; i < set->count; i++) {
        const ContextNode *call = set->calls[i];
        parent = number;
        number = contexts_number(parent, call->site, call->callee);
        contexts_add_row(out, number, parent, call->site, call->callee, i + 1 == set->count ? count : 0);
    }
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const Contexts *c = state;
    CallSet set = {0};
    ContextCursor at = {0};
    for (const ContextNode *n; (n = contexts_next(c, &at));)
        add_rows(&set, c, n, __atomic_load_n(&n->count, __ATOMIC_RELAXED), out);
    const ContextStack *stack = published_read(&c->stack);
    for (uint32_t i = 0; i < contexts_depth(c) && i <= stack->mask; i++) {
        const ContextFrame *f = &stack->frame[i];
        if (f->node == contexts_nobody()) continue;
        if (f->node) add_rows(&set, c, f->node, 1, out);
        else ++*lost;
    }
    *lost += c->lost;
    free(set.calls);
}

const Analysis analysis_call_subtree = {
    .name = "call-subtree",
    .event = EVENT_call_edge,
    .columns = CONTEXT_COLUMNS,
    .unsampled = "what an invocation calls is in samples of its own, and a loop divides the invocation itself among "
                 "several samples; take call-tree",
    .thread_new = thread_new,
    .thread_free = contexts_free,
    .collect = collect,
    .on_call_edge = on_call_edge,
    .on_method_exit = on_method_exit,
    .on_method_unwind = on_method_unwind,
    .on_stack_taken = on_stack_taken,
    .on_stack_frame = on_stack_frame,
};
