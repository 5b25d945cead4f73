// See jit/backend/counters.h. The pass works on the emitted function before any other pass changes it, so the emitter's
// records about a block (its marks, the stack maps of its calls) still apply.
//
// The pass describes the function as blocks, nodes and edges; jit/analysis/chords.h chooses the edges that get a
// counter. Then the increments are placed on those edges. In loops that rarely call, counts stay in a register (an
// alloca that LLVM promotes). They are added to the counters where the loop is left and before each call, because
// threads are at calls when their counters are read.
#include "jit/backend/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "jit/analysis/chords.h"

typedef struct Flow {
    Unit *unit;
    LLVMValueRef function, thread, base;
    LLVMBuilderRef builder, entry_builder;
    LLVMTypeRef i64;
    Chords chords;
    LLVMBasicBlockRef *irs;  // by block
    uint32_t ir_room;
    HashTable by_ir;        // index + 1 of blocks
    LLVMValueRef **locals;  // by loop and counter: the alloca of a count; NULL: none
} Flow;

// ---- nodes and edges -------------------------------------------------------------------------------

static uint32_t block_of(const Flow *f, LLVMBasicBlockRef ir) {
    const HashRecords irs = {f->irs, sizeof *f->irs};
    return (uint32_t)hash_find(&f->by_ir, &hash_by_pointer, &irs, hash_pointer(ir), ir) - 1;
}

// The number of the stack map in the call's bundle, or in the first argument of an exit; or CHORDS_NONE.
static uint32_t stack_map_of(const Flow *f, LLVMValueRef instruction) {
    if (!LLVMIsACallInst(instruction)) return CHORDS_NONE;
    if (f->unit->exit && LLVMGetCalledValue(instruction) == f->unit->exit)
        return (uint32_t)(LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 0)) - EXIT_ID);
    if (LLVMGetNumOperandBundles(instruction) == 0) return CHORDS_NONE;
    LLVMOperandBundleRef bundle = LLVMGetOperandBundleAtIndex(instruction, 0);
    uint32_t number = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperandBundleArgAtIndex(bundle, 0));
    LLVMDisposeOperandBundle(bundle);
    return number;
}

// Splits a block into nodes, so that a call and the marks after it are in different nodes. A block's marks were emitted
// in the order of its instructions, but not consecutively: `mark` and `next_mark` are their numbers + 1 as a list that
// ends with 0.
static void add_nodes(Flow *f, uint32_t number, uint32_t mark, const uint32_t *next_mark) {
    ChordBlock *b = &f->chords.blocks[number];
    uint32_t node = b->first_node = chords_add_node(&f->chords);
    LLVMValueRef call = NULL, i = NULL;
    for (;;) {
        for (; mark && f->unit->marks[mark - 1].after == i; mark = next_mark[mark]) {
            if (call) {
                uint32_t behind = chords_add_node(&f->chords);
                chords_add_edge(&f->chords, (ChordEdge){number, number, node, behind, call, 0, CHORDS_NONE});
                node = behind;
                call = NULL;
            }
            f->unit->marks[mark - 1].mark.node = (uint16_t)node;
            f->chords.marked[node] = true;
        }
        i = i ? LLVMGetNextInstruction(i) : LLVMGetFirstInstruction(f->irs[number]);
        if (!i) break;
        uint32_t map = stack_map_of(f, i);
        if (map == CHORDS_NONE) continue;
        call = i;
        b->calls = true;
        b->invokes |= f->unit->stack_maps[map].invokes;
        f->unit->stack_maps[map].node = (uint16_t)node;
    }
    ASSERT(!mark, "a mark of a block stands behind no instruction of it");
    b->nodes = node - b->first_node + 1;
}

static void find_nodes(Flow *f) {
    const Unit *u = f->unit;
    Chords *c = &f->chords;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function); b; b = LLVMGetNextBasicBlock(b)) {
        GROW_OR_EXIT(f->irs, f->ir_room, c->block_count + 1);
        GROW_OR_EXIT(c->blocks, c->block_room, c->block_count + 1);
        f->irs[c->block_count] = b;
        c->blocks[c->block_count++] = (ChordBlock){0};
        const HashRecords irs = {f->irs, sizeof *f->irs};
        hash_add_or_exit(&f->by_ir, &hash_by_pointer, &irs, hash_pointer(b), c->block_count);
    }
    uint32_t *first = grow_zeroed(c->block_count, sizeof *first);
    uint32_t *next = grow_zeroed(u->mark_count + 1, sizeof *next);
    for (uint32_t i = u->mark_count; i > 0; i--) {
        if (!u->marks[i - 1].block) continue;
        uint32_t *list = &first[block_of(f, u->marks[i - 1].block)];
        next[i] = *list;
        *list = i;
    }
    for (uint32_t i = 0; i < c->block_count; i++) add_nodes(f, i, first[i], next);
    c->exit = chords_add_node(c);
    free(first);
    free(next);
}

// The share of a branch's first successor, by its weights.
static double share_of_first(const Flow *f, LLVMValueRef branch) {
    LLVMContextRef c = f->unit->context;
    LLVMValueRef weights = LLVMGetMetadata(branch, LLVMGetMDKindIDInContext(c, "prof", 4)), parts[3];
    if (!weights || LLVMGetMDNodeNumOperands(weights) != 3) return 0.5;
    LLVMGetMDNodeOperands(weights, parts);
    double yes = (double)LLVMConstIntGetZExtValue(parts[1]), no = (double)LLVMConstIntGetZExtValue(parts[2]);
    return yes / (yes + no);
}

// A switch may lead to one block for several values. Those are one edge.
static void add_branches(Flow *f, uint32_t number) {
    Chords *c = &f->chords;
    ChordBlock *b = &c->blocks[number];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->irs[number]);
    uint32_t last = b->first_node + b->nodes - 1, count = LLVMGetNumSuccessors(end);
    b->first_edge = c->edge_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = block_of(f, LLVMGetSuccessor(end, i)), k = b->first_edge;
        double share = count == 2 ? share_of_first(f, end) : 1.0 / count;
        if (count == 2 && i == 1) share = 1 - share;
        while (k < c->edge_count && c->edges[k].to != to) k++;
        if (k < c->edge_count) {
            c->edges[k].frequency += share;
            continue;
        }
        c->blocks[to].predecessors++;
        chords_add_edge(c, (ChordEdge){number, to, last, c->blocks[to].first_node, NULL, share, CHORDS_NONE});
    }
    if (count == 0) chords_add_edge(c, (ChordEdge){number, c->block_count, last, c->exit, NULL, 1, CHORDS_NONE});
    b->edges = c->edge_count - b->first_edge;
}

// ---- increments ------------------------------------------------------------------------------------

static LLVMValueRef address_of(Flow *f, uint32_t counter) {
    LLVMTypeRef i8 = LLVMInt8TypeInContext(f->unit->context);
    LLVMValueRef offset = LLVMConstAdd(f->base, LLVMConstInt(f->i64, 8 * (uint64_t)counter, false));
    return LLVMBuildGEP2(f->builder, i8, f->thread, &offset, 1, "");
}

static void add_to(Flow *f, LLVMValueRef address, LLVMValueRef more) {
    LLVMValueRef old = LLVMBuildLoad2(f->builder, f->i64, address, "");
    LLVMBuildStore(f->builder, LLVMBuildAdd(f->builder, old, more, ""), address);
}

static LLVMValueRef local_of(Flow *f, uint32_t loop, uint32_t counter) {
    LLVMValueRef **locals = &f->locals[loop];
    if (!*locals) *locals = grow_zeroed(f->chords.counters, sizeof **locals);
    if (!(*locals)[counter]) {
        (*locals)[counter] = LLVMBuildAlloca(f->entry_builder, f->i64, "count");
        LLVMBuildStore(f->entry_builder, LLVMConstInt(f->i64, 0, false), (*locals)[counter]);
    }
    return (*locals)[counter];
}

// Adds the loop's counts to the counters. The builder is at an exit of the loop or before a call in it.
static void add_up(Flow *f, uint32_t loop) {
    LLVMValueRef *locals = f->locals[loop];
    for (uint32_t i = 0; locals && i < f->chords.counters; i++) {
        if (!locals[i]) continue;
        add_to(f, address_of(f, i), LLVMBuildLoad2(f->builder, f->i64, locals[i], ""));
        LLVMBuildStore(f->builder, LLVMConstInt(f->i64, 0, false), locals[i]);
    }
}

// Makes the phis of `block` take the values from `from` through the new predecessor `through`.
static void redirect_phis(Flow *f, LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef through) {
    LLVMValueRef phi = LLVMGetFirstInstruction(block), next;
    for (; LLVMIsAPHINode(phi); phi = next) {
        next = LLVMGetNextInstruction(phi);
        LLVMPositionBuilderBefore(f->builder, phi);
        LLVMValueRef other = LLVMBuildPhi(f->builder, LLVMTypeOf(phi), "");
        bool done = false;
        for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
            LLVMValueRef value = LLVMGetIncomingValue(phi, i);
            LLVMBasicBlockRef in = LLVMGetIncomingBlock(phi, i);
            if (in == from && done) continue;  // a switch had several edges to the block
            if (in == from) {
                in = through;
                done = true;
            }
            LLVMAddIncoming(other, &value, &in, 1);
        }
        LLVMReplaceAllUsesWith(phi, other);
        LLVMInstructionEraseFromParent(phi);
    }
}

// Moves the builder to a place that control passes exactly when it takes the edge.
static void go_to(Flow *f, const ChordEdge *e) {
    if (e->behind) {
        LLVMPositionBuilderBefore(f->builder, LLVMGetNextInstruction(e->behind));
        return;
    }
    bool enters = e->from == f->chords.block_count;
    LLVMValueRef end = LLVMGetBasicBlockTerminator(f->irs[enters ? 0 : e->from]);
    if (enters || f->chords.blocks[e->from].edges == 1) {
        LLVMPositionBuilderBefore(f->builder, end);
        return;
    }
    LLVMBasicBlockRef to = f->irs[e->to];
    if (f->chords.blocks[e->to].predecessors == 1) {
        LLVMValueRef first = LLVMGetFirstInstruction(to);
        while (LLVMIsAPHINode(first)) first = LLVMGetNextInstruction(first);
        LLVMPositionBuilderBefore(f->builder, first);
        return;
    }
    LLVMBasicBlockRef middle = LLVMInsertBasicBlockInContext(f->unit->context, to, "edge");
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++)
        if (LLVMGetSuccessor(end, i) == to) LLVMSetSuccessor(end, i, middle);
    redirect_phis(f, to, f->irs[e->from], middle);
    LLVMPositionBuilderAtEnd(f->builder, middle);
    LLVMPositionBuilderBefore(f->builder, LLVMBuildBr(f->builder, to));
}

static bool leaves(const Flow *f, const ChordEdge *e, uint32_t loop) {
    const bool *has = f->chords.loops[loop].has;
    return !e->behind && e->from != f->chords.block_count && has[e->from] &&
        (e->to == f->chords.block_count || !has[e->to]);
}

// Places the edge's counter and adds up the counts of loops that the edge leaves. Requires that the loops' locals are
// known, hence the two rounds in place().
static void place_on_edge(Flow *f, const ChordEdge *e) {
    const Chords *c = &f->chords;
    const ChordGroup *g = e->group == CHORDS_NONE ? NULL : &c->groups[e->group];
    bool counts = g && g->counter != CHORDS_NONE, adds_up = false;
    for (uint32_t i = 0; i < c->loop_count; i++) adds_up |= f->locals[i] && leaves(f, e, i);
    if (!counts && !adds_up) return;
    go_to(f, e);
    for (uint32_t i = 0; i < c->loop_count; i++)
        if (leaves(f, e, i)) add_up(f, i);
    if (!counts) return;
    uint32_t loop = chords_loop_around(c, e);
    LLVMValueRef address = loop == CHORDS_NONE ? address_of(f, g->counter) : local_of(f, loop, g->counter);
    add_to(f, address, LLVMConstInt(f->i64, 1, false));
}

static void add_up_at_calls(Flow *f, uint32_t loop, uint32_t block) {
    for (LLVMValueRef i = LLVMGetFirstInstruction(f->irs[block]); i; i = LLVMGetNextInstruction(i)) {
        if (stack_map_of(f, i) == CHORDS_NONE) continue;
        LLVMPositionBuilderBefore(f->builder, i);
        add_up(f, loop);
    }
}

static void place(Flow *f) {
    const Chords *c = &f->chords;
    f->base = counters_distance(f->unit, COUNTERS_SYMBOL);
    f->locals = grow_zeroed(c->loop_count, sizeof *f->locals);
    for (uint32_t i = 0; i < c->edge_count; i++) {
        const ChordEdge *e = &c->edges[i];
        if (e->group == CHORDS_NONE || c->groups[e->group].counter == CHORDS_NONE) continue;
        uint32_t loop = chords_loop_around(c, e);
        if (loop != CHORDS_NONE) local_of(f, loop, c->groups[e->group].counter);
    }
    for (uint32_t i = 0; i < c->loop_count; i++)
        for (uint32_t b = 0; f->locals[i] && b < c->block_count; b++)
            if (c->loops[i].has[b] && c->blocks[b].calls) add_up_at_calls(f, i, b);
    for (uint32_t i = 0; i < c->edge_count; i++) place_on_edge(f, &c->edges[i]);
}

LLVMValueRef counters_distance(Unit *unit, const char *symbol) {
    LLVMContextRef c = unit->context;
    LLVMTypeRef i64 = LLVMInt64TypeInContext(c);
    LLVMValueRef global = LLVMGetNamedGlobal(unit->module, symbol);
    if (!global) {
        global = LLVMAddGlobal(unit->module, LLVMInt8TypeInContext(c), symbol);
        LLVMMetadataRef range[] = {LLVMValueAsMetadata(LLVMConstInt(i64, 0, false)),
                                   LLVMValueAsMetadata(LLVMConstInt(i64, INT32_MAX, false))};
        unsigned kind = LLVMGetMDKindIDInContext(c, "absolute_symbol", strlen("absolute_symbol"));
        LLVMGlobalSetMetadata(global, kind, LLVMMDNodeInContext2(c, range, 2));
    }
    return LLVMConstPtrToInt(global, i64);
}

// ---- the pass ------------------------------------------------------------------------------------------

static void begin(Flow *f) {
    LLVMContextRef c = f->unit->context;
    f->function = LLVMGetNamedFunction(f->unit->module, UNIT_FUNCTION);
    f->thread = LLVMGetParam(f->function, LLVMCountParams(f->function) - 1);
    f->i64 = LLVMInt64TypeInContext(c);
    f->builder = LLVMCreateBuilderInContext(c);
    f->entry_builder = LLVMCreateBuilderInContext(c);
    LLVMPositionBuilderBefore(f->entry_builder, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(f->function)));
    find_nodes(f);
    for (uint32_t i = 0; i < f->chords.block_count; i++) add_branches(f, i);
}

static void write_tables(const Flow *f) {
    const Chords *c = &f->chords;
    Unit *u = f->unit;
    GROW_OR_EXIT(u->count_edges, u->count_edge_room, c->group_count);
    for (uint32_t i = 0; i < c->group_count; i++) {
        const ChordGroup *g = &c->groups[i];
        u->count_edges[i] = (CodeCountEdge){(uint16_t)g->from, (uint16_t)g->to,
                                            g->counter == CHORDS_NONE ? COUNT_DERIVED : (uint16_t)g->counter};
    }
    u->count_edge_count = c->group_count;
    u->counters = c->counters;
    u->count_nodes = c->numbers;
    u->count_exit = c->number[c->exit];
    for (uint32_t i = 0; i < u->mark_count; i++)
        if (u->marks[i].block) u->marks[i].mark.node = (uint16_t)c->number[u->marks[i].mark.node];
    for (uint32_t i = 0; i < u->stack_map_count; i++)
        u->stack_maps[i].node = (uint16_t)c->number[u->stack_maps[i].node];
}

static void end(Flow *f) {
    for (uint32_t i = 0; f->locals && i < f->chords.loop_count; i++) free(f->locals[i]);
    free(f->locals);
    free(f->irs);
    chords_free(&f->chords);
    hash_free(&f->by_ir);
    LLVMDisposeBuilder(f->builder);
    LLVMDisposeBuilder(f->entry_builder);
}

bool counters_place(Unit *unit) {
    if (unit->mark_count == 0) return true;
    Flow f = {.unit = unit};
    begin(&f);
    chords_find_loops(&f.chords);
    uint32_t nodes = f.chords.node_count;
    bool fits = nodes < COUNT_NODES && f.chords.edge_count < COUNT_DERIVED;
    if (fits) {
        chords_choose(&f.chords);
        place(&f);
        write_tables(&f);
    }
    end(&f);
    return fits || unit_bail_out(unit, BAILOUT_too_large, "%u nodes to count", nodes);
}
