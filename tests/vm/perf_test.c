// The files for perf (vm/api/perf.h): both of them, written by many threads, and across a fork. perf's
// Documentation/jit-interface.txt and Documentation/jitdump-specification.txt define the formats.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/api/perf.h"

enum { THREADS = 4, CODES = 200, ALL = THREADS * CODES };

static unsigned char code[ALL][16];  // all different
static char map_path[64], dump_path[64];

static void nothing_is_wanted(void **state) {
    (void)state;
    assert_false(perf_wanted());
    perf_add_code((char *)code[0], sizeof code[0], "nobody");
    assert_int_not_equal(access(map_path, F_OK), 0);
    assert_int_not_equal(access(dump_path, F_OK), 0);
}

static void *add(void *arg) {
    char name[48];
    for (size_t i = 0, first = (size_t)arg * CODES; i < CODES; i++) {
        sprintf(name, "demo.run%zu()V [opt]", first + i);
        perf_add_code((char *)code[first + i], 1 + (first + i) % sizeof code[0], name);
    }
    return NULL;
}

static uint32_t word(const unsigned char *at) {
    uint32_t w;
    memcpy(&w, at, sizeof w);
    return w;
}
static uint64_t long_word(const unsigned char *at) {
    uint64_t w;
    memcpy(&w, at, sizeof w);
    return w;
}

// The index of the code at an address.
static size_t number_of(uint64_t address, uint64_t size, const char *name) {
    char want[48];
    size_t number = (size_t)(address - (uintptr_t)code) / sizeof code[0];
    assert_true(number < ALL);
    assert_int_equal(address, (uintptr_t)code[number]);
    assert_int_equal(size, 1 + number % sizeof code[0]);
    sprintf(want, "demo.run%zu()V [opt]", number);
    assert_string_equal(name, want);
    return number;
}

static void check_map(void) {
    static bool seen[ALL];
    FILE *f = fopen(map_path, "r");
    assert_non_null(f);
    unsigned long start;
    size_t size, lines = 0;
    char name[64];
    for (; fscanf(f, "%lx %zx %63[^\n]", &start, &size, name) == 3; lines++) {
        size_t number = number_of(start, size, name);
        assert_false(seen[number]);
        seen[number] = true;
    }
    assert_true(feof(f));
    assert_int_equal(lines, ALL);
    fclose(f);
}

static void check_dump(void) {
    static unsigned char data[1 << 20];
    static bool seen[ALL];
    FILE *f = fopen(dump_path, "r");
    assert_non_null(f);
    size_t size = fread(data, 1, sizeof data, f), at = 40;
    fclose(f);
    assert_int_equal(word(data), 0x4A695444);
    assert_int_equal(word(data + 8), at);
#ifdef __x86_64__
    assert_int_equal(word(data + 12), EM_X86_64);
#endif
    assert_int_equal(word(data + 20), getpid());
    for (size_t i = 0; i < ALL; i++) {
        const unsigned char *record = data + at, *name = record + 56;
        assert_int_equal(word(record), 0);
        assert_int_equal(word(record + 16), getpid());
        assert_int_equal(long_word(record + 24), long_word(record + 32));
        assert_int_equal(long_word(record + 48), i);
        uint64_t bytes = long_word(record + 40);
        size_t number = number_of(long_word(record + 32), bytes, (const char *)name),
               length = strlen((const char *)name) + 1;
        assert_memory_equal(name + length, code[number], bytes);
        assert_int_equal(word(record + 4), 56 + length + bytes);
        assert_false(seen[number]);
        seen[number] = true;
        at += word(record + 4);
    }
    assert_int_equal(word(data + at), 3);
    assert_int_equal(at + 16, size);
}

// A child inherits the parent's open files but writes nothing into them, not even at its exit.
static void fork_and_add(void) {
    perf_before_fork();
    pid_t pid = fork();
    if (pid == 0) {
        perf_after_fork_child();
        perf_add_code((char *)code[0], sizeof code[0], "child");
        perf_finish();
        fflush(NULL);
        _exit(0);
    }
    perf_after_fork_parent();
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void everything_once(void **state) {
    (void)state;
    alarm(60);  // in case a lock is not released
    for (size_t i = 0; i < ALL; i++) snprintf((char *)code[i], sizeof code[i], "code %zu", i);
    perf_start(true, true);
    assert_true(perf_wanted());
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, add, (void *)i), 0);
    fork_and_add();
    for (size_t i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    fork_and_add();
    perf_finish();
    perf_add_code((char *)code[0], sizeof code[0], "late");
    check_map();
    check_dump();
    alarm(0);
}

int main(void) {
    char directory[] = "/tmp/cabernet-perf-XXXXXX";
    if (!mkdtemp(directory) || chdir(directory) != 0) return 1;
    sprintf(map_path, "/tmp/perf-%d.map", (int)getpid());
    sprintf(dump_path, "jit-%d.dump", (int)getpid());
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_wanted), cmocka_unit_test(everything_once)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(map_path);
    remove(dump_path);
    if (chdir("/") != 0 || rmdir(directory) != 0) return 1;
    return failed;
}
