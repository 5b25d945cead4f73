/* The analyses and the tables they hand over (profiler/analyses/method_count.c, call_edge.c,
 * field_access.c, branch.c, table.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

static uint64_t passed_on;

static void last_entry(const EventSink_method_entry *sink, uint32_t method) {
    (void)sink, (void)method;
    passed_on++;
}

static void enter(const Analysis *a, void *state, uint32_t method) {
    EventSink_method_entry sinks[2] = {{a->on_method_entry, state}, {last_entry, NULL}};
    uint64_t before = passed_on;
    sinks->fn(sinks, method);
    assert_int_equal(passed_on, before + 1);
}

static void last_call(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    (void)sink, (void)callee, (void)caller, (void)bci;
    passed_on++;
}

static void call(const Analysis *a, void *state, uint32_t callee, uint32_t caller, int32_t bci) {
    EventSink_call_edge sinks[2] = {{a->on_call_edge, state}, {last_call, NULL}};
    uint64_t before = passed_on;
    sinks->fn(sinks, caller, bci, callee);
    assert_int_equal(passed_on, before + 1);
}

static Table collected(const Analysis *a, void *state, uint64_t want_lost) {
    Table t = {0};
    uint64_t lost = 0;
    a->collect(state, &t, &lost);
    table_combine(&t);
    assert_int_equal(lost, want_lost);
    assert_false(t.failed);
    return t;
}

static uint64_t count_at(const Table *t, uint64_t k0, uint64_t k1, uint64_t k2) {
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].key[0] == k0 && t->rows[i].key[1] == k1 && t->rows[i].key[2] == k2)
            return t->rows[i].count;
    return 0;
}

static void table_has_every_analysis(void **state) {
    (void)state;
#define ANALYSIS(id, text, word, help) assert_string_equal(analysis_table[ANALYSIS_##id]->name, text);
#include "profiler/analyses/analyses.def"
}

static void counts_methods(void **state) {
    (void)state;
    const Analysis *a = &analysis_method_count;
    void *s = a->thread_new();
    for (uint32_t id = 0; id < 100000; id += 7)
        for (uint32_t n = 0; n <= id % 5; n++) enter(a, s, id);
    Table t = collected(a, s, 0);
    for (uint32_t id = 0; id < 100000; id++)
        if (id % 7 == 0) assert_int_equal(count_at(&t, id, 0, 0), id % 5 + 1);
    assert_int_equal(t.count, 100000 / 7 + 1);
    table_free(&t);
    a->thread_free(s);
}

/* The table grows several times. */
static void counts_edges(void **state) {
    (void)state;
    const Analysis *a = &analysis_call_edge;
    void *s = a->thread_new();
    enum { SITES = 20000 };
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < SITES; i++) {
            call(a, s, i % 13, i / 10, (int32_t)(3 * (i % 10)));
            if (i % 4 == 0) call(a, s, 1000 + i % 3, i / 10, (int32_t)(3 * (i % 10)));
        }
    for (uint32_t c = 0; c < CALLER_COUNT; c++) call(a, s, 5, EVENT_PSEUDO(c), EVENT_NO_BCI);
    Table t = collected(a, s, 0);
    assert_int_equal(t.count, SITES + SITES / 4 + CALLER_COUNT);
    assert_int_equal(table_total(&t), 3 * (SITES + SITES / 4) + CALLER_COUNT);
    for (uint32_t i = 0; i < SITES; i += 997)
        assert_int_equal(count_at(&t, i / 10, 3 * (i % 10), i % 13), 3);
    for (uint32_t c = 0; c < CALLER_COUNT; c++)
        assert_int_equal(count_at(&t, EVENT_PSEUDO(c), (uint32_t)EVENT_NO_BCI, 5), 1);
    table_free(&t);
    a->thread_free(s);
}

static void last_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                        uint32_t kind, uintptr_t object, uintptr_t address) {
    (void)sink, (void)method, (void)bci, (void)field, (void)kind, (void)object, (void)address;
    passed_on++;
}

static void access_field(const Analysis *a, void *state, uint32_t field, uint32_t kind) {
    EventSink_field_access sinks[2] = {{a->on_field_access, state}, {last_access, NULL}};
    uint64_t before = passed_on;
    sinks->fn(sinks, 1, 0, field, kind, 0, 0);
    assert_int_equal(passed_on, before + 1);
}

static void counts_fields(void **state) {
    (void)state;
    const Analysis *a = &analysis_field_access;
    void *s = a->thread_new();
    for (uint32_t field = 0; field < 50000; field += 3)
        for (uint32_t n = 0; n < 5; n++) access_field(a, s, field, n > field % 5);
    access_field(a, s, 7, 2);  /* no such kind */
    access_field(a, s, UINT32_MAX, 0);
    Table t = collected(a, s, 2);
    assert_int_equal(table_total(&t), (50000 / 3 + 1) * 5);
    for (uint32_t field = 0; field < 50000; field++) {
        assert_int_equal(count_at(&t, field, 0, 0), field % 3 ? 0 : field % 5 + 1);
        assert_int_equal(count_at(&t, field, 1, 0), field % 3 ? 0 : 4 - field % 5);
        field += field > 200 ? 96 : 0;
    }
    table_free(&t);
    a->thread_free(s);
}

static void last_branch(const EventSink_branch *sink, uint32_t method, int32_t bci, uint32_t edge) {
    (void)sink, (void)method, (void)bci, (void)edge;
    passed_on++;
}

static void branch(const Analysis *a, void *state, uint32_t method, int32_t bci, uint32_t edge) {
    EventSink_branch sinks[2] = {{a->on_branch, state}, {last_branch, NULL}};
    uint64_t before = passed_on;
    sinks->fn(sinks, method, bci, edge);
    assert_int_equal(passed_on, before + 1);
}

/* Two-way branches, and a switch with very many cases. */
static void counts_branches(void **state) {
    (void)state;
    const Analysis *a = &analysis_branch;
    void *s = a->thread_new();
    enum { SITES = 3000, CASES = 9000 };
    for (uint32_t i = 0; i < SITES; i++)
        for (uint32_t n = 0; n < 10; n++) branch(a, s, i / 8, (int32_t)(i % 8), n < i % 11);
    for (uint32_t c = 0; c < CASES; c++)
        for (uint32_t n = 0; n <= c % 3; n++) branch(a, s, SITES, 70, c);
    Table t = collected(a, s, 0);
    assert_int_equal(table_total(&t), SITES * 10 + CASES * 2);
    for (uint32_t i = 0; i < SITES; i += 37) {
        assert_int_equal(count_at(&t, i / 8, i % 8, 1), i % 11);
        assert_int_equal(count_at(&t, i / 8, i % 8, 0), 10 - i % 11);
    }
    for (uint32_t c = 0; c < CASES; c += 101)
        assert_int_equal(count_at(&t, SITES, 70, c), c % 3 + 1);
    table_free(&t);
    a->thread_free(s);
}

/* What a profile makes the VM emit. */
static void events_wanted(void **state) {
    (void)state;
    assert_int_equal(analysis_events(&analysis_method_count), EVENT_BIT(EVENT_method_entry));
    assert_int_equal(analysis_events(&analysis_call_edge), EVENT_BIT(EVENT_call_edge));
    assert_int_equal(analysis_events(&analysis_field_access), EVENT_BIT(EVENT_field_access));
    assert_int_equal(analysis_events(&analysis_branch), EVENT_BIT(EVENT_branch));
}

static void empty_states(void **state) {
    (void)state;
    for (int i = 0; i < ANALYSIS_COUNT; i++) {
        void *s = analysis_table[i]->thread_new();
        Table t = collected(analysis_table[i], s, 0);
        assert_int_equal(t.count, 0);
        table_free(&t);
        analysis_table[i]->thread_free(s);
    }
}

/* Every place and pseudo-caller has a site of its own, which is not 0. */
static void sites_differ(void **state) {
    (void)state;
    for (uint32_t a = 0; a < CALLER_COUNT; a++)
        for (uint32_t b = 0; b < CALLER_COUNT; b++)
            assert_int_equal(sitecounts_site(EVENT_PSEUDO(a), EVENT_NO_BCI)
                                 == sitecounts_site(EVENT_PSEUDO(b), EVENT_NO_BCI), a == b);
    assert_true(sitecounts_site(0, 0) != 0 && sitecounts_site(0, 0) != sitecounts_site(0, EVENT_NO_BCI));
    assert_true(sitecounts_site(1, EVENT_NO_BCI) != sitecounts_site(2, 0));
    assert_true(EVENT_PSEUDO(CALLER_COUNT) > EVENT_PSEUDO_BASE);
}

static void tables_add_up(void **state) {
    (void)state;
    Table a = {0}, b = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        table_add(&a, &(TableRow){.key = {i % 10, i % 3}, .count = i});
        table_add(&b, &(TableRow){.key = {i % 20}, .count = 1});
    }
    uint64_t total = table_total(&a) + table_total(&b);
    table_combine(&a);
    assert_int_equal(a.count, 30);
    table_add_all(&a, &b);
    table_combine(&a);
    assert_int_equal(table_total(&a), total);
    for (size_t i = 1; i < a.count; i++)
        assert_true(memcmp(a.rows[i - 1].key, a.rows[i].key, sizeof a.rows[i].key) != 0);
    table_combine(&(Table){0});
    table_free(&a);
    table_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_every_analysis), cmocka_unit_test(counts_methods),
        cmocka_unit_test(counts_edges),             cmocka_unit_test(empty_states),
        cmocka_unit_test(counts_fields),            cmocka_unit_test(counts_branches),
        cmocka_unit_test(events_wanted),
        cmocka_unit_test(sites_differ),             cmocka_unit_test(tables_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
