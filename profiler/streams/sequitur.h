// Sequitur (Nevill-Manning and Witten, 1997): a grammar of the sequence of symbols appended so far, built as they come.
// Two invariants hold between appends: no digram, that is no pair of neighbours, occurs twice without overlap in the right-hand
// sides (uniqueness), and every rule but the first is used at least twice (utility). So what repeats is a rule.
//
// A separator stands for a place that nothing reaches across: it is in no digram, and so in no rule but the first.
//
// Memory is bounded: symbols of right-hand sides are nodes, of which a grammar takes as many as `take` permits. What is
// appended without a node left is refused. One thread appends; nobody reads meanwhile. malloc only.
#ifndef CABERNET_PROFILER_SEQUITUR_H
#define CABERNET_PROFILER_SEQUITUR_H

#include <stdbool.h>
#include <stdint.h>

// What a node holds: a terminal, below SEQUITUR_RULE; a rule's number with the bit; or SEQUITUR_SEPARATOR.
#define SEQUITUR_RULE 0x80000000u
#define SEQUITUR_SEPARATOR 0x7fffffffu
#define SEQUITUR_TERMINALS 0x7ffffff0u

typedef struct SequiturNode {
    uint32_t prev, next;   // of the right-hand side, which is a circle through its guard
    uint32_t value;        // of a guard: the rule's number with the bit
    uint32_t chain;        // next node whose digram has the same hash; free nodes: the next one
} SequiturNode;

typedef struct SequiturRule {
    uint32_t guard;        // its node, whose next is the first symbol; 0: the rule is gone
    uint32_t uses;
} SequiturRule;

// Asks for that many nodes more; false: there may be no more. Under no lock.
typedef bool SequiturTake(void *arg, uint32_t nodes);

typedef struct Sequitur {
    SequiturNode *nodes;   // number 0 is nobody
    uint32_t node_count, node_room, free_node, free_count;
    SequiturRule *rules;   // number 0 is the sequence
    uint32_t rule_count, rule_room, free_rule;
    uint32_t *buckets, mask;
    uint64_t appended;     // terminals
    SequiturTake *take;
    void *arg;
    bool busy;             // an append is going on: what is here makes no sense
} Sequitur;

// False: out of memory; there is nothing to free.
bool sequitur_begin(Sequitur *s, SequiturTake *take, void *arg);
void sequitur_end(Sequitur *s);

// A terminal, or SEQUITUR_SEPARATOR. False: there is no room for it, and nothing was changed.
bool sequitur_append(Sequitur *s, uint32_t terminal);

// The right-hand side of a rule: for (n = sequitur_first(s, r); n; n = sequitur_next(s, n)) ... s->nodes[n].value.
static inline uint32_t sequitur_is_guard(const Sequitur *s, uint32_t node) {
    uint32_t value = s->nodes[node].value;
    return value & SEQUITUR_RULE && s->rules[value & ~SEQUITUR_RULE].guard == node;
}
static inline uint32_t sequitur_next(const Sequitur *s, uint32_t node) {
    uint32_t next = s->nodes[node].next;
    return sequitur_is_guard(s, next) ? 0 : next;
}
static inline uint32_t sequitur_first(const Sequitur *s, uint32_t rule) { return sequitur_next(s, s->rules[rule].guard); }

#endif
