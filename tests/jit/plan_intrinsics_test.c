// The two tables of intrinsics: those that the VM implements (vm/natives/intrinsics.def) and those that the compiler
// expands (jit/plan/plan_intrinsics.def). Each row of the compiler's table has a counterpart in the VM's, of the kind
// that its operation relies on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "jit/plan/plan_intrinsics.h"

typedef struct Row {
    const char *cls, *name, *desc;
    CompilerIntrinsic kind;
} Row;

static const Row vm_rows[] = {
#define LEAF(cls, name, desc, fn) {cls, name, desc, COMPILER_LEAF},
#define FRAME(cls, name, desc, fn) {cls, name, desc, COMPILER_FRAME},
#define TRY(cls, name, desc, fn) {cls, name, desc, COMPILER_TRY},
#include "vm/natives/intrinsics.def"
};

enum { VM_ROWS = sizeof vm_rows / sizeof *vm_rows };

static bool same(const char *cls, const char *name, const char *desc, const Row *row) {
    return strcmp(cls, row->cls) == 0 && strcmp(name, row->name) == 0 && strcmp(desc, row->desc) == 0;
}

// The kind that an operation requires. With a slow path it is TRY: the slow path calls the method. Without one it is
// LEAF. So are the operations whose slow path is a frameless call of the VM. ALLOCATE's method has a frame.
static CompilerIntrinsic kind_of(IntrinsicOperation operation) {
    switch (operation) {
        case INTRINSIC_ALLOCATE: return COMPILER_FRAME;
        default: return operation >= INTRINSIC_LENGTH ? COMPILER_TRY : COMPILER_LEAF;
    }
}

static void every_row_has_its_partner(void **state) {
    (void)state;
    for (size_t i = 0; i < intrinsics_count; i++) {
        const Intrinsic *own = &intrinsics[i];
        unsigned partners = 0;
        for (int k = 0; k < VM_ROWS; k++) {
            if (!same(own->cls, own->name, own->desc, &vm_rows[k])) continue;
            partners++;
            if (vm_rows[k].kind != kind_of(own->operation))
                fail_msg("%s.%s%s is of another kind in the VM", own->cls, own->name, own->desc);
        }
        if (partners != 1) fail_msg("%s.%s%s has %u partners in the VM", own->cls, own->name, own->desc, partners);
    }
}

static void no_row_is_there_twice(void **state) {
    (void)state;
    for (size_t i = 0; i < intrinsics_count; i++)
        for (size_t k = 0; k < i; k++) {
            Row row = {intrinsics[k].cls, intrinsics[k].name, intrinsics[k].desc, COMPILER_LEAF};
            if (same(intrinsics[i].cls, intrinsics[i].name, intrinsics[i].desc, &row))
                fail_msg("%s.%s%s is there twice", row.cls, row.name, row.desc);
        }
}

// The look-up compares class, name and descriptor, and considers only methods that the VM has marked.
static Method method_named(Class *cls, Symbol *name, Symbol *desc) {
    return (Method){.cls = cls, .name = name, .desc = desc, .mflags = MF_INTRINSIC};
}

static Symbol *symbol(const char *text) {
    Symbol *s = test_calloc(1, sizeof *s + strlen(text) + 1);
    s->length = (uint16_t)strlen(text);
    memcpy(s->text, text, strlen(text) + 1);
    return s;
}

static void rows_are_found(void **state) {
    (void)state;
    Symbol *math = symbol("java/lang/Math"), *sqrt = symbol("sqrt"), *dd = symbol("(D)D"), *ff = symbol("(F)F");
    Class cls = {.name = math};
    Method m = method_named(&cls, sqrt, dd);
    assert_non_null(intrinsics_find(&m));
    assert_int_equal(intrinsics_find(&m)->operation, INTRINSIC_LLVM);
    m.desc = ff;
    assert_null(intrinsics_find(&m));
    m = method_named(&cls, sqrt, dd);
    m.mflags = 0;
    assert_null(intrinsics_find(&m));
    test_free(math);
    test_free(sqrt);
    test_free(dd);
    test_free(ff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_its_partner),
        cmocka_unit_test(no_row_is_there_twice),
        cmocka_unit_test(rows_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
