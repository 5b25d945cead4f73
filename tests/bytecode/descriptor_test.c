/* Descriptors and names (bytecode/classfile/descriptor.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "bytecode/classfile/descriptor.h"

#define D(s) (const uint8_t *)(s), (uint32_t)strlen(s)

static void field_descriptors(void **state) {
    (void)state;
    static const char *const good[] = {"I", "Z", "[J", "Ljava/lang/Object;", "[[[La;", "La-b<c>;"};
    static const char *const bad[] = {"",     "V", "II", "L;",    "La",    "La//b;", "L/a;",
                                      "La/;", "[", "[V", "La.b;", "La[b;", "X",      "La;;"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(descriptor_check_field(D(good[i]), false) == DESCRIPTOR_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(descriptor_check_field(D(bad[i]), false) == DESCRIPTOR_OK);
    assert_int_equal(descriptor_check_field(D("L;"), false), DESCRIPTOR_BAD_CLASS_NAME);
    char dims[300];
    memset(dims, '[', sizeof dims);
    dims[255] = 'I';
    dims[256] = 0;
    assert_true(descriptor_check_field(D(dims), false) == DESCRIPTOR_OK);
    dims[255] = '[';
    dims[256] = 'I';
    dims[257] = 0;
    assert_int_equal(descriptor_check_field(D(dims), false), DESCRIPTOR_TOO_MANY_DIMS);
}

static void method_descriptors(void **state) {
    (void)state;
    assert_int_equal(descriptor_valid_method(D("()V"), false), 0);
    assert_int_equal(descriptor_valid_method(D("(IJLa;[[D)La;"), false), 5);
    static const char *const bad[] = {"", "(", "()", "()VV", "(V)V", "(I", "I)V", "(La)V", "()[V", "(I)X"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(descriptor_valid_method(D(bad[i]), false), -1);
}

static void iteration(void **state) {
    (void)state;
    const char *d = "(I[[Ljava/lang/String;D)[J";
    DescriptorIter it;
    DescriptorType t;
    descriptor_begin(&it, D(d));
    assert_true(descriptor_next(&it, &t));
    assert_int_equal(t.kind, 'I');
    assert_null(t.name);
    assert_true(descriptor_next(&it, &t));
    assert_int_equal(t.kind, '[');
    assert_int_equal(t.dims, 2);
    assert_int_equal(t.element, 'L');
    assert_int_equal(t.name_len, 16);
    assert_memory_equal(t.name, "java/lang/String", 16);
    assert_true(descriptor_next(&it, &t));
    assert_int_equal(t.slots, 2);
    assert_false(descriptor_next(&it, &t));
    assert_true(descriptor_return(&it, &t));
    assert_int_equal(t.kind, '[');
    assert_int_equal(t.element, 'J');
    descriptor_begin(&it, D("(IL"));
    assert_true(descriptor_next(&it, &t));
    assert_false(descriptor_next(&it, &t));
    assert_false(descriptor_return(&it, &t));
}

static void counts_and_shapes(void **state) {
    (void)state;
    char s[16];
    assert_int_equal(descriptor_arg_slots(D("(IJD)V")), 5);
    assert_int_equal(descriptor_param_count(D("(IJD[I)V")), 4);
    assert_int_equal(descriptor_return_char(D("()V")), 'V');
    assert_int_equal(descriptor_return_char(D("()[I")), '[');
    assert_int_equal(descriptor_return_char(D("(L);)J")), 'J');
    assert_int_equal(descriptor_shape(D("(ILjava/lang/String;[JD)Z"), s, sizeof s), 5);
    assert_string_equal(s, "ILLDZ");
    assert_int_equal(descriptor_shape(D("(IIII)V"), s, 3), 5);
    assert_string_equal(s, "II");
    assert_int_equal(descriptor_shape(D("(I"), s, sizeof s), 0);
    assert_string_equal(s, "");
}

static void names(void **state) {
    (void)state;
    assert_true(descriptor_valid_name(D("java/lang/Object"), DESCRIPTOR_CLASS_NAME, false));
    assert_false(descriptor_valid_name(D("java/lang/Object"), DESCRIPTOR_FIELD_NAME, false));
    assert_false(descriptor_valid_name(D("a/"), DESCRIPTOR_CLASS_NAME, false));
    assert_false(descriptor_valid_name(D(""), DESCRIPTOR_FIELD_NAME, false));
    assert_true(descriptor_valid_name(D("<init>"), DESCRIPTOR_METHOD_NAME, false));
    assert_true(descriptor_valid_name(D("<clinit>"), DESCRIPTOR_METHOD_NAME, true));
    assert_false(descriptor_valid_name(D("<x>"), DESCRIPTOR_METHOD_NAME, false));
    assert_false(descriptor_valid_name(D("a>b"), DESCRIPTOR_METHOD_NAME, false));
    assert_true(descriptor_valid_name(D("a>b"), DESCRIPTOR_FIELD_NAME, false));
    assert_true(descriptor_valid_name(D("a-b"), DESCRIPTOR_FIELD_NAME, false));
    assert_false(descriptor_valid_name(D("a-b"), DESCRIPTOR_FIELD_NAME, true));
    assert_true(descriptor_valid_name(D("a1"), DESCRIPTOR_FIELD_NAME, true));
    assert_false(descriptor_valid_name(D("1a"), DESCRIPTOR_FIELD_NAME, true));
    assert_true(descriptor_valid_name(D("p/q"), DESCRIPTOR_CLASS_NAME, true));
    assert_false(descriptor_valid_name(D("p//q"), DESCRIPTOR_CLASS_NAME, true));
    assert_true(descriptor_valid_class_ref(D("[[I"), false));
    assert_true(descriptor_valid_class_ref(D("[La/b;"), true));
    assert_false(descriptor_valid_class_ref(D("[a"), false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_descriptors),
        cmocka_unit_test(method_descriptors),
        cmocka_unit_test(iteration),
        cmocka_unit_test(counts_and_shapes),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
