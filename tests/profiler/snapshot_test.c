/* Snapshots of the profile: built by profiler/control/snapshot.c from the threads' counts, looked up with
 * vm/api/snapshot.h, published by vm/adaptive/snapshots.c. There is one profile per process, and it is never written
 * here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vm/api/profiler.h"
#include "profiler/control/snapshot.h"
#include "vm/adaptive/snapshots.h"
#include "vm/api/compiler.h"
#include "vm/instrument/profile.h"

static const SamplingRequest every_event = {.interval = 1, .burst = 1};

static void row(Table *t, uint64_t a, uint64_t b, uint64_t c, uint64_t count) {
    table_add(t, &(TableRow){.key = {a, b, c}, .count = count});
}

static void expect(SnapshotSites at, size_t i, uint32_t what, uint64_t count) {
    assert_true(i < at.count);
    assert_int_equal(at.rows[i].what, what);
    assert_int_equal(at.rows[i].count, count);
}

// ---- one snapshot ------------------------------------------------------------------------------

// Rows arrive in any order, those of several threads for the same key included.
static void finds_rows(void **state) {
    (void)state;
    Table d[SNAPSHOT_TABLES] = {{0}};
    row(&d[SNAPSHOT_CALLS], 7, 12, 31, 5);
    row(&d[SNAPSHOT_CALLS], 7, 12, 30, 4);
    row(&d[SNAPSHOT_CALLS], 7, (uint32_t)EVENT_NO_BCI, 8, 9);
    row(&d[SNAPSHOT_CALLS], 3, 12, 30, 1);
    row(&d[SNAPSHOT_CALLS], EVENT_PSEUDO(CALLER_THREAD), (uint32_t)EVENT_NO_BCI, 7, 2);
    row(&d[SNAPSHOT_CALLS], 7, 12, 31, 100);
    row(&d[SNAPSHOT_CALLS], 7, 0, 2, 11);
    row(&d[SNAPSHOT_BRANCHES], 7, 4, 1, 20);
    row(&d[SNAPSHOT_BRANCHES], 7, 4, 0, 10);
    row(&d[SNAPSHOT_RECEIVERS], 7, 12, 77, 105);
    row(&d[SNAPSHOT_RECEIVERS], 7, 12, 70, 4);
    row(&d[SNAPSHOT_ACCESSES], 7, 20, 6, 40);
    row(&d[SNAPSHOT_ACCESSES], 7, 9, 6, 30);
    row(&d[SNAPSHOT_FIELDS], 6, 1, 0, 3);
    row(&d[SNAPSHOT_FIELDS], 2, 0, 0, 8);
    row(&d[SNAPSHOT_FIELDS], 6, 0, 0, 4);
    row(&d[SNAPSHOT_FIELDS], 6, 1, 0, 30);
    ProfileSnapshot *s = snapshot_make(d, 5, 1234, &every_event);
    assert_int_equal(s->version, 5);
    assert_int_equal(s->taken_ns, 1234);
    assert_int_equal(s->sampling.mode, SAMPLING_OFF);
    assert_int_equal(s->calls.count, 6);
    assert_true(s->bytes >= sizeof *s + 12 * sizeof(SnapshotSite) + 2 * sizeof(SnapshotField));
    SnapshotSites at = snapshot_at(&s->calls, 7, 12);
    assert_int_equal(at.count, 2);
    expect(at, 0, 30, 4);
    expect(at, 1, 31, 105);
    expect(snapshot_at(&s->calls, 7, 0), 0, 2, 11);
    expect(snapshot_at(&s->calls, 7, EVENT_NO_BCI), 0, 8, 9);
    expect(snapshot_at(&s->calls, EVENT_PSEUDO(CALLER_THREAD), EVENT_NO_BCI), 0, 7, 2);
    assert_int_equal(snapshot_at(&s->calls, 7, 11).count, 0);
    assert_int_equal(snapshot_at(&s->calls, 0, 0).count, 0);
    assert_int_equal(snapshot_at(&s->calls, UINT32_MAX, EVENT_NO_BCI).count, 0);
    expect(snapshot_at(&s->branches, 7, 4), 0, 0, 10);
    expect(snapshot_at(&s->branches, 7, 4), 1, 1, 20);
    expect(snapshot_at(&s->receivers, 7, 12), 0, 70, 4);
    expect(snapshot_at(&s->receivers, 7, 12), 1, 77, 105);
    expect(snapshot_at(&s->accesses, 7, 9), 0, 6, 30);
    expect(snapshot_at(&s->accesses, 7, 20), 0, 6, 40);
    assert_int_equal(snapshot_at(&s->accesses, 7, 12).count, 0);
    assert_int_equal(snapshot_field(s, 6)->gets, 4);
    assert_int_equal(snapshot_field(s, 6)->puts, 33);
    assert_int_equal(snapshot_field(s, 2)->gets, 8);
    assert_int_equal(snapshot_field(s, 2)->puts, 0);
    assert_null(snapshot_field(s, 3));
    assert_null(snapshot_field(s, 7));
    snapshot_release(s);
}

static void nothing_was_counted(void **state) {
    (void)state;
    Table d[SNAPSHOT_TABLES] = {{0}};
    ProfileSnapshot *s = snapshot_make(d, 1, 0, &every_event);
    assert_int_equal(snapshot_at(&s->calls, 1, 1).count, 0);
    assert_null(snapshot_field(s, 0));
    snapshot_release(s);
}

static void needs_all_rows(void **state) {
    (void)state;
    Table d[SNAPSHOT_TABLES] = {{0}};
    row(&d[SNAPSHOT_CALLS], 1, 2, 3, 4);
    d[SNAPSHOT_BRANCHES].failed = true;
    assert_null(snapshot_make(d, 1, 0, &every_event));
    assert_null(d[SNAPSHOT_CALLS].rows);
}

// ---- counting threads --------------------------------------------------------------------------

static void call(EventThread *t, uint32_t caller, int32_t bci, uint32_t callee) {
    t->call_edge->fn(t->call_edge, caller, bci, callee);
}

static void counts_of_all_threads(void **state) {
    (void)state;
    EventThread *one = profiler_interface.thread_start(PROFILE_OF_EVENTS, 1, "one", false, NULL),
                *two = profiler_interface.thread_start(PROFILE_OF_EVENTS, 2, "two", false, NULL);
    for (int i = 0; i < 30; i++) call(one, 5, 8, 6);
    for (int i = 0; i < 4; i++) call(two, 5, 8, 6);
    one->receiver->fn(one->receiver, 5, 8, 91);
    one->receiver->fn(one->receiver, 5, 8, 90);
    two->receiver->fn(two->receiver, 5, 8, 90);
    two->branch->fn(two->branch, 5, 3, 1);
    one->field_access->fn(one->field_access, 5, 3, 9, 0, 0, 0);
    one->field_access->fn(one->field_access, 5, 6, 9, 1, 0, 0);
    two->field_access->fn(two->field_access, 5, 6, 9, 1, 0, 0);
    ProfileSnapshot *first = snapshots_take(true);
    expect(snapshot_at(&first->calls, 5, 8), 0, 6, 34);
    expect(snapshot_at(&first->branches, 5, 3), 0, 1, 1);
    assert_int_equal(snapshot_field(first, 9)->gets, 1);
    assert_int_equal(snapshot_field(first, 9)->puts, 2);
    expect(snapshot_at(&first->receivers, 5, 8), 0, 90, 2);  // two classes that inherit one method
    expect(snapshot_at(&first->receivers, 5, 8), 1, 91, 1);
    expect(snapshot_at(&first->accesses, 5, 3), 0, 9, 1);
    expect(snapshot_at(&first->accesses, 5, 6), 0, 9, 2);

    // Later counts are in a later snapshot, even if a thread ended meanwhile; the first snapshot does not change.
    uint8_t *copy = malloc(first->bytes);
    memcpy(copy, first, offsetof(ProfileSnapshot, users));
    memcpy(copy + sizeof *first, first + 1, first->bytes - sizeof *first);
    call(one, 5, 8, 7);
    profiler_interface.thread_end(two);
    ProfileSnapshot *same = snapshots_take(false), *second = snapshots_take(true);
    assert_ptr_equal(same, first);
    assert_ptr_not_equal(second, first);
    assert_true(second->version > first->version && second->taken_ns >= first->taken_ns);
    expect(snapshot_at(&second->calls, 5, 8), 0, 6, 34);
    expect(snapshot_at(&second->calls, 5, 8), 1, 7, 1);
    assert_int_equal(snapshot_at(&first->calls, 5, 8).count, 1);
    assert_memory_equal(copy, first, offsetof(ProfileSnapshot, users));
    assert_memory_equal(copy + sizeof *first, first + 1, first->bytes - sizeof *first);
    free(copy);

    // Only the two takers hold the first snapshot; the second is also the current one.
    assert_int_equal(first->users, 2);
    assert_int_equal(second->users, 2);
    assert_int_equal(snapshots_stats().bytes, second->bytes);
    assert_int_equal(snapshots_stats().made, 2);
    snapshot_release(first);
    snapshot_release(same);
    snapshot_release(second);
    profiler_interface.thread_end(one);
}

// ---- concurrent threads ------------------------------------------------------------------------

enum { SITES = 3000, ROUNDS = 200 };
static _Atomic bool counting, begun;

static void *count(void *arg) {
    (void)arg;
    EventThread *t = profiler_interface.thread_start(PROFILE_OF_EVENTS, 3, "count", false, NULL);
    for (uint32_t i = 0; counting || i < SITES; i++) {
        begun = true;
        call(t, 1000 + i % SITES, 1, 1);  // the table grows while others read it
        call(t, 999, 1, 1);
    }
    profiler_interface.thread_end(t);
    return NULL;
}

static uint64_t count_at(const ProfileSnapshot *s, uint32_t method) {
    SnapshotSites at = snapshot_at(&s->calls, method, 1);
    return at.count ? at.rows[0].count : 0;
}

// A taker's versions and counts never decrease.
static void *take(void *fresh) {
    uint64_t version = 0, counts = 0, wrong = 0;
    for (int i = 0; i < ROUNDS; i++) {
        ProfileSnapshot *s = snapshots_take(fresh != NULL);
        uint64_t now = count_at(s, 999);
        if (s->version < version || (fresh && (s->version == version || now < counts))) wrong++;
        version = s->version;
        counts = now;
        snapshot_release(s);
    }
    return (void *)(uintptr_t)wrong;
}

static void takers_and_counters(void **state) {
    (void)state;
    pthread_t counter, takers[4];
    void *wrong;
    counting = true;
    pthread_create(&counter, NULL, count, NULL);
    while (!begun) sched_yield();
    for (int i = 0; i < 4; i++) pthread_create(&takers[i], NULL, take, i < 2 ? &counting : NULL);
    for (int i = 0; i < 4; i++) {
        pthread_join(takers[i], &wrong);
        assert_null(wrong);
    }
    counting = false;
    pthread_join(counter, NULL);
    // The threads have ended, and all of their counts are included.
    ProfileSnapshot *last = snapshots_take(true);
    uint64_t sum = 0;
    for (uint32_t m = 1000; m < 1000 + SITES; m++) sum += count_at(last, m);
    assert_true(sum > 0);
    assert_int_equal(sum, count_at(last, 999));
    assert_int_equal(last->users, 2);
    snapshot_release(last);
}

// A compilation plan has no snapshot unless -Xjit:snapshot is given.
static void off_by_default(void **state) {
    (void)state;
    assert_null(compiler_snapshot());
}

static void no_profile(void **state) {
    (void)state;
    assert_null(snapshots_take(true));
    assert_null(snapshots_take(false));
}

static int start(void **state) {
    (void)state;
    char error[256];
    ProfileRequest *request;
    const char text[] = "call-edge,branch,field-access,receiver,field-site:message=off:file=/dev/null";
    bool ok = profile_open(text, &request, error, sizeof error) == 0 && profile_start(request, error, sizeof error);
    if (!ok) print_error("%s\n", error);
    return ok ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_rows),
        cmocka_unit_test(nothing_was_counted),
        cmocka_unit_test(needs_all_rows),
        cmocka_unit_test(no_profile),
        cmocka_unit_test_setup(counts_of_all_threads, start),
        cmocka_unit_test(takers_and_counters),
        cmocka_unit_test(off_by_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
