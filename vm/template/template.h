// The template tier: machine code for warm methods. The thread that needs it makes it at once, in one pass over the
// decoded instructions.
//
// Template code works on the interpreter's frames. A rare case leaves the code before its instruction, and the
// interpreter executes the instruction. Therefore stack walks, exceptions, roots of collections and deoptimisation know
// nothing of template code: Frame.resume is all that a frame says of it.
//
// Java calls do not nest on the C stack. Template code puts the arguments on the Java stack and jumps to
// Method.template_entry, which every method has. A return jumps to the caller's Frame.resume. Template code relies on
// nothing that loading a class could change, and it is never patched. A method that often leaves its code at
// instructions that were unresolved at translation is translated again.
//
// Code of a method is in use while a frame of the method is on any stack. A collection releases replaced code once no
// such frame is left. Unloading the method's class releases all of its code.
#ifndef CABERNET_VM_TEMPLATE_TEMPLATE_H
#define CABERNET_VM_TEMPLATE_TEMPLATE_H

#include <stdio.h>

#include "vm/interp/hooks.h"
#include "vm/interp/interp.h"

// What the code counts (vm/api/methodcounts.h). Code is replaced by code that counts later ones of these.
typedef enum TemplateCounting {
    COUNTS_NONE,
    COUNTS_WINDOW,   // for the plan of the method's first optimised code
    COUNTS_SAMPLES,  // MethodCounts.recent, in samples of optimised code
} TemplateCounting;

// An entry point, at which all operands are at home: a basic block, or the return of a call.
typedef struct TemplatePlace {
    uint32_t word;    // of the block's first instruction, or of the call
    uint32_t offset;  // into the code
} TemplatePlace;

typedef struct Template {
    const char *start;  // of the code, which is also the entry of a call
    size_t size;
    uint32_t begin;         // offset after the checks of the prologue
    void *block;            // the block of code memory, in its writable view
    struct Template *next;  // in the list of replaced code
    Method *method;
    uint32_t id;
    uint32_t exits;        // number of exits at unresolved instructions
    uint8_t translations;  // number of translations of this method
    TemplateCounting counting;
    bool busy;  // in a sweep: a frame of the method was found
    uint32_t block_count, return_count;
    uint32_t position_bytes;   // of `positions`
    const uint8_t *positions;  // the instructions of the code (template_pc_at)
    TemplatePlace places[];    // blocks, then returns, each by word
} Template;

// Makes the stubs, before the first method is linked. False when the system has no memory for code: the tier is off
// then.
bool template_init(size_t code_memory);

// Makes template code for a decoded method unless it has suitable code. True when the method has code that the thread
// may run. Takes the tier's lock; does not block for long, allocate in the heap or throw. Running thread.
bool template_compile(Thread *self, Method *m, TemplateCounting counting);

// Sets Method.template_entry from the method's present state: linked, compiled, translated. Any thread; takes the
// tier's lock.
void template_update_entry(Method *m);

// Compiled code has called the method through the stub that starts the interpreter. If an adapter can serve such calls
// (vm/template/adapters.h), they go there from now on. Any thread; takes the tier's lock.
void template_called_by_code(Method *m);

// The members of InterpHooks that are about template code (vm/interp/hooks.h).
TemplateExitKind template_enter(Thread *self, Frame *frame, const void *target, TemplateState *state);
const void *template_begin(const Method *m, bool after_checks);
const void *template_entry_at(const Method *m, const Insn *pc);
const void *template_return_at(const Method *m, const Insn *pc);
void template_left(const Frame *frame);
void *template_sampled_return(unsigned slots);

// The instruction of the method whose code contains `pc`, an address in the code. NULL: the code before the first one.
// Async-signal-safe.
const Insn *template_pc_at(const Template *t, const char *pc);

// World stopped, when the profile changes: discards all template code, which was made for the profile's former state.
// All frames continue in the interpreter.
void template_leave_all_stopped(Thread *self);
// World stopped, at a collection: releases replaced code that no frame can return to.
void template_sweep_stopped(void);
// World stopped, before the method's class is unloaded: releases the method's code.
void template_forget_method(Method *m);

// Around a fork, in the parent and in the child, the world stopped. A child neither makes nor runs template code,
// because it shares code memory with the parent.
void template_before_fork(void);
void template_after_fork_parent(void);
void template_after_fork_child(void);

typedef struct TemplateStats {
    uint32_t methods, translations, failed;
    uint64_t instructions, code_bytes, metadata_bytes, ns, exits;
} TemplateStats;
TemplateStats template_stats(void);
// Prints one line for each method with template code.
void template_print_list(FILE *out);

#endif
