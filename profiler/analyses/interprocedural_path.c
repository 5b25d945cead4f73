// interprocedural-path: paths that continue across calls and returns. The shadow profiling paper profiles them and
// leaves open where one ends ("those that span multiple functions": Moseley, Shye, Reddi, Grunwald and Peri, CGO 2007,
// section 4.2). Here they are the acyclic paths of Ball and Larus (bytecode/analysis/paths.h), followed into callees
// and back into callers.
//
// A thread's path is a sequence of steps: methods entered and returned into, branch edges taken. It ends
//   - at a backedge, in any method,
//   - at a call of a method that it is already in, a backedge of the call graph; methods it has left do not count,
//   - where an exception is thrown, and again in each method that the exception unwinds,
//   - when the thread leaves the outermost method,
//   - at its STEPS-th step, so that the number of paths is finite.
// The step that ends a path is also the first one of the next path; after the outermost return, the next entry is. The
// paths of a thread are thus its complete trace, cut into pieces. The last, unfinished piece is not counted.
//
//     static int half(int n) { if (n % 2 == 1) return -1; return n / 2; }
//     for (int i = 0; i < 3; i++) sum += half(i);        // in main
//
//     1  enter main, loop entered (edge 0), enter half, edge 1, return to main, back
//     1  back in main, edge 0, enter half, edge 0 (odd), return to main, back
//     1  back in main, edge 0, enter half, edge 1, return to main, back
//     1  back in main, edge 1 (the loop ends), return from main
//
// The paths of a thread are a tree of steps (profiler/analyses/contexts.h), in which a node counts the paths that end
// there. The place of a return is the call in the caller, that of an exception the throwing block, as in `path`.
// Exceptions are not seen in methods with subroutines (jsr): their paths continue in the handler.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/analyses/contexts.h"
#include "profiler/analyses/interproceduralpath.h"
#include "profiler/analyses/sitecounts.h"

enum { STEPS = 32 };  // of a path, excluding its first

enum Step { STEP_ENTER, STEP_RETURN, STEP_BACK, STEP_THROW, STEP_EDGE };  // and from STEP_EDGE on, the edge's number

typedef struct Frame {
    uint64_t site;  // of the call
    uint32_t method;
} Frame;

typedef struct State {
    Contexts tree;    // without its stack; first, for contexts_free
    ContextNode *at;  // the last step taken. The root: the next step begins a path. contexts_nobody(): the path is
                      // lost. NULL: recording began in the middle of the path
    uint32_t steps;   // since the first step of the path
    uint32_t lowest;  // lowest frame that the path has been in
    uint32_t depth, room;
    uint64_t beyond;  // innermost frames for which there was no memory
    Frame *frames;
} State;

static void *thread_new(AnalysisSettings *settings) {
    State *s = calloc(1, sizeof *s);
    if (!s || !contexts_begin(&s->tree, settings)) {
        free(s);
        return NULL;
    }
    s->at = &s->tree.root;
    return s;
}

static void thread_free(void *state) {
    if (state) free(((State *)state)->frames);
    contexts_free(state);
}

// ---- steps ---------------------------------------------------------------------------------------

static inline void step(State *s, uint64_t site, uint32_t what) {
    if (!s->at || s->at == contexts_nobody()) return;
    ContextNode *n = contexts_child(&s->tree, s->at, site, what);
    s->at = n ? n : contexts_nobody();
}

// Counts the path that has ended, and marks the nodes that lead to a counted one.
static void count(State *s) {
    ContextNode *n = s->at;
    if (n == contexts_nobody()) s->tree.lost++;
    if (!n || n == contexts_nobody() || n == &s->tree.root) return;
    n->count++;
    for (; !n->entered && n != &s->tree.root; n = n->parent) n->entered = 1;
}

static void begin(State *s, uint64_t site, uint32_t what) {
    s->at = &s->tree.root;
    s->steps = 0;
    s->lowest = s->depth ? s->depth - 1 : 0;
    step(s, site, what);
}

static void end(State *s, uint64_t site, uint32_t what) {
    step(s, site, what);
    count(s);
    begin(s, site, what);
}

static inline void go(State *s, uint64_t site, uint32_t what) {
    if (__builtin_expect(++s->steps >= STEPS, 0)) end(s, site, what);
    else step(s, site, what);
}

// ---- frames --------------------------------------------------------------------------------------

static bool push(State *s, uint64_t site, uint32_t method) {
    if (s->beyond || !GROW(s->frames, s->room, s->depth + 1)) {
        s->beyond++;
        if (s->at) s->at = contexts_nobody();
        return false;
    }
    s->frames[s->depth++] = (Frame){site, method};
    return true;
}

// Pops the innermost frame of the method and all frames above it. The call site of that frame; 0: the method was
// entered before recording began.
static uint64_t pop(State *s, uint32_t method) {
    if (s->beyond) {
        s->beyond--;
        return 0;
    }
    for (uint32_t i = s->depth; i > 0; i--) {
        if (s->frames[i - 1].method != method) continue;
        s->depth = i - 1;
        if (s->depth && s->lowest >= s->depth) s->lowest = s->depth - 1;
        return s->frames[i - 1].site;
    }
    return 0;
}

static bool leaves_outermost(State *s) {
    if (s->depth || s->beyond) return false;
    count(s);
    s->at = &s->tree.root;
    return true;
}

// ---- events --------------------------------------------------------------------------------------

static void on_call_edge(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    State *s = sink->state;
    uint64_t entry = sitecounts_site(callee, EVENT_NO_BCI);
    bool again = false;  // is the path in the method already?
    for (uint32_t i = s->depth; s->at && !again && i > s->lowest; i--) again = s->frames[i - 1].method == callee;
    if (push(s, sitecounts_site(caller, bci), callee)) {
        if (s->at == &s->tree.root) begin(s, entry, STEP_ENTER);
        else if (again) end(s, entry, STEP_ENTER);
        else go(s, entry, STEP_ENTER);
    }
    EVENT_PASS(sink, caller, bci, callee);
}

static void on_method_exit(const EventSink_method_exit *sink, uint32_t method) {
    State *s = sink->state;
    uint64_t site = pop(s, method);
    if (site && s->depth) {
        go(s, site, STEP_RETURN);
    } else if (site) {
        step(s, site, STEP_RETURN);
        leaves_outermost(s);
    }
    EVENT_PASS(sink, method);
}

// The path ended where the exception was thrown, so the one that began there is empty, except in methods where the
// throw is not seen.
static void on_method_unwind(const EventSink_method_unwind *sink, uint32_t method) {
    State *s = sink->state;
    if (pop(s, method) && !s->depth) {
        if (!s->steps && s->at) s->at = &s->tree.root;
        leaves_outermost(s);
    }
    EVENT_PASS(sink, method);
}

static void on_branch(const EventSink_branch *sink, uint32_t method, int32_t bci, uint32_t edge) {
    go(sink->state, sitecounts_site(method, bci), STEP_EDGE + edge);
    EVENT_PASS(sink, method, bci, edge);
}

static void on_backedge(const EventSink_backedge *sink, uint32_t method, int32_t bci) {
    end(sink->state, sitecounts_site(method, bci), STEP_BACK);
    EVENT_PASS(sink, method, bci);
}

// Only paths that an exception ends, and not in hidden methods, which are never entered. The others follow from
// branches.
static void on_path(const EventSink_path *sink, uint32_t method, int32_t bci, uint32_t path) {
    State *s = sink->state;
    if (bci >= 0 && s->depth && s->frames[s->depth - 1].method == method)
        end(s, sitecounts_site(method, bci), STEP_THROW);
    EVENT_PASS(sink, method, bci, path);
}

static void on_stack_taken(const EventSink_stack_taken *sink, uint64_t thread) {
    State *s = sink->state;
    s->depth = 0;
    s->beyond = 0;
    s->at = &s->tree.root;
    EVENT_PASS(sink, thread);
}

static void on_stack_frame(const EventSink_stack_frame *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    State *s = sink->state;
    s->at = NULL;
    push(s, sitecounts_site(caller, bci), callee);
    EVENT_PASS(sink, caller, bci, callee);
}

// ---- rows ----------------------------------------------------------------------------------------

static void collect(const void *state, Table *out, uint64_t *lost) {
    const State *s = state;
    ContextCursor at = {0};
    for (const ContextNode *n; (n = contexts_next(&s->tree, &at));)
        if (__atomic_load_n(&n->entered, __ATOMIC_RELAXED))
            contexts_add_row(out, n->number, n->parent->number, n->site, n->callee,
                             __atomic_load_n(&n->count, __ATOMIC_RELAXED));
    *lost += s->tree.lost;
}

char *interproceduralpath_step(uint32_t what) {
    static const char *const words[STEP_EDGE] = {"enter", "return", "back", "throw"};
    char *text = NULL;
    if (what < STEP_EDGE) return strdup(words[what]);
    return asprintf(&text, "edge:%u", what - STEP_EDGE) < 0 ? NULL : text;
}

const Analysis analysis_interprocedural_path = {
    .name = "interprocedural-path",
    .event = EVENT_path,
    .joined = true,
    .columns = {{"node", COLUMN_NODE, NULL},
                {"parent", COLUMN_NODE, NULL},
                {"method", COLUMN_METHOD, NULL},
                {"site", COLUMN_BCI, NULL},
                {"step", COLUMN_STEP, NULL}},
    .unsampled = "a path goes on in the methods that are called, which are in samples of their own; take path",
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
    .on_call_edge = on_call_edge,
    .on_method_exit = on_method_exit,
    .on_method_unwind = on_method_unwind,
    .on_branch = on_branch,
    .on_backedge = on_backedge,
    .on_path = on_path,
    .on_stack_taken = on_stack_taken,
    .on_stack_frame = on_stack_frame,
};
