// The graph of a plan (code_versions.h), and the choice of its transformation.
//
// Nodes are numbered in the order in which they are emitted: blocks in reverse postorder, inlined methods between the
// segments of their caller. So an edge leads backwards exactly where the bytecode's does, and every node of a loop's
// body, inlined or not, is between the loop's header and its last block.
#include "jit/analysis/code_versions.h"

#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/leafcode.h"
#include "bytecode/classfile/opcodes.h"
#include "jit/plan/plan_intrinsics.h"
#include "jit/plan/plan_internal.h"
#include "vm/api/eventsets.h"

typedef struct Builder {
    CodeVersions *versions;
    const Plan *root;
    uint32_t node_room, edge_room, frame_room;
    DuplicateEdge *edges;
    uint32_t edge_count;
} Builder;

// Targets of exceptions that a method does not handle: handlers around the invocation, innermost first.
typedef struct Outside {
    const struct Outside *next;
    const VersionFrame *frame;
    uint32_t block;
} Outside;

// ---- events -------------------------------------------------------------------------------------

bool code_versions_call_is_event(const Method *m) { return m && compiler_events(m) & events_from(EVENTS_CALLS); }

// The event of any other invocation is in its callee. This includes the slow paths of intrinsics.
static bool invocation_is_event(const PlanSite *site) {
    const Method *m;
    if (!site) return false;
    if (site->site.kind == SITE_OBJECT_INIT) return code_versions_call_is_event(site->site.method);
    m = plan_callee(site);
    if (!m && site->site.kind == SITE_CALL_DIRECT) m = site->site.method;
    return intrinsics_form(m) != INTRINSIC_CALLED && code_versions_call_is_event(m);
}

EventSet code_versions_events_at(const Plan *plan, uint32_t bci) {
    return plan->events & EVENTS_PLACED ? plan->events & compiler_events_at(plan->method, bci) : plan->events;
}

bool code_versions_is_event(const Plan *plan, uint32_t bci) {
    unsigned flags = opcodes_info[plan->code->code[bci]].flags;
    const PlanSite *site = flags & (OPF_INVOKE | OPF_FIELD) ? plan_site(plan, bci) : NULL;
    if (flags & OPF_INVOKE && invocation_is_event(site)) return true;
    if (flags & OPF_FIELD && !(site && (site->site.kind == SITE_FIELD || site->site.kind == SITE_STATIC))) return false;
    EventSet events = code_versions_events_at(plan, bci);
    return events & EVENTS_NEVER_EVERYWHERE || events & events_of_code() & events_made_by(flags);
}

// ---- nodes --------------------------------------------------------------------------------------

// Code for an inner loop contains the loops around it in a shape that is hard to optimise. So it can be left at their
// backedges, for code that on-stack replacement enters there. NULL: there are none, or they cannot be entered.
static bool *find_outer_loops(const Plan *root, uint32_t entry_block) {
    const Dataflow *flow = root->flow;
    const CfgBlock *blocks = flow->cfg->blocks;
    bool *outer = NULL;
    if (root->osr_bci < 0 || (root->sampling.on && !root->sampling.exits)) return NULL;
    uint32_t header = blocks[flow->blocks[entry_block].cfg_block].loop_header;
    while (header != CFG_NONE && (header = blocks[header].loop_parent) != CFG_NONE)
        for (uint32_t i = 0; i < flow->block_count; i++) {
            const FlowBlock *b = &flow->blocks[i];
            if (b->cfg_block != header || !plan_enters_at(b)) continue;
            if (!outer) outer = plan_alloc(flow->block_count * sizeof *outer);
            outer[i] = true;
        }
    return outer;
}

// Marks the blocks that are reachable from `from` over edges and handlers. `wanted`: by FlowBlock, zeroed.
static void reach(const Dataflow *flow, uint32_t from, bool *wanted) {
    uint32_t *work = plan_alloc(flow->block_count * sizeof *work), count = 0;
    wanted[from] = true;
    work[count++] = from;
    while (count > 0) {
        const FlowBlock *b = &flow->blocks[work[--count]];
        for (uint32_t i = 0; i < b->succ_count + b->handler_count; i++) {
            uint32_t to = i < b->succ_count ? flow->edges[b->first_succ + i]
                                            : flow->handlers[b->first_handler + i - b->succ_count].block;
            if (wanted[to]) continue;
            wanted[to] = true;
            work[count++] = to;
        }
    }
    free(work);
}

static uint32_t add_node(Builder *b, VersionNode node) {
    CodeVersions *c = b->versions;
    c->nodes = plan_grow(c->nodes, &b->node_room, c->node_count, sizeof *c->nodes);
    c->nodes[c->node_count] = node;
    return c->node_count++;
}

static void add_edge(Builder *b, uint32_t from, uint32_t to) {
    if (to == CFG_NONE) return;
    b->edges = plan_grow(b->edges, &b->edge_room, b->edge_count, sizeof *b->edges);
    b->edges[b->edge_count++] = (DuplicateEdge){from, to};
}

static uint32_t add_method(Builder *b, const Plan *plan, uint32_t entry_block);

#define NO_CALLEES \
    { CFG_NONE, CFG_NONE, CFG_NONE }
static_assert(PLAN_TARGETS == 3, "NO_CALLEES");

// Adds the segments of a block and the methods inlined between them. Returns the first segment.
static uint32_t add_block(Builder *b, const Plan *plan, uint32_t block) {
    const ClassFileCode *code = plan->code;
    const FlowBlock *f = &plan->flow->blocks[block];
    uint32_t start = f->start, first = CFG_NONE, next;
    for (uint32_t bci = start; bci < f->end; bci = next) {
        next = bci + opcodes_length(code->code, code->code_len, bci);
        bool invokes = opcodes_info[code->code[bci]].flags & OPF_INVOKE;
        const PlanSite *inlined = invokes ? plan_site(plan, bci) : NULL;
        if (!inlined || !plan_inlines(inlined)) continue;
        uint32_t n = add_node(b, (VersionNode){plan, block, start, next, inlined, NO_CALLEES, CFG_NONE});
        if (first == CFG_NONE) first = n;
        for (uint32_t i = 0; i < PLAN_TARGETS; i++) {
            uint32_t callee = plan_inlined(inlined, i) ? add_method(b, plan_inlined(inlined, i), 0) : CFG_NONE;
            b->versions->nodes[n].callees[i] = callee;
        }
        b->versions->nodes[n].next = b->versions->node_count;
        start = next;
    }
    uint32_t last = add_node(b, (VersionNode){plan, block, start, f->end, NULL, NO_CALLEES, CFG_NONE});
    return first == CFG_NONE ? last : first;
}

// Returns the number of the method's frame.
static uint32_t add_method(Builder *b, const Plan *plan, uint32_t entry_block) {
    const Dataflow *flow = plan->flow;
    CodeVersions *c = b->versions;
    uint32_t frame = c->frame_count;
    bool *wanted = plan_alloc(flow->block_count * sizeof *wanted);
    uint32_t *first = plan_alloc(flow->block_count * sizeof *first);
    reach(flow, entry_block, wanted);
    memset(first, 0xff, flow->block_count * sizeof *first);
    c->frames = plan_grow(c->frames, &b->frame_room, c->frame_count, sizeof *c->frames);
    c->frames[c->frame_count++] = (VersionFrame){.plan = plan, .prologue = CFG_NONE, .first = first};
    if (plan->parent || plan->osr_bci < 0)
        c->frames[frame].prologue = add_node(b, (VersionNode){plan, CFG_NONE, 0, 0, NULL, NO_CALLEES, CFG_NONE});
    for (uint32_t i = 0; i < flow->block_count; i++)
        if (wanted[flow->order[i]]) first[flow->order[i]] = add_block(b, plan, flow->order[i]);
    free(wanted);
    return frame;
}

// ---- edges --------------------------------------------------------------------------------------

static void add_exceptions(Builder *b, uint32_t from, const Outside *o) {
    for (; o; o = o->next) {
        const Dataflow *flow = o->frame->plan->flow;
        const FlowBlock *f = &flow->blocks[o->block];
        for (uint32_t i = 0; i < f->handler_count; i++)
            add_edge(b, from, o->frame->first[flow->handlers[f->first_handler + i].block]);
    }
}

static bool returns(const VersionNode *n) {
    const ClassFileCode *code = n->plan->code;
    uint32_t last = CFG_NONE;
    for (uint32_t bci = n->start; bci < n->end; bci += opcodes_length(code->code, code->code_len, bci)) last = bci;
    return last != CFG_NONE && opcodes_info[code->code[last]].flags & OPF_RETURN;
}

static bool is_leaf(const Plan *plan) { return leafcode_is(plan->method->cls->file, plan->code); }

// Whether an inlined method makes its own checks. Its samples then do not include the code that it returns to. With
// DUP_FULL it is part of the activation that it is inlined into (vm/instrument/sampling.h).
static bool is_activation(const Builder *b, const Plan *plan) {
    const CompilerSampling *s = &b->root->sampling;
    return s->exits && s->dup != DUP_FULL && !is_leaf(plan);
}

static void connect_method(Builder *b, const VersionFrame *frame, const Outside *outside, uint32_t behind);

// Connects a node. The last argument: the node that returns lead to, or CFG_NONE.
static void connect_node(Builder *b, uint32_t n, const VersionFrame *frame, const Outside *outside, uint32_t behind) {
    const VersionNode node = b->versions->nodes[n];
    const Dataflow *flow = node.plan->flow;
    const Outside here = {outside, frame, node.block};
    add_exceptions(b, n, &here);
    if (node.inlined) {
        for (uint32_t i = 0; i < PLAN_TARGETS; i++) {
            if (node.callees[i] == CFG_NONE) continue;
            const VersionFrame *callee = &b->versions->frames[node.callees[i]];
            bool own = is_activation(b, callee->plan);
            add_edge(b, n, callee->prologue);
            connect_method(b, callee, own ? NULL : &here, own ? CFG_NONE : node.next);
        }
        if (node.inlined->call == CALL_GUARDED || b->root->sampling.exits) add_edge(b, n, node.next);
        return;
    }
    const FlowBlock *f = &flow->blocks[node.block];
    for (uint32_t i = 0; i < f->succ_count; i++) add_edge(b, n, frame->first[flow->edges[f->first_succ + i]]);
    if (returns(&node)) add_edge(b, n, behind);
}

static void connect_method(Builder *b, const VersionFrame *frame, const Outside *outside, uint32_t behind) {
    if (frame->prologue != CFG_NONE) {
        add_exceptions(b, frame->prologue, outside);  // thrown when taking the monitor
        add_edge(b, frame->prologue, frame->first[0]);
    }
    for (uint32_t block = 0; block < frame->plan->flow->block_count; block++)
        for (uint32_t n = frame->first[block]; n != CFG_NONE; n = b->versions->nodes[n].next)
            connect_node(b, n, frame, outside, behind);
}

static int by_source(const void *a, const void *b) {
    const DuplicateEdge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

// ---- loops --------------------------------------------------------------------------------------

static uint32_t block_at(const Dataflow *flow, uint32_t bci) {
    for (uint32_t i = 0; i < flow->block_count; i++)
        if (bci >= flow->blocks[i].start && bci < flow->blocks[i].end) return i;
    return CFG_NONE;
}

static bool in_loop(const VersionNode *node, const Plan *plan, const InnerLoop *l) {
    uint32_t block = node->block;
    for (const Plan *p = node->plan; p != plan; p = p->parent) {
        if (!p->parent) return false;
        block = block_at(p->parent->flow, p->parent_bci);
    }
    return block != CFG_NONE && l->body[block];
}

// The end, exclusive, of the range of nodes from the loop's header that contains all of its nodes, and perhaps others.
static uint32_t end_of_loop(const CodeVersions *c, const VersionFrame *frame, const InnerLoop *l) {
    uint32_t end = 0;
    for (uint32_t block = 0; block < frame->plan->flow->block_count; block++) {
        if (!l->body[block]) continue;
        for (uint32_t n = frame->first[block]; n != CFG_NONE; n = c->nodes[n].next)
            if (n + 1 > end) end = n + 1;
    }
    return end;
}

// If a node of the loop is instrumented, treats all of its nodes as instrumented, so that all are duplicated.
static void keep_loop(const CodeVersions *c, const VersionFrame *frame, const InnerLoop *l, bool *instrumented) {
    uint32_t start = frame->first[l->header], end = end_of_loop(c, frame, l);
    bool any = false;
    for (uint32_t n = start; n < end; n++) any |= instrumented[n] && in_loop(&c->nodes[n], frame->plan, l);
    for (uint32_t n = start; n < end && any; n++)
        if (in_loop(&c->nodes[n], frame->plan, l)) instrumented[n] = true;
}

static void find_loops(CodeVersions *c, StripMiningOptions options) {
    for (uint32_t i = 0; i < c->frame_count; i++) {
        VersionFrame *frame = &c->frames[i];
        // If branches are events, the test of a strip-mined loop would report more branches than the bytecode makes.
        EventSet reported = frame->plan->events & ~options.counted & events_made_by(OPF_BRANCH | OPF_COND);
        if (options.on && (options.sampled || !reported)) frame->loops = strip_mining_find(frame->plan, &options);
        frame->checks = plan_alloc(frame->loops.count * sizeof *frame->checks);
    }
}

static void forget_loops(CodeVersions *c) {
    for (uint32_t i = 0; i < c->frame_count; i++) {
        strip_mining_free(&c->frames[i].loops);
        free(c->frames[i].checks);
    }
}

static void keep_loops(const CodeVersions *c, bool *instrumented) {
    for (uint32_t i = 0; i < c->frame_count; i++) {
        const VersionFrame *frame = &c->frames[i];
        for (uint32_t k = 0; k < frame->loops.count; k++) {
            const InnerLoop *l = &frame->loops.loops[k];
            if (l->closed && frame->first[l->header] != CFG_NONE) keep_loop(c, frame, l, instrumented);
        }
    }
}

static LoopChecks checks_of_loop(const CodeVersions *c, const VersionFrame *frame, const InnerLoop *l) {
    const Duplicate *d = c->duplicate;
    uint32_t all = 0, duplicated = 0, checked = 0, entries = 0, header = frame->first[l->header];
    if (header == CFG_NONE) return LOOP_CHECKS_ANYWHERE;
    uint32_t end = end_of_loop(c, frame, l);
    for (uint32_t n = header; n < end; n++) {
        if (!in_loop(&c->nodes[n], frame->plan, l) || d->order[n] == UINT32_MAX) continue;
        all++;
        duplicated += d->duplicated[n];
        checked += d->checked[n];
        entries += d->checked[n] && c->nodes[n].block == CFG_NONE;
    }
    if (duplicated == 0 && checked == 0) return LOOP_CHECKS_NONE;
    bool at_header = duplicated == all && checked == 1 + entries && d->checked[header];
    if (!at_header || !l->closed) return LOOP_CHECKS_ANYWHERE;
    return entries ? LOOP_CHECKS_AT_ENTRIES : LOOP_CHECKS_AT_HEADER;
}

static void find_checks(CodeVersions *c) {
    for (uint32_t i = 0; i < c->frame_count; i++) {
        const VersionFrame *frame = &c->frames[i];
        for (uint32_t k = 0; k < frame->loops.count; k++) {
            const InnerLoop *l = &frame->loops.loops[k];
            frame->checks[k] = checks_of_loop(c, frame, l);
            if (frame->checks[k] == LOOP_CHECKS_AT_HEADER) {
                uint32_t header = frame->first[l->header], end = end_of_loop(c, frame, l);
                for (uint32_t n = header; n < end; n++)
                    if (in_loop(&c->nodes[n], frame->plan, l)) c->check_free_loops[n] = header;
            }
        }
    }
}

// ---- choosing the transformation ----------------------------------------------------------------

// Estimated executions of a node per entry of the root. Each loop around it, or around an inlined invocation it is in,
// multiplies by eight; code of exception handlers hardly ever runs.
static double frequency_of(const VersionNode *node) {
    enum { TIMES = 8, DEEPEST = 8 };
    double f = 1;
    uint32_t block = node->block, depth = 0;
    for (const Plan *plan = node->plan;; plan = plan->parent) {
        const Dataflow *flow = plan->flow;
        if (block != CFG_NONE) {
            const CfgBlock *b = &flow->cfg->blocks[flow->blocks[block].cfg_block];
            for (uint32_t i = 0; i < b->loop_depth && depth < DEEPEST; i++, depth++) f *= TIMES;
            if (flow->blocks[block].is_handler) f /= 1000;
        }
        if (!plan->parent) return f;
        block = block_at(plan->parent->flow, plan->parent_bci);
    }
}

// The cost model of dup=auto. It compares partial duplication with none, in units of one check executed per entry of
// the method. The code that duplication adds costs compile time: BYTES_FOR_A_CHECK of its bytes weigh as much as one
// check. That number is assumed, not measured. Code worth optimising runs millions of times, or its loops do, so size
// weighs little.
//
// Full duplication is never cheaper: partial duplication executes no more checks and duplicates no more nodes.
static SamplingDup cheapest(const CodeVersions *c, const double *frequency, const double *check_cost,
                            const uint32_t *size, const uint32_t *operations) {
    enum { CHECK_SIZE = 6, BYTES_FOR_A_CHECK = 100 };
    double costs[2];
    SamplingDup modes[2] = {DUP_PARTIAL, DUP_NO};
    for (int i = 0; i < 2; i++) {
        Duplicate *d = duplicate_make(&c->graph, modes[i], CHECKS_ALL);
        DuplicateCost cost = duplicate_cost(&c->graph, d, frequency, check_cost, size, operations, CHECK_SIZE);
        costs[i] = cost.checks + cost.size / BYTES_FOR_A_CHECK;
        duplicate_free(d);
    }
    return costs[0] <= costs[1] ? modes[0] : modes[1];
}

// A strip-mined loop makes one check per strip.
static double *check_costs(const CodeVersions *c) {
    enum { STRIP = 64 };
    double *costs = plan_alloc(c->node_count * sizeof *costs);
    for (uint32_t n = 0; n < c->node_count; n++) costs[n] = 1;
    for (uint32_t i = 0; i < c->frame_count; i++) {
        const VersionFrame *frame = &c->frames[i];
        for (uint32_t k = 0; k < frame->loops.count; k++) {
            const InnerLoop *l = &frame->loops.loops[k];
            uint32_t header = frame->first[l->header];
            if (header != CFG_NONE && strip_mining_fits_sampling(l)) costs[header] /= STRIP;
        }
    }
    return costs;
}

static SamplingDup choose_mode(const Plan *root, const CodeVersions *c, const uint32_t *operations) {
    if (root->sampling.dup != DUP_AUTO) return root->sampling.dup;
    if (root->sampling.exits) return DUP_PARTIAL;  // its only cost is its checks, which are the fewest
    double *frequency = plan_alloc(c->node_count * sizeof *frequency);
    uint32_t *size = plan_alloc(c->node_count * sizeof *size);
    for (uint32_t n = 0; n < c->node_count; n++) {
        frequency[n] = frequency_of(&c->nodes[n]);
        size[n] = c->nodes[n].end - c->nodes[n].start;
    }
    double *costs = check_costs(c);
    SamplingDup mode = cheapest(c, frequency, costs, size, operations);
    free(costs);
    free(frequency);
    free(size);
    return mode;
}

// ---- the versions -------------------------------------------------------------------------------

static void make_graph(Builder *b, uint32_t *operations) {
    CodeVersions *c = b->versions;
    bool *instrumented = plan_alloc(c->node_count * sizeof *instrumented),
         *begins = plan_alloc(c->node_count * sizeof *begins);
    uint32_t *order = plan_alloc(c->node_count * sizeof *order);
    connect_method(b, &c->frames[0], NULL, CFG_NONE);
    if (b->edge_count) qsort(b->edges, b->edge_count, sizeof *b->edges, by_source);
    for (uint32_t n = 0; n < c->node_count; n++) {
        order[n] = n;
        const VersionNode *node = &c->nodes[n];
        const ClassFileCode *code = node->plan->code;
        if (node->block == CFG_NONE) operations[n] = code_versions_call_is_event(node->plan->method);
        for (uint32_t bci = node->start; node->block != CFG_NONE && bci < node->end;
             bci += opcodes_length(code->code, code->code_len, bci))
            operations[n] += code_versions_is_event(node->plan, bci);
        instrumented[n] = operations[n] > 0;
        begins[n] = node->block == CFG_NONE && node->plan->parent && is_activation(b, node->plan);
    }
    keep_loops(c, instrumented);
    c->graph = (DuplicateGraph){.node_count = c->node_count,
                                .edge_count = b->edge_count,
                                .edges = b->edges,
                                .entry = c->entry,
                                .instrumented = instrumented,
                                .begins = begins,
                                .order = order};
}

// A method that is part of its callers' samples makes no checks; entries make none if the option says so.
static void settle_checks(CodeVersions *c, const Plan *root) {
    Duplicate *d = c->duplicate;
    bool none = root->osr_bci < 0 && is_leaf(root), entries = root->sampling.checks == CHECKS_ALL;
    for (uint32_t n = 0; n < c->node_count; n++) d->checked[n] &= !none && (entries || d->header[n]);
    d->entry = d->checked[c->entry] && c->nodes[c->entry].block == CFG_NONE ? TARGET_CHECK : TARGET_CHECKING;
}

// Leaves c->duplicate NULL if one version is enough.
static void duplicate(Builder *b, StripMiningOptions loops) {
    CodeVersions *c = b->versions;
    const CompilerSampling *s = &b->root->sampling;
    uint32_t *operations = plan_alloc(c->node_count * sizeof *operations);
    loops.on &= s->exits;
    loops.sampled = true;
    find_loops(c, loops);
    make_graph(b, operations);
    SamplingDup mode = choose_mode(b->root, c, operations);
    free(operations);
    if (mode != DUP_NO) c->duplicate = duplicate_make(&c->graph, mode, s->exits ? CHECKS_BACKEDGES : s->checks);
    if (c->duplicate && c->duplicate->duplicated_count) {
        c->exits = s->exits;
        if (c->exits) settle_checks(c, b->root);
        find_checks(c);
        return;
    }
    duplicate_free(c->duplicate);
    c->duplicate = NULL;
    forget_loops(c);
}

// Whether the loop reports into the ring. A strip would report once per iteration before it polls
// (jit/probes/probe_ring.c).
static bool reports_in(const CodeVersions *c, const VersionFrame *frame, const InnerLoop *l) {
    if (frame->first[l->header] == CFG_NONE) return false;
    uint32_t end = end_of_loop(c, frame, l);
    for (uint32_t n = frame->first[l->header]; n < end; n++)
        if (c->graph.instrumented[n] && in_loop(&c->nodes[n], frame->plan, l)) return true;
    return false;
}

CodeVersions *code_versions_make(const Plan *root, uint32_t entry_block, StripMiningOptions loops) {
    CodeVersions *c = plan_alloc(sizeof *c);
    Builder b = {.versions = c, .root = root};
    c->outer_loops = find_outer_loops(root, entry_block);
    add_method(&b, root, entry_block);
    c->entry = c->frames[0].prologue == CFG_NONE ? c->frames[0].first[entry_block] : c->frames[0].prologue;
    c->check_free_loops = plan_alloc(c->node_count * sizeof *c->check_free_loops);
    memset(c->check_free_loops, 0xff, c->node_count * sizeof *c->check_free_loops);
    if (root->sampling.on && root->sampling.dup != DUP_NO) duplicate(&b, loops);
    if (c->duplicate) return c;
    loops.sampled = false;
    if (!root->sampling.on) loops.counted = root->counted;
    find_loops(c, loops);
    bool ring = !root->sampling.on && root->events & EVENTS_RING;
    if (ring) {
        uint32_t *operations = plan_alloc(c->node_count * sizeof *operations);
        make_graph(&b, operations);
        free(operations);
    }
    for (uint32_t i = 0; i < c->frame_count; i++)
        for (uint32_t k = 0; k < c->frames[i].loops.count; k++)
            c->frames[i].checks[k] = ring && reports_in(c, &c->frames[i], &c->frames[i].loops.loops[k])
                ? LOOP_CHECKS_ANYWHERE
                : LOOP_CHECKS_NONE;
    return c;
}

void code_versions_free(CodeVersions *c) {
    if (!c) return;
    forget_loops(c);
    for (uint32_t i = 0; i < c->frame_count; i++) free(c->frames[i].first);
    free(c->frames);
    free(c->check_free_loops);
    free(c->outer_loops);
    free(c->nodes);
    free((void *)c->graph.edges);
    free((void *)c->graph.instrumented);
    free((void *)c->graph.begins);
    free((void *)c->graph.order);
    duplicate_free(c->duplicate);
    free(c);
}
