// The file of kept objects. Kept objects are found, by other processes too. Whatever is wrong with the file or the
// directory, no object is found that was not kept, and at most one line is logged.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "jit/backend/objectpack.h"
#include "vm/api/compiler.h"

static char directory[] = "/tmp/objectpack_test_XXXXXX";
static char file[64], said[1024];
static unsigned lines;

void compiler_log(const char *line) {
    lines++;
    snprintf(said, sizeof said, "%s", line);
}

enum { LIMIT = 1 << 20, HEADER = 32 };

static void key_of(unsigned n, uint8_t key[OBJECTPACK_KEY]) {
    for (unsigned i = 0; i < OBJECTPACK_KEY; i++) key[i] = (uint8_t)(n >> i % 4 * 8);
}

// Object number n, with its own length.
static size_t object_of(unsigned n, char *bytes) {
    size_t size = 20 + n % 90;
    for (size_t i = 0; i < size; i++) bytes[i] = (char)(n + i * 3);
    return size;
}

static ObjectPack *open_pack(uint64_t limit) {
    lines = 0;
    *said = 0;
    return objectpack_open(directory, limit);
}

static void add(ObjectPack *p, unsigned n) {
    uint8_t key[OBJECTPACK_KEY];
    char bytes[128];
    key_of(n, key);
    objectpack_add(p, key, bytes, object_of(n, bytes));
}

// Whether it is found; if so, it must be the object that was kept.
static bool finds(ObjectPack *p, unsigned n) {
    uint8_t key[OBJECTPACK_KEY];
    char bytes[128];
    size_t size = 0, right = object_of(n, bytes);
    key_of(n, key);
    char *found = objectpack_find(p, key, &size);
    if (found) {
        assert_int_equal(size, right);
        assert_memory_equal(found, bytes, size);
    }
    free(found);
    return found;
}

static void end(ObjectPack *p) {
    objectpack_finish(p);
    objectpack_free(p);
}

static void keep(unsigned from, unsigned to) {
    ObjectPack *p = open_pack(LIMIT);
    for (unsigned n = from; n < to; n++)
        if (!finds(p, n)) add(p, n);
    end(p);
}

static unsigned found(ObjectPack *p, unsigned from, unsigned to) {
    unsigned count = 0;
    for (unsigned n = from; n < to; n++) count += finds(p, n);
    return count;
}

// How many of these objects another process would find.
static unsigned kept(unsigned from, unsigned to) {
    ObjectPack *p = open_pack(LIMIT);
    assert_non_null(p);
    unsigned count = found(p, from, to);
    end(p);
    return count;
}

static size_t read_file(char *bytes, size_t room) {
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    size_t size = fread(bytes, 1, room, f);
    fclose(f);
    return size;
}

static void write_file(const void *bytes, size_t size) {
    FILE *f = fopen(file, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

static int fresh(void **state) {
    (void)state;
    snprintf(file, sizeof file, "%s/objects", directory);
    unlink(file);
    chmod(directory, S_IRWXU);
    return 0;
}

static void keeps_objects(void **state) {
    (void)state;
    ObjectPack *p = open_pack(LIMIT);
    add(p, 1);
    assert_true(finds(p, 1));
    assert_false(finds(p, 2));
    end(p);
    assert_int_equal(kept(0, 4), 1);
    keep(1, 4);
    assert_int_equal(kept(0, 10), 3);
    struct stat s;
    assert_int_equal(stat(file, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_int_equal(lines, 0);
}

static void makes_the_directory(void **state) {
    (void)state;
    struct stat s;
    rmdir(directory);
    keep(0, 3);
    assert_int_equal(stat(directory, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    assert_int_equal(kept(0, 3), 3);
}

static void shares_objects(void **state) {
    (void)state;
    ObjectPack *a = open_pack(LIMIT), *b = open_pack(LIMIT);
    add(a, 1), add(a, 2), add(b, 2), add(b, 3);
    objectpack_finish(a);
    objectpack_finish(b);
    assert_false(finds(a, 1));  // the pack is finished
    objectpack_free(a);
    objectpack_free(b);
    assert_int_equal(kept(0, 10), 3);
    assert_int_equal(lines, 0);
}

// Run by several processes, each with threads that keep and find the same objects.
static void *work(void *pack) {
    for (unsigned n = 0; n < 3000; n++) {
        add(pack, n);
        finds(pack, n * 7 % 3000);
    }
    return NULL;
}

static void shares_between_processes(void **state) {
    (void)state;
    enum { PROCESSES = 4, THREADS = 3 };
    for (int i = 0; i < PROCESSES; i++) {
        if (fork()) continue;
        pthread_t threads[THREADS];
        ObjectPack *p = open_pack(LIMIT);
        for (int k = 0; k < THREADS; k++) pthread_create(&threads[k], NULL, work, p);
        for (int k = 0; k < THREADS; k++) pthread_join(threads[k], NULL);
        end(p);
        _exit(lines != 0);
    }
    int status;
    while (wait(&status) > 0) assert_int_equal(status, 0);
    assert_int_equal(kept(0, 3000), 3000);
    assert_int_equal(lines, 0);
}

static void survives_any_end(void **state) {
    (void)state;
    char good[4096];
    keep(0, 5);
    keep(5, 10);
    size_t size = read_file(good, sizeof good);
    assert_true(size < sizeof good);
    for (size_t cut = 0; cut < size; cut++) {
        write_file(good, cut);
        unsigned left = kept(0, 10);
        assert_true(lines <= 1);
        assert_true(left == 0 || left == 5);
        keep(20, 22);  // overwrites the remains of a batch
        assert_int_equal(kept(0, 30), left + 2);
        assert_int_equal(lines, 0);
    }
}

static void survives_any_byte(void **state) {
    (void)state;
    char bytes[4096];
    keep(0, 5);
    keep(5, 10);
    size_t size = read_file(bytes, sizeof bytes);
    for (size_t i = 0; i < size; i++) {
        char flip = (char)(1 << i % 8);
        bytes[i] ^= flip;
        write_file(bytes, size);
        kept(0, 10);  // compares what it finds
        assert_true(lines <= 1);
        keep(0, 10);  // damaged objects are replaced
        assert_int_equal(kept(0, 10), 10);
        assert_int_equal(lines, 0);
        bytes[i] ^= flip;
    }
}

// Impossible numbers in a batch with a correct hash.
static void refuses_impossible_numbers(void **state) {
    (void)state;
    static const struct {
        uint32_t count;
        uint64_t bytes, size;
    } tries[] = {
        {0, 0, 0},
        {1, UINT64_MAX, 8},
        {1, UINT64_MAX - 200, 8},
        {UINT32_MAX, 8, 8},
        {1 << 16, 1, 1},
        {1, 8, UINT64_MAX},
        {1, 8, 9},
        {1, 0, 0},
        {2, 8, 8},
        {1, (uint64_t)1 << 40, (uint64_t)1 << 40},
        {1, 8, 7},
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        struct {
            char magic[HEADER];
            struct {
                uint32_t mark, count;
                uint64_t bytes, hash;
            } batch;
            struct {
                uint8_t key[OBJECTPACK_KEY];
                uint64_t hash, size;
            } row;
            char rest[128];
        } f = {.magic = "cabernet objects 2\n"};
        f.batch.mark = 0x68637462;
        f.batch.count = tries[i].count;
        f.batch.bytes = tries[i].bytes;
        f.row.size = tries[i].size;
        key_of(1, f.row.key);
        const uint64_t parts[] = {f.batch.mark, f.batch.count, f.batch.bytes, hash_words(&f.row, sizeof f.row)};
        f.batch.hash = hash_words(parts, sizeof parts);
        write_file(&f, sizeof f);
        assert_int_equal(kept(0, 5), 0);
        assert_int_equal(lines, 1);
        keep(0, 5);
        assert_int_equal(kept(0, 5), 5);
    }
}

static void begins_a_foreign_file_anew(void **state) {
    (void)state;
    static const char text[] = "This is the text of somebody who did not know what the name is for.\n";
    write_file(text, sizeof text);
    chmod(file, 0600);
    assert_int_equal(kept(0, 5), 0);
    assert_non_null(strstr(said, "not one of objects of this format"));
    keep(0, 5);
    assert_int_equal(kept(0, 5), 5);
}

static void refuses(const char *why) {
    assert_null(open_pack(LIMIT));
    assert_int_equal(lines, 1);
    assert_non_null(strstr(said, why));
}

static void refuses_what_others_can_write(void **state) {
    (void)state;
    keep(0, 5);
    chmod(directory, 0777);
    refuses("the directory can be written by others");
    chmod(directory, 0770);
    refuses("the directory can be written by others");
    chmod(directory, 0755);
    assert_int_equal(kept(0, 5), 5);
    chmod(file, 0666);
    refuses("the file can be written by others");
    if (geteuid() == 0) {
        chmod(file, 0600);
        assert_int_equal(chown(directory, 12345, (gid_t)-1), 0);
        refuses("the directory belongs to another user");
        assert_int_equal(chown(directory, 0, (gid_t)-1), 0);
    }
}

static void refuses_other_kinds_of_files(void **state) {
    (void)state;
    assert_int_equal(symlink("/etc/hostname", file), 0);
    refuses("symbolic links");
    unlink(file);
    assert_int_equal(mkfifo(file, 0600), 0);
    refuses("no ordinary file");
    unlink(file);
    lines = 0;
    assert_null(objectpack_open("/dev/null", LIMIT));
    assert_non_null(strstr(said, "Not a directory"));
    assert_null(objectpack_open("/nowhere/at/all", LIMIT));
    assert_non_null(strstr(said, "No such file or directory"));
    assert_int_equal(lines, 2);
}

static void stays_within_its_limit(void **state) {
    (void)state;
    enum { SMALL = 20000, ROUNDS = 40, EACH = 20 };
    struct stat s;
    for (unsigned round = 0; round < ROUNDS; round++) {
        ObjectPack *p = open_pack(SMALL);
        for (unsigned n = 0; n < EACH; n++) add(p, round * EACH + n);
        end(p);
        assert_int_equal(stat(file, &s), 0);
        assert_true(s.st_size <= SMALL);
        assert_int_equal(kept(round * EACH, (round + 1) * EACH), EACH);  // the latest
        assert_int_equal(lines, 0);
    }
    ObjectPack *p = open_pack(1000);
    for (unsigned n = 0; n < 100; n++) add(p, 5000 + n);
    end(p);
    assert_int_equal(stat(file, &s), 0);
    assert_true(s.st_size <= 1000);
}

// A process whose open file has been replaced by another process continues.
static void follows_a_new_file(void **state) {
    (void)state;
    keep(0, 5);
    ObjectPack *p = open_pack(LIMIT);
    unlink(file);
    keep(5, 10);
    assert_int_equal(found(p, 0, 10), 5);
    add(p, 10);
    end(p);
    assert_int_equal(kept(0, 20), 6);
    assert_int_equal(lines, 0);
}

static void goes_on_without_room(void **state) {
    (void)state;
    struct rlimit before, small;
    keep(0, 5);
    struct stat s;
    stat(file, &s);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)s.st_size + 100;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    ObjectPack *p = open_pack(LIMIT);
    for (unsigned n = 5; n < 20; n++) add(p, n);
    objectpack_finish(p);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    objectpack_free(p);
    assert_int_equal(lines, 1);
    assert_non_null(strstr(said, "cannot be kept: File too large"));
    assert_int_equal(kept(0, 30), 5);
    assert_int_equal(lines, 0);
}

int main(void) {
    if (!mkdtemp(directory)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(keeps_objects, fresh),
        cmocka_unit_test_setup(makes_the_directory, fresh),
        cmocka_unit_test_setup(shares_objects, fresh),
        cmocka_unit_test_setup(shares_between_processes, fresh),
        cmocka_unit_test_setup(survives_any_end, fresh),
        cmocka_unit_test_setup(survives_any_byte, fresh),
        cmocka_unit_test_setup(refuses_impossible_numbers, fresh),
        cmocka_unit_test_setup(begins_a_foreign_file_anew, fresh),
        cmocka_unit_test_setup(refuses_what_others_can_write, fresh),
        cmocka_unit_test_setup(refuses_other_kinds_of_files, fresh),
        cmocka_unit_test_setup(stays_within_its_limit, fresh),
        cmocka_unit_test_setup(follows_a_new_file, fresh),
        cmocka_unit_test_setup(goes_on_without_room, fresh),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    rmdir(directory);
    return failed;
}
