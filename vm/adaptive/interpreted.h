// What was hot and stayed in the interpreter, and why: part of what -Xjit:stats=FILE says.
#ifndef CABERNET_VM_ADAPTIVE_INTERPRETED_H
#define CABERNET_VM_ADAPTIVE_INTERPRETED_H

#include <stdio.h>

#include "vm/api/compiler.h"

// Nothing came of a task, for a reason of vm/api/bailouts.def. Does nothing without -Xjit:stats. Any thread; takes a lock of its own.
void interpreted_note(const CompileTask *task, int bailout);

// A line for each of the hottest methods that were hot enough for the optimising tier and have no code of any tier, or have a loop that code cannot be
// entered at, hottest first: "interpreted COUNT METHOD: WHY". COUNT is the method's invocations and backedges. At the end of the process.
void interpreted_write(FILE *out);

#endif
