// The plan of one compilation: which methods become part of the code, and every fact about the running program that the
// code relies on. It is made once, before any code. The later stages (emit, passes) look at no other fact that can
// change. So equal plans give equal code, and a plan can be printed, written to a file and replayed (jit/replay).
//
// Classes' layouts, vtable indexes, flags and bytecode are functions of the class files, so they are read directly.
#ifndef CABERNET_JIT_PLAN_PLAN_H
#define CABERNET_JIT_PLAN_PLAN_H

#include <stdio.h>

#include "bytecode/analysis/dataflow.h"
#include "vm/api/compiler.h"

// How a call site is compiled.
typedef enum CallPlan {
    CALL_PLAIN,    // as its Site says
    CALL_UNIQUE,   // virtual, with a single target (dependency): called directly
    CALL_GUARDED,  // `target` is right if the receiver's class is `receiver` or, if that is NULL, if its vtable has the
                   // target at the method's index; otherwise as CALL_PLAIN
    CALL_CONSTANT,  // `target` is right because the handle, MemberName or receiver is constant
} CallPlan;

typedef struct Plan Plan;

// Whether a call's target becomes part of the caller, and the reason if not.
typedef enum InliningVerdict {
#define VERDICT(id, text) INLINING_##id,
#include "jit/plan/verdicts.def"
    INLINING_VERDICTS
} InliningVerdict;

// Facts about a call that follow from constants (plan_constants.h). The code depends only on call, target, member and
// instance.
typedef struct PlanConstant {
    Method *method;   // the target of the handle, MemberName or receiver; NULL: unknown
    Class *instance;  // the class that Unsafe.allocateInstance instantiates; NULL: unknown, or another call
} PlanConstant;

// Further targets of a guarded call. They are tested after the first one, in this order.
typedef struct PlanGuard {
    Method *target;
    Class *receiver;  // as PlanSite.receiver
    Plan *inlined;
} PlanGuard;
enum { MORE_GUARDS = 2, PLAN_TARGETS = 1 + MORE_GUARDS };

// Facts about an instruction that has any (Site.kind != SITE_NONE), in order of bci.
typedef struct PlanSite {
    uint32_t bci;
    Site site;
    CallPlan call;
    Method *target;   // CALL_UNIQUE, CALL_GUARDED, CALL_CONSTANT: the callee
    Method *member;   // SITE_CALL_LINK_TO: the method that its MemberName always denotes, or NULL
    Class *instance;  // the class that Unsafe.allocateInstance always receives, or NULL
    Class *receiver;  // CALL_GUARDED of an interface method
    PlanGuard more[MORE_GUARDS];
    uint8_t more_count;
    bool seen_all;     // the counts include every receiver until now, and code was never left here for another one
    bool leaves;       // a guarded call leaves the code if no guard holds
    uint16_t targets;  // a call that selects, in code that counts: number of methods with counters (CodeSelectedCalls)
    InliningVerdict verdict, without;  // whether the target is inlined: with the counts, and without
    // Bytecodes of the target that do not follow never-taken branches, if inlining_asks_for_hot_part.
    uint32_t ran;
    // Accesses per call of the target to fields that the callers access too, if inlining_asks_for_fields.
    double shared;
    double heat;    // how often the call was made, as far as known; -1: unknown
    Plan *inlined;  // the target (or the site's method) as part of the caller, or NULL
    PlanConstant found;
    Constant *args;  // by slot: what is known of the arguments that the callee receives; NULL: nothing
    uint32_t arg_count;
} PlanSite;

// The profile's data when the plan was made: how often the call at `bci` ran `callee`. In order of bci; rows of one bci
// are in the order of the snapshot or the advice file. Inlining depends on them (inlining.h).
typedef struct PlanCalls {
    uint32_t bci;
    Method *callee;
    uint64_t count;
} PlanCalls;

// The same for the receivers' classes, where the instruction selects a method by them.
typedef struct PlanReceivers {
    uint32_t bci;
    Class *cls;
    uint64_t count;
} PlanReceivers;

// The profile that a plan has read: a snapshot (vm/api/snapshot.h), the advice file (vm/api/advice.h), or the counts of
// template code for the methods of the plan (vm/api/methodcounts.h).
enum { PLAN_NEVER_CASES = 4 };  // in Plan.never
enum { PLAN_ADVICE = SAMPLING_TIMER + 1, PLAN_COUNTS };
typedef struct PlanSnapshot {
    uint64_t version;   // 0: none
    uint8_t sampling;   // SamplingMode; SAMPLING_OFF: its counts are exact; PLAN_ADVICE, PLAN_COUNTS
    uint32_t interval;  // between samples: checks, or microseconds of SAMPLING_TIMER; 1 if exact
    uint64_t calls;     // in all of it; PLAN_COUNTS: how often the root's hottest block began
} PlanSnapshot;

struct Plan {
    Method *method;
    Plan *parent;  // NULL: the root
    uint32_t parent_bci;
    uint32_t depth;
    Dataflow *flow;
    const ClassFileCode *code;
    PlanSite *sites;
    uint32_t site_count;
    PlanCalls *calls;  // from the snapshot that the root names
    uint32_t calls_count;
    PlanReceivers *receivers;  // from the same snapshot
    uint32_t receivers_count;
    uint64_t *blocks;  // PLAN_COUNTS: how often each block of `flow` began; NULL: not counted
    // With `blocks`: by block, the edges of its branch that leave the code: those of a conditional branch
    // (1 << number), or of a switch those to blocks that have never begun (PLAN_NEVER_CASES).
    uint8_t *never;
    double scale;          // fraction of the profile's counts for the method that belongs to this inlined copy; 0
                           // to 1
    const Constant *args;  // the caller's, or NULL: nothing is known of the arguments
    uint32_t arg_count;
    EventSet events;   // that the method's code reports
    EventSet counted;  // of the root: those that are counted instead of reported, because only their number is
                       // wanted
    // Root only:
    int32_t osr_bci;
    uint32_t bytecodes;     // of all methods in the plan
    Method **dependencies;  // compiler_unique_target holds for each
    uint32_t dependency_count;
    CompilerSampling sampling;  // report all events, or samples
    PlanSnapshot snapshot;
    bool careful;  // it was compiled again several times, so guarded calls do not leave it
    bool stress;   // deoptimises at every test of deopt_pending
};

// The reason if there is no plan.
typedef struct PlanBailout {
    int bailout;       // vm/api/bailouts.def
    char detail[256];  // may be empty
} PlanBailout;

// Makes the plan from the current facts. NULL with *why, which must be zeroed before.
Plan *plan_make(const CompileTask *task, const CompilerOptions *options, PlanBailout *why);
void plan_free(Plan *plan);

// The inlined plan of a target, by number; 0 is the first target.
static inline Plan *plan_inlined(const PlanSite *ps, uint32_t which) {
    return which == 0 ? ps->inlined : which <= ps->more_count ? ps->more[which - 1].inlined : NULL;
}
static inline bool plan_inlines(const PlanSite *ps) {
    for (uint32_t i = 0; i < PLAN_TARGETS; i++)
        if (plan_inlined(ps, i)) return true;
    return false;
}

// The method that a call site certainly runs, or runs if its guard holds; NULL: unknown.
Method *plan_callee(const PlanSite *ps);

// The facts at a bytecode index, or NULL.
const PlanSite *plan_site(const Plan *plan, uint32_t bci);

// Prints the text form: one line per method and site, with stable names. Reading it back (jit/replay) gives an equal
// plan, or a bailout: facts_changed (such as a name that does not exist yet, so retry later) or irregular_code.
void plan_print(const Plan *plan, FILE *out);

// Whether on-stack replacement can enter at the start of a block: outside subroutines, with an empty operand stack.
static inline bool plan_enters_at(const FlowBlock *block) { return block->context == 0 && block->stack_depth == 0; }

#endif
