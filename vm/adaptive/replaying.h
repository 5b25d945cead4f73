// -Xreplay:FILE: when its plans are compiled (-Xreplay:when=). The file decides what is compiled and how (jit/plan/replay.h).
#ifndef CABERNET_VM_REPLAYING_H
#define CABERNET_VM_REPLAYING_H

#include "vm/api/compiler.h"

// Whether there is a file, and whether nothing is compiled yet because its point has not come.
bool replaying_is_on(void);
bool replaying_waits(void);

// At the end of the process: says so if the point has never come.
void replaying_end(void);

// The next plan of the method that holds now: 0: there is none and will be none, 1: *task, 2: later.
int replaying_ready(Method *m, CompileTask *task);

// A method is called for the first time; args: on the Java stack. True: this is the point (main, for precompile): what follows is to
// compile all that replaying_next gives. May load and link classes. [switch]
bool replaying_first_call(Thread *self, Method *m, Slot *args);
// A method was counted; `called`: by a call of it. True: this is the point (warmup).
bool replaying_counted(Method *m, bool called);
bool replaying_next(uint32_t *at, CompileTask *task);

#endif
