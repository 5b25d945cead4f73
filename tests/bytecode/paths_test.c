/* Path numbers (bytecode/analysis/paths.c) against all paths of random graphs, irreducible graphs included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "bytecode/analysis/paths.h"

enum { MOST_BLOCKS = 14, MOST_EDGES = 64, MOST_PATHS = 60000 };

static uint64_t seed = 88172645463325252u;
static uint32_t below(uint32_t n) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % n;
}

typedef struct Graph {
    Paths p;
    PathBlock blocks[MOST_BLOCKS];
    PathEdge edges[MOST_EDGES];
    uint32_t depth[MOST_BLOCKS];
} Graph;

/* Edges have random targets; backedges end paths. Some blocks are handlers, and some parallel edges join the same
 * blocks. */
static void make_graph(Graph *g) {
    memset(g, 0, sizeof *g);
    g->p = (Paths){.block_count = 1 + below(MOST_BLOCKS), .blocks = g->blocks, .edges = g->edges};
    for (uint32_t i = 0; i < g->p.block_count; i++) {
        uint32_t kind = below(8), count = kind < 4 ? 2 : kind == 4 ? 4 : 1;
        g->blocks[i] = (PathBlock){.start = 10 * i,
                                   .last = 10 * i + 9,
                                   .first_edge = g->p.edge_count,
                                   .edge_count = count,
                                   .begins = i == 0 || below(8) == 0};
        g->depth[i] = below(4);
        for (uint32_t k = 0; k < count; k++) {
            uint32_t to = kind == 7 ? PATHS_EXIT : below(4) ? i + 1 + below(3) : below(g->p.block_count);
            if (to >= g->p.block_count) to = PATHS_EXIT;
            g->edges[g->p.edge_count++] = (PathEdge){.to = to, .ends = to == PATHS_EXIT || to <= i};
        }
    }
}

/* The paths found by enumeration. */
typedef struct Found {
    const Paths *p;
    bool *numbers;
    uint32_t count, way[MOST_BLOCKS], length;
    bool *partial[MOST_BLOCKS]; /* sums on arrival at a block */
} Found;

static void walk(Found *f, uint32_t at, uint32_t sum, uint32_t reg) {
    const PathBlock *b = &f->p->blocks[at];
    assert_true(f->length < MOST_BLOCKS);
    f->way[f->length++] = at;
    assert_int_equal(sum, (uint32_t)(reg + b->offset));
    assert_true(sum < f->p->path_count);
    assert_false(f->partial[at][sum]);
    f->partial[at][sum] = true;
    for (uint32_t i = 0; i < b->edge_count; i++) {
        const PathEdge *e = paths_edge(f->p, b, i), *last = NULL;
        if (i == 0) assert_int_equal(e->value, 0);
        if (!e->ends) {
            walk(f, e->to, sum + e->value, reg + e->increment);
            continue;
        }
        uint32_t number = sum + e->value, out[MOST_BLOCKS];
        assert_int_equal(number, (uint32_t)(reg + e->increment));
        assert_true(number < f->p->path_count);
        assert_false(f->numbers[number]);
        f->numbers[number] = true;
        f->count++;
        assert_int_equal(paths_blocks(f->p, number, out, MOST_BLOCKS, &last), f->length);
        assert_memory_equal(out, f->way, f->length * sizeof *out);
        assert_ptr_equal(last, e);
        if (e->to != PATHS_EXIT) assert_true(f->p->blocks[e->to].begins);
    }
    f->length--;
}

static void check_graph(const Paths *p) {
    Found f = {.p = p, .numbers = calloc(p->path_count, 1)};
    for (uint32_t i = 0; i < p->block_count; i++) f.partial[i] = calloc(p->path_count, 1);
    for (uint32_t i = 0; i < p->block_count; i++)
        if (p->blocks[i].begins) walk(&f, i, p->blocks[i].begin, paths_register(&p->blocks[i]));
    assert_int_equal(f.count, p->path_count);
    const PathEdge *last;
    assert_int_equal(paths_blocks(p, p->path_count, NULL, 0, &last), 0);
    free(f.numbers);
    for (uint32_t i = 0; i < p->block_count; i++) free(f.partial[i]);
}

static void random_graphs(void **state) {
    (void)state;
    uint32_t several = 0;
    for (int round = 0; round < 3000; round++) {
        Graph g;
        make_graph(&g);
        paths_number(&g.p, g.depth, PATHS_MOST);
        assert_true(g.p.path_count > 0);
        if (g.p.path_count > MOST_PATHS) continue;
        several += g.p.path_count > 20;
        check_graph(&g.p);
    }
    assert_true(several > 500);
}

/* If the graph has more paths than the bound, some branches end paths. */
static void bounded_graphs(void **state) {
    (void)state;
    uint32_t cut = 0;
    for (int round = 0; round < 3000; round++) {
        Graph g;
        make_graph(&g);
        Graph whole = g;
        whole.p.blocks = whole.blocks;
        whole.p.edges = whole.edges;
        uint32_t most = 4 * g.p.edge_count + 4;
        paths_number(&whole.p, g.depth, PATHS_MOST);
        paths_number(&g.p, g.depth, most);
        assert_true(g.p.path_count <= most);
        cut += whole.p.path_count != g.p.path_count;
        check_graph(&g.p);
    }
    assert_true(cut > 50);
}

/* Increments are 0 on a spanning tree, so at most the edges outside it have one. */
static void increments_are_few(void **state) {
    (void)state;
    for (int round = 0; round < 1000; round++) {
        Graph g;
        make_graph(&g);
        paths_number(&g.p, g.depth, PATHS_MOST);
        uint32_t with = 0, edges = g.p.edge_count;
        for (uint32_t i = 0; i < g.p.edge_count; i++) with += g.edges[i].increment != 0;
        for (uint32_t i = 0; i < g.p.block_count; i++) {
            edges += g.blocks[i].begins;
            with += g.blocks[i].begins && paths_register(&g.blocks[i]) != 0;
        }
        /* An unreachable block is joined to the tree by its outgoing edges. */
        assert_true(with <= edges - g.p.block_count);
    }
}

/* 40 diamonds in a row have 2^40 paths. */
static void too_many(void **state) {
    (void)state;
    enum { LINKS = 40, BLOCKS = 2 * LINKS + 1 };
    static PathBlock blocks[BLOCKS];
    static PathEdge edges[3 * LINKS + 1];
    static uint32_t depth[BLOCKS];
    Paths p = {.block_count = BLOCKS, .blocks = blocks, .edges = edges};
    for (uint32_t i = 0; i < BLOCKS; i++) {
        bool branches = i % 2 == 0 && i + 1 < BLOCKS, ends = i + 1 == BLOCKS;
        blocks[i] = (PathBlock){
            .start = i, .last = i, .first_edge = p.edge_count, .edge_count = branches ? 2 : 1, .begins = i == 0};
        edges[p.edge_count++] = (PathEdge){.to = ends ? PATHS_EXIT : i + 1, .ends = ends};
        if (branches) edges[p.edge_count++] = (PathEdge){.to = i + 2};
    }
    paths_number(&p, depth, PATHS_MOST);
    assert_true(p.path_count > 1000 && p.path_count <= PATHS_MOST);
    uint32_t out[BLOCKS];
    const PathEdge *last;
    for (int i = 0; i < 1000; i++) {
        uint32_t number = below(p.path_count), count = paths_blocks(&p, number, out, BLOCKS, &last),
                 sum = blocks[out[0]].begin;
        for (uint32_t k = 0; k + 1 < count; k++) {
            const PathBlock *b = &blocks[out[k]];
            for (uint32_t e = 0; e < b->edge_count; e++)
                if (!edges[b->first_edge + e].ends && edges[b->first_edge + e].to == out[k + 1])
                    sum += edges[b->first_edge + e].value;
        }
        assert_int_equal(sum + last->value, number);
    }
}

/* A loop with a branch, in bytecode: iload_0; ifle 13; iload_0; iconst_1; if_icmpeq 0; goto 0; return. */
static void of_bytecode(void **state) {
    (void)state;
    static const uint8_t code[] = {0x1a, 0x9e, 0, 12, 0x1a, 0x04, 0x9f, 0xff, 0xfa, 0xa7, 0xff, 0xf7, 0x00, 0xb1};
    const ClassFileCode c = {.code = code, .code_len = sizeof code, .max_locals = 1, .max_stack = 2};
    Paths *p = paths_build(&c, PATHS_MOST);
    assert_non_null(p);
    assert_int_equal(p->path_count, 3); /* all begin at 0: out, back by the branch, back by the goto */
    uint32_t out[4];
    const PathEdge *last;
    assert_int_equal(paths_blocks(p, 0, out, 4, &last), 3);
    assert_int_equal(paths_edge(p, paths_block(p, 6), 1)->ends, true);
    assert_int_equal(paths_block(p, 13)->edge_count, 1);
    free(p);
    static const uint8_t subroutine[] = {0xa8, 0, 4, 0xb1, 0x4b, 0xa9, 0};
    const ClassFileCode s = {.code = subroutine, .code_len = sizeof subroutine, .max_locals = 1, .max_stack = 1};
    assert_null(paths_build(&s, PATHS_MOST));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs), cmocka_unit_test(bounded_graphs), cmocka_unit_test(increments_are_few),
        cmocka_unit_test(too_many),      cmocka_unit_test(of_bytecode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
