// Groups: an allocation, or several of one class and the phis in which they meet.
#include "jit/escape/escape_core.h"

#include <stdlib.h>

#include "base/grow.h"

LLVMTypeRef escape_type_of(const Escape *x, char type) {
    switch (type) {
        case 'Z':
        case 'B': return x->i8;
        case 'C':
        case 'S': return x->i16;
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
            // Reflection may set other final fields of existing objects.
            g->fixed &= f->trusted_final || (f->flags & ACC_FINAL && !f->cls->loader);
        }
    }
    return true;
}

Part *escape_part_at(Group *g, int64_t offset) {
    for (uint32_t i = 0; i < g->part_count; i++)
        if (g->parts[i].offset == offset) return &g->parts[i];
    return NULL;
}

// ---- groups ----------------------------------------------------------------------------------------

Group *escape_group_of(const Escape *x, LLVMValueRef v) {
    uint32_t at = LLVMIsAInstruction(v) ? escape_position_of(x, v) : NONE;
    return at == NONE || !x->group_of[at] ? NULL : &x->groups[x->group_of[at] - 1];
}

void escape_add_member(Escape *x, uint32_t group, LLVMValueRef v) {
    Group *g = &x->groups[group];
    uint32_t at = escape_position_of(x, v);
    GROW_OR_EXIT(g->members, g->member_room, g->member_count + 1);
    g->members[g->member_count++] = (Member){
        .value = v, .block = x->places[at].block, .at = at, .is_phi = LLVMIsAPHINode(v) != NULL};
    x->group_of[at] = group + 1;
}

// Each allocation and each box begins as a separate group.
static void find_objects(Escape *x) {
    bool *seen = grow_zeroed(x->unit->allocation_count, sizeof *seen);
    for (uint32_t i = 0; i < x->place_count; i++) {
        LLVMValueRef v = x->places[i].value;
        EscapeOp op = escape_op_of(x, v);
        if (op != ESCAPE_OBJECT && op != ESCAPE_BOX) continue;
        uint32_t n = escape_number(v);
        GROW_OR_EXIT(x->groups, x->group_room, x->group_count + 1);
        Group *g = &x->groups[x->group_count++];
        *g = (Group){.what = &x->unit->allocations[n], .refused = seen[n] ? "its code is there twice" : NULL};
        seen[n] = true;
        if (!find_parts(g)) g->refused = "it has many fields";
        if (op == ESCAPE_BOX) {
            if (g->part_count != 1) g->refused = "a box of several fields";
            g->parts[0].stored = true;
        }
        escape_add_member(x, x->group_count - 1, v);
    }
    free(seen);
}

Group *escape_group_of_phi(const Escape *x, LLVMValueRef phi) {
    Group *all = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        if (escape_block_of(x, LLVMGetIncomingBlock(phi, i)) == NONE || LLVMGetIncomingValue(phi, i) == phi) continue;
        Group *g = escape_group_of(x, LLVMGetIncomingValue(phi, i));
        if (!g) return NULL;
        const struct UnitAllocation *a = all ? all->what : g->what, *b = g->what;
        bool same_kind = a->cls == b->cls && a->length == b->length && a->cache == b->cache && !a->mark == !b->mark;
        if (all && (!same_kind || all->refused || g->refused)) return NULL;
        if (!all) all = g;
    }
    return all;
}

bool escape_comes_into(LLVMValueRef v, LLVMValueRef phi) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingValue(phi, i) == v) return true;
    return false;
}

// Because of loops, a phi first joins the group of any of its incoming values. Phis with an incoming value from outside
// the group then leave it again.
static void join_phis(Escape *x) {
    LLVMValueRef *phis = NULL;
    uint32_t count = 0, room = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < x->place_count; i++) {
            LLVMValueRef phi = x->places[i].value;
            if (!LLVMIsAPHINode(phi) || x->group_of[i] || LLVMTypeOf(phi) != x->ptr) continue;
            Group *g = NULL;
            for (unsigned k = 0; k < LLVMCountIncoming(phi) && !g; k++)
                g = escape_group_of(x, LLVMGetIncomingValue(phi, k));
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
            if (!phis[i] || escape_group_of_phi(x, phis[i])) continue;
            x->group_of[escape_position_of(x, phis[i])] = 0;
            phis[i] = NULL;
            changed = true;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!phis[i]) continue;
        Group *g = escape_group_of(x, phis[i]);
        escape_add_member(x, (uint32_t)(g - x->groups), phis[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!phis[i]) continue;
        for (unsigned k = 0; k < LLVMCountIncoming(phis[i]); k++) {
            Group *from = escape_group_of(x, LLVMGetIncomingValue(phis[i], k)), *to = escape_group_of(x, phis[i]);
            if (!from || from == to) continue;
            for (uint32_t n = 0; n < from->member_count; n++)
                escape_add_member(x, (uint32_t)(to - x->groups), from->members[n].value);
            from->member_count = 0;
        }
    }
    free(phis);
}

void escape_find_groups(Escape *x) {
    escape_make_index(x);
    find_objects(x);
    join_phis(x);
}
