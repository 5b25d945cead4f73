// Which differences between counts are a reason to compile again.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vm/adaptive/countschange.h"

static VTable classes[8];

static ReceiverCounts receivers(int count, const uint64_t *counts) {
    ReceiverCounts r;
    memset(&r, 0, sizeof r);
    for (int i = 0; i < count; i++) {
        r.rows[i].vtable = &classes[i];
        r.rows[i].count = counts[i];
    }
    return r;
}
#define RECEIVERS(...) receivers(sizeof(uint64_t[]){__VA_ARGS__} / 8, (uint64_t[]){__VA_ARGS__})
#define CHANGED(before, now) countschange_receivers(&(ReceiverCounts[]){before}[0], &(ReceiverCounts[]){now}[0])

static void the_same_receivers_have_not_changed(void **state) {
    (void)state;
    assert_false(CHANGED(RECEIVERS(300, 200, 100), RECEIVERS(30, 20, 10)));
    assert_false(CHANGED(RECEIVERS(300, 300), RECEIVERS(60, 0)));  // half in common
}

static void another_receiver_is_a_change(void **state) {
    (void)state;
    assert_true(CHANGED(RECEIVERS(1000), RECEIVERS(10, 50)));
    assert_true(CHANGED(RECEIVERS(100, 100, 100, 100), RECEIVERS(100)));
    assert_true(CHANGED(RECEIVERS(1000, 0), RECEIVERS(0, 100)));
}

static void few_counts_say_nothing(void **state) {
    (void)state;
    assert_false(CHANGED(RECEIVERS(100), RECEIVERS(0, 100)));
    assert_false(CHANGED(RECEIVERS(1000), RECEIVERS(0, 20)));
    assert_false(CHANGED(RECEIVERS(1000), RECEIVERS(0)));
}

static void too_many_classes_say_nothing(void **state) {
    (void)state;
    assert_false(CHANGED(RECEIVERS(1000, 1, 1, 1, 1, 1), RECEIVERS(0, 100)));
    assert_false(CHANGED(RECEIVERS(1000), RECEIVERS(0, 100, 1, 1, 1, 1)));
}

// Block 0 branches to 1 and 2, which both lead to 3, which branches back to 0 or ends.
static FlowBlock blocks[] = {
    {.first_succ = 0, .succ_count = 2},
    {.first_succ = 2, .succ_count = 1},
    {.first_succ = 3, .succ_count = 1},
    {.first_succ = 4, .succ_count = 2},
    {.succ_count = 0},
};
static uint32_t edges[] = {1, 2, 3, 3, 0, 4};
static const Dataflow flow = {.blocks = blocks, .block_count = 5, .edges = edges};

static int64_t branch(const uint64_t *before, const uint64_t *now) { return countschange_branch(&flow, before, now); }
#define BRANCH(before, now) branch((uint64_t[]){before}, (uint64_t[]){now})
#define COUNTS(...) __VA_ARGS__

static void a_branch_that_goes_the_other_way_is_a_change(void **state) {
    (void)state;
    assert_int_equal(BRANCH(COUNTS(1000, 990, 10, 1000, 1), COUNTS(100, 10, 90, 100, 0)), 0);
    assert_int_equal(BRANCH(COUNTS(1000, 500, 500, 1000, 900), COUNTS(100, 50, 50, 100, 1)), 3);
    assert_int_equal(BRANCH(COUNTS(1000, 700, 300, 1000, 1), COUNTS(100, 30, 70, 100, 0)), -1);
}

static void few_executions_of_a_branch_say_nothing(void **state) {
    (void)state;
    assert_int_equal(BRANCH(COUNTS(1000, 1000, 0, 1000, 1), COUNTS(20, 0, 20, 20, 0)), -1);
    assert_int_equal(BRANCH(COUNTS(200, 200, 0, 200, 1), COUNTS(100, 0, 100, 100, 0)), -1);
}

// A frame that continues after a call in block 0, or in a join, counts what follows alone.
static void a_block_may_have_fewer_counts_than_its_successors(void **state) {
    (void)state;
    assert_int_equal(BRANCH(COUNTS(1000, 1000, 0, 1000, 1), COUNTS(100, 180, 0, 100, 0)), -1);
    assert_int_equal(BRANCH(COUNTS(1000, 500, 500, 1000, 900), COUNTS(100, 50, 50, 100, 180)), -1);
    assert_int_equal(BRANCH(COUNTS(1000, 1000, 0, 1000, 1), COUNTS(100, 20, 180, 100, 0)), 0);
}

// The count of a block with several edges is that of none of them.
static void a_join_says_nothing_of_its_edges(void **state) {
    (void)state;
    edges[0] = 3;  // 0 -> 3 and 1 -> 3
    assert_int_equal(BRANCH(COUNTS(1000, 0, 500, 1000, 1), COUNTS(100, 0, 60, 100, 0)), -1);
    edges[0] = 1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_receivers_have_not_changed),
        cmocka_unit_test(another_receiver_is_a_change),
        cmocka_unit_test(few_counts_say_nothing),
        cmocka_unit_test(too_many_classes_say_nothing),
        cmocka_unit_test(a_branch_that_goes_the_other_way_is_a_change),
        cmocka_unit_test(a_block_may_have_fewer_counts_than_its_successors),
        cmocka_unit_test(few_executions_of_a_branch_say_nothing),
        cmocka_unit_test(a_join_says_nothing_of_its_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
