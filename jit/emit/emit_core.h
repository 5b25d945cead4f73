// What the core of the emission shares among its own files; other parts see jit/emit/emit.h only.
#ifndef CABERNET_JIT_EMIT_CORE_H
#define CABERNET_JIT_EMIT_CORE_H

#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/opcodes.h"
#include "jit/backend/target.h"
#include "jit/emit/emit.h"

enum { EMIT_MAX_ARGS = 256 };  // of a Java method

enum { EMIT_KINDS = 6 };  // columns of EmitFrame.locals and .slots

// ---- emit_state.c ----
void emit_state_end(Emit *e);
void *emit_alloc(size_t count, size_t size);  // zeroed; aborts when memory is out
void emit_attribute(Emit *e, LLVMValueRef of, unsigned index, const char *name, bool is_call);
// State at the start of a FlowBlock: kinds and stack as the analysis says.
void emit_block_begins(Emit *e, uint32_t block);
void emit_forget_locals(Emit *e);  // nothing is known but what never changes
void emit_spill_stack(Emit *e);  // operand stack to the slots where blocks meet
LLVMValueRef emit_operand_slot(Emit *e, EmitFrame *f, uint32_t slot, char kind);
LLVMValueRef emit_load_slot(Emit *e, EmitFrame *f, uint32_t slot, char kind);  // back from there
// The buffer of deoptimisation points, at least so big. Its contents live from the stores to the next call.
LLVMValueRef emit_buffer(Emit *e, uint32_t slots);
// Loads a local from its alloca, past what this block knows.
LLVMValueRef emit_reload_local(Emit *e, EmitFrame *f, uint32_t index, char kind);
LLVMValueRef emit_local_slot(Emit *e, EmitFrame *f, uint32_t index, char kind);
unsigned emit_runtime_convention(enum RuntimeCallId id);
uint16_t emit_cp_index(const EmitFrame *f);
// The descriptor of the member that the constant-pool entry names, to be freed.
char *emit_member_descriptor(const EmitFrame *f, uint16_t cp_index);

// ---- emit.c ----
EmitFrame *emit_frame_enter(Emit *e, const Plan *plan);  // becomes e->frame
void emit_frame_leave(Emit *e);                          // its parent is e->frame again
void emit_frame_at(EmitFrame *f, uint32_t block);        // at its beginning, with an empty operand stack
// Arguments, with kinds as `shape` says, become locals of e->frame, which has one version.
void emit_bind_args(Emit *e, const char *shape, LLVMValueRef *args);
// The receiver, if e->frame has one in a local that is never stored into, is not null in all of it.
void emit_bind_receiver(Emit *e);
void emit_keep_before(EmitFrame *f);                     // the stack as it is is what `before` describes
// The instructions of a part of a FlowBlock, and the edge behind it.
void emit_instructions(Emit *e, uint32_t start, uint32_t end);
// The event of the method's entry and its monitor, if it has one, behind the binding of the arguments.
void emit_prologue_body(Emit *e);
void emit_own_entry_event(Emit *e);                      // of e->frame
// Result of the root method: ends the block. NULL for void.
void emit_return(Emit *e, LLVMValueRef result);
char emit_result_kind(const Emit *e);  // of the function; that of an on-stack replacement returns a raw slot
static inline bool emit_has_monitor(const Method *m) { return m->flags & ACC_SYNCHRONIZED; }

// ---- emit_deopt.c ----
void emit_lock_at(Emit *e, uint32_t depth, LLVMValueRef object);  // the monitor entered at that depth
uint32_t emit_position(Emit *e, EmitFrame *f);
void emit_check_to(Emit *e, bool after, LLVMBasicBlockRef unwind);
// How often control went where, at a branch or switch with so many edges. (emit_ops.c)
void emit_edge_weights(Emit *e, LLVMValueRef branch, const uint64_t *counts, uint32_t count);
// Ends the block: polls and goes to `to`, which is or leads to the FlowBlock `target`; from where code is left,
// execution goes on at the latter, and what the poll raises is thrown there.
void emit_poll(Emit *e, uint32_t target, LLVMBasicBlockRef to);
// Polls in front of the current instruction, where execution goes on if code is left.
void emit_poll_before(Emit *e);
// Stress: polls unless an exception is pending, which would be at the wrong place for one of its own.
void emit_poll_quietly(Emit *e);
// Goes to `unwind` with an exception pending, to `stay` if there is none and no deoptimisation either; the builder
// goes on where the code deoptimises.
void emit_test_pending(Emit *e, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay);
// The same by the YieldAnswer of a call that polls.
void emit_test_answer(Emit *e, LLVMValueRef answer, LLVMBasicBlockRef unwind, LLVMBasicBlockRef stay);
// Ends the block: the interpreter throws the pending exception in the current frame, with empty stack and the
// locals that have a kind in `kinds` (read anew).
void emit_deopt_rethrow(Emit *e, uint16_t reason, const char *kinds);
LLVMValueRef emit_exception(Emit *e);  // the pending exception
// Deoptimises if rt_deopt_pending says so, with an exception pending.
void emit_deopt_pending_throw(Emit *e, const char *kinds);

// Ends the block: at the start of the FlowBlock, with the locals as they are now, the interpreter goes on.
void emit_deopt_at(Emit *e, uint16_t reason, uint32_t block);
// When all else of the function has been emitted: the block in which all deoptimisation points leave it, if there are any.
void emit_leaving(Emit *e);

// ---- emit_loop.c ----
void emit_loops_begin(Emit *e);  // of e->frame, whose arguments are bound
void emit_loops_end(EmitFrame *f);
// The block to jump to for a FlowBlock, over an edge that does not poll: where a strip begins if the loop that it
// heads is strip-mined, `otherwise` if not.
LLVMBasicBlockRef emit_loop_entry(const EmitFrame *f, uint32_t block, LLVMBasicBlockRef otherwise);
// The check of the loop with that header, if it keeps the budget in a register and is not strip-mined, or NULL.
LLVMBasicBlockRef emit_loop_check(const EmitFrame *f, uint32_t header);
// Samples by exits: where the edge to the FlowBlock leads that comes into such a loop from outside and makes no check; `otherwise`:
// any other edge.
LLVMBasicBlockRef emit_loop_enter(Emit *e, uint32_t block, LLVMBasicBlockRef otherwise);
// Where the edge to the FlowBlock leads if it stays inside such a loop and goes back to its header. NULL: it does not.
LLVMBasicBlockRef emit_loop_backedge(Emit *e, uint32_t block);
// Where it leads if it comes into a loop from outside by way of the check: perhaps to the check-free version.
LLVMBasicBlockRef emit_loop_from_outside(const Emit *e, uint32_t block, LLVMBasicBlockRef check);
// Does the edge to the FlowBlock leave the loop that has the budget?
bool emit_loop_is_left(const Emit *e, uint32_t block);
// The conditional branch at e->frame->bci, if it is the test of such a loop: ends the block. False: it is not.
bool emit_loop_test(Emit *e, unsigned op);
// The loop around the code that the frame stands at that keeps the budget in a register unless it is duplicated code,
// or NULL.
const EmitLoop *emit_loop_around(const EmitFrame *f);
// At the beginning of a FlowBlock (of its first node), in versions in which e->version.loop is set.
void emit_loop_block(Emit *e);
// The budget of e->version.loop, if there is one, to Emit.budget or else the thread. emit_budget_publish also brings Emit.budget to
// the thread, in front of what may read or change the thread's; emit_budget_load brings it back behind that.
void emit_budget_save(Emit *e);
void emit_budget_publish(Emit *e);
void emit_budget_load(Emit *e);
// The budget, while no loop has it. An i32.
LLVMValueRef emit_budget_read(Emit *e);
void emit_budget_set(Emit *e, LLVMValueRef budget);
void emit_budget_begin(Emit *e);  // of the function, once e->versions are known

// ---- emit_versions.c ----
// Decides which versions there are: e->versions. `entry_block`: where the root begins.
void emit_versions_begin(Emit *e, uint32_t entry_block);
void emit_versions_end(Emit *e);
// On-stack replacement, before the first place where code may be left for the interpreter, and where it continues with
// the answer of the check that the interpreter has made.
void emit_osr_begin(Emit *e);
void emit_osr_check(Emit *e);
// From behind the binding of the root's arguments: everything.
void emit_versions(Emit *e);
// Control may come to a node from several versions of the one before: what frames hold passes through memory.
static inline bool emit_versions_several(const Emit *e) { return e->versions->duplicate != NULL && !e->versions->exits; }
// The block to jump to for the successor of that number, or for that FlowBlock: polls on the way back.
LLVMBasicBlockRef emit_edge(Emit *e, uint32_t successor);
LLVMBasicBlockRef emit_edge_to(Emit *e, uint32_t block);
// Is the invocation being emitted to be inlined, by the following?
bool emit_versions_inlines(const Emit *e, const Plan *plan);
// Ends the block: into the inlined method.
void emit_versions_invoke(Emit *e, const Plan *plan, char result, const char *shape, LLVMValueRef *args);
// Behind the arguments of an invocation with several ways, one of which is inlined: in front of the first way.
void emit_versions_meet(Emit *e, char result);
// Ends the block: the invocation that is also inlined was done otherwise. NULL for void.
void emit_versions_join(Emit *e, LLVMValueRef result);
void emit_versions_return(Emit *e, LLVMValueRef result);        // from the inlined method; ends the block
// Of a node, and of the FlowBlock of e->frame (of its first node).
LLVMBasicBlockRef emit_versions_label(Emit *e, EmitLabel which, uint32_t node);
LLVMBasicBlockRef emit_versions_block_label(Emit *e, EmitLabel which, uint32_t block);
// The same, or where a strip of the loop begins that the FlowBlock heads.
LLVMBasicBlockRef emit_versions_entry_label(Emit *e, EmitLabel which, uint32_t block);
bool emit_versions_is_prologue(const Emit *e, uint32_t node);
// The root makes a check where it is entered.
bool emit_versions_checks_entry(const Emit *e);
bool emit_versions_in_prologue(const Emit *e);  // the code being emitted stands before the method's first block

// ---- emit_sample.c ----
// The check in front of a node, where the builder is, at the state of the node's beginning. Ends the block.
void emit_sample_check(Emit *e, uint32_t node);
// Samples by exits: the check of a synchronized method's entry, behind its monitor. The builder goes on in checking code.
void emit_locked_check(Emit *e, uint32_t node);
// One off the budget: i1, whether rt_check (or a probe that checks) must be called.
LLVMValueRef emit_sample_count(Emit *e);

// ---- emit_exception.c ----
LLVMBasicBlockRef emit_outside(Emit *e);  // where an exception goes that leaves e->frame
char *emit_handler_kinds(const EmitFrame *f);  // of the locals that handlers of its block want; to be freed
void emit_dispatches(Emit *e);  // fills what emit_unwind asked for, of e->frame

// ---- emit_intrinsic.c ----
// Emits a call whose intrinsics_form is INTRINSIC_EXPANDED, INTRINSIC_FAST_PATH or INTRINSIC_FAST_LEAF. The arguments are those of the
// call and the receiver is not null. Where the fast path does not apply, control goes to `slow`. The result is NULL
// for void.
LLVMValueRef emit_intrinsic(Emit *e, const Method *m, LLVMValueRef *args, LLVMBasicBlockRef slow);
// A new instance of an initialised class whose instances are small, a new array of a class that is one; goes to `slow` when
// the free list is empty, for large arrays and negative lengths.
LLVMValueRef emit_new_instance(Emit *e, const Class *cls, LLVMBasicBlockRef slow);
LLVMValueRef emit_new_small_array(Emit *e, const Class *cls, LLVMValueRef length, LLVMBasicBlockRef slow);
// The same of the class of an array with elements of that type (emit_element_shift).
LLVMValueRef emit_new_array_like(Emit *e, LLVMValueRef array, char type, LLVMValueRef length, LLVMBasicBlockRef slow);

// ---- emit_virtual.c: allocations that may vanish (jit/escape/escape.h) ----
void emit_escape_begin(Emit *e);  // decides e->escapes
// From here to emit_allocated, what is emitted makes an instance of the class or, with a constant length (else NULL), an array;
// if such an object may vanish. Nothing otherwise.
void emit_allocating(Emit *e, const Class *cls, LLVMValueRef length);
LLVMValueRef emit_allocated(Emit *e, LLVMValueRef object);  // the object, which is to be used from here on
// `box` is what valueOf, inlined, returned for the value: if such a box may vanish, what is to be used from here on.
LLVMValueRef emit_boxed(Emit *e, const Plan *inlined, LLVMValueRef value, LLVMValueRef box);
// In between: what pop_object does.
LLVMValueRef emit_list_head(Emit *e, LLVMValueRef list);
void emit_new_word(Emit *e, LLVMValueRef v, LLVMValueRef address, const char *tag);  // tag NULL: none
void emit_new_fence(Emit *e);

// ---- emit_ring.c ----
void emit_ring_begin(Emit *e);  // when the versions are decided
void emit_ring_end(Emit *e);
void emit_ring_node_begins(Emit *e, uint32_t n);
void emit_ring_node_ends(Emit *e, uint32_t n);
void emit_ring_called(Emit *e);      // code that has been called may have written as much as is allowed
bool emit_ring_needs_poll(Emit *e);  // in front of an instruction with events: then the caller emits one
// Writes an event with these words of its payload, and `more` that follow: those in `dynamic`, objects and addresses. False:
// it must be reported.
bool emit_ring_put(Emit *e, enum EventId event, const uint32_t *words, uint32_t n, uint32_t dynamic, LLVMValueRef *more,
                   unsigned more_count);
// The same in one word (RING_TAG_BIT): a whole path (i32) of a method that has so many; and the edge from a site that is known
// when the code runs (CALL_SITED), or, if its numbers are too large, nothing: code goes on at `otherwise`.
bool emit_ring_put_path(Emit *e, const Method *m, uint32_t count, LLVMValueRef number);
bool emit_ring_put_edge(Emit *e, LLVMValueRef site, const Method *callee, LLVMBasicBlockRef otherwise);

// ---- emit_contexts.c ----
// The code being emitted works on the thread's calling context tree.
bool emit_has_contexts(const Emit *e);
// Of the instruction that a frame is at, a call (context_slot).
uint32_t emit_context_slot(const EmitFrame *f);
// A call of `callee` is entered: from the instruction that a frame is at, whose site (i64, with its slot) is only needed
// where the call is reported; or from a site that is known when the code runs. False: it has no number, and nothing was emitted.
bool emit_context_enter(Emit *e, const EmitFrame *caller, LLVMValueRef site, const Method *callee);
void emit_context_enter_from(Emit *e, LLVMValueRef site, const Method *callee);
// m is left, and goes on at `next`; or at `missing`, where that is still to be reported.
void emit_context_leave(Emit *e, const Method *m, LLVMBasicBlockRef missing, LLVMBasicBlockRef next);

// ---- emit_probe.c ----
// Events of the instruction that e->frame is at, if the plan wants them there and where the version of the code being
// emitted reports. They may end the block and begin another.
bool emit_wants(const Emit *e, enum EventId event);
bool emit_counts(const Emit *e, enum EventId event);  // it is wanted and counted
// In front of the current instruction: a safepoint if it reports and sinks may ask for a wait (vm/api/eventwait.h).
void emit_wait_for_sinks(Emit *e);
// One event. `args`: its payload, without the method and the bytecode index if it begins with them.
void emit_probe(Emit *e, enum EventId event, const LLVMValueRef *args);
// The entry of m and the edge to it. `from_inside`: from the current instruction; else it is m's own entry, and who has
// called it is on the stack.
void emit_call_probe(Emit *e, Method *m, bool from_inside);
// Exact code counts a call of m when it makes it, not when m is entered; the caller has a visible frame (call_edge).
bool emit_counts_calls_of(const Emit *e, const Method *m);
// Where an exception goes that comes before the root is entered: takes back that its caller has counted the call.
LLVMBasicBlockRef emit_not_entered(Emit *e, LLVMBasicBlockRef unwind);
// In front of a call from the current instruction: counts it, if the target is known (`m`) or found as the code runs (NULL),
// which is `method`. `site`: of the instruction. What is to be passed as the Method.
LLVMValueRef emit_count_call(Emit *e, const Method *m, const PlanSite *site, LLVMValueRef method);
// At the beginning of the root: where it was called from, if it is hidden and code that counts has called it.
void emit_outer_site(Emit *e);
// The method of e->frame begins: if it is watched.
void emit_point_probe(Emit *e);
// The events argument of the frame's method, which begins.
void emit_argument_probes(Emit *e);
// What the instruction has computed and pushed; what it returns.
void emit_result_probe(Emit *e);
void emit_returned_probe(Emit *e, LLVMValueRef v);
// m, which is synchronized, has its monitor.
void emit_locked_probe(Emit *e, Method *m);
// m is left, with an exception pending if `thrown`.
void emit_exit_probe(Emit *e, Method *m, bool thrown);
// shared_access of a field, or (NULL) of an element. Nothing for volatile fields.
void emit_shared_probe(Emit *e, Field *f, char type, bool put, LLVMValueRef object, LLVMValueRef address);
// sync_acquire behind, or sync_release in front of an access that orders threads: in every version of the code.
void emit_sync(Emit *e, enum EventId event, const Field *f, LLVMValueRef address);
void emit_field_probe(Emit *e, Field *f, bool put, LLVMValueRef object);  // object NULL: static
void emit_value_probe(Emit *e, LLVMValueRef v);                           // a value that was loaded
// The event `instruction` of the current one, with these operands, the deepest first; and of what emit_instruction_here does
// not leave to the place that resolves and initialises what it names (calls, static fields, new), with those on the stack.
void emit_instruction_probe(Emit *e, const LLVMValueRef *operands, unsigned count);
void emit_instruction_here(Emit *e, unsigned opcode);
// scalar_pair of a value that is assigned to a local (`before` NULL) or to a field, which holds `before`.
void emit_assigned_probes(Emit *e, char kind, LLVMValueRef v, LLVMValueRef before);
void emit_receiver_probe(Emit *e, LLVMValueRef receiver);                 // not null
void emit_new_probe(Emit *e, LLVMValueRef object, unsigned depth);        // with arrays so many levels below it
// Where to jump for that successor, whose label is `to`: over its backedge event, if it has one.
LLVMBasicBlockRef emit_edge_probes(Emit *e, uint32_t successor, LLVMBasicBlockRef to);
// Where to jump for that successor of a branch or switch, whose label is `to`: over the event that it was taken, by its
// number, and over its backedge event.
LLVMBasicBlockRef emit_branch_edge(Emit *e, uint32_t successor, uint32_t number, LLVMBasicBlockRef to);

// The event, with all of its payload, where the code reports at all; never counted.
void emit_report(Emit *e, enum EventId event, const LLVMValueRef *args);

// ---- emit_path.c: nothing for frames that do not report paths ----
void emit_path_frame(Emit *e, EmitFrame *f);             // of a new frame
void emit_path_begin(Emit *e, uint32_t block);           // a path begins at that FlowBlock
// Where to jump over the edge with that number (0 where the block has one) of the current FlowBlock, whose label is `to`.
LLVMBasicBlockRef emit_path_edge(Emit *e, uint32_t edge, LLVMBasicBlockRef to);
void emit_path_end(Emit *e);                             // the method is about to return
void emit_path_thrown(Emit *e);                          // an exception is pending in the current FlowBlock
LLVMValueRef emit_path_value(Emit *e, const EmitFrame *f, uint32_t block);  // Frame.path in that FlowBlock
// Frame.path of the innermost frame, which is left for a sample at its entry or in front of that FlowBlock; NULL: it is not known.
LLVMValueRef emit_path_sampled(Emit *e, bool entry, uint32_t block);

// ---- emit_call.c ----
#define EMIT_OSR_SHAPE "LL"  // of an on-stack replacement: locals, monitor
enum { EMIT_MAX_PARAMS = EMIT_MAX_ARGS + 2 };
LLVMTypeRef emit_java_type(Emit *e, const char *shape, char result);
// Arguments as Java slots in the buffer of deoptimisation points.
LLVMValueRef emit_args_to_buffer(Emit *e, const char *shape, LLVMValueRef *args, unsigned count);

// ---- emit_leave.c ----
// Return from e->frame: ends the block. NULL for void.
void emit_leave_with(Emit *e, LLVMValueRef result);
// What Object.<init> does at its end.
// Enters and leaves the monitor of an object that is not null, by the lock word if that is enough, else by the VM: a call of it that
// throws goes to `unwind`, with the monitors as they were. i1: the VM was not called. Once the monitor's state is on record,
// emit_check_behind_monitor tests Thread.deopt_pending if it was (as emit_check_to).
LLVMValueRef emit_monitor_enter(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind);
LLVMValueRef emit_monitor_exit(Emit *e, LLVMValueRef object, LLVMBasicBlockRef unwind);
void emit_check_behind_monitor(Emit *e, LLVMValueRef was_fast, bool after, LLVMBasicBlockRef unwind);
void emit_finalizer_test(Emit *e, LLVMValueRef object, bool at_return);

#endif
