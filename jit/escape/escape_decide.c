// Decides which groups vanish, and splits groups that cannot vanish as a whole.
#include "jit/escape/escape_core.h"

#include <stdlib.h>

#include "base/grow.h"

enum {
    MOST_MADE = 4000,   // field stores in all places that materialise it
    MOST_MEMBERS = 64,  // of a group
    MOST_SPLITS = 16,   // splits of a group
    MADE_BY_CALL = 8,   // cost of a materialisation by call, in allocations
    RARELY = 50,        // with this many allocations to one materialisation, a call does it
};

// The fraction of a group's allocations that may be materialised, in the first rounds and in the last.
static const double made_at_first = 0.125, made_at_most = 0.75;

uint64_t escape_object_bytes(const Group *g) {
    const Class *c = g->what->cls;
    return class_is_array(c) ? compiler_layout()->array_base + ((uint64_t)g->what->length << c->elem_shift)
                             : c->instance_size;
}

bool escape_is_made_inline(const Escape *x, const Group *g, uint32_t block, int locks) {
    return locks <= 0 && x->blocks[block].frequency * RARELY > g->allocated &&
        escape_object_bytes(g) <= compiler_layout()->small_max;
}

static void add_place(const Escape *x, Group *g, uint32_t block, int locks) {
    g->made += x->blocks[block].frequency * (escape_is_made_inline(x, g, block, locks) ? 1 : MADE_BY_CALL);
    g->places++;
}

static void judge_use(Escape *x, Group *g, Member *m, const Use *u, int state) {
    (void)m;
    if (escape_is_made_for(u, state)) add_place(x, g, u->block, state);
}

static void judge(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++)
        if (!g->members[i].is_phi) g->allocated += x->blocks[g->members[i].block].frequency;
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        for (uint32_t b = 0; b < x->block_count; b++) {
            if (!m->live[b] && m->block != b) continue;
            escape_step_through(x, g, m, b, judge_use);
            if (escape_made_at_end(x, g, m, b)) add_place(x, g, b, m->out[b]);
        }
    }
    double most = g->allocated * (x->stage == STAGE_OFTEN ? made_at_most : made_at_first);
    if (g->places * (g->part_count + 1) > MOST_MADE) escape_refuse(g, "it is made in many places", NULL);
    else if (g->made > most) escape_refuse(g, "it is made nearly as often", NULL);
    g->vanishes = !g->refused;
}

static void decide_once(Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->part_count; i++) g->parts[i].stored = g->what->cache != NULL;
    escape_find_uses(x, g);
    if (!g->refused) escape_find_live(x, g);
    if (!g->refused) escape_refuse_two_names(x, g);
    if (!g->refused && g->fixed) escape_find_set(x, g);
    if (!g->refused) escape_find_states(x, g);
    if (!g->refused) judge(x, g);
}

// Removes a phi from the group, and then all phis that have a value from outside the group.
static void remove_phi(Escape *x, Group *g, const Member *phi) {
    x->group_of[phi->at] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->member_count; i++) {
            const Member *m = &g->members[i];
            if (!m->is_phi || !x->group_of[m->at] || escape_group_of_phi(x, m->value)) continue;
            x->group_of[m->at] = 0;
            changed = true;
        }
    }
}

// Gives each member its part's number: the lowest index of a member in it. Returns a bound of the numbers.
static uint32_t find_parts_of_group(const Escape *x, Group *g, uint32_t *part) {
    for (uint32_t i = 0; i < g->member_count; i++) part[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < g->member_count; i++) {
            const Member *phi = &g->members[i];
            if (!phi->is_phi || !x->group_of[phi->at]) continue;
            for (uint32_t k = 0; k < g->member_count; k++) {
                if (part[k] == part[i] || !escape_comes_into(g->members[k].value, phi->value)) continue;
                part[part[k] < part[i] ? i : k] = part[part[k] < part[i] ? k : i];
                changed = true;
            }
        }
    }
    return g->member_count;
}

// Splits the group, without the phi, into its connected parts. They are appended as groups; this group stays, empty.
static void split(Escape *x, uint32_t group, const Member *phi) {
    Group *g = &x->groups[group], old;
    uint32_t *part = grow_zeroed(g->member_count, sizeof *part);
    g->refused = NULL;
    remove_phi(x, g, phi);
    uint32_t parts = find_parts_of_group(x, g, part);
    escape_forget_states(g);
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
            escape_add_member(x, number, m->value);
        }
    }
    free(old.members);
    free(part);
}

void escape_decide(Escape *x, uint32_t group) {
    Group *g = &x->groups[group];
    if (g->refused || g->member_count == 0) return;
    if (g->member_count > MOST_MEMBERS) escape_refuse(g, "it meets many others", NULL);
    else decide_once(x, g);
    if (!g->refused || g->splits >= MOST_SPLITS || x->stage == STAGE_WHOLE) return;
    const Member *phi = g->phi;  // to leave out: the one that prevents removal, or else any
    for (uint32_t i = 0; i < g->member_count && !phi; i++)
        if (g->members[i].is_phi) phi = &g->members[i];
    if (phi) split(x, group, phi);
}

void escape_defer(const Escape *x, Group *g) {
    for (uint32_t i = 0; g->vanishes && i < g->member_count; i++)
        for (uint32_t k = 0; k < g->members[i].use_count; k++) {
            const Use *u = &g->members[i].uses[k];
            if (u->kind != USE_ESCAPE || !LLVMIsAStoreInst(u->user)) continue;
            LLVMValueRef address = LLVMGetOperand(u->user, 1);
            if (LLVMIsAGetElementPtrInst(address)) address = LLVMGetOperand(address, 0);
            const Group *other = escape_group_of(x, address);
            if (other && other != g && other->vanishes) g->vanishes = false;
        }
}
