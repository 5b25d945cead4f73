// Where the interpreter meets compiled code and those who choose what is compiled: it knows neither. vm/boot/hooks.c
// fills the table; it is constant. Without a compiler everything still runs.
#ifndef CABERNET_VM_INTERP_HOOKS_H
#define CABERNET_VM_INTERP_HOOKS_H

#include "vm/api/compiler.h"
#include "vm/model/frame.h"

// How template code was left (vm/template/template.h). In all cases TemplateState.frame is the topmost frame now.
typedef enum TemplateExitKind {
    TEMPLATE_CONTINUES,    // the interpreter goes on in the frame, at its pc and with its operand stack
    TEMPLATE_RESOLVES,     // the same, at an instruction that was not resolved when the code was made
    TEMPLATE_INVOKES,      // the same for one invocation, behind which the frame resumes template code
    TEMPLATE_RESOLVES_CALL,  // both
    TEMPLATE_LOOPS,        // the same, at a loop header: the method has become hotter
    TEMPLATE_POLLS,        // the same, at a loop header: a stop is requested
    TEMPLATE_CALLS,        // `callee` is to be called, with arguments at `args`
    TEMPLATE_CALLS_HOT,    // the same; it has become hotter
    TEMPLATE_CALLS_POLLED, // the same; a stop is requested
    TEMPLATE_RETURNS,      // returns to the frame: `slots` of `result` go to `args`
    TEMPLATE_THROWS,       // the pending exception is thrown in the frame
    TEMPLATE_EXITS
} TemplateExitKind;

typedef struct TemplateState {
    Frame *frame;
    Slot *args;
    Method *callee;
    uint64_t result;
    uint32_t slots;
} TemplateState;

typedef struct InterpHooks {
    // vm/code/entry.h
    void (*entered_from_code)(void);  // Method.entry of what is interpreted
    void (*call_code)(Thread *self, Method *m, uintptr_t tags, Slot *args);
    Slot (*replace_frame)(Thread *self, const Code *code, Slot *locals, Object *monitor);
    // vm/adaptive/tiering.h
    void (*first_call)(Thread *self, Method *m, Slot *args);
    bool (*hot_method)(Thread *self, Method *m);
    const Code *(*hot_loop)(Thread *self, Method *m, int32_t bci);
    // vm/template/template.h. Runs template code from `target` on, in `frame`; state->args and state->callee are those of a
    // call, state->result what is returned to it. The thread runs with the plain table.
    TemplateExitKind (*enter_template)(Thread *self, Frame *frame, const void *target, TemplateState *state);
    // Where template code of a method that has some begins: with its call, or behind the looks for hotness and for a stop.
    const void *(*template_begin)(const Method *m, bool looked);
    // Where template code of the method begins that goes on at a basic block; behind the invocation at pc; NULL: nowhere.
    const void *(*template_at)(const Method *m, const Insn *pc);
    const void *(*template_return_at)(const Method *m, const Insn *pc);
    // Template code was left for the interpreter at the frame's pc.
    void (*left_template)(const Frame *frame);
    // The method's first word has changed.
    void (*update_template_entry)(Method *m);
} InterpHooks;

extern const InterpHooks interp_hooks;

#endif
