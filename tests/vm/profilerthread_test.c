// The profiler's threads and sinks that wait, without a booted VM: start, sleep and stop, the state after a fork, and
// that a thread waiting for a sink is at a safepoint.
#include "tests/vm/crew.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/instrument/eventwait.h"
#include "vm/threads/profilerthread.h"

static Thread *main_thread;
static _Atomic uint32_t rounds, finished;
static char name[16];
static bool attached, hears_term, hears_faults;

static int setup(void **state) {
    (void)state;
    if (!main_thread) main_thread = crew_init();
    return main_thread ? 0 : -1;
}

static void look_and_sleep(ProfilerThread *self, void *arg) {
    sigset_t blocked;
    pthread_getname_np(pthread_self(), name, sizeof name);
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    attached = thread_current() != NULL;
    hears_term = !sigismember(&blocked, SIGTERM);
    hears_faults = !sigismember(&blocked, SIGSEGV);
    do atomic_fetch_add((_Atomic uint32_t *)arg, 1);
    while (profilerthread_sleep(self, THREAD_FOREVER));
    atomic_fetch_add(&finished, 1);
}

static bool reaches(_Atomic uint32_t *count, uint32_t value) {
    for (int i = 0; i < 10000 && atomic_load(count) < value; i++) usleep(1000);
    return atomic_load(count) >= value;
}

static int64_t soon(void) { return thread_deadline(INT64_C(10000000000)); }

static void starts_sleeps_and_stops(void **state) {
    (void)state;
    uint32_t before = thread_count();
    ProfilerThread *t = profilerthread_start("a name that is long", look_and_sleep, &rounds);
    assert_non_null(t);
    assert_true(reaches(&rounds, 1));
    assert_int_equal(thread_count(), before);
    profilerthread_wake(t);
    assert_true(reaches(&rounds, 2));
    assert_true(profilerthread_stop(t, soon()));
    assert_int_equal(finished, 1);
    assert_string_equal(name, "a name that is ");
    assert_false(attached);
    assert_false(hears_term);
    assert_true(hears_faults);
}

static void ignores_requests(ProfilerThread *self, void *arg) {
    while (!atomic_load((_Atomic uint32_t *)arg)) profilerthread_sleep(self, thread_deadline(1000000));
}

static void waits_no_longer_than_asked(void **state) {
    (void)state;
    static _Atomic uint32_t release;
    ProfilerThread *t = profilerthread_start("slow", ignores_requests, &release);
    assert_non_null(t);
    assert_false(profilerthread_stop(t, thread_deadline(20000000)));
    atomic_store(&release, 1);
    assert_true(profilerthread_stop(t, soon()));
}

static void goes_on_while_the_world_is_stopped(void **state) {
    (void)state;
    atomic_store(&rounds, 0);
    ProfilerThread *t = profilerthread_start("goes on", look_and_sleep, &rounds);
    assert_non_null(t);
    assert_true(reaches(&rounds, 1));
    safepoint_stop(main_thread, "test");
    profilerthread_wake(t);
    bool went_on = reaches(&rounds, 2);
    safepoint_resume(main_thread);
    assert_true(went_on);
    assert_true(profilerthread_stop(t, soon()));
}

// ---- waiting ----

static _Atomic uint32_t waiting, stopped, calls;

static void wait_for_a_stop(void *arg) {
    (void)arg;
    atomic_fetch_add(&calls, 1);
    atomic_store(&waiting, 1);
    reaches(&stopped, 1);
}

static void *stop_once(void *unused) {
    reaches(&waiting, 1);
    safepoint_stop(NULL, "test");
    atomic_store(&stopped, 1);
    safepoint_resume(NULL);
    return unused;
}

// A wait happens at the thread's next yieldpoint, not at the request, and once for several requests; meanwhile the
// world can be stopped.
static void waits_at_a_safepoint(void **state) {
    (void)state;
    pthread_t stopper;
    EventWait wait = {.fn = wait_for_a_stop};
    assert_int_equal(pthread_create(&stopper, NULL, stop_once, NULL), 0);
    eventwait_ask(&wait);
    eventwait_ask(&wait);
    assert_int_equal(atomic_load(&calls), 0);
    thread_poll(main_thread);
    assert_int_equal(atomic_load(&calls), 1);
    pthread_join(stopper, NULL);
    assert_int_equal(atomic_load(&stopped), 1);
    assert_true(thread_is_running(main_thread));
    assert_int_equal(atomic_load(&main_thread->poll) & POLL_SINK, 0);
    thread_poll(main_thread);
    assert_int_equal(atomic_load(&calls), 1);
    eventwait_ask(&wait);
    thread_poll(main_thread);
    assert_int_equal(atomic_load(&calls), 2);
    eventwait_ask(&wait);
    eventwait_end();
    thread_poll(main_thread);
    eventwait_ask(&wait);
    thread_poll(main_thread);
    assert_int_equal(atomic_load(&calls), 2);
}

// ---- the ends ----

static void are_gone_in_a_child(void **state) {
    (void)state;
    ProfilerThread *t = profilerthread_start("parent's", look_and_sleep, &rounds);
    assert_non_null(t);
    profilerthread_before_fork();
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        profilerthread_after_fork_child();
        _exit(profilerthread_stop(t, thread_now()) && profilerthread_start("child's", look_and_sleep, &rounds) ? 3 : 4);
    }
    profilerthread_after_fork_parent();
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    assert_true(profilerthread_stop(t, soon()));
}

// The last test: no thread can be started after it.
static void all_stop_at_the_end(void **state) {
    (void)state;
    atomic_store(&finished, 0);
    assert_non_null(profilerthread_start("one", look_and_sleep, &rounds));
    assert_non_null(profilerthread_start("two", look_and_sleep, &rounds));
    profilerthread_stop_all();
    assert_int_equal(atomic_load(&finished), 2);
    assert_null(profilerthread_start("three", look_and_sleep, &rounds));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(starts_sleeps_and_stops, setup),
        cmocka_unit_test_setup(waits_no_longer_than_asked, setup),
        cmocka_unit_test_setup(goes_on_while_the_world_is_stopped, setup),
        cmocka_unit_test_setup(waits_at_a_safepoint, setup),
        cmocka_unit_test_setup(are_gone_in_a_child, setup),
        cmocka_unit_test_setup(all_stop_at_the_end, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
