// Symbols and arenas: one copy per text, even when many threads intern at once and the table grows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "vm/base/arena.h"
#include "vm/objects/symbol.h"

static void same_text_same_symbol(void **state) {
    (void)state;
    Symbol *a = symbol_of("java/lang/Object");
    assert_ptr_equal(a, symbol_intern("java/lang/Object;", 16));
    assert_ptr_not_equal(a, symbol_of("java/lang/Objects"));
    assert_int_equal(a->length, 16);
    assert_string_equal(a->text, "java/lang/Object");
    assert_true(symbol_is(a, "java/lang/Object"));
    assert_false(symbol_is(a, "java/lang/Objec"));
    assert_true(symbol_has_prefix(a, "java/"));
}

static void find_does_not_insert(void **state) {
    (void)state;
    assert_null(symbol_find("never seen", 10));
    assert_null(symbol_find("never seen", 10));
    uint32_t before = symbol_of("the one before")->serial;
    Symbol *s = symbol_of("never seen");
    assert_int_equal(s->serial, before + 1);
    assert_ptr_equal(symbol_find("never seen", 10), s);
}

static void empty_and_embedded_bytes(void **state) {
    (void)state;
    assert_int_equal(symbol_intern("", 0)->length, 0);
    assert_ptr_equal(symbol_intern("", 0), symbol_intern("x", 0));
    assert_ptr_not_equal(symbol_intern("a\0b", 3), symbol_intern("a\0c", 3));
}

static void longest(void **state) {
    (void)state;
    static char text[UINT16_MAX];
    memset(text, 'q', sizeof text);
    Symbol *s = symbol_intern(text, sizeof text);
    assert_int_equal(s->length, UINT16_MAX);
    assert_ptr_equal(s, symbol_find(text, sizeof text));
}

enum { NAMES = 100000, THREADS = 4 };
static Symbol *made[THREADS][NAMES];

static void *intern_all(void *arg) {
    Symbol **out = arg;
    char text[32];
    for (int i = 0; i < NAMES; i++) out[i] = symbol_intern(text, (size_t)snprintf(text, sizeof text, "name%d", i));
    return NULL;
}

static void threads_agree(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, intern_all, made[i]), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < NAMES; i++)
        for (int t = 1; t < THREADS; t++) assert_ptr_equal(made[0][i], made[t][i]);
}

static void arena_is_zeroed_and_aligned(void **state) {
    (void)state;
    Arena a;
    arena_init(&a, 256);
    for (size_t n = 1; n < 3000; n += 37) {
        unsigned char *p = arena_alloc(&a, n);
        assert_int_equal((uintptr_t)p % (n > 8 ? 16 : 8), 0);
        for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 0);
        memset(p, 0xff, n);
    }
    assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_text_same_symbol),
        cmocka_unit_test(find_does_not_insert),
        cmocka_unit_test(empty_and_embedded_bytes),
        cmocka_unit_test(longest),
        cmocka_unit_test(threads_agree),
        cmocka_unit_test(arena_is_zeroed_and_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
