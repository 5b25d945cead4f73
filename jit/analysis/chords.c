// See jit/analysis/chords.h.
#include "jit/analysis/chords.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/unionfind.h"

#define LOOP_FREQUENCY 8.0  // assumed iterations of a loop
#define RARELY 0.02         // fraction of a loop's iterations that may call, and so add the counts up
// Limit of loops times edges. In methods with more (generated ones) the remaining loops are treated as plain code, and
// their counters stay in memory.
enum { LOOP_WORK = 1 << 22 };

uint32_t chords_add_node(Chords *c) {
    if (!GROW_ZEROED(c->marked, c->marked_room, c->node_count + 1)) grow_out_of_memory(c->node_count);
    return c->node_count++;
}

void chords_add_edge(Chords *c, ChordEdge edge) {
    GROW_OR_EXIT(c->edges, c->edge_room, c->edge_count + 1);
    c->edges[c->edge_count++] = edge;
}

// ---- loops and frequencies -------------------------------------------------------------------------

// The natural loop of a backedge to `header`: all blocks that reach `source` without passing the header.
static void add_loop(Chords *c, uint32_t header, uint32_t source) {
    ChordLoop *l = NULL;
    for (uint32_t i = 0; i < c->loop_count && !l; i++)
        if (c->loops[i].header == header) l = &c->loops[i];
    if (!l) {
        GROW_OR_EXIT(c->loops, c->loop_room, c->loop_count + 1);
        l = &c->loops[c->loop_count++];
        *l = (ChordLoop){.header = header, .has = grow_zeroed(c->block_count, 1), .blocks = 1};
        l->has[header] = true;
    }
    // Propagates backwards over all edges to a fixpoint. Few blocks are in loops, so few rounds are needed.
    if (!l->has[source]) l->blocks++;
    l->has[source] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = c->ordered; i-- > 0;) {
            const ChordBlock *b = &c->blocks[c->order[i]];
            for (uint32_t k = 0; k < b->edges && !l->has[c->order[i]]; k++) {
                uint32_t to = c->edges[b->first_edge + k].to;
                if (to == c->block_count || to == header || !l->has[to]) continue;
                l->has[c->order[i]] = more = true;
                l->blocks++;
            }
        }
    }
}

// Depth-first search, without recursion because methods may have tens of thousands of blocks. Fills `order`, and sets
// `back` for each edge that closes a cycle.
static void find_order(Chords *c, bool *back) {
    struct {
        uint32_t block, edge;
    } *stack = grow_zeroed(c->block_count, sizeof *stack);
    uint32_t depth = 0, left = c->block_count;
    bool *seen = grow_zeroed(c->block_count, 1);
    stack[depth].block = 0;
    stack[depth++].edge = 0;
    seen[0] = c->blocks[0].on_path = true;
    while (depth > 0) {
        ChordBlock *b = &c->blocks[stack[depth - 1].block];
        if (stack[depth - 1].edge == b->edges) {
            c->order[--left] = stack[--depth].block;
            b->on_path = false;
            continue;
        }
        uint32_t edge = b->first_edge + stack[depth - 1].edge++, to = c->edges[edge].to;
        if (to == c->block_count) continue;
        back[edge] = c->blocks[to].on_path;
        if (seen[to]) continue;
        seen[to] = c->blocks[to].on_path = true;
        stack[depth].block = to;
        stack[depth++].edge = 0;
    }
    c->ordered = c->block_count - left;
    memmove(c->order, c->order + left, c->ordered * sizeof *c->order);
    free(stack);
    free(seen);
}

static bool invokes(const Chords *c, const ChordLoop *l) {
    for (uint32_t b = 0; b < c->block_count; b++)
        if (l->has[b] && c->blocks[b].invokes) return true;
    return false;
}

// Turns each edge's share of its block's exits into a frequency, relative to one entry.
static void guess_frequencies(Chords *c, const bool *back) {
    bool *header = grow_zeroed(c->block_count, 1);
    for (uint32_t i = 0; i < c->loop_count; i++) header[c->loops[i].header] = true;
    c->blocks[0].frequency = 1;
    for (uint32_t i = 0; i < c->ordered; i++) {
        ChordBlock *b = &c->blocks[c->order[i]];
        if (header[c->order[i]]) b->frequency *= LOOP_FREQUENCY;
        for (uint32_t k = b->first_edge; k < b->first_edge + b->edges; k++) {
            ChordEdge *e = &c->edges[k];
            e->frequency *= b->frequency;
            for (uint32_t l = 0; l < c->loop_count; l++)
                if (c->loops[l].has[e->from] && (e->to == c->block_count || !c->loops[l].has[e->to]))
                    e->frequency /= LOOP_FREQUENCY;
            if (e->to != c->block_count && !back[k]) c->blocks[e->to].frequency += e->frequency;
        }
    }
    free(header);
    for (uint32_t k = 0; k < c->edge_count; k++)
        if (c->edges[k].behind) c->edges[k].frequency = c->blocks[c->edges[k].from].frequency;
    for (uint32_t i = 0; i < c->loop_count; i++) {
        ChordLoop *l = &c->loops[i];
        for (uint32_t b = 0; b < c->block_count; b++)
            if (l->has[b] && c->blocks[b].calls && c->blocks[b].frequency > RARELY * c->blocks[l->header].frequency)
                l->calls_often = true;
    }
    for (uint32_t inner = 0; inner < c->loop_count; inner++) {
        if (!invokes(c, &c->loops[inner])) continue;
        for (uint32_t i = 0; i < c->loop_count; i++)
            if (i != inner && c->loops[i].has[c->loops[inner].header]) c->loops[i].around_invocations = true;
    }
}

void chords_find_loops(Chords *c) {
    c->order = grow_zeroed(c->block_count, sizeof *c->order);
    bool *back = grow_zeroed(c->edge_count, 1);
    find_order(c, back);
    for (uint32_t i = 0; i < c->edge_count; i++)
        if (back[i] && (uint64_t)(c->loop_count + 1) * c->edge_count <= LOOP_WORK)
            add_loop(c, c->edges[i].to, c->edges[i].from);
    guess_frequencies(c, back);
    free(back);
    // Every exit returns to the entry. The entry block has one successor and no call, so its end is the place to count
    // entries.
    chords_add_edge(c, (ChordEdge){c->block_count, 0, c->exit, c->blocks[0].first_node, NULL, 1, CHORDS_NONE});
}

// ---- the tree ----------------------------------------------------------------------------------------

static int by_ends(const void *a, const void *b) {
    const ChordGroup *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

// Most frequent first. Frequencies within an eighth of a power of two count as equal; then the edge with more places is
// first.
static int by_frequency(const void *a, const void *b) {
    const ChordGroup *x = a, *y = b;
    int fx = (int)(8 * log2(x->frequency + 1e-9)), fy = (int)(8 * log2(y->frequency + 1e-9));
    if (fx != fy) return fx > fy ? -1 : 1;
    if (x->places != y->places) return x->places > y->places ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// Merges adjacent nodes without marks; nodes with marks stay separate.
static void join_unmarked(Chords *c) {
    uint32_t *joined = grow_zeroed(c->node_count, sizeof *joined);  // the forest of union-find
    for (uint32_t i = 0; i < c->node_count; i++) joined[i] = i;
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const ChordEdge *e = &c->edges[i];
        if (!c->marked[e->from_node] && !c->marked[e->to_node])
            joined[unionfind_root(joined, e->from_node)] = unionfind_root(joined, e->to_node);
    }
    c->number = grow_zeroed(c->node_count, sizeof *c->number);
    uint32_t *names = grow_zeroed(c->node_count, sizeof *names), count = 0;
    for (uint32_t i = 0; i < c->node_count; i++) {
        uint32_t root = unionfind_root(joined, i);
        if (!names[root]) names[root] = ++count;
        c->number[i] = names[root] - 1;
    }
    free(joined);
    free(names);
    c->numbers = count;
}

static void group_edges(Chords *c) {
    c->groups = grow_zeroed(c->edge_count, sizeof *c->groups);
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const ChordEdge *e = &c->edges[i];
        uint32_t from = c->number[e->from_node], to = c->number[e->to_node];
        if (from != to || c->marked[e->from_node])
            c->groups[c->group_count++] = (ChordGroup){from, to, e->frequency, 1, i, CHORDS_NONE};
    }
    qsort(c->groups, c->group_count, sizeof *c->groups, by_ends);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->group_count; i++) {
        ChordGroup g = c->groups[i];
        ChordGroup *last = kept ? &c->groups[kept - 1] : NULL;
        if (last && last->from == g.from && last->to == g.to) {
            last->frequency += g.frequency;
            last->places++;
            if (g.number < last->number) last->number = g.number;
            c->edges[g.number].group = kept - 1;
        } else {
            c->edges[g.number].group = kept;
            c->groups[kept++] = g;
        }
    }
    c->group_count = kept;
}

static void grow_tree(Chords *c) {
    // The sorted copies refer to the groups by index.
    ChordGroup *sorted = grow_zeroed(c->group_count, sizeof *sorted);
    uint32_t *tree = grow_zeroed(c->numbers, sizeof *tree);
    for (uint32_t i = 0; i < c->numbers; i++) tree[i] = i;
    for (uint32_t i = 0; i < c->group_count; i++) {
        sorted[i] = c->groups[i];
        sorted[i].number = i;
    }
    qsort(sorted, c->group_count, sizeof *sorted, by_frequency);
    for (uint32_t i = 0; i < c->group_count; i++) {
        uint32_t from = unionfind_root(tree, sorted[i].from), to = unionfind_root(tree, sorted[i].to);
        if (from != to) tree[from] = to;
        else c->groups[sorted[i].number].counter = c->counters++;
    }
    free(sorted);
    free(tree);
}

void chords_choose(Chords *c) {
    join_unmarked(c);
    group_edges(c);
    grow_tree(c);
}

uint32_t chords_loop_around(const Chords *c, const ChordEdge *e) {
    uint32_t largest = CHORDS_NONE;
    if (e->from == c->block_count || e->to == c->block_count) return CHORDS_NONE;
    for (uint32_t i = 0; i < c->loop_count; i++) {
        const ChordLoop *l = &c->loops[i];
        if (l->calls_often || l->around_invocations || !l->has[e->from] || !l->has[e->to]) continue;
        if (largest == CHORDS_NONE || l->blocks > c->loops[largest].blocks) largest = i;
    }
    return largest;
}

void chords_free(Chords *c) {
    for (uint32_t i = 0; i < c->loop_count; i++) free(c->loops[i].has);
    void *arrays[] = {c->blocks, c->order, c->edges, c->marked, c->number, c->groups, c->loops};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
}
