// Ownership of rings (profiler/ring/transport.h): a ring has one holder at a time, however consumers end. A failed
// start is undone. The transport is global to the process, so each test runs in a child. The test intercepts waits and
// thread starts (--wrap in the Makefile).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/ring/transport.h"
#include "vm/api/events.h"
#include "vm/api/profilerthread.h"
#include "vm/threads/profilerthread.h"

enum { SECONDS = 20, MOST = 1 << 14 };

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), _exit(3)))

static struct {
    pthread_t main;
    EventThread front;
    Transport *t;
    _Atomic uint32_t inside, seen[MOST];
    _Atomic bool twice;               // two threads were inside at a time
    useconds_t slow;                  // time that each event takes
    _Atomic bool dies;                // the next consumer to analyse an event exits there
    _Atomic bool in_batch, may_die;
    _Atomic bool before_wait;         // pthread_cond_wait lets the consumer exit before it waits
    _Atomic int refuses_at;           // the number of the thread that fails to start; 0: none
} test;

int __real_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int __wrap_pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    if (atomic_exchange(&test.before_wait, false)) {
        atomic_store(&test.may_die, true);
        usleep(200 * 1000);
    }
    return __real_pthread_cond_wait(c, m);
}

bool __real_backend_start_helper(void *(*fn)(void *arg), void *arg, size_t stack_size);
bool __wrap_backend_start_helper(void *(*fn)(void *arg), void *arg, size_t stack_size);
bool __wrap_backend_start_helper(void *(*fn)(void *arg), void *arg, size_t stack_size) {
    if (atomic_load(&test.refuses_at) && atomic_fetch_sub(&test.refuses_at, 1) == 1) return false;
    return __real_backend_start_helper(fn, arg, stack_size);
}

static void on_entry(const EventSink_method_entry *sink, uint32_t method) {
    (void)sink;
    if (!pthread_equal(pthread_self(), test.main) && atomic_exchange(&test.dies, false)) {
        atomic_store(&test.in_batch, true);
        while (!atomic_load(&test.may_die)) usleep(100);
        pthread_exit(NULL);
    }
    if (atomic_fetch_add(&test.inside, 1)) atomic_store(&test.twice, true);
    if (test.slow) usleep(test.slow);
    atomic_fetch_add(&test.seen[method], 1);
    atomic_fetch_sub(&test.inside, 1);
}

static const EventSink_method_entry sink = {on_entry, NULL};
static TransportRequest request = {.on = true};

static bool start(uint32_t consumers) {
    char error[160];
    test.main = pthread_self();
    request.chunk = transport_least_chunk();
    request.buffer = 8 * request.chunk;
    request.consumers = consumers;
    return transport_start(&request, 0, error, sizeof error);
}

static void open_ring(void) {
    test.t = transport_open(&test.front, NULL);
    CHECK(test.t);
    transport_back(test.t)->method_entry = &sink;
    transport_begin(test.t);
}

static void emit(uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) test.front.method_entry->fn(test.front.method_entry, i);
}

static void *end_ring(void *unused) {
    transport_end(test.t);
    return unused;
}

static void in_child(void (*body)(void)) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) print_error("signal %d\n", WTERMSIG(status));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

// The profile is written while a thread ends; the consumers have been stopped.
static void end_beside_drain(void) {
    enum { EVENTS = 100 };
    pthread_t ender;
    CHECK(start(1));
    open_ring();
    profilerthread_stop_all();
    emit(0, EVENTS);
    test.slow = 1000;
    CHECK(pthread_create(&ender, NULL, end_ring, NULL) == 0);
    while (!atomic_load(&test.inside)) usleep(100);
    transport_drain(false);
    pthread_join(ender, NULL);
    CHECK(!test.twice);
    for (int i = 0; i < EVENTS; i++) CHECK(test.seen[i] == 1);
}

static void one_drains_at_a_time(void **state) {
    (void)state;
    in_child(end_beside_drain);
}

// A thread continues to report while its ring is drained; the consumer has ended.
static _Atomic bool emitted;

static void *drain_always(void *unused) {
    while (!atomic_load(&emitted)) transport_drain(false);
    return unused;
}

static void discard_beside_drain(void) {
    uint64_t analysed[EVENT_COUNT], discarded[EVENT_COUNT];
    pthread_t drainer;
    CHECK(start(1));
    open_ring();
    profilerthread_stop_all();
    test.slow = 1;
    emit(0, 100);
    CHECK(pthread_create(&drainer, NULL, drain_always, NULL) == 0);
    while (!atomic_load(&test.inside)) usleep(100);
    emit(100, MOST);
    atomic_store(&emitted, true);
    pthread_join(drainer, NULL);
    transport_end(test.t);
    transport_counts(test.t, analysed, discarded);
    CHECK(!test.twice);
    CHECK(analysed[EVENT_method_entry] + discarded[EVENT_method_entry] == MOST);
    uint64_t sum = 0;
    for (int i = 0; i < MOST; i++) {
        CHECK(test.seen[i] <= 1);
        sum += test.seen[i];
    }
    CHECK(sum == analysed[EVENT_method_entry]);
}

static void nobody_discards_what_is_drained(void **state) {
    (void)state;
    in_child(discard_beside_drain);
}

// The consumer ends after it was found alive and before the wait for it.
static void end_in_wait(void) {
    const uint32_t events = 4 * (uint32_t)transport_least_chunk() / 8;
    CHECK(start(1));
    open_ring();
    atomic_store(&test.dies, true);
    emit(0, events);
    while (!atomic_load(&test.in_batch)) usleep(100);
    atomic_store(&test.before_wait, true);
    transport_end(test.t);
    CHECK(test.may_die);
    for (uint32_t i = 1; i < events; i++) CHECK(test.seen[i] == 1);  // it died in event 0
}

static void a_consumer_ends_while_somebody_begins_to_wait(void **state) {
    (void)state;
    in_child(end_in_wait);
}

static int threads(void) {
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
    if (d) closedir(d);
    return n;
}

static void start_twice(void) {
    const uint32_t events = 4 * (uint32_t)transport_least_chunk() / 8;
    for (int at = 1; at <= 4; at++) {
        atomic_store(&test.refuses_at, at);
        CHECK(!start(4));
        atomic_store(&test.refuses_at, 0);
        for (int i = 0; i < 5000 && threads() > 1; i++) usleep(1000);
        CHECK(threads() == 1);
    }
    request.affinity = "nonsense";
    CHECK(!start(4));
    CHECK(threads() == 1);
    request.affinity = NULL;
    CHECK(start(2));
    CHECK(threads() == 3);
    open_ring();
    emit(0, events);
    for (int i = 0; i < 5000 && !atomic_load(&test.seen[0]); i++) usleep(1000);  // a consumer is running
    CHECK(test.seen[0] == 1);
    transport_end(test.t);
    TransportFigures f;
    transport_figures(&f);
    CHECK(f.ended == 0 && f.discarded == 0);
    for (uint32_t i = 0; i < events; i++) CHECK(test.seen[i] == 1);
}

static void a_start_after_one_that_failed(void **state) {
    (void)state;
    in_child(start_twice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_drains_at_a_time),
        cmocka_unit_test(nobody_discards_what_is_drained),
        cmocka_unit_test(a_consumer_ends_while_somebody_begins_to_wait),
        cmocka_unit_test(a_start_after_one_that_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
