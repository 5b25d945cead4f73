#include "profiler/streams/sequitur.h"

#include <stdlib.h>

#include "base/grow.h"

// NODES_OF_APPEND nodes are available when an append begins. Substitutions may cascade, and each takes RULE_NODES
// before it frees any. When nodes run out, a repetition is left in place.
enum { NODES_OF_APPEND = 128, RULE_NODES = 4, FIRST_NODES = 256, FIRST_BUCKETS = 512 };

// ---- nodes and rules ----------------------------------------------------------------------------

static uint32_t node_new(Sequitur *s, uint32_t value) {
    uint32_t n = s->free_node;
    s->free_node = s->nodes[n].chain;
    s->free_count--;
    s->nodes[n] = (SequiturNode){.value = value};
    return n;
}

static void node_free(Sequitur *s, uint32_t n) {
    s->nodes[n] = (SequiturNode){.chain = s->free_node};
    s->free_node = n;
    s->free_count++;
}

static bool add_nodes(Sequitur *s) {
    uint32_t wanted = s->node_count < FIRST_NODES ? FIRST_NODES : s->node_count;
    if (s->node_count + wanted > SEQUITUR_TERMINALS / 2) return false;
    while (wanted >= NODES_OF_APPEND && !s->take(s->arg, wanted)) wanted /= 2;
    if (wanted < NODES_OF_APPEND || !GROW(s->nodes, s->node_room, s->node_count + wanted)) return false;
    for (uint32_t i = 0; i < wanted; i++) node_free(s, s->node_count + i);
    s->node_count += wanted;
    return true;
}

static bool rule_new(Sequitur *s, uint32_t *number) {
    if (s->free_count < RULE_NODES || (!s->free_rule && !GROW(s->rules, s->rule_room, s->rule_count + 1))) return false;
    *number = s->free_rule ? s->free_rule : s->rule_count++;
    if (s->free_rule) s->free_rule = s->rules[*number].uses;
    uint32_t guard = node_new(s, SEQUITUR_RULE | *number);
    s->nodes[guard].prev = s->nodes[guard].next = guard;
    s->rules[*number] = (SequiturRule){.guard = guard};
    return true;
}

// ---- digrams ------------------------------------------------------------------------------------

// Do the node and its successor form a digram?
static bool is_digram(const Sequitur *s, uint32_t n) {
    uint32_t next = s->nodes[n].next;
    return !sequitur_is_guard(s, n) && !sequitur_is_guard(s, next) && s->nodes[n].value != SEQUITUR_SEPARATOR &&
        s->nodes[next].value != SEQUITUR_SEPARATOR;
}

static uint32_t *bucket_at(Sequitur *s, uint32_t n) {
    uint64_t digram = (uint64_t)s->nodes[n].value << 32 | s->nodes[s->nodes[n].next].value;
    uint64_t h = digram * UINT64_C(0x9e3779b97f4a7c15);
    return &s->buckets[(uint32_t)(h >> 32 ^ h >> 45) & s->mask];
}

static uint32_t find_digram(Sequitur *s, uint32_t n) {
    uint32_t a = s->nodes[n].value, b = s->nodes[s->nodes[n].next].value;
    for (uint32_t at = *bucket_at(s, n); at; at = s->nodes[at].chain)
        if (s->nodes[at].value == a && s->nodes[s->nodes[at].next].value == b) return at;
    return 0;
}

static void add_digram(Sequitur *s, uint32_t n) {
    uint32_t *bucket = bucket_at(s, n);
    s->nodes[n].chain = *bucket;
    *bucket = n;
}

// Call before the node or its successor changes. A digram that overlaps an equal one is not in the table.
static void remove_digram(Sequitur *s, uint32_t n) {
    if (!is_digram(s, n)) return;
    for (uint32_t *at = bucket_at(s, n); *at; at = &s->nodes[*at].chain) {
        if (*at != n) continue;
        *at = s->nodes[n].chain;
        s->nodes[n].chain = 0;
        return;
    }
}

static bool grow_buckets(Sequitur *s) {
    uint32_t count = s->mask ? 2 * (s->mask + 1) : FIRST_BUCKETS, *larger = calloc(count, sizeof *larger),
             *old = s->buckets;
    uint32_t old_count = s->mask ? s->mask + 1 : 0;
    if (!larger) return old != NULL;  // lookups become slower
    s->buckets = larger;
    s->mask = count - 1;
    for (uint32_t i = 0; i < old_count; i++)
        for (uint32_t n = old[i], next; n; n = next) {
            next = s->nodes[n].chain;
            add_digram(s, n);
        }
    free(old);
    return true;
}

// ---- the algorithm ------------------------------------------------------------------------------

static bool check(Sequitur *s, uint32_t n);

static void count_use(Sequitur *s, uint32_t value, int by) {
    if (value & SEQUITUR_RULE) s->rules[value & ~SEQUITUR_RULE].uses += (uint32_t)by;
}

// Links `right` after `left`. In a run of equal symbols only one of two overlapping digrams is in the table. When that
// one is removed, the other takes its place.
static void join(Sequitur *s, uint32_t left, uint32_t right) {
    if (s->nodes[left].next) {
        remove_digram(s, left);
        uint32_t before = s->nodes[right].prev, after = s->nodes[right].next;
        if (before && after && s->nodes[before].value == s->nodes[right].value &&
            s->nodes[after].value == s->nodes[right].value && is_digram(s, right) && !find_digram(s, right))
            add_digram(s, right);
        before = s->nodes[left].prev, after = s->nodes[left].next;
        if (before && after && s->nodes[before].value == s->nodes[left].value &&
            s->nodes[after].value == s->nodes[left].value && is_digram(s, before) && !find_digram(s, before))
            add_digram(s, before);
    }
    s->nodes[left].next = right;
    s->nodes[right].prev = left;
}

// Removes a symbol from its right-hand side.
static void take_out(Sequitur *s, uint32_t n) {
    uint32_t prev = s->nodes[n].prev, next = s->nodes[n].next;
    remove_digram(s, n);
    join(s, prev, next);
    count_use(s, s->nodes[n].value, -1);
    node_free(s, n);
}

static uint32_t copy_after(Sequitur *s, uint32_t left, uint32_t value) {
    uint32_t n = node_new(s, value);
    count_use(s, value, 1);
    join(s, n, s->nodes[left].next);
    join(s, left, n);
    return n;
}

// Replaces `n`, the only use of a rule, by the rule's right-hand side.
static void expand(Sequitur *s, uint32_t n) {
    uint32_t rule = s->nodes[n].value & ~SEQUITUR_RULE, guard = s->rules[rule].guard;
    uint32_t left = s->nodes[n].prev, right = s->nodes[n].next, first = s->nodes[guard].next,
             last = s->nodes[guard].prev;
    remove_digram(s, left);
    remove_digram(s, n);
    node_free(s, guard);
    s->rules[rule] = (SequiturRule){.guard = 0, .uses = s->free_rule};
    s->free_rule = rule;
    node_free(s, n);
    s->nodes[left].next = first;
    s->nodes[first].prev = left;
    s->nodes[last].next = right;
    s->nodes[right].prev = last;
    if (!check(s, last)) check(s, left);
}

// Replaces the digram at `n` by the rule.
static void substitute(Sequitur *s, uint32_t n, uint32_t rule) {
    uint32_t left = s->nodes[n].prev;
    take_out(s, s->nodes[left].next);
    take_out(s, s->nodes[left].next);
    uint32_t use = copy_after(s, left, SEQUITUR_RULE | rule);
    if (!check(s, left)) check(s, use);
}

static void expand_if_used_once(Sequitur *s, uint32_t n) {
    uint32_t value = s->nodes[n].value;
    if (value & SEQUITUR_RULE && !sequitur_is_guard(s, n) && s->rules[value & ~SEQUITUR_RULE].uses == 1) expand(s, n);
}

// The digram at `n` equals the one at `found`.
static void match(Sequitur *s, uint32_t n, uint32_t found) {
    uint32_t rule, before = s->nodes[found].prev, behind = s->nodes[s->nodes[found].next].next;
    if (before == behind && sequitur_is_guard(s, before)) {
        rule = s->nodes[before].value & ~SEQUITUR_RULE;
        substitute(s, n, rule);
    } else {
        if (!rule_new(s, &rule)) return;
        uint32_t second = s->nodes[s->nodes[n].next].value,
                 first = copy_after(s, s->rules[rule].guard, s->nodes[n].value);
        copy_after(s, first, second);
        substitute(s, found, rule);
        add_digram(s, first);  // before the next lookup
        substitute(s, n, rule);
    }
    // The substitutions may have deleted the rule.
    if (s->rules[rule].guard) expand_if_used_once(s, s->nodes[s->rules[rule].guard].next);
    if (s->rules[rule].guard) expand_if_used_once(s, s->nodes[s->rules[rule].guard].prev);
}

// Restores uniqueness at the digram that begins at `n`. True: there was an equal one, so the nodes here have changed.
static bool check(Sequitur *s, uint32_t n) {
    if (!is_digram(s, n)) return false;
    uint32_t found = find_digram(s, n);
    if (!found) {
        add_digram(s, n);
        return false;
    }
    if (found == n) return false;
    if (s->nodes[found].next != n && s->nodes[n].next != found) match(s, n, found);
    return true;
}

bool sequitur_append(Sequitur *s, uint32_t terminal) {
    if (s->free_count < NODES_OF_APPEND && !add_nodes(s)) return false;
    if (s->node_count > 2 * s->mask) grow_buckets(s);
    s->busy = true;
    uint32_t guard = s->rules[0].guard, last = s->nodes[guard].prev;
    bool first = sequitur_is_guard(s, last);
    copy_after(s, last, terminal);
    if (!first) check(s, last);
    s->appended += terminal != SEQUITUR_SEPARATOR;
    s->busy = false;
    return true;
}

// ---- making room --------------------------------------------------------------------------------

uint32_t sequitur_fold(Sequitur *s) {
    uint32_t guard = s->rules[0].guard, before = s->free_count;
    s->busy = true;
    for (uint32_t n = s->nodes[guard].next, next; n != guard; n = next) {
        uint32_t prev = s->nodes[n].prev, value = s->nodes[n].value;
        next = s->nodes[n].next;
        bool begins = prev == guard || s->nodes[prev].value == SEQUITUR_SEPARATOR;
        bool ends = next != guard && s->nodes[next].value == SEQUITUR_SEPARATOR;
        if (!begins || (value != SEQUITUR_SEPARATOR && !ends)) continue;
        if (value != SEQUITUR_SEPARATOR) {
            uint32_t separator = next;
            next = s->nodes[separator].next;
            node_free(s, separator);
        }
        if (value & SEQUITUR_RULE) {
            SequiturRule *r = &s->rules[value & ~SEQUITUR_RULE];
            r->uses -= r->apart++ != 0;
        }
        s->nodes[prev].next = next;
        s->nodes[next].prev = prev;
        node_free(s, n);
    }
    s->busy = false;
    return s->free_count - before;
}

typedef struct Rebuild {
    Sequitur grammar;
    uint32_t left;  // nodes that it may take
    SequiturRename *rename;
    void *arg;
    uint32_t *stack;          // of nodes
    uint64_t kept, left_out;  // terminals
    bool gap, ok;             // gap: a separator is due before the next terminal
} Rebuild;

static bool take_left(void *arg, uint32_t nodes) {
    Rebuild *r = arg;
    if (r->left < nodes) return false;
    r->left -= nodes;
    return true;
}

static void append_to(Rebuild *r, uint32_t value) {
    r->ok = r->ok &&
        (sequitur_append(&r->grammar, value) || (sequitur_fold(&r->grammar) && sequitur_append(&r->grammar, value)));
}

// Appends what a rule stands for, without recursion, because grammars may be deep.
static void append_rule(Rebuild *r, const Sequitur *from, uint32_t rule) {
    uint32_t depth = 0;
    r->stack[depth++] = sequitur_first(from, rule);
    while (depth && r->ok) {
        uint32_t n = r->stack[depth - 1];
        if (!n) {
            depth--;
            continue;
        }
        r->stack[depth - 1] = sequitur_next(from, n);
        uint32_t value = from->nodes[n].value;
        if (value & SEQUITUR_RULE) {
            r->stack[depth++] = sequitur_first(from, value & ~SEQUITUR_RULE);
            continue;
        }
        if (value != SEQUITUR_SEPARATOR) value = r->rename(r->arg, value);
        if (value == SEQUITUR_SEPARATOR) {
            r->left_out++;
            r->gap = true;
            continue;
        }
        if (r->gap) append_to(r, SEQUITUR_SEPARATOR);
        r->gap = false;
        append_to(r, value);
        r->kept++;
    }
}

// Appends the folded segments of a rule. From the second one on they are one rule there as well, so the rest is counted,
// unless something is left out or the grammar divides them otherwise.
static void append_folded(Rebuild *r, const Sequitur *from, uint32_t rule) {
    Sequitur *to = &r->grammar;
    for (uint64_t left = from->rules[rule].apart, all = left; left > 0 && r->ok; left--) {
        uint64_t left_out = r->left_out;
        append_rule(r, from, rule);
        r->gap = true;
        if (left == all || left_out != r->left_out || !r->ok) continue;
        uint32_t last = to->nodes[to->rules[0].guard].prev, before = to->nodes[last].prev;
        if (sequitur_is_guard(to, last) || !(to->nodes[last].value & SEQUITUR_RULE) ||
            to->nodes[before].value != SEQUITUR_SEPARATOR)
            continue;
        SequiturRule *counted = &to->rules[to->nodes[last].value & ~SEQUITUR_RULE];
        counted->uses += left > 1 && !counted->apart;
        counted->apart += left - 1;
        return;
    }
}

bool sequitur_rename(Sequitur *s, SequiturRename *rename, void *arg, uint64_t *kept) {
    Rebuild r = {.left = s->node_count - 1, .rename = rename, .arg = arg};
    r.stack = calloc(s->rule_count + 1, sizeof *r.stack);
    r.ok = r.stack && sequitur_begin(&r.grammar, take_left, &r);
    bool begun = r.ok;
    for (uint32_t rule = 1; rule < s->rule_count && r.ok; rule++)
        if (s->rules[rule].guard && s->rules[rule].apart) append_folded(&r, s, rule);
    if (r.ok) append_rule(&r, s, 0);
    if (r.gap) append_to(&r, SEQUITUR_SEPARATOR);
    free(r.stack);
    if (!r.ok) {
        if (begun) sequitur_end(&r.grammar);
        return false;
    }
    sequitur_fold(&r.grammar);
    r.grammar.take = s->take;
    r.grammar.arg = s->arg;
    r.grammar.appended = s->appended;
    *kept = r.kept;
    Sequitur old = *s;
    r.grammar.busy = true;
    *s = r.grammar;
    sequitur_end(&old);
    s->busy = false;
    return true;
}

bool sequitur_begin(Sequitur *s, SequiturTake *take, void *arg) {
    uint32_t number;
    *s = (Sequitur){.take = take, .arg = arg};
    bool ok = GROW(s->nodes, s->node_room, 1) && GROW(s->rules, s->rule_room, 1) && grow_buckets(s);
    if (ok) {
        s->nodes[0] = (SequiturNode){0};
        s->node_count = 1;
        ok = add_nodes(s);
    }
    if (ok) return rule_new(s, &number);
    sequitur_end(s);
    return false;
}

void sequitur_end(Sequitur *s) {
    free(s->nodes);
    free(s->rules);
    free(s->buckets);
    *s = (Sequitur){0};
}
