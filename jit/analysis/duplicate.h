// The transformations of Arnold and Ryder ("A Framework for Reducing the Cost of Instrumented Code", PLDI
// 2001) on an abstract control-flow graph, reducible or not: which nodes exist in which version, where the checks
// are, where the edges of each version lead. Nothing here knows bytecode or LLVM; jit/analysis/code_versions.c makes
// the graph of a plan.
//
// Code has up to two versions: the checking code and the duplicated code, which has the instrumentation. A *check*
// asks whether a sample is due; if so control goes on in the duplicated version of a node, otherwise in the
// checking one. All edges into a node that need a check share one check in front of it.
//
// A *header* is the target of an edge that goes back in the order of the nodes. *Cut* edges are those where
// checks are and where duplicated code is left: every edge to a header ("test at the header"), or
// only those that go back (CHECKS_BACKEDGES, the paper's placement). What is left of the graph without
// them is the paper's DAG. Testing at the header keeps loops reducible: with the other placement an edge that
// enters a loop in duplicated code and the check of its backedge make two entries into the loop.
#ifndef CABERNET_JIT_DUPLICATE_H
#define CABERNET_JIT_DUPLICATE_H

#include <stdbool.h>
#include <stdint.h>

#include "vm/api/sampling.h"

typedef struct DuplicateEdge {
    uint32_t from, to;
} DuplicateEdge;

typedef struct DuplicateGraph {
    uint32_t node_count, edge_count;
    uint32_t entry;
    const DuplicateEdge *edges;
    const bool *instrumented;    // by node
    const bool *begins;          // by node: an activation begins there; NULL: at the entry alone. Edges to such a node are cut
    const uint32_t *order;       // by node: position, of which any will do that makes the entry first;
                                 // NULL: reverse postorder
} DuplicateGraph;

typedef enum DuplicateTarget {
    TARGET_NONE,          // the source does not exist in that version, or is not reached
    TARGET_CHECKING,
    TARGET_DUPLICATED,
    TARGET_CHECK,         // the check in front of the node
} DuplicateTarget;

typedef struct Duplicate {
    SamplingDup mode;
    SamplingChecks place;
    uint32_t *order;          // by node; UINT32_MAX: not reached
    bool *header;             // by node
    bool *top, *bottom;       // by node: nothing instrumented on any way to it, or reachable, within the DAG
    bool *duplicated;         // by node: has a duplicated version
    bool *checked;            // by node: there is a check in front of it
    bool *cut;                // by edge
    uint8_t *targets[2];      // by version and edge: DuplicateTarget
    uint8_t entry;            // where the method's entry leads: DuplicateTarget
    uint32_t duplicated_count, check_count;
} Duplicate;

// Never NULL: running out of memory ends the process. `graph` need not outlive it.
Duplicate *duplicate_make(const DuplicateGraph *graph, SamplingDup mode, SamplingChecks place);
void duplicate_free(Duplicate *d);

// What a mode costs, by a static estimate: checks, weighed.
typedef struct DuplicateCost {
    double checks;            // executed
    double size;              // of what is added: duplicated nodes and checks
} DuplicateCost;

// `frequency`, `check_cost` (of the check in front of the node; NULL: 1), `size`, `operations` (instrumentation
// operations, each of which has a check for 1 where nothing is duplicated) by node. A node is left over
// each of its edges equally often. `check_size`: of one check, in the unit of `size`.
DuplicateCost duplicate_cost(const DuplicateGraph *graph, const Duplicate *d, const double *frequency,
                             const double *check_cost, const uint32_t *size, const uint32_t *operations,
                             uint32_t check_size);

#endif
