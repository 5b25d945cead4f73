// Sequitur (Nevill-Manning and Witten, 1997): builds a grammar of the symbols appended, incrementally. Two invariants
// hold between appends: no digram, a pair of adjacent symbols, occurs twice without overlap in the right-hand sides
// (uniqueness), and every rule except the first is used at least twice (utility). Every repetition is thus a rule.
//
// Nothing spans a separator: it is in no digram, and therefore in no rule except the first. The first rule is thus a bag
// of segments, whose order tells nothing: sequitur_fold turns segments that are one symbol into a count of their rule.
//
// Memory is bounded: each symbol of a right-hand side is a node, and `take` limits the nodes of a grammar. A symbol is
// rejected when no node is left. One thread appends, without concurrent readers. malloc only.
#ifndef CABERNET_PROFILER_STREAMS_SEQUITUR_H
#define CABERNET_PROFILER_STREAMS_SEQUITUR_H

#include <stdbool.h>
#include <stdint.h>

// The value of a node: a terminal, below SEQUITUR_TERMINALS; a rule's number with SEQUITUR_RULE; or SEQUITUR_SEPARATOR.
#define SEQUITUR_RULE 0x80000000u
#define SEQUITUR_SEPARATOR 0x7fffffffu
#define SEQUITUR_TERMINALS 0x7ffffff0u

typedef struct SequiturNode {
    uint32_t prev, next;  // in the right-hand side, which is circular through its guard
    uint32_t value;       // of a guard: the rule's number with SEQUITUR_RULE
    uint32_t chain;       // next node with the same digram hash, or next free node
} SequiturNode;

typedef struct SequiturRule {
    uint32_t guard;  // node whose next is the first symbol; 0: the rule is deleted
    uint32_t uses;   // nodes with its number, and 1 if `apart` is not 0
    uint64_t apart;  // segments that are the rule and have been folded
} SequiturRule;

// Requests `nodes` more nodes; false: denied. Called without locks.
typedef bool SequiturTake(void *arg, uint32_t nodes);

typedef struct Sequitur {
    SequiturNode *nodes;  // number 0 is unused
    uint32_t node_count, node_room, free_node, free_count;
    SequiturRule *rules;  // rule 0 is the sequence
    uint32_t rule_count, rule_room, free_rule;
    uint32_t *buckets, mask;
    uint64_t appended;  // number of terminals
    SequiturTake *take;
    void *arg;
    bool busy;  // an append is in progress: the data is inconsistent
} Sequitur;

// False: out of memory, nothing to free.
bool sequitur_begin(Sequitur *s, SequiturTake *take, void *arg);
void sequitur_end(Sequitur *s);

// Appends a terminal or SEQUITUR_SEPARATOR. False: no room, nothing changed.
bool sequitur_append(Sequitur *s, uint32_t terminal);

// Folds the segments of one symbol that a separator ends: those of a rule are counted, those of a terminal are left out.
// Returns the number of nodes that this frees. Takes time in proportion to the length of the first rule.
uint32_t sequitur_fold(Sequitur *s);

// The new number of a terminal, or SEQUITUR_SEPARATOR: it is to be replaced by a separator.
typedef uint32_t SequiturRename(void *arg, uint32_t terminal);
// Rebuilds the grammar with other terminals, folded, in at most as many nodes as it has; `appended` stays. Takes time in
// proportion to the symbols that the grammar stands for, apart from what folding counts; after it *kept is their number.
// False: no room or out of memory, nothing changed.
bool sequitur_rename(Sequitur *s, SequiturRename *rename, void *arg, uint64_t *kept);

// The right-hand side of a rule: for (n = sequitur_first(s, r); n; n = sequitur_next(s, n)) ... s->nodes[n].value.
static inline uint32_t sequitur_is_guard(const Sequitur *s, uint32_t node) {
    uint32_t value = s->nodes[node].value;
    return value & SEQUITUR_RULE && s->rules[value & ~SEQUITUR_RULE].guard == node;
}
static inline uint32_t sequitur_next(const Sequitur *s, uint32_t node) {
    uint32_t next = s->nodes[node].next;
    return sequitur_is_guard(s, next) ? 0 : next;
}
static inline uint32_t sequitur_first(const Sequitur *s, uint32_t rule) {
    return sequitur_next(s, s->rules[rule].guard);
}

#endif
