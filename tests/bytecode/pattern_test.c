// Patterns of methods.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bytecode/classfile/pattern.h"

static void patterns(void **state) {
    (void)state;
    const char *c = "java/lang/String", *n = "indexOf", *d = "(Ljava/lang/String;I)I";
    assert_true(pattern_matches("java/lang/String.indexOf", c, n, d));
    assert_true(pattern_matches("java.lang.String.indexOf", c, n, d));
    assert_true(pattern_matches("java.lang.*", c, n, d));
    assert_true(pattern_matches("*.indexOf", c, n, d));
    assert_true(pattern_matches("*String.i*f", c, n, d));
    assert_true(pattern_matches("*", c, n, d));
    assert_true(pattern_matches("java/lang/String.indexOf(*", c, n, d));
    assert_true(pattern_matches("*indexOf(Ljava/lang/String;I)I", c, n, d));
    assert_false(pattern_matches("*indexOf(I)I", c, n, d));
    assert_false(pattern_matches("String.indexOf", c, n, d));
    assert_false(pattern_matches("java/lang/String.index", c, n, d));
    assert_false(pattern_matches("java/lang/StringBuilder.*", c, n, d));
    MethodPattern second = {"*.indexOf", NULL}, first = {"demo.*", &second};
    assert_true(pattern_any(&first, c, n, d));
    assert_false(pattern_any(&first, c, "length", "()I"));
    assert_false(pattern_any(NULL, c, n, d));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
