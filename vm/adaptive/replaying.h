// -Xreplay:FILE: when its plans are compiled (-Xreplay:when=). The file decides what is compiled and how
// (jit/replay/replay.h).
#ifndef CABERNET_VM_ADAPTIVE_REPLAYING_H
#define CABERNET_VM_ADAPTIVE_REPLAYING_H

#include "vm/api/compiler.h"

// Whether there is a file, and whether nothing is compiled yet because the point has not been reached.
bool replaying_is_on(void);
bool replaying_waits(void);

// Called at the end of the process: reports a point that was never reached.
void replaying_end(void);

// The method's next plan whose facts hold now. 0: none, and none will follow; 1: *task; 2: later.
int replaying_ready(Method *m, CompileTask *task);

// Called at the first call of a method; args are on the Java stack. True: this is the point (main, for precompile),
// and the caller compiles all that CompilerInterface.replay_next returns. May load and link classes. [switch]
bool replaying_first_call(Thread *self, Method *m, Slot *args);
// Called when a method was counted; `called`: for an invocation. True: this is the point (warmup).
bool replaying_counted(Method *m, bool called);

#endif
