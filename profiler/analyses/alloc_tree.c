// alloc-tree: bytes allocated, by calling context. One object is a sample for a number of bytes that a thread allocates
// (every=, heap_sample). The thread walks its stack then; with a transport, the event carries the number of the stack
// (profiler/ring/ringcontexts.h), and the consumer has the tree. The object's class is a frame that the innermost
// visible one calls at the place of the allocation, and its node gets that number of bytes. Other objects make no
// event, so the program's code is the same as without a profile.
#include <stdlib.h>

#include "profiler/analyses/contexts.h"
#include "profiler/analyses/moment.h"
#include "profiler/analyses/sitecounts.h"

typedef struct AllocTree {
    Contexts tree;  // first, for contexts_free
    const EventThread *events;
} AllocTree;

static void *thread_new(AnalysisSettings *settings) {
    AllocTree *t = calloc(1, sizeof *t);
    if (t && contexts_begin(&t->tree, settings)) return t;
    free(t);
    return NULL;
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    (void)id, (void)name;
    ((AllocTree *)state)->events = events;
}

// The node of the class in the stack of the event. NULL: out of memory, or the limit on nodes is reached.
static ContextNode *find_node(AllocTree *t, uint32_t cls) {
    uint32_t methods[CALLCONTEXT_MOST], count;
    int32_t bcis[CALLCONTEXT_MOST];
    ContextWalk w = contexts_walk(&t->tree);
    count = moment_stack(t->events, methods, bcis, CALLCONTEXT_MOST);
    if (count == 0) contexts_walk_frame(&w, EVENT_PSEUDO(CALLER_VM), EVENT_NO_BCI);
    if (count == CALLCONTEXT_MOST) contexts_walk_frame(&w, EVENT_PSEUDO(CALLER_TRUNCATED), EVENT_NO_BCI);
    for (uint32_t i = count; w.at && i-- > 0;) contexts_walk_frame(&w, methods[i], bcis[i]);
    contexts_walk_frame(&w, EVENT_ALLOCATED(cls), EVENT_NO_BCI);
    return w.at;
}

static void on_allocation_sample(const EventSink_allocation_sample *sink, uint32_t cls, uint32_t samples,
                                 uintptr_t object) {
    AllocTree *t = sink->state;
    ContextNode *n = find_node(t, cls);
    uint64_t bytes = t->tree.settings->sample_bytes * samples;
    if (n) n->count += bytes;
    else t->tree.lost += bytes;
    EVENT_PASS(sink, cls, samples, object);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const Contexts *tree = &((const AllocTree *)state)->tree;
    ContextCursor at = {0};
    for (const ContextNode *n; (n = contexts_next(tree, &at));)
        contexts_add_row(out, n->number, n->parent->number, n->site, n->callee,
                         __atomic_load_n(&n->count, __ATOMIC_RELAXED));
    *lost += tree->lost;
}

const Analysis analysis_alloc_tree = {
    .name = "alloc-tree",
    .event = EVENT_COUNT,
    .unit = "bytes",
    .joined = true,   // bytes are no events
    .ordered = true,  // such events carry their stacks
    .walked = EVENT_BIT(EVENT_allocation_sample),
    .deep = EVENT_BIT(EVENT_allocation_sample),
    .columns = CONTEXT_COLUMNS,
    .unsampled = "it takes samples of its own: every= sets their distance",
    .unshadowed = "a shadow allocates from lists of its own",
    .thread_new = thread_new,
    .thread_attached = thread_attached,
    .thread_free = contexts_free,
    .collect = collect,
    .on_allocation_sample = on_allocation_sample,
};
