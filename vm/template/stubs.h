// Stubs that connect template code with the interpreter and the VM's functions, made once at the start.
#ifndef CABERNET_VM_TEMPLATE_STUBS_H
#define CABERNET_VM_TEMPLATE_STUBS_H

#include "arch_mark.h"
#include "vm/interp/hooks.h"
#include "vm/interp/interp.h"
#include "vm/interp/interp_probes.h"
#include "vm/template/operandstack.h"

// Functions of the VM that may block, collect or throw. Template code calls them through a stub that keeps its return
// address in Frame.resume and throws a pending exception. Arguments are in REG_CX and REG_8, the result is in REG_AX.
typedef enum SlowCall {
    SLOW_ALLOCATE,        // (Class *)
    SLOW_ALLOCATE_ARRAY,  // (Class *, length)
    SLOW_ALLOCATE_MULTI,  // (Class *, dimensions), whose lengths are the topmost operands
    SLOW_MONITOR_ENTER,   // (Object *)
    SLOW_MONITOR_EXIT,    // (Object *)
    SLOW_LOCK_METHOD,     // (Frame *), at the entry of a synchronized method; an exception is thrown in the caller
    SLOW_UNLOCK_METHOD,   // (Frame *)
    SLOW_SAFEPOINT,       // ()
    SLOW_REPORT,          // (TemplateReport): events of the instruction, in exact profiles
    SLOW_REPORT_OBJECT,   // (Object *) that the instruction has made
    SLOW_CALLS
} SlowCall;

// Which events are reported: those of a kind of place (PlaceKind, vm/interp/interp_probes.h), or one of these.
typedef enum TemplateReport {
    REPORT_ENTRY = PLACE_KINDS,  // the method begins
    REPORT_BEGIN,                // the same, and its entry is counted: the events of watched methods and arguments
    REPORT_INIT,                 // an invocation of Object.<init>
} TemplateReport;

// Kinds of methods by how template code calls them.
typedef enum StubKind {
    STUB_INTERPRET,  // the interpreter executes the method's first instruction
    STUB_LEAF,
    STUB_TRY,
    STUB_FRAME,  // intrinsics (vm/natives/intrinsics.h)
    STUB_NATIVE,
    STUB_COMPILED,
    STUB_BASIC,
    STUB_LINK,
    STUB_KINDS
} StubKind;

typedef struct TemplateStubs {
    TemplateExitKind (*enter)(Thread *self, Frame *frame, const void *target, TemplateState *state);
    const uint8_t *exits[TEMPLATE_EXITS];
    const uint8_t *return_exits[3];  // by slots of the result
    const uint8_t *slow[SLOW_CALLS];
    const uint8_t *kinds[TEMPLATE_MODES][STUB_KINDS][3];  // by slots of the result; none for TEMPLATES_NONE
    // For the adapters by which compiled code calls template code (adapters.c), which leave an EnteredFrame on the
    // stack: the return of the method, the same where the call edge may have to be taken back, and an exit to the
    // interpreter.
    const uint8_t *returns_to_code, *returns_counted, *leaves_to_interpreter;
} TemplateStubs;

// Lies on top of the stack while template code runs that compiled code has called, below the registers that a stub of
// compiled code saves (arch_frame.h). A collection skips the words between the two marks.
typedef struct EnteredFrame {
    TemplateState *state;  // on top of the stack in all template code
    ArchMark leaving;
    Frame *entry;  // the FRAME_ENTRY of the call
    TemplateState given;
    ArchMark entering;
    uint64_t marker;  // the lowest word of what the stub saves
} EnteredFrame;

// Whether calls are counted or reported, as in all exact profiles.
static inline bool stubs_count_calls(TemplateMode mode) {
    return mode == TEMPLATES_COUNTING || mode == TEMPLATES_REPORTING;
}

// Written before a call of compiled code in a sampled profile: where the budget would be used up, the interpreter
// checks and executes the sample. `base`: where the code that `a` writes will be executed.
void stubs_check_budget(Asm *a, const uint8_t *base, const TemplateStubs *stubs, TemplateMode mode);

// Writes the stubs into a buffer that will be executed at `base`, and stores their addresses there in *stubs. False
// when the buffer is too small.
bool stubs_make(Asm *a, const uint8_t *base, TemplateStubs *stubs);

#endif
