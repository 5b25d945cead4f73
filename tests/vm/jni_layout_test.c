// Checks that vm/jni/jni.def, spelled with the JDK's types, is the JDK's function table, slot for slot and type for
// type. The compiler does all checks; running the test only reports that it compiled.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jni.h>

#include "tests/vm/jni_layout.h"

struct Table {
#define JNI_RESERVED(slot) void *reserved##slot;
#define JNI_FN(ret, name, params) ret(*name) params;
#include "vm/jni/jni.def"
};
static_assert(sizeof(struct Table) == sizeof(struct JNINativeInterface_), "size");

#define FIELD(type, name) (((type *)0)->name)
#define JNI_RESERVED(slot)                                                                                        \
    static_assert(offsetof(struct Table, reserved##slot) == offsetof(struct JNINativeInterface_, reserved##slot), \
                  "reserved");
#define JNI_FN(ret, name, params)                                                                     \
    static_assert(offsetof(struct Table, name) == offsetof(struct JNINativeInterface_, name), #name); \
    static_assert(__builtin_types_compatible_p(__typeof__(FIELD(struct Table, name)),                 \
                                               __typeof__(FIELD(struct JNINativeInterface_, name))),  \
                  #name);
#include "vm/jni/jni.def"

static void test_compiled_against_the_jdk(void **state) {
    (void)state;
    assert_int_equal(sizeof(struct Table), 234 * sizeof(void *));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compiled_against_the_jdk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
