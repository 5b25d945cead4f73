// Translation of a method's decoded instructions into machine code (vm/template/template.h): what the files of the
// translator share. translate.c walks over the instructions; ops_*.c have a function for each kind of them.
#ifndef CABERNET_VM_TEMPLATE_TRANSLATE_H
#define CABERNET_VM_TEMPLATE_TRANSLATE_H

#include "vm/interp/interp.h"
#include "vm/template/operands.h"
#include "vm/template/stubs.h"
#include "vm/template/template.h"

extern const TemplateStubs *const template_stubs;

#define FRAME_AT(member) asm_at(REG_FRAME, offsetof(Frame, member))
#define THREAD_AT(member) asm_at(REG_THREAD, offsetof(Thread, member))

// Buffers that are used for one method after the other, under the tier's lock.
typedef struct Workspace Workspace;
Workspace *translate_workspace(void);

// Translates a decoded method. NULL: it cannot be, for lack of memory or for its size. `counting`: for an exact
// profile, in TEMPLATES_COUNTING. `counts`, `flow`: both or neither.
// Under the tier's lock; does not block.
Template *translate_method(Workspace *w, Method *m, bool counting, struct MethodCounts *counts, const struct Dataflow *flow);

// ---- for ops_*.c ----------------------------------------------------------------------------------

// A row for each operation: the function that translates it and what that is to know.
typedef void TranslateFn(Translation *t, int argument, int other);
typedef struct TranslateRow {
    TranslateFn *fn;  // NULL: the interpreter executes it
    int16_t argument, other;
} TranslateRow;
extern const TranslateRow translate_rows[INSN_COUNT];

// ops_compute.c
TranslateFn ops_constant, ops_constant_wide, ops_constant_reference, ops_load, ops_store, ops_increment, ops_pop, ops_shuffle;
TranslateFn ops_int, ops_multiply, ops_shift, ops_divide, ops_negate, ops_narrow, ops_int_to_long, ops_long_to_int;
TranslateFn ops_float, ops_float_negate, ops_remainder, ops_int_to_float, ops_float_to_int, ops_float_to_float;
TranslateFn ops_long_compare, ops_float_compare;
// ops_control.c
TranslateFn ops_nothing, ops_if_zero, ops_if_ints, ops_if_references, ops_goto, ops_tableswitch, ops_lookupswitch;
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

// The operation, of a fused one the first part.
unsigned translate_op(unsigned op);
// Of the instruction behind the current one: its operation, or INSN_COUNT where a basic block begins.
unsigned translate_next_op(const Translation *t);

// Code is left before the current instruction if the condition holds, for the interpreter.
void translate_exit_if(Translation *t, AsmCondition cc);
// Control never comes past here: the interpreter executes the instruction and what follows.
void translate_exit(Translation *t);
// The same if the condition holds, as TEMPLATE_INVOKES; binds to where the call that is being made returns to.
void translate_invoke_if(Translation *t, AsmCondition cc);
// The interpreter executes the instruction, which is not resolved yet: TEMPLATE_RESOLVES, or TEMPLATE_RESOLVES_CALL.
void translate_resolve(Translation *t, AsmJump jump, TemplateExitKind kind);
// Behind a call: code is entered again here, with REG_RESULT. Exits from `first_exit` on resume here. `type`: of the result.
void translate_resumes(Translation *t, uint32_t slots, char type, uint32_t first_exit);
void translate_null_check(Translation *t, uint32_t index, int reg);

// A jump to the instruction at a word, with all operands at home.
void translate_jump_to(Translation *t, AsmJump jump, uint32_t word);
// An entry of a jump table.
void translate_table_entry(Translation *t, Fixup entry);
// Makes the target known as one that is reached with the operands that there are now.
void translate_reaches(Translation *t, uint32_t word);
// Counts a branch that goes back to `word`, and looks whether a stop is requested.
void translate_backedge(Translation *t, uint32_t word);
// A jump out of the code, to an address in code memory.
void translate_leave(Translation *t, AsmJump jump, const uint8_t *target);
AsmJump translate_call_slow(Translation *t, SlowCall which);

// Code that is made at the end, to which `jump` leads, and which comes back to here. All operands of the instruction, and
// below, are at home by then.
SlowCode *translate_slow(Translation *t, SlowPath *fn, AsmJump jump);
// In slow code: stores the instruction's pc and the end of its operand stack into the frame.
void translate_save(Translation *t, uint32_t word, uint32_t depth);
// Behind a slow call: leaves the code if the frame is not to resume it, with `pushes` operands (REG_RESULT, if there is one)
// in place of the instruction's; else goes back.
void translate_slow_end(Translation *t, const SlowCode *slow, bool pushes);

// In an exact profile: counts a branch or another event with this number in the frame's counters. Uses REG_AX.
void translate_count(Translation *t, uint32_t number);
// The same for an entry of `callee`, whose caller this frame is: the counter, in REG_AX, becomes one more. Uses REG_CX, REG_DX.
void translate_count_entry(Translation *t, const Method *callee, SlowPath *slow);

// Calls a C function that neither blocks nor throws. Its arguments are in registers; scratch registers change.
void translate_call_c(Translation *t, const void *fn);

#endif
