/* Phases found from vectors of call pairs (profiler/control/phases.c), in executions whose phases are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/splitmix.h"
#include "profiler/control/phases.h"

enum { USUAL = 100, RARER = 8 };

static const EventSet ENTRIES = EVENT_BIT(EVENT_method_entry);

typedef struct Run {
    Phases *phases;
    uint64_t checks, random;
    int64_t interval;
    uint32_t phase, events_of_burst;
    uint64_t produced[EVENT_COUNT];
    uint64_t bursts[PHASES_MOST];  // since they were cleared, by the phase that they count for
} Run;

static Run begin(void) {
    Run r = {.phases = phases_new(RARER, 1), .random = 7, .events_of_burst = 1};
    assert_non_null(r.phases);
    return r;
}

/* Makes bursts until `checks` checks have passed. Each burst sees one of `pairs` calls whose numbers begin at
 * `first`; with pairs = 0 it sees none. */
static void stretch(Run *r, uint64_t checks, uint32_t first, uint32_t pairs) {
    for (uint64_t end = r->checks + checks; r->checks < end;) {
        r->interval = USUAL;
        r->bursts[phases_burst(r->phases, r->checks, r->produced, true, &r->interval)]++;
        r->produced[EVENT_method_entry] += r->events_of_burst;
        r->phase = phases_now(r->phases);
        if (pairs) phases_call(r->phases, first, first + (uint32_t)(splitmix_next(&r->random) % pairs));
        r->checks += (uint64_t)r->interval;
    }
}

static void finds_phases_again(void **state) {
    (void)state;
    Run r = begin();
    uint32_t found[3];
    for (uint32_t i = 0; i < 3; i++) {
        stretch(&r, 1000000, 1000 * i, 5);
        found[i] = r.phase;
        assert_int_equal(found[i], i + 1);
        assert_true(r.interval > USUAL * (RARER - 1));
    }
    for (uint32_t i = 0; i < 3; i++) {
        stretch(&r, 300000, 1000 * i, 5);
        assert_int_equal(r.phase, found[i]);
    }
    assert_int_equal(phases_count(r.phases), 4);
    for (uint32_t i = 1; i < 4; i++) {
        PhaseFacts f = phases_facts(r.phases, i);
        assert_int_equal(f.times, 2);
        assert_true(f.checks > 1200000 && f.checks < 1400000);
        assert_int_equal(f.caller, 1000 * (i - 1));
        assert_true(f.known && f.calls);
    }
    assert_true(phases_facts(r.phases, PHASE_BETWEEN).checks < 100000);
    free(r.phases);
}

/* A phase of few pairs is recognised early, one of many late, so the latter takes more samples. */
static void variety_takes_samples(void **state) {
    (void)state;
    Run r = begin();
    stretch(&r, 3000000, 0, 0);
    stretch(&r, 3000000, 5000, 40);
    PhaseFacts none = phases_facts(r.phases, 1), many = phases_facts(r.phases, 2);
    assert_int_equal(phases_count(r.phases), 3);
    assert_false(none.calls);
    assert_true(many.calls);
    assert_true(many.bursts > 2 * none.bursts);
    assert_true(phases_weight(r.phases, 1, ENTRIES) > 2 * phases_weight(r.phases, 2, ENTRIES));
    free(r.phases);
}

/* The end of a known phase is detected late, because its bursts are rare. The estimated share of each kind of
 * stretch is right nevertheless. */
static void late_sight_shifts_little(void **state) {
    (void)state;
    Run r = begin();
    uint64_t seen[2][PHASES_MOST] = {{0}};
    double stands_for[2] = {0};
    for (int i = 0; i < 400; i++) {
        memset(r.bursts, 0, sizeof r.bursts);
        stretch(&r, i % 2 ? 20000 : 80000, i % 2 ? 5000 + 1000 * (uint32_t)(i / 2 % 4) : 0, i % 2 ? 3 : 1);
        for (int phase = 0; phase < PHASES_MOST; phase++) seen[i % 2][phase] += r.bursts[phase];
    }
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t phase = 0; phase < PHASES_MOST; phase++)
            stands_for[kind] += phases_weight(r.phases, phase, ENTRIES) * (double)seen[kind][phase];
    assert_true(phases_count(r.phases) > 2);
    double part = stands_for[1] / (stands_for[0] + stands_for[1]);
    assert_true(part > 0.18 && part < 0.22);
    free(r.phases);
}

/* Compiled code makes fewer checks than the interpreter for the same events, so a burst sees more of them. A phase
 * that is sampled densely at first and rarely later is estimated from both parts. */
static void fewer_checks_for_an_event(void **state) {
    (void)state;
    enum { PART = 100000, EVENTS_BEFORE = 1, EVENTS_AFTER = 4 };
    Run r = begin();
    double seen[PHASES_MOST] = {0}, estimate = 0;
    for (int part = 0; part < 10; part++) {
        memset(r.bursts, 0, sizeof r.bursts);
        r.events_of_burst = part ? EVENTS_AFTER : EVENTS_BEFORE;
        stretch(&r, PART, 0, 5);
        for (int phase = 0; phase < PHASES_MOST; phase++) seen[phase] += (double)(r.bursts[phase] * r.events_of_burst);
    }
    for (uint32_t phase = 0; phase < PHASES_MOST; phase++)
        estimate += phases_weight(r.phases, phase, ENTRIES) * seen[phase];
    double true_count = PART * (EVENTS_BEFORE + 9.0 * EVENTS_AFTER);
    assert_int_equal(phases_count(r.phases), 2);
    assert_true(estimate > 0.97 * true_count && estimate < 1.03 * true_count);
    free(r.phases);
}

/* Short threads have at most one burst each; together they count as much as one long thread. */
static void short_threads_count_in_full(void **state) {
    (void)state;
    enum { THREADS = 20000, CHECKS = 30 };
    static const uint64_t produced[EVENT_COUNT];
    double estimate = 0;
    uint64_t random = 3;
    for (int i = 0; i < THREADS; i++) {
        uint64_t first = splitmix_next(&random) % USUAL;
        int64_t interval = USUAL;
        if (first >= CHECKS) continue;
        Phases *p = phases_new(RARER, 1);
        assert_non_null(p);
        uint32_t phase = phases_burst(p, first, produced, true, &interval);
        estimate += phases_weight(p, phase, ENTRIES);
        free(p);
    }
    assert_true(estimate > 0.97 * THREADS * CHECKS && estimate < 1.03 * THREADS * CHECKS);
}

/* One phase, of any number of pairs, is not split into several. */
static void chance_makes_no_phases(void **state) {
    (void)state;
    for (uint32_t pairs = 1; pairs <= 200; pairs = pairs * 3 + 1) {
        Run r = begin();
        stretch(&r, 4000000, 0, pairs);
        assert_int_equal(phases_count(r.phases), 2);
        free(r.phases);
    }
}

static void there_is_room_for_so_many(void **state) {
    (void)state;
    Run r = begin();
    for (uint32_t i = 0; i < 40; i++) stretch(&r, 200000, 1000 * i, 3);
    assert_int_equal(phases_count(r.phases), PHASES_MOST);
    assert_true(phases_without_room(r.phases) > 0);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < PHASES_MOST; i++) sum += phases_facts(r.phases, i).checks;
    assert_int_equal(sum, r.checks - (uint64_t)r.interval);
    free(r.phases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_phases_again),          cmocka_unit_test(variety_takes_samples),
        cmocka_unit_test(late_sight_shifts_little),    cmocka_unit_test(fewer_checks_for_an_event),
        cmocka_unit_test(short_threads_count_in_full), cmocka_unit_test(chance_makes_no_phases),
        cmocka_unit_test(there_is_room_for_so_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
