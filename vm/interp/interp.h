// The interpreter: instruction words, dispatch tables, and method entry.
//
// A method's bytecode is decoded once, at its first call, into 8-byte words (vm/interp/predecode.c). An instruction is
// a header word (operation and operands) and, where insn.def says so, payload words. Header words change while threads
// execute them: resolving an instruction stores its payload, then replaces the whole header by one 64-bit store
// (quickening). Every visible state of a word is a correct instruction, so readers need no lock. Branch offsets count
// words and are relative to the header.
//
// Method.code[0] determines how the method is called: ENTER_COLD (not decoded yet), ENTER (build a frame), native,
// intrinsic, abstract... A caller stores pc and sp in its frame, puts the arguments on top of its operand stack and
// executes callee->code.
//
// Dispatch uses a table of label addresses that the interpreter keeps in a register and reloads from Thread.dispatch at
// each method entry, return and taken branch. So replacing Thread.dispatch stops a thread or enables instrumentation,
// and the plain table contains no test for either.
#ifndef CABERNET_VM_INTERP_INTERP_H
#define CABERNET_VM_INTERP_INTERP_H

#include "vm/api/events.h"
#include "vm/model/dispatch.h"
#include "vm/model/frame.h"
#include "vm/objects/classes.h"

typedef enum InsnOp {
#define INSN(name, words) INSN_##name,
#define FUSED(name, first) INSN_##name,
#include "vm/interp/insn.def"
    INSN_COUNT
} InsnOp;

// Size of every invocation: a return continues at the caller's pc plus this.
enum { INSN_INVOKE_WORDS = 2 };

// A dispatch table, for Thread.dispatch. Constant; any thread may call this at any time.
const void *const *interp_table(InterpTable which);

// Makes the tables of a profile that wants these events. Those in `counted` may be counted instead of reported
// (vm/interp/flowcounts.h). `entry_checks`: sampling checks are made at method entries as well as at backedges.
// `by_exits`: COPIES_EXITS (vm/api/sampling.h). Called before a thread runs with one of the tables, or while the world
// is stopped.
void interp_instrument(EventSet events, EventSet counted, bool entry_checks, bool by_exits);

// Gives a method (new, not yet visible to callers) the code that determines how it is called. mflags, sigpoly,
// intrinsic and flags must be final. Never fails; decoding happens at the first call.
void interp_link_method(Method *m);

// Decodes now what the first call would decode. No-op for methods without bytecode and for those that an intrinsic
// always carries out.
void interp_decode(Method *m);
// Around a fork, in the parent and in the child: takes and releases the decoder's lock, which a compile thread may
// hold.
void interp_before_fork(void);
void interp_after_fork(void);

// Runs `m` on the arguments in frame_stack(entry). `entry` is a FRAME_ENTRY on top of the thread's Java stack and equal
// to self->frame. True: the result, if any, is at frame_stack(entry)[0]. False: an exception is pending. Only invoke.c
// calls this; other callers use invoke_method (vm/runtime/invoke.h).
bool interp_run(Thread *self, Method *m, Frame *entry);

// For deoptimisation: resumes self->frame at its pc, with its operand stack, or, if `throwing`, with the pending
// exception thrown there. Runs until `entry`, the FRAME_ENTRY below, is returned to. Otherwise as interp_run.
bool interp_resume(Thread *self, Frame *entry, bool throwing);

// Continues after template code, called by compiled code, has left with *state (exit and its operands). Runs until
// `entry`, the FRAME_ENTRY of that call, is returned to. Frame.resume of `entry` is NULL. Otherwise as interp_run.
struct TemplateState;
bool interp_continue(Thread *self, Frame *entry, const struct TemplateState *state);

// The state of the profile for which template code is made (vm/template/template.h). All threads that run template code
// are in the same state.
typedef enum TemplateMode {
    TEMPLATES_NONE,      // the thread may not run template code at present
    TEMPLATES_PLAIN,     // no profile is on
    TEMPLATES_COUNTING,  // an exact profile whose events are all counted (vm/interp/flowcounts.h)
    TEMPLATES_CHECKING,  // a sampled profile: template code makes the checks, the interpreter executes the samples
    TEMPLATES_CHECKING_LOOPS,  // the same, without checks at method entries
    TEMPLATES_REPORTING,       // an exact profile: some events are reported, perhaps others counted
    TEMPLATE_MODES
} TemplateMode;
// The mode of template code that the thread may run, in a sampled profile between samples. The first thread to ask sets
// the mode for all. Running thread.
TemplateMode interp_template_mode(const Thread *self);
// The address of the dispatch table that a thread must have to run template code. Thread.normal_dispatch is compared
// with the table.
const void *const *const *interp_template_table(void);
// World stopped: no thread enters template code until one sets the mode again, or ever again (`for_good`).
void interp_stop_templates(bool for_good);
// What an exact profile reports and counts. Changes while the world is stopped, or before threads run.
typedef struct InterpProfile {
    bool counts;  // something is counted (vm/interp/flowcounts.h)
    bool
        counts_calls;  // method entries and call edges are; if caller and callee are visible, template code does inline
    bool
        reports_calls;  // method entries or call edges are events; if something is counted, they are reported otherwise
    bool reports_jumps;  // branches without alternatives are events, too
} InterpProfile;
const InterpProfile *interp_profile(void);
// Whether the thread reports events where it is.
bool interp_reports(const Thread *self);

// Counts the entry of `callee`, as FLOW_ENTRY, and returns its counters. `caller`: the frame below, with its pc stored.
// Running thread that counts.
uint64_t *interp_count_entry(Thread *self, const Method *callee, Frame *caller);
// The same if entries may be reported instead. `which`: FLOW_ENTRY or FLOW_DONE.
void interp_entered(Thread *self, const Method *callee, Frame *caller, int which);
// Called before entering compiled code of `callee`, which counts the entry. Returns the call's CALL_TAGS
// (vm/api/compiler.h).
uintptr_t interp_count_compiled(Thread *self, const Method *callee, const Frame *caller);
// Counts the edge of a call through invokeBasic or linkTo*, whose target is `callee`.
void interp_count_target(Thread *self, const Method *callee, Frame *caller);

// Directs calls of a decoded method to its current compiled code, template code or bytecode (Method.compiled,
// Method.template_code). Other threads see the old or the new entry. Takes the decoder's lock.
void interp_set_entry(Method *m);
// Index of a decoded method's first instruction, after the one or two entry words.
uint32_t interp_first_word(const Method *m);

// Whether the operation is an invocation that selects its target at each execution.
static inline bool interp_selects(unsigned op) {
    return op - INSN_invoke_vtable <= (unsigned)(INSN_invoke_linked - INSN_invoke_vtable);
}

// The pc of an ENTRY frame.
extern const Insn interp_halt[INSN_INVOKE_WORDS + 1];

// Number of slots of a return value with that type character.
static inline int interp_slots(char type) { return type == 'V' ? 0 : type == 'J' || type == 'D' ? 2 : 1; }

// One slot more than max_stack, for an invokedynamic's appendix.
enum { INTERP_EXTRA_STACK = 1, FRAME_SLOTS = sizeof(Frame) / sizeof(Slot) };

// ---- private to predecode.c, interp.c and quicken.c ---------------------------------------------

// An exception handler of decoded code, in search order. Found through Method.handlers.
typedef struct Handler {
    uint16_t start, end;   // bytecode indexes, end exclusive
    uint16_t catch_index;  // constant-pool index of the class caught; 0: any
    uint16_t pad;
    uint32_t word;         // target in Method.code
    _Atomic(Class *) cls;  // resolved class, once known
} Handler;

// Whether the address is in the interpreter's loop. Async-signal-safe.
bool interp_is_loop(uintptr_t pc);

#endif
