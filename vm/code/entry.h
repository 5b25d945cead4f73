// The borders of compiled code: from the interpreter into it, from it into the interpreter, and from it
// into the VM's functions. The calling convention is in vm/api/compiler.h; the stubs are in
// vm/code/stubs.S.
#ifndef CABERNET_VM_COMPILED_ENTRY_H
#define CABERNET_VM_COMPILED_ENTRY_H

#include "arch_entry.h"
#include "vm/api/compiler.h"

// Calls compiled code. The raw result of a function that returns an integer or an address, and of one that
// returns a float or double.
uint64_t compiled_call(void *entry, Method *m, Thread *self, ArchRegisters *r);
uint64_t compiled_call_float(void *entry, Method *m, Thread *self, ArchRegisters *r);

// Method.entry of every method that is not compiled: a swiftcc function of any signature.
void compiled_to_interpreter(void);

// What an exit of optimised code calls (vm/api/compiler.h).
void compiled_exit(void);
// What the stub calls: continues in the interpreter with what the exit's table finds in the registers, which it clears. The method's
// raw result; an exception may be pending afterwards. [switch]
int64_t deopt_exit(Thread *self, ArchExit *registers);

// Where a marked return leads (vm/code/deopt.c). It keeps all registers.
void compiled_marked_return(void);
// What the stub calls: the address that control goes on at, in code that has been invalidated.
char *deopt_marked_return(void);

// Runs m's compiled code on the arguments at `args`; the result replaces them. self->frame is the
// FRAME_COMPILED made for the call. `tags`: CALL_TAGS (vm/api/compiler.h). An exception may be pending afterwards. [switch]
void entry_call(Thread *self, Method *m, uintptr_t tags, Slot *args);

// On-stack replacement: goes on in `code` with the locals of an interpreter frame that has become a
// FRAME_COMPILED, and clears them. The raw result of the method; or the frame is a FRAME_INTERP again, those that
// go on are at self->frame, and an exception may be pending there. [switch]
Slot entry_replace(Thread *self, const Code *code, Slot *locals, Object *monitor);

#endif
