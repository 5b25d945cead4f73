// Reasons of shadows (vm/shadow/reasons.h) when there are more of them than rows in the table.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "vm/shadow/reasons.h"

enum { FENCE = 64 };

// The table between two fences; a write out of bounds changes a fence.
typedef struct Fenced {
    unsigned char before[FENCE];
    ShadowReasons reasons;
    unsigned char behind[FENCE];
} Fenced;

static Fenced fenced;

static int reset(void **state) {
    *state = &fenced;
    memset(&fenced, 0xA5, sizeof fenced);
    memset(&fenced.reasons, 0, sizeof fenced.reasons);
    return 0;
}

static void expect_fences(void) {
    for (int i = 0; i < FENCE; i++) {
        assert_int_equal(fenced.before[i], 0xA5);
        assert_int_equal(fenced.behind[i], 0xA5);
    }
}

static void count_number(int i) {
    char text[32];
    snprintf(text, sizeof text, "native method %d", i);
    shadow_count_reason(&fenced.reasons, text, 0.5);
}

static uint64_t total(void) {
    uint64_t sum = 0;
    for (int i = 0; i < fenced.reasons.count; i++) sum += fenced.reasons.row[i].count;
    return sum;
}

static void more_reasons_than_rows_are_others(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 200; i++) count_number(i);
    expect_fences();
    assert_int_equal(fenced.reasons.count, SHADOW_REASONS);
    assert_int_equal(total(), 600);
    for (int i = 0; i < SHADOW_REASONS - 1; i++) assert_int_equal(fenced.reasons.row[i].count, 3);
    assert_string_equal(fenced.reasons.row[SHADOW_REASONS - 1].text, "others");
    assert_int_equal(fenced.reasons.row[SHADOW_REASONS - 1].count, 600 - 3 * (SHADOW_REASONS - 1));
}

static void as_many_reasons_as_rows_but_one_keep_their_names(void **state) {
    (void)state;
    for (int i = 0; i < SHADOW_REASONS - 1; i++) count_number(i);
    assert_int_equal(fenced.reasons.count, SHADOW_REASONS - 1);
    count_number(0);
    assert_int_equal(fenced.reasons.count, SHADOW_REASONS - 1);
    assert_int_equal(fenced.reasons.row[0].count, 2);
}

static void a_long_reason_has_one_row(void **state) {
    (void)state;
    char text[400];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (int i = 0; i < 5; i++) shadow_count_reason(&fenced.reasons, text, 0.5);
    expect_fences();
    assert_int_equal(fenced.reasons.count, 1);
    assert_int_equal(fenced.reasons.row[0].count, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(more_reasons_than_rows_are_others, reset),
        cmocka_unit_test_setup(as_many_reasons_as_rows_but_one_keep_their_names, reset),
        cmocka_unit_test_setup(a_long_reason_has_one_row, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
