// The template tier: machine code for methods that are warm, made in one pass over their decoded instructions, at once,
// by the thread that needs it.
//
// Template code works on the interpreter's frames. Control passes between the two at any instruction: whatever is rare
// leaves the code before the instruction, which the interpreter then executes. So stack walks, exceptions, roots of
// collections and deoptimisation know nothing of template code; all that a frame says of it is Frame.resume.
//
// Java calls do not nest on the C stack: template code jumps to Method.template_entry, which every method has, with the
// arguments on the Java stack, and a return jumps to the caller's Frame.resume. Code makes no assumption that loading a
// class could break, and is never patched: a method that had to leave its code often, for what was not resolved when it
// was made, is translated again.
//
// Code of a method is in use while a frame of the method is on any stack. What has been replaced is released at a
// collection, when no such frame is left, and with the method's class.
#ifndef CABERNET_VM_TEMPLATE_H
#define CABERNET_VM_TEMPLATE_H

#include <stdio.h>

#include "vm/interp/hooks.h"
#include "vm/interp/interp.h"

// Where code of a method begins that can be entered with all operands at home: at a basic block, or behind a call.
typedef struct TemplatePlace {
    uint32_t word;    // of the block's first instruction, or of the call
    uint32_t offset;  // into the code
} TemplatePlace;

typedef struct Template {
    const char *start;        // of the code, which is also the entry of a call
    size_t size;
    uint32_t begin;           // offset behind the looks of the prologue
    void *block;              // what code memory gave
    struct Template *next;    // all, or all that are replaced
    Method *method;
    uint32_t id;
    uint32_t exits;           // how often it was left for the interpreter
    uint8_t translations;     // of this method so far
    bool for_plan;            // counts for a plan of the optimising tier
    bool busy;                // while the replaced ones are looked through: a frame of the method was found
    uint32_t block_count, return_count;
    TemplatePlace places[];   // blocks, then returns, each by word
} Template;

// Before the first method is linked: makes the stubs. False when the system has no memory for code; the tier is off then.
bool template_init(size_t code_memory);
// Whether there is a template tier.
bool template_enabled(void);

// Makes template code for a decoded method, if there is none that will do: at `for_plan` code that counts for a plan of the
// optimising tier. True when the method has some that the thread may run. Takes the tier's lock; neither blocks for long,
// allocates in the heap nor throws. Running thread.
bool template_compile(Thread *self, Method *m, bool for_plan);

// Method.template_entry of a method as it is now linked, compiled and translated. Any thread; a short lock.
void template_update_entry(Method *m);

// The members of InterpHooks that are about template code (vm/interp/hooks.h).
TemplateExitKind template_enter(Thread *self, Frame *frame, const void *target, TemplateState *state);
const void *template_begin(const Method *m, bool looked);
const void *template_entry_at(const Method *m, const Insn *pc);
const void *template_return_at(const Method *m, const Insn *pc);
void template_left(const Frame *frame);

// World stopped: the profile changes, and all template code is for its former state. No thread goes on in it: frames
// continue in the interpreter, whatever they were called by.
void template_leave_all_stopped(Thread *self);
// World stopped, at a collection: releases code that was replaced and that no frame can return to.
void template_sweep_stopped(void);
// World stopped: the method's class is about to be unloaded, and its code goes.
void template_forget_method(Method *m);

// Around a fork, in the parent and in the child, the world stopped. A child neither makes template code nor runs it: its memory is
// the parent's.
void template_before_fork(void);
void template_after_fork_parent(void);
void template_after_fork_child(void);

typedef struct TemplateStats {
    uint32_t methods, translations, failed;
    uint64_t instructions, code_bytes, metadata_bytes, ns, exits;
} TemplateStats;
TemplateStats template_stats(void);
// One line for each code there is.
void template_print_list(FILE *out);

#endif
