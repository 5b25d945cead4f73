// Hooks by which compiled code reports to the policy that decides what is compiled (vm/adaptive/tiering.h).
// vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_CODE_HOOKS_H
#define CABERNET_VM_CODE_HOOKS_H

#include "vm/api/compiler.h"

typedef struct CodeHooks {
    bool (*hot_method)(Thread *self, Method *m);
    int32_t (*outer_backedges)(void);  // for Method.outer_backedges
    void (*deoptimized)(Thread *self, Code *code, const DeoptPoint *point);
    // Samples of optimised code (vm/adaptive/codesampling.h).
    bool (*begin_sample)(Thread *self);
    void (*left_for_sample)(Thread *self, const Code *code, Frame *top, const Frame *entry);
    // The template code that continues an interpreter's frame after its invocation at pc (vm/template/template.h).
    // NULL: the interpreter continues it.
    const void *(*template_return_at)(const Method *m, const Insn *pc);
    // Compiled code has called the method, which has no compiled code: a shorter path may exist
    // (vm/template/template.h).
    void (*called_by_code)(Method *m);
} CodeHooks;

extern const CodeHooks code_hooks;

// Actions of a mode for finding bugs, at points where compiled code may stop or be left.
typedef struct CodeStress {
    void (*polled)(Thread *self);  // a yieldpoint was reached; the thread has not yet stopped for it. [switch]
    bool (*deopt)(void);           // whether to leave code at a point where that is possible; NULL: no change
} CodeStress;

// NULL: there is no such mode. Constant from before compiled code runs.
const CodeStress *code_stress(void);

#endif
