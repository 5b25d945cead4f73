// The comparison of transport=tee (profiler/control/tee.h): every row that one side lacks or counts otherwise is a
// difference.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "profiler/control/control_internal.h"
#include "profiler/control/tee.h"

static Request request;

static void call(Tee *t, uint32_t method, int times) {
    for (int i = 0; i < times; i++) {
        t->events.method_entry->fn(t->events.method_entry, method);
        t->events.call_edge->fn(t->events.call_edge, 1, 7, method);
    }
}

static void differences_are_counted(void **state) {
    (void)state;
    Table tables[ANALYSIS_COUNT];
    request.analysis[ANALYSIS_method_count] = request.analysis[ANALYSIS_call_edge] = true;
    profilers[PROFILE_OF_EVENTS].request = &request;
    Tee *t = tee_new(&profilers[PROFILE_OF_EVENTS], 1, "main");
    assert_non_null(t);
    for (uint32_t method = 2; method < 5; method++) call(t, method, (int)method);
    uint64_t lost = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        tables[a] = (Table){0};
        if (!request.analysis[a]) continue;
        analysis_table[a]->collect(t->states.of[a], &tables[a], &lost);
        table_combine(&tables[a]);
        assert_int_equal(tables[a].count, 3);
    }
    assert_int_equal(tee_compare(t, &request, tables), 0);
    tables[ANALYSIS_method_count].rows[1].count++;
    assert_int_equal(tee_compare(t, &request, tables), 1);
    tables[ANALYSIS_call_edge].count--;
    assert_int_equal(tee_compare(t, &request, tables), 2);
    tables[ANALYSIS_method_count].rows[0].key[0] = 1;  // each side has a row that the other lacks
    assert_int_equal(tee_compare(t, &request, tables), 4);
    call(t, 9, 1);
    assert_int_equal(tee_compare(t, &request, tables), 6);
    for (int a = 0; a < ANALYSIS_COUNT; a++) table_free(&tables[a]);
    tee_free(t);
    tee_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(differences_are_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
