// Samples of an overwriting ring (profiler/ring/ringsamples.h): their words, and whether producer or consumer takes
// them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>

#include "profiler/ring/ringsamples.h"

enum { CHUNK = CAB_LEAST_CHUNK, WORDS = CAB_LEAST_CHUNKS * CHUNK, LAPS = 2000, PERIOD = 24 };

typedef struct Sampled {
    Cab c;
    uint64_t *next;
    RingSamples s;
    uint64_t sent, seen, times[WORDS + 1];  // times: by word
} Sampled;

static Sampled *begin(uint32_t rate, uint32_t lines) {
    Sampled *t = calloc(1, sizeof *t);
    assert_non_null(t);
    assert_true(cab_init(&t->c, WORDS, CHUNK, &t->next));
    ringsamples_begin(&t->s, &t->c, rate, lines, 42);
    return t;
}

static void end(Sampled *t) {
    ringsamples_end(&t->s);
    cab_free(&t->c);
    free(t);
}

// Writes words 1, 2, ...; each is an event, and the numbers restart with each lap.
static void put(Sampled *t, size_t n, bool keep) {
    for (; n > 0; n--) {
        if (t->next == t->c.end) ringsamples_next_lap(&t->s, &t->c, keep);
        cab_put(&t->c, t->sent++ % WORDS + 1);
    }
}

static void take(Sampled *t, bool last) {
    for (RingSample *k; (k = ringsamples_take(&t->s, &t->c, last)); free(k)) {
        assert_int_equal(k->words[k->count], CAB_PAD);
        t->seen += k->seen;
        for (size_t i = 0; i < k->count; i++) t->times[k->words[i]]++;
    }
}

static void every_word_is_as_likely(void **state) {
    (void)state;
    static const uint32_t rates[][2] = {{5, 1}, {3, 1}, {20, 2}, {0, 1}};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        Sampled *t = begin(rates[r][0], rates[r][1]);
        double expected = rates[r][0] ? LAPS * rates[r][0] / 100.0 : LAPS * 8.0 / CHUNK, phase[PERIOD] = {0};
        for (int lap = 0; lap < LAPS; lap++) {
            put(t, WORDS, true);
            if (lap % 3) take(t, false);  // otherwise the producer does
        }
        take(t, true);
        assert_int_equal(t->s.overwritten, 0);
        assert_true(t->seen > 0.98 * expected * WORDS && t->seen < 1.02 * expected * WORDS);
        // A program that repeats itself every PERIOD words.
        for (size_t i = 0; i < WORDS; i++) phase[i % PERIOD] += (double)t->times[i + 1] / (WORDS / PERIOD);
        for (size_t i = 0; i < PERIOD; i++) assert_true(phase[i] > 0.9 * expected && phase[i] < 1.1 * expected);
        end(t);
    }
}

static void a_consumer_that_sleeps_loses_nothing(void **state) {
    (void)state;
    Sampled *t = begin(100, 1);
    put(t, 10 * WORDS + 7, true);
    assert_true(ringsamples_ready(&t->s, &t->c));
    take(t, true);
    assert_int_equal(t->s.overwritten, 0);
    assert_int_equal(t->seen, t->sent);
    for (size_t i = 0; i < WORDS; i++) assert_int_equal(t->times[i + 1], 10 + (i < 7));
    assert_false(ringsamples_ready(&t->s, &t->c));
    end(t);
}

// Samples are not kept, or the limit of kept samples is reached.
static void what_is_overwritten_is_counted(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        Sampled *t = begin(100, 1);
        put(t, 60 * WORDS, keep);
        take(t, true);
        assert_true(t->s.overwritten > (keep ? 30 : 58) * WORDS);
        assert_int_equal(t->seen + t->s.overwritten, t->sent);
        put(t, 3 * WORDS, keep);  // sampling continues
        take(t, true);
        assert_int_equal(t->seen + t->s.overwritten, t->sent);
        end(t);
    }
}

// All words of an event belong to the burst in which it begins.
static void events_stay_whole(void **state) {
    (void)state;
    Sampled *t = begin(20, 1);
    const uint64_t more = UINT64_C(0x3d) << 58;
    for (size_t i = 0; i < WORDS; i += 4)
        for (uint64_t k = 0; k < 4; k++) cab_put(&t->c, k ? more | (i / 4 * 4 + k) : i + 1);
    unsigned events = 0;
    for (RingSample *s; (s = ringsamples_take(&t->s, &t->c, true)); free(s))
        for (size_t i = 0; i < s->count; i += 4, events++)
            for (uint64_t k = 1; k < 4; k++) assert_int_equal(s->words[i + k], more | (s->words[i] - 1 + k));
    assert_true(events > WORDS / 4 / 10);
    end(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_as_likely),
        cmocka_unit_test(a_consumer_that_sleeps_loses_nothing),
        cmocka_unit_test(what_is_overwritten_is_counted),
        cmocka_unit_test(events_stay_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
