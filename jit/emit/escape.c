// See jit/emit/escape.h. One round:
//
// 1. LLVM promotes locals to SSA form and splits critical edges (simplify).
// 2. Index: the blocks that can be reached and how often they run, instructions by position.
// 3. Groups: an allocation, or several of one class and the phis in which they meet; an object that comes into such a phi
//    has no other name behind it. What depends on the class alone is folded, virtual or not.
// 4. For each member of a group, where it is virtual (and how often locked) and where it is real: forward over the blocks
//    in which it is alive. So each way makes it once at most.
// 5. A group whose objects are made clearly less often than they are allocated vanishes: the fields of each member are
//    allocas from then on, which LLVM promotes, and so is its address (null: never made). Phis copy them.
// 6. A group that cannot vanish as a whole falls apart: phis that stand in the way leave it, and what comes into them is made on
//    the edge, as where an object meets one that was never virtual.
//
// The first rounds take what hardly ever is made, whole groups before parts, and the last ones what is made less often: for an object that is
// made where it is stored into another one could not be a value of that one's any more.
//
// An object that is stored into a field of one that vanishes becomes a value of its own by that: the next round sees it.
#include "jit/emit/escape.h"

#include <stdlib.h>
#include <string.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "jit/analysis/frequency.h"
#include "jit/backend/backend.h"
#include "jit/backend/backend_link.h"

enum {
    NONE = UINT32_MAX,
    ROUNDS = 8,
    MOST_PARTS = 40,      // of an object
    MOST_USES = 2000,     // of an object
    MOST_MADE = 4000,     // fields that all places store which make it
    MOST_MEMBERS = 64,    // of a group
    MOST_SPLITS = 16,     // times that a group falls apart
    MADE_BY_CALL = 8,     // what it costs, in allocations
    RARELY = 50,          // so many allocations to one object that is made: by a call
};

// The share of a group's allocations that may be made all the same, in the first rounds and in the others.
static const double made_at_first = 0.125, made_at_most = 0.75;

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
    LLVMValueRef value;   // ESCAPE_OBJECT or phi
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

// ---- operations ------------------------------------------------------------------------------------

static const char *const op_names[ESCAPE_OPS] = {
    "escape.head", "escape.write", "escape.length", "escape.fence", "escape.object", "escape.box",
    "escape.final", "escape.plain", "escape.enter", "escape.exit", "escape.slow",
};

// Result and parameters: v, p, i (i32), l (i64), c (i1).
static const char *const op_types[ESCAPE_OPS] = {"pip", "vipp", "viip", "vi", "pip", "pipl", "vp", "cpc", "cpii", "cpii", "vp"};

static LLVMTypeRef type_of_letter(LLVMContextRef c, char letter) {
    switch (letter) {
        case 'p': return LLVMPointerTypeInContext(c, 0);
        case 'i': return LLVMInt32TypeInContext(c);
        case 'l': return LLVMInt64TypeInContext(c);
        case 'c': return LLVMInt1TypeInContext(c);
        default: return LLVMVoidTypeInContext(c);
    }
}

static void add_attribute(LLVMContextRef c, LLVMValueRef f, LLVMAttributeIndex index, const char *name) {
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, index, LLVMCreateEnumAttribute(c, kind, 0));
}

static LLVMValueRef declare(Unit *u, EscapeOp op) {
    LLVMTypeRef params[4];
    unsigned count = 0;
    for (const char *s = op_types[op] + 1; *s; s++) params[count++] = type_of_letter(u->context, *s);
    LLVMTypeRef type = LLVMFunctionType(type_of_letter(u->context, op_types[op][0]), params, count, false);
    LLVMValueRef f = LLVMAddFunction(u->module, op_names[op], type);
    add_attribute(u->context, f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    if (op == ESCAPE_OBJECT || op == ESCAPE_BOX) add_attribute(u->context, f, LLVMAttributeReturnIndex, "nonnull");
    return f;
}

LLVMValueRef escape_op(Unit *unit, LLVMBuilderRef builder, EscapeOp op, LLVMValueRef *args) {
    LLVMValueRef f = LLVMGetNamedFunction(unit->module, op_names[op]);
    if (!f) f = declare(unit, op);
    unit->has_escape_ops = true;
    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args, (unsigned)strlen(op_types[op]) - 1, "");
}

static EscapeOp op_of(const Escape *x, LLVMValueRef call) {
    LLVMValueRef f = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    for (int op = 0; f && op < ESCAPE_OPS; op++)
        if (x->ops[op] == f) return (EscapeOp)op;
    return ESCAPE_OPS;
}

static uint32_t number_of(LLVMValueRef call) { return (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(call, 0)); }

static void replace(LLVMValueRef instruction, LLVMValueRef by) {
    if (by) LLVMReplaceAllUsesWith(instruction, by);
    LLVMInstructionEraseFromParent(instruction);
}

// ---- what an operation is for a real object --------------------------------------------------------

static LLVMValueRef exchange(Escape *x, LLVMValueRef call, LLVMAtomicOrdering order) {
    LLVMValueRef offset = LLVMConstInt(x->i64, compiler_layout()->object_lock, 0);
    LLVMValueRef word = LLVMBuildInBoundsGEP2(x->builder, x->i8, LLVMGetOperand(call, 0), &offset, 1, "");
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(x->builder, word, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2), order,
                                               LLVMAtomicOrderingMonotonic, 0);
    return LLVMBuildExtractValue(x->builder, pair, 1, "");
}

static void make_real(Escape *x, LLVMValueRef call, EscapeOp op) {
    LLVMPositionBuilderBefore(x->builder, call);
    LLVMValueRef by = NULL, tag;
    switch (op) {
        case ESCAPE_HEAD: case ESCAPE_OBJECT: case ESCAPE_BOX: case ESCAPE_PLAIN: by = LLVMGetOperand(call, 1); break;
        case ESCAPE_WRITE: case ESCAPE_LENGTH:
            tag = LLVMGetMetadata(call, x->tbaa_kind);
            LLVMValueRef store = LLVMBuildStore(x->builder, LLVMGetOperand(call, 1), LLVMGetOperand(call, 2));
            if (tag) LLVMSetMetadata(store, x->tbaa_kind, tag);
            break;
        case ESCAPE_FENCE: case ESCAPE_FINAL: LLVMBuildFence(x->builder, LLVMAtomicOrderingRelease, false, ""); break;
        case ESCAPE_ENTER: by = exchange(x, call, LLVMAtomicOrderingAcquire); break;
        case ESCAPE_EXIT: by = exchange(x, call, LLVMAtomicOrderingRelease); break;
        default: break;
    }
    replace(call, by);
}

static void all_real(Escape *x) {
    for (int op = 0; op < ESCAPE_OPS; op++) {
        if (!x->ops[op]) continue;
        for (LLVMUseRef u; (u = LLVMGetFirstUse(x->ops[op]));) make_real(x, LLVMGetUser(u), (EscapeOp)op);
        LLVMDeleteFunction(x->ops[op]);
    }
}

// ---- index -----------------------------------------------------------------------------------------

static uint32_t hash_of_block(const void *x, uintptr_t item) { return hash_pointer(((const Escape *)x)->blocks[item - 1].ir); }
static bool is_block(const void *x, uintptr_t item, const void *ir) { return ((const Escape *)x)->blocks[item - 1].ir == ir; }
static const HashKind blocks_by_address = {hash_of_block, is_block};

static uint32_t hash_of_value(const void *x, uintptr_t item) { return hash_pointer(((const Escape *)x)->places[item - 1].value); }
static bool is_value(const void *x, uintptr_t item, const void *v) { return ((const Escape *)x)->places[item - 1].value == v; }
static const HashKind values_by_address = {hash_of_value, is_value};

// NONE: cannot be reached.
static uint32_t block_of(const Escape *x, LLVMBasicBlockRef ir) {
    return (uint32_t)hash_find(&x->by_block, &blocks_by_address, x, hash_pointer(ir), ir) - 1;
}
static uint32_t position_of(const Escape *x, LLVMValueRef v) {
    return (uint32_t)hash_find(&x->by_value, &values_by_address, x, hash_pointer(v), v) - 1;
}

static uint32_t add_block(Escape *x, LLVMBasicBlockRef ir) {
    uint32_t found = block_of(x, ir);
    if (found != NONE) return found;
    GROW_OR_EXIT(x->blocks, x->block_room, x->block_count + 1);
    x->blocks[x->block_count] = (Block){.ir = ir};
    hash_add_or_exit(&x->by_block, &blocks_by_address, x, hash_pointer(ir), x->block_count + 1);
    return x->block_count++;
}

static void add_places(Escape *x, uint32_t number) {
    x->blocks[number].begin = x->place_count;
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->blocks[number].ir); i; i = LLVMGetNextInstruction(i)) {
        GROW_OR_EXIT(x->places, x->place_room, x->place_count + 1);
        x->places[x->place_count].value = i;
        x->places[x->place_count++].block = number;
        hash_add_or_exit(&x->by_value, &values_by_address, x, hash_pointer(i), x->place_count);
    }
    x->blocks[number].end = x->place_count;
}

// A branch on a constant has one successor.
static bool is_taken(LLVMValueRef end, unsigned successor) {
    if (!LLVMIsABranchInst(end) || !LLVMIsConditional(end)) return true;
    LLVMValueRef condition = LLVMGetCondition(end);
    return !LLVMIsAConstantInt(condition) || (LLVMConstIntGetZExtValue(condition) == 1) == (successor == 0);
}

static void add_successors(Escape *x, uint32_t number) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(x->blocks[number].ir);
    x->blocks[number].first_successor = x->successor_count;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        if (!is_taken(end, i)) continue;
        uint32_t to = add_block(x, LLVMGetSuccessor(end, i));
        GROW_OR_EXIT(x->successors, x->successor_room, x->successor_count + 1);
        x->successors[x->successor_count++] = to;
        x->blocks[to].predecessors++;
    }
    x->blocks[number].successors = x->successor_count - x->blocks[number].first_successor;
}

static void add_predecessors(Escape *x) {
    uint32_t at = 0;
    x->predecessors = grow_zeroed(x->successor_count, sizeof *x->predecessors);
    for (uint32_t b = 0; b < x->block_count; b++) {
        x->blocks[b].first_predecessor = at;
        at += x->blocks[b].predecessors;
        x->blocks[b].predecessors = 0;
    }
    for (uint32_t b = 0; b < x->block_count; b++)
        for (uint32_t i = 0; i < x->blocks[b].successors; i++) {
            Block *to = &x->blocks[x->successors[x->blocks[b].first_successor + i]];
            x->predecessors[to->first_predecessor + to->predecessors++] = b;
        }
}

// ---- frequencies -----------------------------------------------------------------------------------

static bool calls_cold(const Escape *x, const Block *b) {
    unsigned cold = LLVMGetEnumAttributeKindForName("cold", 4);
    for (uint32_t i = b->begin; i < b->end; i++) {
        LLVMValueRef f = LLVMIsACallInst(x->places[i].value) ? LLVMGetCalledValue(x->places[i].value) : NULL;
        if (f && LLVMIsAFunction(f) && LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cold))
            return true;
    }
    return false;
}

// The weights of the successors that a branch has, in the order of the graph's edges.
static void find_weights(const Escape *x, uint32_t block, uint32_t *weights) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(x->blocks[block].ir), parts[3];
    uint32_t count = x->blocks[block].successors;
    for (uint32_t i = 0; i < count; i++) weights[i] = FREQUENCY_UNKNOWN;
    if (count != 2 || !LLVMIsABranchInst(end)) return;
    LLVMValueRef known = LLVMGetMetadata(end, x->prof_kind);
    if (!known || LLVMGetMDNodeNumOperands(known) != 3) return;
    LLVMGetMDNodeOperands(known, parts);
    for (uint32_t i = 0; i < 2; i++) weights[i] = (uint32_t)LLVMConstIntGetZExtValue(parts[i + 1]);
}

static void find_frequencies(Escape *x) {
    uint32_t *first = grow_zeroed(x->block_count + 1, sizeof *first), *weights = grow_zeroed(x->successor_count, sizeof *weights);
    bool *rare = grow_zeroed(x->block_count, sizeof *rare);
    double *frequency = grow_zeroed(x->block_count, sizeof *frequency);
    for (uint32_t b = 0; b < x->block_count; b++) {
        first[b] = x->blocks[b].first_successor;
        find_weights(x, b, weights + first[b]);
        rare[b] = calls_cold(x, &x->blocks[b]);
    }
    first[x->block_count] = x->successor_count;
    frequency_estimate(&(FrequencyGraph){x->block_count, first, x->successors, weights, rare}, frequency);
    for (uint32_t b = 0; b < x->block_count; b++) x->blocks[b].frequency = frequency[b];
    free(frequency);
    free(rare);
    free(weights);
    free(first);
}

static void forget_states(Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        void *arrays[] = {m->uses, m->live, m->in, m->out, m->set};
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) free(arrays[a]);
        m->uses = NULL;
        m->live = NULL;
        m->in = m->out = NULL;
        m->set = NULL;
        m->use_count = m->use_room = 0;
    }
    g->allocated = g->made = 0;
    g->places = 0;
}

static void forget_index(Escape *x) {
    x->block_count = x->place_count = x->successor_count = 0;
    hash_free(&x->by_block);
    hash_free(&x->by_value);
    x->by_block = x->by_value = (HashTable){0};
    free(x->predecessors);
    free(x->group_of);
    x->predecessors = x->group_of = NULL;
    for (uint32_t i = 0; i < x->group_count; i++) {
        Group *g = &x->groups[i];
        forget_states(g);
        for (uint32_t k = 0; k < g->member_count; k++) free(g->members[k].parts);
        free(g->members);
    }
    x->group_count = 0;
}

static void make_index(Escape *x) {
    forget_index(x);
    add_block(x, LLVMGetEntryBasicBlock(x->function));
    for (uint32_t b = 0; b < x->block_count; b++) add_successors(x, b);
    for (uint32_t b = 0; b < x->block_count; b++) add_places(x, b);
    add_predecessors(x);
    x->group_of = grow_zeroed(x->place_count, sizeof *x->group_of);
}

// ---- shapes of objects -----------------------------------------------------------------------------

static LLVMTypeRef type_of(const Escape *x, char type) {
    switch (type) {
        case 'Z': case 'B': return x->i8;
        case 'C': case 'S': return x->i16;
        case 'I': return x->i32;
        case 'J': return x->i64;
        case 'F': return x->f32;
        case 'D': return x->f64;
        default: return x->ptr;
    }
}

static bool add_part(Group *g, int64_t offset, char type) {
    if (g->part_count == MOST_PARTS) return false;
    g->parts[g->part_count++] = (Part){.offset = offset, .type = type};
    return true;
}

// Reflection may set other final fields of objects that are there.
static bool is_fixed(const Field *f) { return f->trusted_final || (f->flags & ACC_FINAL && !f->cls->loader); }

static bool find_parts(Group *g) {
    const Class *c = g->what->cls;
    if (class_is_array(c)) {
        char type = c->component->prim ? c->component->prim : 'L';
        for (uint32_t i = 0; i < g->what->length; i++)
            if (!add_part(g, compiler_layout()->array_base + ((int64_t)i << c->elem_shift), type)) return false;
        return true;
    }
    g->fixed = true;
    for (; c; c = c->super) {
        if (c->injected_count) return false;
        for (uint32_t i = 0; i < c->field_count; i++) {
            const Field *f = &c->fields[i];
            if (f->flags & ACC_STATIC) continue;
            if (!add_part(g, f->offset, f->type)) return false;
            g->fixed &= is_fixed(f);
        }
    }
    return true;
}

static Part *part_at(Group *g, int64_t offset) {
    for (uint32_t i = 0; i < g->part_count; i++)
        if (g->parts[i].offset == offset) return &g->parts[i];
    return NULL;
}

// ---- groups ----------------------------------------------------------------------------------------

static Group *group_of(const Escape *x, LLVMValueRef v) {
    uint32_t at = LLVMIsAInstruction(v) ? position_of(x, v) : NONE;
    return at == NONE || !x->group_of[at] ? NULL : &x->groups[x->group_of[at] - 1];
}

static void add_member(Escape *x, uint32_t group, LLVMValueRef v) {
    Group *g = &x->groups[group];
    uint32_t at = position_of(x, v);
    GROW_OR_EXIT(g->members, g->member_room, g->member_count + 1);
    g->members[g->member_count++] = (Member){.value = v, .block = x->places[at].block, .at = at,
                                             .is_phi = LLVMIsAPHINode(v) != NULL};
    x->group_of[at] = group + 1;
}

// Each allocation is a group at first, and each box.
static void find_objects(Escape *x) {
    bool *seen = grow_zeroed(x->unit->allocation_count, sizeof *seen);
    for (uint32_t i = 0; i < x->place_count; i++) {
        LLVMValueRef v = x->places[i].value;
        EscapeOp op = op_of(x, v);
        if (op != ESCAPE_OBJECT && op != ESCAPE_BOX) continue;
        uint32_t n = number_of(v);
        GROW_OR_EXIT(x->groups, x->group_room, x->group_count + 1);
        Group *g = &x->groups[x->group_count++];
        *g = (Group){.what = &x->unit->allocations[n], .refused = seen[n] ? "its code is there twice" : NULL};
        seen[n] = true;
        if (!find_parts(g)) g->refused = "it has many fields";
        if (op == ESCAPE_BOX) {
            if (g->part_count != 1) g->refused = "a box of several fields";
            g->parts[0].stored = true;
        }
        add_member(x, x->group_count - 1, v);
    }
    free(seen);
}

static bool same_kind(const Group *a, const Group *b) {
    return a->what->cls == b->what->cls && a->what->length == b->what->length && a->what->cache == b->what->cache && !a->refused && !b->refused;
}

// The group that a phi would join: of all that comes into it from blocks that can be reached, or NULL.
static Group *group_of_phi(const Escape *x, LLVMValueRef phi) {
    Group *all = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        if (block_of(x, LLVMGetIncomingBlock(phi, i)) == NONE || LLVMGetIncomingValue(phi, i) == phi) continue;
        Group *g = group_of(x, LLVMGetIncomingValue(phi, i));
        if (!g || (all && !same_kind(all, g))) return NULL;
        if (!all) all = g;
    }
    return all;
}

static bool comes_into(LLVMValueRef v, LLVMValueRef phi) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingValue(phi, i) == v) return true;
    return false;
}

static void merge_into(Escape *x, Group *to, Group *from) {
    if (to == from) return;
    for (uint32_t i = 0; i < from->member_count; i++) add_member(x, (uint32_t)(to - x->groups), from->members[i].value);
    from->member_count = 0;
}

// Loops: a phi counts as one of its group as soon as something else that comes into it does; those for which that does
// not hold of everything leave again.
static void join_phis(Escape *x) {
    LLVMValueRef *phis = NULL;
    uint32_t count = 0, room = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < x->place_count; i++) {
            LLVMValueRef phi = x->places[i].value;
            if (!LLVMIsAPHINode(phi) || x->group_of[i] || LLVMTypeOf(phi) != x->ptr) continue;
            Group *g = NULL;
            for (unsigned k = 0; k < LLVMCountIncoming(phi) && !g; k++) g = group_of(x, LLVMGetIncomingValue(phi, k));
            if (!g) continue;
            x->group_of[i] = (uint32_t)(g - x->groups) + 1;
            GROW_OR_EXIT(phis, room, count + 1);
            phis[count++] = phi;
            changed = true;
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < count; i++) {
            if (!phis[i] || group_of_phi(x, phis[i])) continue;
            x->group_of[position_of(x, phis[i])] = 0;
            phis[i] = NULL;
            changed = true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!phis[i]) continue;
        Group *g = group_of(x, phis[i]);
        add_member(x, (uint32_t)(g - x->groups), phis[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!phis[i]) continue;
        for (unsigned k = 0; k < LLVMCountIncoming(phis[i]); k++) {
            Group *from = group_of(x, LLVMGetIncomingValue(phis[i], k));
            if (from) merge_into(x, group_of(x, phis[i]), from);
        }
    }
    free(phis);
}

// ---- what depends on the class alone ---------------------------------------------------------------

static bool constant_offset(const Escape *x, LLVMValueRef gep, int64_t *offset) {
    if (LLVMGetNumOperands(gep) != 2 || LLVMGetGEPSourceElementType(gep) != x->i8) return false;
    LLVMValueRef index = LLVMGetOperand(gep, 1);
    if (!LLVMIsAConstantInt(index)) return false;
    *offset = LLVMConstIntGetSExtValue(index);
    return true;
}

static const void *address_of(const Escape *x, LLVMValueRef global) {
    size_t length;
    if (!LLVMIsAGlobalVariable(global)) return NULL;
    const UnitSymbol *s = unit_symbol(x->unit, LLVMGetValueName2(global, &length));
    return s ? s->address : NULL;
}

// `v` is an address of the class or its vtable: what is read there and never changes is folded, as far as comparisons.
static bool fold_known(Escape *x, LLVMValueRef v, const void *address, const Class *cls, int64_t offset) {
    const CompilerLayout *l = compiler_layout();
    bool folded = false;
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        int64_t more;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == v && constant_offset(x, user, &more)) {
            folded |= fold_known(x, user, address, cls, offset + more);
        } else if (LLVMIsALoadInst(user) && LLVMTypeOf(user) == x->ptr) {
            int64_t display = offset - l->class_display;
            if (address == cls->vt && offset == l->vtable_class) folded |= fold_known(x, user, cls, cls, 0);
            else if (address == cls && display >= 0 && display < (int64_t)sizeof cls->display)
                folded |= fold_known(x, user, cls->display[display / (int64_t)sizeof(Class *)], cls, 0);
        } else if (LLVMIsAICmpInst(user) && offset == 0 &&
                   (LLVMGetICmpPredicate(user) == LLVMIntEQ || LLVMGetICmpPredicate(user) == LLVMIntNE)) {
            const void *other = address_of(x, LLVMGetOperand(user, LLVMGetOperand(user, 0) == v));
            if (!other) continue;
            bool holds = (other == address) == (LLVMGetICmpPredicate(user) == LLVMIntEQ);
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i1, holds, 0));
            folded = true;
        }
    }
    return folded;
}

static bool fold_member(Escape *x, const Group *g, LLVMValueRef v, int64_t offset) {
    const CompilerLayout *l = compiler_layout();
    bool folded = false;
    for (LLVMUseRef u = LLVMGetFirstUse(v), next; u; u = next) {
        next = LLVMGetNextUse(u);
        LLVMValueRef user = LLVMGetUser(u);
        int64_t more;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == v && constant_offset(x, user, &more))
            folded |= fold_member(x, g, user, offset + more);
        else if (LLVMIsALoadInst(user) && offset == l->object_vtable && LLVMTypeOf(user) == x->ptr)
            folded |= fold_known(x, user, g->what->cls->vt, g->what->cls, 0);
        else if (LLVMIsALoadInst(user) && class_is_array(g->what->cls) && offset == l->array_length &&
                 LLVMTypeOf(user) == x->i32)
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i32, g->what->length, 0));
        else if (LLVMIsAICmpInst(user) && offset == 0 && LLVMIsAConstantPointerNull(LLVMGetOperand(user, 1))) {
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i1, LLVMGetICmpPredicate(user) == LLVMIntNE, 0));
            folded = true;
        } else if (op_of(x, user) == ESCAPE_PLAIN && offset == 0) {
            LLVMReplaceAllUsesWith(user, LLVMConstInt(x->i1, 1, 0));
            folded = true;
        }
    }
    return folded;
}

static bool fold_classes(Escape *x) {
    bool folded = false;
    for (uint32_t i = 0; i < x->group_count; i++)
        for (uint32_t k = 0; k < x->groups[i].member_count && !x->groups[i].refused; k++)
            folded |= fold_member(x, &x->groups[i], x->groups[i].members[k].value, 0);
    return folded;
}

// ---- uses ------------------------------------------------------------------------------------------

static void add_use(Escape *x, Group *g, Member *m, Use use) {
    if (use.kind == USE_PHI || use.kind == USE_MEMBER) {
        use.block = block_of(x, LLVMGetIncomingBlock(use.user, use.operand));
        if (use.block == NONE) return;
        use.at = x->blocks[use.block].end - 1;
    } else {
        use.at = position_of(x, use.user);
        if (use.at == NONE) return;  // in a block that cannot be reached
        use.block = x->places[use.at].block;
    }
    GROW_OR_EXIT(m->uses, m->use_room, m->use_count + 1);
    m->uses[m->use_count++] = use;
    if (m->use_count > MOST_USES) g->refused = "it has many uses";
}

static bool is_plain_access(LLVMValueRef access) {
    return !LLVMGetVolatile(access) && LLVMGetOrdering(access) <= LLVMAtomicOrderingUnordered;
}

static UseKind kind_of_access(Escape *x, Group *g, const Use *u, LLVMTypeRef type) {
    const CompilerLayout *l = compiler_layout();
    if (!is_plain_access(u->user)) return USE_ESCAPE;
    if (LLVMIsALoadInst(u->user) && u->offset == l->object_vtable) return type == x->ptr ? USE_LOAD : USE_ESCAPE;
    if (LLVMIsALoadInst(u->user) && class_is_array(g->what->cls) && u->offset == l->array_length)
        return type == x->i32 ? USE_LOAD : USE_ESCAPE;
    Part *s = part_at(g, u->offset);
    if (!s || type_of(x, s->type) != type) return USE_ESCAPE;
    if (LLVMIsALoadInst(u->user)) return USE_LOAD;
    s->stored = true;
    return USE_STORE;
}

static UseKind kind_of_call(const Escape *x, const Use *u) {
    unsigned args = LLVMGetNumArgOperands(u->user);
    if (u->operand >= args) return u->operand + 1 < (unsigned)LLVMGetNumOperands(u->user) ? USE_BUNDLE : USE_ESCAPE;
    if (u->offset) return USE_ESCAPE;
    switch (op_of(x, u->user)) {
        case ESCAPE_FINAL: return USE_FINAL;
        case ESCAPE_PLAIN: return USE_PLAIN;
        case ESCAPE_ENTER: return USE_LOCK;
        case ESCAPE_EXIT: return USE_UNLOCK;
        case ESCAPE_SLOW: return USE_SLOW;
        default: break;
    }
    return USE_ESCAPE;
}

// An object is not another one. What may be one of a group is compared with its address.
static UseKind kind_of_comparison(const Escape *x, const Use *u) {
    LLVMIntPredicate p = LLVMGetICmpPredicate(u->user);
    if (u->offset || (p != LLVMIntEQ && p != LLVMIntNE)) return USE_ESCAPE;
    LLVMValueRef other = LLVMGetOperand(u->user, 1 - u->operand);
    bool may_be_one = group_of(x, other) || LLVMIsAPHINode(other) || LLVMIsASelectInst(other) ||
                      LLVMIsAGetElementPtrInst(other);
    return may_be_one ? USE_ESCAPE : USE_TEST;
}

static UseKind kind_of_use(Escape *x, Group *g, const Use *u, LLVMValueRef v) {
    switch (LLVMGetInstructionOpcode(u->user)) {
        case LLVMLoad: return kind_of_access(x, g, u, LLVMTypeOf(u->user));
        case LLVMStore:
            return u->operand == 1 && LLVMGetOperand(u->user, 0) != v
                       ? kind_of_access(x, g, u, LLVMTypeOf(LLVMGetOperand(u->user, 0))) : USE_ESCAPE;
        case LLVMICmp: return kind_of_comparison(x, u);
        case LLVMCall: return kind_of_call(x, u);
        case LLVMPHI: return u->offset == 0 && group_of(x, u->user) == g ? USE_MEMBER : USE_PHI;
        default: return USE_ESCAPE;
    }
}

// Two boxes of a value may be one object; nothing of it is in the frame that has locked one, and nobody writes into it.
static UseKind kind_of_box_use(const Use *u) {
    switch (u->kind) {
        case USE_LOAD: case USE_FINAL: case USE_PLAIN: case USE_MEMBER: case USE_PHI: return u->kind;
        case USE_TEST: return LLVMIsAConstantPointerNull(LLVMGetOperand(u->user, 1 - u->operand)) ? USE_TEST : USE_ESCAPE;
        default: return USE_ESCAPE;
    }
}

static bool was_visited(LLVMValueRef v, LLVMUseRef use) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u != use; u = LLVMGetNextUse(u))
        if (LLVMGetUser(u) == LLVMGetUser(use)) return true;
    return false;
}

// Of the member, or of an address in it.
static void collect_uses(Escape *x, Group *g, Member *m, LLVMValueRef v, int64_t offset) {
    for (LLVMUseRef u = LLVMGetFirstUse(v); u && !g->refused; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        int64_t more;
        if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == v && constant_offset(x, user, &more)) {
            collect_uses(x, g, m, user, offset + more);
            continue;
        }
        int operands = LLVMGetNumOperands(user);
        bool several = operands > 2 || LLVMGetOperand(user, 0) == LLVMGetOperand(user, (unsigned)operands - 1);
        if (several && was_visited(v, u)) continue;
        for (int i = 0; i < operands; i++) {
            if (LLVMGetOperand(user, (unsigned)i) != v) continue;
            Use use = {user, (uint32_t)i, 0, 0, offset, USE_NOTHING, false};
            use.kind = kind_of_use(x, g, &use, v);
            if (g->what->cache) use.kind = kind_of_box_use(&use);
            add_use(x, g, m, use);
        }
    }
}

static int by_position(const void *a, const void *b) {
    const Use *p = a, *q = b;
    return p->at != q->at ? (p->at < q->at ? -1 : 1) : p->operand < q->operand ? -1 : p->operand > q->operand;
}

static void find_uses(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count && !g->refused; i++) {
        Member *m = &g->members[i];
        collect_uses(x, g, m, m->value, 0);
        if (m->use_count) qsort(m->uses, m->use_count, sizeof *m->uses, by_position);
    }
}

// ---- liveness --------------------------------------------------------------------------------------

static void mark_live(const Escape *x, Member *m, uint32_t block, uint32_t *work) {
    uint32_t n = 0;
    if (block == m->block || m->live[block]) return;
    m->live[block] = true;
    for (work[n++] = block; n > 0;) {
        const Block *b = &x->blocks[work[--n]];
        for (uint32_t i = 0; i < b->predecessors; i++) {
            uint32_t from = x->predecessors[b->first_predecessor + i];
            if (from == m->block || m->live[from]) continue;
            m->live[from] = true;
            work[n++] = from;
        }
    }
}

static void find_live(Escape *x, Group *g) {
    uint32_t *work = grow_zeroed(x->block_count, sizeof *work);
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        m->live = grow_zeroed(x->block_count, sizeof *m->live);
        for (uint32_t k = 0; k < m->use_count; k++) mark_live(x, m, m->uses[k].block, work);
    }
    free(work);
}

// The member that comes into a phi from that block, or NULL: nothing that can be reached.
static Member *incoming(const Escape *x, Group *g, const Member *phi, uint32_t block) {
    LLVMValueRef v = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi->value) && !v; i++)
        if (LLVMGetIncomingBlock(phi->value, i) == x->blocks[block].ir) v = LLVMGetIncomingValue(phi->value, i);
    for (uint32_t i = 0; v && i < g->member_count; i++)
        if (g->members[i].value == v) return &g->members[i];
    return NULL;
}

// `m`: the member that it is about, which can leave the group if it is a phi.
static void refuse(Group *g, const char *why, const Member *m) {
    if (g->refused) return;
    g->refused = why;
    g->phi = m && m->is_phi ? m : NULL;
}

// Behind a phi of the group the phi is the only name of what came into it: otherwise there would be two copies of its fields.
static void refuse_two_names(const Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++) {
        const Member *phi = &g->members[i];
        const Block *b = &x->blocks[phi->block];
        for (uint32_t k = 0; phi->is_phi && k < b->predecessors; k++) {
            const Member *m = incoming(x, g, phi, x->predecessors[b->first_predecessor + k]);
            if (!m || m == phi) continue;
            if (m->live[phi->block]) refuse(g, "it has two names", phi);
            for (uint32_t j = 0; j < m->use_count; j++) {
                const Use *u = &m->uses[j];
                bool same_edge = (u->kind == USE_MEMBER || u->kind == USE_PHI) && u->user != phi->value &&
                                 LLVMGetInstructionParent(u->user) == b->ir &&
                                 u->block == x->predecessors[b->first_predecessor + k];
                if (same_edge) refuse(g, "it has two names", phi);
            }
        }
    }
}

// ---- where it is virtual ---------------------------------------------------------------------------

static bool is_virtual(int state) { return state >= 0 || state == MADE || state == MAYBE; }

static int merge(Group *g, const Member *m, int a, int b) {
    if (a == DEAD || a == b) return b;
    if (b == DEAD) return a;
    if (a == REAL || b == REAL) return REAL;
    if (a >= 0 && b >= 0) refuse(g, "it is not locked as often on all ways", m);
    return a > 0 || b > 0 ? REAL : MAYBE;
}

// Does it take the object itself? One that has been made may be what it is compared with.
static bool wants_object(const Use *u, int state) {
    switch (u->kind) {
        case USE_ESCAPE: case USE_PHI: return true;
        case USE_STORE: case USE_LOCK: case USE_UNLOCK: return state < 0;
        case USE_TEST: return state < 0 && !LLVMIsAConstantPointerNull(LLVMGetOperand(u->user, 1 - u->operand));
        default: return false;
    }
}

// Is the object made in front of it, if it is not there yet?
static bool is_made_for(const Use *u, int state) { return (state >= 0 || state == MAYBE) && wants_object(u, state); }

static bool changes_it(UseKind kind) { return kind == USE_STORE || kind == USE_LOCK || kind == USE_UNLOCK; }

static int behind_use(Group *g, const Use *u, int state) {
    if (!is_virtual(state)) return state;
    if (wants_object(u, state)) return u->complete && state <= 0 && !changes_it(u->kind) ? MADE : REAL;
    switch (u->kind) {
        case USE_SLOW: return DEAD;
        case USE_LOCK: return state + 1;
        case USE_UNLOCK:
            if (state == 0) g->refused = "it is unlocked too often";  // throws
            return state - 1;
        default: return state;
    }
}

typedef void Visit(Escape *x, Group *g, Member *m, const Use *u, int state);

static uint32_t first_use_in(const Escape *x, const Member *m, uint32_t block) {
    uint32_t low = 0, high = m->use_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (m->uses[middle].at < x->blocks[block].begin) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Steps through a block; `visit` may be NULL. The state at its end. All uses come behind the definition.
static int step_through(Escape *x, Group *g, Member *m, uint32_t block, Visit *visit) {
    int state = !m->is_phi && m->block == block ? 0 : m->in[block];
    for (uint32_t i = first_use_in(x, m, block); i < m->use_count && m->uses[i].block == block; i++) {
        const Use *u = &m->uses[i];
        if (visit) visit(x, g, m, u, state);
        state = behind_use(g, u, state);
        if (g->refused) break;
    }
    return state;
}

static int state_at_beginning(Escape *x, Group *g, Member *m, uint32_t block) {
    const Block *b = &x->blocks[block];
    bool is_here = m->is_phi && m->block == block;
    int state = DEAD;
    if (!is_here && !m->live[block]) return DEAD;
    for (uint32_t i = 0; i < b->predecessors; i++) {
        uint32_t from = x->predecessors[b->first_predecessor + i];
        const Member *source = is_here ? incoming(x, g, m, from) : m;
        if (source) state = merge(g, m, state, source->out[from]);
    }
    return state;
}

// ---- what is set -----------------------------------------------------------------------------------
//
// A constructor that is not inlined may set the rest of the fields when the object has escaped into it.

static uint64_t all_parts(const Group *g) { return ((uint64_t)1 << g->part_count) - 1; }

static uint64_t set_at_beginning(Escape *x, Group *g, const Member *m, uint32_t block) {
    const Block *b = &x->blocks[block];
    uint64_t set = all_parts(g);
    if (!m->is_phi && m->block == block) return g->what->cache ? set : 0;
    for (uint32_t i = 0; i < b->predecessors; i++) {
        uint32_t from = x->predecessors[b->first_predecessor + i];
        const Member *source = m->block == block ? incoming(x, g, m, from) : m;
        if (source) set &= source->set[from];
    }
    return set;
}

static uint64_t set_at_end(Escape *x, Group *g, Member *m, uint32_t block) {
    uint64_t set = set_at_beginning(x, g, m, block), all = all_parts(g);
    for (uint32_t i = first_use_in(x, m, block); i < m->use_count && m->uses[i].block == block; i++) {
        Use *u = &m->uses[i];
        u->complete = set == all;
        if (u->kind == USE_STORE) set |= (uint64_t)1 << (part_at(g, u->offset) - g->parts);
    }
    return set;
}

static void find_set(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++) {
        g->members[i].set = grow_zeroed(x->block_count, sizeof *g->members[i].set);
        for (uint32_t b = 0; b < x->block_count; b++) g->members[i].set[b] = all_parts(g);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->member_count; i++) {
            Member *m = &g->members[i];
            for (uint32_t b = 0; b < x->block_count; b++) {
                if (!m->live[b] && m->block != b) continue;
                uint64_t set = set_at_end(x, g, m, b);
                changed |= set != m->set[b];
                m->set[b] = set;
            }
        }
    }
}

// ---- states ----------------------------------------------------------------------------------------

static void find_states(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        m->in = grow_zeroed(x->block_count, sizeof *m->in);
        m->out = grow_zeroed(x->block_count, sizeof *m->out);
        for (uint32_t b = 0; b < x->block_count; b++) m->in[b] = m->out[b] = DEAD;
    }
    for (bool changed = true; changed && !g->refused;) {
        changed = false;
        for (uint32_t i = 0; i < g->member_count; i++) {
            Member *m = &g->members[i];
            for (uint32_t b = 0; b < x->block_count && !g->refused; b++) {
                if (!m->live[b] && m->block != b) continue;
                m->in[b] = state_at_beginning(x, g, m, b);
                int state = step_through(x, g, m, b, NULL);
                changed |= state != m->out[b];
                m->out[b] = state;
            }
        }
    }
}

// Is there an edge from the block on which the object must be made?
static bool made_at_end(const Escape *x, Group *g, const Member *m, uint32_t block) {
    const Block *b = &x->blocks[block];
    for (uint32_t i = 0; (m->out[block] >= 0 || m->out[block] == MAYBE) && i < b->successors; i++) {
        uint32_t to = x->successors[b->first_successor + i];
        if (m->live[to] && m->in[to] == REAL) return true;
        for (uint32_t k = 0; k < g->member_count; k++) {
            const Member *phi = &g->members[k];
            if (phi->is_phi && phi->block == to && phi->in[to] == REAL && incoming(x, g, phi, block) == m) return true;
        }
    }
    return false;
}

// ---- decisions -------------------------------------------------------------------------------------

// The call whose stack map a call at this place has: the next one of the block.
static LLVMValueRef next_with_map(LLVMValueRef i) {
    while (i && !(LLVMIsACallInst(i) && LLVMGetNumOperandBundles(i))) i = LLVMGetNextInstruction(i);
    return i;
}

static uint64_t object_bytes(const Group *g) {
    const Class *c = g->what->cls;
    return class_is_array(c) ? compiler_layout()->array_base + ((uint64_t)g->what->length << c->elem_shift) : c->instance_size;
}

static bool can_allocate(const Group *g) { return object_bytes(g) <= compiler_layout()->small_max; }

// Objects are made by a call where that is rare, and as the allocation was otherwise. What locks one is left to the call.
static bool is_made_inline(const Escape *x, const Group *g, uint32_t block, int locks) {
    return locks <= 0 && x->blocks[block].frequency * RARELY > g->allocated && can_allocate(g);
}

static double price_of(const Escape *x, const Group *g, uint32_t block, int locks) {
    return x->blocks[block].frequency * (is_made_inline(x, g, block, locks) ? 1 : MADE_BY_CALL);
}

static void add_place(const Escape *x, Group *g, uint32_t block, int locks) {
    g->made += price_of(x, g, block, locks);
    g->places++;
}

static void judge_use(Escape *x, Group *g, Member *m, const Use *u, int state) {
    (void)m;
    if (is_made_for(u, state)) add_place(x, g, u->block, state);
}

static void judge(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++)
        if (!g->members[i].is_phi) g->allocated += x->blocks[g->members[i].block].frequency;
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        for (uint32_t b = 0; b < x->block_count; b++) {
            if (!m->live[b] && m->block != b) continue;
            step_through(x, g, m, b, judge_use);
            if (made_at_end(x, g, m, b)) add_place(x, g, b, m->out[b]);
        }
    }
    if (g->places * (g->part_count + 1) > MOST_MADE) refuse(g, "it is made in many places", NULL);
    else if (g->made > g->allocated * (x->stage == STAGE_OFTEN ? made_at_most : made_at_first)) refuse(g, "it is made nearly as often", NULL);
    g->vanishes = !g->refused;
}

static void decide_once(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->part_count; i++) g->parts[i].stored = g->what->cache != NULL;
    find_uses(x, g);
    if (!g->refused) find_live(x, g);
    if (!g->refused) refuse_two_names(x, g);
    if (!g->refused && g->fixed) find_set(x, g);
    if (!g->refused) find_states(x, g);
    if (!g->refused) judge(x, g);
}

// What is left of the group when a phi is not one of it: phis into which something else comes then leave as well. What hangs together
// stays one group; the others are added behind all groups.
static void remove_phi(Escape *x, Group *g, const Member *phi) {
    x->group_of[phi->at] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->member_count; i++) {
            const Member *m = &g->members[i];
            if (!m->is_phi || !x->group_of[m->at] || group_of_phi(x, m->value)) continue;
            x->group_of[m->at] = 0;
            changed = true;
        }
    }
}

// Gives each member the number of the part that it is in; how many parts there are.
static uint32_t find_parts_of_group(const Escape *x, Group *g, uint32_t *part) {
    for (uint32_t i = 0; i < g->member_count; i++) part[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->member_count; i++) {
            const Member *phi = &g->members[i];
            if (!phi->is_phi || !x->group_of[phi->at]) continue;
            for (uint32_t k = 0; k < g->member_count; k++) {
                if (part[k] == part[i] || !comes_into(g->members[k].value, phi->value)) continue;
                part[part[k] < part[i] ? i : k] = part[part[k] < part[i] ? k : i];
                changed = true;
            }
        }
    }
    return g->member_count;
}

// The group's members as groups of their own, as they hang together without the phi. A group of none is left.
static void split(Escape *x, uint32_t group, const Member *phi) {
    Group *g = &x->groups[group], old;
    uint32_t *part = grow_zeroed(g->member_count, sizeof *part);
    g->refused = NULL;
    remove_phi(x, g, phi);
    uint32_t parts = find_parts_of_group(x, g, part);
    forget_states(g);
    old = *g;
    g->members = NULL;
    g->member_count = g->member_room = 0;
    for (uint32_t p = 0; p < parts; p++) {
        uint32_t number = NONE;
        for (uint32_t i = 0; i < old.member_count; i++) {
            const Member *m = &old.members[i];
            if (part[i] != p || !x->group_of[m->at]) continue;
            if (number == NONE) {
                GROW_OR_EXIT(x->groups, x->group_room, x->group_count + 1);
                number = x->group_count++;
                x->groups[number] = old;
                x->groups[number].members = NULL;
                x->groups[number].member_count = x->groups[number].member_room = 0;
                x->groups[number].phi = NULL;
                x->groups[number].splits++;
            }
            add_member(x, number, m->value);
        }
    }
    free(old.members);
    free(part);
}

// The phi to do without: the one that is in the way, or else any.
static const Member *phi_in_the_way(const Group *g) {
    if (g->phi) return g->phi;
    for (uint32_t i = 0; i < g->member_count; i++)
        if (g->members[i].is_phi) return &g->members[i];
    return NULL;
}

static void decide(Escape *x, uint32_t group) {
    Group *g = &x->groups[group];
    if (g->refused || g->member_count == 0) return;
    if (g->member_count > MOST_MEMBERS) refuse(g, "it meets many others", NULL);
    else decide_once(x, g);
    const Member *phi = g->refused && g->splits < MOST_SPLITS && x->stage != STAGE_WHOLE ? phi_in_the_way(g) : NULL;
    if (phi) split(x, group, phi);
}

// Does the member become a field of one that vanishes in this round?
static bool is_in_another(const Escape *x, const Group *g, const Member *m) {
    for (uint32_t i = 0; i < m->use_count; i++) {
        const Use *u = &m->uses[i];
        if (u->kind != USE_ESCAPE || !LLVMIsAStoreInst(u->user)) continue;
        LLVMValueRef address = LLVMGetOperand(u->user, 1);
        if (LLVMIsAGetElementPtrInst(address)) address = LLVMGetOperand(address, 0);
        const Group *other = group_of(x, address);
        if (other && other != g && other->vanishes) return true;
    }
    return false;
}

static void defer(const Escape *x, Group *g) {
    for (uint32_t i = 0; g->vanishes && i < g->member_count; i++)
        if (is_in_another(x, g, &g->members[i])) g->vanishes = false;
}

// ---- transformation --------------------------------------------------------------------------------

static LLVMValueRef add_alloca(Escape *x, LLVMTypeRef type) {
    LLVMPositionBuilderBefore(x->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(x->function)));
    return LLVMBuildAlloca(x->builder, type, "virtual");
}

static LLVMValueRef field_address(Escape *x, LLVMValueRef object, int64_t offset) {
    LLVMValueRef by = LLVMConstInt(x->i64, (uint64_t)offset, 1);
    return offset ? LLVMBuildInBoundsGEP2(x->builder, x->i8, object, &by, 1, "") : object;
}

static LLVMValueRef real_object(Escape *x, const Member *m) { return LLVMBuildLoad2(x->builder, x->ptr, m->address, ""); }

static LLVMValueRef make_object(Escape *x, const Group *g, int locks, LLVMOperandBundleRef bundle) {
    LLVMValueRef f = x->unit->materialize;
    LLVMValueRef args[] = {x->thread, g->what->symbol, LLVMConstInt(x->i32, g->what->length, 0),
                           LLVMConstInt(x->i32, (uint64_t)locks, 0)};
    return LLVMBuildCallWithOperandBundles(x->builder, LLVMGlobalGetValueType(f), f, args, 4, &bundle, 1, "");
}

static LLVMValueRef box_value(Escape *x, const Group *g, const Member *m) {
    LLVMValueRef v = LLVMBuildLoad2(x->builder, type_of(x, g->parts[0].type), m->parts[0], "");
    return g->parts[0].type == 'C' ? LLVMBuildZExt(x->builder, v, x->i64, "") : LLVMBuildSExt(x->builder, v, x->i64, "");
}

// The value is stored into it as into others: a box out of the cache has that value already.
static LLVMValueRef make_box(Escape *x, const Group *g, const Member *m, LLVMOperandBundleRef bundle) {
    LLVMValueRef f = x->unit->materialize_box;
    LLVMValueRef args[] = {x->thread, g->what->symbol, g->what->cache, LLVMConstInt(x->i32, (uint64_t)(int64_t)g->what->least, 1), box_value(x, g, m)};
    return LLVMBuildCallWithOperandBundles(x->builder, LLVMGlobalGetValueType(f), f, args, 5, &bundle, 1, "");
}

// A stack map for a call at this place: that of the next call, or else the allocation's.
static LLVMOperandBundleRef map_at(Escape *x, const Group *g, LLVMValueRef at) {
    LLVMValueRef like = next_with_map(at);
    if (!like) {
        LLVMValueRef map = LLVMConstInt(x->i32, g->what->map, 0);
        return LLVMCreateOperandBundle("deopt", 5, &map, 1);
    }
    LLVMOperandBundleRef old = LLVMGetOperandBundleAtIndex(like, 0);
    unsigned count = LLVMGetNumOperandBundleArgs(old);
    LLVMValueRef *values = grow_zeroed(count, sizeof *values);
    // What it says of monitors is for dumps: of objects that may not be there.
    for (unsigned i = 0; i < count; i++)
        values[i] = i == 0 ? LLVMGetOperandBundleArgAtIndex(old, i) : LLVMConstNull(x->ptr);
    LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("deopt", 5, values, count);
    LLVMDisposeOperandBundle(old);
    free(values);
    return bundle;
}

// ---- objects made in the code ----------------------------------------------------------------------

// What stands in front of `at` as a block of its own, which is returned without an end. `at` keeps its block, so that phis behind it and the
// index still have the right one.
static LLVMBasicBlockRef cut_before(Escape *x, LLVMValueRef at) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(at), head = LLVMInsertBasicBlockInContext(x->unit->context, block, "");
    LLVMValueRef first;
    LLVMPositionBuilderAtEnd(x->builder, head);
    while ((first = LLVMGetFirstInstruction(block)) != at) {
        LLVMInstructionRemoveFromParent(first);
        LLVMInsertIntoBuilder(x->builder, first);
    }
    for (LLVMUseRef u; (u = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)));) {
        LLVMValueRef from = LLVMGetUser(u);
        for (unsigned i = 0; i < LLVMGetNumSuccessors(from); i++)
            if (LLVMGetSuccessor(from, i) == block) LLVMSetSuccessor(from, i, head);
    }
    return head;
}

static LLVMBasicBlockRef new_block(Escape *x, LLVMBasicBlockRef before) {
    return LLVMInsertBasicBlockInContext(x->unit->context, before, "");
}

static void mark_unlikely(Escape *x, LLVMValueRef branch) {
    LLVMMetadataRef parts[] = {
        LLVMMDStringInContext2(x->unit->context, "branch_weights", 14),
        LLVMValueAsMetadata(LLVMConstInt(x->i32, 1, 0)), LLVMValueAsMetadata(LLVMConstInt(x->i32, 2000, 0)),
    };
    LLVMSetMetadata(branch, x->prof_kind, LLVMMetadataAsValue(x->unit->context, LLVMMDNodeInContext2(x->unit->context, parts, 3)));
}

// Where in the thread the list of free objects is that the allocation was from.
static LLVMValueRef free_list(Escape *x, const Group *g) {
    const CompilerLayout *l = compiler_layout();
    const Class *c = g->what->cls;
    uint32_t kind = !class_is_array(c) ? l->free_list_typed : c->component->prim ? l->free_list_prims : l->free_list_refs;
    uint64_t class = (object_bytes(g) + l->granule - 1) / l->granule;
    return field_address(x, x->thread, (int64_t)(l->thread_free_lists + (uint64_t)kind * l->free_list_kinds_stride + class * 8));
}

// As the allocation did it: takes an object off the list, or has the VM make one. The builder is where that begins, and ends both blocks.
static void allocate(Escape *x, const Group *g, LLVMOperandBundleRef bundle, LLVMBasicBlockRef behind, LLVMValueRef *values,
                     LLVMBasicBlockRef *from) {
    const CompilerLayout *l = compiler_layout();
    LLVMBuilderRef b = x->builder;
    LLVMBasicBlockRef take = new_block(x, behind), ask = new_block(x, behind);
    LLVMValueRef list = free_list(x, g), object = LLVMBuildLoad2(b, x->ptr, list, "");
    mark_unlikely(x, LLVMBuildCondBr(b, LLVMBuildIsNull(b, object, ""), ask, take));
    LLVMPositionBuilderAtEnd(b, take);
    LLVMBuildStore(b, LLVMBuildLoad2(b, x->ptr, object, ""), list);
    LLVMBuildStore(b, g->what->vtable, field_address(x, object, l->object_vtable));
    if (class_is_array(g->what->cls))
        LLVMBuildStore(b, LLVMConstInt(x->i32, g->what->length, 0), field_address(x, object, l->array_length));
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, ask);
    LLVMValueRef f = x->unit->materialize_often, args[] = {x->thread, g->what->symbol, LLVMConstInt(x->i32, g->what->length, 0)};
    values[0] = object;
    values[1] = LLVMBuildCallWithOperandBundles(b, LLVMGlobalGetValueType(f), f, args, 3, &bundle, 1, "");
    from[0] = take;
    from[1] = ask;
    LLVMBuildBr(b, behind);
}

// The box of the cache, if the value has one there. Ends the block; the builder goes on where it has none.
static void look_into_cache(Escape *x, const Group *g, const Member *m, LLVMBasicBlockRef behind, LLVMValueRef *value, LLVMBasicBlockRef *from) {
    const CompilerLayout *l = compiler_layout();
    LLVMBuilderRef b = x->builder;
    LLVMBasicBlockRef there = new_block(x, behind), other = new_block(x, behind);
    LLVMValueRef index = LLVMBuildSub(b, box_value(x, g, m), LLVMConstInt(x->i64, (uint64_t)(int64_t)g->what->least, 1), "");
    LLVMValueRef array = LLVMBuildLoad2(b, x->ptr, g->what->cache, "");
    LLVMValueRef length = LLVMBuildLoad2(b, x->i32, field_address(x, array, l->array_length), "");
    LLVMValueRef inside = LLVMBuildICmp(b, LLVMIntULT, index, LLVMBuildZExt(b, length, x->i64, ""), "");
    LLVMBuildCondBr(b, inside, there, other);
    LLVMPositionBuilderAtEnd(b, there);
    LLVMValueRef offset = LLVMBuildShl(b, index, LLVMConstInt(x->i64, 3, 0), "");
    LLVMValueRef element = LLVMBuildInBoundsGEP2(b, x->i8, field_address(x, array, l->array_base), &offset, 1, "");
    *value = LLVMBuildLoad2(b, x->ptr, element, "");
    *from = there;
    LLVMBuildBr(b, behind);
    LLVMPositionBuilderAtEnd(b, other);
}

// The builder is in front of `at`, before and after.
static LLVMValueRef make_inline(Escape *x, const Group *g, const Member *m, LLVMValueRef at, LLVMOperandBundleRef bundle) {
    LLVMValueRef values[3];
    LLVMBasicBlockRef from[3], behind = LLVMGetInstructionParent(at);
    unsigned count = 2;
    LLVMPositionBuilderAtEnd(x->builder, cut_before(x, at));
    if (g->what->cache) look_into_cache(x, g, m, behind, &values[count], &from[count]), count++;
    allocate(x, g, bundle, behind, values, from);
    LLVMPositionBuilderBefore(x->builder, at);
    LLVMValueRef object = LLVMBuildPhi(x->builder, x->ptr, "");
    LLVMAddIncoming(object, values, from, count);
    return object;
}

// The builder is in front of `at`, which is in that block.
static void make(Escape *x, const Group *g, const Member *m, LLVMValueRef at, uint32_t block, int locks, LLVMOperandBundleRef bundle) {
    LLVMValueRef object = is_made_inline(x, g, block, locks) ? make_inline(x, g, m, at, bundle)
                          : g->what->cache ? make_box(x, g, m, bundle) : make_object(x, g, locks, bundle);
    for (uint32_t i = 0; i < g->part_count; i++) {
        if (!g->parts[i].stored) continue;
        LLVMValueRef v = LLVMBuildLoad2(x->builder, type_of(x, g->parts[i].type), m->parts[i], "");
        LLVMBuildStore(x->builder, v, field_address(x, object, g->parts[i].offset));
    }
    LLVMBuildFence(x->builder, LLVMAtomicOrderingRelease, false, "");
    LLVMBuildStore(x->builder, object, m->address);
}

// In front of `at`, in a block of its own that control comes to if the object is not there yet: the end of that block.
static LLVMValueRef unless_made(Escape *x, const Member *m, LLVMValueRef at) {
    LLVMBasicBlockRef behind = LLVMGetInstructionParent(at), head = cut_before(x, at), missing = new_block(x, behind);
    LLVMPositionBuilderAtEnd(x->builder, head);
    LLVMBuildCondBr(x->builder, LLVMBuildIsNull(x->builder, real_object(x, m), ""), missing, behind);
    LLVMPositionBuilderAtEnd(x->builder, missing);
    return LLVMBuildBr(x->builder, behind);
}

// `state`: what is known of it in front of `at`, which is in that block; the builder is there, before and after.
static void materialize(Escape *x, const Group *g, const Member *m, LLVMValueRef at, uint32_t block, int state) {
    LLVMOperandBundleRef bundle = map_at(x, g, at);
    LLVMValueRef end = state == MAYBE ? unless_made(x, m, at) : at;
    LLVMPositionBuilderBefore(x->builder, end);
    make(x, g, m, end, block, state == MAYBE ? 0 : state, bundle);
    LLVMDisposeOperandBundle(bundle);
    LLVMPositionBuilderBefore(x->builder, at);
}

static LLVMValueRef virtual_load(Escape *x, Group *g, const Member *m, const Use *u) {
    const CompilerLayout *l = compiler_layout();
    if (u->offset == l->object_vtable) return g->what->vtable;
    if (class_is_array(g->what->cls) && u->offset == l->array_length) return LLVMConstInt(x->i32, g->what->length, 0);
    const Part *p = part_at(g, u->offset);
    return LLVMBuildLoad2(x->builder, type_of(x, p->type), m->parts[p - g->parts], "");
}

static void use_virtual(Escape *x, Group *g, const Member *m, const Use *u) {
    switch (u->kind) {
        case USE_LOAD: replace(u->user, virtual_load(x, g, m, u)); break;
        case USE_STORE:
            LLVMBuildStore(x->builder, LLVMGetOperand(u->user, 0), m->parts[part_at(g, u->offset) - g->parts]);
            replace(u->user, NULL);
            break;
        case USE_FINAL: case USE_SLOW: replace(u->user, NULL); break;
        case USE_PLAIN: case USE_LOCK: case USE_UNLOCK: replace(u->user, LLVMConstInt(x->i1, 1, 0)); break;
        case USE_TEST: replace(u->user, LLVMConstInt(x->i1, LLVMGetICmpPredicate(u->user) == LLVMIntNE, 0)); break;
        case USE_BUNDLE: LLVMSetOperand(u->user, u->operand, LLVMConstNull(x->ptr)); break;
        default: break;
    }
}

static void transform_use(Escape *x, Group *g, Member *m, const Use *u, int state) {
    LLVMValueRef at = u->kind == USE_PHI ? LLVMGetBasicBlockTerminator(x->blocks[u->block].ir) : u->user;
    if (u->kind == USE_MEMBER || state == DEAD) return;
    LLVMPositionBuilderBefore(x->builder, at);
    if (is_virtual(state) && !wants_object(u, state)) {
        use_virtual(x, g, m, u);
        return;
    }
    if (is_made_for(u, state)) materialize(x, g, m, at, u->block, state);
    LLVMSetOperand(u->user, u->operand, field_address(x, real_object(x, m), u->offset));
}

static void begin_virtual(Escape *x, const Group *g, const Member *m) {
    LLVMPositionBuilderBefore(x->builder, m->value);
    for (uint32_t i = 0; i < g->part_count; i++)
        LLVMBuildStore(x->builder, LLVMConstNull(type_of(x, g->parts[i].type)), m->parts[i]);
    LLVMBuildStore(x->builder, LLVMConstNull(x->ptr), m->address);
    if (!g->what->cache) return;
    LLVMValueRef value = LLVMBuildTrunc(x->builder, LLVMGetOperand(m->value, 2), type_of(x, g->parts[0].type), "");
    LLVMBuildStore(x->builder, value, m->parts[0]);
}

// All phis of the block get their values at the same time: the loads come first.
static void copy_on_edge(Escape *x, Group *g, uint32_t from, uint32_t to) {
    uint32_t width = g->part_count + 1;
    LLVMValueRef *values = grow_zeroed((size_t)g->member_count * width, sizeof *values);
    LLVMPositionBuilderBefore(x->builder, LLVMGetBasicBlockTerminator(x->blocks[from].ir));
    for (int store = 0; store < 2; store++)
        for (uint32_t i = 0; i < g->member_count; i++) {
            const Member *phi = &g->members[i], *m;
            if (!phi->is_phi || phi->block != to || !(m = incoming(x, g, phi, from)) || m == phi) continue;
            for (uint32_t k = 0; k < width; k++) {
                LLVMValueRef *v = &values[i * width + k];
                bool is_part = k < g->part_count;
                if (store) LLVMBuildStore(x->builder, *v, is_part ? phi->parts[k] : phi->address);
                else *v = LLVMBuildLoad2(x->builder, is_part ? type_of(x, g->parts[k].type) : x->ptr,
                                         is_part ? m->parts[k] : m->address, "");
            }
        }
    free(values);
}

static void copy_into_phis(Escape *x, Group *g) {
    for (uint32_t b = 0; b < x->block_count; b++) {
        bool has_phi = false;
        for (uint32_t i = 0; i < g->member_count; i++) has_phi |= g->members[i].is_phi && g->members[i].block == b;
        for (uint32_t i = 0; has_phi && i < x->blocks[b].predecessors; i++)
            copy_on_edge(x, g, x->predecessors[x->blocks[b].first_predecessor + i], b);
    }
}

// What belongs to the allocation itself: the list is taken to have an object, so nothing of the slow path is left.
static void drop_allocation(Escape *x, LLVMValueRef object) {
    static const EscapeOp ops[] = {ESCAPE_HEAD, ESCAPE_WRITE, ESCAPE_LENGTH, ESCAPE_FENCE};
    uint32_t n = number_of(object);
    LLVMValueRef some = LLVMConstIntToPtr(LLVMConstInt(x->i64, compiler_layout()->granule, 0), x->ptr);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        LLVMValueRef f = x->ops[ops[i]];
        for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL, next; u; u = next) {
            LLVMValueRef call = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            if (number_of(call) != n) continue;
            if (ops[i] == ESCAPE_HEAD)
                for (LLVMUseRef t = LLVMGetFirstUse(call), after; t; t = after) {
                    after = LLVMGetNextUse(t);
                    if (LLVMIsAICmpInst(LLVMGetUser(t))) 
                        LLVMReplaceAllUsesWith(LLVMGetUser(t), LLVMConstInt(x->i1, LLVMGetICmpPredicate(LLVMGetUser(t)) == LLVMIntNE, 0));
                }
            replace(call, ops[i] == ESCAPE_HEAD ? some : NULL);
        }
    }
}

static void transform_member(Escape *x, Group *g, Member *m) {
    for (uint32_t b = 0; b < x->block_count; b++) {
        if (!m->live[b] && m->block != b) continue;
        step_through(x, g, m, b, transform_use);
        if (!made_at_end(x, g, m, b)) continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(x->blocks[b].ir);
        LLVMPositionBuilderBefore(x->builder, end);
        materialize(x, g, m, end, b, m->out[b]);
    }
    if (m->is_phi) return;
    begin_virtual(x, g, m);
    drop_allocation(x, m->value);
    x->unit->vanished++;
}

static void transform(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        m->parts = grow_zeroed(g->part_count, sizeof *m->parts);
        for (uint32_t k = 0; k < g->part_count; k++) m->parts[k] = add_alloca(x, type_of(x, g->parts[k].type));
        m->address = add_alloca(x, x->ptr);
    }
    for (uint32_t i = 0; i < g->member_count; i++) transform_member(x, g, &g->members[i]);
    copy_into_phis(x, g);
    for (uint32_t i = 0; i < g->member_count; i++)
        LLVMReplaceAllUsesWith(g->members[i].value, LLVMGetPoison(x->ptr));
    for (uint32_t i = 0; i < g->member_count; i++) LLVMInstructionEraseFromParent(g->members[i].value);
}

// ---- rounds ----------------------------------------------------------------------------------------

static bool simplify(Escape *x) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetVerifyEach(options, x->unit->options->verify);
    LLVMErrorRef error = LLVMRunPasses(x->unit->module, "function(sroa,early-cse,simplifycfg<no-speculate-blocks>,break-crit-edges)",
                                       x->unit->target, options);
    LLVMDisposePassBuilderOptions(options);
    return backend_take_error(x->unit, error);
}

static void find_groups(Escape *x) {
    make_index(x);
    find_objects(x);
    join_phis(x);
}

static void note_outcomes(const Escape *x) {
    for (uint32_t i = 0; i < x->group_count; i++)
        for (uint32_t k = 0; k < x->groups[i].member_count; k++) {
            const Group *g = &x->groups[i];
            if (g->members[k].is_phi) continue;
            x->unit->allocations[number_of(g->members[k].value)].outcome =
                g->refused ? g->refused : g->vanishes ? (x->stage == STAGE_OFTEN ? "is made less often" : "vanishes") : "is deferred";
        }
}

// How many vanished.
static uint32_t run_round(Escape *x) {
    uint32_t before = x->unit->vanished;
    find_groups(x);
    if (fold_classes(x)) find_groups(x);
    find_frequencies(x);
    for (uint32_t i = 0; i < x->group_count; i++) decide(x, i);
    for (uint32_t i = 0; i < x->group_count; i++) defer(x, &x->groups[i]);
    note_outcomes(x);
    for (uint32_t i = 0; i < x->group_count; i++)
        if (x->groups[i].vanishes) transform(x, &x->groups[i]);
    return x->unit->vanished - before;
}

static void begin(Escape *x, Unit *unit) {
    LLVMContextRef c = unit->context;
    *x = (Escape){.unit = unit, .builder = LLVMCreateBuilderInContext(c)};
    x->i1 = LLVMInt1TypeInContext(c);
    x->i8 = LLVMInt8TypeInContext(c);
    x->i16 = LLVMInt16TypeInContext(c);
    x->i32 = LLVMInt32TypeInContext(c);
    x->i64 = LLVMInt64TypeInContext(c);
    x->f32 = LLVMFloatTypeInContext(c);
    x->f64 = LLVMDoubleTypeInContext(c);
    x->ptr = LLVMPointerTypeInContext(c, 0);
    for (int op = 0; op < ESCAPE_OPS; op++) x->ops[op] = LLVMGetNamedFunction(unit->module, op_names[op]);
    x->prof_kind = LLVMGetMDKindIDInContext(c, "prof", 4);
    x->tbaa_kind = LLVMGetMDKindIDInContext(c, "tbaa", 4);
}

static void end(Escape *x) {
    forget_index(x);
    free(x->blocks);
    free(x->successors);
    free(x->places);
    free(x->groups);
    LLVMDisposeBuilder(x->builder);
}

// The functions that have code; the thread is the last parameter of the first, and of the second where it is like it.
static uint32_t run_functions(Escape *x) {
    uint32_t vanished = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(x->unit->module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMCountParams(f) == 0) continue;
        x->function = f;
        x->thread = LLVMGetParam(f, LLVMCountParams(f) - 1);
        vanished += run_round(x);
    }
    return vanished;
}

bool escape_analyze(Unit *unit) {
    if (!unit->has_escape_ops) return true;
    Escape x;
    begin(&x, unit);
    bool fine = true;
    if (unit->allocation_count && !unit->has_second) {
        fine = simplify(&x);
        for (uint32_t left = ROUNDS; fine && left > 0 && x.stage < STAGES; left--) {
            if (run_functions(&x)) fine = simplify(&x);
            else x.stage++;
        }
    }
    if (fine) all_real(&x);
    end(&x);
    return fine;
}
