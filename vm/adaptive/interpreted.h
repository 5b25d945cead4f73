// The hot methods that stayed in the interpreter, with the reasons: part of the output of -Xjit:stats=FILE.
#ifndef CABERNET_VM_ADAPTIVE_INTERPRETED_H
#define CABERNET_VM_ADAPTIVE_INTERPRETED_H

#include <stdio.h>

#include "vm/api/compiler.h"

// Notes that a task failed, for a reason of vm/api/bailouts.def. Does nothing without -Xjit:stats. Any thread; takes
// its own lock.
void interpreted_note(const CompileTask *task, int bailout);

// Writes a line for each of the hottest methods that were hot enough for the optimising tier and have no code of any
// tier, or have a loop at which code cannot be entered, hottest first: "interpreted COUNT METHOD: WHY". COUNT is the
// method's invocations and backedges. Called at the end of the process.
void interpreted_write(FILE *out);

#endif
