// The events that productions need, as far as their text tells.
#include "bytecode/classfile/opcodes.h"
#include <string.h>

#include "profiler/productions/productions_internal.h"

// Does only the running program decide some part of it?
static bool is_dynamic(const Productions *p, uint32_t at) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_NOT) return is_dynamic(p, e->left);
    if (e->kind == EXPR_AND || e->kind == EXPR_OR) return is_dynamic(p, e->left) || is_dynamic(p, e->right);
    const AtomRow *row = productions_atom((ExprKind)e->kind);
    if (row) return row->kind != STATIC;
    return e->kind == EXPR_ZERO || e->kind == EXPR_OVERFLOW || e->kind == EXPR_BURST || e->kind == EXPR_ARG;
}

static bool asks_caller(const Productions *p, uint32_t at) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_NOT) return asks_caller(p, e->left);
    if (e->kind == EXPR_AND || e->kind == EXPR_OR) return asks_caller(p, e->left) || asks_caller(p, e->right);
    return e->kind == EXPR_CALLER;
}

static bool has_key(const Production *r, enum ProductionKey key) {
    for (uint32_t k = 0; k < r->key_count; k++)
        if (r->keys[k] == key) return true;
    return false;
}

// Is the expression a test of one counter, or a negated one?
static bool is_test(const Productions *p, uint32_t at, GuardTests *t) {
    const Expr *e = productions_expr(p, at);
    bool negated = e->kind == EXPR_NOT;
    if (negated) e = productions_expr(p, e->left);
    uint32_t counter = 1u << (e->kind == EXPR_BURST ? BURST_COUNTER : e->number & 31);
    switch ((ExprKind)e->kind) {
        case EXPR_ZERO: *(negated ? &t->not_zero : &t->zero) |= counter; return true;
        case EXPR_OVERFLOW: *(negated ? &t->not_overflow : &t->overflow) |= counter; return true;
        case EXPR_BURST: *(negated ? &t->zero : &t->not_zero) |= counter; return true;
        default: return false;
    }
}

// Collects the tests that must hold for it to be true: those among the parts of a conjunction.
static bool needed(const Productions *p, uint32_t at, GuardTests *t) {
    const Expr *e = productions_expr(p, at);
    if (e->kind != EXPR_AND) return is_test(p, at, t);
    bool left = needed(p, e->left, t), right = needed(p, e->right, t);
    return left || right;
}

bool productions_guard(const Productions *p, uint32_t expr, PlaceGuard *guard) {
    const Expr *e = productions_expr(p, expr);
    if (e->kind == EXPR_OR) return productions_guard(p, e->left, guard) && productions_guard(p, e->right, guard);
    GuardTests tests = {0};
    if (!needed(p, expr, &tests)) return false;
    for (uint32_t i = 0; i < guard->count; i++)
        if (memcmp(&guard->alternatives[i], &tests, sizeof tests) == 0) return true;
    if (guard->count == GUARD_ALTERNATIVES) return false;
    guard->alternatives[guard->count++] = tests;
    return true;
}

static EventSet place_events(const Production *r) {
    EventSet events = 0;
    for (int i = 0; i < PLACES; i++)
        if (r->places >> i & 1) events |= EVENT_BIT(productions_places[i].event);
    return events;
}

EventSet productions_events(const Productions *p) {
    EventSet events = 0;
    for (uint32_t i = 0; i < p->rule_count; i++) {
        const Production *r = &p->rules[i];
        if (p->shape.sampled && p->of_shape[i]) continue;
        events |= place_events(r);
        if (r->places & AT(entry) &&
            (has_key(r, KEY_OF_CALLER) || asks_caller(p, r->root) || r->handlers >> HANDLER_call_edge & 1))
            events |= EVENT_BIT(EVENT_call_edge);
        // Events for operands; matching decides which ones a place needs.
        if (is_dynamic(p, r->root) || has_key(r, KEY_OF_VALUE) || has_key(r, KEY_OF_SIGN) ||
            has_key(r, KEY_OF_LENGTH)) {
            if (r->places & (AT(get) | AT(array_load))) events |= EVENT_BIT(EVENT_value);
            if (r->places & (AT(put) | AT(array_load) | AT(array_store) | AT(allocation))) events |= EVENTS_OPERANDS;
        }
    }
    return events;
}

bool productions_compares(const Production *r) {
    return r->counts && (has_key(r, KEY_OF_WITH) || has_key(r, KEY_OF_RELATION));
}

EventSet productions_counts(const Productions *p) {
    const EventSet may = EVENT_BIT(EVENT_method_entry) | EVENT_BIT(EVENT_call_edge) | EVENT_BIT(EVENT_backedge) |
        EVENT_BIT(EVENT_jump) | EVENT_BIT(EVENT_branch) | EVENT_BIT(EVENT_field_access);
    EventSet events = productions_events(p) & may;
    for (uint32_t i = 0; i < p->rule_count; i++) {
        const Production *r = &p->rules[i];
        if (p->shape.sampled && p->of_shape[i]) continue;
        // Are all key numbers of its rows constants in compiled code, and does it count unconditionally?
        bool countable = r->counts && !r->operations && !r->frames && !r->handlers && !r->burst &&
            !is_dynamic(p, r->root);
        countable &= !has_key(r, KEY_OF_TYPE) && !has_key(r, KEY_OF_VALUE) && !has_key(r, KEY_OF_SIGN) &&
            !has_key(r, KEY_OF_LENGTH);
        if (countable) continue;
        events &= ~place_events(r);
        if (r->places & AT(entry)) events &= ~EVENT_BIT(EVENT_call_edge);
    }
    return events;
}
