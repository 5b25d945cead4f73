// Innermost loops of a method, and the transformations that each allows.
//
// Counted loops are strip-mined: an inner loop, the strip, runs a bounded number of iterations without a yieldpoint,
// and an outer loop around it polls. A poll in the loop itself would keep LLVM from vectorising it. In sampled code, a
// strip has as many iterations as there are checks left in the budget. Loops that cannot be strip-mined there keep the
// budget in a register, and those with a known number of iterations have a check-free version.
//
// This is pure analysis of bytecode; emit_loop.c does the transformations.
#ifndef CABERNET_JIT_ANALYSIS_STRIP_MINING_H
#define CABERNET_JIT_ANALYSIS_STRIP_MINING_H

#include "jit/plan/plan.h"

// The condition under which a loop continues: induction variable on the left, bound on the right.
typedef enum LoopCondition { LOOP_LT, LOOP_LE, LOOP_GT, LOOP_GE } LoopCondition;

// An innermost loop in which nothing takes long or reaches a safepoint, except in code that polls by itself. If the
// loop counts, its induction variable moves in one direction only, and its test compares the variable with a bound (any
// int; it need not be known before the test).
typedef struct InnerLoop {
    uint32_t header, test;  // FlowBlocks; `test` ends with the comparison; CFG_NONE: the loop does not count
    bool exact;             // no Java code runs in it but the loop itself
    bool closed;            // no handler of its exceptions is in the loop
    bool first;             // test == header, and the body follows the test: what the block does before its
                            // comparison can be repeated, apart from `advance`
    uint32_t stay;          // number of the successor of `test` that stays in the loop
    bool left;              // the induction variable is the comparison's first operand
    LoopCondition condition;
    uint32_t local;   // the induction variable
    int32_t step;     // the variable moves at least this far in an iteration,
    int32_t reach;    // and at most this far; both have the sign of the direction
    int32_t offset;   // the compared value minus the variable at the header; 0 unless `first`
    int32_t advance;  // if `first`: how far the test's block has moved the variable at its end
    uint32_t length;  // iterations of a strip
    uint32_t checks;  // executions of the header whenever the loop ends by its test; 0: unknown, or more than a
                      // strip has. If known: `first`, and `step` is `reach`
    int32_t start;    // if `checks` is known: the induction variable when the loop is entered
    uint32_t before;  // the only block outside the loop from which control enters it
    bool *body;       // by FlowBlock: belongs to the loop
    bool promotes;  // it accesses static fields, or fields of objects that do not change in the loop: in a strip, which
                    // has no calls, LLVM keeps them in registers
    uint32_t *arrays;  // locals whose elements the loop accesses and that none of its instructions stores into
    uint32_t array_count;
} InnerLoop;

typedef struct InnerLoops {
    InnerLoop *loops;
    uint32_t count;
} InnerLoops;

typedef struct StripMiningOptions {
    bool on;           // false: no loop is strip-mined
    uint32_t length;   // iterations of a strip; 0: enough to keep a strip far below a millisecond
    bool sampled;      // uncounted loops too; the code itself makes no events
    EventSet counted;  // events that may exist several times for one place, because no call reports them
} StripMiningOptions;

// The options for the plan's tier and the compiler's options.
StripMiningOptions strip_mining_options(const Plan *root, const CompilerOptions *options);
// The loops of one method of the plan (the root or an inlined one).
InnerLoops strip_mining_find(const Plan *plan, const StripMiningOptions *options);
void strip_mining_free(InnerLoops *loops);

static inline bool strip_mining_is_counted(const InnerLoop *l) { return l->test != CFG_NONE; }

// Every iteration moves the induction variable equally far, so its movement gives the number of iterations.
static inline bool strip_mining_has_constant_step(const InnerLoop *l) {
    return strip_mining_is_counted(l) && l->step == l->reach;
}

// Whether the loop can be strip-mined if each execution of its header is a check. Nothing else may use up the budget,
// and no edge may lead into the middle of a strip.
static inline bool strip_mining_fits_sampling(const InnerLoop *l) {
    return strip_mining_is_counted(l) && l->exact && l->closed;
}

#endif
