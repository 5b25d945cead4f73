// The borders of compiled code: from the interpreter into it, from it into the interpreter, and from it
// into the VM's functions. The calling convention is in vm/api/compiler.h; the stubs are in
// entry_x86_64.S.
#ifndef CABERNET_VM_COMPILED_ENTRY_H
#define CABERNET_VM_COMPILED_ENTRY_H

#include "vm/api/compiler.h"

// Offsets that the stubs know; entry.c checks them.
#define ENTRY_THREAD_FRAME 8
#define ENTRY_FRAME_FP 16
#define ENTRY_FRAME_RETURN 56

// Registers and stack of a call, as the stubs load and store them.
enum { ENTRY_INTS = 6, ENTRY_FLOATS = 8 };
typedef struct EntryRegisters {
    uint64_t ints[ENTRY_INTS];      // rdi rsi rdx rcx r8 r9
    uint64_t floats[ENTRY_FLOATS];  // xmm0-7, raw bits
    uint64_t stack_count;
    const uint64_t *stack;
} EntryRegisters;

// Calls compiled code. The raw result: of a float or double from xmm0, otherwise from rax.
uint64_t compiled_call(void *entry, Method *m, Thread *self, const EntryRegisters *r);
uint64_t compiled_call_float(void *entry, Method *m, Thread *self, const EntryRegisters *r);

// Method.entry of every method that is not compiled: a swiftcc function of any signature.
void compiled_to_interpreter(void);

// Runs m's compiled code on the arguments at `args`; the result replaces them. self->frame is the
// FRAME_COMPILED made for the call. An exception may be pending afterwards. [switch]
void entry_call(Thread *self, Method *m, Slot *args);

// On-stack replacement: goes on in `code` with the locals of an interpreter frame that has become a
// FRAME_COMPILED, and clears them. The raw result of the method; or the frame is a FRAME_INTERP again, those that
// go on are at self->frame, and an exception may be pending there. [switch]
Slot entry_replace(Thread *self, const Code *code, Slot *locals, Object *monitor);

#endif
