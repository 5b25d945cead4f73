// ASSERT (base/invariant.h): a false assertion reports and aborts where assertions are on; nothing is evaluated where
// they are off.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/invariant.h"

static int evaluated;
static bool holds(bool answer) {
    evaluated++;
    return answer;
}

static void true_ones_pass(void **state) {
    (void)state;
    evaluated = 0;
    ASSERT(holds(true), "never printed %d", evaluated);
    assert_int_equal(evaluated, ASSERTIONS ? 1 : 0);
}

// Output and exit of a child process with a false assertion.
static void false_ones_abort(void **state) {
    (void)state;
    int ends[2], status;
    char text[512] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        ASSERT(holds(false), "%d of %s", 42, "something");
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < sizeof text - 1 && (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
        n += (size_t)got;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!ASSERTIONS) {
        assert_int_equal(n, 0);
        assert_true(WIFEXITED(status));
        return;
    }
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(strstr(text, "invariant_test.c:"));
    assert_non_null(strstr(text, "false_ones_abort: assertion failed: holds(false): 42 of something"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(true_ones_pass), cmocka_unit_test(false_ones_abort)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
