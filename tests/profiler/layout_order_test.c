/* Field orders that a profile suggests (profiler/tool/advise/prof_layout.c): a pure function, so the expected
 * results are written out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "profiler/tool/advise/prof_layout.h"

enum { MOST = 20 };
static uint64_t together[MOST * MOST];
static size_t order[MOST];

static void pair(size_t count, size_t a, size_t b, uint64_t times) {
    together[a * count + b] = together[b * count + a] = times;
}

static void expect_order(const LayoutUse *fields, size_t count, const char *letters) {
    char got[MOST + 1] = "";
    size_t n = prof_layout_order(fields, together, count, order);
    for (size_t i = 0; i < n; i++) got[i] = (char)('a' + order[i]);
    got[n] = 0;
    assert_string_equal(got, letters);
    memset(together, 0, sizeof together);
}

// Without pairs: ordered by accesses, ties by index; fields that are rarely or never accessed are left out.
static void hot_ones_come_first(void **state) {
    (void)state;
    const LayoutUse fields[] = {{10, 8}, {500, 4}, {0, 8}, {1000, 8}, {500, 1}, {9, 4}};
    expect_order(fields, 6, "dbea");
    expect_order(fields, 0, "");
    const LayoutUse none[] = {{0, 8}, {0, 4}};
    expect_order(none, 2, "");
}

// c is accessed less than b, but together with a.
static void those_used_together_are_neighbours(void **state) {
    (void)state;
    const LayoutUse fields[] = {{1000, 8}, {600, 8}, {500, 8}};
    expect_order(fields, 3, "abc");
    pair(3, 0, 2, 500);
    expect_order(fields, 3, "acb");
    // Two groups: the partner of the second group's first field comes before the rest of the first.
    const LayoutUse groups[] = {{1000, 8}, {900, 8}, {900, 8}, {800, 8}};
    pair(4, 0, 2, 900);
    pair(4, 1, 3, 800);
    expect_order(groups, 4, "acbd");
}

// A pair beyond a cache line has no attraction: j is used with a, but seven fields lie between them.
static void distance_counts(void **state) {
    (void)state;
    LayoutUse fields[10];
    for (int i = 0; i < 10; i++) fields[i] = (LayoutUse){(uint64_t)(1000 - i), 8};
    fields[9].accesses = 400;
    pair(10, 0, 9, 300);
    expect_order(fields, 10, "abcdefghij");
    fields[9].accesses = 900;
    pair(10, 0, 9, 300);
    expect_order(fields, 10, "ajbcdefghi");
}

// For any counts: each field at most once, the most accessed first, no cold ones.
static void random_profiles(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 2000; round++) {
        LayoutUse fields[MOST];
        size_t count = splitmix_next(&seed) % MOST;
        uint64_t most = 0;
        for (size_t i = 0; i < count; i++) {
            fields[i] = (LayoutUse){splitmix_next(&seed) >> splitmix_next(&seed) % 64, 1u << splitmix_next(&seed) % 4};
            if (fields[i].accesses > most) most = fields[i].accesses;
        }
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < i; k++) pair(count, i, k, splitmix_next(&seed) >> splitmix_next(&seed) % 64);
        size_t n = prof_layout_order(fields, together, count, order);
        bool seen[MOST] = {false};
        assert_true(n <= count);
        assert_true(n > 0 || most == 0);
        if (n) assert_true(fields[order[0]].accesses == most);
        for (size_t i = 0; i < n; i++) {
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
            assert_true(fields[order[i]].accesses >= most / 100);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hot_ones_come_first),
        cmocka_unit_test(those_used_together_are_neighbours),
        cmocka_unit_test(distance_counts),
        cmocka_unit_test(random_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
