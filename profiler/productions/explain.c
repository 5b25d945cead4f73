// Explains productions in words: how their conditions are compiled, and why.
#include <inttypes.h>
#include <stdlib.h>

#include "profiler/productions/productions_internal.h"

// A number of the framework: the increments until a counter with this value overflows, and `more`.
static void put_value(const Productions *p, const char *name, CounterValue v, int64_t more, FILE *out) {
    fprintf(out, ":%s=%" PRId64, name, productions_increments(p, v) + more);
    if (v.reg < 0) return;
    more -= v.plus;
    fprintf(out, " (register %s", p->registers[v.reg].name);
    if (more) fprintf(out, " %c %" PRId64, more < 0 ? '-' : '+', more < 0 ? -more : more);
    putc(')', out);
}

static void put_sampling(const Productions *p, FILE *out) {
    const ProductionShape *s = &p->shape;
    if (!s->sampled) {
        fprintf(out, "sampling: not by productions: %s\n", s->why);
        return;
    }
    fputs("sampling: by the framework, as sampling=counter", out);
    put_value(p, "interval", s->interval_value, 1, out);
    put_value(p, "burst", s->burst_value, 1, out);
    if (!s->phase_value.random) put_value(p, "phase", s->phase_value, 0, out);
    fprintf(out, "; counters %d and %d are not counted by themselves\n", s->sampling + 1, s->burst + 1);
}

// The run-time tests of an expression.
typedef struct Asks {
    bool counters, burst, operands, thread, caller, type;
} Asks;

static Asks asks_of(const Productions *p, uint32_t at) {
    const Expr *e = productions_expr(p, at);
    Asks a = {0}, b = {0};
    if (e->kind == EXPR_NOT || e->kind == EXPR_AND || e->kind == EXPR_OR) {
        a = asks_of(p, e->left);
        if (e->kind != EXPR_NOT) b = asks_of(p, e->right);
        return (Asks){a.counters | b.counters, a.burst | b.burst,   a.operands | b.operands,
                      a.thread | b.thread,     a.caller | b.caller, a.type | b.type};
    }
    const AtomRow *row = productions_atom((ExprKind)e->kind);
    bool sampled = p->shape.sampled && e->kind == EXPR_OVERFLOW && e->number == p->shape.sampling;
    a.counters = (e->kind == EXPR_ZERO || e->kind == EXPR_OVERFLOW) && !sampled;
    a.burst = e->kind == EXPR_BURST;
    a.operands = e->kind == EXPR_OPERAND || e->kind == EXPR_ARG || (row && row->form == FORM_OPERAND);
    a.thread = e->kind == EXPR_THREAD;
    a.caller = e->kind == EXPR_CALLER;
    a.type = e->kind == EXPR_DYNAMIC_TYPE;
    return a;
}

static void put_places(const Production *r, FILE *out) {
    bool first = true;
    PlaceSet main = r->places & MAIN_PLACES;
    if (main == MAIN_PLACES) fputs("any instruction", out), first = false;
    for (int i = 0; i < PLACES; i++) {
        if (!(r->places >> i & 1) || (main == MAIN_PLACES && MAIN_PLACES >> i & 1)) continue;
        fprintf(out, "%s%s", first ? "" : ", ", productions_places[i].text);
        first = false;
    }
}

static void put_rule(const Productions *p, uint32_t i, FILE *out) {
    const Production *r = &p->rules[i];
    const char *between = "";
    fprintf(out, "%s (", r->name);
    put_places(r, out);
    fputs("): ", out);
    if (p->shape.sampled && p->of_shape[i]) {
        fputs("part of the framework: no probe\n", out);
        return;
    }
    fputs(p->shape.sampled ? "a probe in instrumented code alone" : "a probe", out);
    Asks a = asks_of(p, r->root);
    const struct {
        bool asked;
        const char *what;
    } guards[] = {
        {a.counters, "counters"}, {a.burst, "the burst"},   {a.operands, "operands"},
        {a.thread, "the thread"}, {a.caller, "the caller"}, {a.type, "the object's class"},
    };
    for (size_t k = 0; k < sizeof guards / sizeof *guards; k++) {
        if (!guards[k].asked) continue;
        fprintf(out, "%s%s", *between ? between : ", guarded: each time it tests ", guards[k].what);
        between = ", ";
    }
    if (!*between) fputs(", without a test", out);
    if (a.counters || a.burst) {
        PlaceGuard guard = {0};
        fputs(productions_guard(p, r->root, &guard) ? "; compiled code tests the counters in place"
                                                    : "; the VM is called each time: the condition can be true "
                                                      "whatever the counters are, or has more than 4 "
                                                      "alternatives",
              out);
    }
    if (r->frames) fprintf(out, "; takes %u frames of the calling context", r->frames);
    for (int h = 0; h < HANDLERS; h++)
        if (r->handlers >> h & 1) fprintf(out, "; hands on to %s", productions_handlers[h].name);
    if (r->burst) fputs(r->burst == BURST_START ? "; starts a burst" : "; stops a burst", out);
    if (r->operations) fputs("; changes counters", out);
    if (productions_idle(p, i)) fprintf(out, "; never acts: %s", productions_idle(p, i));
    putc('\n', out);
}

void productions_explain(const Productions *p, FILE *out) {
    put_sampling(p, out);
    for (uint32_t i = 0; i < p->rule_count; i++) put_rule(p, i, out);
    char why[320];
    if (productions_record_nothing(p, why, sizeof why)) fprintf(out, "nothing is recorded: %s\n", why);
}
