// One translation of a method into template code, and its abstract operand stack.
//
// The abstract operand stack says, at each instruction, where each operand is: a constant, a local variable not yet
// read, a register, or its home, which is its slot in the interpreter's frame. Operands go home before calls, at the
// ends of basic blocks and at exits to the interpreter, where other code may read the frame. So registers hold nothing
// across calls.
//
// A register may also hold a local variable. A store to a local goes to memory at once, and later reads in the same
// basic block use the register.
#ifndef CABERNET_VM_TEMPLATE_OPERANDSTACK_H
#define CABERNET_VM_TEMPLATE_OPERANDSTACK_H

#include "arch_asm.h"
#include "vm/model/frame.h"

struct MethodCounts;

// The registers of template code. Operands use the scratch registers, which are those that a C function may change.
enum {
    REG_FRAME = REG_BX,   // the Frame of the method that runs
    REG_THREAD = REG_13,  // its Thread
    REG_ARGS = REG_DI,    // at a call: the address of the arguments
    REG_METHOD = REG_SI,  // at a call: the Method
    REG_RESULT = REG_AX,  // at a return: the result, as 64 bits
    REG_CALL = REG_8,     // at a call, in an exact profile: how the callee counts the call edge
    // Values of REG_CALL. 0: the count of the call site gives that of the edge. CALL_BY_HELPER: a function of the VM
    // counts it. Any other number: the offset, in the caller's counters, of the first target that the site selects
    // (FlowCall).
    CALL_BY_HELPER = 1,
    REGISTERS = 16,
};

typedef enum Place {
    AT_HOME,
    AT_CONSTANT,
    AT_LOCAL,
    AT_REGISTER,
    AT_VECTOR,   // a vector register
    AT_NOTHING,  // the second slot of a long or double
} Place;

typedef struct Operand {
    uint8_t place;   // Place
    uint8_t reg;     // AT_REGISTER, AT_VECTOR
    bool clean;      // AT_REGISTER: if it is an int, the upper half of the register is zero
    uint16_t local;  // AT_LOCAL
    int64_t value;   // AT_CONSTANT
} Operand;

typedef struct RegisterState {
    uint16_t uses;  // number of operands in the register
    bool pinned;    // the current instruction needs the register
    bool clean;     // as in Operand, of `local`
    int32_t local;  // local variable that the register holds too; -1: none
} RegisterState;

// An exit from the code, and the operands that were not at home there.
typedef struct ColdExit {
    AsmJump jump;
    uint8_t kind;   // TemplateExitKind
    uint32_t word;  // at which the interpreter continues
    uint32_t depth;
    uint32_t first, count;  // into Translation.saved
    uint32_t resume;        // TEMPLATE_INVOKES, TEMPLATE_RESOLVES_CALL: offset that the call returns to
} ColdExit;

typedef struct SavedOperand {
    uint32_t index;
    Operand operand;
} SavedOperand;

// A slow path, emitted after the method's code.
typedef struct Translation Translation;
typedef struct SlowCode SlowCode;
typedef void SlowPath(Translation *t, const SlowCode *slow);
struct SlowCode {
    SlowPath *fn;
    AsmJump jump;         // leads to it
    uint32_t back;        // offset that it returns to
    uint32_t word, next;  // its instruction, and the one that follows
    uint32_t depth;       // operands before the instruction, all at home
    uint32_t slots;       // operands that the instruction takes
    const void *value;
    int32_t number;
};

typedef struct Fixup {
    AsmJump jump;
    uint32_t word;   // target
    uint32_t table;  // for an entry of a jump table: offset of the table, to which the entry is relative; 0: a jump
} Fixup;

// The constants that a call stores into its frame together: Frame.pc and Frame.resume.
typedef struct CallPair {
    AsmJump load;
    uint32_t word, resume;
} CallPair;

struct Translation {
    Asm a;
    const Method *m;
    Insn *code;  // the method's
    uint32_t words, first_word;
    uint32_t begin;         // offset after the checks of the prologue
    uint32_t frame_locals;  // slots of locals below the frame

    uint32_t word, next;  // the current instruction, and the next one
    Insn insn;            // header of the current instruction, read once
    bool ended;           // the basic block has ended
    bool failed;

    uint32_t depth, max_depth;
    Operand *stack;
    RegisterState registers[REGISTERS], vectors[REGISTERS];
    uint64_t nonnull;    // locals that are known not to be null; the first 64
    bool receiver_kept;  // local 0 is the receiver throughout the method

    uint64_t *targets;   // words at which a basic block begins
    uint64_t *pending;   // of these, those reachable and not translated yet
    uint32_t *offset;    // of each word that begins a block; 0: not translated
    uint16_t *depth_at;  // of each word that begins a block

    Fixup *fixups;
    ColdExit *exits;
    SavedOperand *saved;
    SlowCode *slow, no_slow;  // no_slow: written to once memory has run out
    CallPair *pairs;
    struct TemplatePlace *returns;
    uint32_t fixup_count, fixup_room, exit_count, exit_room, saved_count, saved_room, slow_count, slow_room;
    uint32_t pair_count, pair_room, return_count, return_room;

    bool counting;          // for an exact profile (vm/interp/flowcounts.h)
    bool reports_locks;     // a listener to threads exists, so the VM's functions enter and exit monitors
    bool reports_volatile;  // the listener follows volatile accesses, which the interpreter executes
    bool reporting;         // for an exact profile some of whose events are reported (vm/interp/interp_probes.h)
    bool checks_loops, checks_entry;  // for a sampled profile (vm/instrument/sampling.h)
    // Counts for the plans of the optimising tier; NULL: the code has none.
    struct MethodCounts *counts;
};

// ---- where things are ---------------------------------------------------------------------------

AsmMemory operands_home(uint32_t index);
AsmMemory operands_local(const Translation *t, uint32_t local);

// ---- registers. None of these changes the flags --------------------------------------------------

// Unpins all registers, at the end of an instruction.
void operands_unpin(Translation *t);
// A free register, pinned.
int operands_new(Translation *t);
int operands_new_vector(Translation *t);
// Frees and pins this register; its contents move to another one.
void operands_claim(Translation *t, int reg);
// Forgets which locals are in registers, at the beginning of a block or after a call. Requires all operands to be at
// home.
void operands_forget(Translation *t);

// ---- operands; `index` counts from the bottom of the stack ---------------------------------------

// A pinned register with the value, which the caller must not change. `wide`: a long, a double's bits or a reference.
int operands_get(Translation *t, uint32_t index, bool wide);
// The same for an int, extended to 64 bits with zeros.
int operands_get_index(Translation *t, uint32_t index);
// A pinned register with the value, which the caller may change. The operand must be popped next.
int operands_own(Translation *t, uint32_t index, bool wide);
int operands_get_vector(Translation *t, uint32_t index, bool wide);
int operands_own_vector(Translation *t, uint32_t index, bool wide);
// Whether the value is in memory, and in no register.
bool operands_in_memory(const Translation *t, uint32_t index, AsmMemory *at);
bool operands_constant(const Translation *t, uint32_t index, int32_t *value);
// Whether the operand is known not to be null, and marking it as such from here on.
bool operands_nonnull(const Translation *t, uint32_t index);
void operands_set_nonnull(Translation *t, uint32_t index);

void operands_pop(Translation *t, uint32_t slots);
void operands_push_constant(Translation *t, int64_t value, uint32_t slots);
void operands_push_local(Translation *t, uint32_t local, uint32_t slots);
void operands_push_register(Translation *t, int reg, bool clean, uint32_t slots);
void operands_push_vector(Translation *t, int reg, uint32_t slots);
void operands_push_home(Translation *t, uint32_t slots);

// Stores all operands to their homes.
void operands_flush(Translation *t);
// Stores the value of an operand, as described by `o`, to a slot. May use `scratch` if the value is not in a register.
void operands_store(Translation *t, const Operand *o, AsmMemory to, int scratch);
// Stores the operand at `index` into the local variable, and pops `slots`.
void operands_set_local(Translation *t, uint32_t local, uint32_t index, uint32_t slots);
// Stores an int from `reg`, which holds nothing else, into the local variable.
void operands_local_register(Translation *t, uint32_t local, int reg);
// Rearranges the topmost `count` slots: the new ones, from the bottom, are copies of the old ones at `from`.
void operands_shuffle(Translation *t, uint32_t count, const uint8_t *from, uint32_t new_count);

#endif
