// Recording plans and compiling by recorded ones: -Xreplay:record=FILE and -Xreplay:FILE, which may be given
// together. The files are described in docs/FORMATS.md, "Plans".
//
// With -Xreplay:FILE every plan is one of the file's (plan_make sees to that): the same sites, the same
// inlining, whatever the program has found out meanwhile. So the objects have the hashes on record,
// unless what is not in a plan differs: LLVM, its level, the processor, whether a profile is on.
//
// Any thread. One mutex, held over nothing that blocks.
#ifndef CABERNET_JIT_REPLAY_H
#define CABERNET_JIT_REPLAY_H

#include "jit/plan/plan.h"

// Opens the files that the options name and reads the one to be replayed. False with *error (static).
bool replay_start(const CompilerOptions *options, const char **error);
// The record is complete behind this.
void replay_finish(void);

// Whether -Xreplay:FILE is in force.
bool replay_active(void);
// CompilerInterface.replay_ready.
int replay_ready(Method *m, uint32_t hotness, CompileTask *task);
// CompilerInterface.replay_next and replay_methods.
bool replay_next(uint32_t *at, CompileTask *task);
void replay_methods(void (*fn)(void *arg, const char *method), void *arg);
// CompilerInterface.forget_dead.
void replay_forget_dead(bool (*dead)(const Method *m));
// The next plan on record for the request; from now on it counts as compiled. NULL as plan_make.
Plan *replay_plan(const CompileTask *task, PlanBailout *why);

// A plan has been compiled: on record now, if that is asked for.
void replay_compiled(const Plan *plan, const CompileTask *task, const Code *code);

#endif
