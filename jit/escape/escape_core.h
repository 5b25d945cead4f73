// Shared by the files of the analysis: the function with its index, the groups of objects, and the functions that each
// file provides. Private to this folder; other folders include jit/escape/escape.h. One function at a time. All memory
// comes from GROW_OR_EXIT and grow_zeroed; no lock is taken.
#ifndef CABERNET_JIT_ESCAPE_ESCAPE_CORE_H
#define CABERNET_JIT_ESCAPE_ESCAPE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "jit/backend/unit.h"
#include "jit/escape/escape.h"

enum {
    NONE = UINT32_MAX,
    MOST_PARTS = 40,  // of an object
};

// The task of a round.
typedef enum Stage {
    STAGE_WHOLE,  // groups that are hardly ever materialised
    STAGE_PARTS,  // parts of groups as well
    STAGE_OFTEN,  // groups that are materialised less often than they are allocated
    STAGES
} Stage;

// State of a group at a place: the number of times it is locked while virtual, or
enum {
    DEAD = -2,
    REAL = -1,
    // The fields never change (Group.fixed), so they are still read as values:
    MADE = -3,   // it is also materialised
    MAYBE = -4,  // it may be materialised: its address tells
};

typedef struct Block {
    LLVMBasicBlockRef ir;
    uint32_t first_successor, successors, first_predecessor, predecessors;
    uint32_t begin, end;  // positions
    double frequency;     // for each execution of the function
} Block;

typedef enum UseKind {
    USE_NOTHING,  // not a use: only the values derived from it count
    USE_LOAD,
    USE_STORE,
    USE_FINAL,  // of an operation that a virtual object does not need
    USE_PLAIN,
    USE_LOCK,
    USE_UNLOCK,
    USE_SLOW,
    USE_TEST,    // comparison with a value that cannot be the virtual object
    USE_BUNDLE,  // the frame has locked it; for thread dumps
    USE_MEMBER,  // of a phi of the group
    USE_PHI,     // of another phi: escapes at the end of the predecessor block
    USE_ESCAPE,
} UseKind;

typedef struct Use {
    LLVMValueRef user;
    uint32_t operand, block, at;
    int64_t offset;
    UseKind kind;
    bool complete;  // all fields are certainly set before it
} Use;

typedef struct Part {
    int64_t offset;
    char type;
    bool stored;
} Part;

typedef struct Member {
    LLVMValueRef value;  // ESCAPE_OBJECT, ESCAPE_BOX or phi
    uint32_t block, at;
    bool is_phi;
    Use *uses;  // by position
    uint32_t use_count, use_room;
    bool *live;                    // by block: live at its start
    int *in, *out;                 // by block
    uint64_t *set;                 // by block: parts that are certainly set at its end
    LLVMValueRef address, *parts;  // allocas
    LLVMValueRef counter;          // alloca: distance of the counter of its allocation (CodeMark); NULL: not counted
} Member;

typedef struct Group {
    const struct UnitAllocation *what;
    Member *members;
    uint32_t member_count, member_room;
    Part parts[MOST_PARTS];
    uint32_t part_count;
    double allocated;     // frequency of all of its allocations
    double made;          // cost of materialising its objects, in allocations,
    uint32_t places;      // and the number of places that do so
    const char *refused;  // why it is kept, or NULL
    const Member *phi;    // if refused: the phi that prevents removal, if it is one
    bool fixed;           // its fields are final, and cannot be set by other means
    bool vanishes;
    uint32_t splits;  // splits that led to this group
} Group;

typedef struct Escape {
    Unit *unit;
    LLVMValueRef function, thread;
    LLVMBuilderRef builder;
    LLVMTypeRef i1, i8, i16, i32, i64, f32, f64, ptr;
    LLVMValueRef ops[ESCAPE_OPS];
    unsigned prof_kind, tbaa_kind;
    Block *blocks;
    uint32_t block_count, block_room;
    uint32_t *successors, *predecessors;
    uint32_t successor_count, successor_room;
    struct {
        LLVMValueRef value;
        uint32_t block;
    } * places;  // by position
    uint32_t place_count, place_room;
    HashTable by_block, by_value;
    Group *groups;
    uint32_t group_count, group_room;
    uint32_t *group_of;  // by position: group + 1 of a member
    Stage stage;
} Escape;

// ---- escape_ops.c -----------------------------------------------------------------------------------

// Finds the operations that the module has.
void escape_find_ops(Escape *x);
// The operation that a call is of; ESCAPE_OPS: none.
EscapeOp escape_op_of(const Escape *x, LLVMValueRef call);
// The allocation that an operation is of.
uint32_t escape_number(LLVMValueRef call);
// Removes an instruction and replaces its uses by `by` (NULL: it has none).
void escape_replace(LLVMValueRef instruction, LLVMValueRef by);
// Gives all remaining operations their meaning for a real object.
void escape_all_real(Escape *x);

// ---- escape_index.c ---------------------------------------------------------------------------------

// Number of a block, position of an instruction; NONE: unreachable.
uint32_t escape_block_of(const Escape *x, LLVMBasicBlockRef ir);
uint32_t escape_position_of(const Escape *x, LLVMValueRef v);
// Computes the frequency of each block (jit/analysis/frequency.h) from branch weights and calls of cold functions.
void escape_find_frequencies(Escape *x);
// Discards the analysis results for a group's members, but keeps the members.
void escape_forget_states(Group *g);
void escape_forget_index(Escape *x);
// Builds the index from scratch. Discards all earlier results for the function, groups included.
void escape_make_index(Escape *x);

// ---- escape_groups.c --------------------------------------------------------------------------------

// The type of a field or an element, by its descriptor's letter.
LLVMTypeRef escape_type_of(const Escape *x, char type);
// The field or element at that offset, or NULL.
Part *escape_part_at(Group *g, int64_t offset);
// The group that a value is a member of, or NULL.
Group *escape_group_of(const Escape *x, LLVMValueRef v);
void escape_add_member(Escape *x, uint32_t group, LLVMValueRef v);
// The group that a phi would join: that of all values from reachable predecessors, or NULL.
Group *escape_group_of_phi(const Escape *x, LLVMValueRef phi);
// Whether the value is an incoming value of the phi.
bool escape_comes_into(LLVMValueRef v, LLVMValueRef phi);
// Makes the index, and all groups of the function.
void escape_find_groups(Escape *x);

// ---- escape_fold.c ----------------------------------------------------------------------------------

// Whether it is an address at a constant offset; sets *offset.
bool escape_constant_offset(const Escape *x, LLVMValueRef gep, int64_t *offset);
// Folds tests and loads that depend on the class alone. Returns whether blocks may have become unreachable.
bool escape_fold_classes(Escape *x);

// ---- escape_uses.c ----------------------------------------------------------------------------------

// Finds the uses of all members, sorted by position. Refuses the group if there are too many.
void escape_find_uses(Escape *x, Group *g);

// ---- escape_states.c --------------------------------------------------------------------------------

// Called for each use in a block, with the state before it.
typedef void Visit(Escape *x, Group *g, Member *m, const Use *u, int state);
// Finds the blocks at whose start each member is live.
void escape_find_live(Escape *x, Group *g);
// The phi's incoming member from that block, or NULL: the block is unreachable.
Member *escape_incoming(const Escape *x, Group *g, const Member *phi, uint32_t block);
// `m`: the member that causes the refusal. It can leave the group if it is a phi.
void escape_refuse(Group *g, const char *why, const Member *m);
// After a phi of the group, the phi must be the only name of an incoming object; otherwise its fields would have two
// copies. Refuses the group if that does not hold.
void escape_refuse_two_names(const Escape *x, Group *g);
// Whether the fields are values in this state.
bool escape_is_virtual(int state);
// Whether the use needs the object itself. A comparison does once the object is materialised, because the other operand
// may be the same object.
bool escape_wants_object(const Use *u, int state);
// Whether the object is materialised before the use, unless it already is.
bool escape_is_made_for(const Use *u, int state);
// Steps through a block and returns the state at its end. `visit` may be NULL. All uses follow the definition.
int escape_step_through(Escape *x, Group *g, Member *m, uint32_t block, Visit *visit);
// Finds the fields that are certainly set before each use (Use.complete).
void escape_find_set(Escape *x, Group *g);
// Finds the state at the start and the end of each block in which a member is live. Refuses the group if there is no
// consistent one.
void escape_find_states(Escape *x, Group *g);
// Whether the object must be materialised on an edge from the block.
bool escape_made_at_end(const Escape *x, Group *g, const Member *m, uint32_t block);

// ---- escape_decide.c --------------------------------------------------------------------------------

// The size of an object of the group.
uint64_t escape_object_bytes(const Group *g);
// Whether an object is materialised inline, as its allocation was. A call does it where that is rare, and where the
// object must be locked.
bool escape_is_made_inline(const Escape *x, const Group *g, uint32_t block, int locks);
// Decides whether a group vanishes. A group that cannot vanish as a whole may be split; the new groups are appended to
// x->groups.
void escape_decide(Escape *x, uint32_t group);
// Defers a group to the next round if one of its members becomes a field of an object that vanishes in this round.
void escape_defer(const Escape *x, Group *g);

// ---- escape_make.c ----------------------------------------------------------------------------------

// Adds an alloca to the function's entry block. Moves the builder there.
LLVMValueRef escape_add_alloca(Escape *x, LLVMTypeRef type);
// Emits at the builder's position.
LLVMValueRef escape_field_address(Escape *x, LLVMValueRef object, int64_t offset);
// Materialises the object. `state`: before `at`, which is in `block`. The builder is before `at` on entry and on
// return.
void escape_materialize(Escape *x, const Group *g, const Member *m, LLVMValueRef at, uint32_t block, int state);

// ---- escape_transform.c -----------------------------------------------------------------------------

// Rewrites the uses of a group that vanishes and erases its members.
void escape_transform(Escape *x, Group *g);

#endif
