/* The numbers of `cabernet-prof overlap` (profiler/tool/compare/prof_overlap.c), against sums computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>

#include "base/splitmix.h"
#include "profiler/tool/compare/prof_overlap.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))

static void near(double got, double want) {
    if (fabs(got - want) > 1e-9) print_error("%.12f, not %.12f\n", got, want);
    assert_true(fabs(got - want) <= 1e-9);
}

/* Shares 0.5 0.3 0.2 and 0.25 0.5 0.25 overlap by 0.25 + 0.3 + 0.2. */
static void sum_of_smaller_shares(void **state) {
    (void)state;
    static const OverlapItem items[] = {{50, 1}, {30, 2}, {20, 1}};
    near(overlap_percent(items, LENGTH(items)), 75);
    static const OverlapItem same[] = {{3, 300}, {7, 700}, {0, 0}};
    near(overlap_percent(same, LENGTH(same)), 100);
    static const OverlapItem apart[] = {{3, 0}, {0, 5}};
    near(overlap_percent(apart, LENGTH(apart)), 0);
    static const OverlapItem large[] = {{UINT64_MAX / 2, 1}, {UINT64_MAX / 2, 0}};
    near(overlap_percent(large, LENGTH(large)), 50);
}

static void empty_profiles(void **state) {
    (void)state;
    size_t members;
    static const OverlapItem one_empty[] = {{5, 0}, {6, 0}}, other_empty[] = {{0, 5}, {0, 6}};
    near(overlap_percent(NULL, 0), 100);
    near(overlap_percent(one_empty, 2), 0);
    near(overlap_percent(other_empty, 2), 0);
    near(overlap_top_percent(NULL, 0, 0.9, &members), 100);
    assert_int_equal(members, 0);
    near(overlap_top_percent(one_empty, 2, 0.9, &members), 0);
    near(overlap_ideal(one_empty, 2, 0), 0);
    near(overlap_ideal(other_empty, 2, 10), 0);
}

/* 60 + 30 of 100 are 90 %; among them 2/3 1/3 and 1/2 1/2 overlap by 1/2 + 1/3. */
static void top_of_the_reference(void **state) {
    (void)state;
    size_t members;
    static const OverlapItem items[] = {{10, 10}, {60, 45}, {30, 45}};
    near(overlap_top_percent(items, 3, 0.9, &members), 100 * (1.0 / 2 + 1.0 / 3));
    assert_int_equal(members, 2);
    near(overlap_percent(items, 3), 85);
    near(overlap_top_percent(items, 3, 0.91, &members), 85);
    assert_int_equal(members, 3);
    near(overlap_top_percent(items, 3, 0.5, &members), 100);
    assert_int_equal(members, 1);
}

/* The hottest fifth of five items is one item, which the other profile lacks; of the hottest two fifths it has one. */
static void weights_as_wall_matches_them(void **state) {
    (void)state;
    size_t members;
    static const OverlapItem items[] = {{50, 0}, {30, 9}, {10, 5}, {5, 1}, {5, 1}};
    near(overlap_weight_percent(items, 5, 0.2, &members), 0);
    assert_int_equal(members, 1);
    near(overlap_weight_percent(items, 5, 0.4, &members), 37.5); /* 30 of 80 */
    assert_int_equal(members, 2);
    near(overlap_weight_percent(items, 5, 1, &members), 50); /* the other profile lacks the first */
    near(overlap_weight_percent(NULL, 0, 0.05, &members), 100);
}

/* The most frequent value: 9 of 10 and 1 of 2 differ by 0.4; the second place does not differ. The weights are 10 and
   30. All values that are known: the places differ by 0 and 1/3. Zero: by 0.5 and 0.1. */
static void invariance_of_values(void **state) {
    (void)state;
    static const OverlapPlace places[] = {{{10, 2}, {9, 1}, {10, 2}, {0, 1}},
                                          {{30, 6}, {15, 3}, {20, 6}, {3, 0}},
                                          {{5, 0}, {5, 0}, {5, 0}, {5, 0}},
                                          {{0, 5}, {0, 5}, {0, 5}, {0, 5}}};
    OverlapInvariance r = overlap_invariance(places, 4), none = overlap_invariance(places, 0);
    near(r.top, 10);
    near(r.known, 25);
    near(r.zero, 20);
    assert_int_equal(r.members, 2);
    near(none.top + none.known + none.zero, 0);
    assert_int_equal(none.members, 0);
}

/* All outcomes of one draw and of two, weighted by hand. */
static void ideal_of_few_events(void **state) {
    (void)state;
    static const OverlapItem even[] = {{1, 0}, {1, 0}}, uneven[] = {{1, 0}, {3, 0}};
    near(overlap_ideal(even, 2, 1), 50);
    near(overlap_ideal(even, 2, 2), 75);       /* 1/4 * 0.5 + 1/2 * 1 + 1/4 * 0.5 */
    near(overlap_ideal(uneven, 2, 1), 62.5);   /* 1/4 * 1/4 + 3/4 * 3/4 */
    near(overlap_ideal(uneven, 2, 2), 71.875); /* 1/16 * 1/4 + 6/16 * 3/4 + 9/16 * 3/4 */
    static const OverlapItem one[] = {{9, 0}};
    near(overlap_ideal(one, 1, 5), 100);
}

static void ideal_grows_with_events(void **state) {
    (void)state;
    OverlapItem items[1000];
    for (uint64_t i = 0; i < 1000; i++) items[i] = (OverlapItem){1000000 / (i + 1), 0};
    double before = 0;
    for (uint64_t n = 1; n <= 1000000000; n *= 10) {
        double ideal = overlap_ideal(items, 1000, n);
        assert_true(ideal > before && ideal < 100);
        before = ideal;
    }
    assert_true(before > 99.95);
}

/* The formula agrees with random drawing. */
static void drawing_agrees(void **state) {
    (void)state;
    enum { ITEMS = 300, DRAWS = 200 };
    OverlapItem items[ITEMS];
    double drawn[DRAWS], again[DRAWS];
    for (uint64_t i = 0; i < ITEMS; i++) items[i] = (OverlapItem){1 + 100000 / (i * i + 1), i};
    for (uint64_t n = 1; n <= 10000; n *= 10) {
        double sum = 0, squares = 0;
        overlap_draw(items, ITEMS, n, 7, drawn, DRAWS);
        overlap_draw(items, ITEMS, n, 7, again, DRAWS);
        assert_memory_equal(drawn, again, sizeof drawn);
        for (int i = 0; i < DRAWS; i++) {
            sum += drawn[i];
            squares += drawn[i] * drawn[i];
            if (i) assert_true(drawn[i - 1] <= drawn[i]);
        }
        double mean = sum / DRAWS, error = sqrt(fmax(squares / DRAWS - mean * mean, 0) / DRAWS);
        if (fabs(mean - overlap_ideal(items, ITEMS, n)) > 4 * error + 1e-9)
            print_error("%llu events: drawn %f, formula %f\n", (unsigned long long)n, mean,
                        overlap_ideal(items, ITEMS, n));
        assert_true(fabs(mean - overlap_ideal(items, ITEMS, n)) <= 4 * error + 1e-9);
    }
}

/* The ideal for the rows that make up most of the profile counts only those rows and their events. */
static void ideal_of_the_top(void **state) {
    OverlapItem items[] = {{500, 1}, {400, 1}, {60, 1}, {40, 1}};
    (void)state;
    assert_true(fabs(overlap_top_ideal(items, 4, 1, 100) - overlap_ideal(items, 4, 100)) < 1e-9);
    assert_true(fabs(overlap_top_ideal(items, 4, 0.9, 100) - overlap_ideal(items, 2, 90)) < 1e-9);
    assert_true(overlap_top_ideal(items, 4, 0.9, 100) > overlap_ideal(items, 4, 100));
}

/* All outcomes by hand: an item of one event is in a sample of 1/20 once with an error of 19, else with one of 1. */
static void error_of_single_events(void **state) {
    (void)state;
    static const OverlapItem items[] = {{1, 0}, {1, 1}, {2, 1}, {0, 9}, {200, 8}};
    OverlapError all = overlap_error(items, 5, 1, 0.05), large = overlap_error(items, 5, 100, 0.05);
    assert_int_equal(all.members, 4);
    near(all.percent, 100 * (1 + 19 + 9 + 0.2) / 4);
    assert_int_equal(large.members, 1);
    near(large.percent, 20);
    near(overlap_error(items, 2, 1, 0.05).ideal, 100 * (0.95 * 1 + 0.05 * 19));
    /* Of two events at 1/2: none, one or both, with errors 1, 0 and 1. */
    near(overlap_error(items + 2, 1, 1, 0.5).ideal, 50);
}

static void error_without_items_or_sampling(void **state) {
    (void)state;
    static const OverlapItem items[] = {{4, 4}, {8, 6}};
    OverlapError none = overlap_error(items, 2, 100, 0.05), exact = overlap_error(items, 2, 0, 1);
    assert_int_equal(none.members, 0);
    near(none.percent, 0);
    near(none.ideal, 0);
    near(exact.percent, 12.5);
    near(exact.ideal, 0);
    assert_int_equal(overlap_error(NULL, 0, 1, 0.05).members, 0);
}

/* The formula agrees with random drawing of each event. */
static void drawn_errors_agree(void **state) {
    (void)state;
    enum { DRAWS = 2000 };
    uint64_t seed = 5;
    for (uint64_t n = 3; n <= 3000; n *= 10) {
        double sum = 0, squares = 0;
        for (int d = 0; d < DRAWS; d++) {
            OverlapItem item = {n, 0};
            for (uint64_t e = 0; e < n; e++) item.b += splitmix_next(&seed) < UINT64_MAX / 10;
            double error = overlap_error(&item, 1, 1, 0.1).percent;
            sum += error;
            squares += error * error;
        }
        OverlapItem item = {n, 0};
        double mean = sum / DRAWS, scatter = sqrt((squares / DRAWS - mean * mean) / DRAWS);
        double ideal = overlap_error(&item, 1, 1, 0.1).ideal;
        if (fabs(mean - ideal) > 4 * scatter) print_error("%f drawn, %f by the formula\n", mean, ideal);
        assert_true(fabs(mean - ideal) <= 4 * scatter);
    }
}

/* The exact formula meets the normal distribution, and no rate or count, however small or large, makes it leave it. */
static void errors_of_large_counts(void **state) {
    (void)state;
    static const double rates[] = {1e-14, 1e-9, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.81, 0.999, 1 - 1e-9, 1 - 1e-16};
    for (size_t i = 0; i < LENGTH(rates); i++) {
        double rate = rates[i];
        double last = INFINITY;
        for (uint64_t n = 1; n < UINT64_MAX / 8; n += n / 4 + 1) {
            OverlapItem item = {n, 0};
            double error = overlap_error(&item, 1, 1, rate).ideal,
                   normal = 100 * sqrt(2 * (1 - rate) / M_PI / rate / (double)n);
            if ((double)n * rate * (1 - rate) > 1000) assert_true(fabs(error / normal - 1) < 0.001);
            assert_true(error >= 0 && error <= last * 1.1);
            last = error;
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ideal_of_the_top),
        cmocka_unit_test(sum_of_smaller_shares),
        cmocka_unit_test(empty_profiles),
        cmocka_unit_test(top_of_the_reference),
        cmocka_unit_test(weights_as_wall_matches_them),
        cmocka_unit_test(invariance_of_values),
        cmocka_unit_test(ideal_of_few_events),
        cmocka_unit_test(ideal_grows_with_events),
        cmocka_unit_test(drawing_agrees),
        cmocka_unit_test(error_of_single_events),
        cmocka_unit_test(error_without_items_or_sampling),
        cmocka_unit_test(drawn_errors_agree),
        cmocka_unit_test(errors_of_large_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
