// The state of the bytecode at the place where code is being emitted, and the calls of the VM from there. Lies between
// LLVM (jit/ir) and what emits events and instructions: both need the frames and both call the VM, and every call
// describes the frames to the stack walker and hands over the thread's budget.
//
// Operand-stack values are LLVM values in JavaFrame.stack. Between blocks they pass through stack slots (allocas).
// Locals always have allocas, one for each pair of slot and kind. LLVM's passes turn allocas into registers. Within a
// FlowBlock a local's value is kept in `cached` (and also stored in its alloca). At the beginning of a block only facts
// that hold throughout the method are known.
//
// A position is a method and bytecode index, followed by those of the callers that the method is inlined into. A stack
// map is a position and the objects that its frames have locked; every call except those of leaf rows has one, in its
// "deopt" bundle.
//
// The callers of the current frame are in the middle of an invocation and have popped its arguments. Their JavaFrames
// hold their state at that moment.
//
// Sampled code decrements the thread's budget at each check. A loop without calls keeps it in a register (LoopBudget),
// and gives it to the thread before any code that may read it.
#ifndef CABERNET_JIT_FRAMES_FRAMES_H
#define CABERNET_JIT_FRAMES_FRAMES_H

#include "jit/ir/ir.h"
#include "jit/plan/plan.h"

enum { JAVA_KINDS = 6 };       // columns of JavaFrame.locals and .slots
enum { JAVA_MAX_ARGS = 256 };  // maximum of a Java method

typedef struct TypedValue {
    LLVMValueRef v;
    char kind;  // KIND_INT, KIND_LONG, KIND_FLOAT, KIND_DOUBLE, KIND_REF, KIND_RETURN
} TypedValue;

// The versions of a block (jit/analysis/code_versions.h).
typedef enum VersionKind {
    VERSION_ONLY,        // the only one, in code without sampling: every event is reported
    VERSION_CHECKING,    // sampled code; the last check began no sample: events are not reported
    VERSION_DUPLICATED,  // sampled code; the last check began a sample: events are reported
    VERSION_UNCHECKED,   // sampled code without a preceding check: each event makes its own check
    VERSION_CHECK_FREE,  // checking code of a loop without its checks: the budget suffices for all iterations
    VERSION_REPLACING,   // beginning of an on-stack replacement: the thread has the result of the interpreter's check
} VersionKind;

// The thread's budget in a loop that keeps it in a register.
typedef struct LoopBudget {
    LLVMValueRef slot;       // alloca, current unless there is `at`; NULL: the loop makes no checks
    LLVMValueRef begin, at;  // allocas: the induction variable when `slot` was stored, and at the header
    int32_t step;            // of the variable
} LoopBudget;

// The version being emitted.
typedef struct Version {
    VersionKind kind;
    const LoopBudget *loop;  // of the loop that keeps the thread's budget in a register here; NULL: none does
} Version;

// One method being emitted: the root or an inlined one.
typedef struct JavaFrame JavaFrame;
struct JavaFrame {
    JavaFrame *parent;
    const Plan *plan;
    Method *method;
    uint32_t block;          // FlowBlock being emitted
    uint32_t bci, next_bci;  // instruction being emitted
    TypedValue *stack;       // values; a long or double is one
    uint32_t depth;
    TypedValue *before;  // the stack at the start of the instruction
    uint32_t before_depth, before_locks;
    char *local_kinds;         // at the current instruction
    LLVMValueRef *locals;      // allocas by slot and kind, made on demand
    LLVMValueRef *slots;       // the same for the operand stack between blocks
    LLVMValueRef *cached;      // by local: its value, if known in this FlowBlock
    LLVMValueRef *fixed;       // by local: the argument, if no instruction stores into the local; it has no alloca
    bool *stored;              // by local: some instruction stores into it
    LLVMValueRef monitor;      // alloca of the object that a synchronized method locks, or NULL
    bool locked;               // the monitor is held at the current instruction
    LLVMValueRef *lock_slots;  // allocas of the objects entered by monitorenter, by depth
    uint32_t lock_depth, lock_room;
    bool this_nonnull;                // local 0 has an alloca, but always holds the receiver
    uint32_t position, position_bci;  // cached unit position; position CODE_NONE: none
    uint32_t nonnull_base;            // number of references known to be non-null when the frame was entered
    // Attached by jit/probes.
    const struct Paths *paths;  // NULL: the frame does not report paths
    LLVMValueRef path;          // alloca of the path register
    // Attached by jit/emit.
    const struct VersionFrame *versions;  // the frame's nodes
    uint32_t node;                        // node being emitted
    struct EmitLoop *loops;               // by number in versions->loops
    struct EmitDispatch *dispatches;
    struct EmitInvocation *invocation;  // inlined invocation that this node begins or that is being emitted
};

typedef struct Frames {
    Ir *ir;
    JavaFrame *top;  // innermost
    Version version;
    bool entering;          // the entry of the root has not been counted yet
    uint32_t ring_words;    // bound of the words written into the ring since the last yieldpoint (probe_ring.c)
    LLVMValueRef *nonnull;  // references known to be non-null
    uint32_t nonnull_count, nonnull_room;
} Frames;

void frames_end(Frames *fs);

// ---- frames.c ----
JavaFrame *frames_enter(Frames *fs, const Plan *plan);  // fs->top becomes the new frame
void frames_leave(Frames *fs);                          // fs->top becomes its parent again
void frames_at(JavaFrame *f, uint32_t block);           // at the block's beginning, with an empty operand stack
// State at the start of a FlowBlock: kinds and stack from the data-flow analysis.
void frames_block_begins(Frames *fs, uint32_t block);
void frames_keep_before(JavaFrame *f);  // copies the current stack to `before`
static inline bool frames_has_monitor(const Method *m) { return m->flags & ACC_SYNCHRONIZED; }

// The operand stack of the innermost frame.
void frames_push(Frames *fs, char kind, LLVMValueRef v);
LLVMValueRef frames_pop(Frames *fs);
TypedValue frames_peek(const Frames *fs, uint32_t from_top);  // 0: top
void frames_spill_stack(Frames *fs);                          // stores the operand stack in its slots
LLVMValueRef frames_load_slot(Frames *fs, JavaFrame *f, uint32_t slot, char kind);  // loads one from its slot

// Its locals.
LLVMValueRef frames_load_local(Frames *fs, uint32_t index, char kind);
void frames_store_local(Frames *fs, uint32_t index, char kind, LLVMValueRef v);
void frames_forget_locals(Frames *fs);  // forgets the values of all locals except those never stored into
// Loads a local from its alloca, ignoring the value cached in this block.
LLVMValueRef frames_reload_local(Frames *fs, JavaFrame *f, uint32_t index, char kind);
LLVMValueRef frames_local_slot(Frames *fs, JavaFrame *f, uint32_t index, char kind);
// An argument becomes a local; arguments, with kinds given by `shape`, become locals. The frame has one version.
void frames_bind_local(Frames *fs, uint32_t index, char kind, LLVMValueRef v);
void frames_bind_args(Frames *fs, const char *shape, LLVMValueRef *args);
// Marks the receiver non-null throughout the frame if it is in a local that is never stored into.
void frames_bind_receiver(Frames *fs);

// References known not to be null from here on.
void frames_mark_nonnull(Frames *fs, LLVMValueRef ref);
bool frames_known_nonnull(const Frames *fs, LLVMValueRef ref);

// ---- frames_calls.c ----
uint32_t frames_position(Frames *fs, JavaFrame *f);
uint8_t frames_sampling(const Frames *fs);  // DeoptSampling of the version being emitted
// Records the monitor entered at that depth: after the successful rt_monitor_enter (or the inline fast path) and before
// the check of the instruction.
void frames_lock_at(Frames *fs, uint32_t depth, LLVMValueRef object);
// "deopt" bundle of the current position, for calls not made by frames_runtime. The caller disposes of it.
LLVMOperandBundleRef frames_deopt_bundle(Frames *fs);
// A runtime call with a deopt bundle of the current position (leaf rows have none). `args` excludes the thread, which
// is passed where the signature has T. Does not test for exceptions.
LLVMValueRef frames_runtime(Frames *fs, enum RuntimeCallId id, LLVMValueRef *args, unsigned count);

// ---- frames_budget.c ----
// The thread always has the budget, except in version.loop, which keeps it in a register: frames_budget_save stores it,
// before code that may read or change it, and frames_budget_load loads it after that code.
void frames_budget_save(Frames *fs);
void frames_budget_load(Frames *fs);
// The budget, while no loop has it. An i32.
LLVMValueRef frames_budget_read(Frames *fs);
void frames_budget_set(Frames *fs, LLVMValueRef budget);
LLVMValueRef frames_budget_of(Frames *fs, const LoopBudget *loop);  // in such a loop
LLVMValueRef frames_budget_here(Frames *fs);                        // at a check, where a loop's register is current

#endif
