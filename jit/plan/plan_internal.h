// For what makes plans, in this room and in jit/replay. jit/analysis/code_versions.c takes its memory from here too.
#ifndef CABERNET_JIT_PLAN_PLAN_INTERNAL_H
#define CABERNET_JIT_PLAN_PLAN_INTERNAL_H

#include "jit/plan/plan.h"

// Sets *why; detail NULL: none.
void plan_bail_out(PlanBailout *why, int bailout, const char *detail);

// A plan node without sites; NULL with *why. plan_root makes the root of a task, and also checks on-stack replacement.
Plan *plan_new(Method *m, Plan *parent, uint32_t parent_bci, PlanBailout *why);
Plan *plan_root(const CompileTask *task, PlanBailout *why);

// Collects the current facts of all instructions into plan->sites, which must be empty.
void plan_collect_sites(Plan *plan);

// Makes the decisions that constants (PlanSite.found) and class hierarchies allow: call, target, member, instance. Adds
// to the root's dependencies.
void plan_bind_call(Plan *root, PlanSite *ps);

// Hash of a method's bytecode and its handlers' ranges. A different hash means another version of the method. The
// method must have bytecode.
uint32_t plan_bytes_hash(const Method *m);

// Whether `target` can be in vtables in the place of `m`.
bool plan_is_override(const Method *target, const Method *m);

// Both end the process with a message when memory runs out.
void *plan_alloc(size_t bytes);  // zeroed
void *plan_grow(void *array, uint32_t *room, uint32_t count, size_t element);

#endif
