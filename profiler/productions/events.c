// Which events productions need, as far as their words say it.
#include "bytecode/classfile/opcodes.h"
#include "profiler/productions/internal.h"

// Anything that only the running program decides?
static bool is_dynamic(const Productions *p, uint32_t at) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_NOT) return is_dynamic(p, e->left);
    if (e->kind == EXPR_AND || e->kind == EXPR_OR) return is_dynamic(p, e->left) || is_dynamic(p, e->right);
    const AtomRow *row = productions_atom((ExprKind)e->kind);
    if (row) return row->kind != STATIC;
    return e->kind == EXPR_ZERO || e->kind == EXPR_OVERFLOW || e->kind == EXPR_ARG;
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

static EventSet place_events(const Production *r) {
    EventSet events = 0;
    for (int i = 0; i < PLACES; i++)
        if (r->places >> i & 1) events |= EVENT_BIT(productions_places[i].event);
    return events;
}

static bool is_in_framework(const Productions *p, uint32_t i) { return p->shape.sampled && p->of_shape[i]; }

EventSet productions_events(const Productions *p) {
    EventSet events = 0;
    for (uint32_t i = 0; i < p->rule_count; i++) {
        const Production *r = &p->rules[i];
        if (is_in_framework(p, i)) continue;
        events |= place_events(r);
        if (r->places & AT(entry) && (has_key(r, KEY_OF_CALLER) || asks_caller(p, r->root))) events |= EVENT_BIT(EVENT_call_edge);
        // What operands take: which ones, matching says.
        if (is_dynamic(p, r->root) || has_key(r, KEY_OF_VALUE) || has_key(r, KEY_OF_LENGTH)) {
            if (r->places & (AT(get) | AT(array_load))) events |= EVENT_BIT(EVENT_value);
            if (r->places & (AT(put) | AT(array_load) | AT(array_store) | AT(allocation))) events |= EVENTS_NEVER_EVERYWHERE;
        }
    }
    return events;
}

// The keys of whose rows compiled code knows each number; and it counts without asking.
static bool is_countable(const Productions *p, const Production *r) {
    bool ok = r->counts && !r->operations && !is_dynamic(p, r->root);
    for (uint32_t k = 0; k < r->key_count; k++) ok &= r->keys[k] != KEY_OF_TYPE && r->keys[k] != KEY_OF_VALUE && r->keys[k] != KEY_OF_LENGTH;
    return ok;
}

EventSet productions_counts(const Productions *p) {
    const EventSet may = EVENT_BIT(EVENT_method_entry) | EVENT_BIT(EVENT_call_edge) | EVENT_BIT(EVENT_backedge) | EVENT_BIT(EVENT_jump) |
                         EVENT_BIT(EVENT_branch) | EVENT_BIT(EVENT_field_access);
    EventSet events = productions_events(p) & may;
    for (uint32_t i = 0; i < p->rule_count; i++) {
        const Production *r = &p->rules[i];
        if (is_in_framework(p, i) || is_countable(p, r)) continue;
        events &= ~place_events(r);
        if (r->places & AT(entry)) events &= ~EVENT_BIT(EVENT_call_edge);
    }
    return events;
}
