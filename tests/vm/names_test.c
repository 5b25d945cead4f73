// Stable names of classes, methods and fields: ordinals, hidden classes, escapes, and lookup by name.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "vm/api/compiler.h"
#include "vm/code/code.h"
#include "vm/model/classloader.h"
#include "vm/objects/symbol.h"

static uint32_t ids;
static Metaspace space;

static Class *new_class(const char *name) {
    Class *c = calloc(1, sizeof *c);
    c->space = &space;
    c->name = symbol_of(name);
    c->id = ++ids;
    return c;
}

static Class *new_hidden(Class *host, const char *name) {
    Class *c = new_class(name);
    c->cflags = CF_HIDDEN;
    c->host = host;
    return c;
}

static Class *new_array(Class *of) {
    Class *c = new_class("[");
    c->cflags = CF_ARRAY;
    c->component = of;
    c->element = class_is_array(of) ? of->element : of;
    c->dims = (uint8_t)(of->dims + 1);
    of->array_class = c;
    return c;
}

static void check_class(Class *c, const char *expected) {
    char *name = compiler_class_name(c);
    assert_string_equal(name, expected);
    assert_ptr_equal(compiler_find_class(name), c);
    free(name);
}

static void same_name_in_several_loaders(void **state) {
    (void)state;
    Class *first = new_class("p/Same"), *second = new_class("p/Same"), *third = new_class("p/Same");
    check_class(first, "p/Same");
    check_class(second, "p/Same~1");
    check_class(third, "p/Same~2");
    check_class(first, "p/Same");
}

static void hidden_classes_by_host(void **state) {
    (void)state;
    Class *host = new_class("p/Host"), *other = new_class("p/Other");
    Class *a = new_hidden(host, "p/Host$$Lambda$1+0x1"), *b = new_hidden(other, "p/Host$$Lambda$2+0x2");
    Class *c = new_hidden(host, "p/Host$$Lambda$3+0x3"), *inner = new_hidden(c, "p/Inner+0x4");
    check_class(a, "p/Host#0");
    check_class(b, "p/Other#0");
    check_class(c, "p/Host#1");
    check_class(inner, "p/Host#1#0");
}

static void unloaded_ones(void **state) {
    (void)state;
    Metaspace gone = {0};
    Class *first = new_class("p/Plug"), *stays = new_class("p/Plug");
    first->space = &gone;
    check_class(first, "p/Plug");
    check_class(stays, "p/Plug~1");
    gone.dead = true;
    assert_null(compiler_find_class("p/Plug"));
    gone.freed = true;
    stablename_forget_freed();
    assert_null(compiler_find_class("p/Plug"));
    check_class(stays, "p/Plug~1");
    check_class(new_class("p/Plug"), "p/Plug~2");
}

static void arrays(void **state) {
    (void)state;
    Class *host = new_class("p/Elements"), *hidden = new_hidden(host, "p/Elements+0x9");
    Class *one = new_array(hidden), *two = new_array(one);
    check_class(one, "[Lp/Elements#0;");
    check_class(two, "[[Lp/Elements#0;");
    assert_null(compiler_find_class("[[[Lp/Elements#0;"));
    assert_null(compiler_find_class("[Lp/Elements#0"));
    assert_null(compiler_find_class("["));
    assert_null(compiler_find_class(""));
}

static void bytes_that_would_split(void **state) {
    (void)state;
    check_class(new_class("odd name#1~2%"), "odd%20name%231%7E2%25");
    check_class(new_class("odd"), "odd");
    assert_null(compiler_find_class("odd%2"));
    assert_null(compiler_find_class("never"));
}

static void members(void **state) {
    (void)state;
    Class *c = new_class("p/Members");
    Method methods[2] = {0};
    methods[0].name = symbol_of("run"), methods[0].desc = symbol_of("(ILp/Members;)V");
    methods[1].name = symbol_of("o(d:d "), methods[1].desc = symbol_of("(La b;)V");
    Overpass extra = {.method = {.name = symbol_of("made"), .desc = symbol_of("()V")}};
    Field field = {.name = symbol_of("count"), .desc = symbol_of("[J")};
    methods[0].cls = methods[1].cls = extra.method.cls = field.cls = c;
    c->methods = methods, c->method_count = 2;
    c->overpasses = &extra;
    c->fields = &field, c->field_count = 1;
    Method *all[] = {&methods[0], &methods[1], &extra.method};
    const char *expected[] = {"p/Members.run(ILp/Members;)V", "p/Members.o%28d%3Ad%20(La%20b;)V", "p/Members.made()V"};
    for (int i = 0; i < 3; i++) {
        char *name = compiler_method_name(all[i]);
        assert_string_equal(name, expected[i]);
        assert_ptr_equal(compiler_find_method(name), all[i]);
        free(name);
    }
    char *name = compiler_field_name(&field);
    assert_string_equal(name, "p/Members.count:[J");
    assert_ptr_equal(compiler_find_field(name), &field);
    free(name);
    assert_null(compiler_find_method("p/Members.run"));
    assert_null(compiler_find_method("p/Members.run()V"));
    assert_null(compiler_find_method("run()V"));
    assert_null(compiler_find_field("p/Members.count"));
    assert_null(compiler_find_field("p/Members.run:I"));
    c->method_count = c->field_count = 0;
    c->overpasses = NULL;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_name_in_several_loaders),
        cmocka_unit_test(hidden_classes_by_host),
        cmocka_unit_test(unloaded_ones),
        cmocka_unit_test(arrays),
        cmocka_unit_test(bytes_that_would_split),
        cmocka_unit_test(members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
