// Exit hooks (vm/base/exithooks.c): any number of them, from any thread, in reverse order.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>

#include "vm/base/exithooks.h"

enum { THREADS = 4, EACH = 500 };

static int order[4], count;
static unsigned runs;
static void first(void) { order[count++] = 1; }
static void second(void) { order[count++] = 2; }
static void late(void) { order[count++] = 9; }
static void adds_another(void) { exithooks_add(late); }
static void run_once(void) { runs++; }

static void last_comes_first(void **state) {
    (void)state;
    exithooks_add(first);
    exithooks_add(adds_another);
    exithooks_add(second);
    exithooks_run();
    assert_int_equal(count, 2);  // hooks registered meanwhile do not run
    assert_int_equal(order[0], 2);
    assert_int_equal(order[1], 1);
}

static void *add_many(void *unused) {
    for (int i = 0; i < EACH; i++) exithooks_add(run_once);
    return unused;
}

static void many_at_once(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, add_many, NULL), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    count = 0;
    exithooks_run();
    assert_int_equal(runs, THREADS * EACH);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(last_comes_first), cmocka_unit_test(many_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
