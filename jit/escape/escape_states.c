// Finds where a member of a group is live, where it is virtual and how often locked, and which of its fields are set.
#include "jit/escape/escape_core.h"

#include <stdlib.h>

#include "base/grow.h"

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

void escape_find_live(Escape *x, Group *g) {
    uint32_t *work = grow_zeroed(x->block_count, sizeof *work);
    for (uint32_t i = 0; i < g->member_count; i++) {
        Member *m = &g->members[i];
        m->live = grow_zeroed(x->block_count, sizeof *m->live);
        for (uint32_t k = 0; k < m->use_count; k++) mark_live(x, m, m->uses[k].block, work);
    }
    free(work);
}

Member *escape_incoming(const Escape *x, Group *g, const Member *phi, uint32_t block) {
    LLVMValueRef v = NULL;
    for (unsigned i = 0; i < LLVMCountIncoming(phi->value) && !v; i++)
        if (LLVMGetIncomingBlock(phi->value, i) == x->blocks[block].ir) v = LLVMGetIncomingValue(phi->value, i);
    for (uint32_t i = 0; v && i < g->member_count; i++)
        if (g->members[i].value == v) return &g->members[i];
    return NULL;
}

void escape_refuse(Group *g, const char *why, const Member *m) {
    if (g->refused) return;
    g->refused = why;
    g->phi = m && m->is_phi ? m : NULL;
}

void escape_refuse_two_names(const Escape *x, Group *g) {
    for (uint32_t i = 0; i < g->member_count; i++) {
        const Member *phi = &g->members[i];
        const Block *b = &x->blocks[phi->block];
        for (uint32_t k = 0; phi->is_phi && k < b->predecessors; k++) {
            const Member *m = escape_incoming(x, g, phi, x->predecessors[b->first_predecessor + k]);
            if (!m || m == phi) continue;
            if (m->live[phi->block]) escape_refuse(g, "it has two names", phi);
            for (uint32_t j = 0; j < m->use_count; j++) {
                const Use *u = &m->uses[j];
                bool same_edge = (u->kind == USE_MEMBER || u->kind == USE_PHI) && u->user != phi->value &&
                    LLVMGetInstructionParent(u->user) == b->ir && u->block == x->predecessors[b->first_predecessor + k];
                if (same_edge) escape_refuse(g, "it has two names", phi);
            }
        }
    }
}

// ---- virtual or real -------------------------------------------------------------------------------

bool escape_is_virtual(int state) { return state >= 0 || state == MADE || state == MAYBE; }

bool escape_wants_object(const Use *u, int state) {
    switch (u->kind) {
        case USE_ESCAPE:
        case USE_PHI: return true;
        case USE_STORE:
        case USE_LOCK:
        case USE_UNLOCK: return state < 0;
        case USE_TEST: return state < 0 && !LLVMIsAConstantPointerNull(LLVMGetOperand(u->user, 1 - u->operand));
        default: return false;
    }
}

bool escape_is_made_for(const Use *u, int state) {
    return (state >= 0 || state == MAYBE) && escape_wants_object(u, state);
}

static int state_after_use(Group *g, const Use *u, int state) {
    if (!escape_is_virtual(state)) return state;
    bool changes = u->kind == USE_STORE || u->kind == USE_LOCK || u->kind == USE_UNLOCK;
    if (escape_wants_object(u, state)) return u->complete && state <= 0 && !changes ? MADE : REAL;
    switch (u->kind) {
        case USE_SLOW: return DEAD;
        case USE_LOCK: return state + 1;
        case USE_UNLOCK:
            if (state == 0) g->refused = "it is unlocked too often";  // throws
            return state - 1;
        default: return state;
    }
}

static uint32_t first_use_in(const Escape *x, const Member *m, uint32_t block) {
    uint32_t low = 0, high = m->use_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (m->uses[middle].at < x->blocks[block].begin) low = middle + 1;
        else high = middle;
    }
    return low;
}

int escape_step_through(Escape *x, Group *g, Member *m, uint32_t block, Visit *visit) {
    int state = m->is_phi || m->block != block ? m->in[block] : 0;
    for (uint32_t i = first_use_in(x, m, block); i < m->use_count && m->uses[i].block == block; i++) {
        const Use *u = &m->uses[i];
        if (visit) visit(x, g, m, u, state);
        state = state_after_use(g, u, state);
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
        const Member *source = is_here ? escape_incoming(x, g, m, from) : m;
        int other = source ? source->out[from] : DEAD;
        if (other == DEAD || other == state) continue;
        if (state >= 0 && other >= 0) escape_refuse(g, "it is not locked as often on all ways", m);
        if (state == DEAD) state = other;
        else state = state == REAL || other == REAL || state > 0 || other > 0 ? REAL : MAYBE;
    }
    return state;
}

// ---- fields that are set ---------------------------------------------------------------------------
//
// A constructor that is not inlined may set the remaining fields after the object has escaped into it.

static uint64_t all_parts(const Group *g) { return ((uint64_t)1 << g->part_count) - 1; }

static uint64_t set_at_beginning(Escape *x, Group *g, const Member *m, uint32_t block) {
    const Block *b = &x->blocks[block];
    uint64_t set = all_parts(g);
    if (!m->is_phi && m->block == block) return g->what->cache ? set : 0;
    for (uint32_t i = 0; i < b->predecessors; i++) {
        uint32_t from = x->predecessors[b->first_predecessor + i];
        const Member *source = m->block == block ? escape_incoming(x, g, m, from) : m;
        if (source) set &= source->set[from];
    }
    return set;
}

static uint64_t set_at_end(Escape *x, Group *g, Member *m, uint32_t block) {
    uint64_t set = set_at_beginning(x, g, m, block), all = all_parts(g);
    for (uint32_t i = first_use_in(x, m, block); i < m->use_count && m->uses[i].block == block; i++) {
        Use *u = &m->uses[i];
        u->complete = set == all;
        if (u->kind == USE_STORE) set |= (uint64_t)1 << (escape_part_at(g, u->offset) - g->parts);
    }
    return set;
}

void escape_find_set(Escape *x, Group *g) {
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

void escape_find_states(Escape *x, Group *g) {
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
                int state = escape_step_through(x, g, m, b, NULL);
                changed |= state != m->out[b];
                m->out[b] = state;
            }
        }
    }
}

bool escape_made_at_end(const Escape *x, Group *g, const Member *m, uint32_t block) {
    const Block *b = &x->blocks[block];
    for (uint32_t i = 0; (m->out[block] >= 0 || m->out[block] == MAYBE) && i < b->successors; i++) {
        uint32_t to = x->successors[b->first_successor + i];
        if (m->live[to] && m->in[to] == REAL) return true;
        for (uint32_t k = 0; k < g->member_count; k++) {
            const Member *phi = &g->members[k];
            if (phi->is_phi && phi->block == to && phi->in[to] == REAL && escape_incoming(x, g, phi, block) == m)
                return true;
        }
    }
    return false;
}
