// The transport (profiler/ring/transport.h): a ring has one holder at a time, however consumers end. A failed start is
// undone. Events arrive once, in order and complete, or are counted as discarded or not sampled. The transport is
// global to the process, so each test runs in a child. The test intercepts waits and thread starts (--wrap in the
// Makefile).
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
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/ring/ringevents.h"
#include "profiler/ring/transport.h"
#include "vm/api/events.h"
#include "vm/api/profilerthread.h"
#include "vm/api/stamp.h"
#include "vm/threads/profilerthread.h"
#include "vm/threads/threadbackend.h"

enum { SECONDS = 20, MOST = 1 << 14 };

#define CHECK(x) ((x) ? (void)0 : (fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x), _exit(3)))

static struct {
    pthread_t main;
    EventThread front;
    Transport *t;
    _Atomic uint32_t inside, seen[MOST];
    _Atomic bool twice;       // two threads were inside at a time
    _Atomic useconds_t slow;  // time that each event takes
    _Atomic bool dies;        // the next consumer to analyse an event exits there
    _Atomic bool in_batch, may_die;
    _Atomic bool before_wait;  // pthread_cond_wait lets the consumer exit before it waits
    // The next thread to take a stamp pauses before it publishes its event; it is there.
    _Atomic bool pauses, paused;
    _Atomic int refuses_at;  // the number of the thread that fails to start; 0: none
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

uint64_t __real_stamp_now(void);
uint64_t __wrap_stamp_now(void);
uint64_t __wrap_stamp_now(void) {
    uint64_t now = __real_stamp_now();
    if (atomic_exchange(&test.pauses, false)) {
        atomic_store(&test.paused, true);
        usleep(200 * 1000);
    }
    return now;
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
    useconds_t slow = atomic_load(&test.slow);
    if (slow) usleep(slow);
    atomic_fetch_add(&test.seen[method], 1);
    atomic_fetch_sub(&test.inside, 1);
}

static const EventSink_method_entry sink = {on_entry, NULL};
static TransportRequest request = {.on = true};

static void ignore_path(const EventSink_path *s, uint32_t method, int32_t bci, uint32_t path) {
    (void)s, (void)method, (void)bci, (void)path;
}

static const EventSink_path ignored_path = {ignore_path, NULL};

static bool start(uint32_t consumers) {
    char error[160];
    test.main = pthread_self();
    request.chunk = transport_least_chunk();
    request.buffer = 8 * request.chunk;
    request.consumers = consumers;
    TransportNeeds needs = {.taken = EVENT_BIT(EVENT_COUNT) - 1,
                            .keeps = true,
                            .counts = request.carriers ? EVENT_BIT(EVENT_method_entry) : 0,
                            .stamped = request.ordered ? EVENT_BIT(EVENT_sync_acquire) : 0,
                            .clocked = true};
    return transport_start(&request, needs, error, sizeof error);
}

static void open_ring(void) {
    test.t = transport_open(&test.front, NULL, NULL);
    CHECK(test.t);
    transport_back(test.t, 0)->method_entry = &sink;
    transport_back(test.t, 0)->path = &ignored_path;
    transport_begin(test.t, transport_back(test.t, 0));
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

static void with_each_queue(void (*body)(void)) {
    static const RingKind kinds[] = {RING_CAB, RING_NWAY, RING_FASTFORWARD, RING_LAMPORT};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        request.kind = kinds[i];
        in_child(body);
    }
    request.kind = RING_CAB;
}

static _Atomic bool emitted;

static void *drain_always(void *unused) {
    while (!atomic_load(&emitted)) transport_drain(false);
    return unused;
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

// Events of which none waits. Several threads number theirs under a lock, so the numbers are the order in which they
// are made. Some have a second event without a stamp, which follows the first one. Meanwhile threads end, and others
// drain.
enum { WRITERS = 3, NUMBERED = 20000 };
static struct {
    pthread_mutex_t lock;
    uint32_t next;     // under the lock
    uint32_t taken;    // by the merging thread, as the next ones
    uint64_t last_at;  // time of the last event
    uint32_t unstamped;
} numbered = {.lock = PTHREAD_MUTEX_INITIALIZER};

typedef struct Writer {
    EventThread front;
    Transport *t;
    pthread_t thread;
    uint32_t last;  // number of the last event that was taken
} Writer;

static void on_numbered(const EventSink_sync_acquire *to, uintptr_t object, uintptr_t address) {
    Writer *w = to->state;
    uint32_t number = (uint32_t)address;
    CHECK(object == 1);
    CHECK(number == numbered.taken);
    numbered.taken++;
    w->last = number;
    const EventMoment *moment = transport_back(w->t, 0)->moment;
    CHECK(moment && moment->at + 1000000 >= numbered.last_at);
    numbered.last_at = moment->at;
}

static void on_unstamped(const EventSink_sync_release *to, uintptr_t object, uintptr_t address) {
    CHECK(object == 1 && ((Writer *)to->state)->last == (uint32_t)address);
    numbered.unstamped++;
}

static void *write_numbered(void *arg) {
    Writer *w = arg;
    for (int i = 0; i < NUMBERED; i++) {
        pthread_mutex_lock(&numbered.lock);
        uint32_t number = numbered.next++;
        w->front.sync_acquire->fn(w->front.sync_acquire, 1, number);
        pthread_mutex_unlock(&numbered.lock);
        if (i % 3 == 0) w->front.sync_release->fn(w->front.sync_release, 1, number);
    }
    transport_end(w->t);
    return NULL;
}

static void take_in_order(void) {
    static Writer writers[WRITERS];
    static EventSink_sync_acquire entries[WRITERS];
    static EventSink_sync_release exits[WRITERS];
    pthread_t drainer;
    request.ordered = true;
    CHECK(start(1));
    for (int i = 0; i < WRITERS; i++) {
        Writer *w = &writers[i];
        CHECK((w->t = transport_open(&w->front, NULL, NULL)) != NULL);
        entries[i] = (EventSink_sync_acquire){on_numbered, w};
        exits[i] = (EventSink_sync_release){on_unstamped, w};
        transport_back(w->t, 0)->sync_acquire = &entries[i];
        transport_back(w->t, 0)->sync_release = &exits[i];
        transport_begin(w->t, transport_back(w->t, 0));
    }
    for (int i = 0; i < WRITERS; i++) CHECK(pthread_create(&writers[i].thread, NULL, write_numbered, &writers[i]) == 0);
    CHECK(pthread_create(&drainer, NULL, drain_always, NULL) == 0);
    for (int i = 0; i < WRITERS; i++) pthread_join(writers[i].thread, NULL);
    atomic_store(&emitted, true);
    pthread_join(drainer, NULL);
    CHECK(numbered.taken == WRITERS * NUMBERED);
    CHECK(numbered.unstamped == WRITERS * ((NUMBERED + 2) / 3));
}

static void stamps_order_all_threads(void **state) {
    (void)state;
    with_each_queue(take_in_order);
}

// A thread has taken a stamp and has not published its event; a drain waits for it before it takes a later event.
static void *write_first(void *arg) {
    Writer *w = arg;
    w->front.sync_acquire->fn(w->front.sync_acquire, 1, 0);
    return NULL;
}

static void wait_for_first(void) {
    static Writer writers[2];
    static EventSink_sync_acquire entries[2];
    request.ordered = true;
    CHECK(start(1));
    for (int i = 0; i < 2; i++) {
        Writer *w = &writers[i];
        CHECK((w->t = transport_open(&w->front, NULL, NULL)) != NULL);
        entries[i] = (EventSink_sync_acquire){on_numbered, w};
        transport_back(w->t, 0)->sync_acquire = &entries[i];
        transport_begin(w->t, transport_back(w->t, 0));
    }
    atomic_store(&test.pauses, true);
    CHECK(pthread_create(&writers[0].thread, NULL, write_first, &writers[0]) == 0);
    while (!atomic_load(&test.paused)) usleep(100);
    writers[1].front.sync_acquire->fn(writers[1].front.sync_acquire, 1, 1);
    transport_drain(false);
    CHECK(numbered.taken == 2);
    pthread_join(writers[0].thread, NULL);
}

static void a_drain_waits_for_a_stamp(void **state) {
    (void)state;
    with_each_queue(wait_for_first);
}

static void one_drains_at_a_time(void **state) {
    (void)state;
    with_each_queue(end_beside_drain);
}

// A thread continues to report while its ring is drained; the consumer has ended.
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
    with_each_queue(discard_beside_drain);
}

// A ring of eight chunks, of which more than six are full, then one that was full, then one that is read.
static void follow_the_consumer(void) {
    enum { USUAL = 1000, WINDOW = 32, EVENTS = 3500, MORE = 700, WINDOWS = 2000 };
    int64_t got = 0;
    CHECK(start(1));
    open_ring();
    atomic_store(&test.slow, 1000);
    emit(0, 100);
    for (int i = 0; i < WINDOW; i++) got = transport_pace(test.t, USUAL);
    CHECK(got == USUAL);
    emit(100, EVENTS);
    for (int i = 0; i < WINDOW; i++) got = transport_pace(test.t, USUAL);
    CHECK(got == 2 * USUAL);
    for (int i = 0; i < MORE; i++) test.front.path->fn(test.front.path, 1, EVENT_NO_BCI, 2);  // cannot wait: stalls
    CHECK(transport_pace(test.t, USUAL) == 4 * USUAL);
    for (int i = 0; i < 20 * WINDOW; i++) got = transport_pace(test.t, USUAL);
    CHECK(got == 1024 * USUAL);
    CHECK(transport_pace(test.t, INT64_MAX - 1) == INT64_MAX - 1);
    atomic_store(&test.slow, 0);
    for (int i = 0; i < WINDOWS && got > USUAL; i++) {
        usleep(100);
        for (int k = 0; k < WINDOW; k++) got = transport_pace(test.t, USUAL);
    }
    CHECK(got == USUAL);
    TransportFigures f;
    transport_figures(&f);
    CHECK(f.pace_most == 102400 && f.pace_sum > 100 * f.paced);
    transport_end(test.t);
    transport_free(test.t);
    transport_stop();
}

static void the_pace_follows_the_consumer(void **state) {
    (void)state;
    in_child(follow_the_consumer);
}

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
    with_each_queue(end_in_wait);
}

static int thread_count_of_process(void) {
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
        for (int i = 0; i < 5000 && thread_count_of_process() > 1; i++) usleep(1000);
        CHECK(thread_count_of_process() == 1);
    }
    request.affinity = "nonsense";
    CHECK(!start(4));
    CHECK(thread_count_of_process() == 1);
    request.affinity = NULL;
    CHECK(start(2));
    CHECK(thread_count_of_process() == 3);
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
    with_each_queue(start_twice);
}

// ---- what arrives ---------------------------------------------------------------------------------

// An event as a sink has received it.
typedef struct Arrived {
    uint32_t event, method, callee;
    int32_t bci;
    uint64_t value;
} Arrived;

enum { ARRIVALS = 1 << 16, READERS = 4 };
static struct {
    Arrived all[ARRIVALS];
    uint32_t count;
} arrived[READERS];  // by thread, or by the reader of a single thread's ring

static _Atomic int32_t ends_after;  // the events after which the thread ends that has the next one for reader 1

static void arrive(const void *state, Arrived a) {
    uint32_t thread = (uint32_t)(uintptr_t)state;
    if (thread == 1 && atomic_load(&ends_after) && atomic_fetch_sub(&ends_after, 1) == 1) pthread_exit(NULL);
    if (arrived[thread].count < ARRIVALS) arrived[thread].all[arrived[thread].count++] = a;
}
static void arrive_entry(const EventSink_method_entry *s, uint32_t method) {
    arrive(s->state, (Arrived){EVENT_method_entry, method, 0, 0, 0});
}
static void arrive_edge(const EventSink_call_edge *s, uint32_t caller, int32_t bci, uint32_t callee) {
    arrive(s->state, (Arrived){EVENT_call_edge, caller, callee, bci, 0});
}
static void arrive_value(const EventSink_value *s, uint32_t method, int32_t bci, uint64_t value) {
    arrive(s->state, (Arrived){EVENT_value, method, 0, bci, value});
}

// The events of a thread: a sequence with payloads of all sizes, which depends on `seed`.
static Arrived event_of(uint32_t seed, uint32_t i) {
    uint32_t x = (seed + i) * 2654435761u;
    if (x % 3 == 0) return (Arrived){EVENT_method_entry, x % 5 ? i : EVENT_PSEUDO(0), 0, 0, 0};
    if (x % 3 == 1) return (Arrived){EVENT_call_edge, i, x & 0xffffff, x % 7 ? (int32_t)(x & 0xffff) : EVENT_NO_BCI, 0};
    return (Arrived){EVENT_value, i, 0, (int32_t)(x & 0xfff), x % 2 ? (UINT64_C(1) << 63) + x : UINT64_MAX - i};
}

static void report(const EventThread *front, Arrived a) {
    if (a.event == EVENT_method_entry) front->method_entry->fn(front->method_entry, a.method);
    else if (a.event == EVENT_call_edge) front->call_edge->fn(front->call_edge, a.method, a.bci, a.callee);
    else front->value->fn(front->value, a.method, a.bci, a.value);
}

static Transport *open_for(EventThread *front, EventThread *besides, uint32_t thread) {
    static EventSink_method_entry entries[2];
    static EventSink_call_edge edges[2];
    static EventSink_value values[2];
    Transport *t = transport_open(front, besides, NULL);
    CHECK(t);
    void *state = (void *)(uintptr_t)thread;
    entries[thread] = (EventSink_method_entry){arrive_entry, state};
    edges[thread] = (EventSink_call_edge){arrive_edge, state};
    values[thread] = (EventSink_value){arrive_value, state};
    EventThread *back = transport_back(t, 0);
    back->method_entry = &entries[thread];
    back->call_edge = &edges[thread];
    back->value = &values[thread];
    transport_begin(t, transport_back(t, 0));
    return t;
}

static void check_arrived(uint32_t thread, uint32_t seed, uint32_t events) {
    CHECK(arrived[thread].count == events);
    for (uint32_t i = 0; i < events; i++) {
        Arrived sent = event_of(seed, i), got = arrived[thread].all[i];
        CHECK(got.event == sent.event && got.method == sent.method && got.bci == sent.bci &&
              got.callee == sent.callee && got.value == sent.value);
    }
}

// Two threads' events arrive in each thread's own sinks, in order.
static void send_two_threads(void) {
    enum { EVENTS = 500 };
    static EventThread fronts[2];
    Transport *t[2];
    uint64_t analysed[EVENT_COUNT], discarded[EVENT_COUNT], sum = 0;
    CHECK(start(2));
    for (uint32_t i = 0; i < 2; i++) t[i] = open_for(&fronts[i], NULL, i);
    for (uint32_t i = 0; i < EVENTS; i++)
        for (uint32_t k = 0; k < 2; k++) report(&fronts[k], event_of(1000 * k, i));
    for (uint32_t k = 0; k < 2; k++) {
        transport_end(t[k]);
        check_arrived(k, 1000 * k, EVENTS);
        transport_counts(t[k], analysed, discarded);
        for (int e = 0; e < EVENT_COUNT; e++) {
            CHECK(discarded[e] == 0);
            sum += analysed[e];
        }
        transport_free(t[k]);
    }
    CHECK(sum == 2 * EVENTS);
    TransportFigures f;
    transport_figures(&f);
    CHECK(f.discarded == 0 && f.laps == 0 && f.ended == 0);
}

static void events_arrive_in_order(void **state) {
    (void)state;
    with_each_queue(send_two_threads);
}

// Several readers of a ring. The events are some that do not wait, because no thread of a VM makes them.
static void number_arrives(const EventSink_sync_acquire *s, uintptr_t object, uintptr_t address) {
    arrive(s->state, (Arrived){EVENT_sync_acquire, (uint32_t)object, 0, 0, address});
}

static Arrived numbered_event(uint32_t i) {
    uint64_t x = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (Arrived){EVENT_sync_acquire, i, 0, 0, i % 3 ? x >> 20 : x};
}

static Transport *open_for_readers(EventThread *front) {
    static EventSink_sync_acquire acquires[READERS];
    Transport *t = transport_open(front, NULL, NULL);
    CHECK(t);
    for (uint32_t reader = 0; reader < READERS; reader++) {
        acquires[reader] = (EventSink_sync_acquire){number_arrives, (void *)(uintptr_t)reader};
        transport_back(t, reader)->sync_acquire = &acquires[reader];
    }
    transport_begin(t, transport_back(t, 0));
    return t;
}

static void make_numbered_events(const EventThread *front, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        Arrived a = numbered_event(i);
        front->sync_acquire->fn(front->sync_acquire, a.method, a.value);
    }
}

// Each reader takes all events in their order. Sometimes the ring is drained.
static void read_by_several(void) {
    enum { EVENTS = 40000, BETWEEN_DRAINS = 3000 };
    static EventThread front;
    uint64_t analysed[EVENT_COUNT], discarded[EVENT_COUNT];
    TransportFigures f;
    request.shards = READERS;
    request.line = 64;
    CHECK(start(READERS - 1));
    Transport *t = open_for_readers(&front);
    for (uint32_t i = 0; i < EVENTS; i += BETWEEN_DRAINS) {
        make_numbered_events(&front, i, i + BETWEEN_DRAINS < EVENTS ? i + BETWEEN_DRAINS : EVENTS);
        transport_drain(false);
    }
    transport_end(t);
    transport_counts(t, analysed, discarded);
    transport_figures(&f);
    for (uint32_t reader = 0; reader < READERS; reader++) {
        CHECK(arrived[reader].count == EVENTS);
        for (uint32_t i = 0; i < EVENTS; i++)
            CHECK(memcmp(&arrived[reader].all[i], &(Arrived[]){numbered_event(i)}, sizeof(Arrived)) == 0);
    }
    CHECK(analysed[EVENT_sync_acquire] == EVENTS && f.discarded == 0 && transport_unfinished(t) == 0 && f.holds > 0);
    transport_free(t);
}

static void all_readers_take_all_events(void **state) {
    (void)state;
    in_child(read_by_several);
}

// The consumer of one reader ends in the middle of an event, which that reader misses. All others have the same events,
// and the rest is discarded for all.
static void one_reader_ends(void) {
    enum { EVENTS = 40000, FIRST = 1000 };
    static EventThread front;
    uint64_t analysed[EVENT_COUNT], discarded[EVENT_COUNT];
    TransportFigures f;
    request.shards = READERS;
    request.line = 64;
    CHECK(start(READERS));
    Transport *t = open_for_readers(&front);
    atomic_store(&ends_after, FIRST);
    make_numbered_events(&front, 0, EVENTS);
    transport_end(t);
    transport_counts(t, analysed, discarded);
    transport_figures(&f);
    uint64_t taken = analysed[EVENT_sync_acquire], lost = discarded[EVENT_sync_acquire];
    CHECK(taken + lost == EVENTS && lost > 0 && f.ended == 1 && transport_unfinished(t) == 1);
    for (uint32_t reader = 0; reader < READERS; reader++) {
        bool misses = reader == 1;
        CHECK(arrived[reader].count == taken - misses);
        for (uint32_t i = 0; i < arrived[reader].count; i++) {
            uint32_t of_first = i + (misses && i >= FIRST - 1);
            CHECK(arrived[reader].all[i].method == arrived[0].all[of_first].method);
        }
    }
}

static void a_reader_that_ends_misses_one_event(void **state) {
    (void)state;
    in_child(one_reader_ends);
}

// Without consumers events stay in the ring until the thread ends; nothing has arrived before that.
static void end_without_consumers(void) {
    enum { EVENTS = 50 };
    static EventThread front;
    CHECK(start(1));
    Transport *t = open_for(&front, NULL, 0);
    profilerthread_stop_all();
    for (uint32_t i = 0; i < EVENTS; i++) report(&front, event_of(7, i));
    CHECK(arrived[0].count == 0);
    transport_drain(true);
    check_arrived(0, 7, EVENTS);
    transport_end(t);
    check_arrived(0, 7, EVENTS);
}

static void a_drain_takes_everything(void **state) {
    (void)state;
    with_each_queue(end_without_consumers);
}

// Rings that are overwritten: the thread never waits, and a part of the words is analysed.
static void overwrite(void) {
    enum { LAPS = 40 };
    static EventThread front;
    request.sampled = true;
    request.rate = 10;
    request.lines = 4;
    CHECK(start(1));
    Transport *t = open_for(&front, NULL, 0);
    uint32_t events = LAPS * (uint32_t)request.buffer / 8;
    for (uint32_t i = 0; i < events; i++) report(&front, (Arrived){EVENT_method_entry, i, 0, 0, 0});
    transport_end(t);
    TransportFigures f;
    transport_figures(&f);
    CHECK(f.holds == 0 && f.waits == 0);
    CHECK(f.written >= events);
    CHECK(f.sampled > f.written / 50 && f.sampled < f.written / 4);
    CHECK(arrived[0].count > 0 && arrived[0].count <= f.sampled);
    for (uint32_t i = 0; i < arrived[0].count; i++)
        CHECK(arrived[0].all[i].event == EVENT_method_entry && arrived[0].all[i].method < events);
}

static void an_overwritten_ring_is_sampled(void **state) {
    (void)state;
    in_child(overwrite);
}

// Events reach the thread's own sinks too, at once and in order.
static void send_both_ways(void) {
    enum { EVENTS = 500 };
    static EventThread front, besides;
    static const EventSink_method_entry entry = {arrive_entry, (void *)1};
    static const EventSink_call_edge edge = {arrive_edge, (void *)1};
    static const EventSink_value value = {arrive_value, (void *)1};
    besides.method_entry = &entry;
    besides.call_edge = &edge;
    besides.value = &value;
    CHECK(start(1));
    Transport *t = open_for(&front, &besides, 0);
    for (uint32_t i = 0; i < EVENTS; i++) {
        report(&front, event_of(5, i));
        CHECK(arrived[1].count == i + 1);
    }
    transport_end(t);
    check_arrived(0, 5, EVENTS);
    check_arrived(1, 5, EVENTS);
}

static void a_tee_has_two_ends(void **state) {
    (void)state;
    in_child(send_both_ways);
}

// Consumers that only read the events; no consumers; a word instead of a queue.
static void send_for_nothing(void) {
    enum { LAPS = 20 };
    static EventThread front;
    TransportFigures f;
    CHECK(start(request.unread ? 0 : 1));
    Transport *t = open_for(&front, NULL, 0);
    uint32_t lap = (uint32_t)request.buffer / 8, events = request.unread ? LAPS * lap : lap / 2;
    for (uint32_t i = 0; i < events; i++) report(&front, (Arrived){EVENT_method_entry, i, 0, 0, 0});
    transport_drain(false);
    transport_end(t);
    transport_figures(&f);
    CHECK(arrived[0].count == 0 && f.discarded == 0);
    CHECK(request.unread ? f.transferred == 0 && f.holds == 0 : f.transferred >= events);
}

static void nothing_is_analysed(void **state) {
    (void)state;
    request.discards = true;
    with_each_queue(send_for_nothing);
    request.discards = false;
    request.unread = true;
    with_each_queue(send_for_nothing);
    request.kind = RING_WORD;
    in_child(send_for_nothing);
    request.kind = RING_CAB;
    request.unread = false;
}

// In the child of a fork no consumer runs, and a thread that reports events does not wait.
static void report_in_a_child(void) {
    static EventThread front;
    int status;
    CHECK(start(1));
    Transport *t = open_for(&front, NULL, 0);
    for (uint32_t i = 0; i < 100; i++) report(&front, event_of(3, i));
    transport_fork(true);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS);
        transport_fork(false);
        transport_forget();
        for (uint32_t i = 0; i < ARRIVALS; i++) report(&front, event_of(3, i));
        _exit(0);
    }
    transport_fork(false);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    transport_end(t);
    check_arrived(0, 3, 100);
}

static void a_child_does_not_wait(void **state) {
    (void)state;
    with_each_queue(report_in_a_child);
}

static void number_sites(void) {
    uint32_t words[2][8] = {{7, 3, 9}, {7, 4, 9}};
    CHECK(start(1));
    uint32_t first = ringevents_number(EVENT_call_edge, 0, words[0]),
             second = ringevents_number(EVENT_call_edge, 0, words[1]);
    CHECK(first && second && first != second);
    CHECK(ringevents_number(EVENT_call_edge, 0, words[0]) == first);
    CHECK(ringevents_number(EVENT_method_entry, 0, words[0]) != first);
}

static void equal_sites_have_one_number(void **state) {
    (void)state;
    in_child(number_sites);
}

// Rings of carriers. A few pthreads are the carriers of more threads, whose events are paths: the thread's number, and
// a number that counts them.
enum { MOVERS = 40, CARRIERS = 3, MOVED = 20000, LONGEST_STAY = 700 };
typedef struct Mover {
    EventThread front;
    EventPlaces places;
    Transport *t;
    EventSink_path sink;
    uint32_t made, taken, skipped;
    bool runs;  // under the lock of `movers`
} Mover;
static struct {
    pthread_mutex_t lock;
    Mover of[MOVERS];
} movers = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Numbers are missing only where events were discarded.
static void on_path(const EventSink_path *s, uint32_t method, int32_t bci, uint32_t path) {
    Mover *m = s->state;
    CHECK(m == &movers.of[method] && bci == EVENT_NO_BCI && path >= m->taken);
    m->skipped += path - m->taken;
    m->taken = path + 1;
    if (atomic_load(&test.slow)) usleep(atomic_load(&test.slow));
}

static void open_movers(uint32_t count) {
    request.carriers = true;
    thread_use_backend(&thread_backend_green, false);
    CHECK(start(1));
    for (uint32_t i = 0; i < count; i++) {
        Mover *m = &movers.of[i];
        m->sink = (EventSink_path){on_path, m};
        CHECK((m->t = transport_open(&m->front, NULL, &m->places)) != NULL);
        transport_back(m->t, 0)->path = &m->sink;
        transport_begin(m->t, transport_back(m->t, 0));
    }
}

static void move(Mover *m, uint32_t events) {
    for (uint32_t i = 0; i < events; i++)
        m->front.path->fn(m->front.path, (uint32_t)(m - movers.of), EVENT_NO_BCI, m->made++);
}

static void lose_processor(Mover *m) {
    if (m->places.lost_processor) m->places.lost_processor(&m->places);
}

static void check_moved(Mover *m) {
    uint64_t analysed[EVENT_COUNT], discarded[EVENT_COUNT];
    transport_counts(m->t, analysed, discarded);
    CHECK(analysed[EVENT_path] + discarded[EVENT_path] == m->made && analysed[EVENT_path] == m->taken - m->skipped);
}

// Requires the lock. A thread that does not run, from a random one on; NULL: all others have ended.
static Mover *next_mover(uint32_t random) {
    for (uint32_t i = 0; i < MOVERS; i++) {
        Mover *m = &movers.of[(random + i) % MOVERS];
        if (!m->runs && m->made < MOVED) return m;
    }
    return NULL;
}

static void *carry(void *arg) {
    uint32_t random = (uint32_t)(uintptr_t)arg;
    for (;;) {
        random = random * 1664525 + 1013904223;
        pthread_mutex_lock(&movers.lock);
        Mover *m = next_mover(random >> 8);
        if (m) m->runs = true;
        pthread_mutex_unlock(&movers.lock);
        if (!m) return NULL;
        uint32_t left = MOVED - m->made, stay = (random >> 16) % 8 ? (random >> 16) % 8 : random % LONGEST_STAY;
        move(m, stay < left ? stay : left);
        if (m->made == MOVED) {
            transport_end(m->t);
            check_moved(m);
            CHECK(m->taken == MOVED);
            transport_free(m->t);
        } else lose_processor(m);
        pthread_mutex_lock(&movers.lock);
        m->runs = m->made == MOVED;
        pthread_mutex_unlock(&movers.lock);
    }
}

static void move_between_carriers(void) {
    pthread_t carriers[CARRIERS];
    TransportFigures f;
    open_movers(MOVERS);
    for (uintptr_t i = 0; i < CARRIERS; i++) CHECK(pthread_create(&carriers[i], NULL, carry, (void *)(i + 1)) == 0);
    for (int i = 0; i < CARRIERS; i++) pthread_join(carriers[i], NULL);
    transport_figures(&f);
    CHECK(f.discarded == 0 && f.switches > MOVERS && f.rings >= 1 && f.rings <= CARRIERS);
    for (int i = 0; i < MOVERS; i++) CHECK(movers.of[i].taken == MOVED && movers.of[i].skipped == 0);
    transport_release();
    transport_stop();
}

static void threads_move_between_rings(void **state) {
    (void)state;
    in_child(move_between_carriers);
}

// A thread's first events are in a part of a ring that is not ready to be read, and no thread goes on in that ring.
// Its events in the next ring wait for them, and arrive.
static void leave_a_part_behind(void) {
    enum { FIRST = 10 };
    Mover *m = &movers.of[0], *other = &movers.of[1];
    const uint32_t many = 3 * (uint32_t)transport_least_chunk() / 8;
    open_movers(2);
    move(m, FIRST);
    lose_processor(m);
    move(other, 1);  // has that ring now
    move(m, many);
    while (__atomic_load_n(&m->taken, __ATOMIC_RELAXED) < FIRST + 1) usleep(100);
    lose_processor(other);
    transport_drain(false);
    CHECK(m->taken == FIRST + many && m->skipped == 0 && other->taken == 1);
    TransportFigures f;
    transport_figures(&f);
    CHECK(f.rings == 2 && f.switches == 3);
}

static void a_part_left_behind_is_read_first(void **state) {
    (void)state;
    in_child(leave_a_part_behind);
}

// A thread that returns to its ring makes no switch event if no other thread was there.
static void return_alone(void) {
    TransportFigures f;
    open_movers(2);
    for (int i = 0; i < 5; i++) {
        move(&movers.of[0], 3);
        lose_processor(&movers.of[0]);
    }
    transport_figures(&f);
    CHECK(f.switches == 1);
    move(&movers.of[1], 3);
    lose_processor(&movers.of[1]);
    move(&movers.of[0], 1);
    transport_figures(&f);
    CHECK(f.switches == 3 && f.rings == 1);
    transport_drain(false);
    CHECK(movers.of[0].taken == 16 && movers.of[1].taken == 3);
}

static void who_returns_does_not_switch(void **state) {
    (void)state;
    in_child(return_alone);
}

// The consumer has ended. Rings that are full are discarded, and each event is counted for its thread.
static void move_without_consumer(void) {
    enum { THREADS = 3, ROUNDS = 3000 };
    uint64_t analysed[EVENT_COUNT], discarded[EVENT_COUNT], lost = 0;
    open_movers(THREADS);
    profilerthread_stop_all();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        move(&movers.of[i % THREADS], 1 + i % 5);
        lose_processor(&movers.of[i % THREADS]);
    }
    for (int i = 0; i < THREADS; i++) {
        transport_end(movers.of[i].t);
        check_moved(&movers.of[i]);
        transport_counts(movers.of[i].t, analysed, discarded);
        lost += discarded[EVENT_path];
    }
    CHECK(lost > 0);
    TransportFigures f;
    transport_figures(&f);
    CHECK(f.discarded == lost && f.laps > 0);
}

static void discarded_events_have_a_thread(void **state) {
    (void)state;
    in_child(move_without_consumer);
}

// A thread ends near the end of a ring, which the next thread pads.
static void end_before_padding(void) {
    const uint32_t words = (uint32_t)transport_least_chunk();  // of the ring
    open_movers(2);
    move(&movers.of[0], words - 100);
    transport_end(movers.of[0].t);
    CHECK(movers.of[0].taken == words - 100);
    transport_free(movers.of[0].t);
    move(&movers.of[1], words);
    transport_end(movers.of[1].t);
    CHECK(movers.of[1].taken == words && movers.of[1].skipped == 0);
}

static void padding_follows_an_ended_thread(void **state) {
    (void)state;
    in_child(end_before_padding);
}

// Native threads are refused.
static void begin_natively(void) {
    request.carriers = true;
    thread_use_backend(&thread_backend_native, false);
    CHECK(!start(1));
    request.carriers = false;
    CHECK(start(1));
}

static void native_threads_have_no_carriers(void **state) {
    (void)state;
    in_child(begin_natively);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_drains_at_a_time),
        cmocka_unit_test(stamps_order_all_threads),
        cmocka_unit_test(a_drain_waits_for_a_stamp),
        cmocka_unit_test(nobody_discards_what_is_drained),
        cmocka_unit_test(the_pace_follows_the_consumer),
        cmocka_unit_test(a_consumer_ends_while_somebody_begins_to_wait),
        cmocka_unit_test(a_start_after_one_that_failed),
        cmocka_unit_test(events_arrive_in_order),
        cmocka_unit_test(a_drain_takes_everything),
        cmocka_unit_test(all_readers_take_all_events),
        cmocka_unit_test(a_reader_that_ends_misses_one_event),
        cmocka_unit_test(an_overwritten_ring_is_sampled),
        cmocka_unit_test(a_tee_has_two_ends),
        cmocka_unit_test(nothing_is_analysed),
        cmocka_unit_test(a_child_does_not_wait),
        cmocka_unit_test(equal_sites_have_one_number),
        cmocka_unit_test(threads_move_between_rings),
        cmocka_unit_test(a_part_left_behind_is_read_first),
        cmocka_unit_test(who_returns_does_not_switch),
        cmocka_unit_test(discarded_events_have_a_thread),
        cmocka_unit_test(padding_follows_an_ended_thread),
        cmocka_unit_test(native_threads_have_no_carriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
