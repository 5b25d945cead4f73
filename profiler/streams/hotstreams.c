#include "profiler/streams/hotstreams.h"

#include <stdlib.h>

typedef struct RuleFacts {
    uint64_t length, uses, cold_uses;
    bool hot;  // it is a minimal stream, or contains one
} RuleFacts;

typedef struct Finder {
    const Sequitur *s;
    RuleFacts *facts;        // by rule
    uint32_t *order, count;  // rules, each before those that it contains
    uint32_t *stack;         // of nodes
    uint32_t *terminals;     // of the stream
} Finder;

// Depth-first without recursion, because grammars may be deep: computes lengths, and puts each rule before `done` when
// it is complete. Returns the new `done`.
static uint32_t visit(const Finder *f, uint32_t root, uint32_t done) {
    const Sequitur *s = f->s;
    uint32_t depth = 0;
    f->stack[depth++] = sequitur_first(s, root);
    uint32_t *rules = f->terminals;  // the rule of each level; depth is at most the number of rules
    rules[0] = root;
    f->facts[root].uses = 1;  // marks it seen; uses are counted later
    while (depth) {
        uint32_t n = f->stack[depth - 1], rule = rules[depth - 1];
        if (!n) {
            f->order[--done] = rule;
            if (--depth) {
                f->facts[rules[depth - 1]].length += f->facts[rule].length;
                f->stack[depth - 1] = sequitur_next(s, f->stack[depth - 1]);
            }
            continue;
        }
        uint32_t value = s->nodes[n].value, inner = value & ~SEQUITUR_RULE;
        bool is_rule = value & SEQUITUR_RULE, first = is_rule && !f->facts[inner].uses;
        if (first) {
            f->facts[inner].uses = 1;
            rules[depth] = inner;
            f->stack[depth++] = sequitur_first(s, inner);
            continue;
        }
        f->facts[rule].length += is_rule ? f->facts[inner].length : value != SEQUITUR_SEPARATOR;
        f->stack[depth - 1] = sequitur_next(s, n);
    }
    return done;
}

// Orders the rules, and sets their uses to what does not follow from other rules.
static void visit_all(Finder *f) {
    const Sequitur *s = f->s;
    uint32_t done = visit(f, 0, s->rule_count);
    for (uint32_t rule = 1; rule < s->rule_count; rule++)
        if (s->rules[rule].apart && !f->facts[rule].uses) done = visit(f, rule, done);
    f->count = s->rule_count - done;
    f->order += done;
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t rule = f->order[i];
        f->facts[rule].uses = f->facts[rule].cold_uses = rule ? s->rules[rule].apart : 1;
    }
}

static void add_to_contained(const Finder *f, uint32_t rule, uint64_t uses, uint64_t cold) {
    for (uint32_t n = sequitur_first(f->s, rule); n; n = sequitur_next(f->s, n)) {
        uint32_t value = f->s->nodes[n].value;
        if (!(value & SEQUITUR_RULE)) continue;
        f->facts[value & ~SEQUITUR_RULE].uses += uses;
        f->facts[value & ~SEQUITUR_RULE].cold_uses += cold;
    }
}

static uint32_t write_terminals(const Finder *f, uint32_t rule) {
    uint32_t depth = 0, count = 0;
    f->stack[depth++] = sequitur_first(f->s, rule);
    while (depth) {
        uint32_t n = f->stack[depth - 1];
        if (!n) {
            depth--;
            continue;
        }
        f->stack[depth - 1] = sequitur_next(f->s, n);
        uint32_t value = f->s->nodes[n].value;
        if (value & SEQUITUR_RULE) f->stack[depth++] = sequitur_first(f->s, value & ~SEQUITUR_RULE);
        else f->terminals[count++] = value;
    }
    return count;
}

static bool is_hot(const RuleFacts *r, const HotStreamBounds *b, uint64_t frequency) {
    return r->length >= b->shortest && r->length <= b->longest && r->length * frequency >= b->heat;
}

// Occurrences inside a hot rule are not cold; occurrences inside another rule are as cold as that rule. A rule precedes
// the rules that it contains.
static void find_longest(const Finder *f, const HotStreamBounds *b, HotStreamFn *fn, void *arg) {
    for (uint32_t i = 0; i < f->count; i++) {
        uint32_t rule = f->order[i];
        const RuleFacts *r = &f->facts[rule];
        bool hot = rule && is_hot(r, b, r->cold_uses);
        add_to_contained(f, rule, r->uses, hot ? 0 : r->cold_uses);
        if (hot) fn(arg, f->terminals, write_terminals(f, rule), r->cold_uses);
    }
}

static void find_minimal(const Finder *f, const HotStreamBounds *b, HotStreamFn *fn, void *arg) {
    for (uint32_t i = 0; i < f->count; i++) add_to_contained(f, f->order[i], f->facts[f->order[i]].uses, 0);
    for (uint32_t i = f->count; i-- > 0;) {
        uint32_t rule = f->order[i];
        RuleFacts *r = &f->facts[rule];
        bool contains = false;
        for (uint32_t n = sequitur_first(f->s, rule); n && !contains; n = sequitur_next(f->s, n)) {
            uint32_t value = f->s->nodes[n].value;
            contains = value & SEQUITUR_RULE && f->facts[value & ~SEQUITUR_RULE].hot;
        }
        r->hot = contains || (rule && is_hot(r, b, r->uses));
        if (r->hot && !contains) fn(arg, f->terminals, write_terminals(f, rule), r->uses);
    }
}

bool hotstreams_find(const Sequitur *s, const HotStreamBounds *bounds, HotStreamFn *fn, void *arg) {
    size_t rules = s->rule_count, room = rules > bounds->longest ? rules : bounds->longest;
    Finder f = {.s = s,
                .facts = calloc(rules, sizeof *f.facts),
                .order = calloc(rules, sizeof *f.order),
                .stack = calloc(rules + 1, sizeof *f.stack),
                .terminals = calloc(room, sizeof *f.terminals)};
    uint32_t *order = f.order;
    bool ok = f.facts && f.order && f.stack && f.terminals;
    if (ok) {
        visit_all(&f);
        (bounds->minimal ? find_minimal : find_longest)(&f, bounds, fn, arg);
    }
    free(f.facts);
    free(order);
    free(f.stack);
    free(f.terminals);
    return ok;
}
