// The plan of one compilation: which methods become part of the code, and every fact about the running
// program that the code will rely on. Made once, before any code; what comes behind it (emit, passes)
// looks at nothing else that can change. So equal plans give equal code, a plan can be printed, written
// to a file and replayed (replay.h).
//
// Classes' layouts, vtable indexes, flags and bytecode are functions of the class files and are asked
// for directly.
#ifndef CABERNET_JIT_PLAN_H
#define CABERNET_JIT_PLAN_H

#include <stdio.h>

#include "bytecode/analysis/dataflow.h"
#include "vm/api/compiler.h"

// How a call site is compiled.
typedef enum CallPlan {
    CALL_PLAIN,    // as its Site says
    CALL_UNIQUE,   // virtual, but there is one target (dependency): called directly
    CALL_GUARDED,  // target is right when the receiver's class is `receiver`, or, where that is NULL, when its class has
                   // the target at the method's place in its vtable; otherwise as CALL_PLAIN
    CALL_CONSTANT, // target is right, for a handle, MemberName or receiver that is always the same
} CallPlan;

typedef struct Plan Plan;

// Whether a call's target becomes part of the caller, or why not.
typedef enum InliningVerdict {
#define VERDICT(id, text) INLINING_##id,
#include "jit/plan/verdicts.def"
    INLINING_VERDICTS
} InliningVerdict;

// What constants say about a call (constants.h). Only what call, target, member and instance say counts for the code.
typedef struct PlanConstant {
    Method *method;   // that the handle, MemberName or receiver leads to; NULL: not known
    Class *instance;  // that Unsafe.allocateInstance makes one of; NULL: not known, or another call
} PlanConstant;

// Further targets that a guarded call tests for, behind the first one and in this order.
typedef struct PlanGuard {
    Method *target;
    Class *receiver;  // as PlanSite.receiver
    Plan *inlined;
} PlanGuard;
enum { MORE_GUARDS = 2, PLAN_TARGETS = 1 + MORE_GUARDS };

// Facts of an instruction that has any (Site.kind != SITE_NONE), in order of bci.
typedef struct PlanSite {
    uint32_t bci;
    Site site;
    CallPlan call;
    Method *target;   // CALL_UNIQUE, CALL_GUARDED, CALL_CONSTANT: what is called
    Method *member;   // SITE_CALL_LINK_TO: the method that its MemberName always stands for, or NULL
    Class *instance;  // the class that Unsafe.allocateInstance always gets, or NULL
    Class *receiver;  // CALL_GUARDED of an interface's method
    PlanGuard more[MORE_GUARDS];
    uint8_t more_count;
    bool seen_all;    // the counts have each receiver that came, and code was not left here for another one
    bool leaves;      // a guarded call leaves the code when it is none of them
    uint16_t targets; // a call that selects, in code that counts: so many methods have counters (CodeSelectedCalls)
    InliningVerdict verdict, without;  // whether that is inlined, with what was counted and without any
    uint32_t ran;     // bytecodes of its target that are not behind branches that never came, if that was asked for (inlining_asks_for_hot_part)
    double shared;    // accesses a call of its target to fields that the callers access, if they were asked for (inlining_asks_for_fields)
    double heat;      // so often the call was made, as far as is known; -1: nothing is
    Plan *inlined;    // target (or the site's method) becomes part of the caller, or NULL
    PlanConstant found;
    Constant *args;   // by slot, what is known of the arguments that the callee gets; NULL: nothing
    uint32_t arg_count;
} PlanSite;

// What the profile said when the plan was made: so often the call at `bci` had run `callee`. In order of bci and, at one
// of them, as in the snapshot or the advice file. What is inlined depends on it (inlining.h).
typedef struct PlanCalls {
    uint32_t bci;
    Method *callee;
    uint64_t count;
} PlanCalls;

// The same of the classes of receivers, where the instruction selects a method by them.
typedef struct PlanReceivers {
    uint32_t bci;
    Class *cls;
    uint64_t count;
} PlanReceivers;

// Which snapshot of the profile (vm/api/snapshot.h) a plan has read; or the advice file (vm/api/advice.h); or what template code
// has counted in the methods that are in the plan (vm/api/methodcounts.h).
enum { PLAN_ADVICE = SAMPLING_TIMER + 1, PLAN_COUNTS };
typedef struct PlanSnapshot {
    uint64_t version;  // 0: none
    uint8_t sampling;  // SamplingMode; SAMPLING_OFF: its counts are exact; PLAN_ADVICE, PLAN_COUNTS
    uint32_t interval; // between samples: checks, or microseconds of SAMPLING_TIMER; 1 if exact
    uint64_t calls;    // in all of it; PLAN_COUNTS: how often the root's hottest block has begun
} PlanSnapshot;

struct Plan {
    Method *method;
    Plan *parent;              // NULL: the root
    uint32_t parent_bci;
    uint32_t depth;
    Dataflow *flow;
    const ClassFileCode *code;
    PlanSite *sites;
    uint32_t site_count;
    PlanCalls *calls;          // of the snapshot that the root names
    uint32_t calls_count;
    PlanReceivers *receivers;  // likewise
    uint32_t receivers_count;
    uint64_t *blocks;          // PLAN_COUNTS: how often each block of `flow` has begun; NULL: not counted
    uint8_t *never;            // with `blocks`: which edges of each block's conditional branch (1 << number) code is left for
    double scale;              // which part of what the profile counts in the method belongs to this inlined copy of it; 0 to 1
    const Constant *args;      // the caller's, or NULL: nothing is known of the arguments
    uint32_t arg_count;
    EventSet events;           // that the method's places report
    EventSet counted;          // of the root: which of them are counted where nothing more is known of them
    // Root only:
    int32_t osr_bci;
    uint32_t bytecodes;        // of all methods in it
    Method **dependencies;     // compiler_unique_target holds for each
    uint32_t dependency_count;
    CompilerSampling sampling; // all of them, or samples
    PlanSnapshot snapshot;
    bool careful;              // it was made again several times: guarded calls do not leave it
    bool stress;               // deoptimises wherever it tests for deopt_pending
};

// Why there is no plan.
typedef struct PlanBailout {
    int bailout;       // vm/api/bailouts.def
    char detail[256];  // may be empty
} PlanBailout;

// Makes the plan from the present facts. NULL with *why, which is zeroed before.
Plan *plan_make(const CompileTask *task, const CompilerOptions *options, PlanBailout *why);
void plan_free(Plan *plan);

// What becomes part of the caller for a target, by number: 0 is the first one.
static inline Plan *plan_inlined(const PlanSite *ps, uint32_t which) {
    return which == 0 ? ps->inlined : which <= ps->more_count ? ps->more[which - 1].inlined : NULL;
}
static inline bool plan_inlines(const PlanSite *ps) {
    for (uint32_t i = 0; i < PLAN_TARGETS; i++)
        if (plan_inlined(ps, i)) return true;
    return false;
}

// The method that a call names, before one is selected by the receiver: of a MemberName that of it.
static inline Method *plan_resolved(const PlanSite *ps) { return ps->member ? ps->member : ps->site.method; }

// The facts at a bytecode index, or NULL.
const PlanSite *plan_site(const Plan *plan, uint32_t bci);

// Text form: one line a method and site, with stable names. Reading it back gives an equal plan, or NULL with
// *bailout BAILOUT_facts_changed (a name that is not there yet: later) or irregular_code.
void plan_print(const Plan *plan, FILE *out);

#endif
