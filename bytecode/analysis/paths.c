#include "bytecode/analysis/paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/unionfind.h"
#include "bytecode/classfile/opcodes.h"

/* ---- edges ---- */

typedef struct Build {
    const ClassFileCode *code;
    const Cfg *cfg;
    Paths *p; /* NULL: only counts edges */
    uint32_t edges;
} Build;

static void add_edge(Build *b, const CfgBlock *from, uint32_t target) {
    if (b->p) {
        bool exits = target == PATHS_EXIT;
        b->p->edges[b->edges] = (PathEdge){.to = exits ? PATHS_EXIT : b->cfg->block_at[target],
                                           .ends = exits || target <= from->last};
    }
    b->edges++;
}

/*
 * A throwing block also gets an exit edge, which is never taken, so that each block lies on a
 * complete path.
 */
static void add_edges(Build *b, uint32_t number) {
    const CfgBlock *block = &b->cfg->blocks[number];
    const uint8_t *code = b->code->code;
    unsigned flags = opcodes_info[opcodes_at(code, block->last)].flags;
    uint32_t first = b->edges;
    if (flags & OPF_SWITCH) {
        OpcodeSwitch s = opcodes_switch(code, block->last);
        for (uint32_t i = 0; i <= s.count; i++) add_edge(b, block, opcodes_switch_target(&s, i));
    } else if (flags & OPF_BRANCH) {
        if (flags & OPF_COND) add_edge(b, block, block->end);
        add_edge(b, block, opcodes_branch_target(code, block->last));
    } else {
        add_edge(b, block, flags & OPF_STOP || block->end >= b->code->code_len ? PATHS_EXIT : block->end);
    }
    if (b->p) {
        b->p->blocks[number] = (PathBlock){.start = block->start,
                                           .last = block->last,
                                           .first_edge = first,
                                           .edge_count = b->edges - first,
                                           .begins = block->is_handler || number == 0};
    }
}

/* ---- values ---- */

static uint64_t number_block(Paths *p, const uint64_t *paths, uint32_t number) {
    uint64_t sum = 0;
    const PathBlock *b = &p->blocks[number];
    for (uint32_t i = 0; i < b->edge_count; i++) {
        PathEdge *e = &p->edges[b->first_edge + i];
        e->value = (uint32_t)sum;
        sum += e->ends ? 1 : paths[e->to];
    }
    return sum;
}

/*
 * Numbers edges and path beginnings, with at most `most` paths from any block. Returns the number
 * of all paths.
 */
static uint64_t number_all(Paths *p, uint64_t *paths, uint64_t most) {
    for (uint32_t i = p->block_count; i-- > 0;) {
        const PathBlock *b = &p->blocks[i];
        paths[i] = number_block(p, paths, i);
        if (paths[i] <= most || b->edge_count < 2) continue;
        for (uint32_t k = 0; k < b->edge_count; k++) p->edges[b->first_edge + k].ends = true;
        paths[i] = number_block(p, paths, i);
    }
    for (uint32_t i = 0; i < p->edge_count; i++)
        if (p->edges[i].ends && p->edges[i].to != PATHS_EXIT) p->blocks[p->edges[i].to].begins = true;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < p->block_count; i++) {
        if (!p->blocks[i].begins) continue;
        p->blocks[i].begin = (uint32_t)sum;
        sum += paths[i];
    }
    return sum;
}

/* ---- increments ---- */

/*
 * An edge of the graph in which all path beginnings come from an extra vertex and all path ends go
 * to it.
 */
typedef struct Weighed {
    uint32_t from, to; /* blocks, or block_count for the extra vertex */
    uint32_t value;
    uint64_t weight;
    uint32_t number; /* keeps the order */
} Weighed;

static int by_weight(const void *a, const void *b) {
    const Weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_place(const void *a, const void *b) {
    const Weighed *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * A beginning after a backedge is as frequent as its block. Such edges follow the others of the
 * same weight.
 */
static uint32_t weigh(const Paths *p, const uint32_t *depth, Weighed *out) {
    uint32_t n = 0, outside = p->block_count;
    for (uint32_t i = 0; i < p->block_count; i++) {
        const PathBlock *b = &p->blocks[i];
        uint64_t weight = UINT64_C(1) << (3 * (depth[i] < 16 ? depth[i] : 16) + 8);
        for (uint32_t k = 0; k < b->edge_count; k++) {
            const PathEdge *e = &p->edges[b->first_edge + k];
            out[n] = (Weighed){i, e->ends ? outside : e->to, e->value, weight / b->edge_count, n};
            n++;
        }
        if (!b->begins) continue;
        out[n] = (Weighed){outside, i, b->begin, weight / 2, n};
        n++;
    }
    return n;
}

/*
 * Sets the offsets of the blocks along the tree, starting at the extra vertex, whose offset is 0.
 * Each round reaches the blocks next to known ones. Few rounds are needed: most edges lead to later
 * blocks, and the tree is sorted by the blocks of its edges.
 */
static void set_offsets(Paths *p, const Weighed *tree, uint32_t count, bool *known) {
    uint32_t outside = p->block_count;
    known[outside] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++) {
            const Weighed *e = &tree[i];
            if (known[e->from] == known[e->to]) continue;
            uint32_t known_end = known[e->from] ? e->from : e->to, other = known[e->from] ? e->to : e->from;
            uint32_t offset = known_end == outside ? 0 : p->blocks[known_end].offset;
            p->blocks[other].offset = known[e->from] ? offset + e->value : offset - e->value;
            known[other] = more = true;
        }
    }
}

static void set_increments(Paths *p) {
    for (uint32_t i = 0; i < p->block_count; i++) {
        const PathBlock *b = &p->blocks[i];
        for (uint32_t k = 0; k < b->edge_count; k++) {
            PathEdge *e = &p->edges[b->first_edge + k];
            e->increment = e->value + b->offset - (e->ends ? 0 : p->blocks[e->to].offset);
        }
    }
}

/* When out of memory, all offsets are 0 and increments are the values. */
static void place_increments(Paths *p, const uint32_t *depth) {
    uint32_t most = p->edge_count + p->block_count, kept = 0;
    Weighed *edges = malloc((most + 1) * sizeof *edges);
    uint32_t *joined = malloc((p->block_count + 1) * sizeof *joined);
    bool *known = calloc(p->block_count + 1, sizeof *known);
    if (edges && joined && known) {
        uint32_t count = weigh(p, depth, edges);
        for (uint32_t i = 0; i <= p->block_count; i++) joined[i] = i;
        qsort(edges, count, sizeof *edges, by_weight);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t from = unionfind_root(joined, edges[i].from), to = unionfind_root(joined, edges[i].to);
            if (from == to) continue;
            joined[from] = to;
            edges[kept++] = edges[i];
        }
        qsort(edges, kept, sizeof *edges, by_place);
        set_offsets(p, edges, kept, known);
    }
    free(edges);
    free(joined);
    free(known);
    set_increments(p);
}

/* ---- driver ---- */

void paths_number(Paths *p, const uint32_t *depth, uint32_t most) {
    uint64_t *paths = calloc(p->block_count, sizeof *paths);
    p->path_count = 0;
    if (!paths) return;
    uint64_t count, bound = most;
    while ((count = number_all(p, paths, bound)) > most) bound /= 4;
    free(paths);
    p->path_count = (uint32_t)count;
    place_increments(p, depth);
}

static Paths *allocate(uint32_t blocks, uint32_t edges, uint32_t code_len) {
    Paths *p = calloc(
        1, sizeof *p + blocks * sizeof *p->blocks + edges * sizeof *p->edges + code_len * sizeof *p->block_at);
    if (!p) return NULL;
    *p = (Paths){.block_count = blocks, .edge_count = edges, .code_len = code_len};
    p->blocks = (PathBlock *)(p + 1);
    p->edges = (PathEdge *)(p->blocks + blocks);
    p->block_at = (uint32_t *)(p->edges + edges);
    return p;
}

static Paths *build(const ClassFileCode *code, const Cfg *cfg, uint32_t most) {
    Build b = {code, cfg, NULL, 0};
    for (uint32_t i = 0; i < cfg->block_count; i++) add_edges(&b, i);
    b.p = allocate(cfg->block_count, b.edges, code->code_len);
    uint32_t *depth = calloc(cfg->block_count, sizeof *depth);
    if (b.p && depth) {
        b.edges = 0;
        for (uint32_t i = 0; i < cfg->block_count; i++) {
            add_edges(&b, i);
            depth[i] = cfg->blocks[i].loop_depth;
        }
        memcpy(b.p->block_at, cfg->block_at, code->code_len * sizeof *b.p->block_at);
        paths_number(b.p, depth, most);
    }
    free(depth);
    if (b.p && b.p->path_count) return b.p;
    free(b.p);
    return NULL;
}

Paths *paths_build(const ClassFileCode *code, uint32_t most) {
    Cfg *cfg = cfg_build(code, NULL, 0);
    Paths *p = cfg && !cfg->has_jsr ? build(code, cfg, most) : NULL;
    if (cfg) cfg_free(cfg);
    return p;
}

uint32_t paths_blocks(const Paths *p, uint32_t number, uint32_t *out, uint32_t room, const PathEdge **last) {
    uint32_t count = 0, at = PATHS_EXIT;
    if (number >= p->path_count) return 0;
    for (uint32_t i = 0; i < p->block_count; i++)
        if (p->blocks[i].begins && p->blocks[i].begin <= number) at = i;
    number -= p->blocks[at].begin;
    for (;;) {
        const PathBlock *b = &p->blocks[at];
        if (count < room) out[count] = at;
        count++;
        uint32_t edge = b->edge_count - 1;
        while (p->edges[b->first_edge + edge].value > number) edge--;
        *last = &p->edges[b->first_edge + edge];
        if ((*last)->ends) return count;
        number -= (*last)->value;
        at = (*last)->to;
    }
}
