// The interface between the files of the translator, which turns a method's decoded instructions into machine code
// (vm/template/template.h). translate.c walks over the instructions; ops_*.c have a function for each kind of
// instruction.
#ifndef CABERNET_VM_TEMPLATE_TRANSLATE_H
#define CABERNET_VM_TEMPLATE_TRANSLATE_H

#include "vm/interp/interp.h"
#include "vm/template/operandstack.h"
#include "vm/template/stubs.h"
#include "vm/template/template.h"

struct Dataflow;

extern const TemplateStubs *const template_stubs;

#define FRAME_AT(member) asm_at(REG_FRAME, offsetof(Frame, member))
#define THREAD_AT(member) asm_at(REG_THREAD, offsetof(Thread, member))

// Buffers that all translations share, one at a time, under the tier's lock.
typedef struct Workspace Workspace;
Workspace *translate_workspace(void);

// Translates a decoded method. NULL when memory runs out or the method is too large. `mode`: for what the
// code is made. `counts` and `flow` are both given or both NULL. Under the tier's lock; does not block.
Template *translate_method(Workspace *w, Method *m, TemplateMode mode, struct MethodCounts *counts,
                           const struct Dataflow *flow);

// ---- for ops_*.c ----------------------------------------------------------------------------------

// One row for each operation: the function that translates it, and its two parameters.
typedef void TranslateFn(Translation *t, int argument, int other);
typedef struct TranslateRow {
    TranslateFn *fn;  // NULL: the interpreter executes the operation
    int16_t argument, other;
} TranslateRow;
extern const TranslateRow translate_rows[INSN_COUNT];

// ops_compute.c
TranslateFn ops_constant, ops_constant_wide, ops_constant_reference, ops_load, ops_store, ops_increment, ops_pop,
    ops_shuffle;
TranslateFn ops_int, ops_multiply, ops_shift, ops_divide, ops_negate, ops_narrow, ops_int_to_long, ops_long_to_int;
TranslateFn ops_float, ops_float_negate, ops_remainder, ops_int_to_float, ops_float_to_int, ops_float_to_float;
TranslateFn ops_long_compare, ops_float_compare;
// ops_control.c
TranslateFn ops_nothing, ops_if_zero, ops_if_pair, ops_goto, ops_tableswitch, ops_lookupswitch;
TranslateFn ops_return, ops_unlock, ops_throw;
// ops_memory.c
TranslateFn ops_getstatic, ops_putstatic, ops_getfield, ops_putfield, ops_volatile_put;
TranslateFn ops_array_load, ops_array_store, ops_reference_store, ops_array_length;
// ops_objects.c
TranslateFn ops_new_small, ops_new_object, ops_new_array, ops_new_multi, ops_checkcast, ops_instanceof, ops_monitor;
// ops_calls.c
TranslateFn ops_invoke_direct, ops_invoke_virtual, ops_invoke_interface, ops_invoke_linked, ops_object_init;

// ops_unresolved.c
TranslateFn ops_unresolved, ops_unresolved_field, ops_unresolved_multi, ops_unresolved_type, ops_unresolved_call;

// The operation itself; for a fused operation, its first part.
unsigned translate_op(unsigned op);
// The operation of the next instruction, or INSN_COUNT if a basic block begins there.
unsigned translate_next_op(const Translation *t);

// Leaves the code before the current instruction if the condition holds; the interpreter continues
// (TEMPLATE_CONTINUES).
void translate_exit_if(Translation *t, AsmCondition cc);
// Makes `jump` leave the code before the instruction at `word`. After a TEMPLATE_INVOKES the interpreter makes the
// call, which returns to the entry point that translate_resumes makes; TEMPLATE_RESOLVES and TEMPLATE_RESOLVES_CALL are
// for unresolved instructions.
void translate_exit(Translation *t, AsmJump jump, TemplateExitKind kind, uint32_t word);
// The entry point after a call, with the result in REG_RESULT; `type` is the result's type. Exits from number
// `first_exit` on resume here.
void translate_resumes(Translation *t, uint32_t slots, char type, uint32_t first_exit);
void translate_null_check(Translation *t, uint32_t index, int reg);

// Makes a jump or an entry of a jump table lead to the instruction at a word. All operands are at home.
void translate_fix_up(Translation *t, Fixup f);
// Notes that control reaches the target with the present operands.
void translate_reaches(Translation *t, uint32_t word);
// Counts a backedge to `word`, and polls for stop requests.
void translate_backedge(Translation *t, uint32_t word);
// A jump out of the code, to an address in code memory.
void translate_leave(Translation *t, AsmJump jump, const uint8_t *target);
void translate_call_slow(Translation *t, SlowCall which);

// Adds a slow path to be emitted after the method's code, reached by `jump`. When the jump is taken, the instruction's
// operands and all below are at home.
SlowCode *translate_slow(Translation *t, SlowPath *fn, AsmJump jump);
// In a slow path: stores the instruction's pc and the end of its operand stack into the frame.
void translate_save(Translation *t, uint32_t word, uint32_t depth);
// Ends a slow path after its call. If Frame.resume was cleared, leaves the code after the instruction, with REG_RESULT
// pushed if `pushes`; otherwise returns to the fast path.
void translate_slow_end(Translation *t, const SlowCode *slow, bool pushes);

// Whether events of the instruction at a word are reported, by its kind of place (PlaceKind).
bool translate_reports(const Translation *t, uint32_t word);
// Reports the events of the current instruction, whose operands are stored home. All registers change. `which`: a
// PlaceKind or a TemplateReport.
void translate_report(Translation *t, uint32_t which);

// In an exact profile: increments the counter with this number, of a branch or another event, in the frame's counters.
// Uses REG_AX.
void translate_count(Translation *t, uint32_t number);
// In an exact profile: counts an entry of `callee`, called by this frame, and leaves the callee's counters in REG_AX.
// Uses REG_CX and REG_DX.
void translate_count_entry(Translation *t, const Method *callee, SlowPath *slow);

// The fast path of a monitor: exchanges the lock word of the object in REG_DX from REG_AX to REG_CX. The jump leads to
// the slow path.
AsmJump translate_exchange_lock(Translation *t);

// Calls a C function that does not block or throw. Its arguments are in registers; scratch registers change.
void translate_call_c(Translation *t, const void *fn);

#endif
