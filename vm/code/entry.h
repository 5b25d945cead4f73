// Transitions between compiled code, the interpreter and the VM's functions. The calling convention is in
// vm/api/compiler.h; the stubs are in vm/code/stubs.S.
#ifndef CABERNET_VM_CODE_ENTRY_H
#define CABERNET_VM_CODE_ENTRY_H

#include "arch_entry.h"
#include "vm/api/compiler.h"

// Call compiled code and return its raw result: the first for functions that return an integer or an address, the
// second for those that return a float or double.
uint64_t compiled_call(void *entry, Method *m, Thread *self, ArchRegisters *r);
uint64_t compiled_call_float(void *entry, Method *m, Thread *self, ArchRegisters *r);

// Method.entry of every method that is not compiled: a swiftcc function of any signature.
void compiled_to_interpreter(void);

// Called at each deoptimisation point of optimised code (vm/api/compiler.h).
void compiled_exit(void);
// Called by that stub: continues in the interpreter with the values that the point's table finds in the registers,
// and clears the registers. Returns the method's raw result; an exception may be pending afterwards. [switch]
int64_t deopt_exit(Thread *self, ArchExit *registers);

// Target of a marked return (vm/code/deopt.c). It preserves all registers.
void compiled_marked_return(void);
// Called by that stub: returns the address at which control continues, in code that has been invalidated.
char *deopt_marked_return(void);

// Runs m's compiled code on the arguments at `args`; the result replaces them. self->frame is the FRAME_COMPILED made
// for the call. `tags`: CALL_TAGS (vm/api/compiler.h). An exception may be pending afterwards. [switch]
void entry_call(Thread *self, Method *m, uintptr_t tags, Slot *args);

// On-stack replacement: continues in `code` with the locals of an interpreter frame that has become a FRAME_COMPILED,
// and clears them. Returns the method's raw result. If the frame is a FRAME_INTERP again, execution continues in the
// frames at self->frame instead, and an exception may be pending there. [switch]
Slot entry_replace(Thread *self, const Code *code, Slot *locals, Object *monitor);

#endif
