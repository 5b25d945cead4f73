/* Histograms of bounded error (profiler/analyses/histogram.c) against sorted numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "profiler/analyses/histogram.h"

// Every number lies in its bucket, and the buckets have no gaps.
static void buckets_cover_all_numbers(void **state) {
    (void)state;
    for (uint32_t b = 0; b < histogram_bucket(UINT64_MAX); b++) {
        uint64_t low = histogram_low(b), next = histogram_low(b + 1);
        assert_true(next > low);
        assert_int_equal(histogram_bucket(low), b);
        assert_int_equal(histogram_bucket(next - 1), b);
        uint64_t middle = histogram_middle(b);
        assert_true(middle >= low && middle < next);
        assert_true(next - middle <= middle / 64 + 1 && middle - low <= low / 64 + 1);
    }
    assert_int_equal(histogram_bucket(histogram_low(histogram_bucket(UINT64_MAX))), histogram_bucket(UINT64_MAX));
}

static int by_value(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

enum { COUNT = 20000 };

static void fill(uint64_t *values, Histogram *h, uint64_t seed) {
    for (int i = 0; i < COUNT; i++) {
        values[i] = splitmix_next(&seed) >> (splitmix_next(&seed) % 60);
        histogram_add(h, values[i]);
    }
}

static void check(uint64_t *values, size_t count, const Histogram *h) {
    static const double shares[] = {0.0001, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999};
    uint64_t sum = 0;
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0; i < count; i++) sum += values[i];
    assert_int_equal(h->count, count);
    assert_int_equal(h->sum, sum);
    assert_int_equal(h->least, values[0]);
    assert_int_equal(h->largest, values[count - 1]);
    assert_int_equal(histogram_percentile(h, 1), values[count - 1]);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        size_t at = (size_t)(shares[i] * (double)count + 0.999999) - 1;
        double real = (double)values[at], got = (double)histogram_percentile(h, shares[i]);
        assert_true(got >= real * (1 - 1.0 / 64) - 1 && got <= real * (1 + 1.0 / 64) + 1);
    }
}

static void percentiles_are_within_the_error(void **state) {
    (void)state;
    uint64_t *values = malloc(COUNT * sizeof *values);
    for (uint64_t seed = 1; seed <= 5; seed++) {
        Histogram h = {0};
        fill(values, &h, seed);
        check(values, COUNT, &h);
        histogram_free(&h);
    }
    free(values);
}

static void merging_is_adding(void **state) {
    (void)state;
    uint64_t *values = malloc(2 * COUNT * sizeof *values);
    Histogram a = {0}, b = {0};
    fill(values, &a, 11);
    fill(values + COUNT, &b, 12);
    histogram_merge(&a, &b);
    check(values, 2 * COUNT, &a);
    histogram_merge(&b, &(Histogram){0});
    assert_int_equal(b.count, COUNT);
    histogram_free(&a);
    histogram_free(&b);
    free(values);
}

static void nothing_has_no_percentiles(void **state) {
    (void)state;
    Histogram h = {0};
    assert_int_equal(histogram_percentile(&h, 0.5), 0);
    histogram_add(&h, 7);
    assert_int_equal(histogram_percentile(&h, 0.01), 7);
    assert_int_equal(histogram_percentile(&h, 0.99), 7);
    histogram_free(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_cover_all_numbers),
        cmocka_unit_test(percentiles_are_within_the_error),
        cmocka_unit_test(merging_is_adding),
        cmocka_unit_test(nothing_has_no_percentiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
