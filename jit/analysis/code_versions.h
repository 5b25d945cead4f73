// The nodes of a plan's code, over the whole inlining tree, and in which versions each exists.
//
// A node is a segment of a FlowBlock: a block is cut behind each invocation that is inlined, so that what lies in
// front of the inlined code and what lies behind it are nodes of their own. In front of the first block of the root
// (unless on-stack replacement begins inside) and of each inlined method stands its prologue: the event of its entry
// and taking the monitor. Nodes are numbered in the order in which they are emitted.
//
// Code without sampling has one version, and so has sampled code in which every event has a check of its own. Other sampled
// code is left when a sample begins (CompilerSampling.exits). It has one version, too, and `duplicate` says where its checks are
// (jit/analysis/duplicate.h): at the entry, at edges that go back, and at the entries of inlined methods, which are activations of
// their own unless they have neither loops nor calls (bytecode/analysis/leafcode.h). These have no checks and are part of their caller.
// Loops that make no calls (jit/analysis/strip_mining.h) have events in all of their nodes or in none.
//
// For comparison, without `exits`, code has a checking version and, of some nodes, a duplicated one. Edges
// are those of the bytecode, of exceptions and of inlined invocations and returns.
#ifndef CABERNET_JIT_CODE_VERSIONS_H
#define CABERNET_JIT_CODE_VERSIONS_H

#include "jit/analysis/duplicate.h"
#include "jit/analysis/strip_mining.h"
#include "jit/plan/plan.h"

typedef struct VersionNode {
    const Plan *plan;
    uint32_t block;           // FlowBlock; CFG_NONE: the prologue
    uint32_t start, end;      // bytecode indexes, end exclusive
    const PlanSite *inlined;  // the last instruction, if it is an invocation that is inlined
    uint32_t callees[PLAN_TARGETS];  // the frames of what is inlined, by target, or CFG_NONE
    uint32_t next;            // the node behind that; CFG_NONE: the block ends here
} VersionNode;

// Where the checks of sampling are that the checking version of a loop makes.
typedef enum LoopChecks {
    LOOP_CHECKS_ANYWHERE,     // its header may have one, and parts of it may be duplicated; or it reports into a ring
    LOOP_CHECKS_NONE,         // nothing of it is duplicated: it makes none
    LOOP_CHECKS_AT_HEADER,    // all of it is duplicated: its header's check is the only one
    LOOP_CHECKS_AT_ENTRIES,   // likewise, but for those at the entries of inlined methods
} LoopChecks;

// The nodes of one method of the plan, where it stands in the inlining tree.
typedef struct VersionFrame {
    const Plan *plan;
    uint32_t prologue;        // CFG_NONE: none
    uint32_t *first;          // by FlowBlock: its first node; CFG_NONE: not reached
    InnerLoops loops;         // empty without strip mining
    LoopChecks *checks;       // by loop
} VersionFrame;

typedef struct CodeVersions {
    VersionNode *nodes;
    uint32_t node_count, entry;
    VersionFrame *frames;     // the root's first
    uint32_t frame_count;
    uint32_t *check_free_loops;  // by node: header of the loop with LOOP_CHECKS_AT_HEADER around it, or CFG_NONE
    DuplicateGraph graph;     // its arrays belong to CodeVersions
    Duplicate *duplicate;     // NULL: one version of everything
    bool exits;               // nothing exists twice: code is left where a check begins a sample
} CodeVersions;

// The versions of the plan whose root this is. `entry_block`: where the root begins. `loops`: which loops are
// strip-mined, if any are; whether code is sampled is decided here.
CodeVersions *code_versions_make(const Plan *root, uint32_t entry_block, StripMiningOptions loops);
void code_versions_free(CodeVersions *c);

// ---- what is an event ----
bool code_versions_call_is_event(const Method *m);   // an invocation or entry of m, NULL: no
// The events of the plan that its place at `bci` may report.
EventSet code_versions_events_at(const Plan *plan, uint32_t bci);
// May the instruction make events, itself or in what the compiler expands for it?
bool code_versions_is_event(const Plan *plan, uint32_t bci);

#endif
