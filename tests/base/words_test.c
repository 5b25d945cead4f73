// Splitting of option texts into words (base/words.h).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/words.h"

static void check_words(const char *text, char separator, WordsEscape escape, const char *const *expected) {
    char *copy = strdup(text), *rest = copy;
    for (char *word; (word = words_next(&rest, separator, escape)) != NULL; expected++) {
        assert_non_null(*expected);
        assert_string_equal(word, *expected);
    }
    assert_null(*expected);
    free(copy);
}
#define WORDS(text, separator, escape, ...) \
    check_words(text, separator, escape, (const char *const[]){__VA_ARGS__, NULL})

static void words_between_separators(void **state) {
    (void)state;
    WORDS("", ',', WORDS_PLAIN, "");
    WORDS("a", ',', WORDS_PLAIN, "a");
    WORDS("a,bc,", ',', WORDS_PLAIN, "a", "bc", "");
    WORDS(",,a", ',', WORDS_PLAIN, "", "", "a");
    WORDS("a\\,b:\"c,d\"", ',', WORDS_PLAIN, "a\\", "b:\"c", "d\"");
}

static void escaped_separators(void **state) {
    (void)state;
    WORDS("a\\:b:c", ':', WORDS_BACKSLASH, "a:b", "c");
    WORDS("a\\\\:b", ':', WORDS_BACKSLASH, "a\\", "b");
    WORDS("a\\", ':', WORDS_BACKSLASH, "a\\");
    WORDS("gc:file=\"a:b\":x", ':', WORDS_QUOTES, "gc", "file=\"a:b\"", "x");
    WORDS("\"open:a", ':', WORDS_QUOTES, "\"open:a");
}

static void names_and_values(void **state) {
    (void)state;
    char with[] = "name=value=x", bare[] = "name", empty[] = "=";
    assert_string_equal(words_value(with), "value=x");
    assert_string_equal(with, "name");
    assert_null(words_value(bare));
    assert_string_equal(words_value(empty), "");
    assert_string_equal(empty, "");
}

static void numbers(void **state) {
    (void)state;
    uint64_t n;
    bool fits;
    assert_string_equal(words_number("12ms", 10, &n, &fits), "ms");
    assert_true(fits && n == 12);
    assert_string_equal(words_number("0x1F,", 0, &n, &fits), ",");
    assert_true(fits && n == 31);
    assert_string_equal(words_number("18446744073709551615", 10, &n, &fits), "");
    assert_true(fits && n == UINT64_MAX);
    assert_string_equal(words_number("18446744073709551616", 10, &n, &fits), "");
    assert_true(!fits && n == UINT64_MAX);
    assert_null(words_number("", 10, &n, &fits));
    assert_null(words_number("-1", 10, &n, &fits));
    assert_null(words_number(" 1", 10, &n, &fits));
}

static void sizes(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } right[] = {
        {"0", 0},
        {"7", 7},
        {"2k", 2048},
        {"3M", 3 << 20},
        {"1t", INT64_C(1) << 40},
        {"0x10", 16},
        {"9223372036854775807", INT64_MAX},
        {"8388607T", INT64_C(8388607) << 40},
    };
    int64_t bytes;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(words_size(right[i].text, 0, "kmgt", &bytes));
        assert_int_equal(bytes, right[i].bytes);
    }
    static const char *const wrong[] = {"", "k", "1kk", "1kb", "-1", "1x", "9223372036854775808", "8388608t"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(words_size(wrong[i], 0, "kmgt", &bytes));
    assert_false(words_size("1t", 10, "kmg", &bytes));
    assert_false(words_size("0x10", 10, "kmg", &bytes));
}

static void rows_by_name(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int value;
    } rows[] = {{"one", 1}, {"two", 2}};
    assert_int_equal(WORDS_FIND(rows, "two"), 1);
    assert_int_equal(WORDS_FIND(rows, "tw"), -1);
    assert_int_equal(WORDS_FIND(rows, ""), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_between_separators),
        cmocka_unit_test(escaped_separators),
        cmocka_unit_test(names_and_values),
        cmocka_unit_test(numbers),
        cmocka_unit_test(sizes),
        cmocka_unit_test(rows_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
