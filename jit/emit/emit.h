// Emits LLVM IR from a plan: one function per compilation, including the inlined methods.
//
// emit.c owns the module, the function and its beginning; emit_versions.c the walk over the nodes of the code, each in
// its versions, and the edges between them; emit_state.c the operand stack, locals and symbols; emit_ops.c arithmetic,
// constants and branches; emit_call.c calls; emit_intrinsic.c, emit_string.c and emit_copy.c intrinsics; emit_memory.c
// fields and arrays; emit_object.c allocation, type checks and monitors; emit_exception.c throwing and handlers;
// emit_deopt.c stack maps, deoptimisation points and yieldpoints; emit_loop.c strip-mined loops; emit_sample.c sampling
// checks; emit_probe.c events, emit_path.c paths, emit_contexts.c calling contexts, and emit_ring.c events written into
// a ring; emit_leave.c returns; emit_virtual.c allocations that escape.c may remove.
//
// State. Operand-stack values are LLVM values in EmitFrame.stack. Between blocks they pass through stack slots
// (allocas). Locals always have allocas, one for each pair of slot and kind. LLVM's passes turn allocas into registers.
// References are `ptr`; int and smaller types are i32; return addresses of jsr are i64.
//
// The IR contains no address of the running process. It refers to the process through named symbols (emit_symbol), so
// equal plans give equal objects.
//
// Order inside an instruction: pop the operands; emit the tests that throw (emit_throw_if, emit_null_check); call the
// VM, with emit_check after each call; push the results. If a call was the last action, emit_check(e, true) follows the
// push. emit.c maintains EmitFrame.before.
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
    VERSION_CHECKING,    // sampled code; the last check began no sample: events are not reported
    VERSION_DUPLICATED,  // sampled code; the last check began a sample: events are reported
    VERSION_UNCHECKED,   // sampled code without a preceding check: each event makes its own check
    VERSION_CHECK_FREE,  // checking code of a loop without its checks: the budget suffices for all iterations
    VERSION_REPLACING,   // beginning of an on-stack replacement: the thread has the result of the interpreter's check
} VersionKind;

// The version being emitted.
typedef struct EmitVersion {
    VersionKind kind;
    const struct EmitLoop *loop;  // the loop that keeps the thread's budget in a register here; NULL: none does
} EmitVersion;

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
    LLVMBasicBlockRef entry;    // beginning of a strip: before the loop, and after the poll
    LLVMBasicBlockRef again;    // the check of a loop that is not strip-mined, with the budget in its register
    LLVMBasicBlockRef check_free;  // before the check-free version; NULL: there is none
    LLVMValueRef budget;        // alloca, current unless there is `at`; NULL: the loop makes no checks
    LLVMValueRef begin, at;     // allocas: the induction variable when `budget` was stored, and at the header
    LLVMValueRef limit;         // alloca: the bound of the strip
    LLVMValueRef *lengths;      // allocas of array lengths, by number in loop->arrays; 0 if the array is null
} EmitLoop;

struct EmitFrame {
    EmitFrame *parent;
    const Plan *plan;
    Method *method;
    uint32_t block;             // FlowBlock being emitted
    uint32_t bci, next_bci;     // instruction being emitted
    EmitValue *stack;           // values; a long or double is one
    uint32_t depth;
    EmitValue *before;          // the stack at the start of the instruction
    uint32_t before_depth, before_locks;
    char *local_kinds;          // at the current instruction
    LLVMValueRef *locals;       // allocas by slot and kind, made on demand
    LLVMValueRef *slots;        // the same for the operand stack between blocks
    LLVMValueRef *cached;       // by local: its value, if known in this FlowBlock
    LLVMValueRef *fixed;        // by local: the argument, if no instruction stores into the local; it has no alloca
    bool *stored;               // by local: some instruction stores into it
    const VersionFrame *versions;  // the frame's nodes
    uint32_t node;              // node being emitted
    EmitLoop *loops;            // by number in versions->loops
    EmitDispatch *dispatches;
    const struct Paths *paths;  // NULL: the frame does not report paths
    LLVMValueRef path;          // alloca of the path register
    LLVMValueRef monitor;       // alloca of the object that a synchronized method locks, or NULL
    bool locked;                // the monitor is held at the current instruction
    LLVMValueRef *lock_slots;   // allocas of the objects entered by monitorenter, by depth
    uint32_t lock_depth, lock_room;
    struct EmitInvocation *invocation;  // inlined invocation that this node begins or that is being emitted
    bool this_nonnull;          // local 0 has an alloca, but always holds the receiver
    uint32_t position, position_bci; // cached unit position; position CODE_NONE: none
    uint32_t nonnull_base;      // number of references known to be non-null when the frame was entered
};

// The targets of edges: the versions of a node, and the sampling check before it.
typedef enum EmitLabel {
    LABEL_CHECKING,             // VERSION_CHECKING, or VERSION_ONLY or _UNCHECKED, which take its place
    LABEL_DUPLICATED,
    LABEL_CHECK_FREE,
    LABEL_CHECK,
    EMIT_LABELS
} EmitLabel;

struct Emit {
    Unit *unit;                 // the unit being compiled (jit/backend/unit.h)
    const Plan *root;
    const CompilerLayout *layout;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    LLVMBuilderRef entry_builder;  // for allocas, at the top of the entry block
    LLVMValueRef function, thread;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr, void_type;
    EmitFrame *frame;           // innermost
    LLVMValueRef deopt_buffer;   // alloca, sized at the end (size_buffer)
    uint32_t deopt_buffer_size;  // slots
    LLVMValueRef leaving;        // phi in the block shared by all exits at deoptimisation points; NULL: no exit yet
    char return_kind;           // of the root method
    LLVMValueRef outer_site;    // i64: the site that called the root (CALL_SITED), or 0; NULL: not needed
    LLVMValueRef budget;         // alloca: the thread's budget while no loop has it; NULL: it is in the thread
    LLVMBasicBlockRef passed;    // where the root continues if the combined entry check succeeds; NULL: there is none
    bool entering;              // the entry of the root has not been counted yet
    LLVMBasicBlockRef throw_return;  // leaves the root with an exception pending
    CodeVersions *versions;
    bool escapes;               // some allocations may be removed: jit/escape/escape.h
    LLVMValueRef allocation;    // number of such an allocation, while it is emitted; else NULL
    EmitVersion version;
    LLVMValueRef sampled_path;   // while a deoptimisation point for a sample is emitted: emit_path_sampled; else NULL
    struct EmitRing *ring;      // private to emit_ring.c; NULL: events do not go into a ring
    LLVMBasicBlockRef *labels[EMIT_LABELS];  // private to emit_versions.c: by node
    // Private to emit_state.c.
    HashTable symbols;           // by kind and key
    uint32_t symbol_serial, number_serial;
    LLVMValueRef *nonnull;
    uint32_t nonnull_count, nonnull_room;
    // The last three-way comparison, for a branch that immediately follows it.
    struct { LLVMValueRef result, a, b; unsigned opcode; } compared;
    LLVMMetadataRef likely, unlikely;
    unsigned prof_kind;
};

// Emits the whole module into unit->module. Returns false with unit->bailout set.
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
    SYMBOL_RUNTIME,  // runtime call; the key is its number, cast
} SymbolKind;
// The global with that symbol; its address is the value.
LLVMValueRef emit_symbol(Emit *e, SymbolKind kind, const void *key);
// A number below 2^31 that may differ from run to run, as an i64; also a symbol.
LLVMValueRef emit_number(Emit *e, uint32_t number);
LLVMValueRef emit_const_ref(Emit *e, Object **slot);      // loads the object
LLVMValueRef emit_int(Emit *e, int64_t value);            // i32
LLVMValueRef emit_long(Emit *e, int64_t value);
LLVMValueRef emit_null(Emit *e);
LLVMValueRef emit_offset(Emit *e, LLVMValueRef base, LLVMValueRef i64_offset);  // ptr + bytes
LLVMValueRef emit_offset_const(Emit *e, LLVMValueRef base, int64_t offset);
// Load and store at base + offset, for memory that no other thread writes meanwhile.
LLVMValueRef emit_load(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset);
void emit_store(Emit *e, LLVMValueRef v, LLVMValueRef base, int64_t offset);
// Load of memory that other threads may write at the same time.
LLVMValueRef emit_load_atomic(Emit *e, LLVMTypeRef type, LLVMValueRef base, int64_t offset, LLVMAtomicOrdering order);
LLVMValueRef emit_alloca(Emit *e, LLVMTypeRef type, const char *name);  // in the entry block
void emit_metadata(Emit *e, LLVMValueRef instruction, const char *kind);  // with an empty node: "invariant.load"
// Converts a value to a raw 64-bit slot (ints are zero-extended), and back.
LLVMValueRef emit_to_raw(Emit *e, char kind, LLVMValueRef v);
LLVMValueRef emit_from_raw(Emit *e, char kind, LLVMValueRef raw);

// ---- control ----
LLVMBasicBlockRef emit_block(Emit *e, const char *name);  // appended; the builder does not move
void emit_at(Emit *e, LLVMBasicBlockRef block);           // moves the builder to its end
bool emit_terminated(const Emit *e);                      // the current block has its terminator
void emit_jump(Emit *e, LLVMBasicBlockRef block);
// Conditional branch. `likely`: 1 the condition is expected to hold, 0 to fail, -1 unknown.
void emit_branch(Emit *e, LLVMValueRef condition, LLVMBasicBlockRef yes, LLVMBasicBlockRef no, int likely);
LLVMValueRef emit_is_null(Emit *e, LLVMValueRef ref);     // i1
// Merges two values. The builder is at the end of neither block.
LLVMValueRef emit_phi2(Emit *e, LLVMTypeRef type, LLVMValueRef a, LLVMBasicBlockRef from_a,
                       LLVMValueRef b, LLVMBasicBlockRef from_b);

// ---- calls of the VM ----
// A runtime call with a deopt bundle of the current position (leaf rows have none). `args` excludes the thread, which
// is passed where the signature has T. Does not test for exceptions.
LLVMValueRef emit_runtime(Emit *e, enum RuntimeCallId id, LLVMValueRef *args, unsigned count);
// Follows a call: jumps to the handlers if an exception is pending; deoptimises if rt_deopt_pending requires it.
// `after`: the instruction is complete and all its results are pushed, so the interpreter resumes at next_bci.
// Otherwise it executes the instruction again, with its operands.
void emit_check(Emit *e, bool after);
// If the condition holds (unlikely), calls `id`, which throws, and jumps to the handlers. Otherwise the builder
// continues. `args` excludes the thread.
void emit_throw_if(Emit *e, LLVMValueRef condition, enum RuntimeCallId id, LLVMValueRef *args, unsigned count);
void emit_null_check(Emit *e, LLVMValueRef ref);          // none if known not to be null
void emit_mark_nonnull(Emit *e, LLVMValueRef ref);        // not null from here on (a new object)
bool emit_known_nonnull(const Emit *e, LLVMValueRef ref);
// Ends the block with an exception pending.
void emit_unwind(Emit *e);
LLVMBasicBlockRef emit_unwind_label(Emit *e);             // the block to jump to with an exception pending
// Ends the block: the interpreter executes the current instruction.
void emit_deopt(Emit *e, uint16_t reason);
// Record a monitor of monitorenter or monitorexit: called after the successful rt_monitor_enter or _exit (or the inline
// fast path) and before emit_check(e, true).
void emit_locked(Emit *e, LLVMValueRef object);
void emit_unlocked(Emit *e);
// "deopt" bundle of the current position, for calls not made by emit_runtime. The caller disposes of it.
LLVMOperandBundleRef emit_deopt_bundle(Emit *e);

// ---- the instruction groups: each emits the instruction at e->frame->bci; false: it belongs to another group ----
bool emit_ops(Emit *e, unsigned opcode);       // constants (all of ldc), locals, stack, arithmetic, control flow
bool emit_memory(Emit *e, unsigned opcode);    // xaload, xastore, arraylength, get/putfield, get/putstatic
bool emit_object(Emit *e, unsigned opcode);    // new, newarray..., checkcast, instanceof, monitorenter/exit
bool emit_call(Emit *e, unsigned opcode);      // invoke*
bool emit_leave(Emit *e, unsigned opcode);     // returns, athrow

// Before the first use of a class by a static field access, a static call or `new`: rt_class_init unless the class is
// initialised. Emits nothing when site->initialized. `cls` is the class to initialise. The operands are still on the
// stack.
void emit_class_barrier(Emit *e, const Site *site, Class *cls);

#endif
