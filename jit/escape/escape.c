// See jit/escape/escape.h. One round (the files behind each step: simplify and rounds here, escape_index.c, escape_groups.c and escape_fold.c,
// escape_uses.c and escape_states.c, escape_decide.c, escape_transform.c and escape_make.c):
//
// 1. LLVM promotes locals to SSA form and splits critical edges (simplify).
// 2. Index: the blocks that can be reached and how often they run, instructions by position.
// 3. Groups: an allocation, or several of one class and the phis in which they meet; an object that comes into such a phi
//    has no other name behind it. What depends on the class alone is folded, virtual or not.
// 4. For each member of a group, where it is virtual (and how often locked) and where it is real: forward over the blocks
//    in which it is alive. So each way makes it once at most.
// 5. A group whose objects are made clearly less often than they are allocated vanishes: the fields of each member are
//    allocas from then on, which LLVM promotes, and so is its address (null: never made). Phis copy them.
// 6. A group that cannot vanish as a whole falls apart: phis that stand in the way leave it, and what comes into them is made on
//    the edge, as where an object meets one that was never virtual.
//
// The first rounds take what hardly ever is made, whole groups before parts, and the last ones what is made less often: for an object that is
// made where it is stored into another one could not be a value of that one's any more.
//
// An object that is stored into a field of one that vanishes becomes a value of its own by that: the next round sees it.
#include "jit/escape/escape.h"

#include <stdlib.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "jit/backend/backend.h"
#include "jit/backend/backend_link.h"
#include "jit/escape/escape_core.h"

enum { ROUNDS = 8 };

static bool simplify(Escape *x) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetVerifyEach(options, x->unit->options->verify);
    LLVMErrorRef error = LLVMRunPasses(x->unit->module, "function(sroa,early-cse,simplifycfg<no-speculate-blocks>,break-crit-edges)",
                                       x->unit->target, options);
    LLVMDisposePassBuilderOptions(options);
    return backend_take_error(x->unit, error);
}

static void note_outcomes(const Escape *x) {
    for (uint32_t i = 0; i < x->group_count; i++)
        for (uint32_t k = 0; k < x->groups[i].member_count; k++) {
            const Group *g = &x->groups[i];
            if (g->members[k].is_phi) continue;
            x->unit->allocations[escape_number(g->members[k].value)].outcome =
                g->refused ? g->refused : g->vanishes ? (x->stage == STAGE_OFTEN ? "is made less often" : "vanishes") : "is deferred";
        }
}

// How many vanished.
static uint32_t run_round(Escape *x) {
    uint32_t before = x->unit->vanished;
    escape_find_groups(x);
    if (escape_fold_classes(x)) escape_find_groups(x);
    escape_find_frequencies(x);
    for (uint32_t i = 0; i < x->group_count; i++) escape_decide(x, i);
    for (uint32_t i = 0; i < x->group_count; i++) escape_defer(x, &x->groups[i]);
    note_outcomes(x);
    for (uint32_t i = 0; i < x->group_count; i++)
        if (x->groups[i].vanishes) escape_transform(x, &x->groups[i]);
    return x->unit->vanished - before;
}

static void begin(Escape *x, Unit *unit) {
    LLVMContextRef c = unit->context;
    *x = (Escape){.unit = unit, .builder = LLVMCreateBuilderInContext(c)};
    x->i1 = LLVMInt1TypeInContext(c);
    x->i8 = LLVMInt8TypeInContext(c);
    x->i16 = LLVMInt16TypeInContext(c);
    x->i32 = LLVMInt32TypeInContext(c);
    x->i64 = LLVMInt64TypeInContext(c);
    x->f32 = LLVMFloatTypeInContext(c);
    x->f64 = LLVMDoubleTypeInContext(c);
    x->ptr = LLVMPointerTypeInContext(c, 0);
    escape_find_ops(x);
    x->prof_kind = LLVMGetMDKindIDInContext(c, "prof", 4);
    x->tbaa_kind = LLVMGetMDKindIDInContext(c, "tbaa", 4);
}

static void end(Escape *x) {
    escape_forget_index(x);
    free(x->blocks);
    free(x->successors);
    free(x->places);
    free(x->groups);
    LLVMDisposeBuilder(x->builder);
}


bool escape_analyze(Unit *unit) {
    if (!unit->has_escape_ops) return true;
    Escape x;
    begin(&x, unit);
    bool fine = true;
    if (unit->allocation_count) {
        x.function = LLVMGetNamedFunction(unit->module, UNIT_FUNCTION);
        x.thread = LLVMGetParam(x.function, LLVMCountParams(x.function) - 1);
        fine = simplify(&x);
        for (uint32_t left = ROUNDS; fine && left > 0 && x.stage < STAGES; left--) {
            if (run_round(&x)) fine = simplify(&x);
            else x.stage++;
        }
    }
    if (fine) escape_all_real(&x);
    end(&x);
    return fine;
}
