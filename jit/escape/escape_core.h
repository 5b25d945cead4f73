// What the files of the analysis share: the function with its index, the groups of objects, and what each file does
// for the others. Nothing here is for other folders (jit/escape/escape.h is). One function at a time; nothing allocates but by
// GROW_OR_EXIT and grow_zeroed, and no lock is taken.
#ifndef CABERNET_JIT_ESCAPE_ESCAPE_CORE_H
#define CABERNET_JIT_ESCAPE_ESCAPE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "jit/backend/unit.h"
#include "jit/escape/escape.h"

enum {
    NONE = UINT32_MAX,
    MOST_PARTS = 40,      // of an object
};

// What a round does.
typedef enum Stage {
    STAGE_WHOLE,   // groups that are hardly ever made
    STAGE_PARTS,   // parts of groups as well
    STAGE_OFTEN,   // what is made less often than it is allocated
    STAGES
} Stage;

// What is known of a group at a place: so often locked and virtual, or
enum {
    DEAD = -2, REAL = -1,
    // Its fields never change (Group.fixed), so they are still read as values:
    MADE = -3,   // it has been made as well
    MAYBE = -4,  // perhaps: its address says so
};

typedef struct Block {
    LLVMBasicBlockRef ir;
    uint32_t first_successor, successors, first_predecessor, predecessors;
    uint32_t begin, end;  // positions
    double frequency;     // for each execution of the function
} Block;

typedef enum UseKind {
    USE_NOTHING,   // not a use: only what is derived from it is
    USE_LOAD, USE_STORE, USE_FINAL, USE_PLAIN, USE_LOCK, USE_UNLOCK, USE_SLOW,
    USE_TEST,      // comparison with what is not it
    USE_BUNDLE,    // the frame has locked it: for dumps of threads
    USE_MEMBER,    // of a phi of the group
    USE_PHI,       // of another: escapes at the end of the block that it comes from
    USE_ESCAPE,
} UseKind;

typedef struct Use {
    LLVMValueRef user;
    uint32_t operand, block, at;
    int64_t offset;
    UseKind kind;
    bool complete;   // all fields are surely set by then
} Use;

typedef struct Part {
    int64_t offset;
    char type;
    bool stored;
} Part;

typedef struct Member {
    LLVMValueRef value;   // ESCAPE_OBJECT, ESCAPE_BOX or phi
    uint32_t block, at;
    bool is_phi;
    Use *uses;            // by position
    uint32_t use_count, use_room;
    bool *live;           // by block: at its beginning
    int *in, *out;        // by block
    uint64_t *set;        // by block: parts that are surely set at its end
    LLVMValueRef address, *parts;  // allocas
} Member;

typedef struct Group {
    const struct UnitAllocation *what;
    Member *members;
    uint32_t member_count, member_room;
    Part parts[MOST_PARTS];
    uint32_t part_count;
    double allocated;     // how often, all of its allocations
    double made;          // what its objects cost where they are made, in allocations,
    uint32_t places;      // and in how many places that is
    const char *refused;  // why it stays, or NULL
    const Member *phi;    // where refused: the phi that is in the way, if it is one
    bool fixed;           // its fields are final, and nobody sets such fields otherwise
    bool vanishes;
    uint32_t splits;      // that have led to it
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
    struct { LLVMValueRef value; uint32_t block; } *places;  // by position
    uint32_t place_count, place_room;
    HashTable by_block, by_value;
    Group *groups;
    uint32_t group_count, group_room;
    uint32_t *group_of;   // by position: group + 1 of a member
    Stage stage;
} Escape;

// ---- escape_ops.c -----------------------------------------------------------------------------------

// Finds the operations that the module has.
void escape_find_ops(Escape *x);
// Which operation a call is of; ESCAPE_OPS: of none.
EscapeOp escape_op_of(const Escape *x, LLVMValueRef call);
// Which allocation an operation is of.
uint32_t escape_number(LLVMValueRef call);
// Takes an instruction out, with `by` (NULL: it has no uses) in its place.
void escape_replace(LLVMValueRef instruction, LLVMValueRef by);
// Makes of all operations that are left what they are for a real object.
void escape_all_real(Escape *x);

// ---- escape_index.c ---------------------------------------------------------------------------------

// Number of a block, position of an instruction; NONE: it cannot be reached.
uint32_t escape_block_of(const Escape *x, LLVMBasicBlockRef ir);
uint32_t escape_position_of(const Escape *x, LLVMValueRef v);
// How often each block runs (jit/analysis/frequency.h), out of branch weights and calls of what is cold.
void escape_find_frequencies(Escape *x);
// What was found of a group's members, but for the members themselves.
void escape_forget_states(Group *g);
void escape_forget_index(Escape *x);
// Anew: whatever was known of the function before is forgotten, groups too.
void escape_make_index(Escape *x);

// ---- escape_groups.c --------------------------------------------------------------------------------

// Of a field or an element by its descriptor's letter.
LLVMTypeRef escape_type_of(const Escape *x, char type);
// The field or element at that offset, or NULL.
Part *escape_part_at(Group *g, int64_t offset);
// The group that a value is a member of, or NULL.
Group *escape_group_of(const Escape *x, LLVMValueRef v);
void escape_add_member(Escape *x, uint32_t group, LLVMValueRef v);
// The group that a phi would join: of all that comes into it from blocks that can be reached, or NULL.
Group *escape_group_of_phi(const Escape *x, LLVMValueRef phi);
// Is the value one of those that come into the phi?
bool escape_comes_into(LLVMValueRef v, LLVMValueRef phi);
// Makes the index, and all groups of the function.
void escape_find_groups(Escape *x);

// ---- escape_fold.c ----------------------------------------------------------------------------------

// Is it an address at a constant offset, and at which?
bool escape_constant_offset(const Escape *x, LLVMValueRef gep, int64_t *offset);
// Folds tests and loads that depend on the class alone. Whether blocks may have become unreachable.
bool escape_fold_classes(Escape *x);

// ---- escape_uses.c ----------------------------------------------------------------------------------

// Of all members, sorted by position; refuses the group if there are too many.
void escape_find_uses(Escape *x, Group *g);

// ---- escape_states.c --------------------------------------------------------------------------------

// Called for each use that a step through a block comes to, with the state in front of it.
typedef void Visit(Escape *x, Group *g, Member *m, const Use *u, int state);
// Where each member may be used later.
void escape_find_live(Escape *x, Group *g);
// The member that comes into a phi from that block, or NULL: nothing that can be reached.
Member *escape_incoming(const Escape *x, Group *g, const Member *phi, uint32_t block);
// `m`: the member that it is about, which can leave the group if it is a phi.
void escape_refuse(Group *g, const char *why, const Member *m);
// Behind a phi of the group the phi is the only name of what came into it: otherwise there would be two copies of its fields.
void escape_refuse_two_names(const Escape *x, Group *g);
// Are its fields values at a place of that state?
bool escape_is_virtual(int state);
// Does it take the object itself? One that has been made may be what it is compared with.
bool escape_wants_object(const Use *u, int state);
// Is the object made in front of it, if it is not there yet?
bool escape_is_made_for(const Use *u, int state);
// Steps through a block; `visit` may be NULL. The state at its end. All uses come behind the definition.
int escape_step_through(Escape *x, Group *g, Member *m, uint32_t block, Visit *visit);
// Which fields are surely set in front of each use (Use.complete).
void escape_find_set(Escape *x, Group *g);
// The state at the beginning and the end of each block in which a member is alive; refuses the group if there is none that holds.
void escape_find_states(Escape *x, Group *g);
// Is there an edge from the block on which the object must be made?
bool escape_made_at_end(const Escape *x, Group *g, const Member *m, uint32_t block);

// ---- escape_decide.c --------------------------------------------------------------------------------

// What an object of the group takes.
uint64_t escape_object_bytes(const Group *g);
// Objects are made by a call where that is rare, and as the allocation was otherwise. What locks one is left to the call.
bool escape_is_made_inline(const Escape *x, const Group *g, uint32_t block, int locks);
// Decides whether a group vanishes. One that cannot as a whole may be split: what it falls apart into is added behind all groups.
void escape_decide(Escape *x, uint32_t group);
// Leaves a group to the next round whose member becomes a field of one that vanishes in this.
void escape_defer(const Escape *x, Group *g);

// ---- escape_make.c ----------------------------------------------------------------------------------

// A local of the function.
LLVMValueRef escape_add_alloca(Escape *x, LLVMTypeRef type);
// These two emit where the builder is.
LLVMValueRef escape_field_address(Escape *x, LLVMValueRef object, int64_t offset);
LLVMValueRef escape_real_object(Escape *x, const Member *m);
// `state`: what is known of it in front of `at`, which is in that block; the builder is there, before and after.
void escape_materialize(Escape *x, const Group *g, const Member *m, LLVMValueRef at, uint32_t block, int state);

// ---- escape_transform.c -----------------------------------------------------------------------------

// Rewrites the uses of a group that vanishes; its members are gone then.
void escape_transform(Escape *x, Group *g);

#endif
