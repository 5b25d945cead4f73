// The counterpart of jni_layout_test.c: our JNI header agrees with the same numbers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "vm/jni/jni.h"

#include "tests/vm/jni_layout.h"

static void test_table_is_full(void **state) {
    (void)state;
    void *const *slots = (void *const *)&jni_functions;
    for (int i = 0; i < 234; i++) assert_int_equal(slots[i] != NULL, i >= 4);
    assert_int_equal(jni_functions.GetVersion(NULL), JNI_VERSION_10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table_is_full)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
