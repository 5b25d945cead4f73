// The memory for code (vm/api/codememory.h): blocks, both views of them, concurrent reservation, and fork.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/api/codememory.h"

enum { MEGABYTE = 1 << 20, THREADS = 8 };

// A reservation that the system rejects does not prevent a later one.
static void nothing_before_init(void **state) {
    (void)state;
    assert_null(codememory_allocate(1));
    assert_false(codememory_init(SIZE_MAX / 4));
    assert_null(codememory_allocate(1));
    assert_int_equal(codememory_used(), 0);
    assert_int_equal(codememory_left(), 0);
}

static struct Race {
    pthread_barrier_t together;
    void *blocks[THREADS];
} race;

static void *reserve_and_take(void *arg) {
    size_t number = (size_t)arg;
    pthread_barrier_wait(&race.together);
    if (codememory_init((number + 1) * 64 * MEGABYTE)) race.blocks[number] = codememory_allocate(1000);
    return NULL;
}

static int by_address(const void *a, const void *b) {
    uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;
    return (x > y) - (x < y);
}

// Each thread requests another size. All get blocks of one range, whose size is one of those requested.
static void one_range_for_all(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    assert_int_equal(pthread_barrier_init(&race.together, NULL, THREADS), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, reserve_and_take, (void *)i), 0);
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    size_t all = codememory_used() + codememory_left() + ARENA_ALIGN;  // the first unit is never allocated
    assert_int_equal(all % (64 * MEGABYTE), 0);
    assert_in_range(all, 64 * MEGABYTE, THREADS * 64 * MEGABYTE);
    assert_int_equal(codememory_used(), THREADS * 1024);
    qsort(race.blocks, THREADS, sizeof *race.blocks, by_address);
    for (size_t i = 0; i < THREADS; i++) {
        assert_non_null(race.blocks[i]);
        if (i) assert_int_equal((char *)race.blocks[i] - (char *)race.blocks[i - 1], 1024);
    }
    for (size_t i = 0; i < THREADS; i++) codememory_free(race.blocks[i]);
    assert_true(codememory_init(all * 2));
    assert_int_equal(codememory_left() + ARENA_ALIGN, all);
    pthread_barrier_destroy(&race.together);
}

static void blocks_come_back(void **state) {
    (void)state;
    enum { N = 400 };
    static struct {
        unsigned char *p;
        size_t size;
    } blocks[N];
    size_t before = codememory_used();
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        seed = seed * 1103515245 + 12345;
        int i = (int)(seed >> 16) % N;
        if (blocks[i].p) {
            for (size_t k = 0; k < blocks[i].size; k += 61) assert_int_equal(blocks[i].p[k], i & 255);
            codememory_free(blocks[i].p);
            blocks[i].p = NULL;
        } else {
            blocks[i].size = (seed >> 8) % 5000 + 1;
            blocks[i].p = codememory_allocate(blocks[i].size);
            assert_non_null(blocks[i].p);
            assert_int_equal((uintptr_t)blocks[i].p % ARENA_ALIGN, 0);
            memset(blocks[i].p, i & 255, blocks[i].size);
        }
    }
    for (int i = 0; i < N; i++) codememory_free(blocks[i].p);
    assert_int_equal(codememory_used(), before);
    size_t all = codememory_left();
    void *whole = codememory_allocate(all - 4096);  // all blocks have merged again
    assert_non_null(whole);
    assert_null(codememory_allocate(all));
    codememory_free(whole);
}

static void both_views_show_the_same(void **state) {
    (void)state;
    unsigned char *first = codememory_allocate(100), *second = codememory_allocate(100);
    const unsigned char *code = codememory_executable(first);
    memset(first, 0x5a, 100);
    for (int i = 0; i < 100; i++) assert_int_equal(code[i], 0x5a);
    assert_ptr_not_equal(first, code);
    assert_int_equal((const unsigned char *)codememory_executable(second) - code, second - first);
    codememory_free(first);
    codememory_free(second);
}

// If the child took a block, its parent could allocate the same one.
static void a_child_gets_no_block(void **state) {
    (void)state;
    alarm(20);  // in case a lock is not released
    size_t used = codememory_used();
    codememory_before_fork();
    pid_t pid = fork();
    if (pid == 0) {
        codememory_after_fork_child();
        _exit(codememory_allocate(1) || codememory_used() != used);
    }
    codememory_after_fork_parent();
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    void *block = codememory_allocate(1);
    assert_non_null(block);
    codememory_free(block);
    alarm(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_before_init),   cmocka_unit_test(one_range_for_all),
        cmocka_unit_test(blocks_come_back),      cmocka_unit_test(both_views_show_the_same),
        cmocka_unit_test(a_child_gets_no_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
