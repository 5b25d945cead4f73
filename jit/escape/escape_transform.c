// Removes a group: the fields of its members become allocas, and so do their addresses (null: not materialised).
#include "jit/backend/counters.h"
#include "jit/escape/escape_core.h"

#include <stdlib.h>

#include "base/grow.h"

static void use_virtual(Escape *x, Group *g, const Member *m, const Use *u) {
    const CompilerLayout *l = compiler_layout();
    const Part *p;
    switch (u->kind) {
        case USE_LOAD:
            if (u->offset == l->object_vtable) {
                escape_replace(u->user, g->what->vtable);
            } else if (class_is_array(g->what->cls) && u->offset == l->array_length) {
                escape_replace(u->user, LLVMConstInt(x->i32, g->what->length, 0));
            } else {
                p = escape_part_at(g, u->offset);
                LLVMTypeRef type = escape_type_of(x, p->type);
                escape_replace(u->user, LLVMBuildLoad2(x->builder, type, m->parts[p - g->parts], ""));
            }
            break;
        case USE_STORE:
            LLVMBuildStore(x->builder, LLVMGetOperand(u->user, 0), m->parts[escape_part_at(g, u->offset) - g->parts]);
            escape_replace(u->user, NULL);
            break;
        case USE_FINAL:
        case USE_SLOW: escape_replace(u->user, NULL); break;
        case USE_PLAIN:
        case USE_LOCK:
        case USE_UNLOCK: escape_replace(u->user, LLVMConstInt(x->i1, 1, 0)); break;
        case USE_TEST:
            escape_replace(u->user, LLVMConstInt(x->i1, LLVMGetICmpPredicate(u->user) == LLVMIntNE, 0));
            break;
        case USE_BUNDLE: LLVMSetOperand(u->user, u->operand, LLVMConstNull(x->ptr)); break;
        default: break;
    }
}

static void transform_use(Escape *x, Group *g, Member *m, const Use *u, int state) {
    LLVMValueRef at = u->kind == USE_PHI ? LLVMGetBasicBlockTerminator(x->blocks[u->block].ir) : u->user;
    if (u->kind == USE_MEMBER || state == DEAD) return;
    LLVMPositionBuilderBefore(x->builder, at);
    if (escape_is_virtual(state) && !escape_wants_object(u, state)) {
        use_virtual(x, g, m, u);
        return;
    }
    if (escape_is_made_for(u, state)) escape_materialize(x, g, m, at, u->block, state);
    LLVMValueRef object = LLVMBuildLoad2(x->builder, x->ptr, m->address, "");
    LLVMSetOperand(u->user, u->operand, escape_field_address(x, object, u->offset));
}

// The distance from the thread of the counter of objects that are made instead of those of the allocation.
static LLVMValueRef counter_of(Escape *x, const Member *m) {
    uint32_t mark = x->unit->allocations[escape_number(m->value)].mark - 1;
    uint64_t number = unit_allocation_counter(x->unit, mark);
    x->unit->marks[mark].mark.removed = true;
    return LLVMConstAdd(counters_distance(x->unit, ALLOCATIONS_SYMBOL), LLVMConstInt(x->i64, 8 * number, 0));
}

static void begin_virtual(Escape *x, const Group *g, const Member *m) {
    LLVMPositionBuilderBefore(x->builder, m->value);
    for (uint32_t i = 0; i < g->part_count; i++)
        LLVMBuildStore(x->builder, LLVMConstNull(escape_type_of(x, g->parts[i].type)), m->parts[i]);
    LLVMBuildStore(x->builder, LLVMConstNull(x->ptr), m->address);
    if (m->counter) LLVMBuildStore(x->builder, counter_of(x, m), m->counter);
    if (!g->what->cache) return;
    LLVMValueRef value = LLVMBuildTrunc(x->builder, LLVMGetOperand(m->value, 2), escape_type_of(x, g->parts[0].type),
                                        "");
    LLVMBuildStore(x->builder, value, m->parts[0]);
}

// The allocas of a member by number: its parts, its address, and its counter, which may be NULL.
static LLVMValueRef word_of(const Group *g, const Member *m, uint32_t k) {
    return k < g->part_count ? m->parts[k] : k == g->part_count ? m->address : m->counter;
}

static LLVMTypeRef type_of_word(const Escape *x, const Group *g, uint32_t k) {
    return k < g->part_count ? escape_type_of(x, g->parts[k].type) : k == g->part_count ? x->ptr : x->i64;
}

// All phis of the block get their values simultaneously, so the loads come first.
static void copy_on_edge(Escape *x, Group *g, uint32_t from, uint32_t to) {
    uint32_t width = g->part_count + 2;
    LLVMValueRef *values = grow_zeroed((size_t)g->member_count * width, sizeof *values);
    LLVMPositionBuilderBefore(x->builder, LLVMGetBasicBlockTerminator(x->blocks[from].ir));
    for (int store = 0; store < 2; store++)
        for (uint32_t i = 0; i < g->member_count; i++) {
            const Member *phi = &g->members[i], *m;
            if (!phi->is_phi || phi->block != to || !(m = escape_incoming(x, g, phi, from)) || m == phi) continue;
            for (uint32_t k = 0; k < width; k++) {
                LLVMValueRef *v = &values[i * width + k], place = word_of(g, phi, k);
                if (!place) continue;
                if (store) LLVMBuildStore(x->builder, *v, place);
                else *v = LLVMBuildLoad2(x->builder, type_of_word(x, g, k), word_of(g, m, k), "");
            }
        }
    free(values);
}

// Removes the code of the allocation itself. The free list is assumed to have an object, so the slow path becomes
// unreachable.
static void drop_allocation(Escape *x, LLVMValueRef object) {
    static const EscapeOp ops[] = {ESCAPE_HEAD, ESCAPE_WRITE, ESCAPE_LENGTH, ESCAPE_FENCE};
    uint32_t n = escape_number(object);
    LLVMValueRef some = LLVMConstIntToPtr(LLVMConstInt(x->i64, compiler_layout()->granule, 0), x->ptr);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        LLVMValueRef f = x->ops[ops[i]];
        for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL, next; u; u = next) {
            LLVMValueRef call = LLVMGetUser(u);
            next = LLVMGetNextUse(u);
            if (escape_number(call) != n) continue;
            if (ops[i] == ESCAPE_HEAD)
                for (LLVMUseRef t = LLVMGetFirstUse(call), after; t; t = after) {
                    LLVMValueRef test = LLVMGetUser(t);
                    after = LLVMGetNextUse(t);
                    if (LLVMIsAICmpInst(test))
                        LLVMReplaceAllUsesWith(test, LLVMConstInt(x->i1, LLVMGetICmpPredicate(test) == LLVMIntNE, 0));
                }
            escape_replace(call, ops[i] == ESCAPE_HEAD ? some : NULL);
        }
    }
}

static void transform_member(Escape *x, Group *g, Member *m) {
    for (uint32_t b = 0; b < x->block_count; b++) {
        if (!m->live[b] && m->block != b) continue;
        escape_step_through(x, g, m, b, transform_use);
        if (!escape_made_at_end(x, g, m, b)) continue;
        LLVMValueRef end = LLVMGetBasicBlockTerminator(x->blocks[b].ir);
        LLVMPositionBuilderBefore(x->builder, end);
        escape_materialize(x, g, m, end, b, m->out[b]);
    }
    if (m->is_phi) return;
    begin_virtual(x, g, m);
    drop_allocation(x, m->value);
    x->unit->vanished++;
}

void escape_transform(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        m->parts = grow_zeroed(g->part_count, sizeof *m->parts);
        for (uint32_t k = 0; k < g->part_count; k++)
            m->parts[k] = escape_add_alloca(x, escape_type_of(x, g->parts[k].type));
        m->address = escape_add_alloca(x, x->ptr);
        m->counter = g->what->mark ? escape_add_alloca(x, x->i64) : NULL;
    }
    for (uint32_t i = 0; i < g->member_count; i++) transform_member(x, g, &g->members[i]);
    for (uint32_t b = 0; b < x->block_count; b++) {
        bool has_phi = false;
        for (uint32_t i = 0; i < g->member_count; i++) has_phi |= g->members[i].is_phi && g->members[i].block == b;
        for (uint32_t i = 0; has_phi && i < x->blocks[b].predecessors; i++)
            copy_on_edge(x, g, x->predecessors[x->blocks[b].first_predecessor + i], b);
    }
    for (uint32_t i = 0; i < g->member_count; i++) LLVMReplaceAllUsesWith(g->members[i].value, LLVMGetPoison(x->ptr));
    for (uint32_t i = 0; i < g->member_count; i++) LLVMInstructionEraseFromParent(g->members[i].value);
}
