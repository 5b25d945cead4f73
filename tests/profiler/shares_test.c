// Convergence of a profile made by shadows (profiler/control/shares.h). Complete shadows that agree are evidence;
// missing parts are not. The state is global to the process, so each case runs in a child.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/control/shares.h"

typedef struct Step {
    int times;
    double part;    // fraction of its length that each shadow runs; 0: it yields nothing
    uint64_t a, b;  // counts of two methods
} Step;

static void note(const Step *s) {
    if (s->part == 0) {
        shares_note_lost();
        return;
    }
    WriterThread thread = {.id = 1, .name = "main"};
    ShadowThreads t = {.threads = &thread, .count = 1};
    table_add(&thread.tables[0], &(TableRow){.key = {1}, .count = s->a});
    table_add(&thread.tables[0], &(TableRow){.key = {2}, .count = s->b});
    shares_note(&t, 0, s->part);
    table_free(&thread.tables[0]);
}

static bool converged_after(const Step *steps) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (const Step *s = steps; s->times; s++)
            for (int i = 0; i < s->times; i++) note(s);
        _exit(shares_converged());
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    return WEXITSTATUS(status);
}

#define AFTER(...) converged_after((const Step[]){__VA_ARGS__, {0, 0, 0, 0}})

static void whole_shadows_that_are_alike(void **state) {
    (void)state;
    assert_false(AFTER({9, 1, 70, 30}));
    assert_true(AFTER({10, 1, 70, 30}));
    assert_false(AFTER({5, 1, 90, 10}, {5, 1, 10, 90}));
}

static void shadows_that_end_early(void **state) {
    (void)state;
    assert_false(AFTER({1000, 0.02, 70, 30}));
    assert_false(AFTER({1000, 0.9, 70, 30}));  // a tenth is missing
    assert_false(AFTER({20, 1, 70, 30}, {20, 0.5, 70, 30}));
    assert_true(AFTER({100, 1, 70, 30}, {1, 0.5, 70, 30}));
    assert_true(AFTER({1000, 0.99, 70, 30}, {10, 1, 70, 30}));
}

static void shadows_that_give_nothing(void **state) {
    (void)state;
    assert_false(AFTER({1000, 0, 0, 0}));
    assert_false(AFTER({20, 1, 70, 30}, {20, 0, 0, 0}));
    assert_true(AFTER({200, 1, 70, 30}, {1, 0, 0, 0}, {40, 1, 70, 30}));
}

// The program has changed: from now on its shadows end early.
static void shadows_that_end_early_from_now_on(void **state) {
    (void)state;
    assert_true(AFTER({10000, 1, 70, 30}));
    assert_false(AFTER({10000, 1, 70, 30}, {20, 0.1, 70, 30}));
    assert_true(AFTER({10000, 1, 70, 30}, {20, 0.1, 70, 30}, {200, 1, 70, 30}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_shadows_that_are_alike),
        cmocka_unit_test(shadows_that_end_early),
        cmocka_unit_test(shadows_that_give_nothing),
        cmocka_unit_test(shadows_that_end_early_from_now_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
