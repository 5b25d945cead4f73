// Records plans, and compiles by recorded plans: -Xreplay:record=FILE and -Xreplay:FILE, which may be given together.
// docs/FORMATS.md, "Plans", describes the files.
//
// With -Xreplay:FILE every plan comes from the file (jit/driver.c ensures that): the same sites and the same inlining,
// whatever the program has found out meanwhile. So the objects have the recorded hashes, unless something outside the
// plan differs: LLVM, its optimisation level, the processor, or whether a profile is on.
//
// Any thread. One mutex. It is held while a record is written, and while a plan is built from one, which may wait for
// the end of a collection (compiler_epoch).
#ifndef CABERNET_JIT_REPLAY_REPLAY_H
#define CABERNET_JIT_REPLAY_REPLAY_H

#include "jit/plan/plan.h"

// Opens the files that the options name and reads the one to replay. False with *error (static).
bool replay_start(const CompilerOptions *options, const char **error);
// Completes the record.
void replay_finish(void);

// Whether -Xreplay:FILE is in effect.
bool replay_active(void);
// CompilerInterface.replay_ready.
int replay_ready(Method *m, uint32_t hotness, CompileTask *task);
// CompilerInterface.replay_next and replay_methods.
bool replay_next(uint32_t *at, CompileTask *task);
void replay_methods(void (*fn)(void *arg, const char *method), void *arg);
// CompilerInterface.forget_dead.
void replay_forget_dead(bool (*dead)(const Method *m));
// The next recorded plan for the task; marks it as compiled. NULL as for plan_make.
Plan *replay_plan(const CompileTask *task, PlanBailout *why);

// Records a plan that has been compiled, if recording is on.
void replay_compiled(const Plan *plan, const CompileTask *task, const Code *code);

#endif
