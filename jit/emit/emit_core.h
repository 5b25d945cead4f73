// Declarations shared among the files of this folder; other folders see jit/emit/emit.h only.
#ifndef CABERNET_JIT_EMIT_EMIT_CORE_H
#define CABERNET_JIT_EMIT_EMIT_CORE_H

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "bytecode/classfile/opcodes.h"
#include "jit/analysis/code_versions.h"
#include "jit/analysis/strip_mining.h"
#include "jit/backend/target.h"
#include "jit/emit/emit.h"
#include "jit/probes/probes.h"

// A block's exception dispatch, by the number of monitors held there and the version.
typedef struct EmitDispatch {
    struct EmitDispatch *next;
    uint32_t block, lock_depth;
    VersionKind version;
    LLVMBasicBlockRef label;
    bool done;
} EmitDispatch;

// An innermost loop. `entry`: it is strip-mined. `again`: it only keeps the budget in a register. Neither: it is
// emitted like any other loop.
typedef struct EmitLoop {
    const InnerLoop *loop;
    LLVMBasicBlockRef entry;       // beginning of a strip: before the loop, and after the poll
    LLVMBasicBlockRef again;       // the check of a loop that is not strip-mined, with the budget in its register
    LLVMBasicBlockRef check_free;  // before the check-free version; NULL: there is none
    LoopBudget budget;
    LLVMValueRef limit;     // alloca: the bound of the strip
    LLVMValueRef *lengths;  // allocas of array lengths, by number in loop->arrays; 0 if the array is null
} EmitLoop;

// An inlined invocation whose methods are being emitted: private to emit_versions.c.
struct EmitInvocation;

// The targets of edges: the versions of a node, and the sampling check before it.
typedef enum EmitLabel {
    LABEL_CHECKING,  // VERSION_CHECKING, or VERSION_ONLY or _UNCHECKED, which take its place
    LABEL_DUPLICATED,
    LABEL_CHECK_FREE,
    LABEL_CHECK,
    EMIT_LABELS
} EmitLabel;

typedef struct Emit {
    Unit *unit;  // the unit being compiled (jit/backend/unit.h)
    const Plan *root;
    Ir *ir;
    Frames *frames;
    Probes *probes;
    CodeVersions *versions;
    LLVMBasicBlockRef *labels[EMIT_LABELS];  // private to emit_versions.c: by node
    char return_kind;                        // of the root method
    LLVMBasicBlockRef throw_return;          // leaves the root with an exception pending
    LLVMValueRef deopt_buffer;               // alloca, sized at the end (size_buffer)
    uint32_t deopt_buffer_size;              // slots
    LLVMValueRef leaving;       // phi in the block shared by all exits at deoptimisation points; NULL: no exit yet
    LLVMValueRef sampled_path;  // while a deoptimisation point for a sample is emitted: probe_path_sampled; else NULL
    bool escapes;               // some allocations may be removed: jit/escape/escape.h
    LLVMValueRef allocation;    // number of such an allocation, while it is emitted; else NULL
    // The last three-way comparison, for a branch that immediately follows it.
    struct {
        LLVMValueRef result, a, b;
        unsigned opcode;
    } compared;
} Emit;

// ---- emit.c ----
void emit_frame_leave(Emit *e);  // frames_leave, with what this room has attached
// Emits the instructions of a part of a FlowBlock, and the edge that follows it.
void emit_instructions(Emit *e, uint32_t start, uint32_t end);
// The method's entry event and taking its monitor, if it has one; the arguments are bound. `checked`: the prologue's
// node if its sampling check follows the monitor, else CFG_NONE.
void emit_prologue_body(Emit *e, uint32_t checked);
// Returns from the root method: ends the block. `result` is NULL for void.
void emit_return(Emit *e, LLVMValueRef result);

// ---- emit_deopt.c ----
void emit_check_to(Emit *e, bool after, LLVMBasicBlockRef unwind);
// Ends the block: polls and jumps to `to`, which is or leads to the FlowBlock `target`. If the code is left, execution
// resumes at `target`; an exception raised by the poll is thrown there.
void emit_poll(Emit *e, uint32_t target, LLVMBasicBlockRef to);
// Polls before the current instruction, where execution resumes if the code is left.
void emit_poll_before(Emit *e);
// Stress: polls unless an exception is pending; an exception of the poll would be raised at the wrong place.
void emit_poll_quietly(Emit *e);
// Jumps to `unwind` if an exception is pending, to `stay` if there is neither an exception nor a pending
// deoptimisation. The builder continues where the code deoptimises.
void emit_test_pending(Emit *e, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay);
// The same, using the YieldAnswer of a call that polls.
void emit_test_answer(Emit *e, LLVMValueRef answer, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay);
// Ends the block: the interpreter throws the pending exception in the current frame, with an empty stack and the locals
// that have a kind in `kinds` (reloaded).
void emit_deopt_rethrow(Emit *e, uint16_t reason, const char *kinds);
LLVMValueRef emit_exception(Emit *e);  // the pending exception
// Deoptimises, with an exception pending, if rt_deopt_pending requires it.
void emit_deopt_pending_throw(Emit *e, const char *kinds);

// Ends the block: the interpreter resumes at the start of the FlowBlock, with the current locals.
void emit_deopt_at(Emit *e, uint16_t reason, uint32_t block);
// Called when the rest of the function has been emitted: emits the block through which all exits leave, if there are
// any.
void emit_leaving(Emit *e);

// ---- emit_loop.c ----
void emit_loops_begin(Emit *e);  // of the innermost frame, whose arguments are bound
// The loop with that header, or NULL.
const EmitLoop *emit_loop_at(const JavaFrame *f, uint32_t header);
// Sampling by exits: the block to jump to for an edge without a check that enters such a loop from outside; `otherwise`
// for any other edge.
LLVMBasicBlockRef emit_loop_enter(Emit *e, uint32_t block, LLVMBasicBlockRef otherwise);
// Control enters a loop with EmitLoop.again, whose state before the header has been set: loads the budget and the
// lengths of arrays, which the loop keeps.
void emit_loop_keep(Emit *e, const EmitLoop *s);
// The block to jump to for a backedge inside such a loop. NULL: the edge is none.
LLVMBasicBlockRef emit_loop_backedge(Emit *e, uint32_t block);
// The block to jump to for an edge that enters a loop from outside through its check: may be the check-free version.
LLVMBasicBlockRef emit_loop_from_outside(const Emit *e, uint32_t block, LLVMBasicBlockRef check);
// Whether the edge to the FlowBlock leaves the loop that has the budget.
bool emit_loop_is_left(const Emit *e, uint32_t block);
// Ends the block with the current conditional branch, if it is the test of such a loop. False: it is not.
bool emit_loop_test(Emit *e, unsigned op);
// The loop around the frame's current block that keeps the budget in a register (except in duplicated code), or NULL.
const EmitLoop *emit_loop_around(const JavaFrame *f);
const LoopBudget *emit_loop_budget(const JavaFrame *f);  // its budget, or NULL
// At the beginning of a FlowBlock (of its first node), in versions with a loop that keeps the budget in a register.
void emit_loop_block(Emit *e);
// In a strip-mined loop: the array's length as read at the beginning of the strip, 0 if the array is null. NULL: it was
// not read there.
LLVMValueRef emit_loop_array_length(Emit *e, LLVMValueRef array);

// ---- emit_versions.c ----
// Decides which versions exist: e->versions. `entry_block`: where the root begins.
void emit_versions_begin(Emit *e, uint32_t entry_block);
void emit_versions_end(Emit *e);
// On-stack replacement: the code continues with the result of the check that the interpreter has made.
void emit_osr_check(Emit *e);
// Emits the rest of the function, after the root's arguments are bound.
void emit_versions(Emit *e);
// Whether control may reach what follows the frame's node from several versions of it; the contents of frames then pass
// through memory.
static inline bool emit_versions_several(const Emit *e, const JavaFrame *f) {
    const CodeVersions *v = e->versions;
    return v->duplicate && (!v->exits || v->check_free_loops[f->node] != CFG_NONE);
}
// The block to jump to for the successor with that number, or for that FlowBlock. Backedges poll.
LLVMBasicBlockRef emit_edge(Emit *e, uint32_t successor);
LLVMBasicBlockRef emit_edge_to(Emit *e, uint32_t block);
// Whether the invocation being emitted is to be inlined, with emit_versions_invoke.
bool emit_versions_inlines(const Emit *e, const Plan *plan);
// Ends the block with a jump into the inlined method.
void emit_versions_invoke(Emit *e, const Plan *plan, char result, const char *shape, LLVMValueRef *args);
// For an invocation with several paths, one of which is inlined: after its arguments, before the first path.
void emit_versions_meet(Emit *e, char result);
// Ends the block with the result (NULL for void) of the frame's inlined invocation: of the inlined method, or of a path
// that is not inlined.
void emit_versions_join(Emit *e, const JavaFrame *caller, LLVMValueRef result);
// The label of a node, and of the first node of a FlowBlock of the innermost frame.
LLVMBasicBlockRef emit_versions_label(Emit *e, EmitLabel which, uint32_t node);
LLVMBasicBlockRef emit_versions_block_label(Emit *e, EmitLabel which, uint32_t block);
// The same, or the beginning of a strip if the FlowBlock heads a strip-mined loop.
LLVMBasicBlockRef emit_versions_entry_label(Emit *e, EmitLabel which, uint32_t block);
bool emit_versions_is_prologue(const Emit *e, uint32_t node);

// ---- emit_sample.c ----
// The check before node `node`. The builder is at the check, with the state of the node's beginning. Ends the block.
void emit_sample_check(Emit *e, uint32_t node);
// Sampling by exits: the check of a synchronized method's entry, after it has its monitor. The builder continues in
// checking code.
void emit_locked_check(Emit *e, uint32_t node);

// ---- emit_exception.c ----
LLVMBasicBlockRef emit_outside(Emit *e);       // the block to jump to with an exception that leaves the innermost frame
char *emit_handler_kinds(const JavaFrame *f);  // of the locals that the block's handlers need; the caller frees them
void emit_dispatches(Emit *e);                 // emits the dispatches of the innermost frame that emit_unwind requested

// ---- emit_intrinsic.c ----
// Emits a call whose intrinsics_form is INTRINSIC_EXPANDED, INTRINSIC_FAST_PATH or INTRINSIC_FAST_LEAF. `args` are the
// call's arguments; the receiver is not null. Where the fast path does not apply, control goes to `slow`. The result is
// NULL for void.
LLVMValueRef emit_intrinsic(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow);
// A new instance of an initialised class whose instances are small, and a new array of the array class `cls`. Control
// goes to `slow` when the free list is empty, for large arrays and for negative lengths.
LLVMValueRef emit_new_instance(Emit *e, const Class *cls, LLVMBasicBlockRef slow);
LLVMValueRef emit_new_small_array(Emit *e, const Class *cls, LLVMValueRef length, LLVMBasicBlockRef slow);
// A new array of the class of `array`, with elements of that type (emit_element_shift).
LLVMValueRef emit_new_array_like(Emit *e, LLVMValueRef array, char type, LLVMValueRef length, LLVMBasicBlockRef slow);

// ---- emit_virtual.c: allocations that may be removed (jit/escape/escape.h) ----
bool emit_allocates(const Plan *plan);  // whether its code has such allocations
// The code emitted from here to emit_allocated makes an instance of the class, or an array if `length` is a constant
// (NULL for instances). Has no effect if such an object cannot be removed.
void emit_allocating(Emit *e, const Class *cls, LLVMValueRef length);
// The record of Emit.allocation.
struct UnitAllocation *emit_allocation(const Emit *e, LLVMValueRef number);
LLVMValueRef emit_allocated(Emit *e, LLVMValueRef object);  // returns the object to use from here on
// `box` is the result of an inlined valueOf of `value`. Returns the reference to use from here on, which differs from
// `box` if the box may be removed.
LLVMValueRef emit_boxed(Emit *e, const Plan *inlined, LLVMValueRef value, LLVMValueRef box);
// The operations of pop_object, between emit_allocating and emit_allocated.
LLVMValueRef emit_list_head(Emit *e, LLVMValueRef list);
void emit_new_word(Emit *e, LLVMValueRef v, LLVMValueRef address, const char *tag);  // tag NULL: none
void emit_new_fence(Emit *e);
// ir_store_fence, after the store of a final field of an object.
void emit_final_fence(Emit *e, LLVMValueRef object);

// ---- emit_call.c ----
#define EMIT_OSR_SHAPE "LL"  // of an on-stack replacement: locals, monitor
enum { EMIT_MAX_PARAMS = JAVA_MAX_ARGS + 2 };
LLVMTypeRef emit_java_type(Emit *e, const char *shape, char result);
// Stores the arguments as Java slots in the buffer of deoptimisation points.
LLVMValueRef emit_args_to_buffer(Emit *e, const char *shape, LLVMValueRef *args, unsigned count);

// ---- emit_memory.c ----
// A field of a non-null object, without an event.
LLVMValueRef emit_get_field(Emit *e, const Field *f, LLVMValueRef object);
// The write barrier (vm/model/barrier.h), after the reference `v` was stored at `place`.
void emit_stored(Emit *e, BarrierSite site, LLVMValueRef v, LLVMValueRef place);
// i1: class `sub` is a subtype of class `super`. Both are known at run time only.
LLVMValueRef emit_is_subtype(Emit *e, LLVMValueRef sub, LLVMValueRef super);
// The same with a fast path: if `known` (i1) holds, `sub` is a subtype.
LLVMValueRef emit_ask_subtype(Emit *e, LLVMValueRef known, LLVMValueRef sub, LLVMValueRef super);

// ---- emit_leave.c ----
// Returns from the innermost frame: ends the block. `result` is NULL for void.
void emit_leave_with(Emit *e, LLVMValueRef result);
// Enter and leave the monitor of a non-null object, through the lock word if possible, else through the VM. If the VM's
// call throws, control goes to `unwind` with the monitors unchanged. i1: the VM was not called. After the caller has
// recorded the monitor's state, emit_check_after_monitor tests Thread.deopt_pending if the VM was called (as
// emit_check_to).
LLVMValueRef emit_monitor_enter(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind);
LLVMValueRef emit_monitor_exit(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind);
void emit_check_after_monitor(Emit *e, LLVMValueRef was_fast, bool after, LLVMBasicBlockRef unwind);
// The end of Object.<init>: registers the object's finalizer if its class has one. `at_return`: at the method's return.
void emit_finalizer_test(Emit *e, LLVMValueRef object, bool at_return);

// ---- calls of the VM ----
// Follows a call: jumps to the handlers if an exception is pending; deoptimises if rt_deopt_pending requires it.
// `after`: the instruction is complete and all its results are pushed, so the interpreter resumes at next_bci.
// Otherwise it executes the instruction again, with its operands.
void emit_check(Emit *e, bool after);
// If the condition holds (unlikely), calls `id`, which throws, and jumps to the handlers. Otherwise the builder
// continues. `args` excludes the thread.
void emit_throw_if(Emit *e, LLVMValueRef condition, enum RuntimeCallId id, LLVMValueRef *args, unsigned count);
void emit_null_check(Emit *e, LLVMValueRef ref);  // none if known not to be null
LLVMBasicBlockRef emit_unwind_label(Emit *e);     // the block to jump to with an exception pending
// Ends the block: the interpreter executes the current instruction.
void emit_deopt(Emit *e, uint16_t reason);

// ---- the instruction groups: each emits the current instruction; false: it belongs to another group ----
bool emit_ops(Emit *e, unsigned opcode);     // constants (all of ldc), locals, stack, arithmetic, control flow
bool emit_memory(Emit *e, unsigned opcode);  // xaload, xastore, arraylength, get/putfield, get/putstatic
bool emit_object(Emit *e, unsigned opcode);  // new, newarray..., checkcast, instanceof, monitorenter/exit
bool emit_call(Emit *e, unsigned opcode);    // invoke*
bool emit_leave(Emit *e, unsigned opcode);   // returns, athrow

// Before the first use of a class by a static field access, a static call or `new`: rt_class_init unless the class is
// initialised. Emits nothing when site->initialized. `cls` is the class to initialise. The operands are still on the
// stack.
void emit_class_barrier(Emit *e, const Site *site, Class *cls);

#endif
