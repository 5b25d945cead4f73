// Chooses the edges of a control-flow graph that carry a counter. No LLVM: jit/backend/counters.c describes the emitted
// code and places the increments.
//
// The events of one node happen equally often, and control leaves a node as often as it enters it. So counters on the
// chords of a spanning tree give the counts of all nodes (D. E. Knuth, F. R. Stevenson, "Optimal measurement points for
// program frequency counts", BIT 13, 1973; T. Ball, J. R. Larus, "Optimally profiling and tracing programs", TOPLAS 16,
// 1994).
//
// 1. Nodes: a block, or its parts between calls if marks follow a call. Adjacent nodes without marks are merged,
//    because their separate counts are never read. EXIT, the source of all entries and the target of all exits, is one
//    of the nodes.
// 2. Edges: those of the flow graph, with parallel edges merged. Branch weights and loops give a guess of how often
//    each is taken.
// 3. A spanning tree of the most frequent edges. Each edge outside the tree, a chord, gets a counter.
// 4. Loops. In a loop that rarely calls, counts may stay in registers until it is left or calls. A loop around another
//    loop that invokes a method, however rarely, keeps its counts in memory: if a guard failed more often than guessed,
//    each iteration of the inner loop would add up all counts of the outer one.
#ifndef CABERNET_JIT_ANALYSIS_CHORDS_H
#define CABERNET_JIT_ANALYSIS_CHORDS_H

#include <stdbool.h>
#include <stdint.h>

enum { CHORDS_NONE = UINT32_MAX };

typedef struct ChordBlock {
    uint32_t first_node, nodes;  // its parts
    uint32_t first_edge, edges;  // edges that leave it
    uint32_t predecessors;
    double frequency;
    bool on_path;         // private to chords.c
    bool calls, invokes;  // it has a call; it has a call of a method
} ChordBlock;

// A transfer of control from one node to another.
typedef struct ChordEdge {
    uint32_t from, to;  // blocks, or Chords.block_count for EXIT
    uint32_t from_node, to_node;
    void *behind;      // the caller's call that ends the first of two nodes of one block; NULL: a branch
    double frequency;  // at first: the share of the exits of `from`
    uint32_t group;    // CHORDS_NONE: inside one node
} ChordEdge;

// The edges from one node to another.
typedef struct ChordGroup {
    uint32_t from, to;
    double frequency;
    uint32_t places, number;
    uint32_t counter;  // CHORDS_NONE: it is in the spanning tree
} ChordGroup;

typedef struct ChordLoop {
    uint32_t header, blocks;
    bool *has;  // by block
    bool calls_often, around_invocations;
} ChordLoop;

// The caller adds blocks (the first is the entry), nodes and edges, and sets `marked` for nodes whose counts are read.
// All arrays grow; running out of memory ends the process.
typedef struct Chords {
    ChordBlock *blocks;
    uint32_t block_count, block_room;
    uint32_t *order, ordered;  // reachable blocks in topological order, apart from backedges
    ChordEdge *edges;
    uint32_t edge_count, edge_room;
    uint32_t node_count, exit;
    bool *marked;  // by node
    uint32_t marked_room;
    uint32_t *number;  // by node: its number among `numbers` after merging
    uint32_t numbers;
    ChordGroup *groups;  // by number of `from`, then of `to`
    uint32_t group_count;
    ChordLoop *loops;
    uint32_t loop_count, loop_room;
    uint32_t counters;  // chords
} Chords;

uint32_t chords_add_node(Chords *c);
void chords_add_edge(Chords *c, ChordEdge edge);
// With all nodes and branches: finds loops, guesses frequencies, and adds the edge from EXIT to the entry.
void chords_find_loops(Chords *c);
// After chords_find_loops: fills `number` and `groups`.
void chords_choose(Chords *c);
// The largest loop around the edge whose counts may stay in registers, or CHORDS_NONE.
uint32_t chords_loop_around(const Chords *c, const ChordEdge *e);
void chords_free(Chords *c);

#endif
