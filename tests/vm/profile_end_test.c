// The end of a profiled thread (profile_thread_end): another thread can stop the world while the profiler sorts and
// merges the ending thread's results. The profiler is a fake in this file (instrument_hooks is replaced by the linker's
// --wrap; see the Makefile). Its thread_end returns once another thread has stopped the world, which would hang if the
// ending thread counted as running.
#include "tests/vm/crew.h"

#include "vm/instrument/hooks.h"
#include "vm/instrument/profile.h"
#include "vm/timing/tick.h"

static Thread *main_thread;
static bool ended_with_record, was_running, stopped_meanwhile;
static int record, time_record, late_record, ended;

static int setup(void **state) {
    (void)state;
    if (!main_thread) main_thread = crew_init();
    return main_thread ? 0 : -1;
}

static void *stop_once(void *unused) {
    safepoint_stop(NULL, "test");
    stopped_meanwhile = true;
    safepoint_resume(NULL);
    return unused;
}

// The ending thread is the caller.
static void end_of_thread(EventThread *t) {
    pthread_t stopper;
    ended_with_record = (void *)t == &record && !main_thread->prof;
    was_running = thread_is_running(main_thread);
    if (was_running) return;  // fail rather than hang
    assert_int_equal(pthread_create(&stopper, NULL, stop_once, NULL), 0);
    pthread_join(stopper, NULL);
}

static void (*end_of)(EventThread *t) = end_of_thread;
static void end_of_any(EventThread *t) { end_of(t); }

static const ProfilerInterface profiler = {.thread_end = end_of_any};
const InstrumentHooks __wrap_instrument_hooks = {.profiler = &profiler, .take_record = tick_take_record};

static void stops_while_merging(void **state) {
    (void)state;
    main_thread->prof = (void *)&record;
    profile_thread_end(main_thread);
    assert_true(ended_with_record);
    assert_false(was_running);
    assert_true(stopped_meanwhile);
    assert_true(thread_is_running(main_thread));
    assert_null(main_thread->prof);
}

// A thread has a record for each profile. While one is merged, a profile of the other kind may start, which gives the
// thread a new record.
static void end_of_records(EventThread *t) {
    const void *one = t;
    assert_true(!main_thread->prof || main_thread->prof != one);
    assert_true(!main_thread->time_record || main_thread->time_record != one);
    if (one == &time_record) main_thread->prof = &late_record;
    ended |= one == &record ? 1 : one == &time_record ? 2 : one == &late_record ? 4 : 8;
}

static void ends_both_records(void **state) {
    (void)state;
    void *had[][2] = {{&record, &time_record}, {NULL, &time_record}, {&record, NULL}, {NULL, NULL}};
    const int expected[] = {1 | 2 | 4, 2 | 4, 1, 0};
    end_of = end_of_records;
    for (int i = 0; i < 4; i++) {
        ended = 0;
        main_thread->prof = had[i][0];
        main_thread->time_record = had[i][1];
        profile_thread_end(main_thread);
        assert_null(main_thread->prof);
        assert_null(main_thread->time_record);
        assert_int_equal(ended, expected[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(stops_while_merging, setup),
                                       cmocka_unit_test_setup(ends_both_records, setup)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
