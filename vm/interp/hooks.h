// Callbacks of the interpreter into compiled code, template code and vm/adaptive, which it does not include.
// vm/boot/hooks.c fills the table, which is constant. Without a compiler everything still runs.
#ifndef CABERNET_VM_INTERP_HOOKS_H
#define CABERNET_VM_INTERP_HOOKS_H

#include "vm/api/compiler.h"
#include "vm/model/frame.h"

// The kinds of exits from template code (vm/template/template.h). TemplateState.frame is always the topmost frame.
typedef enum TemplateExitKind {
    TEMPLATE_CONTINUES,      // the interpreter continues in the frame, at its pc and with its operand stack
    TEMPLATE_RESOLVES,       // the same, at an instruction that was unresolved at translation
    TEMPLATE_INVOKES,        // the interpreter executes one invocation, whose return resumes template code
    TEMPLATE_RESOLVES_CALL,  // the same, for an invocation that was unresolved at translation
    TEMPLATE_LOOPS,          // at a loop header: the method's hotness has reached its next step
    TEMPLATE_POLLS,          // at a loop header: a stop is requested
    TEMPLATE_CHECKS,         // at a loop header: the sampling check of its backedge has used up the budget
    TEMPLATE_CALLS,          // the interpreter calls `callee`, with arguments at `args`
    TEMPLATE_CALLS_HOT,      // the same: the hotness of `callee` has reached its next step
    TEMPLATE_CALLS_POLLED,   // the same: a stop is requested
    TEMPLATE_CALLS_SAMPLED,  // the same: `callee` has optimised code, which is being sampled
    TEMPLATE_CALLS_CHECKED,  // the same: the sampling check at the entry of `callee` has used up the budget
    TEMPLATE_RETURNS,        // returns to the frame, which has no `resume`: `slots` slots of `result` go to `args`
    TEMPLATE_THROWS,         // throws the pending exception in the frame
    TEMPLATE_EXITS
} TemplateExitKind;

typedef struct TemplateState {
    Frame *frame;
    Slot *args;
    Method *callee;
    uint64_t result;
    uint32_t slots;
    TemplateExitKind exit;  // interp_continue
    const void *left;       // the address in the stubs that an exit leads to (vm/template/stubs.c)
} TemplateState;

typedef struct InterpHooks {
    // vm/code/entry.h
    void (*entered_from_code)(void);  // Method.entry of interpreted methods
    void (*call_code)(Thread *self, Method *m, uintptr_t tags, Slot *args);
    Slot (*replace_frame)(Thread *self, const Code *code, Slot *locals, Object *monitor);
    // vm/adaptive/tiering.h
    void (*first_call)(Thread *self, Method *m, Slot *args);
    bool (*hot_method)(Thread *self, Method *m);
    const Code *(*hot_loop)(Thread *self, Method *m, int32_t bci, bool left);
    // vm/adaptive/codesampling.h
    bool (*sample_call)(Thread *self, Method *m);
    // vm/template/template.h. Runs template code from `target` on, in `frame`. It reads state->args and state->callee
    // if `target` begins a method, and state->result if it is the return of a call. Requires that the thread's dispatch
    // table is the one for which template code was made (interp_template_mode).
    TemplateExitKind (*enter_template)(Thread *self, Frame *frame, const void *target, TemplateState *state);
    // The entry of a method's template code, or the point after its checks of hotness and for a stop. The method must
    // have template code.
    const void *(*template_begin)(const Method *m, bool after_checks);
    // The entry points of a method's template code at the basic block at pc, and at the return of the invocation at pc.
    // NULL: there is none.
    const void *(*template_at)(const Method *m, const Insn *pc);
    // Counts an exit at an unresolved instruction, which may translate the method again.
    void (*left_template)(const Frame *frame);
    // A value for Frame.resume of a frame in a sample. It makes the interpreter resume the frame, with `slots` slots of
    // result, when the frame's callee returns.
    void *(*sampled_return)(unsigned slots);
    // Called when the method's first instruction word has changed.
    void (*update_template_entry)(Method *m);
} InterpHooks;

extern const InterpHooks interp_hooks;

#endif
