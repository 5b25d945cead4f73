// Events (vm/api/events.def) in code: calls of the VM that report them, counts, words written into a ring, steps in the
// calling context tree, paths, and the sampling check of an event with a separate check. The rows of the event table
// determine the calls and their arguments; the plan (Plan.events) determines which instructions report.
//
// A probe reads the frames and calls the VM through jit/frames. It never leaves the code: where an event needs a
// yieldpoint or the code must be left for a sample, jit/emit asks (probe_waits_for_sinks, probe_check) and does it.
//
// "Current instruction" is the one that the innermost frame is at. Probes may end the block and begin another.
#ifndef CABERNET_JIT_PROBES_PROBES_H
#define CABERNET_JIT_PROBES_PROBES_H

#include "jit/analysis/code_versions.h"
#include "jit/frames/frames.h"

typedef struct Probes {
    Ir *ir;
    Frames *frames;
    const Plan *root;
    const CodeVersions *versions;
    LLVMValueRef outer_site;  // i64: the site that called the root (CALL_SITED), or 0; NULL: not needed
    struct ProbeRing *ring;   // private to probe_ring.c; NULL: events do not go into a ring
} Probes;

// ---- probe_ring.c: words that the node's code writes into the ring ----
// probe_begin is called once the versions are decided.
void probe_begin(Probes *p, const CodeVersions *versions);
void probe_end(Probes *p);
void probe_ring_node_begins(Probes *p, uint32_t n);
void probe_ring_node_ends(Probes *p, uint32_t n);

// ---- probe.c ----
// Whether the plan wants the event at the current instruction, and whether it is then counted rather than reported.
bool probe_wants(const Probes *p, enum EventId event);
bool probe_counts(const Probes *p, enum EventId event);
// Before the current instruction: whether a yieldpoint must precede it, because it reports and sinks may request a wait
// (vm/api/eventwait.h). The caller emits it.
bool probe_waits_for_sinks(Probes *p);
// Decrements the budget. i1: it is used up, and the VM must be called: rt_check, rt_sample, or a probe that checks.
LLVMValueRef probe_check(Probes *p);
// One event. `args`: its payload, without the method and bytecode index if it begins with them.
void probe_event(Probes *p, enum EventId event, const LLVMValueRef *args);
// The event with its complete payload, if the code reports; never counted.
void probe_report(Probes *p, enum EventId event, const LLVMValueRef *args);

// ---- probe_calls.c ----
// The events of the entry of the innermost frame's method; an inlined method's have the position of its caller.
void probe_entry(Probes *p);
// The entry of m and the edge to it. `from_inside`: the call is at the current instruction. Otherwise it is m's own
// entry, and the caller is found on the stack.
void probe_call(Probes *p, Method *m, bool from_inside);
// Whether exact code counts a call of m at the call rather than at the entry of m. The caller has a visible frame
// (call_edge).
bool probe_counts_calls_of(const Probes *p, const Method *m);
// The label for an exception raised before the root is entered: undoes the caller's count of the call.
LLVMBasicBlockRef probe_not_entered(Probes *p, LLVMBasicBlockRef unwind);
// Before a call at the current instruction: counts it. `m` is the target if known; NULL: `method` is found at run time.
// `site` belongs to the instruction. Returns the value to pass as the Method.
LLVMValueRef probe_count_call(Probes *p, const Method *m, const PlanSite *site, LLVMValueRef method);
// At the beginning of the root: loads the site that called it, if the caller has passed one and the root needs it.
void probe_outer_site(Probes *p);
// m is left; `thrown`: with an exception pending.
void probe_exit(Probes *p, Method *m, bool thrown);

// ---- probe_values.c ----
// The value that the instruction has computed and pushed, the value that it returns, and a loaded value.
void probe_result(Probes *p);
void probe_returned(Probes *p, LLVMValueRef v);
void probe_value(Probes *p, LLVMValueRef v);
// The synchronized method m has taken its monitor.
void probe_locked(Probes *p, Method *m);
// shared_access of a field, or (f NULL) of an element. None for volatile fields.
void probe_shared(Probes *p, Field *f, char type, bool put, LLVMValueRef object, LLVMValueRef address);
// sync_acquire after, or sync_release before, an access that orders threads. Emitted in every version of the code.
void probe_sync(Probes *p, enum EventId event, const Field *f, LLVMValueRef address);
void probe_field(Probes *p, Field *f, bool put, LLVMValueRef object);  // object NULL: static
// probe_instruction: the event `instruction` of the current instruction, with these operands, the deepest first.
// probe_instruction_here: the same with the operands on the stack, except for instructions whose probe follows the
// resolution and initialisation of what they name (calls, static fields, new).
void probe_instruction(Probes *p, const LLVMValueRef *operands, unsigned count);
void probe_instruction_here(Probes *p, unsigned opcode);
// scalar_pair of a value assigned to a local (`before` NULL) or to a field that holds `before`.
void probe_assigned(Probes *p, char kind, LLVMValueRef v, LLVMValueRef before);
void probe_receiver(Probes *p, LLVMValueRef receiver);  // not null
// The instruction has allocated the object; cls: its class, NULL: an array with arrays nested `depth` levels below it.
// length: of an array, else NULL. Returns 1 + the number of the mark that counts it, 0: it is not counted.
uint32_t probe_new(Probes *p, LLVMValueRef object, const Class *cls, LLVMValueRef length, unsigned depth);
// 1 + the number of a mark without a node for allocations of the class by an instruction of m; 0: the code does not
// count allocations.
uint32_t probe_new_elsewhere(Probes *p, const Method *m, uint32_t bci, const Class *cls);
// The block to jump to for that successor, whose label is `to`: its backedge event, if it has one, precedes `to`.
LLVMBasicBlockRef probe_edge(Probes *p, uint32_t successor, LLVMBasicBlockRef to);
// The same for a successor of a branch or switch: the event that edge `number` was taken, then its backedge event,
// precede `to`.
LLVMBasicBlockRef probe_branch_edge(Probes *p, uint32_t successor, uint32_t number, LLVMBasicBlockRef to);

// ---- probe_paths.c: no effect for frames that do not report paths ----
void probe_path_frame(Probes *p, JavaFrame *f);    // initialises a new frame
void probe_path_begin(Probes *p, uint32_t block);  // a path begins at that FlowBlock
// The block to jump to for edge `edge` of the current FlowBlock (0 if it has one edge), whose label is `to`.
LLVMBasicBlockRef probe_path_edge(Probes *p, uint32_t edge, LLVMBasicBlockRef to);
void probe_path_end(Probes *p);     // the method is about to return
void probe_path_thrown(Probes *p);  // an exception is pending in the current FlowBlock
LLVMValueRef probe_path_value(Probes *p, const JavaFrame *f, uint32_t block);  // Frame.path in that FlowBlock
// Frame.path of the innermost frame, which is left for a sample at its entry or before that FlowBlock; NULL: not known.
LLVMValueRef probe_path_sampled(Probes *p, bool entry, uint32_t block);

#endif
