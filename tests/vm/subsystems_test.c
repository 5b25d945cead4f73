// The table of subsystems: checks of its rows that need no Java. tests/run/fork runs it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "gc/heap.h"
#include "vm/boot/subsystems.h"
#include "vm/objects/symbol.h"
#include "vm/threads/threadbackend.h"

static size_t row_of(const char *name) {
    for (size_t i = 0; i < subsystem_count; i++)
        if (strcmp(subsystems[i].name, name) == 0) return i;
    fail_msg("no row %s", name);
    return 0;
}

static void names_are_unique(void **state) {
    (void)state;
    for (size_t i = 0; i < subsystem_count; i++) assert_int_equal(row_of(subsystems[i].name), i);
}

// Both processes release the locks taken before a fork.
static void locks_are_given_back(void **state) {
    (void)state;
    for (size_t i = 0; i < subsystem_count; i++) {
        const Subsystem *s = &subsystems[i];
        if (s->before_fork && (!s->after_fork_parent || !s->after_fork_child)) fail_msg("%s keeps its locks", s->name);
        if (s->after_fork_parent && !s->before_fork) fail_msg("%s gives back what it has not taken", s->name);
    }
}

// Orders on which more than one file relies. For example, waking a thread needs a backend, the collector needs a heap,
// and both need the signals that they mask.
static void the_order_is_kept(void **state) {
    (void)state;
    static const char *const orders[][2] = {{"log", "options"},
                                            {"options", "java_home"},
                                            {"thread_backend", "threads"},
                                            {"exit_hooks", "compiler"},
                                            {"exit_hooks", "profile"},
                                            {"profiler_threads", "exit_hooks"},
                                            {"perf", "exit_hooks"},
                                            {"signals", "threads"},
                                            {"threads", "heap"},
                                            {"heap", "green"},
                                            {"heap", "main_thread"},
                                            {"main_thread", "loaders"},
                                            {"loaders", "class_library"},
                                            {"class_library", "perfdata"},
                                            {"class_library", "attach"}};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        assert_true(row_of(orders[i][0]) < row_of(orders[i][1]));
}

// Takes all locks twice, in the table's order. A lock that is not released, or that two rows take, would hang.
static void locks_can_be_taken_again(void **state) {
    (void)state;
    if (!threads.backend) thread_use_backend(&thread_backend_native, false);
    symbol_intern("first use", 9);
    alarm(20);
    for (int round = 0; round < 2; round++) {
        for (size_t i = subsystem_count; i-- > 0;)
            if (subsystems[i].before_fork) subsystems[i].before_fork();
        for (size_t i = 0; i < subsystem_count; i++)
            if (subsystems[i].after_fork_parent) subsystems[i].after_fork_parent();
    }
    alarm(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(locks_are_given_back),
        cmocka_unit_test(the_order_is_kept),
        cmocka_unit_test(locks_can_be_taken_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
