// Growing arrays and text (base/grow.h, base/text.h), and the clocks (base/clock.h).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/text.h"

static void elements_survive_growing(void **state) {
    (void)state;
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(GROW(items, capacity, i + 1));
        assert_true(capacity > i);
        items[i] = i * UINT64_C(0x100000001);
    }
    for (uint32_t i = 0; i < 1000; i++) assert_int_equal(items[i], i * UINT64_C(0x100000001));
    assert_int_equal(capacity, 1024);
    free(items);
}

static void capacity_doubles_or_meets_the_wish(void **state) {
    (void)state;
    char *bytes = NULL;
    size_t capacity = 0;
    assert_true(GROW(bytes, capacity, 1));
    assert_int_equal(capacity, GROW_FIRST);
    assert_true(GROW(bytes, capacity, GROW_FIRST));
    assert_int_equal(capacity, GROW_FIRST);
    assert_true(GROW(bytes, capacity, GROW_FIRST + 1));
    assert_int_equal(capacity, 2 * GROW_FIRST);
    assert_true(GROW(bytes, capacity, 1000));
    assert_int_equal(capacity, 1000);
    free(bytes);
}

static void nothing_wanted_is_an_array_too(void **state) {
    (void)state;
    int *items = NULL;
    int32_t capacity = 0;
    assert_true(GROW(items, capacity, 0));
    assert_non_null(items);
    free(items);
}

static void what_cannot_be_had_leaves_the_array(void **state) {
    (void)state;
    uint64_t *items = NULL;
    uint32_t capacity = 0;
    assert_true(GROW(items, capacity, 1));
    items[0] = 7;
    uint64_t *before = items;
    assert_false(GROW(items, capacity, (uint64_t)INT32_MAX + 1));  // more than the capacity can represent
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, GROW_FIRST);
    assert_int_equal(items[0], 7);
    free(items);

    uint64_t *wide = NULL;
    size_t room = 0;
    assert_false(GROW(wide, room, SIZE_MAX / 4));  // more bytes than the address space has
    assert_null(wide);
    assert_int_equal(room, 0);
}

static void new_elements_are_zero_on_demand(void **state) {
    (void)state;
    uint32_t *items = NULL;
    uint32_t capacity = 0;
    assert_true(GROW_ZEROED(items, capacity, 5));
    for (uint32_t i = 0; i < capacity; i++) {
        assert_int_equal(items[i], 0);
        items[i] = i + 1;
    }
    uint32_t old = capacity;
    assert_true(GROW_ZEROED(items, capacity, 300));
    for (uint32_t i = 0; i < capacity; i++) assert_int_equal(items[i], i < old ? i + 1 : 0);
    free(items);
}

static void text_has_its_end(void **state) {
    (void)state;
    Text t = {0};
    text_put(&t, "", 0);
    assert_string_equal(t.at, "");
    for (int i = 0; i < 100; i++) text_put_string(&t, "ab");
    text_put(&t, "cde", 1);
    assert_int_equal(t.length, 201);
    assert_int_equal(strlen(t.at), 201);
    assert_string_equal(t.at + 198, "abc");
    free(t.at);
}

static void text_of_a_file(void **state) {
    (void)state;
    FILE *f = tmpfile();
    assert_non_null(f);
    for (int i = 0; i < 20000; i++) fputc('a' + i % 26, f);
    rewind(f);
    Text t = {0};
    assert_true(text_put_file(&t, f));
    assert_int_equal(t.length, 20000);
    for (int i = 0; i < 20000; i++) assert_int_equal(t.at[i], 'a' + i % 26);
    fclose(f);
    free(t.at);
}

static void clocks(void **state) {
    (void)state;
    int64_t begin = clock_monotonic_ns();
    int64_t cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (volatile int i = 0; i < 1000000; i++) {}
    assert_true(clock_monotonic_ns() > begin);
    assert_true(clock_ns(CLOCK_THREAD_CPUTIME_ID) > cpu);
    int64_t seconds = (int64_t)time(NULL), wall = clock_wall_ns();
    assert_true(wall / 1000000000 >= seconds - 1 && wall / 1000000000 <= seconds + 5);
    assert_int_equal(clock_ns((clockid_t)-12345), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_survive_growing),
        cmocka_unit_test(capacity_doubles_or_meets_the_wish),
        cmocka_unit_test(nothing_wanted_is_an_array_too),
        cmocka_unit_test(what_cannot_be_had_leaves_the_array),
        cmocka_unit_test(new_elements_are_zero_on_demand),
        cmocka_unit_test(text_has_its_end),
        cmocka_unit_test(text_of_a_file),
        cmocka_unit_test(clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
