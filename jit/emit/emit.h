// From a plan to LLVM IR: one function per compilation, with all that is inlined.
//
// emit.c owns the module and the function, and how they begin; emit_versions.c the walk over the nodes of the code,
// each in its versions, and the edges between them; emit_state.c operand stack, locals and symbols; emit_ops.c
// arithmetic, constants and branches; emit_call.c calls; emit_intrinsic.c intrinsics; emit_memory.c fields and
// arrays; emit_object.c allocation, type checks, monitors; emit_exception.c throwing and handlers; emit_deopt.c stack
// maps, deoptimisation points, yieldpoints; emit_loop.c strip-mined loops; emit_sample.c the checks of sampling;
// emit_leave.c returns; emit_virtual.c allocations that may vanish, which escape.c then decides about.
//
// State. Operand-stack values are LLVM values in EmitFrame.stack; where blocks meet they pass through
// stack slots (allocas), as locals always do: one alloca for each pair of slot and kind. Passes turn them
// into registers. References are `ptr`; int and smaller i32; return addresses of jsr i64.
//
// No address of the running process appears in the IR: what the code needs is a named symbol
// (emit_symbol), so equal plans give equal objects.
//
// Order inside an instruction: pop the operands; tests that throw (emit_throw_if, emit_null_check); calls of
// the VM, each followed by emit_check; push the results; if a call was the last thing that
// happened, emit_check(e, true) behind the push. What `before` describes is kept by emit.c.
#ifndef CABERNET_JIT_EMIT_H
#define CABERNET_JIT_EMIT_H

#include <llvm-c/Core.h>

#include "jit/analysis/code_versions.h"
#include "jit/plan/plan.h"
#include "jit/analysis/strip_mining.h"
#include "jit/backend/unit.h"

// One method being emitted: the root or an inlined one.
typedef struct EmitFrame EmitFrame;
typedef struct Emit Emit;

typedef struct EmitValue {
    LLVMValueRef v;
    char kind;  // KIND_INT, KIND_LONG, KIND_FLOAT, KIND_DOUBLE, KIND_REF, KIND_RETURN
} EmitValue;

// The versions of a block (jit/analysis/code_versions.h).
typedef enum VersionKind {
    VERSION_ONLY,        // the only one, in code without sampling: every event is reported
    VERSION_CHECKING,    // sampled code whose last check said no: events are not reported
    VERSION_DUPLICATED,  // sampled code whose last check said yes: events are reported
    VERSION_UNCHECKED,   // sampled code that no check answers for: each event has a check of its own
    VERSION_CHECK_FREE,  // checking code of a loop without its checks: the budget is enough for all iterations
    VERSION_REPLACING,   // the beginning of an on-stack replacement: the interpreter's check answers, as the thread says
} VersionKind;

// The version that is being emitted.
typedef struct EmitVersion {
    VersionKind kind;
    const struct EmitLoop *loop;  // that has the thread's budget in a register here, or NULL: the thread has it
} EmitVersion;

// Where exceptions of a block go, by the number of monitors held there and the version.
typedef struct EmitDispatch {
    struct EmitDispatch *next;
    uint32_t block, lock_depth;
    VersionKind version;
    LLVMBasicBlockRef label;
    bool done;
} EmitDispatch;

// A loop that is strip-mined, or keeps the budget in a register, or is as any other: neither `entry` nor `again`.
typedef struct EmitLoop {
    const InnerLoop *loop;
    LLVMBasicBlockRef entry;    // where a strip begins: before the loop, and behind the poll
    LLVMBasicBlockRef again;    // the check of a loop that is not strip-mined, with the budget in its register
    LLVMBasicBlockRef check_free;  // in front of the check-free version, or NULL: there is none
    LLVMValueRef budget;        // alloca, or NULL: the loop makes no checks; as it is, or if there is `at`, was
    LLVMValueRef begin, at;     // allocas: the induction variable when the budget was that, at the header
    LLVMValueRef limit;         // alloca: the strip's own bound
    LLVMValueRef *lengths;      // allocas of lengths, by number in loop->arrays: of null 0
} EmitLoop;

struct EmitFrame {
    EmitFrame *parent;
    const Plan *plan;
    Method *method;
    uint32_t block;             // FlowBlock being emitted
    uint32_t bci, next_bci;     // instruction being emitted
    EmitValue *stack;           // values, long and double one each
    uint32_t depth;
    EmitValue *before;          // the stack as the instruction found it
    uint32_t before_depth, before_locks;
    char *local_kinds;          // at this point
    LLVMValueRef *locals;       // alloca of slot and kind, made on demand
    LLVMValueRef *slots;        // the same for the operand stack where blocks meet
    LLVMValueRef *cached;       // by local: its value if known in this FlowBlock
    LLVMValueRef *fixed;        // by local: an argument that is never stored into has no alloca
    bool *stored;               // by local: some instruction stores into it
    const VersionFrame *versions;  // its nodes
    uint32_t node;              // being emitted
    EmitLoop *loops;            // one for each of versions->loops
    EmitDispatch *dispatches;
    const struct Paths *paths;  // it reports them; else NULL
    LLVMValueRef path;          // alloca of their register
    LLVMValueRef monitor;       // alloca for the object a synchronized method locks, or NULL
    bool locked;                // the monitor is held at this point
    LLVMValueRef *lock_slots;   // allocas of the objects entered by monitorenter, by depth
    uint32_t lock_depth, lock_room;
    struct EmitInvocation *invocation;  // inlined, met by this node or in progress
    bool this_nonnull;          // local 0 has an alloca, but always is the receiver
    uint32_t position, position_bci; // cached unit position; position CODE_NONE: none
    uint32_t nonnull_base;      // known when the frame was entered
};

// What edges lead to: the versions of a node, and the check of sampling in front of it.
typedef enum EmitLabel {
    LABEL_CHECKING,             // VERSION_CHECKING, or VERSION_ONLY or _UNCHECKED, which exist in its place
    LABEL_DUPLICATED,
    LABEL_CHECK_FREE,
    LABEL_CHECK,
    EMIT_LABELS
} EmitLabel;

struct Emit {
    Unit *unit;                 // what is being made (jit/backend/unit.h)
    const Plan *root;
    const CompilerLayout *layout;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMBuilderRef entry_builder;  // for allocas, at the top of the entry block
    LLVMValueRef function, thread;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, void_type;
    EmitFrame *frame;           // innermost
    LLVMValueRef deopt_buffer;   // alloca, made bigger at the end (size_buffer)
    uint32_t deopt_buffer_size;  // slots
    LLVMValueRef leaving;        // phi in the block that leaves the function: the deoptimisation point; NULL: none does so far
    char return_kind;           // of the root method
    LLVMValueRef outer_site;    // of the call of the root (CALL_SITED), i64, or 0; NULL: the root does not ask
    LLVMValueRef budget;         // alloca: the thread's budget, as it is there where no loop has it (emit_loop.c); NULL: nobody asks
    LLVMBasicBlockRef passed;    // where the root goes on whose entry has been checked; NULL: it has not
    bool entering;              // the entry of the root is still to be counted
    LLVMBasicBlockRef throw_return;  // leaves the root with an exception pending
    CodeVersions *versions;
    bool escapes;               // some allocation may vanish: jit/escape/escape.h
    LLVMValueRef allocation;    // its number there while one of these is emitted; else NULL
    EmitVersion version;
    LLVMValueRef sampled_path;   // while a deoptimisation point for a sample is emitted: emit_path_sampled; else NULL
    struct EmitRing *ring;      // private to emit_ring.c; NULL: events do not go into a ring
    LLVMBasicBlockRef *labels[EMIT_LABELS];  // private to emit_versions.c: by node
    // Private to emit_state.c.
    HashTable symbols;           // by kind and key
    uint32_t symbol_serial, number_serial;
    LLVMValueRef *nonnull;
    uint32_t nonnull_count, nonnull_room;
    // The last three-way comparison, for a branch right behind it.
    struct { LLVMValueRef result, a, b; unsigned opcode; } compared;
    LLVMMetadataRef likely, unlikely;
    unsigned prof_kind;
};

// Emits the whole module into unit->module. False with unit->bailout set.
bool emit_module(Unit *unit);

// ---- operand stack and locals of the current frame ----
void emit_push(Emit *e, char kind, LLVMValueRef v);
LLVMValueRef emit_pop(Emit *e);
EmitValue emit_pop_value(Emit *e);
EmitValue emit_peek(const Emit *e, uint32_t from_top);   // 0: top
LLVMValueRef emit_load_local(Emit *e, uint32_t index, char kind);
void emit_store_local(Emit *e, uint32_t index, char kind, LLVMValueRef v);
LLVMTypeRef emit_type(const Emit *e, char kind);         // 'V' too
static inline bool emit_is_wide(char kind) { return kind == KIND_LONG || kind == KIND_DOUBLE; }

// ---- addresses and memory ----
typedef enum SymbolKind {
    SYMBOL_CLASS,    // Class *
    SYMBOL_VTABLE,   // VTable * of a Class *
    SYMBOL_METHOD,   // Method *
    SYMBOL_STATIC,   // address of a static Field *
    SYMBOL_FIELD,    // Field *
    SYMBOL_CONST_REF,  // Object ** that holds a constant; named by frame and bci of its first use
    SYMBOL_RUNTIME,  // runtime call by number, cast
} SymbolKind;
// The global that stands for it; its address is the value.
LLVMValueRef emit_symbol(Emit *e, SymbolKind kind, const void *key);
// A number below 2^31 that may differ from run to run, i64: a symbol too.
LLVMValueRef emit_number(Emit *e, uint32_t number);
LLVMValueRef emit_const_ref(Emit *e, Object **slot);      // loads the object
LLVMValueRef emit_int(Emit *e, int64_t value);            // i32
LLVMValueRef emit_long(Emit *e, int64_t value);
LLVMValueRef emit_null(Emit *e);
LLVMValueRef emit_offset(Emit *e, LLVMValueRef base, LLVMValueRef i64_offset);  // ptr + bytes
LLVMValueRef emit_offset_const(Emit *e, LLVMValueRef base, int64_t offset);
// Load and store at base + offset of what no other thread writes meanwhile.
LLVMValueRef emit_load(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset);
void emit_store(Emit *e, LLVMValueRef v, LLVMValueRef base, int64_t offset);
// Load of what other threads may write at the same time.
LLVMValueRef emit_load_atomic(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset, LLVMAtomicOrdering order);
LLVMValueRef emit_alloca(Emit *e, LLVMTypeRef type, const char *name);  // in the entry block
void emit_metadata(Emit *e, LLVMValueRef instruction, const char *kind);  // an empty node: "invariant.load"
// A value as a raw 64-bit slot (ints zero-extended), and back.
LLVMValueRef emit_to_raw(Emit *e, char kind, LLVMValueRef v);
LLVMValueRef emit_from_raw(Emit *e, char kind, LLVMValueRef raw);

// ---- control ----
LLVMBasicBlockRef emit_block(Emit *e, const char *name);  // appended; builder does not move
void emit_at(Emit *e, LLVMBasicBlockRef block);           // builder to its end
bool emit_terminated(const Emit *e);                      // the current block has its terminator
void emit_jump(Emit *e, LLVMBasicBlockRef block);
// Conditional branch; likely: 1 the condition is expected, 0 not, -1 unknown.
void emit_branch(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, int likely);
LLVMValueRef emit_is_null(Emit *e, LLVMValueRef ref);     // i1
// Two-way merge of a value: the builder is at the end of neither.
LLVMValueRef emit_phi2(Emit *e, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a,
                       LLVMValueRef b, LLVMBasicBlockRef from_b);

// ---- calls of the VM ----
// A runtime call with a deopt bundle of the current position (leaf rows: without). `args` without the thread, which
// is passed where the signature has T. Does not test for exceptions.
LLVMValueRef emit_runtime(Emit *e, enum RuntimeCallId id, LLVMValueRef *args, unsigned count);
// Behind a call: to the handlers if an exception is pending; deoptimises if rt_deopt_pending says so. `after`:
// the instruction is done, all its results are pushed (goes on at next_bci); otherwise it is done anew
// from the beginning, with its operands.
void emit_check(Emit *e, bool after);
// If the condition holds (unlikely): calls `id`, which throws, and goes to the handlers. The builder goes on in
// the other case. `args` without the thread.
void emit_throw_if(Emit *e, LLVMValueRef condition, enum RuntimeCallId id, LLVMValueRef *args, unsigned count);
void emit_null_check(Emit *e, LLVMValueRef ref);          // nothing if known not to be null
void emit_mark_nonnull(Emit *e, LLVMValueRef ref);        // not null from here on (a new object)
bool emit_known_nonnull(const Emit *e, LLVMValueRef ref);
// Ends the block: an exception is pending.
void emit_unwind(Emit *e);
LLVMBasicBlockRef emit_unwind_label(Emit *e);             // the block to jump to for that
// Ends the block: the interpreter executes the current instruction.
void emit_deopt(Emit *e, uint16_t reason);
// Monitors of monitorenter: call behind the successful rt_monitor_enter or _exit (or what is emitted
// instead) and before emit_check(e, true).
void emit_locked(Emit *e, LLVMValueRef object);
void emit_unlocked(Emit *e);
// "deopt" bundle of the current position, for calls that emit_runtime does not make; to be disposed of.
LLVMOperandBundleRef emit_deopt_bundle(Emit *e);

// ---- the instruction groups: each handles the instruction at e->frame->bci; false: not one of its own ----
bool emit_ops(Emit *e, unsigned opcode);       // constants (all of ldc), locals, stack, arithmetic, control flow
bool emit_memory(Emit *e, unsigned opcode);    // xaload, xastore, arraylength, get/putfield, get/putstatic
bool emit_object(Emit *e, unsigned opcode);    // new, newarray..., checkcast, instanceof, monitorenter/exit
bool emit_call(Emit *e, unsigned opcode);      // invoke*
bool emit_leave(Emit *e, unsigned opcode);     // returns, athrow

// Before the first use of a class: rt_class_init unless it is initialised. Nothing when site->initialized. For
// static fields and calls, and `new`; `cls` is the class to initialise. Operands are still on the stack.
void emit_class_barrier(Emit *e, const Site *site, Class *cls);

#endif
