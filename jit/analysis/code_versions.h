// The nodes of a plan's code, over the whole inlining tree, and the versions in which each exists.
//
// A node is a segment of a FlowBlock. Each inlined invocation ends a segment, so the code before the inlined method and
// the code after it are separate nodes. A prologue node (the entry event and taking the monitor) precedes the first
// block of each inlined method and of the root, unless on-stack replacement enters the root in the middle. Nodes are
// numbered in the order in which they are emitted.
//
// Code without sampling has one version; so has sampled code in which every event has its own check. Other sampled code
// is left when a sample begins (CompilerSampling.exits). It also has one version, and `duplicate`
// (jit/analysis/duplicate.h) says where its checks are: at the entry, at backedges, and at the entries of inlined
// methods. An inlined method is an activation with its own checks unless it has neither loops nor calls
// (bytecode/analysis/leafcode.h); such a leaf makes no checks and counts as part of its caller. A loop without calls
// (jit/analysis/strip_mining.h) has events in all of its nodes or in none.
//
// For comparison, code without `exits` has a checking version and a duplicated version of some nodes. Edges are those
// of the bytecode, of exceptions, and of inlined invocations and returns.
#ifndef CABERNET_JIT_ANALYSIS_CODE_VERSIONS_H
#define CABERNET_JIT_ANALYSIS_CODE_VERSIONS_H

#include "jit/analysis/duplicate.h"
#include "jit/analysis/strip_mining.h"
#include "jit/plan/plan.h"

typedef struct VersionNode {
    const Plan *plan;
    uint32_t block;                  // FlowBlock; CFG_NONE: the prologue
    uint32_t start, end;             // bytecode indexes, end exclusive
    const PlanSite *inlined;         // the last instruction, if it is an invocation that is inlined
    uint32_t callees[PLAN_TARGETS];  // by target: frame of the inlined method, or CFG_NONE
    uint32_t next;                   // the node after that; CFG_NONE: the block ends here
} VersionNode;

// Where the checking version of a loop makes its sampling checks.
typedef enum LoopChecks {
    LOOP_CHECKS_ANYWHERE,    // its header may have one, and parts of it may be duplicated; or it reports into a ring
    LOOP_CHECKS_NONE,        // nothing in it is duplicated: it makes none
    LOOP_CHECKS_AT_HEADER,   // all of it is duplicated: its header's check is the only one
    LOOP_CHECKS_AT_ENTRIES,  // the same, except for the checks at the entries of inlined methods
} LoopChecks;

// The nodes of one method of the plan, at one place in the inlining tree.
typedef struct VersionFrame {
    const Plan *plan;
    uint32_t prologue;   // CFG_NONE: none
    uint32_t *first;     // by FlowBlock: its first node; CFG_NONE: not reached
    InnerLoops loops;    // empty without strip mining
    LoopChecks *checks;  // by loop
} VersionFrame;

typedef struct CodeVersions {
    VersionNode *nodes;
    uint32_t node_count, entry;
    VersionFrame *frames;  // the root's frame comes first
    uint32_t frame_count;
    uint32_t *check_free_loops;  // by node: header of the loop with LOOP_CHECKS_AT_HEADER around it, or CFG_NONE
    DuplicateGraph graph;        // its arrays belong to CodeVersions
    Duplicate *duplicate;        // NULL: everything has one version
    bool exits;                  // nothing exists twice: a check that begins a sample leaves the code
    bool *outer_loops;           // by FlowBlock of the root: headers at whose backedges it may be left; or NULL
} CodeVersions;

// The versions of the plan whose root this is. `entry_block`: where the root begins. `loops`: which loops are
// strip-mined, if any; code_versions_make decides whether code is sampled.
CodeVersions *code_versions_make(const Plan *root, uint32_t entry_block, StripMiningOptions loops);
void code_versions_free(CodeVersions *c);

// ---- events ----
bool code_versions_call_is_event(const Method *m);  // an invocation or entry of m; NULL: false
// The events of the plan that its instruction at `bci` may report.
EventSet code_versions_events_at(const Plan *plan, uint32_t bci);
// Whether the instruction may make events, itself or in the code that the compiler expands for it.
bool code_versions_is_event(const Plan *plan, uint32_t bci);

#endif
