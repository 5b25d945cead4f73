// Stops, transitions and the life cycle of threads, without Java.
#include "tests/vm/crew.h"

#include <unistd.h>

#include "vm/interp/interp.h"
#include "vm/threads/park.h"

enum { WORKERS = 6, STOPS = 300, CHURN = 40 };

static Thread *main_thread;
static _Atomic bool quit;
static _Atomic uint64_t work[64];

static int setup(void **state) {
    (void)state;
    if (!main_thread) main_thread = crew_init();
    quit = false;
    memset(work, 0, sizeof work);
    return main_thread ? 0 : -1;
}

static void work_polling(Thread *self, int number) {
    while (!quit) {
        atomic_fetch_add_explicit(&work[number], 1, memory_order_relaxed);
        thread_poll(self);
    }
}

// As the interpreter does: enters the safepoint because its dispatch table is the STOP table.
static void work_by_table(Thread *self, int number) {
    while (!quit) {
        atomic_fetch_add_explicit(&work[number], 1, memory_order_relaxed);
        if (thread_dispatch(self) == interp_table(INTERP_STOP)) thread_safepoint(self);
    }
}

typedef struct Visit {
    Thread *self;
    int number;
} Visit;

static void in_native(void *arg) {
    const Visit *v = arg;
    thread_native_to_vm(v->self);
    atomic_fetch_add_explicit(&work[v->number], 1, memory_order_relaxed);
    thread_vm_to_native(v->self);
}

static void work_in_and_out(Thread *self, int number) {
    while (!quit) {
        atomic_fetch_add_explicit(&work[number], 1, memory_order_relaxed);
        thread_run_safe(self, THREAD_NATIVE, in_native, &(Visit){self, number});
    }
}

static void work_blocking(Thread *self, int number) {
    while (!quit) {
        atomic_fetch_add_explicit(&work[number], 1, memory_order_relaxed);
        thread_block(self, thread_deadline(20000));
    }
}

static void check_still(int count) {
    uint64_t before[64];
    for (int i = 0; i < count; i++) before[i] = work[i];
    for (volatile int i = 0; i < 2000; i++) continue;
    for (int i = 0; i < count; i++) assert_int_equal(work[i], before[i]);
}

static void stop_workers(CrewBody *body) {
    CrewMember crew[WORKERS];
    crew_start(crew, WORKERS, body);
    for (int i = 0; i < WORKERS; i++)
        while (work[i] == 0) crew_pause(main_thread, 100);
    for (int i = 0; i < STOPS; i++) {
        safepoint_stop(main_thread, "test");
        check_still(WORKERS);
        safepoint_resume(main_thread);
        if (i % 8 == 0) crew_pause(main_thread, 200);
    }
    quit = true;
    crew_join(main_thread, crew, WORKERS);
}

static void polling_threads_stop(void **state) {
    (void)state;
    stop_workers(work_polling);
}
static void interpreting_threads_stop(void **state) {
    (void)state;
    stop_workers(work_by_table);
    assert_ptr_equal(thread_dispatch(main_thread), interp_table(INTERP_PLAIN));
}
static void native_threads_stop_at_the_border(void **state) {
    (void)state;
    stop_workers(work_in_and_out);
}
static void blocked_threads_stay_blocked(void **state) {
    (void)state;
    stop_workers(work_blocking);
}

// Several threads compete to stop the world.
static void stopper(Thread *self, int number) {
    for (int i = 0; i < STOPS / 2; i++) {
        safepoint_stop(self, "test");
        uint64_t before = work[63]++;
        check_still(1);
        assert_int_equal(work[63], before + 1);
        safepoint_resume(self);
        work[number]++;
    }
}
static void stops_exclude_each_other(void **state) {
    (void)state;
    crew_run(main_thread, 4, stopper);
    assert_int_equal(work[63], 4 * (STOPS / 2));
}

static void come_and_go(Thread *self, int number) {
    assert_true(self->id != 0);
    work[number & 63]++;
    thread_poll(self);
}
static void threads_come_and_go_during_stops(void **state) {
    (void)state;
    CrewMember crew[CHURN];
    for (int round = 0; round < 5; round++) {
        crew_start(crew, CHURN, come_and_go);
        for (int i = 0; i < 20; i++) {
            safepoint_stop(main_thread, "test");
            thread_trim();
            safepoint_resume(main_thread);
        }
        crew_join(main_thread, crew, CHURN);
    }
    assert_int_equal(thread_count(), 1);
}

// A table set during a stop takes effect when the world resumes; one that a thread sets for itself takes effect at
// once.
static void dispatch_tables_follow(void **state) {
    (void)state;
    const void *const *other = interp_table(INTERP_INSTRUMENTED);
    thread_set_dispatch(main_thread, other);
    assert_ptr_equal(thread_dispatch(main_thread), other);
    CrewMember crew[2];
    crew_start(crew, 2, work_by_table);
    while (work[0] == 0 || work[1] == 0) crew_pause(main_thread, 100);
    safepoint_stop(main_thread, "test");
    for (Thread *t = threads.first; t; t = t->next) thread_set_dispatch(t, other);
    for (Thread *t = threads.first; t; t = t->next)
        assert_ptr_equal(thread_dispatch(t), t == main_thread ? other : interp_table(INTERP_STOP));
    safepoint_resume(main_thread);
    for (int i = 0; i < 20; i++) {
        crew_pause(main_thread, 500);
        safepoint_stop(main_thread, "test");
        for (Thread *t = threads.first; t; t = t->next) assert_ptr_equal(t->normal_dispatch, other);
        safepoint_resume(main_thread);
    }
    quit = true;
    crew_join(main_thread, crew, 2);
    thread_set_dispatch(main_thread, interp_table(INTERP_PLAIN));
}

static Object *suspended_java;
static void suspendable(Thread *self, int number) {
    Object *identity = crew_identity(self);
    __atomic_store_n(&suspended_java, identity, __ATOMIC_SEQ_CST);
    work_by_table(self, number);
    crew_forget(self);
}
static void suspend_holds_one_thread(void **state) {
    (void)state;
    CrewMember crew[1];
    suspended_java = NULL;
    crew_start(crew, 1, suspendable);
    while (!__atomic_load_n(&suspended_java, __ATOMIC_SEQ_CST) || work[0] == 0) crew_pause(main_thread, 100);
    for (int i = 0; i < 50; i++) {
        thread_suspend(main_thread, suspended_java);
        uint64_t at = work[0];
        if (i % 10 == 0) {  // a stop in between must not resume it
            safepoint_stop(main_thread, "test");
            safepoint_resume(main_thread);
        }
        crew_pause(main_thread, 1000);
        assert_int_equal(work[0], at);
        thread_resume(main_thread, suspended_java);
        while (work[0] == at) crew_pause(main_thread, 50);
    }
    quit = true;
    crew_join(main_thread, crew, 1);
    free(suspended_java);
}

// The callers' callee-saved registers are published inside the region and until the thread has left it.
enum { REGISTERS = 6 };

// Calls thread_run_safe(self, state, fn, arg) with the callee-saved registers set to the complements of `complements`,
// so that the values themselves are nowhere in memory.
__attribute__((naked, noinline)) static void run_with_registers(__attribute__((unused)) Thread *self,
                                                                __attribute__((unused)) uint32_t state,
                                                                __attribute__((unused)) ThreadSafeFn *fn,
                                                                __attribute__((unused)) void *arg,
                                                                __attribute__((unused)) const uintptr_t *complements) {
    __asm__ volatile(
        "pushq %rbp\n\tpushq %rbx\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n\tpushq %r15\n\tsubq $8, %rsp\n\t"
        "movq (%r8), %rbp\n\tmovq 8(%r8), %rbx\n\tmovq 16(%r8), %r12\n\t"
        "movq 24(%r8), %r13\n\tmovq 32(%r8), %r14\n\tmovq 40(%r8), %r15\n\t"
        "notq %rbp\n\tnotq %rbx\n\tnotq %r12\n\tnotq %r13\n\tnotq %r14\n\tnotq %r15\n\t"
        "call thread_run_safe\n\t"
        "addq $8, %rsp\n\tpopq %r15\n\tpopq %r14\n\tpopq %r13\n\tpopq %r12\n\tpopq %rbx\n\tpopq %rbp\n\tret");
}

__attribute__((noinline, no_sanitize_address)) static int published(const Thread *t, const uintptr_t *complements) {
    int found = 0;
    for (int i = 0; i < REGISTERS; i++)
        for (uintptr_t *p = t->published_sp; p < (uintptr_t *)t->c_stack_base; p++)
            if (~*p == complements[i]) {
                found++;
                break;
            }
    return found;
}

typedef struct Region {
    uintptr_t complements[REGISTERS];
    _Atomic bool entered, stopped;
    int inside, leaving;
} Region;
static Region region;

// Returns while the world is stopped, so the rest of the transition waits.
static void in_region(void *arg) {
    (void)arg;
    region.inside = published(main_thread, region.complements);
    atomic_store(&region.entered, true);
    while (!atomic_load(&region.stopped)) continue;
    __asm__ volatile("" : : : "rbx", "r12", "r13", "r14", "r15", "memory");
}

static void stop_while_leaving(Thread *self, int number) {
    (void)number;
    while (!atomic_load(&region.entered)) thread_poll(self);
    safepoint_stop(self, "test");
    atomic_store(&region.stopped, true);
    usleep(20000);
    region.leaving = published(main_thread, region.complements);
    safepoint_resume(self);
}

static void registers_are_published(void **state) {
    (void)state;
    CrewMember crew[1];
    uintptr_t seed = (uintptr_t)thread_now() | 1;
    static const uint32_t states[] = {THREAD_NATIVE, THREAD_BLOCKED, THREAD_PAUSED};
    for (int s = 0; s < 3; s++) {
        void *outer = main_thread->published_sp;
        region = (Region){.inside = 0};
        for (int i = 0; i < REGISTERS; i++) region.complements[i] = seed * (uintptr_t)(2 * (i + 6 * s) + 3);
        crew_start(crew, 1, stop_while_leaving);
        run_with_registers(main_thread, states[s], in_region, NULL, region.complements);
        crew_join(main_thread, crew, 1);
        assert_int_equal(region.inside, REGISTERS);
        assert_int_equal(region.leaving, REGISTERS);
        assert_ptr_equal(main_thread->published_sp, outer);
    }
}

static void a_wake_before_the_block_counts(void **state) {
    (void)state;
    thread_wake(main_thread);
    assert_true(thread_block(main_thread, THREAD_FOREVER));
    int64_t begin = thread_now();
    assert_false(thread_block(main_thread, thread_deadline(3000000)));
    assert_true(thread_now() - begin >= 3000000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(registers_are_published, setup),
        cmocka_unit_test_setup(a_wake_before_the_block_counts, setup),
        cmocka_unit_test_setup(polling_threads_stop, setup),
        cmocka_unit_test_setup(interpreting_threads_stop, setup),
        cmocka_unit_test_setup(native_threads_stop_at_the_border, setup),
        cmocka_unit_test_setup(blocked_threads_stay_blocked, setup),
        cmocka_unit_test_setup(stops_exclude_each_other, setup),
        cmocka_unit_test_setup(threads_come_and_go_during_stops, setup),
        cmocka_unit_test_setup(dispatch_tables_follow, setup),
        cmocka_unit_test_setup(suspend_holds_one_thread, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
