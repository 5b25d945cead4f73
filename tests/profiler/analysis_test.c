/* The analyses and the tables they produce (profiler/analyses/method_count.c, call_edge.c, field_access.c, branch.c,
 * table.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/analyses/analysis.h"
#include "profiler/analyses/sitecounts.h"

static AnalysisSettings settings = {.recursion = 1, .nodes_left = 1 << 20};
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
        if (t->rows[i].key[0] == k0 && t->rows[i].key[1] == k1 && t->rows[i].key[2] == k2) return t->rows[i].count;
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
    void *s = a->thread_new(&settings);
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
    void *s = a->thread_new(&settings);
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
    for (uint32_t i = 0; i < SITES; i += 997) assert_int_equal(count_at(&t, i / 10, 3 * (i % 10), i % 13), 3);
    for (uint32_t c = 0; c < CALLER_COUNT; c++)
        assert_int_equal(count_at(&t, EVENT_PSEUDO(c), (uint32_t)EVENT_NO_BCI, 5), 1);
    table_free(&t);
    a->thread_free(s);
}

static void last_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field, uint32_t kind,
                        uintptr_t object, uintptr_t address) {
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
    void *s = a->thread_new(&settings);
    for (uint32_t field = 0; field < 50000; field += 3)
        for (uint32_t n = 0; n < 5; n++) access_field(a, s, field, n > field % 5);
    access_field(a, s, 7, 2); /* no such kind */
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

/* Two-way branches, and a switch with a large number of cases. */
static void counts_branches(void **state) {
    (void)state;
    const Analysis *a = &analysis_branch;
    void *s = a->thread_new(&settings);
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
    for (uint32_t c = 0; c < CASES; c += 101) assert_int_equal(count_at(&t, SITES, 70, c), c % 3 + 1);
    table_free(&t);
    a->thread_free(s);
}

/* The last sink of a chain; ignores the event. */
static void last_value(const EventSink_value *sink, uint32_t method, int32_t bci, uint64_t value) {
    (void)sink, (void)method, (void)bci, (void)value;
}

static uint64_t count_of(const Table *t, uint64_t rest, uint64_t value) {
    for (size_t i = 0; i < t->count; i++)
        if (t->rows[i].key[4] == rest && t->rows[i].key[5] == value) return t->rows[i].count;
    return 0;
}

/* 7 is every second value; no value in between repeats. A place has room for 49 of those and frees it in a flush;
 * its result has at most 50 values, and a row that counts the rest. */
static void keeps_frequent_values(void **state) {
    (void)state;
    const Analysis *a = &analysis_value;
    void *values = a->thread_new(&settings);
    EventSink_value sinks[2] = {{a->on_value, values}, {last_value, NULL}};
    for (uint64_t i = 0; i < 3000; i++) sinks->fn(sinks, 3, 5, i % 2 ? 1000 + i : 7);
    Table t = {0};
    uint64_t lost = 0;
    a->collect(values, &t, &lost);
    table_combine(&t);
    assert_int_equal(lost, 0);
    assert_int_equal(table_total(&t), 3000);
    assert_int_equal(count_of(&t, 0, 7), 1500);
    assert_int_equal(count_of(&t, 0, 1001), 1);
    assert_true(t.count <= 51);
    assert_int_equal(count_of(&t, 1, 0), 3000 - 1500 - (t.count - 2));
    for (uint64_t i = 0; i < 100; i++) table_add(&t, &(TableRow){.key = {3, 5, 0, 0, 0, i}, .count = i + 2});
    table_combine(&t);
    uint64_t all = table_total(&t);
    a->reduce(&t);
    assert_int_equal(t.count, 51);
    assert_int_equal(table_total(&t), all);
    assert_int_equal(count_of(&t, 0, 7), 1509);
    assert_int_equal(count_of(&t, 0, 99), 101);
    table_free(&t);
    a->thread_free(values);
}

static void events_wanted(void **state) {
    (void)state;
    assert_int_equal(analysis_events(&analysis_method_count), EVENT_BIT(EVENT_method_entry));
    assert_int_equal(analysis_events(&analysis_call_edge), EVENT_BIT(EVENT_call_edge));
    assert_int_equal(analysis_events(&analysis_field_access), EVENT_BIT(EVENT_field_access));
    assert_int_equal(analysis_events(&analysis_branch), EVENT_BIT(EVENT_branch));
}

static void empty_states(void **state) {
    (void)state;
    AnalysisSettings own = {.recursion = 1, .nodes_left = 1 << 20, .cache = cacheconfig_default};
    for (int i = 0; i < ANALYSIS_COUNT; i++) {
        void *s = analysis_table[i]->thread_new(&own);
        Table t = collected(analysis_table[i], s, 0);
        assert_int_equal(t.count, 0);
        table_free(&t);
        analysis_table[i]->thread_free(s);
    }
}

/* Every place and pseudo-caller has a distinct site, which is not 0. */
static void sites_differ(void **state) {
    (void)state;
    for (uint32_t a = 0; a < CALLER_COUNT; a++)
        for (uint32_t b = 0; b < CALLER_COUNT; b++)
            assert_int_equal(sitecounts_site(EVENT_PSEUDO(a), EVENT_NO_BCI) ==
                                 sitecounts_site(EVENT_PSEUDO(b), EVENT_NO_BCI),
                             a == b);
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

/* The result equals table_combine of both: rows in both tables, new rows before, between and after, and a row that
 * cancels out. */
static void tables_merge(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        Table to = {.keep_empty = keep}, from = {0}, all = {.keep_empty = keep};
        for (uint64_t i = 0; i < 40; i++) {
            TableRow a = {.key = {10 + i * 3}, .count = i + 1}, b = {.key = {i * 4}, .count = i % 7 + 1};
            if (b.key[0] == 40) b.count = (uint64_t)-11;  // cancels row 40 of the other
            table_add(&to, &a);
            table_add(&from, &b);
        }
        table_add_all(&all, &to);
        table_add_all(&all, &from);
        table_combine(&all);
        table_combine(&to);
        table_combine(&from);
        table_reserve(&to, to.count + from.count);
        table_merge(&to, &from);
        assert_int_equal(to.count, all.count);
        assert_memory_equal(to.rows, all.rows, all.count * sizeof *all.rows);
        size_t rows = to.count;
        uint64_t total = table_total(&to);
        from.count = 1;  // an existing row
        table_merge(&to, &from);
        assert_int_equal(to.count, rows);
        assert_int_equal(table_total(&to), total + from.rows[0].count);
        table_merge(&to, &(Table){0});
        assert_int_equal(to.count, rows);
        table_free(&to);
        table_free(&from);
        table_free(&all);
    }
}

static void last_exit(const EventSink_method_exit *sink, uint32_t method) {
    (void)sink, (void)method;
    passed_on++;
}

static void last_unwind(const EventSink_method_unwind *sink, uint32_t method) {
    (void)sink, (void)method;
    passed_on++;
}

static void last_taken(const EventSink_stack_taken *sink, uint64_t thread) { (void)sink, (void)thread; }
static void last_frame(const EventSink_stack_frame *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    (void)sink, (void)caller, (void)bci, (void)callee;
}

/* ---- call trees against a reference that keeps every call path whole ---- */

enum { TREE_METHODS = 7, TREE_EVENTS = 30000, TREE_DEEPEST = 60, MOST_WAYS = 20000 };

typedef struct Step {
    uint32_t caller, callee;
    int32_t bci;
} Step;

/* A path from the root as in the tree, or a method and its calls. */
typedef struct Way {
    Step steps[TREE_DEEPEST + 2];
    uint32_t length;
    uint64_t count;
} Way;

static uint64_t *count_of_way(Way *ways, uint32_t *count, const Step *steps, uint32_t length) {
    for (uint32_t i = 0; i < *count; i++)
        if (ways[i].length == length && memcmp(ways[i].steps, steps, length * sizeof *steps) == 0)
            return &ways[i].count;
    assert_true(*count < MOST_WAYS);
    Way *w = &ways[(*count)++];
    *w = (Way){.length = length};
    memcpy(w->steps, steps, length * sizeof *steps);
    return &w->count;
}

/* Fills in the path to a row of a tree from its parents' rows; returns its length. */
static uint32_t way_to(const Table *t, const TableRow *row, Step *steps) {
    uint32_t length = 0;
    const TableRow *at = row;
    for (;;) {
        length++;
        if (!at->key[1]) break;
        const TableRow *parent = NULL;
        for (size_t i = 0; i < t->count && !parent; i++)
            if (t->rows[i].key[0] == at->key[1]) parent = &t->rows[i];
        assert_non_null(parent);
        at = parent;
    }
    at = row;
    for (uint32_t i = length; i-- > 0;) {
        steps[i] = (Step){(uint32_t)at->key[2], (uint32_t)at->key[4], (int32_t)(uint32_t)at->key[3]};
        for (size_t k = 0; i > 0 && k < t->count; k++)
            if (t->rows[k].key[0] == at->key[1]) {
                at = &t->rows[k];
                break;
            }
    }
    return length;
}

static void expect_ways(const Table *t, Way *ways, uint32_t count) {
    Step steps[TREE_DEEPEST + 2];
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += ways[i].count;
    assert_int_equal(table_total(t), total);
    for (size_t i = 0; i < t->count; i++) {
        memset(steps, 0, sizeof steps);
        uint32_t before = count, length = way_to(t, &t->rows[i], steps);
        assert_int_equal(*count_of_way(ways, &count, steps, length), t->rows[i].count);
        if (t->rows[i].count) assert_int_equal(count, before);
        count = before;
    }
}

static void leave(const Analysis *a, void *state, uint32_t method, bool thrown) {
    EventSink_method_exit exits[2] = {{a->on_method_exit, state}, {last_exit, NULL}};
    EventSink_method_unwind unwinds[2] = {{a->on_method_unwind, state}, {last_unwind, NULL}};
    uint64_t before = passed_on;
    if (thrown) unwinds->fn(unwinds, method);
    else exits->fn(exits, method);
    assert_int_equal(passed_on, before + 1);
}

/* The length of the prefix under which calls from the path's last method are counted. */
static uint32_t fold(Step *way, uint32_t length, uint32_t recursion) {
    uint32_t times = 0, nearest = 0;
    for (uint32_t i = 0; i < length; i++) times += way[i].callee == way[length - 1].callee;
    if (times <= recursion) return length;
    for (uint32_t i = 0; i + 1 < length; i++)
        if (way[i].callee == way[length - 1].callee) nearest = i + 1;
    return nearest;
}

static void trees_of_random_calls(uint32_t recursion, const Analysis *tree, const Analysis *subtree, uint32_t seed) {
    AnalysisSettings own = {.recursion = recursion, .nodes_left = 1 << 20};
    void *s = tree->thread_new(&own), *sub = subtree->thread_new(&own);
    Way *ways = calloc(MOST_WAYS, sizeof *ways), *sets = calloc(MOST_WAYS, sizeof *sets);
    uint32_t way_count = 0, set_count = 0;
    struct Level {
        Step way[TREE_DEEPEST + 2], calls[64];
        uint32_t length, called, method;
    } *level = calloc(TREE_DEEPEST + 2, sizeof *level);
    uint32_t depth = 0;
    for (uint32_t i = 0; i < TREE_EVENTS || depth > 0; i++) {
        seed = seed * 1103515245 + 12345;
        uint32_t r = seed >> 12;
        struct Level *top = &level[depth];
        if (i < TREE_EVENTS && depth < TREE_DEEPEST && (depth == 0 || r % 9 < 5)) {
            Step step = {depth ? top->method : EVENT_PSEUDO(CALLER_THREAD), r / 16 % TREE_METHODS + 1,
                         depth ? (int32_t)(r / 256 % 3) : EVENT_NO_BCI};
            call(tree, s, step.callee, step.caller, step.bci);
            call(subtree, sub, step.callee, step.caller, step.bci);
            bool known = false;
            for (uint32_t k = 0; k < top->called; k++) known |= memcmp(&top->calls[k], &step, sizeof step) == 0;
            if (!known && depth) top->calls[top->called++] = step;
            struct Level *next = &level[++depth];
            *next = *top;
            next->way[next->length++] = step;
            (*count_of_way(ways, &way_count, next->way, next->length))++;
            next->length = fold(next->way, next->length, recursion);
            next->called = 0;
            next->method = step.callee;
        } else {
            /* In the order of their sites, after the method itself. */
            Step set[65] = {{top->method, top->method, EVENT_NO_BCI}};
            uint32_t length = 1;
            for (uint32_t k = 0; k < top->called; k++) {
                uint32_t at = length++;
                for (; at > 1 &&
                     (set[at - 1].bci > top->calls[k].bci ||
                      (set[at - 1].bci == top->calls[k].bci && set[at - 1].callee > top->calls[k].callee));
                     at--)
                    set[at] = set[at - 1];
                set[at] = top->calls[k];
            }
            (*count_of_way(sets, &set_count, set, length))++;
            leave(tree, s, top->method, r % 3 == 0);
            leave(subtree, sub, top->method, r % 3 == 0);
            depth--;
        }
    }
    Table t = collected(tree, s, 0), u = collected(subtree, sub, 0);
    expect_ways(&t, ways, way_count);
    expect_ways(&u, sets, set_count);
    assert_int_equal(own.nodes_left < 1 << 20, 1);
    table_free(&t);
    table_free(&u);
    tree->thread_free(s);
    subtree->thread_free(sub);
    free(ways);
    free(sets);
    free(level);
}

static void trees(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 3; seed++)
        for (uint32_t recursion = 1; recursion <= 2; recursion++)
            trees_of_random_calls(recursion, &analysis_call_tree, &analysis_call_subtree, seed);
}

/* A call that gets no node is lost, with those below it; later calls are counted in the right place. */
static void trees_have_a_limit(void **state) {
    (void)state;
    AnalysisSettings own = {.recursion = 1, .nodes_left = 3};
    const Analysis *a = &analysis_call_tree;
    void *s = a->thread_new(&own);
    for (uint32_t m = 1; m <= 6; m++) call(a, s, m, m - 1, 0);
    for (uint32_t m = 6; m >= 3; m--) leave(a, s, m, false);
    call(a, s, 3, 2, 0);
    Table t = collected(a, s, 3);
    assert_int_equal(t.count, 3);
    assert_int_equal(table_total(&t), 4);
    table_free(&t);
    a->thread_free(s);
}

/* In samples, the stack rather than the preceding calls gives a call's position; this thread has no stack. */
static void trees_of_samples(void **state) {
    (void)state;
    AnalysisSettings own = {.recursion = 1, .nodes_left = 1 << 20, .sampled = true};
    const Analysis *a = &analysis_call_tree;
    void *s = a->thread_new(&own);
    for (int i = 0; i < 3; i++) {
        call(a, s, 2, 1, 4);
        call(a, s, 3, 2, 5);
        leave(a, s, 77, false);
    }
    Table t = collected(a, s, 0);
    assert_int_equal(t.count, 2);
    for (size_t i = 0; i < t.count; i++) assert_int_equal(t.rows[i].count, 3);
    table_free(&t);
    a->thread_free(s);
}

/* Frames that predate the profile are nodes with count 0; exits of other methods are ignored. */
static void trees_begin_late(void **state) {
    (void)state;
    const Analysis *a = &analysis_call_tree;
    void *s = a->thread_new(&settings);
    EventSink_stack_taken taken[2] = {{a->on_stack_taken, s}, {last_taken, NULL}};
    EventSink_stack_frame frame[2] = {{a->on_stack_frame, s}, {last_frame, NULL}};
    call(a, s, 9, 8, 7);
    taken->fn(taken, 1);
    frame->fn(frame, EVENT_PSEUDO(CALLER_THREAD), EVENT_NO_BCI, 1);
    frame->fn(frame, 1, 4, 2);
    call(a, s, 3, 2, 5);
    leave(a, s, 77, false);
    leave(a, s, 3, false);
    leave(a, s, 2, true);
    call(a, s, 3, 1, 6);
    Table t = collected(a, s, 0);
    assert_int_equal(t.count, 5);
    assert_int_equal(table_total(&t), 3);
    for (size_t i = 0; i < t.count; i++) {
        Step steps[TREE_DEEPEST + 2];
        uint32_t length = way_to(&t, &t.rows[i], steps), last = steps[length - 1].callee;
        assert_int_equal(t.rows[i].count, last == 3 || last == 9);
        if (last == 3) assert_int_equal(steps[length - 1].caller, length == 3 ? 2 : 1);
    }
    table_free(&t);
    a->thread_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_has_every_analysis),
        cmocka_unit_test(counts_methods),
        cmocka_unit_test(counts_edges),
        cmocka_unit_test(empty_states),
        cmocka_unit_test(counts_fields),
        cmocka_unit_test(counts_branches),
        cmocka_unit_test(keeps_frequent_values),
        cmocka_unit_test(events_wanted),
        cmocka_unit_test(trees),
        cmocka_unit_test(trees_have_a_limit),
        cmocka_unit_test(trees_of_samples),
        cmocka_unit_test(trees_begin_late),
        cmocka_unit_test(sites_differ),
        cmocka_unit_test(tables_add_up),
        cmocka_unit_test(tables_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
