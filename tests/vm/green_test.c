// Green threads without Java: the switch, stacks, timers, the scheduler. The number of carriers is fixed per process,
// so each scheduler test runs in a child process.
#include "tests/vm/crew.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/threads/threadevents.h"
#include "vm/boot/boot.h"
#include "vm/interp/interp.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/green/green_internal.h"
#include "vm/threads/green/greenpoll.h"
#include "vm/threads/green/greensched.h"
#include "arch_switch.h"
#include "vm/threads/green/greentimer.h"
#include "vm/threads/lock.h"
#include "vm/threads/green/thread_green.h"
#include "vm/threads/threadstack.h"

// ---- the switch ----------------------------------------------------------------------------

static void *outer_sp, *inner_sp;
static _Atomic uint32_t left_outer, left_inner;
static int rounds;
static bool aligned;

static void inner(void *arg) {
    aligned = ((uintptr_t)__builtin_frame_address(0) & 15) == 0;
    for (;;) {
        rounds += *(int *)arg;
        arch_switch(&inner_sp, outer_sp, &left_inner);
    }
}

static void switch_goes_there_and_back(void **state) {
    (void)state;
    static _Alignas(16) char stack[64 * 1024];
    int step = 3;
    inner_sp = arch_switch_prepare(stack + sizeof stack, inner, &step);
    // Enough live values to fill the callee-saved registers.
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    for (int i = 0; i < 1000; i++) {
        left_outer = 1;
        arch_switch(&outer_sp, inner_sp, &left_outer);
        assert_int_equal(left_outer, 0);
        a += b, b += c, c += d, d += e, e += f, f += 1;
    }
    assert_true(aligned);
    assert_int_equal(rounds, 3000);
    uint64_t x[] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 1000; i++) x[0] += x[1], x[1] += x[2], x[2] += x[3], x[3] += x[4], x[4] += x[5], x[5] += 1;
    assert_true(a == x[0] && b == x[1] && c == x[2] && d == x[3] && e == x[4] && f == x[5]);
}

static void note_stack(void *out) { *(char **)out = __builtin_frame_address(0); }

static void call_runs_on_the_other_stack(void **state) {
    (void)state;
    static _Alignas(16) char stack[4096];
    char *at = NULL;
    arch_switch_call(note_stack, &at, stack + sizeof stack);
    assert_true(at > stack && at < stack + sizeof stack);
}

// ---- stacks --------------------------------------------------------------------------------

// Whether a write to the address kills a child process.
static bool is_guard(char *address) {
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile char *)address = 1;
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}

static void stacks_lie_between_guards(void **state) {
    (void)state;
    enum { SIZE = 96 * 1024 };
    char *s[3];
    for (int i = 0; i < 3; i++) {
        assert_non_null(s[i] = threadstack_take(SIZE));
        memset(s[i], i, SIZE);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(is_guard(s[i] - 1));
        assert_true(is_guard(s[i] + SIZE));
        assert_int_equal(*s[i], i);
    }
    for (int i = 0; i < 3; i++) threadstack_give(s[i], SIZE);
}

static int mappings(void) {
    int n = 0;
    FILE *f = fopen("/proc/self/maps", "r");
    for (int c; f && (c = getc(f)) != EOF;) n += c == '\n';
    fclose(f);
    return n;
}

// No two of 40,000 stacks in use at a time overlap, and the number of mappings stays far below the system's limit per
// process (65,530).
static void stacks_in_great_number(void **state) {
    (void)state;
    enum { N = 40000, SIZE = 16 * 1024, SAMPLE = 7 };
    char **s = calloc(N, sizeof *s);
    for (int i = 0; i < N; i++) assert_non_null(s[i] = threadstack_take(SIZE));
    for (int i = 0; i < N; i += SAMPLE) *(int *)s[i] = *(int *)(s[i] + SIZE - sizeof(int)) = i;
    assert_in_range(mappings(), 1, 55000);
    for (int i = 0; i < N; i += SAMPLE) {
        assert_int_equal(*(int *)s[i], i);
        assert_int_equal(*(int *)(s[i] + SIZE - sizeof(int)), i);
    }
    for (int i = 0; i < N; i++) threadstack_give(s[i], SIZE);
    free(s);
}

static bool is_resident(char *page) {
    unsigned char resident;
    assert_int_equal(mincore(page, 4096, &resident), 0);
    return resident & 1;
}

static int compare(const void *a, const void *b) { return memcmp(a, b, sizeof(char *)); }

// Freed stacks are reused. Those that were free longest have returned their memory to the system.
static void stacks_are_used_again(void **state) {
    (void)state;
    enum { N = 400, SIZE = 192 * 1024 };
    char *s[N], *t[N];
    for (int i = 0; i < N; i++) {
        assert_non_null(s[i] = threadstack_take(SIZE));
        *s[i] = 1;
    }
    for (int i = 0; i < N; i++) threadstack_give(s[i], SIZE);
    assert_false(is_resident(s[0]));
    assert_true(is_resident(s[N - 1]));
    for (int i = 0; i < N; i++) {
        assert_non_null(t[i] = threadstack_take(SIZE));
        t[i][0] = t[i][SIZE - 1] = 1;
    }
    qsort(s, N, sizeof *s, compare);
    qsort(t, N, sizeof *t, compare);
    assert_memory_equal(s, t, sizeof s);
    for (int i = 0; i < N; i++) threadstack_give(t[i], SIZE);
}

static void stacks_of_many_sizes(void **state) {
    (void)state;
    for (size_t size = 8192; size <= 21 * 4096; size += 4096) {
        char *s = threadstack_take(size);
        assert_non_null(s);
        s[0] = s[size - 1] = 1;
        threadstack_give(s, size);
    }
}

// ---- timers --------------------------------------------------------------------------------

static void timers_come_in_order(void **state) {
    (void)state;
    enum { N = 500 };
    Thread *t = calloc(N, sizeof *t);
    uint32_t seed = 1;
    for (int i = 0; i < N; i++) {
        seed = seed * 1103515245 + 12345;
        t[i].deadline = 1 + seed / 65536 % 1000;
        t[i].event = EVENT_ASLEEP;
        greentimer_add(&t[i]);
    }
    for (int i = 0; i < N; i += 3) greentimer_remove(&t[i]);
    greentimer_remove(&t[0]);  // no longer queued
    int64_t last = 0;
    int seen = 0;
    for (int64_t now = 100; now <= 1000; now += 100) {
        for (Thread *due = greentimer_take_due(now); due; due = due->queue_next, seen++) {
            assert_true(due->deadline >= last && due->deadline <= now);
            assert_int_equal(due->event, EVENT_EXPIRED);
            assert_int_equal(due->timer_slot, 0);
            last = due->deadline;
        }
        assert_true(atomic_load(&green.timers.first) > now);
    }
    assert_int_equal(seen, N - (N + 2) / 3);
    assert_true(atomic_load(&green.timers.first) == THREAD_FOREVER);
    free(t);
}

static void woken_threads_do_not_expire(void **state) {
    (void)state;
    Thread *t = calloc(1, sizeof *t);
    t->deadline = 5;
    t->event = EVENT_WOKEN;
    assert_true(greentimer_add(t));
    assert_null(greentimer_take_due(10));
    assert_int_equal(t->event, EVENT_WOKEN);
    free(t);
}

static bool configured(const char *text) {
    char error[160];
    return thread_green_configure(text, error, sizeof error);
}

static void options_are_checked(void **state) {
    (void)state;
    assert_true(configured("green"));
    assert_true(configured("green:carriers=3:quantum=5ms"));
    static const char *const wrong[] = {"gree",
                                        "greens",
                                        "green:",
                                        "green:carriers",
                                        "green:carriers=",
                                        "green:carriers=0",
                                        "green:carriers=1x",
                                        "green:carriers=1000",
                                        "green:quantum=0",
                                        "green:quantum=1s",
                                        "green:quantum=-1",
                                        "green:carriers=1:",
                                        "green:x=1",
                                        "green:carriers=1:carriers=2",
                                        "blue"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(configured(wrong[i]));
}

// ---- the scheduler -------------------------------------------------------------------------

static Thread *self;
static _Atomic int running;

typedef struct Job {
    void (*body)(Thread *self, int number);
    int number;
} Job;

static void run_job(Thread *t, void *arg) {
    Job job = *(Job *)arg;
    free(arg);
    job.body(t, job.number);
    atomic_fetch_sub(&running, 1);
    thread_wake(self);
}

static void spawn(void (*body)(Thread *, int), int count) {
    for (int i = 0; i < count; i++) {
        Job *job = malloc(sizeof *job);
        *job = (Job){body, i};
        atomic_fetch_add(&running, 1);
        if (!thread_start_bare(self, run_job, job)) abort();
    }
}

static void await_all(void) {
    while (atomic_load(&running) > 0) thread_block(self, THREAD_FOREVER);
}

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            _exit(1);                                                       \
        }                                                                   \
    } while (0)

// Runs fn in a child process with `carriers` carriers; the child must succeed within a minute.
static void with_carriers(int carriers, void (*fn)(void)) {
    pid_t child = fork();
    if (child == 0) {
        char text[32];
        char why[160];
        const char *error;
        alarm(60);
        snprintf(text, sizeof text, "green:carriers=%d", carriers);
        if (!boot_choose_threads(text, why, sizeof why) || !thread_green_init(&error)) _exit(2);
        self = crew_init();
        if (!self) _exit(3);
        fn();
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static _Atomic uint64_t total;
static _Atomic(Thread *) partner[2];
static _Atomic int turn;

static void ping_pong(Thread *t, int number) {
    atomic_store(&partner[number], t);
    for (int i = 0; i < 20000; i++) {
        while (atomic_load(&turn) != number || !partner[1 - number]) {
            if (atomic_load(&turn) == number) thread_yield(t);
            else thread_block(t, THREAD_FOREVER);
        }
        atomic_store(&turn, 1 - number);
        thread_wake(partner[1 - number]);
    }
}

static void do_ping_pong(void) {
    spawn(ping_pong, 2);
    await_all();
}

static Lock lock;
static uint64_t guarded;

static void contend(Thread *t, int number) {
    for (int i = 0; i < 300; i++) {
        lock_enter(t, &lock);
        uint64_t seen = guarded;
        if ((i + number) % 7 == 0) thread_yield(t);
        guarded = seen + 1;
        lock_exit(t, &lock);
    }
}

static void do_contend(void) {
    spawn(contend, 50);
    await_all();
    CHECK(guarded == 50 * 300);
    CHECK(lock_idle(&lock));
}

static int stock, taken;

static void consume(Thread *t, int number) {
    (void)number;
    for (int i = 0; i < 100; i++) {
        lock_enter(t, &lock);
        while (stock == 0) lock_wait(t, &lock, thread_deadline(1000000000), false);
        stock--;
        taken++;
        lock_notify(t, &lock, true);
        lock_exit(t, &lock);
    }
}

static void produce(Thread *t, int number) {
    (void)number;
    for (int i = 0; i < 100; i++) {
        lock_enter(t, &lock);
        while (stock == 5) lock_wait(t, &lock, THREAD_FOREVER, false);
        stock++;
        lock_notify(t, &lock, true);
        lock_exit(t, &lock);
    }
}

static void do_produce_and_consume(void) {
    spawn(consume, 20);
    spawn(produce, 20);
    await_all();
    CHECK(taken == 2000 && stock == 0);
}

static void sleep_a_little(Thread *t, int number) {
    int64_t deadline = thread_deadline((number % 20) * 1000000);
    while (thread_now() < deadline) CHECK(!thread_block(t, deadline) || true);
    atomic_fetch_add(&total, 1);
}

static void do_sleep(void) {
    int64_t began = thread_now();
    spawn(sleep_a_little, 1000);
    await_all();
    CHECK(total == 1000);
    CHECK(thread_now() - began >= 19000000);
}

// Other threads must not wait for a thread in a native call.
static void call_native(Thread *t, int number) {
    (void)number;
    for (int i = 0; i < 5; i++) {
        crew_pause(t, 20000);
        atomic_fetch_add(&total, 1);
    }
}

static void do_native(void) {
    int64_t began = thread_now();
    spawn(call_native, 30);
    await_all();
    CHECK(total == 150);
    CHECK(thread_now() - began < INT64_C(2500000000));  // sequentially it would take 3 s
}

// Runs without blocking until another thread has run, which requires preemption.
static _Atomic bool released;

static void hog(Thread *t, int number) {
    if (number == 3) {
        atomic_store(&released, true);
        return;
    }
    while (!atomic_load(&released))
        if (thread_dispatch(t) == interp_table(INTERP_STOP)) thread_safepoint(t);
}

static void do_hog(void) {
    spawn(hog, 4);
    await_all();
}

static _Atomic bool stop_now;

static void mixture(Thread *t, int number) {
    while (!atomic_load(&stop_now)) {
        switch (number % 5) {
            case 0: thread_block(t, thread_deadline(50000)); break;
            case 1: thread_yield(t); break;
            case 2: crew_pause(t, 100); break;
            case 3: contend(t, number); break;
            default: thread_poll(t);
        }
        atomic_fetch_add(&total, 1);
    }
}

static void do_stops(void) {
    spawn(mixture, 40);
    for (int i = 0; i < 30; i++) {
        safepoint_stop(self, "test");
        uint64_t before = total;
        for (volatile int j = 0; j < 1000; j++) continue;
        CHECK(total == before);
        safepoint_resume(self);
        thread_block(self, thread_deadline(500000));
    }
    stop_now = true;
    await_all();
}

static void nothing(Thread *t, int number) {
    (void)t, (void)number;
    atomic_fetch_add(&total, 1);
}

static void do_many(void) {
    for (int i = 0; i < 20; i++) {
        spawn(nothing, 500);
        await_all();
    }
    CHECK(total == 10000);
}

// Attached threads, which bring their pthread, against green ones.
static Thread *volatile attached;

static void with_attached(Thread *t, int number) {
    (void)number;
    attached = t;
    while (!atomic_load(&stop_now)) thread_block(t, THREAD_FOREVER);
}

static void wake_attached(Thread *t, int number) {
    (void)number;
    while (!attached) thread_yield(t);
    for (int i = 0; i < 500; i++) {
        thread_wake(attached);
        thread_yield(t);
    }
    stop_now = true;
    thread_wake(attached);
}

static void do_attached(void) {
    CrewMember member;
    crew_start(&member, 1, with_attached);
    spawn(wake_attached, 1);
    await_all();
    crew_join(self, &member, 1);
}

// ---- descriptors ---------------------------------------------------------------------------

// A ring of pipes: each thread waits for one pipe and passes on the bytes it reads.
enum { PIPES = 40, ROUNDS = 200 };
static int pipes[PIPES][2];

static void pass_on(Thread *t, int number) {
    for (int i = 0; i < ROUNDS; i++) {
        char c;
        CHECK(greenpoll_wait(t, pipes[number][0], POLLIN, THREAD_FOREVER) == GREENPOLL_READY);
        CHECK(read(pipes[number][0], &c, 1) == 1);
        CHECK(write(pipes[(number + 1) % PIPES][1], &c, 1) == 1);
        atomic_fetch_add(&total, 1);
    }
}

static void do_pipes(void) {
    for (int i = 0; i < PIPES; i++) CHECK(pipe(pipes[i]) == 0);
    spawn(pass_on, PIPES);
    for (int i = 0; i < PIPES; i += 8) CHECK(write(pipes[i][1], "x", 1) == 1);
    await_all();
    CHECK(total == PIPES * ROUNDS);
}

// Several threads wait for one descriptor: for two kinds of events, some with a deadline that passes, some that are
// stopped, some that are constantly woken for other reasons.
static int sockets[2];
static _Atomic(Thread *) stopped_thread;
static char filling[1 << 20];

static void wait_differently(Thread *t, int number) {
    if (number == 0) {
        int64_t deadline = thread_deadline(20000000);
        CHECK(greenpoll_wait(t, sockets[0], POLLIN, deadline) == GREENPOLL_TIMEOUT);
        CHECK(thread_now() >= deadline);
    } else if (number == 1) {
        atomic_store(&stopped_thread, t);
        CHECK(greenpoll_wait(t, sockets[0], POLLIN, THREAD_FOREVER) == GREENPOLL_STOPPED);
    } else if (number == 2) {
        CHECK(greenpoll_wait(t, sockets[0], POLLOUT, THREAD_FOREVER) == GREENPOLL_READY);
    } else {
        CHECK(greenpoll_wait(t, sockets[0], POLLIN, THREAD_FOREVER) == GREENPOLL_READY);
    }
    atomic_fetch_add(&total, 1);
}

static void until_total(uint64_t count) {
    while (total < count) thread_block(self, thread_deadline(1000000));
}

static void do_waits(void) {
    CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets) == 0);
    while (write(sockets[0], filling, sizeof filling) > 0) continue;
    spawn(wait_differently, 6);
    until_total(1);  // the deadline
    while (!stopped_thread) thread_block(self, thread_deadline(1000000));
    for (int i = 0; total < 2; i++) {
        thread_wake(stopped_thread);
        if (i >= 5) greenpoll_stop(stopped_thread);  // it may not be waiting yet
        thread_block(self, thread_deadline(1000000));
    }
    while (read(sockets[1], filling, sizeof filling) > 0) continue;
    until_total(3);  // writable now
    CHECK(total == 3);
    CHECK(write(sockets[1], "x", 1) == 1);
    await_all();
    CHECK(total == 6);
    CHECK(greenpoll_wait(self, sockets[0], POLLIN, 0) == GREENPOLL_CANNOT);  // bound
}

// Descriptors that epoll rejects, and closed ones.
static void wait_in_vain(Thread *t, int number) {
    (void)number;
    int file = open("/dev/null", O_RDONLY);
    CHECK(greenpoll_wait(t, file, POLLIN, THREAD_FOREVER) == GREENPOLL_CANNOT);
    close(file);
    CHECK(greenpoll_wait(t, file, POLLIN, THREAD_FOREVER) == GREENPOLL_CANNOT);
    CHECK(greenpoll_wait(t, -1, POLLIN, THREAD_FOREVER) == GREENPOLL_CANNOT);
}

static void do_vain(void) {
    spawn(wait_in_vain, 3);
    await_all();
}

// ---- events --------------------------------------------------------------------------------

static _Atomic int64_t ins, outs, wakes, odd, moves, moves_seen;
static _Atomic uint64_t on[64];     // thread on each processor, according to the events
static _Atomic int last_on[256];    // last processor of each thread, according to the events, plus 1
static _Atomic int came_from[256];  // the processor before that, plus 1
static _Atomic int reasons[THREAD_SWITCH_END + 1];

static void switch_in(Thread *t, uint32_t to) {
    uint64_t nobody = 0;
    int last = atomic_exchange(&last_on[thread_serial(t) % 256], (int)to + 1);
    came_from[thread_serial(t) % 256] = last;
    if (last && last != (int)to + 1) atomic_fetch_add(&moves_seen, 1);
    if (!atomic_compare_exchange_strong(&on[to], &nobody, thread_serial(t))) atomic_fetch_add(&odd, 1);
    atomic_fetch_add(&ins, 1);
}

// Called after the switch.
static void migration(Thread *t, uint32_t from, uint32_t to) {
    int last = came_from[thread_serial(t) % 256];
    if ((int)from >= green.sched.processor_count || from == to || on[to] != thread_serial(t)) atomic_fetch_add(&odd, 1);
    if (last && (int)from != last - 1) atomic_fetch_add(&odd, 1);
    atomic_fetch_add(&moves, 1);
    if (last) atomic_fetch_sub(&moves_seen, 1);
}

static void switch_out(Thread *t, uint32_t processor, uint32_t reason) {
    uint64_t it = thread_serial(t);
    if (reason > THREAD_SWITCH_END) atomic_fetch_add(&odd, 1);
    else atomic_fetch_add(&reasons[reason], 1);
    if (!atomic_compare_exchange_strong(&on[processor], &it, 0)) atomic_fetch_add(&odd, 1);
    atomic_fetch_add(&outs, 1);
}

static void wake(Thread *t, Thread *by) {
    (void)t, (void)by;
    atomic_fetch_add(&wakes, 1);
}

// Blocks for each reason until that reason is reported, because a deadline may pass before the thread blocks.
static void for_all_reasons(Thread *t, int number) {
    (void)number;
    for (BlockKind kind = BLOCK_ENTER; kind <= BLOCK_SLEEP; kind++) do {
            thread_show_blocked(t, kind, NULL, false);
            thread_block(t, thread_deadline(100000));
            thread_show_running(t);
        } while (!reasons[THREAD_SWITCH_ENTER + (kind - BLOCK_ENTER)]);
    int fds[2];
    CHECK(pipe(fds) == 0);
    do CHECK(greenpoll_wait(t, fds[0], POLLIN, thread_deadline(100000)) == GREENPOLL_TIMEOUT);
    while (!reasons[THREAD_SWITCH_IO]);
}

static void do_reasons(void) {
    static const ThreadEvents events = {.switch_out = switch_out};
    on[self->processor->id] = thread_serial(self);
    thread_attach_events(&events);
    spawn(for_all_reasons, 3);
    await_all();
    thread_attach_events(NULL);
    for (int r = THREAD_SWITCH_ENTER; r <= THREAD_SWITCH_IO; r++) CHECK(reasons[r] > 0);
}

static void do_events(void) {
    static const ThreadEvents events = {
        .switch_in = switch_in, .migration = migration, .switch_out = switch_out, .wake = wake};
    on[self->processor->id] = thread_serial(self);
    thread_attach_events(&events);
    spawn(mixture, 20);
    thread_block(self, thread_deadline(300000000));
    stop_now = true;
    await_all();
    thread_attach_events(NULL);
    CHECK(odd == 0);
    CHECK(ins > 100 && wakes > 20);
    CHECK(green.sched.processor_count > 1 || moves == 0);
    CHECK(moves_seen == 0);  // each migration was reported
    int64_t left = ins - outs;
    CHECK(left >= -1 && left <= green.sched.processor_count);
}

#define BOTH(name)                              \
    static void name##_on_one(void **state) {   \
        (void)state;                            \
        with_carriers(1, do_##name);            \
    }                                           \
    static void name##_on_three(void **state) { \
        (void)state;                            \
        with_carriers(3, do_##name);            \
    }
BOTH(ping_pong)
BOTH(contend)
BOTH(produce_and_consume)
BOTH(sleep)
BOTH(native)
BOTH(hog)
BOTH(stops)
BOTH(many)
BOTH(attached)
BOTH(pipes)
BOTH(waits)
BOTH(vain)
BOTH(reasons)
BOTH(events)

int main(void) {
#define RUN(name) cmocka_unit_test(name##_on_one), cmocka_unit_test(name##_on_three)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switch_goes_there_and_back),
        cmocka_unit_test(call_runs_on_the_other_stack),
        cmocka_unit_test(stacks_lie_between_guards),
        cmocka_unit_test(stacks_are_used_again),
        cmocka_unit_test(stacks_in_great_number),
        cmocka_unit_test(stacks_of_many_sizes),
        cmocka_unit_test(timers_come_in_order),
        cmocka_unit_test(woken_threads_do_not_expire),
        cmocka_unit_test(options_are_checked),
        RUN(ping_pong),
        RUN(contend),
        RUN(produce_and_consume),
        RUN(sleep),
        RUN(native),
        RUN(hog),
        RUN(stops),
        RUN(many),
        RUN(attached),
        RUN(pipes),
        RUN(waits),
        RUN(vain),
        RUN(reasons),
        RUN(events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
