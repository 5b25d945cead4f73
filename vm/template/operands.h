// One translation of a method into template code, and its abstract operand stack.
//
// The operand stack of the code that is being made is known at each instruction. An operand need not have been computed
// where the interpreter would have it: it is a constant, a local variable that was not read yet, or in a register. It goes
// to its home, the slot of the interpreter's frame, before whatever looks at frames: calls, the ends of basic blocks, and
// where the code is left for the interpreter. So registers hold nothing across calls, and frames are the interpreter's.
//
// A register may also be known to hold a local variable: stores to locals go to memory at once, and later reads in the
// same basic block find the register.
#ifndef CABERNET_VM_TEMPLATE_OPERANDS_H
#define CABERNET_VM_TEMPLATE_OPERANDS_H

#include "arch_asm.h"
#include "vm/model/frame.h"

struct MethodCounts;
struct Dataflow;

// The registers of template code. Scratch registers, of which operands are given some, are all that a C function may change.
enum {
    REG_FRAME = REG_BX,    // the Frame of the method that runs
    REG_THREAD = REG_13,   // its Thread
    REG_ARGS = REG_DI,     // at a call: the address of the arguments
    REG_METHOD = REG_SI,   // at a call: the Method
    REG_RESULT = REG_AX,   // at a return: the result, as 64 bits
    REG_CALL = REG_8,      // at a call, in an exact profile: how the call edge is counted
    // 0: it follows from how often the call was executed; another number: the offset, into the caller's counters, of those of the
    // targets that the call selects; or:
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
    uint16_t uses;   // operands that are there
    bool pinned;     // the instruction that is being translated needs it
    bool clean;      // as in Operand, of `local`
    int32_t local;   // also holds this local variable; -1: none
} RegisterState;

// Where code is left: for what kind of exit, and what was not at home there.
typedef struct ColdExit {
    AsmJump jump;
    uint8_t kind;            // TemplateExitKind
    uint32_t word;           // where the interpreter goes on
    uint32_t depth;
    uint32_t first, count;   // into Translation.saved
    uint32_t resume;         // EXIT_INVOKE: offset that the call returns to
} ColdExit;

typedef struct SavedOperand {
    uint32_t index;
    Operand operand;
} SavedOperand;

// Code apart from the path that is usually taken, made at the end.
typedef struct Translation Translation;
typedef struct SlowCode SlowCode;
typedef void SlowPath(Translation *t, const SlowCode *slow);
struct SlowCode {
    SlowPath *fn;
    AsmJump jump;            // leads to it
    uint32_t back;           // offset that it goes back to
    uint32_t word, next;     // its instruction, and the one that follows
    uint32_t depth;          // operands before the instruction, all at home
    uint32_t slots;          // operands that the instruction takes
    const void *value;
    int32_t number;
};

typedef struct Fixup {
    AsmJump jump;
    uint32_t word;           // target
    uint32_t table;          // the entry of a jump table: offset of the table, to which it is relative; 0: a jump
} Fixup;

// An address constant pair in front of a call: Frame.pc and Frame.resume.
typedef struct CallPair {
    AsmJump load;
    uint32_t word, resume;
} CallPair;

struct Translation {
    Asm a;
    const Method *m;
    const uint8_t *base;     // where the buffer will be executed
    Insn *code;              // the method's
    uint32_t words, first_word;
    uint32_t begin;          // offset behind the looks of the prologue
    uint32_t frame_locals;   // slots of locals below the frame

    uint32_t word, next;     // the instruction that is being translated, and the one that follows it
    Insn insn;               // its header, read once
    bool ended;              // nothing follows in this basic block
    bool failed;

    uint32_t depth, max_depth;
    Operand *stack;
    RegisterState registers[REGISTERS], vectors[REGISTERS];
    uint64_t nonnull;        // locals that are known not to be null; the first 64
    bool receiver_kept;      // local 0 is the receiver, and is never stored to

    uint64_t *targets;       // words at which a basic block begins
    uint64_t *pending;       // of these, those that are reachable and not translated yet
    uint32_t *offset;        // of each word that begins a block; 0: not translated
    uint16_t *depth_at;      // of each word that begins a block

    Fixup *fixups;
    ColdExit *exits;
    SavedOperand *saved;
    SlowCode *slow, no_slow;  // the latter is written to once memory has run out
    CallPair *pairs;
    struct TemplatePlace *returns;
    uint32_t fixup_count, fixup_room, exit_count, exit_room, saved_count, saved_room, slow_count, slow_room;
    uint32_t pair_count, pair_room, return_count, return_room;

    bool counting;           // for an exact profile (vm/interp/flowcounts.h)
    // What is counted for the plans of the optimising tier; NULL: nothing.
    struct MethodCounts *counts;
    const struct Dataflow *flow;
};

// ---- where things are ---------------------------------------------------------------------------

AsmMemory operands_home(uint32_t index);
AsmMemory operands_local(const Translation *t, uint32_t local);

// ---- registers. None of these changes the flags, but operands_zero -------------------------------

// The instruction is over: what it pinned may be taken away.
void operands_unpin(Translation *t);
// A register that nothing is in, pinned.
int operands_new(Translation *t);
int operands_new_vector(Translation *t);
// The same for a certain register: what is in it moves away.
void operands_claim(Translation *t, int reg);
// Registers hold no locals any more, for code begins that is reached from elsewhere, or a call has changed them. All operands
// are at home.
void operands_forget(Translation *t);

// ---- operands; `index` counts from the bottom of the stack ---------------------------------------

// A register with the value, pinned, not to be changed. `wide`: a long, a double's bits or a reference.
int operands_get(Translation *t, uint32_t index, bool wide);
// The same of an int, extended to 64 bits with zeros.
int operands_get_index(Translation *t, uint32_t index);
// A register with the value that nobody else looks at, pinned: the operand is to be popped.
int operands_own(Translation *t, uint32_t index, bool wide);
int operands_get_vector(Translation *t, uint32_t index, bool wide);
int operands_own_vector(Translation *t, uint32_t index, bool wide);
// Whether the value is in memory, and in no register.
bool operands_in_memory(const Translation *t, uint32_t index, AsmMemory *at);
bool operands_constant(const Translation *t, uint32_t index, int32_t *value);
// Whether it is known not to be null; and that it is from here on.
bool operands_nonnull(const Translation *t, uint32_t index);
void operands_set_nonnull(Translation *t, uint32_t index);

void operands_pop(Translation *t, uint32_t slots);
void operands_push_constant(Translation *t, int64_t value, uint32_t slots);
void operands_push_local(Translation *t, uint32_t local, uint32_t slots);
void operands_push_register(Translation *t, int reg, bool clean, uint32_t slots);
void operands_push_vector(Translation *t, int reg, uint32_t slots);
void operands_push_home(Translation *t, uint32_t slots);

// All operands go home.
void operands_flush(Translation *t);
// Stores an operand's value, as saved in `o`, to a slot; may use `scratch` for what is not in a register.
void operands_store(Translation *t, const Operand *o, AsmMemory to, int scratch);
// The local variable becomes what is at `index` of the operand stack.
void operands_set_local(Translation *t, uint32_t local, uint32_t index, uint32_t slots);
// The local variable becomes what is in `reg`, which nothing else is in.
void operands_local_register(Translation *t, uint32_t local, int reg);
// Rearranges the topmost `count` slots: the new ones, from the bottom, are copies of the old ones at `from`.
void operands_shuffle(Translation *t, uint32_t count, const uint8_t *from, uint32_t new_count);

#endif
