// Locks, monitors, hashes and park, without Java.
#include "tests/vm/crew.h"

#include "vm/threads/monitor.h"
#include "vm/threads/park.h"

enum { WORKERS = 4, ROUNDS = 20000 };

static Thread *main_thread;
static Object *object;
static long counter, other_counter;
static _Atomic int ready;

static int setup(void **state) {
    (void)state;
    if (!main_thread) main_thread = crew_init();
    if (!main_thread) return -1;
    object = crew_object();
    counter = other_counter = 0;
    ready = 0;
    return 0;
}

static bool everything(const void *o) {
    (void)o;
    return true;
}
static bool nothing(const void *o) {
    (void)o;
    return false;
}
static void collect(bool (*is_marked)(const void *)) {
    safepoint_stop(main_thread, "test");
    monitor_clear_weak(is_marked);
    safepoint_resume(main_thread);
}
static int teardown(void **state) {
    (void)state;
    collect(nothing);
    free(object);
    return 0;
}
static uint32_t tag(void) { return object->lock & LOCKWORD_TAG_MASK; }

static void thin_locks_nest(void **state) {
    (void)state;
    for (int i = 0; i < 3; i++) assert_true(monitor_enter(main_thread, object));
    assert_int_equal(tag(), LOCKWORD_THIN);
    assert_true(monitor_holds(main_thread, object));
    for (int i = 0; i < 3; i++) assert_true(monitor_exit(main_thread, object));
    assert_int_equal(object->lock, 0);
    assert_false(monitor_holds(main_thread, object));
}

static void deep_nesting_inflates(void **state) {
    (void)state;
    enum { DEEP = 3000 };
    for (int i = 0; i < DEEP; i++) assert_true(monitor_enter(main_thread, object));
    assert_int_equal(tag(), LOCKWORD_INFLATED);
    for (int i = 0; i < DEEP; i++) {
        assert_true(monitor_holds(main_thread, object));
        assert_true(monitor_exit(main_thread, object));
    }
    assert_false(monitor_holds(main_thread, object));
    collect(everything);
    assert_int_equal(object->lock, 0);
}

static void hash_survives_locking(void **state) {
    (void)state;
    uint32_t hash = monitor_hash(main_thread, object);
    assert_int_not_equal(hash, 0);
    assert_true(hash < 1u << 30);
    assert_true(monitor_enter(main_thread, object));
    assert_int_equal(tag(), LOCKWORD_INFLATED);
    assert_int_equal(monitor_hash(main_thread, object), hash);
    collect(everything);  // held, so not deflated
    assert_int_equal(tag(), LOCKWORD_INFLATED);
    assert_true(monitor_exit(main_thread, object));
    collect(everything);
    assert_int_equal(tag(), LOCKWORD_NEUTRAL);
    assert_int_equal(monitor_hash(main_thread, object), hash);
    assert_int_equal(monitor_count(), 0);
}

static void hash_of_a_locked_object(void **state) {
    (void)state;
    assert_true(monitor_enter(main_thread, object));
    assert_true(monitor_enter(main_thread, object));
    uint32_t hash = monitor_hash(main_thread, object);
    assert_true(monitor_exit(main_thread, object));
    assert_true(monitor_holds(main_thread, object));
    assert_true(monitor_exit(main_thread, object));
    assert_false(monitor_holds(main_thread, object));
    assert_int_equal(monitor_hash(main_thread, object), hash);
}

static void dead_objects_give_monitors_back(void **state) {
    (void)state;
    monitor_hash(main_thread, object);
    monitor_enter(main_thread, object);
    monitor_exit(main_thread, object);
    assert_int_equal(monitor_count(), 1);
    collect(nothing);
    assert_int_equal(monitor_count(), 0);
}

// ---- contention ----------------------------------------------------------------------------

static void count_up(Thread *self, int number) {
    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        monitor_enter(self, object);
        counter++;
        if (i % 64 == 0) {
            monitor_enter(self, object);
            if (i % 512 == 0) thread_yield(self);
            monitor_exit(self, object);
        }
        monitor_exit(self, object);
        thread_poll(self);
    }
}
static void contenders_exclude_each_other(void **state) {
    (void)state;
    CrewMember crew[WORKERS];
    crew_start(crew, WORKERS, count_up);
    for (int i = 0; i < 60; i++) {
        collect(everything);
        crew_pause(main_thread, 500);
    }
    crew_join(main_thread, crew, WORKERS);
    assert_int_equal(counter, WORKERS * ROUNDS);
    collect(everything);
    assert_int_equal(monitor_count(), 0);
}

static void hash_while_counting(Thread *self, int number) {
    uint32_t hash = 0;
    if (number % 2) {
        count_up(self, number);
        return;
    }
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t h = monitor_hash(self, object);
        if (hash) assert_int_equal(h, hash);
        hash = h;
        thread_poll(self);
    }
}
static void hash_stays_under_contention(void **state) {
    (void)state;
    CrewMember crew[WORKERS];
    crew_start(crew, WORKERS, hash_while_counting);
    for (int i = 0; i < 40; i++) {
        collect(everything);
        crew_pause(main_thread, 300);
    }
    crew_join(main_thread, crew, WORKERS);
    assert_int_equal(counter, WORKERS / 2 * ROUNDS);
}

// ---- wait and notify -----------------------------------------------------------------------

static void ping_pong(Thread *self, int number) {
    for (int i = 0; i < 2000; i++) {
        monitor_enter(self, object);
        while (counter % 2 != number) assert_true(monitor_wait(self, object, 0, 0));
        counter++;
        monitor_notify(self, object, true);
        monitor_exit(self, object);
    }
}
static void wait_and_notify_alternate(void **state) {
    (void)state;
    CrewMember crew[2];
    crew_start(crew, 2, ping_pong);
    for (int i = 0; i < 20; i++) {
        collect(everything);
        crew_pause(main_thread, 500);
    }
    crew_join(main_thread, crew, 2);
    assert_int_equal(counter, 4000);
}

static void wait_once(Thread *self, int number) {
    (void)number;
    monitor_enter(self, object);
    monitor_enter(self, object);  // wait releases both
    counter++;
    assert_true(monitor_wait(self, object, 0, 0));
    other_counter++;
    monitor_exit(self, object);
    assert_true(monitor_holds(self, object));
    monitor_exit(self, object);
}
static long read_locked(long *value) {
    monitor_enter(main_thread, object);
    long v = *value;
    monitor_exit(main_thread, object);
    return v;
}
static void notify_wakes_one_and_all_the_rest(void **state) {
    (void)state;
    CrewMember crew[WORKERS];
    crew_start(crew, WORKERS, wait_once);
    while (read_locked(&counter) < WORKERS) crew_pause(main_thread, 200);
    monitor_enter(main_thread, object);
    monitor_notify(main_thread, object, false);
    monitor_exit(main_thread, object);
    while (read_locked(&other_counter) < 1) crew_pause(main_thread, 200);
    crew_pause(main_thread, 5000);
    assert_int_equal(read_locked(&other_counter), 1);
    collect(everything);  // waiters pin the monitor
    monitor_enter(main_thread, object);
    monitor_notify(main_thread, object, true);
    monitor_exit(main_thread, object);
    crew_join(main_thread, crew, WORKERS);
    assert_int_equal(other_counter, WORKERS);
}

static void timed_wait_ends(void **state) {
    (void)state;
    int64_t begin = thread_now();
    monitor_enter(main_thread, object);
    assert_true(monitor_wait(main_thread, object, 5, 0));
    assert_true(monitor_holds(main_thread, object));
    monitor_exit(main_thread, object);
    assert_true(thread_now() - begin >= 5000000);
}

// ---- VM locks ------------------------------------------------------------------------------

static Lock lock;
static void count_with_lock(Thread *self, int number) {
    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        lock_enter(self, &lock);
        counter++;
        lock_exit(self, &lock);
    }
}
static void locks_exclude(void **state) {
    (void)state;
    crew_run(main_thread, WORKERS, count_with_lock);
    assert_int_equal(counter, WORKERS * ROUNDS);
    assert_true(lock_idle(&lock));
}

static void wait_interruptibly(Thread *self, int number) {
    (void)number;
    object = crew_identity(self);
    ready = 1;
    lock_enter(self, &lock);
    counter = lock_wait(self, &lock, THREAD_FOREVER, true);
    lock_exit(self, &lock);
    crew_forget(self);
}
static void interrupt_ends_a_wait(void **state) {
    (void)state;
    free(object);  // the waiter's Thread replaces the test's object
    CrewMember crew[1];
    counter = -1;
    crew_start(crew, 1, wait_interruptibly);
    while (!ready) crew_pause(main_thread, 100);
    crew_pause(main_thread, 2000);
    crew_interrupt(object);
    thread_interrupt(object);
    crew_join(main_thread, crew, 1);
    assert_int_equal(counter, LOCK_INTERRUPTED);
}

// ---- park ----------------------------------------------------------------------------------

static Object *parker;
static void park_many(Thread *self, int number) {
    (void)number;
    parker = crew_identity(self);
    ready = 1;
    for (int i = 0; i < 2000; i++) {
        while (__atomic_load_n(&counter, __ATOMIC_SEQ_CST) <= i) thread_park(self, false, 0);
        __atomic_fetch_add(&other_counter, 1, __ATOMIC_SEQ_CST);
    }
    crew_forget(self);
}
static void no_unpark_is_lost(void **state) {
    (void)state;
    CrewMember crew[1];
    crew_start(crew, 1, park_many);
    while (!ready) crew_pause(main_thread, 100);
    for (int i = 0; i < 2000; i++) {
        __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
        thread_unpark(parker);
        while (__atomic_load_n(&other_counter, __ATOMIC_SEQ_CST) <= i) thread_yield(main_thread);
    }
    crew_join(main_thread, crew, 1);
    free(parker);
}

static void park_times_out(void **state) {
    (void)state;
    int64_t begin = thread_now();
    thread_park(main_thread, false, 2000000);
    assert_true(thread_now() - begin >= 2000000);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    begin = thread_now();
    thread_park(main_thread, true, (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 5);
    assert_true(thread_now() - begin >= 3000000);
    thread_park(main_thread, true, 1000);  // a deadline in the past
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(thin_locks_nest),
        TEST(deep_nesting_inflates),
        TEST(hash_survives_locking),
        TEST(hash_of_a_locked_object),
        TEST(dead_objects_give_monitors_back),
        TEST(contenders_exclude_each_other),
        TEST(hash_stays_under_contention),
        TEST(wait_and_notify_alternate),
        TEST(notify_wakes_one_and_all_the_rest),
        TEST(timed_wait_ends),
        TEST(locks_exclude),
        TEST(interrupt_ends_a_wait),
        TEST(no_unpark_is_lost),
        TEST(park_times_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
