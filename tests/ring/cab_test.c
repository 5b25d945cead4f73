// The ring (profiler/ring/cab.h): by hand, and with a consumer on another thread. TSAN=1 build/tsan/tests/ring/cab_test
// finds missing ordering.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "profiler/ring/cab.h"

enum { CHUNK = CAB_LEAST_CHUNK, WORDS = CAB_LEAST_CHUNKS * CHUNK };

static void put(Cab *c, uint64_t first, size_t n) {
    for (size_t i = 0; i < n; i++) cab_put(c, first + i);
}

static void a_new_ring_is_clear(void **state) {
    (void)state;
    Cab c;
    uint64_t *next;
    assert_true(cab_init(&c, WORDS, CHUNK, &next));
    assert_ptr_equal(next, c.start);
    assert_true(cab_is_free(next, CAB_AHEAD));
    assert_false(cab_is_ready(&c));
    assert_true(cab_is_backed_off(&c));
    assert_int_equal(*c.end, CAB_MAGIC);
    cab_free(&c);
    cab_free(&c);
}

static void a_chunk_is_ready_when_the_one_after_the_next_has_begun(void **state) {
    (void)state;
    Cab c;
    uint64_t *next;
    assert_true(cab_init(&c, WORDS, CHUNK, &next));
    put(&c, 1, 2 * CHUNK);
    assert_false(cab_is_ready(&c));
    put(&c, 2 * CHUNK + 1, 1);
    assert_true(cab_is_ready(&c));
    for (uint64_t i = 0; i < CHUNK; i++) {
        assert_int_equal(*c.read, i + 1);
        cab_take(&c, 1);
    }
    assert_false(cab_is_ready(&c));
    assert_ptr_equal(cab_chunk_end(&c), c.start + 2 * CHUNK);
    cab_free(&c);
}

// Fills the ring with events of one length; then the consumer takes two chunks.
static void full(size_t length) {
    Cab c;
    uint64_t *next, word = 1;
    assert_true(cab_init(&c, WORDS, CHUNK, &next));
    size_t events = 0;
    while (cab_room(&c, length, CAB_AHEAD) != CAB_FULL) {
        put(&c, word, length);
        word += length;
        events++;
    }
    assert_int_equal(events, WORDS / length);
    assert_false(cab_is_backed_off(&c));
    uint64_t *before = next;
    assert_int_equal(cab_room(&c, length, CAB_AHEAD), CAB_FULL);
    assert_ptr_equal(next, before);
    for (uint64_t i = 1; cab_is_ready(&c); i++) {
        assert_int_equal(*c.read, i);
        cab_take(&c, 1);
    }
    assert_true(cab_is_backed_off(&c));
    assert_int_equal(cab_room(&c, length, CAB_AHEAD), CAB_ROOMY);
    assert_ptr_equal(next, c.start);
    for (uint64_t *at = before; at < c.end; at++) assert_int_equal(*at, CAB_PAD);
    cab_free(&c);
}

static void a_full_ring(void **state) {
    (void)state;
    for (size_t length = 1; length <= CAB_LONGEST; length++) full(length);
}

static void near_the_end(void **state) {
    (void)state;
    Cab c;
    uint64_t *next;
    assert_true(cab_init(&c, WORDS, CHUNK, &next));
    put(&c, 1, WORDS - 3);
    // The start of the ring is not free: the last slots are used first.
    assert_int_equal(cab_room(&c, 2, 8), CAB_SHORT);
    assert_int_equal(cab_room(&c, 4, 8), CAB_FULL);
    cab_take(&c, 5);
    assert_int_equal(cab_room(&c, 3, 8), CAB_SHORT);
    assert_ptr_equal(next, c.end - 3);
    assert_int_equal(cab_room(&c, 4, 8), CAB_SHORT);
    assert_ptr_equal(next, c.start);
    cab_free(&c);
}

static void overwriting_is_counted(void **state) {
    (void)state;
    Cab c;
    uint64_t *next;
    assert_true(cab_init(&c, WORDS, CHUNK, &next));
    put(&c, 1, WORDS - 2);
    cab_wrap(&c);
    put(&c, 1, 10);
    assert_int_equal(cab_written(&c), WORDS + 10);
    assert_int_equal(cab_claimed(&c), 0);
    assert_true(cab_claim(&c, 0, 3 * CHUNK));
    assert_false(cab_claim(&c, 0, WORDS));
    assert_true(cab_claim(&c, 3 * CHUNK, WORDS + CHUNK));
    assert_int_equal(cab_claimed(&c), WORDS + CHUNK);
    assert_ptr_equal(cab_slot(&c, WORDS + CHUNK), c.start + CHUNK);
    cab_free(&c);
}

// ---- two threads ----------------------------------------------------------------------------------

typedef struct Pair {
    Cab c;
    uint64_t *next;
    _Atomic bool finished;
    uint64_t events, words;  // seen by the consumer
    bool in_order;
} Pair;

// Event i has 1 + i % LONGEST words, all with the same number.
static void take_one(Pair *p) {
    uint64_t word = cab_peek(p->c.read);
    if (word == CAB_PAD) {
        cab_take(&p->c, 1);
        return;
    }
    uint64_t i = p->events++, n = 1 + i % CAB_LONGEST;
    for (uint64_t k = 0; k < n; k++) p->in_order &= cab_peek(p->c.read + k) == i + 1;
    p->words += n;
    cab_take(&p->c, n);
}

static void *consume(void *arg) {
    Pair *p = arg;
    while (!atomic_load(&p->finished)) {
        if (!cab_is_ready(&p->c)) {
            sched_yield();
            continue;
        }
        const uint64_t *end = cab_chunk_end(&p->c), *start = p->c.read;
        while (p->c.read < end && p->c.read >= start) take_one(p);
    }
    while (cab_load(p->c.read) != CAB_CLEAR) take_one(p);
    return NULL;
}

static void events_pass_in_order(void **state) {
    (void)state;
    enum { EVENTS = 300000 };
    Pair p = {.in_order = true};
    pthread_t consumer;
    uint64_t words = 0;
    assert_true(cab_init(&p.c, 5 * CHUNK, CHUNK, &p.next));
    assert_int_equal(pthread_create(&consumer, NULL, consume, &p), 0);
    for (uint64_t i = 0; i < EVENTS; i++) {
        size_t n = 1 + i % CAB_LONGEST;
        if (!cab_is_free(p.next, CAB_AHEAD) && cab_room(&p.c, n, CAB_AHEAD) == CAB_FULL) {
            while (!cab_is_backed_off(&p.c)) sched_yield();
            assert_int_equal(cab_room(&p.c, n, CAB_AHEAD), CAB_ROOMY);
        }
        for (size_t k = 0; k < n; k++) cab_put(&p.c, i + 1);
        words += n;
    }
    atomic_store(&p.finished, true);
    pthread_join(consumer, NULL);
    assert_true(p.in_order);
    assert_int_equal(p.events, EVENTS);
    assert_int_equal(p.words, words);
    cab_free(&p.c);
}

// Rings with every number of words, from every position of the consumer, keep their words in order when they grow.
static void growing_keeps_the_words(void **state) {
    (void)state;
    for (size_t start = 0; start < WORDS; start += CHUNK / 2 + 1)
        for (size_t held = 0; held <= WORDS; held += CHUNK / 3 + 1) {
            Cab c;
            uint64_t *next;
            assert_true(cab_init(&c, WORDS, CHUNK, &next));
            put(&c, 1, start);
            cab_take(&c, start);
            for (size_t i = 0; i < held; i++) {
                if (next == c.end) cab_wrap(&c);
                cab_put(&c, i + 1);
            }
            assert_true(cab_grow(&c, 2 * WORDS + CHUNK));
            assert_int_equal(c.words, 2 * WORDS + CHUNK);
            assert_int_equal(c.chunk, CHUNK);
            assert_ptr_equal(c.read, c.start);
            assert_int_equal(next - c.read, held);
            assert_int_equal(*c.end, CAB_MAGIC);
            for (size_t i = 0; i < held; i++) assert_int_equal(c.start[i], i + 1);
            assert_true(cab_is_free(next, CAB_AHEAD));
            assert_int_equal(cab_is_ready(&c), held > 2 * CHUNK);
            cab_free(&c);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_ring_is_clear),
        cmocka_unit_test(a_chunk_is_ready_when_the_one_after_the_next_has_begun),
        cmocka_unit_test(a_full_ring),
        cmocka_unit_test(near_the_end),
        cmocka_unit_test(growing_keeps_the_words),
        cmocka_unit_test(overwriting_is_counted),
        cmocka_unit_test(events_pass_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
