// Finds productions that can never act: their pattern matches no instruction, or no counter ever has a value that their
// conditions require. Each counter is described by the classes of values that it can reach, whatever the others are and
// whichever productions act, so a production found here truly never acts, but not every such production is found.
#include <stdio.h>

#include "profiler/productions/productions_internal.h"

// A counter in LOW does not overflow within HALF increments; it may be negative.
typedef enum ValueClasses { ZERO = 1, LOW = 2, HIGH = 4, OVERFLOWED = 8, ALL_CLASSES = 15 } ValueClasses;
static const int64_t HALF = COUNTER_LIMIT / 2;

static unsigned classes_between(int64_t least, int64_t most) {
    unsigned classes = 0;
    if (least <= 0 && most >= 0) classes |= ZERO;
    if (least < HALF && (least != 0 || most != 0)) classes |= LOW;
    if (least < COUNTER_LIMIT && most >= HALF) classes |= HIGH;
    if (most >= COUNTER_LIMIT) classes |= OVERFLOWED;
    return classes;
}

static unsigned classes_of(const Productions *p, CounterValue v) {
    int64_t most = COUNTER_LIMIT - productions_increments(p, v);  // of a random value the one farthest from 1
    if (!v.random) return classes_between(most, most);
    int64_t one = (v.negative ? COUNTER_LIMIT - 1 : 1) + v.plus;
    return one < most ? classes_between(one, most) : classes_between(most, one);
}

static unsigned classes_after(const Productions *p, const CounterOp *op, unsigned before) {
    unsigned after = 0;
    if (op->operation == OPERATION_SET) return classes_of(p, op->value);
    if (before & (ZERO | LOW)) after |= LOW;
    if (before & LOW) after |= ZERO;
    if (before & HIGH) after |= op->operation == OPERATION_INC ? HIGH | OVERFLOWED : HIGH;
    if (before & OVERFLOWED) after |= op->operation == OPERATION_INC ? OVERFLOWED : HIGH | OVERFLOWED;
    return after;
}

static bool tests_may_hold(const GuardTests *t, const unsigned classes[]) {
    for (int i = 0; i <= BURST_COUNTER; i++) {
        unsigned wanted = ALL_CLASSES, counter = 1u << i;
        if (t->zero & counter) wanted &= ZERO;
        if (t->not_zero & counter) wanted &= ~(unsigned)ZERO;
        if (t->overflow & counter) wanted &= OVERFLOWED;
        if (t->not_overflow & counter) wanted &= ~(unsigned)OVERFLOWED;
        if (!(wanted & classes[i])) return false;
    }
    return true;
}

static bool may_act(const Productions *p, const Production *r, const unsigned classes[]) {
    PlaceGuard guard = {0};
    if (!r->places) return false;
    if (!productions_guard(p, r->root, &guard)) return true;
    for (uint32_t i = 0; i < guard.count; i++)
        if (tests_may_hold(&guard.alternatives[i], classes)) return true;
    return false;
}

// Adds what the counters may be after the production has acted. True: something new.
static bool add_effects(const Productions *p, const Production *r, unsigned classes[]) {
    bool changed = false;
    if (r->burst) {
        unsigned all = classes[BURST_COUNTER] | (r->burst == BURST_START ? LOW : ZERO);
        changed = all != classes[BURST_COUNTER];
        classes[BURST_COUNTER] = all;
    }
    for (const CounterOp *op = r->operations; op; op = op->next) {
        unsigned all = classes[op->counter] | classes_after(p, op, classes[op->counter]);
        changed |= all != classes[op->counter];
        classes[op->counter] = all;
    }
    return changed;
}

void productions_find_idle(Productions *p) {
    unsigned classes[BURST_COUNTER + 1] = {[BURST_COUNTER] = ZERO};
    for (int i = 0; i < PRODUCTION_COUNTERS; i++)
        classes[i] = p->counters[i].declared ? classes_of(p, p->counters[i].value) : ZERO;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < p->rule_count; i++)
            if (may_act(p, &p->rules[i], classes)) changed |= add_effects(p, &p->rules[i], classes);
    }
    for (uint32_t i = 0; i < p->rule_count; i++) p->idle[i] = !may_act(p, &p->rules[i], classes);
}

const char *productions_idle(const Productions *p, uint32_t rule) {
    if (!p->idle[rule]) return NULL;
    return p->rules[rule].places
        ? "its conditions on counters and bursts are not true within 2147483648 increments of any counter (a counter "
          "begins with 0 unless `counter N = -n;` says otherwise)"
        : "no instruction matches its pattern";
}

bool productions_record_nothing(const Productions *p, char *why, size_t why_size) {
    const Production *first = NULL;
    const char *reason = NULL;
    for (uint32_t i = 0; i < p->rule_count; i++) {
        if (productions_controls(&p->rules[i])) continue;
        if (!p->idle[i]) return false;
        if (first) continue;
        first = &p->rules[i];
        reason = productions_idle(p, i);
    }
    if (first) snprintf(why, why_size, "%s never acts: %s", first->name, reason);
    else snprintf(why, why_size, "no production has count(), context, stream or handler()");
    return true;
}
