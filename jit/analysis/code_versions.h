// Which code of a plan exists in which copy (jit/analysis/duplicate.h), for sampled profiles: over the whole inlining tree.
//
// Nodes are segments of FlowBlocks: a block is cut behind each invocation that is inlined, so that what lies in
// front of the inlined code and what lies behind it are nodes of their own. In front of the first block of the
// root (unless on-stack replacement begins inside) and of each inlined method stands its prologue: the
// event of its entry and taking the monitor. Edges are those of the bytecode, of exceptions and of inlined
// invocations and returns.
//
// Loops that make no calls (jit/analysis/strip_mining.h) are duplicated as a whole or not at all. So control comes into the
// checking copy of one only through its header's check, and what a loop keeps in registers is good until it is left.
#ifndef CABERNET_JIT_CODE_VERSIONS_H
#define CABERNET_JIT_CODE_VERSIONS_H

#include "jit/analysis/duplicate.h"
#include "jit/plan/plan.h"
#include "jit/analysis/strip_mining.h"

typedef struct VersionNode {
    const Plan *plan;
    uint32_t block;           // FlowBlock; CFG_NONE: the prologue
    uint32_t start, end;      // bci's, end exclusive
    const PlanSite *inlined;  // the last instruction, if it is an invocation that is inlined
    uint32_t next;            // the node behind that; CFG_NONE: the block ends here
} VersionNode;

// How the checking copy of a loop stands with checks.
typedef enum LoopChecks {
    LOOP_CHECKS_ANY,          // nothing special: its header may have a check, parts of it may be duplicated
    LOOP_CHECKS_NONE,         // nothing of it is duplicated: no check
    LOOP_CHECKS_AT_HEADER,      // all of it is duplicated: its header's check is the only one
} LoopChecks;

// The nodes of one method of the plan.
typedef struct VersionFrame {
    const Plan *plan;
    uint32_t prologue;        // CFG_NONE: none
    uint32_t *first;          // by FlowBlock: its first node; CFG_NONE: not reached
    InnerLoops loops;         // empty if none was wished for
    LoopChecks *kinds;        // by loop
} VersionFrame;

typedef struct CodeVersions {
    VersionNode *nodes;
    uint32_t node_count;
    VersionFrame *frames;
    uint32_t frame_count;
    uint32_t *loops;          // by node: the header of the loop with one check that it belongs to, or CFG_NONE
    DuplicateGraph graph;     // its arrays belong to `CodeVersions`
    Duplicate *duplicate;
} CodeVersions;

// The copies of the plan whose root this is, or NULL: one copy is enough. `entry_block`: where the root begins.
// `strips`: loops are treated as said above; NULL: as all other code.
CodeVersions *code_versions_make(const Plan *root, uint32_t entry_block, const StripMiningOptions *strips);
void code_versions_free(CodeVersions *c);

const VersionFrame *code_versions_frame(const CodeVersions *c, const Plan *plan);

// Blocks that can be reached from `from`, over edges and handlers; `wanted` by FlowBlock, zeroed.
void code_versions_reach(const Dataflow *flow, uint32_t from, bool *wanted);

// ---- what is an event ----
bool code_versions_entry_is_event(const Plan *root, const Method *m);   // an invocation or entry of m
bool code_versions_field_is_event(const Plan *root, const PlanSite *site);
// Does the instruction itself, not something that it calls, make events?
bool code_versions_is_event(const Plan *root, const Plan *plan, uint32_t bci);

#endif
