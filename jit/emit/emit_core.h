// Declarations shared among the files of this folder; other folders see jit/emit/emit.h only.
#ifndef CABERNET_JIT_EMIT_CORE_H
#define CABERNET_JIT_EMIT_CORE_H

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "jit/backend/target.h"
#include "jit/emit/emit.h"

enum { EMIT_MAX_ARGS = 256 };  // maximum of a Java method

enum { EMIT_KINDS = 6 };  // columns of EmitFrame.locals and .slots

// ---- emit_state.c ----
void emit_state_end(Emit *e);
void *emit_alloc(size_t count, size_t size);  // zeroed; aborts if out of memory
void emit_attribute(Emit *e, LLVMValueRef of, unsigned index, const char *name, bool is_call);
// State at the start of a FlowBlock: kinds and stack from the data-flow analysis.
void emit_block_begins(Emit *e, uint32_t block);
void emit_forget_locals(Emit *e);  // forgets the values of all locals except those never stored into
void emit_spill_stack(Emit *e);  // stores the operand stack in its slots
LLVMValueRef emit_operand_slot(Emit *e, EmitFrame *f, uint32_t slot, char kind);
LLVMValueRef emit_load_slot(Emit *e, EmitFrame *f, uint32_t slot, char kind);  // loads from such a slot
// The buffer of deoptimisation points, with at least `slots` slots. Its contents live from the stores to the next call.
LLVMValueRef emit_buffer(Emit *e, uint32_t slots);
// Loads a local from its alloca, ignoring the value cached in this block.
LLVMValueRef emit_reload_local(Emit *e, EmitFrame *f, uint32_t index, char kind);
LLVMValueRef emit_local_slot(Emit *e, EmitFrame *f, uint32_t index, char kind);
unsigned emit_runtime_convention(enum RuntimeCallId id);
uint16_t emit_cp_index(const EmitFrame *f);
// The descriptor of the member that the constant-pool entry names. The caller frees it.
char *emit_member_descriptor(const EmitFrame *f, uint16_t cp_index);

// ---- emit.c ----
EmitFrame *emit_frame_enter(Emit *e, const Plan *plan);  // e->frame becomes the new frame
void emit_frame_leave(Emit *e);                          // e->frame becomes its parent again
void emit_frame_at(EmitFrame *f, uint32_t block);        // at the block's beginning, with an empty operand stack
// Arguments, with kinds given by `shape`, become locals of e->frame, which has one version.
void emit_bind_args(Emit *e, const char *shape, LLVMValueRef *args);
// Marks the receiver non-null throughout e->frame if it is in a local that is never stored into.
void emit_bind_receiver(Emit *e);
void emit_keep_before(EmitFrame *f);                     // copies the current stack to `before`
// Emits the instructions of a part of a FlowBlock, and the edge that follows it.
void emit_instructions(Emit *e, uint32_t start, uint32_t end);
// The method's entry event and taking its monitor, if it has one; the arguments are bound. `checked`: the prologue's node if its sampling
// check follows the monitor, else CFG_NONE.
void emit_prologue_body(Emit *e, uint32_t checked);
void emit_own_entry_event(Emit *e);                      // the entry event of e->frame
// Returns from the root method: ends the block. `result` is NULL for void.
void emit_return(Emit *e, LLVMValueRef result);
char emit_result_kind(const Emit *e);  // of the function; an on-stack replacement returns a raw slot
static inline bool emit_has_monitor(const Method *m) { return m->flags & ACC_SYNCHRONIZED; }

// ---- emit_deopt.c ----
void emit_lock_at(Emit *e, uint32_t depth, LLVMValueRef object);  // records the monitor entered at that depth
uint32_t emit_position(Emit *e, EmitFrame *f);
void emit_check_to(Emit *e, bool after, LLVMBasicBlockRef unwind);
// Sets branch weights: how often each of the `count` edges of a branch or switch was taken. (emit_ops.c)
void emit_edge_weights(Emit *e, LLVMValueRef branch, const uint64_t *counts, uint32_t count);
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
void emit_loops_begin(Emit *e);  // of e->frame, whose arguments are bound
void emit_loops_end(EmitFrame *f);
// The block to jump to for a FlowBlock, along an edge that does not poll: the beginning of a strip if the FlowBlock
// heads a strip-mined loop, else `otherwise`.
LLVMBasicBlockRef emit_loop_entry(const EmitFrame *f, uint32_t block, LLVMBasicBlockRef otherwise);
// The check of the loop with that header, if it keeps the budget in a register and is not strip-mined; else NULL.
LLVMBasicBlockRef emit_loop_check(const EmitFrame *f, uint32_t header);
// Sampling by exits: the block to jump to for an edge without a check that enters such a loop from outside; `otherwise`
// for any other edge.
LLVMBasicBlockRef emit_loop_enter(Emit *e, uint32_t block, LLVMBasicBlockRef otherwise);
// The block to jump to for a backedge inside such a loop. NULL: the edge is none.
LLVMBasicBlockRef emit_loop_backedge(Emit *e, uint32_t block);
// The block to jump to for an edge that enters a loop from outside through its check: may be the check-free version.
LLVMBasicBlockRef emit_loop_from_outside(const Emit *e, uint32_t block, LLVMBasicBlockRef check);
// Whether the edge to the FlowBlock leaves the loop that has the budget.
bool emit_loop_is_left(const Emit *e, uint32_t block);
// Ends the block with the conditional branch at e->frame->bci, if it is the test of such a loop. False: it is not.
bool emit_loop_test(Emit *e, unsigned op);
// The loop around the frame's current block that keeps the budget in a register (except in duplicated code), or NULL.
const EmitLoop *emit_loop_around(const EmitFrame *f);
// At the beginning of a FlowBlock (of its first node), in versions in which e->version.loop is set.
void emit_loop_block(Emit *e);
// emit_budget_save moves the budget of e->version.loop, if that is set, to Emit.budget or, without one, to the thread.
// emit_budget_publish also stores Emit.budget in the thread, before code that may read or change the thread's budget;
// emit_budget_load loads it again after that code.
void emit_budget_save(Emit *e);
void emit_budget_publish(Emit *e);
void emit_budget_load(Emit *e);
// The budget, while no loop has it. An i32.
LLVMValueRef emit_budget_read(Emit *e);
void emit_budget_set(Emit *e, LLVMValueRef budget);
void emit_budget_begin(Emit *e);  // of the function, once e->versions are known

// ---- emit_versions.c ----
// Decides which versions exist: e->versions. `entry_block`: where the root begins.
void emit_versions_begin(Emit *e, uint32_t entry_block);
void emit_versions_end(Emit *e);
// On-stack replacement: emit_osr_begin precedes the first place where code may be left for the interpreter;
// emit_osr_check is where the code continues with the result of the check that the interpreter has made.
void emit_osr_begin(Emit *e);
void emit_osr_check(Emit *e);
// Emits the rest of the function, after the root's arguments are bound.
void emit_versions(Emit *e);
// Whether control may reach a node from several versions of its predecessor; the contents of frames then pass through
// memory.
static inline bool emit_versions_several(const Emit *e) { return e->versions->duplicate != NULL && !e->versions->exits; }
// The block to jump to for the successor with that number, or for that FlowBlock. Backedges poll.
LLVMBasicBlockRef emit_edge(Emit *e, uint32_t successor);
LLVMBasicBlockRef emit_edge_to(Emit *e, uint32_t block);
// Whether the invocation being emitted is to be inlined, with emit_versions_invoke.
bool emit_versions_inlines(const Emit *e, const Plan *plan);
// Ends the block with a jump into the inlined method.
void emit_versions_invoke(Emit *e, const Plan *plan, char result, const char *shape, LLVMValueRef *args);
// For an invocation with several paths, one of which is inlined: after its arguments, before the first path.
void emit_versions_meet(Emit *e, char result);
// Ends the block: a path of that invocation that is not inlined. `result` is NULL for void.
void emit_versions_join(Emit *e, LLVMValueRef result);
void emit_versions_return(Emit *e, LLVMValueRef result);        // from the inlined method; ends the block
// The label of a node, and of the first node of a FlowBlock of e->frame.
LLVMBasicBlockRef emit_versions_label(Emit *e, EmitLabel which, uint32_t node);
LLVMBasicBlockRef emit_versions_block_label(Emit *e, EmitLabel which, uint32_t block);
// The same, or the beginning of a strip if the FlowBlock heads a strip-mined loop.
LLVMBasicBlockRef emit_versions_entry_label(Emit *e, EmitLabel which, uint32_t block);
bool emit_versions_is_prologue(const Emit *e, uint32_t node);
// Whether the root makes a check at its entry.
bool emit_versions_checks_entry(const Emit *e);
bool emit_versions_in_prologue(const Emit *e);  // the code being emitted precedes the method's first block

// ---- emit_sample.c ----
// The check before node `node`. The builder is at the check, with the state of the node's beginning. Ends the block.
void emit_sample_check(Emit *e, uint32_t node);
// Sampling by exits: whether batched checks may follow the current instruction (jit/analysis/code_versions.c), which may have used the
// budget up.
bool emit_sample_needs_ahead(const Emit *e);
// Ends the block: to `stay` if the budget suffices for them, to `unwind` with an exception. The builder continues where the code is to be
// left.
void emit_sample_ahead(Emit *e, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay);
// Sampling by exits: the check of a synchronized method's entry, after it has its monitor. The builder continues in
// checking code.
void emit_locked_check(Emit *e, uint32_t node);
// Decrements the budget. i1: rt_check (or a probe that checks) must be called.
LLVMValueRef emit_sample_count(Emit *e);

// ---- emit_exception.c ----
LLVMBasicBlockRef emit_outside(Emit *e);  // the block to jump to with an exception that leaves e->frame
char *emit_handler_kinds(const EmitFrame *f);  // of the locals that the block's handlers need; the caller frees them
void emit_dispatches(Emit *e);  // emits the dispatches of e->frame that emit_unwind requested

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
void emit_escape_begin(Emit *e);  // decides e->escapes
// The code emitted from here to emit_allocated makes an instance of the class, or an array if `length` is a constant
// (NULL for instances). Has no effect if such an object cannot be removed.
void emit_allocating(Emit *e, const Class *cls, LLVMValueRef length);
LLVMValueRef emit_allocated(Emit *e, LLVMValueRef object);  // returns the object to use from here on
// `box` is the result of an inlined valueOf of `value`. Returns the reference to use from here on, which differs from
// `box` if the box may be removed.
LLVMValueRef emit_boxed(Emit *e, const Plan *inlined, LLVMValueRef value, LLVMValueRef box);
// The operations of pop_object, between emit_allocating and emit_allocated.
LLVMValueRef emit_list_head(Emit *e, LLVMValueRef list);
void emit_new_word(Emit *e, LLVMValueRef v, LLVMValueRef address, const char *tag);  // tag NULL: none
void emit_new_fence(Emit *e);

// ---- emit_ring.c ----
void emit_ring_begin(Emit *e);  // called once the versions are decided
void emit_ring_end(Emit *e);
void emit_ring_node_begins(Emit *e, uint32_t n);
void emit_ring_node_ends(Emit *e, uint32_t n);
void emit_ring_called(Emit *e);      // called code may have written as many words as the bound allows
bool emit_ring_needs_poll(Emit *e);  // before an instruction with events; true: the caller emits a poll
// Writes an event with these words of its payload. `dynamic` is the set of words known only at run time; `more` has
// their values and the event's objects and addresses, in the order of the payload. False: the event must be reported.
bool emit_ring_put(Emit *e, enum EventId event, const uint32_t *words, uint32_t n, uint32_t dynamic, LLVMValueRef *more,
                   unsigned more_count);
// The same in one word (RING_TAG_BIT). emit_ring_put_path: a complete path (i32) of a method with `count` paths.
// emit_ring_put_edge: the edge from a site known at run time (CALL_SITED); if its numbers are too large, nothing is
// written and the code continues at `otherwise`.
bool emit_ring_put_path(Emit *e, const Method *m, uint32_t count, LLVMValueRef number);
bool emit_ring_put_edge(Emit *e, LLVMValueRef site, const Method *callee, LLVMBasicBlockRef otherwise);

// ---- emit_contexts.c ----
// Whether the code being emitted maintains the thread's calling context tree.
bool emit_has_contexts(const Emit *e);
// The slot (context_slot) of the call that a frame is at.
uint32_t emit_context_slot(const EmitFrame *f);
// `callee` is entered: from the instruction that a frame is at, or from a site known at run time. The site (i64, with
// its slot) is used in the first case only where the call is reported. False: the edge has no number and nothing was
// emitted.
bool emit_context_enter(Emit *e, const EmitFrame *caller, LLVMValueRef site, const Method *callee);
void emit_context_enter_from(Emit *e, LLVMValueRef site, const Method *callee);
// m is left. The code continues at `next`, or at `missing` if the exit has yet to be reported.
void emit_context_leave(Emit *e, const Method *m, LLVMBasicBlockRef missing, LLVMBasicBlockRef next);

// ---- emit_probe.c ----
// Events of the instruction that e->frame is at, if the plan wants them there and the version being emitted reports.
// They may end the block and begin another.
bool emit_wants(const Emit *e, enum EventId event);
bool emit_counts(const Emit *e, enum EventId event);  // the event is wanted, and is counted rather than reported
// Before the current instruction: a safepoint if the instruction reports and sinks may request a wait
// (vm/api/eventwait.h).
void emit_wait_for_sinks(Emit *e);
// One event. `args`: its payload, without the method and bytecode index if it begins with them.
void emit_probe(Emit *e, enum EventId event, const LLVMValueRef *args);
// The entry of m and the edge to it. `from_inside`: the call is at the current instruction. Otherwise it is m's own
// entry, and the caller is found on the stack.
void emit_call_probe(Emit *e, Method *m, bool from_inside);
// Whether exact code counts a call of m at the call rather than at the entry of m. The caller has a visible frame
// (call_edge).
bool emit_counts_calls_of(const Emit *e, const Method *m);
// The label for an exception raised before the root is entered: undoes the caller's count of the call.
LLVMBasicBlockRef emit_not_entered(Emit *e, LLVMBasicBlockRef unwind);
// Before a call at the current instruction: counts it. `m` is the target if known; NULL: `method` is found at run time.
// `site` belongs to the instruction. Returns the value to pass as the Method.
LLVMValueRef emit_count_call(Emit *e, const Method *m, const PlanSite *site, LLVMValueRef method);
// At the beginning of the root: loads the site that called it, if the caller has passed one and the root needs it.
void emit_outer_site(Emit *e);
// The method of e->frame begins; reported if it is watched.
void emit_point_probe(Emit *e);
// The `argument` events of the method of e->frame, which begins.
void emit_argument_probes(Emit *e);
// The value that the instruction has computed and pushed, and the value that it returns.
void emit_result_probe(Emit *e);
void emit_returned_probe(Emit *e, LLVMValueRef v);
// The synchronized method m has taken its monitor.
void emit_locked_probe(Emit *e, Method *m);
// m is left; `thrown`: with an exception pending.
void emit_exit_probe(Emit *e, Method *m, bool thrown);
// shared_access of a field, or (f NULL) of an element. None for volatile fields.
void emit_shared_probe(Emit *e, Field *f, char type, bool put, LLVMValueRef object, LLVMValueRef address);
// sync_acquire after, or sync_release before, an access that orders threads. Emitted in every version of the code.
void emit_sync(Emit *e, enum EventId event, const Field *f, LLVMValueRef address);
void emit_field_probe(Emit *e, Field *f, bool put, LLVMValueRef object);  // object NULL: static
void emit_value_probe(Emit *e, LLVMValueRef v);                           // a loaded value
// emit_instruction_probe: the event `instruction` of the current instruction, with these operands, the deepest first.
// emit_instruction_here: the same with the operands on the stack, except for instructions whose probe follows the
// resolution and initialisation of what they name (calls, static fields, new).
void emit_instruction_probe(Emit *e, const LLVMValueRef *operands, unsigned count);
void emit_instruction_here(Emit *e, unsigned opcode);
// scalar_pair of a value assigned to a local (`before` NULL) or to a field that holds `before`.
void emit_assigned_probes(Emit *e, char kind, LLVMValueRef v, LLVMValueRef before);
void emit_receiver_probe(Emit *e, LLVMValueRef receiver);                 // not null
void emit_new_probe(Emit *e, LLVMValueRef object, unsigned depth);        // with arrays nested `depth` levels below it
// The block to jump to for that successor, whose label is `to`: its backedge event, if it has one, precedes `to`.
LLVMBasicBlockRef emit_edge_probes(Emit *e, uint32_t successor, LLVMBasicBlockRef to);
// The same for a successor of a branch or switch: the event that edge `number` was taken, then its backedge event,
// precede `to`.
LLVMBasicBlockRef emit_branch_edge(Emit *e, uint32_t successor, uint32_t number, LLVMBasicBlockRef to);

// The event with its complete payload, if the code reports; never counted.
void emit_report(Emit *e, enum EventId event, const LLVMValueRef *args);

// ---- emit_path.c: no effect for frames that do not report paths ----
void emit_path_frame(Emit *e, EmitFrame *f);             // initialises a new frame
void emit_path_begin(Emit *e, uint32_t block);           // a path begins at that FlowBlock
// The block to jump to for edge `edge` of the current FlowBlock (0 if it has one edge), whose label is `to`.
LLVMBasicBlockRef emit_path_edge(Emit *e, uint32_t edge, LLVMBasicBlockRef to);
void emit_path_end(Emit *e);                             // the method is about to return
void emit_path_thrown(Emit *e);                          // an exception is pending in the current FlowBlock
LLVMValueRef emit_path_value(Emit *e, const EmitFrame *f, uint32_t block);  // Frame.path in that FlowBlock
// Frame.path of the innermost frame, which is left for a sample at its entry or before that FlowBlock; NULL: not known.
LLVMValueRef emit_path_sampled(Emit *e, bool entry, uint32_t block);

// ---- emit_call.c ----
#define EMIT_OSR_SHAPE "LL"  // of an on-stack replacement: locals, monitor
enum { EMIT_MAX_PARAMS = EMIT_MAX_ARGS + 2 };
LLVMTypeRef emit_java_type(Emit *e, const char *shape, char result);
// Stores the arguments as Java slots in the buffer of deoptimisation points.
LLVMValueRef emit_args_to_buffer(Emit *e, const char *shape, LLVMValueRef *args, unsigned count);

// ---- emit_leave.c ----
// Returns from e->frame: ends the block. `result` is NULL for void.
void emit_leave_with(Emit *e, LLVMValueRef result);
// Enter and leave the monitor of a non-null object, through the lock word if possible, else through the VM. If the VM's
// call throws, control goes to `unwind` with the monitors unchanged. i1: the VM was not called. After the caller has
// recorded the monitor's state, emit_check_behind_monitor tests Thread.deopt_pending if the VM was called (as
// emit_check_to).
LLVMValueRef emit_monitor_enter(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind);
LLVMValueRef emit_monitor_exit(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind);
void emit_check_behind_monitor(Emit *e, LLVMValueRef was_fast, bool after, LLVMBasicBlockRef unwind);
// The end of Object.<init>: registers the object's finalizer if its class has one. `at_return`: at the method's return.
void emit_finalizer_test(Emit *e, LLVMValueRef object, bool at_return);

#endif
