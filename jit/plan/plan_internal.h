// What plan.c, its text form and replay share. Private to them.
#ifndef CABERNET_JIT_PLAN_INTERNAL_H
#define CABERNET_JIT_PLAN_INTERNAL_H

#include "jit/plan/plan.h"

// Sets it; detail NULL: none.
void plan_bail_out(PlanBailout *why, int bailout, const char *detail);

// A plan node without sites; NULL with *why. The root of a request: checked for on-stack replacement, too.
Plan *plan_new(Method *m, Plan *parent, uint32_t parent_bci, PlanBailout *why);
Plan *plan_root(const CompileTask *task, PlanBailout *why);

// Into plan->sites, the facts of all instructions as they are now. None has been collected before.
void plan_collect_sites(Plan *plan);

// Decides what constants allow (PlanSite.found) and class hierarchies: call, target, member, instance. Adds to the root's
// dependencies.
void plan_bind_call(Plan *root, PlanSite *ps);

// The method that a call site runs for certain, or behind its guard; NULL: not known.
Method *plan_callee(const PlanSite *ps);

// Of a method's bytecode and the ranges of its handlers: another one is another version of the method. It has bytecode.
uint32_t plan_bytes_hash(const Method *m);

// Can `target` stand in vtables where `m` does?
bool plan_is_override(const Method *target, const Method *m);

// Both end the process with a message when memory is out.
void *plan_alloc(size_t bytes);  // zeroed
void *plan_grow(void *array, uint32_t *room, uint32_t count, size_t element);

#endif
