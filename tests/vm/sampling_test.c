/* Selection of samples among checks: vm/instrument/sampling.c on a thread that only counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "vm/interp/interp.h"
#include "vm/instrument/sampling.h"
#include "vm/threads/thread.h"

static Thread *new_thread(uint64_t serial) {
    Thread *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->serial = serial;
    sampling_thread_start(t);
    return t;
}

static void configure(SamplingMode mode, uint32_t interval, uint32_t jitter, uint32_t burst, bool paused) {
    SamplingRequest r = {.mode = mode,
                         .interval = interval,
                         .jitter = jitter,
                         .interval_us = 1000000000,
                         .burst = burst,
                         .seed = 7,
                         .phase = mode == SAMPLING_COUNTER ? interval : 0};
    sampling_configure(&r, paused);
}

/* A check as compiled code and the interpreter make it. *slow: the number of checks since the last slow check, which
 * polls for stop requests. */
static bool check(Thread *t, uint32_t *slow) {
    bool looked = --t->sample.budget < 0;
    *slow = looked ? 0 : *slow + 1;
    return looked && sampling_next(t);
}

static void every_nth(void **state) {
    (void)state;
    const uint32_t intervals[] = {1, 2, 3, 7, 999, 1000, 1001, 12345, 1000000};
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        uint32_t n = intervals[i], slow = 0;
        configure(SAMPLING_COUNTER, n, 0, 1, false);
        Thread *t = new_thread(1);
        for (uint64_t k = 1; k <= 3ull * n + 10; k++) {
            assert_int_equal(check(t, &slow), k % n == 0);
            assert_true(slow < SAMPLE_STRIDE);
            assert_int_equal(sampling_checks(t), k);
        }
        assert_int_equal(t->sample.samples, (3ull * n + 10) / n);
        free(t);
    }
}

/* A pause takes effect at the next slow check. Checks after that are no part of the profile. */
static void pauses(void **state) {
    (void)state;
    uint32_t slow = 0;
    configure(SAMPLING_COUNTER, 100, 0, 1, false);
    Thread *t = new_thread(1);
    for (int k = 0; k < 250; k++) check(t, &slow);
    configure(SAMPLING_COUNTER, 100, 0, 1, true);
    for (int k = 0; k < 2 * SAMPLE_STRIDE; k++) check(t, &slow);
    uint64_t checks = sampling_checks(t);
    assert_in_range(checks, 250, 250 + SAMPLE_STRIDE);
    for (int k = 0; k < 100000; k++) assert_false(check(t, &slow));
    assert_int_equal(sampling_checks(t), checks);
    configure(SAMPLING_COUNTER, 100, 0, 1, false);
    for (int k = 0; k < 100000; k++) check(t, &slow);
    assert_in_range(sampling_checks(t), checks + 100000 - SAMPLE_STRIDE, checks + 100000);
    assert_in_range(t->sample.samples, checks / 100 + 1000 - SAMPLE_STRIDE / 100 - 2, checks / 100 + 1001);
    free(t);
}

/* Together, the phases sample each check exactly once. */
static void phases(void **state) {
    (void)state;
    const struct {
        uint32_t interval;
        SamplingMode mode;
    } rows[] = {{1, SAMPLING_COUNTER}, {7, SAMPLING_COUNTER}, {1500, SAMPLING_COUNTER}, {7, SAMPLING_JITTER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t n = rows[i].interval, phase = 1; phase <= n; phase++) {
            uint32_t slow = 0;
            SamplingRequest r = {.mode = rows[i].mode, .interval = n, .burst = 1, .phase = phase};
            sampling_configure(&r, false);
            Thread *t = new_thread(1);
            for (uint32_t k = 1; k <= 3 * n; k++) assert_int_equal(check(t, &slow), k % n == phase % n);
            free(t);
        }
}

/* Threads that make fewer checks than an interval. Without phase=, each of their checks, first or last, is as likely
 * to be a sample as a check of a long thread. The threads' generators are seeded, so the result is deterministic. */
static void short_threads(void **state) {
    (void)state;
    enum { THREADS = 20000, CHECKS = 300 };
    const struct {
        SamplingMode mode;
        uint32_t interval, jitter, burst;
        double tolerance;
    } rows[] = {{SAMPLING_COUNTER, 997, 0, 1, 0.05},
                {SAMPLING_COUNTER, 1000, 0, 100, 0.05},
                {SAMPLING_JITTER, 500, 450, 1, 0.05}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t slow = 0, at[2] = {0, 0}, period = rows[i].interval - 1 + rows[i].burst;
        sampling_configure(&(SamplingRequest){.mode = rows[i].mode,
                                              .interval = rows[i].interval,
                                              .jitter = rows[i].jitter,
                                              .burst = rows[i].burst,
                                              .seed = 1},
                           false);
        for (uint64_t serial = 1; serial <= THREADS; serial++) {
            Thread *t = new_thread(serial);
            for (int k = 0; k < CHECKS; k++) at[k >= CHECKS / 2] += check(t, &slow);
            free(t);
        }
        double expected = (double)THREADS * CHECKS / 2 * rows[i].burst / period;
        for (int half = 0; half < 2; half++)
            assert_true(at[half] > expected * (1 - rows[i].tolerance) && at[half] < expected * (1 + rows[i].tolerance));
    }
}

/* The interpreter makes a check and enters code that repeats it: the same checks are samples as without. */
static void taken_back(void **state) {
    (void)state;
    const struct {
        uint32_t interval, burst;
    } rows[] = {{1, 1}, {7, 1}, {7, 3}, {1, 4}, {1000, 1}, {1001, 2}, {2500, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t every = 1; every <= 3; every++) {
            uint32_t slow = 0, n = rows[i].interval, b = rows[i].burst;
            configure(SAMPLING_COUNTER, n, 0, b, false);
            Thread *plain = new_thread(1), *t = new_thread(1);
            for (uint32_t k = 1; k <= 3 * (n + b); k++) {
                if (k % every == 0) {
                    sampling_check(t);
                    sampling_take_back(t);
                    assert_false(t->sample.instrumented);
                    assert_int_equal(sampling_checks(t), k - 1);
                    assert_int_equal(t->sample.samples, plain->sample.samples);
                }
                sampling_check(t);
                assert_int_equal(t->sample.instrumented, check(plain, &slow));
                assert_int_equal(sampling_checks(t), k);
                assert_int_equal(t->sample.samples, plain->sample.samples);
            }
            free(plain);
            free(t);
        }
}

/* Taking back a check that was never made changes nothing. */
static void nothing_taken_back(void **state) {
    (void)state;
    configure(SAMPLING_COUNTER, 1, 0, 1, false);
    Thread *t = new_thread(1);
    sampling_take_back(t);
    assert_int_equal(sampling_checks(t), 0);
    assert_int_equal(t->sample.samples, 0);
    free(t);
    configure(SAMPLING_TIMER, 1, 0, 1, false);
    t = new_thread(1);
    sampling_ask(t);
    sampling_check(t);
    assert_true(t->sample.instrumented);
    sampling_take_back(t);
    assert_int_equal(sampling_checks(t), 0);
    assert_false(t->sample.instrumented);
    sampling_check(t);
    assert_true(t->sample.instrumented);
    sampling_check(t);
    assert_false(t->sample.instrumented);
    free(t);
}

static void bursts(void **state) {
    (void)state;
    const struct { uint32_t interval, burst; } rows[] = {{1, 3}, {5, 1}, {5, 2}, {1500, 40}, {3, 2000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t slow = 0, n = rows[i].interval, b = rows[i].burst;
        configure(SAMPLING_COUNTER, n, 0, b, false);
        Thread *t = new_thread(1);
        for (uint32_t k = 0; k < 5 * (n + b); k++) assert_int_equal(check(t, &slow), k % (n - 1 + b) >= n - 1);
        free(t);
    }
}

/* Distances between samples, `count` of them. */
static void distances(Thread *t, uint32_t *out, uint32_t count) {
    for (uint32_t slow = 0, last = 0, k = 1; count; k++) {
        if (!check(t, &slow)) continue;
        *out++ = k - last;
        last = k;
        count--;
    }
}

static void jitter(void **state) {
    (void)state;
    uint32_t first[500], second[500], other[500], least = UINT32_MAX, most = 0;
    configure(SAMPLING_JITTER, 100, 30, 1, false);
    Thread *a = new_thread(1), *b = new_thread(1), *c = new_thread(2);
    distances(a, first, 500);
    distances(b, second, 500);
    distances(c, other, 500);
    assert_in_range(first[0], 1, 130);
    first[0] = second[0] = other[0] = 100; /* the first is not a distance between samples */
    assert_memory_equal(first, second, sizeof first);
    assert_true(memcmp(first, other, sizeof first) != 0);
    for (int i = 0; i < 500; i++) {
        if (first[i] < least) least = first[i];
        if (first[i] > most) most = first[i];
    }
    assert_in_range(least, 70, 75);
    assert_in_range(most, 125, 130);
    free(a);
    free(b);
    free(c);
}

static void changes(void **state) {
    (void)state;
    uint32_t slow = 0, samples = 0;
    configure(SAMPLING_COUNTER, 10, 0, 1, true);
    Thread *t = new_thread(1);
    for (int k = 0; k < 5000; k++) samples += check(t, &slow);
    assert_int_equal(samples, 0);
    configure(SAMPLING_COUNTER, 1000000, 0, 1, false);
    for (int k = 0; k < 5000; k++) samples += check(t, &slow);
    assert_int_equal(samples, 0);
    configure(SAMPLING_COUNTER, 10, 0, 1, false); /* takes effect at the next slow check, within a stride */
    for (int k = 0; k < SAMPLE_STRIDE + 100; k++) samples += check(t, &slow);
    assert_in_range(samples, 10, 110);
    free(t);
}

static void timer(void **state) {
    (void)state;
    uint32_t slow = 0;
    configure(SAMPLING_TIMER, 1, 0, 2, false);
    Thread *t = new_thread(1);
    for (int k = 0; k < 3000; k++) {
        assert_false(check(t, &slow));
        assert_int_equal(slow, (k + 1) % SAMPLE_STRIDE);
    }
    sampling_ask(t);
    assert_true(check(t, &slow));
    assert_true(check(t, &slow));
    assert_false(check(t, &slow));
    assert_int_equal(sampling_checks(t), 3003);
    free(t);
}

/* A random number of checks passes, at most `skip`. The timer may fire again meanwhile; that request is for the next
 * sample. */
static void timer_skips(void **state) {
    (void)state;
    const uint32_t skips[] = {1, 5, 1500};
    for (size_t i = 0; i < sizeof skips / sizeof *skips; i++) {
        uint32_t slow = 0, least = UINT32_MAX, most = 0;
        uint64_t checks = 0;
        sampling_configure(&(SamplingRequest){.mode = SAMPLING_TIMER,
                                              .interval = 1,
                                              .interval_us = 1000000000,
                                              .burst = 1,
                                              .skip = skips[i],
                                              .seed = 3},
                           false);
        Thread *t = new_thread(1);
        for (int sample = 0; sample < 300; sample++) {
            uint32_t passed = 0;
            sampling_ask(t);
            while (!check(t, &slow)) {
                if (passed++ == skips[i] / 2) sampling_ask(t);
                assert_in_range(passed, 1, skips[i]);
            }
            checks += passed + 1;
            assert_int_equal(sampling_checks(t), checks);
            if (passed < least) least = passed;
            if (passed > most) most = passed;
            while (t->sample.due) checks += 1, check(t, &slow);
            while (t->sample.skipping) checks += 1, check(t, &slow);
        }
        assert_true(least <= skips[i] / 20 && most >= skips[i] - skips[i] / 20);
        free(t);
    }
}

static void tables_with(uint8_t copies) {
    sampling_configure(&(SamplingRequest){.mode = SAMPLING_COUNTER,
                                          .interval = 2 * SAMPLE_STRIDE,
                                          .phase = 2 * SAMPLE_STRIDE,
                                          .burst = 1,
                                          .copies = copies},
                       false);
    Thread *t = new_thread(1);
    assert_ptr_not_equal(interp_table(INTERP_CHECKING), interp_table(INTERP_SAMPLING));
    for (int turn = 0; turn < 6; turn++) {
        bool recorded = turn % 2 && copies == COPIES_INLINE;
        while (--t->sample.budget >= 0) continue;
        assert_int_equal(sample_check(t), turn % 2);
        assert_ptr_equal(thread_dispatch(t), interp_table(recorded ? INTERP_SAMPLING : INTERP_CHECKING));
    }
    sampling_set_instrumented(t, true);
    assert_ptr_equal(thread_dispatch(t), interp_table(INTERP_SAMPLING));
    sampling_set_instrumented(t, false);
    assert_ptr_equal(thread_dispatch(t), interp_table(INTERP_CHECKING));
    free(t);
}

/* The dispatch table tells whether events are recorded. Where compiled code has duplicated code, a slow check that
 * is not a sample ends the recording; with COPIES_EXITS, code that deoptimises for a sample sets it explicitly. */
static void tables(void **state) {
    (void)state;
    tables_with(COPIES_INLINE);
    tables_with(COPIES_EXITS);
}

int main(void) {
    interp_instrument(1, 0, true, true);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_nth),     cmocka_unit_test(pauses),      cmocka_unit_test(phases),
        cmocka_unit_test(short_threads), cmocka_unit_test(taken_back),  cmocka_unit_test(nothing_taken_back),
        cmocka_unit_test(bursts),        cmocka_unit_test(jitter),      cmocka_unit_test(changes),
        cmocka_unit_test(timer),         cmocka_unit_test(timer_skips), cmocka_unit_test(tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
