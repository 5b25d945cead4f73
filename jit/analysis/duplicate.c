// The paper's definitions as two sweeps over the DAG. In the forward sweep, `after` says whether a node is instrumented
// or follows an instrumented one. In the backward sweep, `before` says whether it is instrumented or precedes one. A
// node that is not `after` is a top-node; one that is not `before` is a bottom-node. Partial duplication keeps the
// nodes that are both `after` and `before`.
//
// The paper adds a check to edges from a top-node to an *instrumented* node. That misses a node where a top-node joins
// instrumented code: it is neither instrumented nor a top-node. Control that comes from the top-node would never take a
// sample in the code that follows. So checks are on the edges from top-nodes to all duplicated nodes. A path through
// the DAG has at most one such edge, and with full duplication each path begins with a check, so partial duplication
// executes no more checks than full duplication.
#include "jit/analysis/duplicate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

enum { UNREACHED = UINT32_MAX };

static void *zeroed(size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (p) return p;
    fputs("cabernet: the compiler is out of memory\n", stderr);
    abort();
}

// ---- successors --------------------------------------------------------------------------------

// Edges by source: those of node n are list[first[n]] ... list[first[n + 1] - 1].
typedef struct Successors {
    uint32_t *first, *list;
} Successors;

static Successors successors_of(const DuplicateGraph *g) {
    Successors s = {zeroed(g->node_count + 2u, sizeof(uint32_t)), zeroed(g->edge_count, sizeof(uint32_t))};
    for (uint32_t i = 0; i < g->edge_count; i++) s.first[g->edges[i].from + 2]++;
    for (uint32_t n = 2; n < g->node_count + 2; n++) s.first[n] += s.first[n - 1];
    for (uint32_t i = 0; i < g->edge_count; i++) s.list[s.first[g->edges[i].from + 1]++] = i;
    return s;
}

static void successors_free(Successors *s) {
    free(s->first);
    free(s->list);
}

// ---- order -------------------------------------------------------------------------------------

// Reverse postorder with an explicit stack, because graphs may be deep.
static void find_order(const DuplicateGraph *g, const Successors *s, uint32_t *order) {
    uint32_t *stack = zeroed(g->node_count, sizeof *stack), *next = zeroed(g->node_count, sizeof *next);
    bool *seen = zeroed(g->node_count, sizeof *seen);
    uint32_t depth = 0, number = g->node_count;
    stack[depth++] = g->entry;
    seen[g->entry] = true;
    while (depth > 0) {
        uint32_t n = stack[depth - 1];
        if (s->first[n] + next[n] == s->first[n + 1]) {
            ASSERT(depth <= g->node_count && number > 0, "node %u is reached twice", n);
            order[n] = --number;
            depth--;
            continue;
        }
        uint32_t to = g->edges[s->list[s->first[n] + next[n]++]].to;
        if (seen[to]) continue;
        seen[to] = true;
        stack[depth++] = to;
    }
    free(stack);
    free(next);
    free(seen);
}

// The given order, restricted to the reachable nodes.
static void take_order(const DuplicateGraph *g, const Successors *s, uint32_t *order) {
    bool *reached = zeroed(g->node_count, sizeof *reached);
    uint32_t *work = zeroed(g->node_count, sizeof *work), count = 0;
    reached[g->entry] = true;
    work[count++] = g->entry;
    while (count > 0) {
        uint32_t n = work[--count];
        for (uint32_t i = s->first[n]; i < s->first[n + 1]; i++) {
            uint32_t to = g->edges[s->list[i]].to;
            if (!reached[to]) work[count++] = to;
            reached[to] = true;
        }
    }
    free(work);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (reached[n]) order[n] = g->order[n];
    free(reached);
}

typedef struct Ordered {
    uint32_t order, node;
} Ordered;

static int compare_order(const void *a, const void *b) {
    const Ordered *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

// ---- the DAG -----------------------------------------------------------------------------------

static bool goes_back(const Duplicate *d, const DuplicateEdge *edge) {
    return d->order[edge->to] <= d->order[edge->from];
}

static void find_cuts(const DuplicateGraph *g, Duplicate *d) {
    for (uint32_t i = 0; i < g->edge_count; i++)
        if (d->order[g->edges[i].from] != UNREACHED && goes_back(d, &g->edges[i])) d->header[g->edges[i].to] = true;
    for (uint32_t i = 0; i < g->edge_count; i++) {
        const DuplicateEdge *edge = &g->edges[i];
        if (d->order[edge->from] == UNREACHED) continue;
        bool cuts = d->place == CHECKS_ALL ? d->header[edge->to] : goes_back(d, edge);
        d->cut[i] = cuts || (g->begins && g->begins[edge->to]);
    }
}

static void find_tops_and_bottoms(const DuplicateGraph *g, const Successors *s, Duplicate *d) {
    uint32_t count = 0;
    Ordered *sorted = zeroed(g->node_count, sizeof *sorted);
    for (uint32_t n = 0; n < g->node_count; n++)
        if (d->order[n] != UNREACHED) sorted[count++] = (Ordered){d->order[n], n};
    qsort(sorted, count, sizeof *sorted, compare_order);
    bool *after = zeroed(g->node_count, sizeof *after), *before = zeroed(g->node_count, sizeof *before);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t n = sorted[k].node;
        after[n] |= g->instrumented[n];
        for (uint32_t i = s->first[n]; i < s->first[n + 1]; i++)
            if (!d->cut[s->list[i]]) after[g->edges[s->list[i]].to] |= after[n];
    }
    for (uint32_t k = count; k-- > 0;) {
        uint32_t n = sorted[k].node;
        before[n] |= g->instrumented[n];
        for (uint32_t i = s->first[n]; i < s->first[n + 1]; i++)
            if (!d->cut[s->list[i]]) before[n] |= before[g->edges[s->list[i]].to];
        d->top[n] = !after[n];
        d->bottom[n] = !before[n];
    }
    free(sorted);
    free(after);
    free(before);
}

// ---- edges -------------------------------------------------------------------------------------

// Target of an edge from the checking version of its source, or from the duplicated one.
static DuplicateTarget target_of(const Duplicate *d, uint32_t edge, uint32_t from, uint32_t to, bool duplicated) {
    if (!d->duplicated[to]) return TARGET_CHECKING;
    if (d->cut[edge]) return TARGET_CHECK;
    if (duplicated) return TARGET_DUPLICATED;
    return d->mode == DUP_PARTIAL && d->top[from] ? TARGET_CHECK : TARGET_CHECKING;
}

static void note_check(Duplicate *d, uint32_t to, DuplicateTarget target) {
    if (target != TARGET_CHECK || d->checked[to]) return;
    d->checked[to] = true;
    d->check_count++;
}

static void find_targets(const DuplicateGraph *g, Duplicate *d) {
    d->entry = d->duplicated[g->entry] ? TARGET_CHECK : TARGET_CHECKING;
    note_check(d, g->entry, d->entry);
    for (uint32_t i = 0; i < g->edge_count; i++) {
        uint32_t from = g->edges[i].from, to = g->edges[i].to;
        if (d->order[from] == UNREACHED) continue;
        d->targets[0][i] = target_of(d, i, from, to, false);
        if (d->duplicated[from]) d->targets[1][i] = target_of(d, i, from, to, true);
        note_check(d, to, d->targets[0][i]);
        note_check(d, to, d->targets[1][i]);
    }
}

// ---- all steps ---------------------------------------------------------------------------------

Duplicate *duplicate_make(const DuplicateGraph *g, SamplingDup mode, SamplingChecks place) {
    Duplicate *d = zeroed(1, sizeof *d);
    *d = (Duplicate){.mode = mode, .place = place};
    d->order = zeroed(g->node_count, sizeof *d->order);
    memset(d->order, 0xff, g->node_count * sizeof *d->order);
    bool **by_node[] = {&d->header, &d->top, &d->bottom, &d->duplicated, &d->checked};
    for (size_t i = 0; i < sizeof by_node / sizeof *by_node; i++) *by_node[i] = zeroed(g->node_count, sizeof(bool));
    d->cut = zeroed(g->edge_count, sizeof *d->cut);
    for (int version = 0; version < 2; version++) d->targets[version] = zeroed(g->edge_count, 1);
    Successors s = successors_of(g);
    if (g->order) take_order(g, &s, d->order);
    else find_order(g, &s, d->order);
    find_cuts(g, d);
    find_tops_and_bottoms(g, &s, d);
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (d->order[n] == UNREACHED || mode == DUP_NO) continue;
        d->duplicated[n] = mode == DUP_FULL || (!d->top[n] && !d->bottom[n]);
        d->duplicated_count += d->duplicated[n];
    }
    find_targets(g, d);
    successors_free(&s);
    return d;
}

void duplicate_free(Duplicate *d) {
    if (!d) return;
    void *parts[] = {d->order,   d->header, d->top,        d->bottom,     d->duplicated,
                     d->checked, d->cut,    d->targets[0], d->targets[1], d};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) free(parts[i]);
}

// ---- cost --------------------------------------------------------------------------------------

DuplicateCost duplicate_cost(const DuplicateGraph *g, const Duplicate *d, const double *frequency,
                             const double *check_cost, const uint32_t *size, const uint32_t *operations,
                             uint32_t check_size) {
    DuplicateCost cost = {0};
    Successors s = successors_of(g);
    if (d->entry == TARGET_CHECK) cost.checks += frequency[g->entry];
    for (uint32_t i = 0; i < g->edge_count; i++) {
        uint32_t from = g->edges[i].from;
        if (d->targets[0][i] != TARGET_CHECK) continue;
        double often = frequency[from] / (s.first[from + 1] - s.first[from]);
        cost.checks += check_cost ? often * check_cost[g->edges[i].to] : often;
    }
    for (uint32_t n = 0; n < g->node_count; n++) {
        if (d->order[n] == UNREACHED) continue;
        if (d->duplicated[n]) cost.size += size[n];
        if (d->mode != DUP_NO) continue;
        cost.checks += frequency[n] * operations[n];
        cost.size += (double)check_size * operations[n];
    }
    cost.size += (double)check_size * d->check_count;
    successors_free(&s);
    return cost;
}
