// The table of VM-implemented methods: every row is found, none is duplicated, descriptors are well formed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vm/natives/intrinsics.h"
#include "vm/objects/symbol.h"

typedef struct Row {
    const char *cls, *name, *desc;
    IntrinsicKind kind;
} Row;

static const Row rows[] = {
#define LEAF(cls, name, desc, fn) {cls, name, desc, INTRINSIC_LEAF},
#define FRAME(cls, name, desc, fn) {cls, name, desc, INTRINSIC_FRAME},
#define TRY(cls, name, desc, fn) {cls, name, desc, INTRINSIC_TRY},
#include "vm/natives/intrinsics.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const Intrinsic *find(const char *cls, const char *name, const char *desc) {
    return intrinsic_find(symbol_of(cls), symbol_of(name), symbol_of(desc));
}

static void every_row_is_found(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const Intrinsic *found = find(rows[i].cls, rows[i].name, rows[i].desc);
        assert_non_null(found);
        assert_string_equal(found->cls, rows[i].cls);
        assert_int_equal(found->kind, rows[i].kind);
        assert_non_null(found->fn);
    }
}

static void no_row_is_there_twice(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++)
        for (int j = i + 1; j < ROWS; j++)
            assert_false(strcmp(rows[i].name, rows[j].name) == 0 && strcmp(rows[i].desc, rows[j].desc) == 0 &&
                         strcmp(rows[i].cls, rows[j].cls) == 0);
}

static void others_are_not_found(void **state) {
    (void)state;
    assert_null(find("java/lang/Object", "hashCode", "()J"));
    assert_null(find("java/lang/Objects", "hashCode", "()I"));
    assert_null(find("java/lang/Object", "hash", "()I"));
    assert_null(find("", "", ""));
}

// Malformed descriptors are typing errors in the table.
static void descriptors_are_balanced(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const char *close = strchr(rows[i].desc, ')');
        assert_int_equal(rows[i].desc[0], '(');
        assert_non_null(close);
        assert_true(close[1] != '\0');
        for (const char *p = rows[i].desc; *p; p++)
            if (*p == 'L') assert_non_null(p = strchr(p, ';'));
    }
}

static int start(void **state) {
    (void)state;
    symbol_init();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_found),
        cmocka_unit_test(no_row_is_there_twice),
        cmocka_unit_test(others_are_not_found),
        cmocka_unit_test(descriptors_are_balanced),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
