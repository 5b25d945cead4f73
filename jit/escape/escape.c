// See jit/escape/escape.h. The steps of one round:
//
// 1. LLVM promotes locals to SSA form and splits critical edges (simplify).
// 2. Index the reachable blocks with their frequencies, and the instructions by position (escape_index.c).
// 3. Find the groups (escape_groups.c). A group is an allocation, or several of one class and the phis in which they
//    meet. After such a phi an incoming object has no other name. Tests and loads that depend on the class alone are
//    folded, for virtual and real objects (escape_fold.c).
// 4. For each member of a group, find where it is virtual (and how often locked) and where it is real (escape_uses.c,
//    escape_states.c). This is a forward analysis over the blocks in which the member is live, so each path
//    materialises it at most once.
// 5. Decide which groups vanish (escape_decide.c): those whose objects are materialised clearly less often than they
//    are allocated. The fields of each member become allocas, which LLVM promotes; so does its address (null: not
//    materialised). Phis copy them (escape_transform.c, escape_make.c).
// 6. A group that cannot vanish as a whole is split. Phis that prevent it leave the group, and their incoming objects
//    are materialised on the edge, as where an object meets one that was never virtual.
//
// The first rounds remove groups that are hardly ever materialised, whole groups before parts. The last rounds remove
// those that are materialised less often than allocated. They come last because an object that is materialised where it
// is stored into another one could no longer be a value of that one's field.
//
// An object that is stored into a field of a vanishing object becomes a separate value, which the next round sees.
#include "jit/escape/escape.h"

#include <stdlib.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "jit/backend/backend.h"
#include "jit/escape/escape_core.h"

enum { ROUNDS = 8 };

#define SIMPLIFY "function(sroa,early-cse,simplifycfg<no-speculate-blocks>,break-crit-edges)"

static void note_outcomes(const Escape *x) {
    for (uint32_t i = 0; i < x->group_count; i++)
        for (uint32_t k = 0; k < x->groups[i].member_count; k++) {
            const Group *g = &x->groups[i];
            if (g->members[k].is_phi) continue;
            const char *vanishes = x->stage == STAGE_OFTEN ? "is made less often" : "vanishes";
            x->unit->allocations[escape_number(g->members[k].value)].outcome = g->refused ? g->refused
                : g->vanishes                                                             ? vanishes
                                                                                          : "is deferred";
        }
}

// Returns the number of allocations that vanished.
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

bool escape_analyze(Unit *unit) {
    if (!unit->has_escape_ops) return true;
    Escape x;
    begin(&x, unit);
    bool fine = true;
    if (unit->allocation_count) {
        x.function = LLVMGetNamedFunction(unit->module, UNIT_FUNCTION);
        x.thread = LLVMGetParam(x.function, LLVMCountParams(x.function) - 1);
        fine = backend_run_passes(unit, SIMPLIFY);
        for (uint32_t left = ROUNDS; fine && left > 0 && x.stage < STAGES; left--) {
            if (run_round(&x)) fine = backend_run_passes(unit, SIMPLIFY);
            else x.stage++;
        }
    }
    if (fine) escape_all_real(&x);
    escape_forget_index(&x);
    free(x.blocks);
    free(x.successors);
    free(x.places);
    free(x.groups);
    LLVMDisposeBuilder(x.builder);
    return fine;
}
