// Tests the transformations of jit/analysis/duplicate.c: the figures of Arnold and Ryder's paper as graphs, and
// properties that hold for random graphs, reducible and not.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jit/analysis/duplicate.h"

#define EDGES(...) (DuplicateEdge[]){__VA_ARGS__}, sizeof((DuplicateEdge[]){__VA_ARGS__}) / sizeof(DuplicateEdge)

static DuplicateGraph graph_of(uint32_t nodes, const DuplicateEdge *edges, size_t count, const bool *instrumented) {
    return (DuplicateGraph){
        .node_count = nodes, .edge_count = (uint32_t)count, .edges = edges, .instrumented = instrumented};
}

static uint32_t edge_number(const DuplicateGraph *g, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].from == from && g->edges[i].to == to) return i;
    fail_msg("no edge %u -> %u", from, to);
    return 0;
}

static void leads(const DuplicateGraph *g, const Duplicate *d, int copy, uint32_t from, uint32_t to,
                  DuplicateTarget target) {
    assert_int_equal(d->targets[copy][edge_number(g, from, to)], target);
}

// ---- the figures -------------------------------------------------------------------------------

// Figures 2 and 5 show one method: ENTRY, "1", then a loop whose two shaded nodes are instrumented.
enum { ENTRY, ONE, HEAD, LEFT, RIGHT, LATCH, EXIT, FIGURE_NODES };
static const DuplicateEdge figure_edges[] = {
    {ENTRY, ONE}, {ONE, HEAD}, {HEAD, LEFT}, {HEAD, RIGHT}, {LEFT, LATCH}, {RIGHT, LATCH}, {LATCH, HEAD}, {LATCH, EXIT},
};
static const bool figure_shaded[FIGURE_NODES] = {[HEAD] = true, [LEFT] = true};

static DuplicateGraph figure(void) {
    return graph_of(FIGURE_NODES, figure_edges, sizeof figure_edges / sizeof *figure_edges, figure_shaded);
}

static void figure_2_backedges(void **state) {
    (void)state;
    DuplicateGraph g = figure();
    Duplicate *d = duplicate_make(&g, DUP_FULL, CHECKS_BACKEDGES);
    assert_int_equal(d->duplicated_count, FIGURE_NODES);
    assert_int_equal(d->entry, TARGET_CHECK);
    assert_int_equal(d->check_count, 2);
    for (uint32_t i = 0; i < g.edge_count; i++) {
        bool back = g.edges[i].from == LATCH && g.edges[i].to == HEAD;
        assert_int_equal(d->cut[i], back);
        assert_int_equal(d->targets[0][i], back ? TARGET_CHECK : TARGET_CHECKING);
        assert_int_equal(d->targets[1][i], back ? TARGET_CHECK : TARGET_DUPLICATED);
    }
    duplicate_free(d);
}

static void figure_2_headers(void **state) {
    (void)state;
    DuplicateGraph g = figure();
    Duplicate *d = duplicate_make(&g, DUP_FULL, CHECKS_ALL);
    for (uint32_t n = 0; n < FIGURE_NODES; n++) {
        assert_true(d->duplicated[n]);
        assert_int_equal(d->header[n], n == HEAD);
        assert_int_equal(d->checked[n], n == HEAD || n == ENTRY);
    }
    for (int copy = 0; copy < 2; copy++) {
        leads(&g, d, copy, ONE, HEAD, TARGET_CHECK);
        leads(&g, d, copy, LATCH, HEAD, TARGET_CHECK);
        leads(&g, d, copy, LATCH, EXIT, copy ? TARGET_DUPLICATED : TARGET_CHECKING);
    }
    duplicate_free(d);
}

// A: two instrumented nodes around one that is not, all duplicated: one check. B: without duplicating the node in the
// middle there is one more check. Partial duplication avoids that; guarding each operation does not.
static void figure_4(void **state) {
    (void)state;
    static const bool shaded[] = {true, false, true};
    DuplicateGraph g = graph_of(3, EDGES({0, 1}, {1, 2}), shaded);
    Duplicate *a = duplicate_make(&g, DUP_FULL, CHECKS_BACKEDGES);
    Duplicate *partial = duplicate_make(&g, DUP_PARTIAL, CHECKS_BACKEDGES);
    Duplicate *b = duplicate_make(&g, DUP_NO, CHECKS_BACKEDGES);
    assert_int_equal(a->check_count, 1);
    assert_int_equal(a->duplicated_count, 3);
    assert_true(partial->duplicated[1]);
    assert_int_equal(partial->check_count, 1);
    double once[] = {1, 1, 1};
    uint32_t ones[] = {1, 1, 1}, operations[] = {1, 0, 1};
    assert_int_equal((int)duplicate_cost(&g, a, once, NULL, ones, operations, 1).checks, 1);
    assert_int_equal((int)duplicate_cost(&g, b, once, NULL, ones, operations, 1).checks, 2);
    duplicate_free(a);
    duplicate_free(partial);
    duplicate_free(b);
}

// The entry's check is gone; the check on the edge out of "1" is shared with the backedge. Edges "2" (HEAD to RIGHT)
// and "3" (LEFT to LATCH) lead back to the checking code.
static void figure_5(void **state) {
    (void)state;
    DuplicateGraph g = figure();
    for (int place = CHECKS_ALL; place <= CHECKS_BACKEDGES; place++) {
        Duplicate *d = duplicate_make(&g, DUP_PARTIAL, (SamplingChecks)place);
        assert_int_equal(d->duplicated_count, 2);
        assert_true(d->duplicated[HEAD] && d->duplicated[LEFT]);
        assert_true(d->top[ENTRY] && d->top[ONE]);
        assert_true(d->bottom[RIGHT] && d->bottom[LATCH] && d->bottom[EXIT]);
        assert_int_equal(d->entry, TARGET_CHECKING);
        assert_int_equal(d->check_count, 1);
        leads(&g, d, 0, ONE, HEAD, TARGET_CHECK);
        leads(&g, d, 0, LATCH, HEAD, TARGET_CHECK);
        leads(&g, d, 0, HEAD, LEFT, TARGET_CHECKING);
        leads(&g, d, 1, HEAD, LEFT, TARGET_DUPLICATED);
        leads(&g, d, 1, HEAD, RIGHT, TARGET_CHECKING);
        leads(&g, d, 1, LEFT, LATCH, TARGET_CHECKING);
        leads(&g, d, 1, LATCH, EXIT, TARGET_NONE);
        duplicate_free(d);
    }
}

// One block with two instrumented instructions: nothing is duplicated, each of them has a check.
static void figure_6(void **state) {
    (void)state;
    static const bool shaded[] = {true};
    DuplicateGraph g = graph_of(1, EDGES({0, 0}), shaded);
    Duplicate *d = duplicate_make(&g, DUP_NO, CHECKS_BACKEDGES);
    assert_int_equal(d->duplicated_count, 0);
    assert_int_equal(d->check_count, 0);
    assert_int_equal(d->entry, TARGET_CHECKING);
    leads(&g, d, 0, 0, 0, TARGET_CHECKING);
    double frequency = 10;
    uint32_t size = 7, operations = 2;
    DuplicateCost cost = duplicate_cost(&g, d, &frequency, NULL, &size, &operations, 3);
    assert_int_equal((int)cost.checks, 20);
    assert_int_equal((int)cost.size, 6);
    duplicate_free(d);
}

// A top-node and instrumented code meet in a node that is neither (jit/analysis/duplicate.c, opening comment).
static void join_behind_a_top_node(void **state) {
    (void)state;
    enum { TOP = 1, SHADED = 2, JOIN = 3, LAST = 4 };
    static const bool shaded[] = {false, false, true, false, true};
    DuplicateGraph g = graph_of(5, EDGES({0, TOP}, {0, SHADED}, {TOP, JOIN}, {SHADED, JOIN}, {JOIN, LAST}), shaded);
    Duplicate *d = duplicate_make(&g, DUP_PARTIAL, CHECKS_ALL);
    assert_false(d->top[JOIN] || d->bottom[JOIN]);
    leads(&g, d, 0, TOP, JOIN, TARGET_CHECK);
    leads(&g, d, 0, SHADED, JOIN, TARGET_CHECKING);
    leads(&g, d, 0, JOIN, LAST, TARGET_CHECKING);
    duplicate_free(d);
}

// ---- random graphs -----------------------------------------------------------------------------

enum { MOST_NODES = 24, MOST_EDGES = 80, WALK = 200 };

static uint64_t random_state;
static uint32_t random_below(uint32_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % limit;
}

typedef struct Random {
    DuplicateGraph graph;
    DuplicateEdge edges[MOST_EDGES];
    bool instrumented[MOST_NODES];
    uint32_t order[MOST_NODES];
} Random;

static void add_edge(Random *r, uint32_t from, uint32_t to) {
    if (r->graph.edge_count < MOST_EDGES) r->edges[r->graph.edge_count++] = (DuplicateEdge){from, to};
}

// Reducible: a chain of nested regions, each possibly with an edge past it and a backedge to its start.
static void add_region(Random *r, uint32_t first, uint32_t last, uint32_t depth) {
    if (first >= last) return;
    if (random_below(3) == 0) add_edge(r, last, first);
    if (random_below(3) == 0) add_edge(r, first, last);
    if (depth == 0) return;
    uint32_t middle = first + random_below(last - first + 1);
    add_region(r, first, middle, depth - 1);
    if (middle < last) add_region(r, middle + 1, last, depth - 1);
}

static void make_random(Random *r, bool reducible) {
    memset(r, 0, sizeof *r);
    uint32_t nodes = 1 + random_below(MOST_NODES), share = 1 + random_below(4);
    r->graph = (DuplicateGraph){.node_count = nodes, .edges = r->edges, .instrumented = r->instrumented};
    for (uint32_t n = 0; n + 1 < nodes; n++) add_edge(r, n, n + 1);
    if (reducible) add_region(r, 0, nodes - 1, 4);
    else
        for (uint32_t i = random_below(2 * nodes); i-- > 0;) add_edge(r, random_below(nodes), random_below(nodes));
    for (uint32_t n = 0; n < nodes; n++) r->instrumented[n] = random_below(4) < share;
    for (uint32_t n = 0; n < nodes; n++) r->order[n] = n;
    if (random_below(2)) r->graph.order = r->order;  // the chain is an order with the entry first
}

// The events of one walk. `sampled` has the result of a check by DAG path; each cut edge begins a new path.
typedef struct Walk {
    uint32_t checks, places;    // executed checks; executed places where checks may be, and the entry
    uint32_t recorded, missed;  // executions of instrumented nodes in duplicated and in checking code
    uint32_t nodes[WALK], node_count;
    bool in_copy[WALK];
} Walk;

static uint32_t pick_edge(const DuplicateGraph *g, uint32_t node, uint32_t *random) {
    uint32_t count = 0, wanted = 0;
    for (uint32_t i = 0; i < g->edge_count; i++) count += g->edges[i].from == node;
    if (!count) return UINT32_MAX;
    wanted = (*random = *random * 1103515245 + 12345) / 65536 % count;
    for (uint32_t i = 0; i < g->edge_count; i++)
        if (g->edges[i].from == node && wanted-- == 0) return i;
    return UINT32_MAX;
}

// Follows an edge: counts a check on it, and returns the version that control reaches.
static int step(Walk *w, uint8_t target, bool sample) {
    assert_int_not_equal(target, TARGET_NONE);
    if (target != TARGET_CHECK) return target == TARGET_DUPLICATED;
    w->checks++;
    return sample;
}

static void walk(const DuplicateGraph *g, const Duplicate *d, uint32_t seed, const bool *sampled, Walk *w) {
    uint32_t node = g->entry, path = 0;
    memset(w, 0, sizeof *w);
    w->places = 1;
    int copy = step(w, d->entry, sampled[0]);
    for (uint32_t i = 0; i < WALK; i++) {
        if (g->instrumented[node]) *(copy ? &w->recorded : &w->missed) += 1;
        w->nodes[w->node_count] = node;
        w->in_copy[w->node_count++] = copy;
        if (copy) assert_true(d->duplicated[node]);
        uint32_t edge = pick_edge(g, node, &seed);
        if (edge == UINT32_MAX) return;
        if (d->cut[edge]) {
            path++;
            w->places++;
        }
        copy = step(w, d->targets[copy][edge], sampled[path]);
        node = g->edges[edge].to;
    }
}

// Time in duplicated code is bounded: its edges make no cycle, because they never lead backwards.
static void check_no_cycle(const DuplicateGraph *g, const Duplicate *d) {
    for (uint32_t i = 0; i < g->edge_count; i++)
        if (d->targets[1][i] == TARGET_DUPLICATED) assert_true(d->order[g->edges[i].to] > d->order[g->edges[i].from]);
}

// For every instrumented node, some check leads to its duplicate through duplicated code.
static void check_reachable(const DuplicateGraph *g, const Duplicate *d) {
    bool reached[MOST_NODES];
    memcpy(reached, d->checked, g->node_count * sizeof *reached);
    for (uint32_t round = 0; round < g->node_count; round++)
        for (uint32_t i = 0; i < g->edge_count; i++)
            if (d->targets[1][i] == TARGET_DUPLICATED && reached[g->edges[i].from]) reached[g->edges[i].to] = true;
    for (uint32_t n = 0; n < g->node_count; n++)
        if (g->instrumented[n] && d->order[n] != UINT32_MAX) assert_true(d->duplicated[n] && reached[n]);
}

static void check_edges_exist(const DuplicateGraph *g, const Duplicate *d) {
    for (uint32_t i = 0; i < g->edge_count; i++) {
        uint32_t from = g->edges[i].from, to = g->edges[i].to;
        bool reached = d->order[from] != UINT32_MAX;
        assert_int_equal(d->targets[0][i] != TARGET_NONE, reached);
        assert_int_equal(d->targets[1][i] != TARGET_NONE, d->duplicated[from]);
        if (d->targets[0][i] == TARGET_CHECK || d->targets[1][i] >= TARGET_DUPLICATED) assert_true(d->duplicated[to]);
        assert_int_not_equal(d->targets[0][i], TARGET_DUPLICATED);
    }
}

static void compare_walks(const DuplicateGraph *g, const Duplicate *full, const Duplicate *partial) {
    static const bool always[WALK + 1] = {[0 ... WALK] = true}, never[WALK + 1];
    bool sometimes[WALK + 1];
    Walk a, b;
    uint32_t seed = random_below(1u << 31);
    for (int i = 0; i <= WALK; i++) sometimes[i] = random_below(3) == 0;
    const bool *choices[] = {always, never, sometimes};
    for (int k = 0; k < 3; k++) {
        walk(g, full, seed, choices[k], &a);
        walk(g, partial, seed, choices[k], &b);
        assert_int_equal(a.node_count, b.node_count);
        assert_memory_equal(a.nodes, b.nodes, a.node_count * sizeof *a.nodes);
        assert_true(a.checks <= a.places);  // Property 1
        assert_true(b.checks <= a.checks);
        assert_int_equal(a.recorded, b.recorded);  // same instrumentation as with full duplication
        if (choices[k] == always) assert_true(a.missed == 0 && b.missed == 0);
        if (choices[k] == never) assert_int_equal(a.recorded, 0);
        for (uint32_t i = 0; i < a.node_count; i++)
            if (g->instrumented[a.nodes[i]]) assert_int_equal(a.in_copy[i], b.in_copy[i]);
    }
}

static void check_random(const Random *r, SamplingChecks place) {
    const DuplicateGraph *g = &r->graph;
    Duplicate *full = duplicate_make(g, DUP_FULL, place);
    Duplicate *partial = duplicate_make(g, DUP_PARTIAL, place);
    const Duplicate *both[] = {full, partial};
    for (int i = 0; i < 2; i++) {
        check_no_cycle(g, both[i]);
        check_reachable(g, both[i]);
        check_edges_exist(g, both[i]);
    }
    for (int i = 0; i < 10; i++) compare_walks(g, full, partial);
    duplicate_free(full);
    duplicate_free(partial);
}

static void random_graphs(void **state) {
    (void)state;
    const char *given = getenv("DUPLICATE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 0x9e3779b97f4a7c15u;
    printf("random graphs: seed 0x%llx (DUPLICATE_SEED)\n", (unsigned long long)seed);
    random_state = seed ? seed : 1;
    for (int i = 0; i < 2000; i++) {
        Random r;
        make_random(&r, i % 2);
        check_random(&r, CHECKS_ALL);
        check_random(&r, CHECKS_BACKEDGES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_2_backedges), cmocka_unit_test(figure_2_headers),
        cmocka_unit_test(figure_4),           cmocka_unit_test(figure_5),
        cmocka_unit_test(figure_6),           cmocka_unit_test(join_behind_a_top_node),
        cmocka_unit_test(random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
