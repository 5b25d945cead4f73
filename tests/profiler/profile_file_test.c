/* From threads that emit events to a file and back: profiler/control/profiler.c, writer.c and the reader of
 * cabernet-prof, with a fake VM for ProfileHost. There is one profiler per process, so each profile is made in a
 * child process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "profiler/control/shadows.h"
#include "profiler/tool/compare/prof_compare.h"
#include "profiler/tool/compare/prof_overlap.h"
#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/report/prof_json.h"
#include "profiler/tool/report/prof_report.h"
#include "profiler/tool/report/prof_tree.c"
#include "vm/api/profiler.h"

static uint64_t little_endian(const uint8_t *p, int size) {
    uint64_t v = 0;
    for (int i = size; i-- > 0;) v = v << 8 | p[i];
    return v;
}

static char directory[] = "/tmp/profile-test-XXXXXX";
static char path[64];

// ---- a VM with methods 0..9999 -------------------------------------------------------------------

static char names[10000][16];

static bool host_method(uint32_t id, ProfiledMethod *out) {
    if (id >= 10000) return false;
    snprintf(names[id], sizeof names[id], "m%u", id);
    *out = (ProfiledMethod){.class_name = id % 2 ? "pkg/sub/Odd" : "pkg/Even$In",
                            .name = id == 9998 ? "a b\\c"
                                : id == 0      ? "\xc3\xa9\xed\xa0\xbd\xed\xb8\x80\n"
                                               : names[id],
                            .desc = "(I[Ljava/lang/String;J)V",
                            .source_file = "Some.java",
                            .flags = 9};
    return true;
}

static int32_t host_line(uint32_t method, int32_t bci) {
    (void)method;
    return bci < 0 ? -1 : bci / 2 + 1;
}

static bool host_field(uint32_t id, ProfiledField *out) {
    static const char *const fields[] = {"size", "next", "COUNT"};
    if (id >= 3) return false;
    *out = (ProfiledField){.class_name = id ? "pkg/Node" : "pkg/List",
                           .name = fields[id],
                           .desc = id == 1 ? "Lpkg/Node;" : "I",
                           .flags = 2};
    return true;
}

static const ProfileHost host = {.method = host_method, .line = host_line, .field = host_field};

// The facts with which the profile is written.
static ProfileRun run;
static ProfileKind kind;

static void start(const char *options) {
    char text[256], error[256];
    snprintf(text, sizeof text, "%s:message=off:file=%s", options, path);
    ProfileRequest *request;
    if (profiler_interface.open(text, &request, error, sizeof error) != PROFILER_OK) _exit(9);
    kind = profiler_interface.kind(request);
    const ProfileNeeds *needs = profiler_interface.start(request, &host, error, sizeof error);
    if (!needs) _exit(9);
    run = (ProfileRun){
        .vm_version = "vm 1", .jdk_version = "17", .command = "Main a b", .mode = "-Xint", .sampling = needs->sampling};
}

static void enter(EventThread *t, uint32_t callee, uint32_t caller, int32_t bci) {
    t->produced[EVENT_method_entry]++;
    t->method_entry->fn(t->method_entry, callee);
    t->produced[EVENT_call_edge]++;
    t->call_edge->fn(t->call_edge, caller, bci, callee);
}

static int in_child(void (*body)(void)) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static ProfFile opened(void) {
    ProfFile f;
    prof_file_open(&f, path);
    if (!f.complete) print_error("%s\n", f.problem);
    assert_true(f.complete);
    char why[256];
    bool adds_up = prof_accounts(&f, why);
    if (!adds_up) print_error("%s\n", why);
    assert_true(adds_up);
    return f;
}

static uint64_t count_of_callee(const ProfFile *f, const ProfAnalysis *a, const char *name) {
    uint64_t count = 0;
    int column = prof_column(a, prof_column(a, "method") >= 0 ? "method" : "callee");
    for (size_t i = 0; i < a->merged.rows; i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        if (strcmp(f->methods[row[column]].name, name) == 0) count += prof_row_count(a, row);
    }
    return count;
}

// ---- tests -------------------------------------------------------------------------------------

static void write_two_threads(void) {
    start("exact");
    EventThread *main = profiler_interface.thread_start(kind, 1, "?", false, NULL);
    EventThread *other = profiler_interface.thread_start(kind, 2, "Reference Handler", true, NULL);
    profiler_interface.thread_rename(main, "main");
    enter(main, 3, EVENT_PSEUDO(CALLER_THREAD), EVENT_NO_BCI);
    for (int i = 0; i < 1000; i++) enter(main, 4, 3, 256);
    for (int i = 0; i < 100; i++) enter(main, 4, 3, 256);
    enter(main, 0, 12, EVENT_NO_BCI);
    for (int i = 0; i < 50; i++) enter(other, 4, 3, 256);
    main->collapsed = 7;
    profiler_interface.thread_end(other);
    profiler_interface.write(kind, "exit", &run);
}

static void two_threads(void **state) {
    (void)state;
    assert_int_equal(in_child(write_two_threads), 0);
    ProfFile f = opened();
    assert_int_equal(f.thread_count, 2);
    assert_string_equal(f.threads[0].name, "main");
    assert_int_equal(f.threads[1].flags, FORMAT_THREAD_SERVICE | FORMAT_THREAD_ENDED);
    assert_string_equal(prof_meta(&f, "command", ""), "Main a b");
    assert_string_equal(prof_meta(&f, "hidden-entries", ""), "7");
    assert_string_equal(prof_meta(&f, "ended-by", ""), "exit");
    assert_int_equal(f.analysis_count, 2);
    const ProfAnalysis *counts = &f.analyses[0], *edges = &f.analyses[1];
    assert_int_equal(counts->produced, 1152);
    assert_int_equal(counts->recorded, 1152);
    assert_int_equal(counts->lost, 0);
    assert_int_equal(count_of_callee(&f, counts, "m4"), 1150);
    assert_int_equal(count_of_callee(&f, edges, "m4"), 1150);
    assert_int_equal(edges->merged.rows, 3);
    assert_int_equal(edges->threads[1].total, 50);
    prof_file_close(&f);
}

/* The header has a row for each fact of shadows, up to any number. */
enum { FACTS = 500 };

static void write_facts(void) {
    static ShadowFact facts[FACTS];
    for (int i = 0; i < FACTS; i++) {
        snprintf(facts[i].key, sizeof facts[i].key, "shadow-reason-%d", i + 1);
        memset(facts[i].text, 'a' + i % 26, sizeof facts[i].text - 1);
    }
    start("exact");
    profiler_interface.thread_start(kind, 1, "main", false, NULL);
    shadows_sink.facts(facts, FACTS);
    profiler_interface.write(kind, "exit", &run);
}

static void header_with_many_rows(void **state) {
    (void)state;
    assert_int_equal(in_child(write_facts), 0);
    ProfFile f = opened();
    for (int i = 0; i < FACTS; i++) {
        char key[40];
        snprintf(key, sizeof key, "shadow-reason-%d", i + 1);
        const char *text = prof_meta(&f, key, "");
        assert_int_equal(strlen(text), sizeof((ShadowFact *)NULL)->text - 1);
        assert_int_equal(text[0], 'a' + i % 26);
    }
    assert_string_equal(prof_meta(&f, "command", ""), "Main a b");
    assert_true(*prof_meta(&f, "outside", ""));
    prof_file_close(&f);
}

/* Writing waits for a thread that holds the profiler's lock for long. After a fork, that thread does not exist in
 * the child. */
static _Atomic bool lock_held, lock_free;

static void *hold_lock(void *forever) {
    profiler_before_fork();
    lock_held = true;
    if (forever) pause();
    usleep(1500 * 1000);
    lock_free = true;
    profiler_after_fork();
    return NULL;
}

static void begin_with_lock_held(bool forever) {
    pthread_t holder;
    start("exact");
    enter(profiler_interface.thread_start(kind, 1, "main", false, NULL), 4, 3, 256);
    if (pthread_create(&holder, NULL, hold_lock, forever ? &lock_held : NULL) != 0) _exit(8);
    while (!lock_held) usleep(100);
}

static void write_while_locked(void) {
    begin_with_lock_held(false);
    profiler_interface.write(kind, "exit", &run);
    if (!lock_free) _exit(7);
}

static void dump_while_locked(void) {
    char error[160];
    begin_with_lock_held(false);
    if (!profiler_interface.dump(kind, NULL, &run, false, error, sizeof error)) _exit(6);
    if (!lock_free) _exit(7);
}

static void write_copy_while_locked(void) {
    begin_with_lock_held(true);
    pid_t copy = _Fork();
    if (copy == 0) {
        alarm(20);
        profiler_interface.write(kind, "signal 11", &run);
        _exit(0);
    }
    int status;
    if (waitpid(copy, &status, 0) != copy || status != 0) _exit(6);
}

static void waits_for_the_lock(void **state) {
    (void)state;
    static void (*const bodies[])(void) = {write_while_locked, dump_while_locked, write_copy_while_locked};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        unlink(path);
        assert_int_equal(in_child(bodies[i]), 0);
        ProfFile f = opened();
        assert_int_equal(f.analyses[0].recorded, 1);
        prof_file_close(&f);
    }
}

/* A profile ends and another one begins. The idle thread's events are ignored, a thread that is idle may end, one that
 * starts between the profiles gets no record, and the second profile has nothing of the first one. */
static void write_two_profiles(void) {
    char error[160];
    start("exact");
    EventThread *one = profiler_interface.thread_start(kind, 1, "one", false, NULL);
    EventThread *two = profiler_interface.thread_start(kind, 2, "two", false, NULL);
    EventThread *ended = profiler_interface.thread_start(kind, 3, "ended", false, NULL);
    for (uint32_t i = 0; i < 100; i++) enter(i % 2 ? one : two, 4, 3, 256);
    enter(ended, 4, 3, 256);
    profiler_interface.thread_end(ended);
    if (!profiler_interface.dump(kind, NULL, &run, true, error, sizeof error)) _exit(6);
    profiler_interface.end(kind);
    if (!one->idle || !two->idle) _exit(7);
    enter(one, 5, 3, 256);
    profiler_interface.counted(one, EVENT_method_entry, (uint32_t[]){5}, 9);
    profiler_interface.thread_rename(one, "renamed");
    profiler_interface.thread_end(two);
    if (profiler_interface.thread_start(kind, 4, "between", false, NULL)) _exit(8);
    start("exact");
    if (profiler_interface.thread_renew(one, 1, "again", false, NULL) != one || one->idle) _exit(5);
    for (uint32_t i = 0; i < 7; i++) enter(one, 6, 3, 256);
    profiler_interface.write(kind, "exit", &run);
}

static void one_profile_after_the_other(void **state) {
    (void)state;
    assert_int_equal(in_child(write_two_profiles), 0);
    ProfFile f = opened();
    assert_int_equal(f.thread_count, 1);
    assert_string_equal(f.threads[0].name, "again");
    assert_string_equal(prof_meta(&f, "ended-by", ""), "exit");
    for (size_t a = 0; a < f.analysis_count; a++) {
        bool calls = strcmp(f.analyses[a].name, "method-count") == 0 || strcmp(f.analyses[a].name, "call-edge") == 0;
        assert_int_equal(f.analyses[a].recorded, calls ? 7 : 0);
        assert_int_equal(f.analyses[a].lost, 0);
    }
    prof_file_close(&f);
}

/* Two threads build the same tree in different orders; a recursion of depth 3 is folded. */
static void call_in_tree(EventThread *t, uint32_t callee, uint32_t caller, int32_t bci) {
    t->produced[EVENT_call_edge]++;
    t->call_edge->fn(t->call_edge, caller, bci, callee);
}

static void return_in_tree(EventThread *t, uint32_t method) {
    t->produced[EVENT_method_exit]++;
    t->method_exit->fn(t->method_exit, method);
}

static void write_trees(void) {
    start("call-tree,call-subtree");
    for (uint32_t i = 1; i <= 2; i++) {
        EventThread *t = profiler_interface.thread_start(kind, i, i == 1 ? "one" : "two", false, NULL);
        call_in_tree(t, 3, EVENT_PSEUDO(CALLER_THREAD), EVENT_NO_BCI);
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t callee = (k == 0) == (i == 1) ? 4 : 5;
            for (uint32_t n = 0; n < 10 * i; n++) {
                call_in_tree(t, callee, 3, (int32_t)(2 * callee));
                return_in_tree(t, callee);
            }
        }
        call_in_tree(t, 3, 3, 12);
        call_in_tree(t, 5, 3, 10);
        call_in_tree(t, 6, 5, 0);
    }
    profiler_interface.write(kind, "exit", &run);
}

// ---- times of samples ----

static void sample(EventThread *t, uint32_t top, uint32_t ticks) {
    TimeSample s = {.ticks = ticks, .count = 2, .frames = {{top, 2}, {3, 4}}};
    profiler_interface.sample(t, TIME_CPU, &s);
}

static void write_times(void) {
    start("cpu");
    EventThread *one = profiler_interface.thread_start(kind, 1, "one", false, NULL);
    EventThread *two = profiler_interface.thread_start(kind, 2, "two", false, NULL);
    sample(one, 4, 2);
    sample(two, 4, 3);
    usleep(60000);
    sample(one, 4, 5);
    sample(one, 5, 7);
    EventThread *ended = profiler_interface.thread_start(kind, 3, "three", false, NULL);
    sample(ended, 6, 11);
    profiler_interface.thread_end(ended);
    profiler_interface.write(kind, "exit", &run);
}

static void times(void **state) {
    (void)state;
    assert_int_equal(in_child(write_times), 0);
    ProfFile f = opened();
    const ProfAnalysis *cpu = prof_analysis(&f, "cpu");
    uint64_t of[3][10] = {{0}}, total = 0;
    uint32_t first = UINT32_MAX, last = 0;
    assert_int_equal(f.time_count, 3);
    for (size_t i = 0; i < f.time_count; i++) {
        const ProfTimes *t = &f.times[i];
        assert_ptr_equal(&f.analyses[t->analysis], cpu);
        assert_int_equal(t->slot_ns, 20000000);
        for (size_t k = 0; k < t->row_count; k++) {
            const ProfTimeRow *row = &t->rows[k];
            const char *name = f.methods[prof_row(cpu, &cpu->merged, row->node)[prof_column(cpu, "callee")]].name;
            of[t->thread][name[1] - '0'] += row->count;
            total += row->count;
            if (row->slot < first) first = row->slot;
            if (row->slot > last) last = row->slot;
        }
    }
    assert_int_equal(of[0][4], 7);
    assert_int_equal(of[0][5], 7);
    assert_int_equal(of[1][4], 3);
    assert_int_equal(of[2][6], 11);
    assert_int_equal(total, cpu->recorded);
    assert_true(last >= first + 3);  // 60 ms later
    prof_file_close(&f);
}

enum { MANY_TIMES = 140000 };

// More stacks in each slot of time than a profile keeps apart.
static void write_many_times(void) {
    start("cpu");
    EventThread *t = profiler_interface.thread_start(kind, 1, "one", false, NULL);
    for (uint32_t i = 0; i < MANY_TIMES; i++) {
        TimeSample s = {.ticks = 1, .count = 2, .frames = {{i % 10000, 2}, {3, (int32_t)(i / 10000)}}};
        profiler_interface.sample(t, TIME_CPU, &s);
        if (i % 10000 == 9999) usleep(20000);
    }
    profiler_interface.write(kind, "exit", &run);
}

static void wider_times(void **state) {
    (void)state;
    assert_int_equal(in_child(write_many_times), 0);
    ProfFile f = opened();
    uint64_t total = 0;
    assert_int_equal(f.time_count, 1);
    assert_int_equal(f.times->slot_ns, 40000000);
    for (size_t k = 0; k < f.times->row_count; k++) total += f.times->rows[k].count;
    assert_int_equal(total, MANY_TIMES);
    assert_int_equal(prof_analysis(&f, "cpu")->recorded, MANY_TIMES);
    prof_file_close(&f);
}

static void trees(void **state) {
    (void)state;
    assert_int_equal(in_child(write_trees), 0);
    ProfFile f = opened();
    const ProfAnalysis *a = &f.analyses[0], *sets = &f.analyses[1];
    assert_true(prof_is_tree(a) && prof_is_tree(sets));
    assert_int_equal(a->merged.rows, 5);
    assert_int_equal(a->recorded, 68);
    assert_int_equal(sets->recorded, 68);
    TreeRow *rows = read_tree(a, &a->merged);
    static const struct {
        const char *name;
        uint64_t count, inclusive;
    } wanted[] = {{"m3", 2, 68}, {"m4", 30, 30}, {"m5", 32, 34}, {"m6", 2, 2}, {"m3", 2, 2}};
    for (size_t i = 0; i < 5; i++) {
        const uint64_t *row = prof_row(a, &a->merged, i);
        assert_string_equal(f.methods[row[prof_column(a, "callee")]].name, wanted[i].name);
        assert_int_equal(prof_row_count(a, row), wanted[i].count);
        assert_int_equal(rows[i].inclusive, wanted[i].inclusive);
        assert_int_equal(rows[i].depth, i == 0 ? 0 : i == 3 ? 2 : 1);
        assert_int_equal(is_folded(&f, a, &a->merged, rows, i, prof_column(a, "callee"), 1), i == 4);
    }
    free(rows);
    // A node has the same ID in each thread's table and in the sum.
    for (size_t t = 0; t < 2; t++) {
        ProfTable rows = prof_thread_table(&f, a, t);
        for (size_t i = 0; i < 5; i++) assert_int_equal(prof_row(a, &rows, i)[0], prof_row(a, &a->merged, i)[0]);
        prof_table_free(&rows);
    }
    prof_file_close(&f);
}

/* Modified UTF-8 is converted to UTF-8; control characters are removed. */
static void names_are_text(void **state) {
    (void)state;
    assert_int_equal(in_child(write_two_threads), 0);
    ProfFile f = opened();
    bool found = false;
    for (size_t i = 0; i < f.method_count; i++)
        if (strcmp(f.methods[i].name, "\xc3\xa9\xf0\x9f\x98\x80?") == 0) {
            found = true;
            char *text = prof_method_text(&f.methods[i]);
            assert_string_equal(text, "pkg.Even$In.\xc3\xa9\xf0\x9f\x98\x80?(int, String[], long)");
            free(text);
        }
    assert_true(found);
    prof_file_close(&f);
}

static void access_field(EventThread *t, uint32_t field, uint32_t kind, int times) {
    for (int i = 0; i < times; i++) {
        t->produced[EVENT_field_access]++;
        t->field_access->fn(t->field_access, 3, 0, field, kind, 0, 0);
    }
}

static void branch(EventThread *t, uint32_t method, int32_t bci, uint32_t edge, int times) {
    for (int i = 0; i < times; i++) {
        t->produced[EVENT_branch]++;
        t->branch->fn(t->branch, method, bci, edge);
    }
}

static void write_fields(void) {
    start("field-access,branch,method-count");
    EventThread *t = profiler_interface.thread_start(kind, 1, "main", false, NULL);
    enter(t, 3, EVENT_PSEUDO(CALLER_THREAD), EVENT_NO_BCI);
    access_field(t, 0, 0, 10);
    access_field(t, 0, 1, 20);
    access_field(t, 1, 0, 300);
    access_field(t, 2, 1, 5);
    access_field(t, 7, 0, 1);  // a field that the VM cannot name
    branch(t, 3, 256, 0, 40);
    branch(t, 3, 256, 1, 60);
    branch(t, 4, 512, 17, 3);
    EventThread *other = profiler_interface.thread_start(kind, 2, "other", false, NULL);
    access_field(other, 1, 0, 7);
    profiler_interface.thread_end(other);
    profiler_interface.write(kind, "exit", &run);
}

static void export_is(const ProfFile *f, const ProfOptions *o, const char *want) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(prof_export_lines(f, o, out), 0);
    fclose(out);
    assert_string_equal(text, want);
    free(text);
}

static void fields_and_branches(void **state) {
    (void)state;
    assert_int_equal(in_child(write_fields), 0);
    ProfFile f = opened();
    assert_int_equal(f.analysis_count, 3);
    assert_int_equal(f.field_count, 4);
    export_is(&f, &(ProfOptions){.analysis = "field-access"},
              "field <unknown>: get 1\n"
              "field pkg.List.size:I get 10\n"
              "field pkg.List.size:I put 20\n"
              "field pkg.Node.COUNT:I put 5\n"
              "field pkg.Node.next:Lpkg/Node; get 307\n");
    export_is(&f, &(ProfOptions){.analysis = "branch"},
              "branch pkg.Even$In.m4(I[Ljava/lang/String;J)V 512 17 3\n"
              "branch pkg.sub.Odd.m3(I[Ljava/lang/String;J)V 256 0 40\n"
              "branch pkg.sub.Odd.m3(I[Ljava/lang/String;J)V 256 1 60\n");
    export_is(&f, &(ProfOptions){.filters = {"pkg.Node"}, .filter_count = 1},
              "field pkg.Node.COUNT:I put 5\nfield pkg.Node.next:Lpkg/Node; get 307\n");
    prof_file_close(&f);
}

static char *reported(const ProfFile *f) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(prof_report(f, &(ProfOptions){0}, out), 0);
    fclose(out);
    return text;
}

static void reports_classes(void **state) {
    (void)state;
    assert_int_equal(in_child(write_fields), 0);
    ProfFile f = opened();
    char *text = reported(&f);
    static const char *const parts[] = {"pkg.Node.next get", "pkg.Node (307 get, 5 put)", "pkg.List (10 get, 20 put)",
                                        "pkg.sub.Odd.m3(Some.java:129) @256 edge 1", "343 field accesses produced"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text, parts[i])) print_error("no %s in\n%s\n", parts[i], text);
        assert_non_null(strstr(text, parts[i]));
    }
    free(text);
    prof_file_close(&f);
}

static void write_sampled(const char *options, const char *change) {
    start(options);
    EventThread *t = profiler_interface.thread_start(kind, 1, "main", false, NULL);
    enter(t, 3, EVENT_PSEUDO(CALLER_THREAD), EVENT_NO_BCI);
    char error[100];
    run.checks = 1234567;
    run.samples = 1234;
    run.truncated = 2;
    run.off_ns = 500;
    if (*change && !profiler_interface.change_sampling(kind, &run.sampling, change, error, sizeof error)) _exit(8);
    run.changes = *change != 0;
    profiler_interface.write(kind, "exit", &run);
}

static void write_counter(void) { write_sampled("sampled:sampling=counter:dup=partial", ""); }
static void write_rate(void) { write_sampled("sampled:rate=500", ""); }
static void write_jitter(void) { write_sampled("bursty:sampling=jitter:seed=9", "interval=500:burst=7"); }
static void write_timer(void) { write_sampled("call-edge:sampling=timer:interval=2500us", ""); }

/* The header records a profile's properties, and the report states them. */
static void says(void (*write)(void), const char *key, const char *value, const char *sentence) {
    assert_int_equal(in_child(write), 0);
    ProfFile f = opened();
    if (strcmp(prof_meta(&f, key, ""), value) != 0) print_error("%s: %s\n", key, prof_meta(&f, key, ""));
    assert_string_equal(prof_meta(&f, key, ""), value);
    char *text = reported(&f);
    if (!strstr(text, sentence)) print_error("no %s in\n%s\n", sentence, text);
    assert_non_null(strstr(text, sentence));
    free(text);
    prof_file_close(&f);
}

static void states_its_sampling(void **state) {
    (void)state;
    says(write_counter, "sampling", "counter", "every 997 checks, for 1 of them");
    says(write_counter, "interval", "997", "dup=partial");
    says(write_counter, "samples", "1234", "1,234 of 1,234,567 checks; 2 samples cut short");
    says(write_counter, "execution", "-Xint", "method-count, call-edge: sampled");
    says(write_counter, "off-ns", "500", "recording was on for");
    says(write_rate, "rate", "500", "500 in a second of processor time, which came to one in 1,000 checks");
    says(write_jitter, "jitter", "50", "every 500 checks, give or take 50 at random (seed 9), for 7 of them");
    says(write_jitter, "changes", "1", "was changed 1 times");
    says(write_timer, "interval-us", "2500", "by a timer every 2.5 ms");
    says(write_two_threads, "interval", "", "exact, every event recorded");
}

// ---- comparing -----------------------------------------------------------------------------------

static void write_exact(void) {
    start("call-edge,method-count");
    EventThread *t = profiler_interface.thread_start(kind, 1, "main", false, NULL);
    for (int i = 0; i < 60; i++) enter(t, 3, 9, 256);
    for (int i = 0; i < 30; i++) enter(t, 4, 9, 512);
    for (int i = 0; i < 10; i++) enter(t, 5, 9, 768);
    profiler_interface.write(kind, "exit", &run);
}

/* The same places with different counts, as in another run, and sampled. */
static void write_few(void) {
    start("method-count,call-edge:sampling=counter");
    EventThread *t = profiler_interface.thread_start(kind, 1, "main", false, NULL);
    for (int i = 0; i < 9; i++) enter(t, 3, 9, 256);
    for (int i = 0; i < 9; i++) enter(t, 4, 9, 512);
    for (int i = 0; i < 2; i++) enter(t, 6, 9, 0x4000);
    profiler_interface.write(kind, "exit", &run);
}

static char *comparison(void (*first)(void), void (*second)(void), const ProfOptions *o,
                        int (*command)(const ProfFile *, const ProfOptions *, FILE *)) {
    ProfFile files[2];
    assert_int_equal(in_child(first), 0);
    files[0] = opened();
    assert_int_equal(in_child(second), 0);
    files[1] = opened();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(command(files, o, out), 0);
    fclose(out);
    prof_file_close(&files[0]);
    prof_file_close(&files[1]);
    return text;
}

static double real_at(const json_t *analysis, const char *key) {
    return json_real_value(json_object_get(analysis, key));
}

/* Shares 60 30 10 0 and 45 45 0 10 overlap by 45 + 30; the first two by 50 + 33.3. */
static void overlaps(void **state) {
    (void)state;
    char *text = comparison(write_exact, write_few, &(ProfOptions){.json = true}, prof_overlap);
    json_t *root = json_loads(text, 0, NULL), *analyses = json_object_get(root, "analyses");
    assert_int_equal(json_array_size(analyses), 2);
    for (size_t i = 0; i < 2; i++) {
        json_t *a = json_array_get(analyses, i), *ideal = json_object_get(a, "ideal");
        assert_true(fabs(real_at(a, "overlap") - 75) < 1e-9);
        assert_true(fabs(real_at(a, "overlapTop90") - 250.0 / 3) < 1e-9);
        assert_int_equal(json_integer_value(json_object_get(a, "top90Rows")), 2);
        assert_int_equal(json_integer_value(json_object_get(a, "onlyInB")), 1);
        assert_int_equal(json_integer_value(json_object_get(ideal, "events")), 20);
        assert_true(real_at(ideal, "low") <= real_at(ideal, "expected"));
        assert_true(real_at(ideal, "high") >= real_at(ideal, "expected"));
        json_t *first = json_array_get(json_object_get(a, "differences"), 0);
        assert_true(fabs(fabs(real_at(first, "shareA") - real_at(first, "shareB")) - 15) < 1e-9);
    }
    json_decref(root);
    free(text);
    /* The exact profile is the reference in either order. */
    text = comparison(write_few, write_exact, &(ProfOptions){.analysis = "method-count"}, prof_overlap);
    assert_non_null(strstr(text, "overlap   75.00 %"));
    assert_non_null(strstr(text, "83.33 %  over the 2 most frequent rows of B"));
    assert_non_null(strstr(text, "expected of 20 events"));
    assert_null(strstr(text, "call-edge:"));
    free(text);
    text = comparison(write_exact, write_exact, &(ProfOptions){0}, prof_overlap);
    assert_non_null(strstr(text, "overlap  100.00 %"));
    assert_null(strstr(text, "ideal"));
    assert_null(strstr(text, "largest differences"));
    free(text);
}

/* 20 events in bursts of 4 checks count as 5 independent ones. */
static void write_bursts(void) {
    start("method-count,call-edge:sampling=counter:burst=4");
    EventThread *t = profiler_interface.thread_start(kind, 1, "main", false, NULL);
    for (int i = 0; i < 20; i++) enter(t, 3 + (i >= 12), 9, 256);
    run.samples = 20;
    profiler_interface.write(kind, "exit", &run);
}

static void bursts_are_not_independent(void **state) {
    (void)state;
    const OverlapItem exact[] = {{60, 0}, {30, 0}, {10, 0}};
    char *text = comparison(write_exact, write_bursts, &(ProfOptions){.json = true}, prof_overlap);
    json_t *root = json_loads(text, 0, NULL),
           *ideal = json_object_get(json_array_get(json_object_get(root, "analyses"), 0), "ideal");
    assert_int_equal(json_integer_value(json_object_get(ideal, "events")), 20);
    assert_int_equal(json_integer_value(json_object_get(ideal, "independentEvents")), 5);
    assert_true(fabs(real_at(ideal, "expected") - overlap_ideal(exact, 3, 5)) < 1e-9);
    assert_true(fabs(real_at(ideal, "expectedIfAllIndependent") - overlap_ideal(exact, 3, 20)) < 1e-9);
    json_decref(root);
    free(text);
    text = comparison(write_exact, write_bursts, &(ProfOptions){0}, prof_overlap);
    assert_non_null(strstr(text, "as many as there were bursts"));
    free(text);
}

static void write_space(void) {
    start("call-edge");
    enter(profiler_interface.thread_start(kind, 1, "main", false, NULL), 9998, 9, 256);
    profiler_interface.write(kind, "exit", &run);
}

/* A name with a space and a backslash still forms one word. */
static void lines_are_words(void **state) {
    (void)state;
    assert_int_equal(in_child(write_space), 0);
    ProfFile f = opened();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(prof_export_lines(&f, &(ProfOptions){0}, out), 0);
    fclose(out);
    assert_string_equal(
        text, "edge pkg.sub.Odd.m9(I[Ljava/lang/String;J)V 256 pkg.Even$In.a\\sb\\\\c(I[Ljava/lang/String;J)V 1\n");
    free(text);
    prof_file_close(&f);
}

static void differs(void **state) {
    (void)state;
    char *text = comparison(write_exact, write_few,
                            &(ProfOptions){.analysis = "call-edge", .top = 2, .top_given = true}, prof_diff);
    static const char *const parts[] = {
        "4 rows differ", "-51", "-21", "(2 more)",
        "pkg.sub.Odd.m9(I[Ljava/lang/String;J)V 256 pkg.sub.Odd.m3(I[Ljava/lang/String;J)V"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!strstr(text, parts[i])) print_error("no %s in\n%s\n", parts[i], text);
        assert_non_null(strstr(text, parts[i]));
    }
    free(text);
    text = comparison(write_exact, write_exact, &(ProfOptions){0}, prof_diff);
    assert_non_null(strstr(text, "  equal\n"));
    assert_null(strstr(text, "differ\n"));
    free(text);
}

static void write_lost(void) {
    start("method-count");
    EventThread *t = profiler_interface.thread_start(kind, 1, "main", false, NULL);
    enter(t, 1, 2, 0x1000);
    enter(t, 4000000000u, 2, 0x1000);  // beyond every array
    profiler_interface.counted(NULL, EVENT_method_entry, NULL, 1);
    profiler_interface.write(kind, "exit", &run);
}

static void lost_events_are_counted(void **state) {
    (void)state;
    assert_int_equal(in_child(write_lost), 0);
    ProfFile f = opened();
    const ProfAnalysis *a = &f.analyses[0];
    assert_int_equal(a->produced, 3);
    assert_int_equal(a->recorded, 1);
    assert_int_equal(a->lost, 2);
    prof_file_close(&f);
}

enum { MANY = 700, WORKERS = 4 };

static void *worker(void *arg) {
    uint64_t first = (uint64_t)(uintptr_t)arg * MANY;
    for (uint64_t i = 0; i < MANY; i++) {
        EventThread *t = profiler_interface.thread_start(kind, first + i, "worker", false, NULL);
        for (uint32_t k = 0; k < 20; k++) enter(t, 10 + k, 2, (int32_t)(100 + k));
        profiler_interface.thread_end(t);
    }
    return NULL;
}

static void write_many_threads(void) {
    start("exact");
    profiler_interface.thread_start(kind, 100000, "main", false, NULL);
    pthread_t id[WORKERS];
    for (uintptr_t i = 0; i < WORKERS; i++) pthread_create(&id[i], NULL, worker, (void *)i);
    for (int i = 0; i < WORKERS; i++) pthread_join(id[i], NULL);
    profiler_interface.write(kind, "exit", &run);
}

/* Beyond a limit, ended threads share a record; no counts are lost. */
static void many_threads(void **state) {
    (void)state;
    assert_int_equal(in_child(write_many_threads), 0);
    ProfFile f = opened();
    assert_true(f.thread_count < 600);
    uint64_t threads = 0;
    for (size_t i = 0; i < f.thread_count; i++) threads += f.threads[i].stands_for;
    assert_int_equal(threads, MANY * WORKERS + 1);
    assert_int_equal(f.analyses[0].recorded, MANY * WORKERS * 20);
    assert_int_equal(count_of_callee(&f, &f.analyses[1], "m12"), MANY * WORKERS);
    prof_file_close(&f);
}

static void write_big(void) {
    start("exact");
    EventThread *t = profiler_interface.thread_start(kind, 1, "main", false, NULL);
    for (uint32_t i = 0; i < 9000; i++) enter(t, i, i / 3, (int32_t)(i % 1000));
    profiler_interface.write(kind, "exit", &run);
}

static void json_is_whole(void **state) {
    (void)state;
    assert_int_equal(in_child(write_big), 0);
    ProfFile f = opened();
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(prof_json(&f, &(ProfOptions){.threads = true}, out), 0);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    json_t *first = json_array_get(json_object_get(root, "analyses"), 0);
    assert_int_equal(json_array_size(json_object_get(first, "rows")), 9000);
    json_decref(root);
    free(text);
    prof_file_close(&f);
}

static void filters(void **state) {
    (void)state;
    ProfMethod m = {"java.util.Map$Entry", "get", "()V", NULL, 0, 0, false};
    static const struct {
        const char *filter;
        bool match;
    } cases[] = {
        {"java", true},
        {"java.util", true},
        {"java.util.", true},
        {"java.ut", false},
        {"java.util.Map", true},
        {"java.util.Map$Entry", true},
        {"java.util.Map$Entry.get", true},
        {"java.util.Map$Entry.ge", false},
        {"*.get", true},
        {"java.*Map*", true},
        {"*.put", false},
        {"*.g?t", true},
        {"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(prof_match(&m, cases[i].filter), cases[i].match);
}

// ---- unwritable paths --------------------------------------------------------------------------------

static void failing_write(void) {
    start("exact");
    freopen("/dev/null", "w", stderr);
    profiler_interface.thread_start(kind, 1, "main", false, NULL);
    profiler_interface.write(kind, "exit", &run);
}

/* Paths known to be bad before the start are rejected there (exit code 9), and no file is created. */
static void unwritable_places(void **state) {
    (void)state;
    char saved[sizeof path];
    strcpy(saved, path);
    static const char *const bad[] = {"/dev/full", "/nonexistent/x.prof", "/", "/proc/x.prof"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        strcpy(path, bad[i]);
        int code = in_child(failing_write);
        strcpy(path, saved);
        assert_int_equal(code, i == 0 ? 0 : 9);
    }
}

static void write_limited(void) {
    struct rlimit none = {100, 100};
    setrlimit(RLIMIT_FSIZE, &none);
    failing_write();
}

/* Exceeding the file size limit raises a signal that would kill the program. No partial file remains. */
static void size_limit(void **state) {
    (void)state;
    unlink(path);
    assert_int_equal(in_child(write_limited), 0);
    assert_int_equal(access(path, F_OK), -1);
}

// ---- damaged files -------------------------------------------------------------------------------

static uint8_t *whole;
static size_t whole_size;

static void save(const uint8_t *data, size_t size) {
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(data, 1, size, out), size);
    fclose(out);
}

static void load_whole(void) {
    char problem[64];
    assert_int_equal(in_child(write_big), 0);
    whole = prof_load(path, &whole_size, problem, sizeof problem);
    assert_non_null(whole);
}

/* Data that the reader accepts must be consistent enough for every command. */
static bool survives(const uint8_t *data, size_t size) {
    save(data, size);
    ProfFile f;
    prof_file_open(&f, path);
    bool complete = f.complete;
    if (!complete) assert_true(f.problem[0]);
    FILE *out = fopen("/dev/null", "w");
    if (f.meta_count && size < 20000) {
        prof_json(&f, &(ProfOptions){.threads = true}, out);
        prof_report(&f, &(ProfOptions){.threads = true}, out);
        prof_export_lines(&f, &(ProfOptions){0}, out);
    }
    fclose(out);
    prof_file_close(&f);
    return complete;
}

static void truncated(void **state) {
    (void)state;
    load_whole();
    for (size_t n = 0; n < whole_size; n += n < 300 ? 1 : 997) assert_false(survives(whole, n));
    assert_true(survives(whole, whole_size));
    uint8_t *longer = calloc(1, whole_size + 1);
    memcpy(longer, whole, whole_size);
    assert_false(survives(longer, whole_size + 1));
    free(longer);
    free(whole);
}

static void flipped_bits(void **state) {
    (void)state;
    load_whole();
    for (size_t at = 0; at < whole_size; at += at < 200 ? 1 : 1009) {
        if (at >= 12 && at < 16) continue;  // reserved
        whole[at] ^= 1 << (at % 8);
        assert_false(survives(whole, whole_size));
        whole[at] ^= 1 << (at % 8);
    }
    free(whole);
}

static uint64_t random_state = 88172645463325252u;
static uint64_t random_next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Damages the contents under correct checksums: payloads are rewritten, uncompressed. */
static size_t repack(const uint8_t *from, size_t size, uint8_t *to, bool damage) {
    size_t at = FORMAT_HEADER, n = FORMAT_HEADER;
    memcpy(to, from, FORMAT_HEADER);
    while (at < size) {
        const uint8_t *h = from + at;
        uint64_t stored = little_endian(h + 8, 8), raw = little_endian(h + 16, 8);
        uint8_t *payload = to + n + FORMAT_CHUNK_HEADER;
        if (little_endian(h + 4, 4)) {
            uLongf got = raw;
            assert_int_equal(uncompress(payload, &got, h + FORMAT_CHUNK_HEADER, stored), Z_OK);
        } else {
            memcpy(payload, h + FORMAT_CHUNK_HEADER, raw);
        }
        for (int hits = damage && raw ? (int)(random_next() % 3) : 0; hits > 0; hits--)
            payload[random_next() % (random_next() % 4 ? raw : raw < 40 ? raw : 40)] = (uint8_t)random_next();
        uint8_t *head = to + n;
        memcpy(head, h, 4);
        memset(head + 4, 0, 4);
        memcpy(head + 8, &raw, 8);
        memcpy(head + 16, &raw, 8);
        uint32_t crc = (uint32_t)crc32_z(0, payload, raw);
        memcpy(head + 24, &crc, 4);
        crc = (uint32_t)crc32_z(0, head, 28);
        memcpy(head + 28, &crc, 4);
        at += FORMAT_CHUNK_HEADER + stored;
        n += FORMAT_CHUNK_HEADER + raw;
    }
    return n;
}

static void damage_payloads(void (*write)(void)) {
    char problem[64];
    assert_int_equal(in_child(write), 0);
    whole = prof_load(path, &whole_size, problem, sizeof problem);
    uint8_t *copy = malloc(1 << 20);
    assert_true(survives(copy, repack(whole, whole_size, copy, false)));
    int rounds = getenv("FUZZ_ROUNDS") ? atoi(getenv("FUZZ_ROUNDS")) : 2000;
    for (int i = 0; i < rounds; i++) survives(copy, repack(whole, whole_size, copy, true));
    free(copy);
    free(whole);
}

static void damaged_payloads(void **state) {
    (void)state;
    damage_payloads(write_two_threads);
    damage_payloads(write_fields);
    damage_payloads(write_trees);
    damage_payloads(write_times);
}

static void not_profiles(void **state) {
    (void)state;
    ProfFile f;
    prof_file_open(&f, "/nonexistent");
    assert_non_null(strstr(f.problem, "No such file"));
    prof_file_close(&f);
    prof_file_open(&f, "/");
    assert_false(f.complete);
    assert_true(f.problem[0]);
    prof_file_close(&f);
    save((const uint8_t *)"#!/bin/sh\necho hello, world\n", 28);
    prof_file_open(&f, path);
    assert_string_equal(f.problem, "not a cabernet profile");
    prof_file_close(&f);
}

static int make_directory(void **state) {
    (void)state;
    if (!mkdtemp(directory)) return -1;
    snprintf(path, sizeof path, "%s/test.prof", directory);
    return 0;
}

static int remove_directory(void **state) {
    (void)state;
    unlink(path);
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads),
        cmocka_unit_test(header_with_many_rows),
        cmocka_unit_test(waits_for_the_lock),
        cmocka_unit_test(one_profile_after_the_other),
        cmocka_unit_test(trees),
        cmocka_unit_test(names_are_text),
        cmocka_unit_test(lost_events_are_counted),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(states_its_sampling),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(differs),
        cmocka_unit_test(bursts_are_not_independent),
        cmocka_unit_test(lines_are_words),
        cmocka_unit_test(fields_and_branches),
        cmocka_unit_test(reports_classes),
        cmocka_unit_test(json_is_whole),
        cmocka_unit_test(filters),
        cmocka_unit_test(unwritable_places),
        cmocka_unit_test(size_limit),
        cmocka_unit_test(truncated),
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(times),
        cmocka_unit_test(wider_times),
        cmocka_unit_test(damaged_payloads),
        cmocka_unit_test(not_profiles),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
