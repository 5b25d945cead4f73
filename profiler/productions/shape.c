// Recognises productions that form the sampling framework of Figure 4: two counters over checks, in any order:
//
//     check && !overflow_A               => null, inc_A;                    P1, P2: counting up to a sample
//     check && overflow_A && !overflow_B => null, inc_B;                    P3, P4: in a burst
//     check && overflow_A && overflow_B  => null, set_A(-F), set_B(-L);     P5, P6: the burst is over
//
// Each may be split in two, for entries and for backward branches, as in the paper. Every other production requires
// overflow_A, and does not use A and B otherwise. The VM then samples, and records where overflow_A holds.
//
// All of them control, so at a check exactly one acts (eval.c). After a reset the F-th check begins a sample, the next L
// increment B, and the one after them resets. The framework samples so with interval F + 1 and burst L + 1.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/productions/productions_internal.h"

// A condition split into flags that must all hold, and the rest, which says where.
typedef struct Conjuncts {
    int64_t flag[8];  // counter + 1, negative if negated
    uint32_t flags;
    PlaceSet places;  // of the classes in the rest; 0: the rest is something else
    bool other;       // another condition is present
} Conjuncts;

static PlaceSet classes_of(const Productions *p, uint32_t at) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_CLASS && productions_classes[e->number].first < 0) return productions_classes[e->number].places;
    if (e->kind != EXPR_OR) return 0;
    PlaceSet a = classes_of(p, e->left), b = classes_of(p, e->right);
    return a && b ? a | b : 0;
}

static void split_conjuncts(const Productions *p, uint32_t at, Conjuncts *c) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_AND) {
        split_conjuncts(p, e->left, c);
        split_conjuncts(p, e->right, c);
        return;
    }
    const Expr *positive = e->kind == EXPR_NOT ? productions_expr(p, e->left) : e;
    if (positive->kind == EXPR_OVERFLOW && c->flags < sizeof c->flag / sizeof *c->flag) {
        c->flag[c->flags++] = positive == e ? positive->number + 1 : -(positive->number + 1);
        return;
    }
    PlaceSet places = classes_of(p, at);
    if (places && !c->places) c->places = places;
    else c->other = true;
}

static bool has_flag(const Conjuncts *c, int64_t flag) {
    for (uint32_t i = 0; i < c->flags; i++)
        if (c->flag[i] == flag) return true;
    return false;
}

static bool mentions(const Productions *p, uint32_t at, int counter) {
    const Expr *e = productions_expr(p, at);
    if (e->kind == EXPR_NOT) return mentions(p, e->left, counter);
    if (e->kind == EXPR_AND || e->kind == EXPR_OR)
        return mentions(p, e->left, counter) || mentions(p, e->right, counter);
    return (e->kind == EXPR_ZERO || e->kind == EXPR_OVERFLOW) && e->number == counter;
}

static bool is_set(const CounterOp *op, int counter) {
    return op && op->operation == OPERATION_SET && op->counter == counter && op->value.negative;
}

static bool same_value(CounterValue a, CounterValue b) {
    return a.negative == b.negative && a.reg == b.reg && a.plus == b.plus && (a.reg >= 0 || a.number == b.number);
}

typedef enum Role { ROLE_NONE, ROLE_RESET, ROLE_COUNT, ROLE_BURST } Role;

// The use that a production makes of the counters a and b.
static Role role_of(const Productions *p, const Production *r, int a, int b, PlaceSet *places) {
    Conjuncts c = {0};
    split_conjuncts(p, r->root, &c);
    const PlaceSet checks = AT(entry) | AT(backward_branch);
    *places = c.places;
    if (r->counts || r->frames || r->handlers || r->burst || c.other || !c.places || c.places & ~checks)
        return ROLE_NONE;
    if (c.flags == 2 && has_flag(&c, a + 1) && has_flag(&c, b + 1)) {
        const CounterOp *first = r->operations, *second = first ? first->next : NULL;
        bool ok = second && !second->next &&
            ((is_set(first, a) && is_set(second, b)) || (is_set(first, b) && is_set(second, a)));
        return ok ? ROLE_RESET : ROLE_NONE;
    }
    const CounterOp *op = r->operations, *inc = op && !op->next && op->operation == OPERATION_INC ? op : NULL;
    if (inc && inc->counter == a && c.flags == 1 && has_flag(&c, -(a + 1))) return ROLE_COUNT;
    if (inc && inc->counter == b && c.flags == 2 && has_flag(&c, a + 1) && has_flag(&c, -(b + 1))) return ROLE_BURST;
    return ROLE_NONE;
}

__attribute__((format(printf, 2, 3))) static bool not_of_shape(Productions *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->shape.why, sizeof p->shape.why, format, args);
    va_end(args);
    p->shape.sampled = false;
    memset(p->of_shape, 0, sizeof p->of_shape);
    return false;
}

// Are all three present, complete, and without repetition?
static bool has_framework(Productions *p, int a, int b) {
    PlaceSet done[4] = {0}, places;
    for (uint32_t i = 0; i < p->rule_count; i++) {
        Role role = role_of(p, &p->rules[i], a, b, &places);
        p->of_shape[i] = role != ROLE_NONE;
        if (role == ROLE_NONE) continue;
        if (done[role] & places) return false;
        done[role] |= places;
    }
    const PlaceSet checks = AT(entry) | AT(backward_branch);
    return done[ROLE_RESET] == checks && done[ROLE_COUNT] == checks && done[ROLE_BURST] == checks;
}

// If the reset is split, both parts must set the same values.
static bool take_values(Productions *p, int a, int b) {
    bool first = true;
    for (uint32_t i = 0; i < p->rule_count; i++)
        for (const CounterOp *op = p->of_shape[i] ? p->rules[i].operations : NULL; op; op = op->next) {
            if (op->operation != OPERATION_SET) continue;
            CounterValue *to = op->counter == a ? &p->shape.interval_value : &p->shape.burst_value;
            if (!first && to->negative && !same_value(*to, op->value))
                return not_of_shape(p, "its counters are set to different numbers");
            *to = op->value;
            first = first && op->next != NULL;
        }
    if (!p->counters[a].declared || !p->counters[a].value.negative)
        return not_of_shape(
            p, "counter %d, which counts checks, must begin with a negative number: counter %d = -random(interval);",
            a + 1, a + 1);
    if (!p->counters[b].declared || !same_value(p->counters[b].value, p->shape.burst_value) ||
        p->counters[b].value.random)
        return not_of_shape(p, "counter %d, which counts a burst, must begin with what it is set to later", b + 1);
    p->shape.phase_value = p->counters[a].value;
    return true;
}

static bool check_others(Productions *p, int a, int b) {
    for (uint32_t i = 0; i < p->rule_count; i++) {
        const Production *r = &p->rules[i];
        if (p->of_shape[i]) continue;
        Conjuncts c = {0};
        split_conjuncts(p, r->root, &c);
        if (!has_flag(&c, a + 1) || has_flag(&c, b + 1) || has_flag(&c, -(b + 1)) || has_flag(&c, -(a + 1)) ||
            mentions(p, r->root, b))
            return not_of_shape(p, "the production %s does not just ask for overflow_%d", r->name, a + 1);
        for (const CounterOp *op = r->operations; op; op = op->next)
            if (op->counter == a || op->counter == b)
                return not_of_shape(p, "the production %s changes counter %d, which counts checks", r->name,
                                    op->counter + 1);
    }
    return true;
}

bool productions_find_shape(Productions *p) {
    bool any = false;
    for (uint32_t i = 0; i < p->rule_count; i++) any |= p->rules[i].operations != NULL;
    p->shape = (ProductionShape){.sampling = -1, .burst = -1};
    if (!any) return not_of_shape(p, "no production counts"), true;
    for (int a = 0; a < PRODUCTION_COUNTERS; a++)
        for (int b = 0; b < PRODUCTION_COUNTERS; b++) {
            if (a == b || !has_framework(p, a, b)) continue;
            p->shape.sampled = true;
            if (take_values(p, a, b) && check_others(p, a, b)) {
                p->shape.sampling = a;
                p->shape.burst = b;
            }
            return true;
        }
    not_of_shape(p, "counters are counted otherwise than checks, samples and bursts are");
    return true;
}
