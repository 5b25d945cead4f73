// Strip mining: which loops count, how far and to what bound, and which loops no transformation fits.
#include "tests/jit/plans.h"

#include "jit/analysis/strip_mining.h"

static HandPlan hand;
static InnerLoops found;

static const InnerLoop *only_loop(const StripMiningOptions *options) {
    found = strip_mining_find(&hand.plan, options);
    assert_int_equal(found.count, 1);
    return &found.loops[0];
}

static void expect_none(const StripMiningOptions *options) {
    found = strip_mining_find(&hand.plan, options);
    assert_int_equal(found.count, 0);
    strip_mining_free(&found);
}

static void done(void) {
    strip_mining_free(&found);
    assert_null(found.loops);
    handplan_free(&hand);
}

static const StripMiningOptions plain = {.on = true}, sampled = {.on = true, .sampled = true};

// for (i = 0; i < n; i++) s += a[i], with the array in local 0, n in 1, s in 2 and i in 3.
static void sum_of_array(void) {
    handplan_make(&hand, "([II)I", 4, OPC_iconst_0, OPC_istore_2, OPC_iconst_0, OPC_istore_3,                 // 0
                  OPC_iload_3, OPC_iload_1, OPC_if_icmpge, TO(6, 21),                                         // 4
                  OPC_iload_2, OPC_aload_0, OPC_iload_3, OPC_iaload, OPC_iadd, OPC_istore_2, OPC_iinc, 3, 1,  // 9
                  OPC_goto, TO(18, 4), OPC_iload_2, OPC_ireturn);                                             // 18
}

static void a_loop_over_an_array(void **state) {
    (void)state;
    sum_of_array();
    const InnerLoop *l = only_loop(&plain);
    assert_true(strip_mining_is_counted(l));
    assert_true(strip_mining_has_constant_step(l));
    assert_true(strip_mining_fits_sampling(l));
    assert_int_equal(l->header, handplan_block(&hand.plan, 4));
    assert_int_equal(l->test, l->header);
    assert_true(l->first && l->left && l->exact && l->closed);
    assert_int_equal(l->stay, 1);
    assert_int_equal(l->condition, LOOP_LT);
    assert_int_equal(l->local, 3);
    assert_int_equal(l->step, 1);
    assert_int_equal(l->reach, 1);
    assert_int_equal(l->offset, 0);
    assert_int_equal(l->advance, 0);
    assert_int_equal(l->checks, 0);  // n is not known
    assert_int_equal(l->before, handplan_block(&hand.plan, 0));
    assert_int_equal(l->array_count, 1);
    assert_int_equal(l->arrays[0], 0);
    assert_false(l->body[handplan_block(&hand.plan, 0)]);
    assert_true(l->body[handplan_block(&hand.plan, 9)]);
    assert_false(l->body[handplan_block(&hand.plan, 21)]);
    done();
}

// for (i = 0; i < bound; i++) with a constant bound.
static void to_bound(uint8_t high, uint8_t low) {
    handplan_make(&hand, "()V", 1, OPC_iconst_0, OPC_istore_0, OPC_iload_0, OPC_sipush, high, low, OPC_if_icmpge,
                  TO(6, 15), OPC_iinc, 0, 1, OPC_goto, TO(12, 2), OPC_return);
}

static void a_known_number_of_iterations(void **state) {
    (void)state;
    to_bound(0, 10);
    const InnerLoop *l = only_loop(&plain);
    assert_int_equal(l->checks, 11);  // the last one ends the loop
    assert_int_equal(l->start, 0);
    done();
    to_bound(0, 0);
    assert_int_equal(only_loop(&plain)->checks, 0);
    done();
    to_bound(16, 0);  // 4096, the longest strip
    l = only_loop(&plain);
    assert_int_equal(l->length, 4096);
    assert_int_equal(l->checks, 4097);
    done();
    to_bound(16, 1);
    assert_int_equal(only_loop(&plain)->checks, 0);  // more than a strip has
    done();
}

static void the_length_of_a_strip(void **state) {
    (void)state;
    sum_of_array();
    assert_int_equal(only_loop(&plain)->length, 4096);
    strip_mining_free(&found);
    assert_int_equal(only_loop(&(StripMiningOptions){.on = true, .length = 3})->length, 3);
    done();
    // A long iteration makes strips short: 6000 bytecodes, 21 of which fit into a strip of 2^17.
    enum { LONG = 6000, START = 2, TEST = START + LONG };
    static uint8_t code[TEST + 5] = {OPC_iconst_0, OPC_istore_0};
    memset(code + START, OPC_nop, LONG - 3);
    memcpy(code + TEST - 3, (uint8_t[]){OPC_iinc, 0, 1, OPC_iload_0, OPC_ifle, TO(TEST + 1, START), OPC_return}, 8);
    handplan_with(&hand, "()V", 1, code, sizeof code, NULL, 0);
    assert_in_range(only_loop(&plain)->length, (1 << 17) / (LONG + 10), (1 << 17) / LONG);
    done();
}

static void a_test_at_the_end(void **state) {
    (void)state;
    // do i += 2 while (n > i)
    handplan_make(&hand, "(I)V", 2, OPC_iconst_0, OPC_istore_1, OPC_iinc, 1, 2, OPC_iload_0, OPC_iload_1, OPC_if_icmpgt,
                  TO(7, 2), OPC_return);
    const InnerLoop *l = only_loop(&plain);
    assert_false(l->first);
    assert_false(l->left);
    assert_int_equal(l->condition, LOOP_LT);  // with the variable on the left
    assert_int_equal(l->stay, 0);
    assert_int_equal(l->step, 2);
    assert_int_equal(l->checks, 0);
    done();
}

static void downwards(void **state) {
    (void)state;
    // for (i = 12; i >= 0; i -= 3)
    handplan_make(&hand, "()V", 1, OPC_bipush, 12, OPC_istore_0, OPC_iload_0, OPC_iflt, TO(4, 13), OPC_iinc, 0,
                  (uint8_t)-3, OPC_goto, TO(10, 3), OPC_return);
    const InnerLoop *l = only_loop(&plain);
    assert_int_equal(l->condition, LOOP_GE);
    assert_int_equal(l->step, -3);
    assert_int_equal(l->reach, -3);
    assert_int_equal(l->start, 12);
    assert_int_equal(l->checks, 6);  // 12, 9, 6, 3, 0, -3
    done();
}

static void a_step_that_varies(void **state) {
    (void)state;
    // for (i = 0; i < n; i++) if (m != 0) i += 2
    handplan_make(&hand, "(II)V", 3, OPC_iconst_0, OPC_istore_2, OPC_iload_2, OPC_iload_0, OPC_if_icmpge, TO(4, 20),
                  OPC_iload_1, OPC_ifeq, TO(8, 14), OPC_iinc, 2, 2, OPC_iinc, 2, 1, OPC_goto, TO(17, 2), OPC_return);
    const InnerLoop *l = only_loop(&plain);
    assert_int_equal(l->step, 1);
    assert_int_equal(l->reach, 3);
    assert_false(strip_mining_has_constant_step(l));
    done();
}

static void loops_that_do_not_count(void **state) {
    (void)state;
    // for (i = 0; i < n; i--)
    handplan_make(&hand, "(I)V", 2, OPC_iconst_0, OPC_istore_1, OPC_iload_1, OPC_iload_0, OPC_if_icmpge, TO(4, 13),
                  OPC_iinc, 1, (uint8_t)-1, OPC_goto, TO(10, 2), OPC_return);
    expect_none(&plain);
    // In sampled code, it may still keep the budget in a register.
    const InnerLoop *l = only_loop(&sampled);
    assert_false(strip_mining_is_counted(l));
    assert_false(strip_mining_fits_sampling(l));
    done();
    // for (i = 0; i != n; i++): equality does not tell the side of the bound
    handplan_make(&hand, "(I)V", 2, OPC_iconst_0, OPC_istore_1, OPC_iload_1, OPC_iload_0, OPC_if_icmpeq, TO(4, 13),
                  OPC_iinc, 1, 1, OPC_goto, TO(10, 2), OPC_return);
    expect_none(&plain);
    handplan_free(&hand);
    // for (i = 1; i < n; i = i + i)
    handplan_make(&hand, "(I)V", 2, OPC_iconst_1, OPC_istore_1, OPC_iload_1, OPC_iload_0, OPC_if_icmpge, TO(4, 14),
                  OPC_iload_1, OPC_iload_1, OPC_iadd, OPC_istore_1, OPC_goto, TO(11, 2), OPC_return);
    expect_none(&plain);
    handplan_free(&hand);
}

static void only_innermost_loops(void **state) {
    (void)state;
    // for (i = 0; i < n; i++) for (j = 0; j < n; j++);
    handplan_make(&hand, "(I)V", 3, OPC_iconst_0, OPC_istore_1,         // 0
                  OPC_iload_1, OPC_iload_0, OPC_if_icmpge, TO(4, 26),   // 2
                  OPC_iconst_0, OPC_istore_2,                           // 7
                  OPC_iload_2, OPC_iload_0, OPC_if_icmpge, TO(11, 20),  // 9
                  OPC_iinc, 2, 1, OPC_goto, TO(17, 9),                  // 14
                  OPC_iinc, 1, 1, OPC_goto, TO(23, 2), OPC_return);     // 20
    const InnerLoop *l = only_loop(&plain);
    assert_int_equal(l->header, handplan_block(&hand.plan, 9));
    assert_int_equal(l->local, 2);
    assert_int_equal(l->before, handplan_block(&hand.plan, 7));
    done();
}

static void loops_with_slow_instructions(void **state) {
    (void)state;
    // for (i = 0; i < n; i++) new int[i]
    handplan_make(&hand, "(I)V", 2, OPC_iconst_0, OPC_istore_1, OPC_iload_1, OPC_iload_0, OPC_if_icmpge, TO(4, 17),
                  OPC_iload_1, OPC_newarray, 10, OPC_pop, OPC_iinc, 1, 1, OPC_goto, TO(14, 2), OPC_return);
    expect_none(&plain);
    expect_none(&sampled);
    handplan_free(&hand);
}

// for (i = 0; i < a[0]; i++): the test reads memory.
static void events_in_the_test(void **state) {
    (void)state;
    handplan_make(&hand, "([I)V", 2, OPC_iconst_0, OPC_istore_1, OPC_iload_1, OPC_aload_0, OPC_iconst_0, OPC_iaload,
                  OPC_if_icmpge, TO(6, 15), OPC_iinc, 1, 1, OPC_goto, TO(12, 2), OPC_return);
    assert_int_equal(only_loop(&plain)->array_count, 1);
    strip_mining_free(&found);
    hand.plan.events = EVENT_BIT(EVENT_array_access);
    expect_none(&plain);  // the test would be repeated, and the access counted twice
    assert_true(strip_mining_is_counted(only_loop(&sampled)));
    done();
}

static void a_handler_in_the_loop(void **state) {
    (void)state;
    // for (i = 0; i < n; i++) try { a[i] } catch (any) { }
    static const uint8_t code[] = {OPC_iconst_0, OPC_istore_2, OPC_iload_2, OPC_iload_1, OPC_if_icmpge, TO(4, 21),
                                   OPC_aload_0,  OPC_iload_2,  OPC_iaload,  OPC_pop,     OPC_goto,      TO(11, 15),
                                   OPC_pop,      OPC_iinc,     2,           1,           OPC_goto,      TO(18, 2),
                                   OPC_return};
    ClassFileHandler handlers[] = {{.start_pc = 7, .end_pc = 11, .handler_pc = 14}};
    handplan_with(&hand, "([II)V", 3, code, sizeof code, handlers, 1);
    const InnerLoop *l = only_loop(&plain);
    assert_true(strip_mining_is_counted(l));
    assert_false(l->closed);
    assert_false(strip_mining_fits_sampling(l));
    done();
}

static void options(void **state) {
    (void)state;
    Plan root = {.osr_bci = -1};
    CompilerOptions o = {.strips = true};
    StripMiningOptions s = strip_mining_options(&root, &o);
    assert_true(s.on);
    assert_false(s.sampled);
    assert_int_equal(s.length, 0);
    o.poll_everywhere = true;
    assert_int_equal(strip_mining_options(&root, &o).length, 1);
    o.poll_everywhere = false;
    root.stress = true;
    assert_int_equal(strip_mining_options(&root, &o).length, 1);
    o.strip_length = 50;
    assert_int_equal(strip_mining_options(&root, &o).length, 50);
    o.strips = false;
    assert_false(strip_mining_options(&root, &o).on);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_over_an_array),
        cmocka_unit_test(a_known_number_of_iterations),
        cmocka_unit_test(the_length_of_a_strip),
        cmocka_unit_test(a_test_at_the_end),
        cmocka_unit_test(downwards),
        cmocka_unit_test(a_step_that_varies),
        cmocka_unit_test(loops_that_do_not_count),
        cmocka_unit_test(only_innermost_loops),
        cmocka_unit_test(loops_with_slow_instructions),
        cmocka_unit_test(events_in_the_test),
        cmocka_unit_test(a_handler_in_the_loop),
        cmocka_unit_test(options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
