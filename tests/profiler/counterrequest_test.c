/* The option events= (profiler/analyses/counterrequest.c), and the kernel's figures of threads
 * (profiler/concurrency/systemfigures.c) in files that are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "profiler/analyses/counterrequest.h"
#include "profiler/concurrency/systemfigures.h"

static char error[500];

static CounterRequest parsed(const char *text) {
    CounterRequest r;
    if (!counterrequest_parse(&r, text, error, sizeof error)) fail_msg("%s: %s", text, error);
    return r;
}

static void refused(const char *text, const char *why) {
    CounterRequest r;
    *error = '\0';
    assert_false(counterrequest_parse(&r, text, error, sizeof error));
    if (!strstr(error, why)) fail_msg("%s: \"%s\" lacks \"%s\"", text, error, why);
}

static void test_names_and_periods(void **state) {
    (void)state;
    CounterRequest r = parsed(COUNTERREQUEST_DEFAULT);
    assert_true(r.wanted[COUNTER_cycles] && r.wanted[COUNTER_instructions] && r.wanted[COUNTER_cache_misses]);
    assert_false(r.wanted[COUNTER_page_faults]);
    assert_int_equal(r.period[COUNTER_cycles], 1000000);
    r = parsed("page-faults/30,task-clock/2m,context-switches,cycles/0");
    assert_int_equal(r.period[COUNTER_page_faults], 30);
    assert_int_equal(r.period[COUNTER_task_clock], 2 << 20);
    assert_int_equal(r.period[COUNTER_context_switches], 0);
    assert_true(r.wanted[COUNTER_cycles]);
    assert_int_equal(r.period[COUNTER_cycles], 0);
}

static void test_text_reads_back(void **state) {
    (void)state;
    char text[COUNTERREQUEST_TEXT], again[COUNTERREQUEST_TEXT];
    static const char every[] = "cycles/100000,instructions,cache-references,cache-misses,branches,branch-misses,"
                                "task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations";
    CounterRequest r = parsed(every);
    for (int id = 0; id < COUNTERS; id++) assert_true(r.wanted[id]);
    counterrequest_text(&r, text);
    r = parsed(text);
    counterrequest_text(&r, again);
    assert_string_equal(text, again);
    assert_non_null(strstr(text, "cycles/100000,"));
    assert_non_null(strstr(text, "cpu-migrations/0"));
}

static void test_malformed(void **state) {
    (void)state;
    refused("", "a counter is missing");
    refused("cycles,", "a counter is missing");
    refused("/5", "a counter is missing");
    refused("cycle", "did you mean cycles?");
    refused("cycles,cycles/5", "cycles is named twice");
    refused("page-faults/", "the period is a number");
    refused("page-faults/-1", "the period is a number");
    refused("page-faults/1x", "the period is a number");
    refused("page-faults/99999999999999999999", "the period is a number");
    refused("cycles/99999", "fewer than 100000");
    refused("page-faults/1", "fewer than 8");
    refused("task-clock/1", "fewer than 100000");
    refused("context-switches/1", "would wake the thread");
    refused("cpu-migrations/1000", "would wake the thread");
}

static void explained(enum CounterId id, int number, int paranoid, const char *why) {
    counterrequest_explain(id, number, paranoid, error, sizeof error);
    if (!strstr(error, why)) fail_msg("\"%s\" lacks \"%s\"", error, why);
    assert_memory_equal(error, counterrequest_name(id), strlen(counterrequest_name(id)));
}

static void test_reasons_of_the_system(void **state) {
    (void)state;
    explained(COUNTER_cycles, ENOENT, 2, "this machine has no such hardware counter");
    explained(COUNTER_cache_misses, EOPNOTSUPP, 2, "this machine has no such hardware counter");
    explained(COUNTER_cycles, EACCES, 3, "perf_event_paranoid is 3, and must be 2 or less");
    explained(COUNTER_context_switches, EACCES, 2, "perf_event_paranoid is 2, and must be 1 or less");
    explained(COUNTER_context_switches, EACCES, 2, "The analysis threads has switches without it");
    explained(COUNTER_page_faults, ENOSYS, 2, "no perf_event_open");
    explained(COUNTER_page_faults, EMFILE, 2, "Too many open files");
    char small[8];
    counterrequest_explain(COUNTER_cycles, ENOENT, 2, small, sizeof small);
    assert_string_equal(small, "cycles:");
}

/* ---- figures of the kernel ---- */

static char directory[] = "/tmp/systemfiguresXXXXXX";

static void write_file(int os_id, const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%d", directory, os_id);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%d/%s", directory, os_id, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command);
}

static void test_figures(void **state) {
    (void)state;
    SystemFigures f;
    write_file(1, "status", "Name:\tx\nvoluntary_ctxt_switches:\t17\nnonvoluntary_ctxt_switches:\t4\n");
    write_file(1, "sched", "x (1, #threads: 1)\n---\nse.nr_migrations      :      9\n");
    write_file(1, "schedstat", "100 250 3\n");
    systemfigures_read(&f, directory, 1);
    assert_true(f.known && f.has_migrations);
    assert_int_equal(f.voluntary, 17);
    assert_int_equal(f.involuntary, 4);
    assert_int_equal(f.migrations, 9);
    assert_int_equal(f.queued_ns, 250);
}

static void test_figures_that_are_missing(void **state) {
    (void)state;
    SystemFigures f;
    systemfigures_read(&f, directory, 77);
    assert_false(f.known);
    write_file(2, "status", "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t6\n");
    systemfigures_read(&f, directory, 2);
    assert_true(f.known);
    assert_false(f.has_migrations);
    assert_int_equal(f.involuntary, 6);
    write_file(3, "status", "voluntary_ctxt_switches:\nnonvoluntary_ctxt_switches");
    write_file(3, "schedstat", "no numbers");
    systemfigures_read(&f, directory, 3);
    assert_false(f.known);
    assert_int_equal(f.queued_ns, 0);
}

static void test_figures_of_this_thread(void **state) {
    (void)state;
    SystemFigures before, after;
    systemfigures_read(&before, "/proc/self/task", gettid());
    for (int i = 0; i < 50; i++) usleep(100);
    systemfigures_read(&after, "/proc/self/task", gettid());
    assert_true(before.known && after.known);
    assert_true(after.voluntary >= before.voluntary + 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_periods),
        cmocka_unit_test(test_text_reads_back),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_reasons_of_the_system),
        cmocka_unit_test(test_figures),
        cmocka_unit_test(test_figures_that_are_missing),
        cmocka_unit_test(test_figures_of_this_thread),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
