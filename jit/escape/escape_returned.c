// Objects that come back from duplicated code (jit/emit/emit_apart.c): what was virtual where it was entered was made for it, and
// what was allocated in it is real. At the check where checking code goes on such an object meets, in a phi, the virtual one that
// checking code has there. It is one of the group then: a virtual object whose fields are read out of the real one.
//
// That is right because duplicated code does what checking code does. On its way to the check it has come by the same places, so if
// checking code leaves the object virtual on all ways there, no way of duplicated code gives it away either. For the same reason two
// locals that checking code knows to be the same object are the same when they come back, although they are read one by one.
#include "jit/escape/escape_core.h"

#include <stdlib.h>

#include "base/grow.h"

enum { MOST_PHIS = 64 };  // of a block, that are compared

static bool is_returned(const Escape *x, LLVMValueRef v) { return escape_op_of(x, v) == ESCAPE_RETURNED; }

bool escape_is_returned_to_phi(const Escape *x, LLVMValueRef v) {
    if (!is_returned(x, v)) return false;
    LLVMUseRef use = LLVMGetFirstUse(v);
    return use && !LLVMGetNextUse(use) && LLVMIsAPHINode(LLVMGetUser(use));
}

// ---- phis with the same value ----------------------------------------------------------------------
//
// All references of a block are taken to be the same at first; classes of them are divided until what comes into those of one
// class over each edge is of one class, too (B. Alpern, M. Wegman, F. Zadeck, "Detecting equality of variables in programs", POPL 1988).

typedef struct Phis {
    LLVMValueRef phis[MOST_PHIS];
    uint32_t count;
    bool any_returned;
} Phis;

static Phis references_of(const Escape *x, uint32_t block) {
    Phis p = {0};
    for (uint32_t i = x->blocks[block].begin; i < x->blocks[block].end && LLVMIsAPHINode(x->places[i].value); i++) {
        LLVMValueRef phi = x->places[i].value;
        if (LLVMTypeOf(phi) != x->ptr || p.count == MOST_PHIS) continue;
        p.phis[p.count++] = phi;
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) p.any_returned |= is_returned(x, LLVMGetIncomingValue(phi, k));
    }
    return p;
}

static LLVMValueRef incoming_from(LLVMValueRef phi, LLVMBasicBlockRef from) {
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
        if (LLVMGetIncomingBlock(phi, i) == from) return LLVMGetIncomingValue(phi, i);
    return NULL;
}

// `class`: by position; NONE: of no phi that is compared.
static bool are_same(const Escape *x, const uint32_t *class, LLVMValueRef a, LLVMValueRef b) {
    if (a == b || (is_returned(x, a) && is_returned(x, b))) return true;
    uint32_t p = LLVMIsAPHINode(a) ? escape_position_of(x, a) : NONE, q = LLVMIsAPHINode(b) ? escape_position_of(x, b) : NONE;
    return p != NONE && q != NONE && class[p] != NONE && class[p] == class[q];
}

static bool come_in_as_one(const Escape *x, const uint32_t *class, LLVMValueRef a, LLVMValueRef b) {
    bool known = false;  // by checking code
    for (unsigned i = 0; i < LLVMCountIncoming(a); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(a, i);
        if (escape_block_of(x, from) == NONE) continue;
        LLVMValueRef v = incoming_from(b, from);
        if (!v || !are_same(x, class, LLVMGetIncomingValue(a, i), v)) return false;
        known |= !is_returned(x, v);
    }
    return known;
}

// A class has the position of its first phi for a number. Whether some have been divided.
static bool divide(const Escape *x, uint32_t *class, const Phis *p) {
    uint32_t now[MOST_PHIS];
    bool divided = false;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t at = escape_position_of(x, p->phis[i]);
        now[i] = at;
        for (uint32_t k = 0; k < i && now[i] == at; k++) {
            uint32_t other = escape_position_of(x, p->phis[k]);
            if (class[other] == class[at] && now[k] == other && come_in_as_one(x, class, p->phis[i], p->phis[k])) now[i] = other;
        }
    }
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t *is = &class[escape_position_of(x, p->phis[i])];
        divided |= *is != now[i];
        *is = now[i];
    }
    return divided;
}

// Takes out phis that are the same as the first one of their class, and what came into them alone. How many.
static uint32_t join(const Escape *x, const uint32_t *class) {
    uint32_t joined = 0;
    for (uint32_t i = 0; i < x->place_count; i++) {
        if (class[i] == NONE || class[i] == i) continue;
        escape_replace(x->places[i].value, x->places[class[i]].value);
        joined++;
    }
    for (LLVMUseRef u = LLVMGetFirstUse(x->ops[ESCAPE_RETURNED]), next; u; u = next) {
        next = LLVMGetNextUse(u);
        if (!LLVMGetFirstUse(LLVMGetUser(u))) LLVMInstructionEraseFromParent(LLVMGetUser(u));
    }
    return joined;
}

bool escape_join_returned(Escape *x) {
    if (!x->ops[ESCAPE_RETURNED]) return false;
    escape_make_index(x);
    uint32_t *class = grow_zeroed(x->place_count, sizeof *class);
    for (uint32_t i = 0; i < x->place_count; i++) class[i] = NONE;
    for (uint32_t b = 0; b < x->block_count; b++) {
        Phis p = references_of(x, b);
        for (uint32_t i = 0; i < p.count && p.any_returned; i++)
            class[escape_position_of(x, p.phis[i])] = escape_position_of(x, p.phis[0]);
    }
    for (bool divided = true; divided;) {
        divided = false;
        for (uint32_t b = 0; b < x->block_count; b++) {
            Phis p = references_of(x, b);
            if (p.any_returned) divided |= divide(x, class, &p);
        }
    }
    uint32_t joined = join(x, class);
    free(class);
    return joined > 0;
}
