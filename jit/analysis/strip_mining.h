// Innermost loops of a method, and what may be done with them.
//
// Counted ones are strip-mined: an inner loop, the strip, of a bounded number of iterations without a yieldpoint, and
// around it one that polls. A poll in the loop itself would keep LLVM from vectorising it. In sampled code, a
// strip is as many iterations as there are checks left in the budget; loops that cannot be strip-mined there
// keep the budget in a register, and those of a known number of iterations have a check-free version.
//
// Pure analysis of bytecode; what is made of it is emit_loop.c's.
#ifndef CABERNET_JIT_STRIP_MINING_H
#define CABERNET_JIT_STRIP_MINING_H

#include "jit/plan/plan.h"

// The condition under which a loop goes on: induction variable on the left, bound on the right.
typedef enum LoopCondition { LOOP_LT, LOOP_LE, LOOP_GT, LOOP_GE } LoopCondition;

// An innermost loop in which nothing takes long or comes to a safepoint, but in code that polls by itself. If it
// counts, its induction variable moves in one direction only, and its test compares it with a bound (any
// int: what the bound is need not be known before the test).
typedef struct InnerLoop {
    uint32_t header, test;    // FlowBlocks; `test` ends with the comparison; CFG_NONE: the loop does not count
    bool exact;               // no Java code runs in it but its own
    bool closed;              // no handler of its exceptions is part of it
    bool first;               // test == header, and behind the test comes more: what the block does before
                              // its comparison can be done again, but for `advance`
    uint32_t stay;            // number of the successor of `test` that stays in the loop
    bool left;                // the induction variable is the comparison's first operand
    LoopCondition condition;
    uint32_t local;           // the induction variable
    int32_t step;             // it moves at least so far in an iteration,
    int32_t reach;            // and at most so far; both have the sign of the direction
    int32_t offset;           // what is compared, less the variable at the header; 0 unless `first`
    int32_t advance;          // how far the test's block has moved the variable at its end, if `first`
    uint32_t length;          // iterations of a strip
    uint32_t checks;          // executions of the header whenever the loop runs to its test's end; 0: not known,
                              // or more than a strip has. If known: `first`, and `step` is `reach`
    int32_t start;            // the induction variable then, behind
    uint32_t before;          // the only block, in front of the loop, from which control comes
    bool *body;               // by FlowBlock: belongs to the loop
    uint32_t *arrays;         // locals that no instruction of the loop stores into and whose elements it accesses
    uint32_t array_count;
} InnerLoop;

typedef struct InnerLoops {
    InnerLoop *loops;
    uint32_t count;
} InnerLoops;

typedef struct StripMiningOptions {
    bool on;                  // false: no loop is strip-mined
    uint32_t length;          // iterations of a strip; 0: so many that a strip stays far below a millisecond
    bool sampled;             // loops that are not counted, too; the code in question makes no events
    EventSet counted;         // events of which each place may have several copies: none is reported by a call
} StripMiningOptions;

// What the plan's tier and the compiler's options ask for.
StripMiningOptions strip_mining_options(const Plan *root, const CompilerOptions *options);
// The loops of one method of the plan (the root or an inlined one).
InnerLoops strip_mining_find(const Plan *plan, const StripMiningOptions *options);
void strip_mining_free(InnerLoops *loops);

static inline bool strip_mining_is_counted(const InnerLoop *l) { return l->test != CFG_NONE; }

// Every iteration moves the induction variable equally far: by how far it is, it tells how many there were.
static inline bool strip_mining_has_constant_step(const InnerLoop *l) {
    return strip_mining_is_counted(l) && l->step == l->reach;
}

// Can the loop be strip-mined where each execution of its header is a check? Nothing else must use up the
// budget, and nobody come into the middle of a strip.
static inline bool strip_mining_fits_sampling(const InnerLoop *l) {
    return strip_mining_is_counted(l) && l->exact && l->closed;
}

#endif
