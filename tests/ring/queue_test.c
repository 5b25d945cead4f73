// The queues between a thread and its consumer (profiler/ring/queue.h): by hand, and with a consumer on another thread.
// TSAN=1 build/tsan/tests/ring/queue_test finds missing ordering.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/ring/queue.h"

enum { CHUNK = CAB_LEAST_CHUNK, WORDS = CAB_LEAST_CHUNKS * CHUNK };

static const RingKind kinds[] = {RING_CAB, RING_FASTFORWARD, RING_NWAY, RING_LAMPORT};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Event i has 1 + i % LONGEST words, all with the number i + 1.
static size_t length_of(uint64_t event) { return 1 + event % CAB_LONGEST; }

static void put(Queue *q, uint64_t event, size_t length) {
    uint64_t words[CAB_LONGEST];
    for (size_t i = 0; i < length; i++) words[i] = event + 1;
    queue_put(q, words, length);
}

// Takes one event of `length` words, or padding. False: it was padding.
static bool take(Queue *q, uint64_t event, size_t length) {
    const uint64_t *at = queue_read(q);
    bool pads = cab_peek(at) == CAB_PAD;
    for (size_t i = 0; i < length && !pads; i++) assert_int_equal(cab_peek(at + i), event + 1);
    queue_take(q, pads ? 1 : length);
    return !pads;
}

// Fills the queue twice with events of one length. Between the two its producer is stopped, and all of it is read.
static void filled(RingKind kind, size_t length) {
    Queue q;
    uint64_t *next, sent = 0, received = 0;
    assert_true(queue_init(&q, kind, WORDS, CHUNK, &next));
    for (int lap = 0; lap < 3; lap++) {
        assert_false(queue_has(&q, 0));
        uint64_t before = sent;
        while (queue_room(&q, length) != CAB_FULL) put(&q, sent++, length);
        assert_true((sent - before) * length > WORDS / 2);
        assert_true((sent - before) * length <= WORDS);
        assert_false(queue_is_backed_off(&q));
        uint64_t *at = next;
        assert_int_equal(queue_room(&q, length), CAB_FULL);
        assert_ptr_equal(next, at);
        while (queue_has(&q, 0)) {
            assert_true(queue_has(&q, length - 1) || cab_peek(queue_read(&q)) == CAB_PAD);
            received += take(&q, received, length);
        }
        assert_int_equal(received, sent);
        assert_true(queue_is_backed_off(&q));
    }
    queue_free(&q);
    queue_free(&q);
}

static void a_full_queue(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++)
        for (size_t length = 1; length <= CAB_LONGEST; length++) filled(kinds[k], length);
}

// The distance at which a consumer gets the first event.
static size_t events_until_ready(Queue *q) {
    size_t sent = 0;
    while (!queue_is_ready(q)) {
        if (!queue_is_free(q, 1)) assert_int_not_equal(queue_room(q, 1), CAB_FULL);
        put(q, sent++, 1);
    }
    return sent;
}

static void distances(void **state) {
    static const size_t wanted[KINDS] = {2 * CHUNK + 1, FASTFORWARD_SAFE + 1, CHUNK, 1};
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        Queue q;
        uint64_t *next;
        assert_true(queue_init(&q, kinds[k], WORDS, CHUNK, &next));
        assert_int_equal(events_until_ready(&q), wanted[k]);
        queue_free(&q);
    }
}

// FastForward's consumer stops at the dangerous distance, and stays there until the safe one.
static void fastforward_slips(void **state) {
    Queue q;
    uint64_t *next;
    (void)state;
    assert_true(queue_init(&q, RING_FASTFORWARD, WORDS, CHUNK, &next));
    for (uint64_t i = 0; i < FASTFORWARD_SAFE + 1; i++) put(&q, i, 1);
    uint64_t taken = 0;
    for (; queue_is_ready(&q); taken++) take(&q, taken, 1);
    assert_int_equal(taken, FASTFORWARD_SAFE + 1 - FASTFORWARD_DANGER);
    for (uint64_t i = 0; i < taken; i++) {
        assert_false(queue_is_ready(&q));
        put(&q, FASTFORWARD_SAFE + 1 + i, 1);
    }
    assert_true(queue_is_ready(&q));
    queue_free(&q);
}

// Without a consumer events are dropped, and there is always room.
static void a_queue_that_nobody_reads(void **state) {
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        Queue q;
        uint64_t *next;
        assert_true(queue_init(&q, kinds[k], WORDS, CHUNK, &next));
        for (uint64_t i = 0; i < 10 * WORDS; i++) {
            size_t n = length_of(i);
            bool room = ring_is_cleared(q.kind) ? next + n <= q.cab.end : queue_is_free(&q, n);
            if (!room) queue_restart(&q);
            put(&q, i, n);
        }
        queue_free(&q);
    }
    Queue q;
    uint64_t *next;
    assert_true(queue_init(&q, RING_WORD, 0, 0, &next));
    assert_true(queue_is_free(&q, 1));
    put(&q, 6, 2);
    assert_int_equal(*next, 7);
    assert_false(queue_is_ready(&q));
    queue_free(&q);
}

// Compiled code finds its place in memory that no thread owns.
static void nowhere(void **state) {
    (void)state;
    uint64_t bytes = CHUNK * sizeof(uint64_t);
    uint64_t *at = queue_nowhere((RingForm){RING_NWAY, bytes});
    assert_non_null(at);
    assert_int_equal((uintptr_t)at % bytes, sizeof(uint64_t));
    memset(at, 1, 2 * bytes - sizeof(uint64_t));
    at = queue_nowhere((RingForm){RING_LAMPORT, bytes});
    assert_non_null(at);
    assert_int_equal((uintptr_t)at % bytes, 0);
    assert_int_equal(at[RING_LAMPORT_READ / 8], (uintptr_t)at);
    memset(at, 1, bytes + CAB_LONGEST * sizeof(uint64_t));
}

// ---- two threads ----------------------------------------------------------------------------------

typedef struct Pair {
    Queue q;
    uint64_t *next;
    _Atomic bool finished;
    uint64_t received;
} Pair;

static void *consume(void *arg) {
    Pair *p = arg;
    while (!atomic_load(&p->finished)) {
        if (!queue_is_ready(&p->q)) {
            sched_yield();
            continue;
        }
        const uint64_t *start = queue_read(&p->q), *end = queue_piece_end(&p->q);
        while (queue_read(&p->q) >= start && queue_read(&p->q) < end)
            p->received += take(&p->q, p->received, length_of(p->received));
    }
    while (queue_has(&p->q, 0)) p->received += take(&p->q, p->received, length_of(p->received));
    return NULL;
}

static void events_pass_in_order(void **state) {
    enum { EVENTS = 200000 };
    (void)state;
    for (int k = 0; k < KINDS; k++) {
        Pair p = {.received = 0};
        pthread_t consumer;
        assert_true(queue_init(&p.q, kinds[k], WORDS, CHUNK, &p.next));
        assert_int_equal(pthread_create(&consumer, NULL, consume, &p), 0);
        for (uint64_t i = 0; i < EVENTS; i++) {
            size_t n = length_of(i);
            if (!queue_is_free(&p.q, n) && queue_room(&p.q, n) == CAB_FULL) {
                while (!queue_is_backed_off(&p.q)) sched_yield();
                assert_int_not_equal(queue_room(&p.q, n), CAB_FULL);
            }
            put(&p.q, i, n);
        }
        atomic_store(&p.finished, true);
        pthread_join(consumer, NULL);
        assert_int_equal(p.received, EVENTS);
        queue_free(&p.q);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_queue),      cmocka_unit_test(distances),
        cmocka_unit_test(fastforward_slips), cmocka_unit_test(a_queue_that_nobody_reads),
        cmocka_unit_test(nowhere),           cmocka_unit_test(events_pass_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
