// Evaluates conditions and performs counter operations at run time. The expressions are those left by matching. Runs on
// the thread that owns the counters; no lock, no allocation.
//
// A place takes two steps (Mousa and Krintz, section 4.2). First come the productions that control: those with nothing
// but counter operations and bursts, the paper's null replacements, which do what they do and then fail to match. Then
// come those that record. In each step all conditions are tested before any production acts, as the paper's decoder
// compares all patterns with an instruction in parallel; then those that hold act in their order.
#include <string.h>

#include "base/splitmix.h"
#include "bytecode/classfile/pattern.h"
#include "profiler/productions/productions_internal.h"

bool productions_holds(Relation relation, int order) {
    switch (relation) {
        case REL_EQ: return order == 0;
        case REL_NE: return order != 0;
        case REL_LT: return order < 0;
        case REL_LE: return order <= 0;
        case REL_GT: return order > 0;
        case REL_GE: return order >= 0;
    }
    return false;
}

// Every comparison with NaN except != is false, as in Java.
static bool holds_of_real(Relation relation, double a, double b) {
    if (a != a) return relation == REL_NE;
    return productions_holds(relation, (a > b) - (a < b));
}

static bool compare(const Expr *e, int64_t value) {
    float f;
    double d;
    uint32_t bits = (uint32_t)value;
    switch (e->type) {
        case 'F': memcpy(&f, &bits, sizeof f); return holds_of_real(e->relation, f, (double)e->number);
        case 'D': memcpy(&d, &value, sizeof d); return holds_of_real(e->relation, d, (double)e->number);
        case 'A': return productions_holds(e->relation, value != 0);
        default: return productions_holds(e->relation, (value > e->number) - (value < e->number));
    }
}

bool productions_eval(const Productions *p, uint32_t expr, const ProductionState *s) {
    const Expr *e = productions_expr(p, expr);
    switch ((ExprKind)e->kind) {
        case EXPR_TRUE: return true;
        case EXPR_NOT: return !productions_eval(p, e->left, s);
        case EXPR_AND: return productions_eval(p, e->left, s) && productions_eval(p, e->right, s);
        case EXPR_OR: return productions_eval(p, e->left, s) || productions_eval(p, e->right, s);
        case EXPR_ZERO: return s->counters[e->number] == 0;
        case EXPR_OVERFLOW: return s->counters[e->number] >= COUNTER_LIMIT;
        case EXPR_BURST: return s->counters[BURST_COUNTER] != 0;
        case EXPR_OPERAND: return compare(e, s->sources[e->which]);
        case EXPR_THREAD: return pattern_matches_text(e->pattern, s->thread_name ? s->thread_name : "");
        case EXPR_CALLER: return s->method_matches((uint32_t)s->sources[SOURCE_CALLER], e->pattern);
        case EXPR_DYNAMIC_TYPE: {
            char name[512];
            const char *internal = s->class_name((uint32_t)s->sources[SOURCE_CLASS]);
            return internal &&
                pattern_matches_text(e->pattern, productions_type_name(internal, strlen(internal), name, sizeof name));
        }
        default: return false;
    }
}

int64_t productions_value(const Productions *p, CounterValue v, uint64_t *random) {
    int64_t n = v.reg >= 0 ? p->registers[v.reg].value : v.number;
    if (v.random && n > 0) n = 1 + (int64_t)(splitmix_next(random) % (uint64_t)n);
    return (v.negative ? COUNTER_LIMIT - n : n) + v.plus;
}

int64_t productions_increments(const Productions *p, CounterValue v) {
    uint64_t random = 0;
    v.random = false;
    return COUNTER_LIMIT - productions_value(p, v, &random);
}

bool productions_controls(const Production *r) { return !r->counts && !r->frames && !r->handlers; }

void productions_begin(const Productions *p, uint64_t thread, int64_t counters[PRODUCTION_COUNTERS]) {
    uint64_t random = thread << 32 ^ 1;
    for (int i = 0; i < PRODUCTION_COUNTERS; i++)
        counters[i] = p->counters[i].declared ? productions_value(p, p->counters[i].value, &random) : 0;
}

void productions_operate(const Productions *p, const Production *r, int64_t *counters, uint64_t *random) {
    for (const CounterOp *op = r->operations; op; op = op->next) {
        int64_t *counter = &counters[op->counter];
        if (op->operation == OPERATION_SET) *counter = productions_value(p, op->value, random);
        else *counter += op->operation == OPERATION_INC ? 1 : -1;
    }
}
