// The index of a function: the reachable blocks with their frequencies, and the instructions by position.
#include "jit/escape/escape_core.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "jit/analysis/frequency.h"

uint32_t escape_block_of(const Escape *x, LLVMBasicBlockRef ir) {
    const HashRecords blocks = {x->blocks, sizeof *x->blocks};
    return (uint32_t)hash_find(&x->by_block, &hash_by_pointer, &blocks, hash_pointer(ir), ir) - 1;
}

uint32_t escape_position_of(const Escape *x, LLVMValueRef v) {
    const HashRecords places = {x->places, sizeof *x->places};
    return (uint32_t)hash_find(&x->by_value, &hash_by_pointer, &places, hash_pointer(v), v) - 1;
}

static uint32_t add_block(Escape *x, LLVMBasicBlockRef ir) {
    uint32_t found = escape_block_of(x, ir);
    if (found != NONE) return found;
    GROW_OR_EXIT(x->blocks, x->block_room, x->block_count + 1);
    x->blocks[x->block_count] = (Block){.ir = ir};
    const HashRecords blocks = {x->blocks, sizeof *x->blocks};
    hash_add_or_exit(&x->by_block, &hash_by_pointer, &blocks, hash_pointer(ir), x->block_count + 1);
    return x->block_count++;
}

static void add_places(Escape *x, uint32_t number) {
    x->blocks[number].begin = x->place_count;
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->blocks[number].ir); i; i = LLVMGetNextInstruction(i)) {
        GROW_OR_EXIT(x->places, x->place_room, x->place_count + 1);
        x->places[x->place_count].value = i;
        x->places[x->place_count++].block = number;
        const HashRecords places = {x->places, sizeof *x->places};
        hash_add_or_exit(&x->by_value, &hash_by_pointer, &places, hash_pointer(i), x->place_count);
    }
    x->blocks[number].end = x->place_count;
}

static void add_successors(Escape *x, uint32_t number) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(x->blocks[number].ir);
    LLVMValueRef condition = LLVMIsABranchInst(end) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
    bool constant = condition && LLVMIsAConstantInt(condition);  // the branch has one successor
    unsigned taken = constant && LLVMConstIntGetZExtValue(condition) == 1 ? 0 : 1;
    x->blocks[number].first_successor = x->successor_count;
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        if (constant && i != taken) continue;
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
        if (f && LLVMIsAFunction(f) &&
            LLVMGetEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cold))
            return true;
    }
    return false;
}

// The branch weights of the block's successors, in the order of the graph's edges.
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

void escape_find_frequencies(Escape *x) {
    uint32_t *first = grow_zeroed(x->block_count + 1, sizeof *first);
    uint32_t *weights = grow_zeroed(x->successor_count, sizeof *weights);
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

void escape_forget_states(Group *g) {
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

void escape_forget_index(Escape *x) {
    x->block_count = x->place_count = x->successor_count = 0;
    hash_free(&x->by_block);
    hash_free(&x->by_value);
    x->by_block = x->by_value = (HashTable){0};
    free(x->predecessors);
    free(x->group_of);
    x->predecessors = x->group_of = NULL;
    for (uint32_t i = 0; i < x->group_count; i++) {
        Group *g = &x->groups[i];
        escape_forget_states(g);
        for (uint32_t k = 0; k < g->member_count; k++) free(g->members[k].parts);
        free(g->members);
    }
    x->group_count = 0;
}

void escape_make_index(Escape *x) {
    escape_forget_index(x);
    add_block(x, LLVMGetEntryBasicBlock(x->function));
    for (uint32_t b = 0; b < x->block_count; b++) add_successors(x, b);
    for (uint32_t b = 0; b < x->block_count; b++) add_places(x, b);
    add_predecessors(x);
    x->group_of = grow_zeroed(x->place_count, sizeof *x->group_of);
}
