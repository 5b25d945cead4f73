/* Lines that threads take from each other (profiler/concurrency/sharing.c), against the list of all writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/splitmix.h"
#include "profiler/analyses/analysis.h"

enum { THREADS = 3, LINES = 500, LINE = 64, WRITES = 20000, TRUE_SHARING = 1, FALSE_SHARING = 2 };

static const uintptr_t BASE = 0x7f0000000000;

static void last_field(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                       uint32_t access, uintptr_t object, uintptr_t address) {
    (void)sink, (void)method, (void)bci, (void)field, (void)access, (void)object, (void)address;
}

static void last_element(const EventSink_array_access *sink, uint32_t method, int32_t bci, uint32_t access,
                         uint32_t type, uintptr_t array, uintptr_t address) {
    (void)sink, (void)method, (void)bci, (void)access, (void)type, (void)array, (void)address;
}

static void *threads[THREADS];

static void access_memory(int thread, uint32_t access, uintptr_t address) {
    EventSink_field_access fields[2] = {{analysis_sharing.on_field_access, threads[thread]}, {last_field, NULL}};
    EventSink_array_access elements[2] = {{analysis_sharing.on_array_access, threads[thread]}, {last_element, NULL}};
    if (address & 8) fields->fn(fields, 1, 2, 3, access, 0, address);
    else elements->fn(elements, 4, 5, access, 'J', 0, address);
}

static uint64_t counted(int thread, uint64_t kind) {
    Table t = {0};
    uint64_t lost = 0, count = 0;
    analysis_sharing.collect(threads[thread], &t, &lost);
    for (size_t i = 0; i < t.count; i++)
        if (t.rows[i].key[0] == kind) count += t.rows[i].count;
    table_free(&t);
    assert_int_equal(lost, 0);
    return count;
}

static void forget(void) { analysis_sharing.forget_dead(NULL, NULL); }

static int begin(void **state) {
    (void)state;
    AnalysisSettings settings = {.cache = cacheconfig_default};
    for (int i = 0; i < THREADS; i++) {
        threads[i] = analysis_sharing.thread_new(&settings);
        if (!threads[i]) return 1;
        analysis_sharing.thread_attached(threads[i], NULL, (uint64_t)i, "");
    }
    return 0;
}

static int end(void **state) {
    (void)state;
    for (int i = 0; i < THREADS; i++) analysis_sharing.thread_free(threads[i]);
    forget();
    return 0;
}

typedef struct Write {
    int thread;
    uintptr_t address;
} Write;

/* The kind of sharing of a write, by the writes before it: those to its line, from the newest back to the first of the
 * thread that wrote last. 0: none. */
static int kind_of(const Write *writes, int n) {
    int other = -1, kind = 0;
    for (int i = n - 1; i >= 0; i--) {
        if (writes[i].address / LINE != writes[n].address / LINE) continue;
        if (other < 0) other = writes[i].thread;
        if (writes[i].thread != other) break;
        if (other == writes[n].thread) return 0;
        kind = kind == TRUE_SHARING || writes[i].address == writes[n].address ? TRUE_SHARING : FALSE_SHARING;
    }
    return kind;
}

static void equals_the_list_of_writes(void **state) {
    (void)state;
    static Write writes[WRITES];
    uint64_t random = 11, want[THREADS][3] = {{0}};
    int n = 0;
    while (n < WRITES) {
        uint64_t r = splitmix_next(&random), line = r % LINES * (r >> 40 & 1 ? 1 : r >> 41 & 7);
        Write w = {(int)(r >> 20 & 0xff) % THREADS, BASE + line * LINE + (r >> 50 & 7) * 8};
        bool is_read = r >> 60 == 0;
        access_memory(w.thread, !is_read, w.address);
        if (is_read) continue;
        writes[n] = w;
        want[w.thread][kind_of(writes, n)]++;
        n++;
    }
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(counted(t, TRUE_SHARING), want[t][TRUE_SHARING]);
        assert_int_equal(counted(t, FALSE_SHARING), want[t][FALSE_SHARING]);
        assert_true(want[t][TRUE_SHARING] > 500 && want[t][FALSE_SHARING] > 500 && want[t][0] > 100);
    }
}

/* Other objects may be at the addresses after a collection. */
static void forgets_owners(void **state) {
    (void)state;
    access_memory(0, 1, BASE);
    forget();
    access_memory(1, 1, BASE);
    assert_int_equal(counted(1, TRUE_SHARING) + counted(1, FALSE_SHARING), 0);
    access_memory(0, 1, BASE);
    assert_int_equal(counted(0, TRUE_SHARING), 1);
    access_memory(1, 1, BASE + 8);
    assert_int_equal(counted(1, FALSE_SHARING), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equals_the_list_of_writes, begin, end),
        cmocka_unit_test_setup_teardown(forgets_owners, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
