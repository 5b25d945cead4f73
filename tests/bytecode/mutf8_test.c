/* Modified UTF-8 (bytecode/classfile/mutf8.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "bytecode/classfile/mutf8.h"

#define U8(s) (const uint8_t *)(s), sizeof(s) - 1

static void validity(void **state) {
    (void)state;
    assert_true(mutf8_valid(U8(""), false));
    assert_true(mutf8_valid(U8("plain ascii, longer than eight bytes"), false));
    assert_true(mutf8_valid(U8("\xc0\x80"), false));
    assert_true(mutf8_valid(U8("\xc3\xa9"), false));
    assert_true(mutf8_valid(U8("\xed\xa0\xbd\xed\xb8\x80"), false));
    assert_false(mutf8_valid(U8("a\0b"), false));
    assert_false(mutf8_valid(U8("12345678\0abcdefgh"), false));
    assert_false(mutf8_valid(U8("\x80"), false));
    assert_false(mutf8_valid(U8("\xc3"), false));
    assert_false(mutf8_valid(U8("\xe2\x82"), false));
    assert_false(mutf8_valid(U8("\xe2\x02\x82"), false));
    assert_false(mutf8_valid(U8("\xf0\x9f\x98\x80"), false));
    assert_false(mutf8_valid(U8("\xff"), false));
    assert_false(mutf8_valid(U8("\xc1\x81"), false));
    assert_false(mutf8_valid(U8("\xe0\x80\x80"), false));
    assert_true(mutf8_valid(U8("\xc1\x81"), true));
    assert_true(mutf8_valid(U8("\xe0\x80\x80"), true));
    assert_false(mutf8_valid(U8("\xf0\x9f\x98\x80"), true));
}

static void lengths(void **state) {
    (void)state;
    bool latin1, ascii;
    assert_int_equal(mutf8_length(U8("hello world"), &latin1, &ascii), 11);
    assert_true(latin1 && ascii);
    assert_int_equal(mutf8_length(U8("h\xc3\xa9"), &latin1, &ascii), 2);
    assert_true(latin1 && !ascii);
    assert_int_equal(mutf8_length(U8("\xc0\x80"), &latin1, &ascii), 1);
    assert_true(latin1 && !ascii);
    assert_int_equal(mutf8_length(U8("\xe2\x82\xac!"), &latin1, &ascii), 2);
    assert_true(!latin1 && !ascii);
}

static void round_trip_of_every_char(void **state) {
    (void)state;
    for (unsigned c = 0; c < 0x10000; c++) {
        uint16_t in = (uint16_t)c, out;
        uint8_t b[3];
        size_t n = mutf8_from_utf16(&in, 1, b);
        assert_int_equal(n, mutf8_size_utf16(&in, 1));
        assert_true(mutf8_valid(b, n, false));
        assert_int_equal(mutf8_to_utf16(b, n, &out), 1);
        assert_int_equal(out, in);
        if (c < 256) {
            uint8_t l = (uint8_t)c, back;
            assert_int_equal(mutf8_size_latin1(&l, 1), n);
            assert_int_equal(mutf8_from_latin1(&l, 1, b), n);
            assert_int_equal(mutf8_to_latin1(b, n, &back), 1);
            assert_int_equal(back, l);
        }
    }
}

static void malformed_never_overruns(void **state) {
    (void)state;
    static const uint8_t s[] = {'a', 0xe2, 0x82, 0xc3};
    uint16_t out[8];
    for (size_t n = 0; n <= sizeof s; n++) {
        size_t chars = mutf8_length(s, n, NULL, NULL);
        assert_true(chars <= n);
        assert_int_equal(mutf8_to_utf16(s, n, out), chars);
    }
}

static void to_utf8_for_people(void **state) {
    (void)state;
    char out[16];
    assert_int_equal(mutf8_to_utf8(U8("\xed\xa0\xbd\xed\xb8\x80"), out, sizeof out), 4);
    assert_string_equal(out, "\xf0\x9f\x98\x80");
    mutf8_to_utf8(U8("\xed\xa0\xbdx\xc0\x80"), out, sizeof out);
    assert_string_equal(out, "?x?");
    assert_int_equal(mutf8_to_utf8(U8("ab\xe2\x82\xac"), out, 5), 2);
    assert_string_equal(out, "ab");
    assert_int_equal(mutf8_to_utf8(U8("abc"), out, 1), 0);
    assert_string_equal(out, "");
    assert_int_equal(mutf8_to_utf8(NULL, 0, out, sizeof out), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validity),
        cmocka_unit_test(lengths),
        cmocka_unit_test(round_trip_of_every_char),
        cmocka_unit_test(malformed_never_overruns),
        cmocka_unit_test(to_utf8_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
