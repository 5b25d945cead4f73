/* Ticks by slot of time and node (profiler/analyses/timeslots.c) against an array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "base/splitmix.h"
#include "profiler/analyses/timeslots.h"

enum { NODES = 7, SLOTS = 600 };

static void assert_holds(const TimeSlots *s, uint32_t want[NODES][SLOTS]) {
    uint32_t used = 0, entries = 0;
    for (uint32_t i = 0; i < s->size; i++) {
        const TimeSlot *e = &s->table[i];
        if (!e->ticks) continue;
        used++;
        assert_int_equal(e->ticks, want[e->node >> 40][e->slot]);
    }
    for (int node = 0; node < NODES; node++)
        for (int slot = 0; slot < SLOTS; slot++) entries += want[node][slot] != 0;
    assert_int_equal(used, entries);
    assert_int_equal(s->used, entries);
}

static void adds_up(void **state) {
    (void)state;
    static uint32_t want[NODES][SLOTS];
    TimeSlots s = {0};
    uint64_t seed = 1;
    assert_holds(&s, want);
    for (int i = 0; i < 20000; i++) {
        uint32_t node = (uint32_t)(splitmix_next(&seed) % NODES), slot = (uint32_t)(splitmix_next(&seed) % SLOTS);
        uint32_t ticks = 1 + (uint32_t)(splitmix_next(&seed) % 3);
        assert_true(timeslots_add(&s, (uint64_t)node << 40, slot, ticks));
        want[node][slot] += ticks;
    }
    assert_holds(&s, want);
    for (uint32_t shift = 1; shift < 12; shift++) {
        static uint32_t wide[NODES][SLOTS];
        memset(wide, 0, sizeof wide);
        for (int node = 0; node < NODES; node++)
            for (uint32_t slot = 0; slot < SLOTS; slot++) wide[node][slot >> shift << shift] += want[node][slot];
        timeslots_widen(&s, shift);
        assert_holds(&s, wide);
    }
    assert_int_equal(s.used, NODES);
    timeslots_free(&s);
}

static void overflow_is_no_count(void **state) {
    (void)state;
    TimeSlots s = {0};
    assert_true(timeslots_add(&s, 1, 0, UINT32_MAX));
    assert_false(timeslots_add(&s, 1, 0, 1));
    assert_true(timeslots_add(&s, 1, 1, 1));
    assert_int_equal(s.used, 2);
    timeslots_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(adds_up), cmocka_unit_test(overflow_is_no_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
