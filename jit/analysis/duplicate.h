// The transformations of Arnold and Ryder ("A Framework for Reducing the Cost of Instrumented Code", PLDI 2001) on an
// abstract control-flow graph, reducible or not. They say which nodes exist in which version, where the checks are, and
// where the edges of each version lead. Nothing here knows bytecode or LLVM; jit/analysis/code_versions.c makes the
// graph of a plan.
//
// Code has up to two versions: the checking code and the duplicated code, which has the instrumentation. A *check*
// tests whether a sample is due. If so, control continues in the duplicated version of the node, otherwise in the
// checking version. All edges into a node that need a check share the check before it.
//
// A *header* is the target of a backedge: an edge that leads backwards in the order of the nodes. Checks are on *cut*
// edges, and cut edges leave duplicated code. These are all edges to a header ("test at the header") or only the
// backedges (CHECKS_BACKEDGES, the paper's placement). The graph without its cut edges is the paper's DAG. Testing at
// the header keeps loops reducible. With the other placement a loop has two entries: an edge that enters it in
// duplicated code, and the check on its backedge.
#ifndef CABERNET_JIT_ANALYSIS_DUPLICATE_H
#define CABERNET_JIT_ANALYSIS_DUPLICATE_H

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
    const bool *instrumented;  // by node
    const bool *begins;        // by node: an activation begins there; NULL: at the entry alone. Edges to such a node
                               // are cut
    const uint32_t *order;     // by node: its position, in any order that puts the entry first; NULL: reverse
                               // postorder
} DuplicateGraph;

typedef enum DuplicateTarget {
    TARGET_NONE,  // the source does not exist in that version, or is not reached
    TARGET_CHECKING,
    TARGET_DUPLICATED,
    TARGET_CHECK,  // the check before the node
} DuplicateTarget;

typedef struct Duplicate {
    SamplingDup mode;
    SamplingChecks place;
    uint32_t *order;      // by node; UINT32_MAX: not reached
    bool *header;         // by node
    bool *top, *bottom;   // by node, within the DAG: neither it nor a node before it (top) or after it (bottom) is
    bool *duplicated;     // by node: has a duplicated version
    bool *checked;        // by node: has a check before it
    bool *cut;            // by edge
    uint8_t *targets[2];  // by version and edge: DuplicateTarget
    uint8_t entry;        // where the method's entry leads: DuplicateTarget
    uint32_t duplicated_count, check_count;
} Duplicate;

// Never NULL: running out of memory ends the process. `graph` need not outlive it.
Duplicate *duplicate_make(const DuplicateGraph *graph, SamplingDup mode, SamplingChecks place);
void duplicate_free(Duplicate *d);

// The cost of a mode by a static estimate: weighted checks.
typedef struct DuplicateCost {
    double checks;  // executed
    double size;    // added to the code: duplicated nodes and checks
} DuplicateCost;

// By node: `frequency`; `check_cost` of the check before the node (NULL: 1); `size`; `operations`, the instrumentation
// operations, each of which has a check of cost 1 if nothing is duplicated. Control leaves a node equally often over
// each of its edges. `check_size`: of one check, in the unit of `size`.
DuplicateCost duplicate_cost(const DuplicateGraph *graph, const Duplicate *d, const double *frequency,
                             const double *check_cost, const uint32_t *size, const uint32_t *operations,
                             uint32_t check_size);

#endif
