// See jit/backend/counters.h. The pass works on the emitted function before any other pass changes it, so the emitter's
// records about a block (its marks, the stack maps of its calls) still apply.
//
// 1. Nodes: a block, or its parts between calls if marks follow a call. Adjacent nodes without marks are merged,
//    because their separate counts are never read. EXIT, the source of all entries and the target of all exits, is one
//    of the nodes.
// 2. Edges: those of the flow graph, with parallel edges merged. Branch weights and loops give a guess of how often
//    each is taken.
// 3. A spanning tree of the most frequent edges. Each edge outside the tree gets a counter.
// 4. Increments on those edges. In loops that rarely call, counts stay in a register (an alloca that LLVM promotes).
//    They are added to the counters where the loop is left and before each call, because threads are at calls when
//    their counters are read. A loop around another loop that invokes a method, however rarely, keeps its counts in
//    memory: if a guard failed more often than guessed, each iteration of the inner loop would add up all counts of the
//    outer one.
#include "jit/backend/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "base/unionfind.h"

enum { NONE = UINT32_MAX };
#define LOOP_FREQUENCY 8.0  // assumed iterations of a loop
#define RARELY 0.02         // fraction of a loop's iterations that may call, and so add the counts up
// Limit of loops times edges. In methods with more (generated ones) the remaining loops are treated as plain code, and
// their counters stay in memory.
enum { LOOP_WORK = 1 << 22 };

typedef struct Block {
    LLVMBasicBlockRef ir;
    uint32_t first_node, nodes;  // its parts
    uint32_t first_edge, edges;  // edges that leave it
    uint32_t predecessors;
    double frequency;
    bool on_path, calls, invokes;
} Block;

// A transfer of control from one node to another.
typedef struct Edge {
    uint32_t from, to;           // blocks, or Flow.block_count for EXIT
    uint32_t from_node, to_node;
    LLVMValueRef behind;         // the call that ends the first of two nodes of one block; NULL: a branch
    double frequency;
    uint32_t group;              // NONE: inside one node
} Edge;

// The edges from one node to another.
typedef struct Group {
    uint32_t from, to;
    double frequency;
    uint32_t places, number;
    uint32_t counter;            // NONE: it is in the spanning tree
} Group;

typedef struct Loop {
    uint32_t header, blocks;
    bool *has;                   // by block
    bool calls_often, around_invocations;
    LLVMValueRef *local;         // by counter: its alloca, or NULL
} Loop;

typedef struct Flow {
    Unit *unit;
    LLVMValueRef function, thread, base;
    LLVMBuilderRef builder, entry_builder;
    LLVMTypeRef i64;
    Block *blocks;
    uint32_t block_count, block_room;
    HashTable by_ir;             // index + 1 of blocks
    uint32_t *order, ordered;    // reachable blocks in topological order, apart from backedges
    Edge *edges;
    uint32_t edge_count, edge_room;
    uint32_t node_count, exit;
    bool *marked;                // by node
    uint32_t marked_room;
    uint32_t *number;            // by node: its number in the code's tables
    Group *groups;
    uint32_t group_count, group_room;
    Loop *loops;
    uint32_t loop_count, loop_room;
} Flow;

// ---- nodes -----------------------------------------------------------------------------------------

static uint32_t block_of(const Flow *f, LLVMBasicBlockRef ir) {
    const HashRecords blocks = {f->blocks, sizeof *f->blocks};
    return (uint32_t)hash_find(&f->by_ir, &hash_by_pointer, &blocks, hash_pointer(ir), ir) - 1;
}

static uint32_t add_node(Flow *f) {
    if (!GROW_ZEROED(f->marked, f->marked_room, f->node_count + 1)) grow_out_of_memory(f->node_count);
    return f->node_count++;
}

static void add_edge(Flow *f, Edge edge) {
    GROW_OR_EXIT(f->edges, f->edge_room, f->edge_count + 1);
    f->edges[f->edge_count++] = edge;
}

// The number of the stack map in the call's bundle, or in the first argument of an exit; or NONE.
static uint32_t stack_map_of(const Flow *f, LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction)) return NONE;
    if (f->unit->exit && LLVMGetCalledValue(instruction) == f->unit->exit)
        return (uint32_t)(LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 0)) - EXIT_ID);
    if (LLVMGetNumOperandBundles(instruction) == 0) return NONE;
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(instruction, 0);
    uint32_t number = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperandBundleArgAtIndex(bundle, 0));
    LLVMDisposeOperandBundle(bundle);
    return number;
}

// Splits a block into nodes, so that a call and the marks after it are in different nodes. A block's marks were emitted
// in the order of its instructions, but not consecutively: `mark` and `next_mark` are their numbers + 1 as a list that
// ends with 0.
static void add_nodes(Flow *f, uint32_t number, uint32_t mark, const uint32_t *next_mark) {
    Block *b = &f->blocks[number];
    uint32_t node = b->first_node = add_node(f);
    LLVMValueRef call = NULL, i = NULL;
    for (;;) {
        for (; mark && f->unit->marks[mark - 1].after == i; mark = next_mark[mark]) {
            if (call) {
                uint32_t behind = add_node(f);
                add_edge(f, (Edge){number, number, node, behind, call, 0, NONE});
                node = behind;
                call = NULL;
            }
            f->unit->marks[mark - 1].mark.node = (uint16_t)node;
            f->marked[node] = true;
        }
        i = i ? LLVMGetNextInstruction(i) : LLVMGetFirstInstruction(b->ir);
        if (!i) break;
        uint32_t map = stack_map_of(f, i);
        if (map == NONE) continue;
        call = i;
        b->calls = true;
        b->invokes |= f->unit->stack_maps[map].invokes;
        f->unit->stack_maps[map].node = (uint16_t)node;
    }
    ASSERT(!mark, "a mark of a block stands behind no instruction of it");
    b->nodes = node - b->first_node + 1;
}

static void find_nodes(Flow *f) {
    const Unit *u = f->unit;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function); b; b = LLVMGetNextBasicBlock(b)) {
        GROW_OR_EXIT(f->blocks, f->block_room, f->block_count + 1);
        f->blocks[f->block_count++] = (Block){.ir = b};
        const HashRecords blocks = {f->blocks, sizeof *f->blocks};
        hash_add_or_exit(&f->by_ir, &hash_by_pointer, &blocks, hash_pointer(b), f->block_count);
    }
    uint32_t *first = grow_zeroed(f->block_count, sizeof *first), *next = grow_zeroed(u->mark_count + 1, sizeof *next);
    for (uint32_t i = u->mark_count; i > 0; i--) {
        uint32_t *list = &first[block_of(f, u->marks[i - 1].block)];
        next[i] = *list;
        *list = i;
    }
    for (uint32_t i = 0; i < f->block_count; i++) add_nodes(f, i, first[i], next);
    f->exit = add_node(f);
    free(first);
    free(next);
}

// ---- edges and frequencies -------------------------------------------------------------------------

// A switch may lead to one block for several values. Those are one edge.
static void add_branches(Flow *f, uint32_t number) {
    Block *b = &f->blocks[number];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ir);
    uint32_t last = b->first_node + b->nodes - 1, count = LLVMGetNumSuccessors(end);
    unsigned prof = LLVMGetMDKindIDInContext(f->unit->context, "prof", 4);
    LLVMValueRef weights = count == 2 ? LLVMGetMetadata(end, prof) : NULL, parts[3];
    double first = count ? 1.0 / count : 0;  // the share of the first successor
    if (weights && LLVMGetMDNodeNumOperands(weights) == 3) {
        LLVMGetMDNodeOperands(weights, parts);
        double yes = (double)LLVMConstIntGetZExtValue(parts[1]), no = (double)LLVMConstIntGetZExtValue(parts[2]);
        first = yes / (yes + no);
    }
    b->first_edge = f->edge_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = block_of(f, LLVMGetSuccessor(end, i)), k = b->first_edge;
        double share = count == 2 && i == 1 ? 1 - first : first;
        while (k < f->edge_count && f->edges[k].to != to) k++;
        if (k < f->edge_count) {
            f->edges[k].frequency += share;
            continue;
        }
        f->blocks[to].predecessors++;
        add_edge(f, (Edge){number, to, last, f->blocks[to].first_node, NULL, share, NONE});
    }
    if (count == 0) add_edge(f, (Edge){number, f->block_count, last, f->exit, NULL, 1, NONE});
    b->edges = f->edge_count - b->first_edge;
}

// The natural loop of a backedge to `header`: all blocks that reach `source` without passing the header.
static void add_loop(Flow *f, uint32_t header, uint32_t source) {
    Loop *l = NULL;
    for (uint32_t i = 0; i < f->loop_count && !l; i++)
        if (f->loops[i].header == header) l = &f->loops[i];
    if (!l) {
        GROW_OR_EXIT(f->loops, f->loop_room, f->loop_count + 1);
        l = &f->loops[f->loop_count++];
        *l = (Loop){.header = header, .has = grow_zeroed(f->block_count, 1), .blocks = 1};
        l->has[header] = true;
    }
    // Propagates backwards over all edges to a fixpoint. Few blocks are in loops, so few rounds are needed.
    if (!l->has[source]) l->blocks++;
    l->has[source] = true;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = f->ordered; i-- > 0;) {
            const Block *b = &f->blocks[f->order[i]];
            for (uint32_t k = 0; k < b->edges && !l->has[f->order[i]]; k++) {
                uint32_t to = f->edges[b->first_edge + k].to;
                if (to == f->block_count || to == header || !l->has[to]) continue;
                l->has[f->order[i]] = more = true;
                l->blocks++;
            }
        }
    }
}

// Depth-first search, without recursion because methods may have tens of thousands of blocks. Fills `order`, and sets
// `back` for each edge that closes a cycle.
static void find_order(Flow *f, bool *back) {
    struct { uint32_t block, edge; } *stack = grow_zeroed(f->block_count, sizeof *stack);
    uint32_t depth = 0, left = f->block_count;
    bool *seen = grow_zeroed(f->block_count, 1);
    stack[depth].block = 0;
    stack[depth++].edge = 0;
    seen[0] = f->blocks[0].on_path = true;
    while (depth > 0) {
        Block *b = &f->blocks[stack[depth - 1].block];
        if (stack[depth - 1].edge == b->edges) {
            f->order[--left] = stack[--depth].block;
            b->on_path = false;
            continue;
        }
        uint32_t edge = b->first_edge + stack[depth - 1].edge++, to = f->edges[edge].to;
        if (to == f->block_count) continue;
        back[edge] = f->blocks[to].on_path;
        if (seen[to]) continue;
        seen[to] = f->blocks[to].on_path = true;
        stack[depth].block = to;
        stack[depth++].edge = 0;
    }
    f->ordered = f->block_count - left;
    memmove(f->order, f->order + left, f->ordered * sizeof *f->order);
    free(stack);
    free(seen);
}

static bool invokes(const Flow *f, const Loop *l) {
    for (uint32_t b = 0; b < f->block_count; b++)
        if (l->has[b] && f->blocks[b].invokes) return true;
    return false;
}

// Turns each edge's share of its block's exits into a frequency, relative to one entry.
static void guess_frequencies(Flow *f, const bool *back) {
    bool *header = grow_zeroed(f->block_count, 1);
    for (uint32_t i = 0; i < f->loop_count; i++) header[f->loops[i].header] = true;
    f->blocks[0].frequency = 1;
    for (uint32_t i = 0; i < f->ordered; i++) {
        Block *b = &f->blocks[f->order[i]];
        if (header[f->order[i]]) b->frequency *= LOOP_FREQUENCY;
        for (uint32_t k = b->first_edge; k < b->first_edge + b->edges; k++) {
            Edge *e = &f->edges[k];
            e->frequency *= b->frequency;
            for (uint32_t l = 0; l < f->loop_count; l++)
                if (f->loops[l].has[e->from] && (e->to == f->block_count || !f->loops[l].has[e->to]))
                    e->frequency /= LOOP_FREQUENCY;
            if (e->to != f->block_count && !back[k]) f->blocks[e->to].frequency += e->frequency;
        }
    }
    free(header);
    for (uint32_t k = 0; k < f->edge_count; k++)
        if (f->edges[k].behind) f->edges[k].frequency = f->blocks[f->edges[k].from].frequency;
    for (uint32_t i = 0; i < f->loop_count; i++) {
        Loop *l = &f->loops[i];
        for (uint32_t b = 0; b < f->block_count; b++)
            if (l->has[b] && f->blocks[b].calls && f->blocks[b].frequency > RARELY * f->blocks[l->header].frequency)
                l->calls_often = true;
    }
    for (uint32_t inner = 0; inner < f->loop_count; inner++) {
        if (!invokes(f, &f->loops[inner])) continue;
        for (uint32_t i = 0; i < f->loop_count; i++)
            if (i != inner && f->loops[i].has[f->loops[inner].header]) f->loops[i].around_invocations = true;
    }
}

static void find_edges(Flow *f) {
    for (uint32_t i = 0; i < f->block_count; i++) add_branches(f, i);
    f->order = grow_zeroed(f->block_count, sizeof *f->order);
    bool *back = grow_zeroed(f->edge_count, 1);
    find_order(f, back);
    for (uint32_t i = 0; i < f->edge_count; i++)
        if (back[i] && (uint64_t)(f->loop_count + 1) * f->edge_count <= LOOP_WORK)
            add_loop(f, f->edges[i].to, f->edges[i].from);
    guess_frequencies(f, back);
    free(back);
    // Every exit returns to the entry. The entry block has one successor and no call, so its end is the place to count
    // entries.
    add_edge(f, (Edge){f->block_count, 0, f->exit, f->blocks[0].first_node, NULL, 1, NONE});
}

// ---- the tree ----------------------------------------------------------------------------------------

static int by_ends(const void *a, const void *b) {
    const Group *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

// Most frequent first. Frequencies within an eighth of a power of two count as equal; then the edge with more places is
// first.
static int by_frequency(const void *a, const void *b) {
    const Group *x = a, *y = b;
    int fx = (int)(8 * log2(x->frequency + 1e-9)), fy = (int)(8 * log2(y->frequency + 1e-9));
    if (fx != fy) return fx > fy ? -1 : 1;
    if (x->places != y->places) return x->places > y->places ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

// Merges adjacent nodes without marks; nodes with marks stay separate.
static void join_unmarked(Flow *f) {
    uint32_t *joined = grow_zeroed(f->node_count, sizeof *joined);  // the forest of union-find
    for (uint32_t i = 0; i < f->node_count; i++) joined[i] = i;
    for (uint32_t i = 0; i < f->edge_count; i++) {
        const Edge *e = &f->edges[i];
        if (!f->marked[e->from_node] && !f->marked[e->to_node])
            joined[unionfind_root(joined, e->from_node)] = unionfind_root(joined, e->to_node);
    }
    f->number = grow_zeroed(f->node_count, sizeof *f->number);
    uint32_t *names = grow_zeroed(f->node_count, sizeof *names), count = 0;
    for (uint32_t i = 0; i < f->node_count; i++) {
        uint32_t root = unionfind_root(joined, i);
        if (!names[root]) names[root] = ++count;
        f->number[i] = names[root] - 1;
    }
    free(joined);
    free(names);
    f->unit->count_nodes = count;
    f->unit->count_exit = f->number[f->exit];
}

static void group_edges(Flow *f) {
    f->groups = grow_zeroed(f->edge_count, sizeof *f->groups);
    for (uint32_t i = 0; i < f->edge_count; i++) {
        const Edge *e = &f->edges[i];
        uint32_t from = f->number[e->from_node], to = f->number[e->to_node];
        if (from != to || f->marked[e->from_node])
            f->groups[f->group_count++] = (Group){from, to, e->frequency, 1, i, NONE};
    }
    qsort(f->groups, f->group_count, sizeof *f->groups, by_ends);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->group_count; i++) {
        Group g = f->groups[i];
        Group *last = kept ? &f->groups[kept - 1] : NULL;
        if (last && last->from == g.from && last->to == g.to) {
            last->frequency += g.frequency;
            last->places++;
            if (g.number < last->number) last->number = g.number;
            f->edges[g.number].group = kept - 1;
        } else {
            f->edges[g.number].group = kept;
            f->groups[kept++] = g;
        }
    }
    f->group_count = kept;
}

static void grow_tree(Flow *f) {
    // The sorted copies refer to the groups by index.
    Group *sorted = grow_zeroed(f->group_count, sizeof *sorted);
    uint32_t *tree = grow_zeroed(f->unit->count_nodes, sizeof *tree);
    for (uint32_t i = 0; i < f->unit->count_nodes; i++) tree[i] = i;
    for (uint32_t i = 0; i < f->group_count; i++) {
        sorted[i] = f->groups[i];
        sorted[i].number = i;
    }
    qsort(sorted, f->group_count, sizeof *sorted, by_frequency);
    for (uint32_t i = 0; i < f->group_count; i++) {
        uint32_t from = unionfind_root(tree, sorted[i].from), to = unionfind_root(tree, sorted[i].to);
        if (from != to) tree[from] = to;
        else f->groups[sorted[i].number].counter = f->unit->counters++;
    }
    free(sorted);
    free(tree);
}

// ---- increments ----------------------------------------------------------------------------------------

static LLVMValueRef address_of(Flow *f, uint32_t counter) {
    LLVMTypeRef i8 = LLVMInt8TypeInContext(f->unit->context);
    LLVMValueRef offset = LLVMConstAdd(f->base, LLVMConstInt(f->i64, 8 * (uint64_t)counter, false));
    return LLVMBuildGEP2(f->builder, i8, f->thread, &offset, 1, "");
}

static void add_to(Flow *f, LLVMValueRef address, LLVMValueRef more) {
    LLVMValueRef old = LLVMBuildLoad2(f->builder, f->i64, address, "");
    LLVMBuildStore(f->builder, LLVMBuildAdd(f->builder, old, more, ""), address);
}

// The largest loop around the edge whose counts may stay in registers, or NULL.
static Loop *loop_around(Flow *f, const Edge *e) {
    Loop *largest = NULL;
    if (e->from == f->block_count || e->to == f->block_count) return NULL;
    for (uint32_t i = 0; i < f->loop_count; i++) {
        Loop *l = &f->loops[i];
        if (l->calls_often || l->around_invocations || !l->has[e->from] || !l->has[e->to]) continue;
        if (!largest || l->blocks > largest->blocks) largest = l;
    }
    return largest;
}

static LLVMValueRef local_of(Flow *f, Loop *l, uint32_t counter) {
    if (!l->local) l->local = grow_zeroed(f->unit->counters, sizeof *l->local);
    if (!l->local[counter]) {
        l->local[counter] = LLVMBuildAlloca(f->entry_builder, f->i64, "count");
        LLVMBuildStore(f->entry_builder, LLVMConstInt(f->i64, 0, false), l->local[counter]);
    }
    return l->local[counter];
}

// Adds the loop's counts to the counters. The builder is at an exit of the loop or before a call in it.
static void add_up(Flow *f, const Loop *l) {
    for (uint32_t i = 0; l->local && i < f->unit->counters; i++) {
        if (!l->local[i]) continue;
        add_to(f, address_of(f, i), LLVMBuildLoad2(f->builder, f->i64, l->local[i], ""));
        LLVMBuildStore(f->builder, LLVMConstInt(f->i64, 0, false), l->local[i]);
    }
}

// Makes the phis of `block` take the values from `from` through the new predecessor `through`.
static void redirect_phis(Flow *f, LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef through) {
    LLVMValueRef phi = LLVMGetFirstInstruction(block), next;
    for (; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(f->builder, phi);
        LLVMValueRef other = LLVMBuildPhi(f->builder, LLVMTypeOf(phi), "");
        bool done = false;
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef in = LLVMGetIncomingBlock(phi, i);
            if (in == from && done) continue;  // a switch had several edges to the block
            if (in == from) {
                in = through;
                done = true;
            }
            LLVMAddIncoming(other, &value, &in, 1);
        }
        LLVMReplaceAllUsesWith(phi, other);
        LLVMInstructionEraseFromParent(phi);
    }
}

// Moves the builder to a place that control passes exactly when it takes the edge.
static void go_to(Flow *f, const Edge *e) {
    if (e->behind) {
        LLVMPositionBuilderBefore(f->builder, LLVMGetNextInstruction(e->behind));
        return;
    }
    bool enters = e->from == f->block_count;
    Block *from = &f->blocks[enters ? 0 : e->from];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from->ir);
    if (enters || from->edges == 1) {
        LLVMPositionBuilderBefore(f->builder, end);
        return;
    }
    LLVMBasicBlockRef to = f->blocks[e->to].ir;
    if (f->blocks[e->to].predecessors == 1) {
        LLVMValueRef i = LLVMGetFirstInstruction(to);
        while (LLVMIsAPHINode(i)) i = LLVMGetNextInstruction(i);
        LLVMPositionBuilderBefore(f->builder, i);
        return;
    }
    LLVMBasicBlockRef middle = LLVMInsertBasicBlockInContext(f->unit->context, to, "edge");
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        if (LLVMGetSuccessor(end, i) == to) LLVMSetSuccessor(end, i, middle);
    redirect_phis(f, to, from->ir, middle);
    LLVMPositionBuilderAtEnd(f->builder, middle);
    LLVMPositionBuilderBefore(f->builder, LLVMBuildBr(f->builder, to));
}

static bool leaves(const Flow *f, const Edge *e, const Loop *l) {
    return !e->behind && e->from != f->block_count && l->has[e->from] && (e->to == f->block_count || !l->has[e->to]);
}

// Places the edge's counter and adds up the counts of loops that the edge leaves. Requires that the loops' locals are
// known, hence the two rounds in place().
static void place_on_edge(Flow *f, const Edge *e) {
    const Group *g = e->group == NONE ? NULL : &f->groups[e->group];
    bool counts = g && g->counter != NONE, adds_up = false;
    for (uint32_t i = 0; i < f->loop_count; i++) adds_up |= f->loops[i].local && leaves(f, e, &f->loops[i]);
    if (!counts && !adds_up) return;
    go_to(f, e);
    for (uint32_t i = 0; i < f->loop_count; i++)
        if (leaves(f, e, &f->loops[i])) add_up(f, &f->loops[i]);
    if (!counts) return;
    Loop *l = loop_around(f, e);
    add_to(f, l ? local_of(f, l, g->counter) : address_of(f, g->counter), LLVMConstInt(f->i64, 1, false));
}

static void place(Flow *f) {
    for (uint32_t i = 0; i < f->edge_count; i++) {
        const Edge *e = &f->edges[i];
        Loop *l = e->group != NONE && f->groups[e->group].counter != NONE ? loop_around(f, e) : NULL;
        if (l) local_of(f, l, f->groups[e->group].counter);
    }
    for (uint32_t i = 0; i < f->loop_count; i++)
        for (uint32_t b = 0; f->loops[i].local && b < f->block_count; b++) {
            if (!f->loops[i].has[b] || !f->blocks[b].calls) continue;
            LLVMValueRef at = LLVMGetFirstInstruction(f->blocks[b].ir);
            for (; at; at = LLVMGetNextInstruction(at)) {
                if (stack_map_of(f, at) == NONE) continue;
                LLVMPositionBuilderBefore(f->builder, at);
                add_up(f, &f->loops[i]);
            }
        }
    for (uint32_t i = 0; i < f->edge_count; i++) place_on_edge(f, &f->edges[i]);
}

LLVMValueRef counters_distance(Unit *unit, const char *symbol) {
    LLVMContextRef c = unit->context;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef global = LLVMGetNamedGlobal(unit->module, symbol);
    if (!global) {
        global = LLVMAddGlobal(unit->module, LLVMInt8TypeInContext(c), symbol);
        LLVMMetadataRef range[] = {LLVMValueAsMetadata(LLVMConstInt(i64, 0, false)),
                                   LLVMValueAsMetadata(LLVMConstInt(i64, INT32_MAX, false))};
        unsigned kind = LLVMGetMDKindIDInContext(c, "absolute_symbol", strlen("absolute_symbol"));
        LLVMGlobalSetMetadata(global, kind, LLVMMDNodeInContext2(c, range, 2));
    }
    return LLVMConstPtrToInt(global, i64);
}

// ---- the pass ------------------------------------------------------------------------------------------

static void begin(Flow *f) {
    LLVMContextRef c = f->unit->context;
    f->function = LLVMGetNamedFunction(f->unit->module, UNIT_FUNCTION);
    f->thread = LLVMGetParam(f->function, LLVMCountParams(f->function) - 1);
    f->i64 = LLVMInt64TypeInContext(c);
    f->builder = LLVMCreateBuilderInContext(c);
    f->entry_builder = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(f->entry_builder, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(f->function)));
}

static void write_tables(Flow *f) {
    Unit *u = f->unit;
    GROW_OR_EXIT(u->count_edges, u->count_edge_room, f->group_count);
    for (uint32_t i = 0; i < f->group_count; i++) {
        const Group *g = &f->groups[i];
        u->count_edges[i] = (CodeCountEdge){(uint16_t)g->from, (uint16_t)g->to,
                                            g->counter == NONE ? COUNT_DERIVED : (uint16_t)g->counter};
    }
    u->count_edge_count = f->group_count;
    for (uint32_t i = 0; i < u->mark_count; i++) u->marks[i].mark.node = (uint16_t)f->number[u->marks[i].mark.node];
    for (uint32_t i = 0; i < u->stack_map_count; i++)
        u->stack_maps[i].node = (uint16_t)f->number[u->stack_maps[i].node];
}

static void end(Flow *f) {
    for (uint32_t i = 0; i < f->loop_count; i++) {
        free(f->loops[i].has);
        free(f->loops[i].local);
    }
    hash_free(&f->by_ir);
    void *arrays[] = {f->blocks, f->order, f->edges, f->marked, f->number, f->groups, f->loops};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    LLVMDisposeBuilder(f->builder);
    LLVMDisposeBuilder(f->entry_builder);
}

bool counters_place(Unit *unit) {
    if (unit->mark_count == 0) return true;
    Flow f = {.unit = unit};
    begin(&f);
    find_nodes(&f);
    find_edges(&f);
    bool fits = f.node_count < COUNT_NODES && f.edge_count < COUNT_DERIVED;
    if (fits) {
        join_unmarked(&f);
        group_edges(&f);
        grow_tree(&f);
        f.base = counters_distance(unit, COUNTERS_SYMBOL);
        place(&f);
        write_tables(&f);
    }
    end(&f);
    return fits || unit_bail_out(unit, BAILOUT_too_large, "%u nodes to count", f.node_count);
}
