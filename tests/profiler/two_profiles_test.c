/* A profile of events and one of time in one process (vm/api/profiler.h): what conflicts, their names and files, and
 * that neither has anything of the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/tool/read/prof_file.h"
#include "vm/api/profiler.h"

static char directory[] = "/tmp/two-profiles-XXXXXX";

static bool host_method(uint32_t id, ProfiledMethod *out) {
    *out = (ProfiledMethod){.class_name = "pkg/Some", .name = "m", .desc = "()V", .source_file = "Some.java"};
    return id < 10;
}

static int32_t host_line(uint32_t method, int32_t bci) { return (int32_t)method + bci; }

static const ProfileHost host = {.method = host_method, .line = host_line};
static const ProfileRun run = {.vm_version = "vm 1", .jdk_version = "17", .command = "Main", .mode = "-Xint"};

static char why[400];

static ProfileRequest *requested(const char *text) {
    ProfileRequest *request;
    if (profiler_interface.open(text, &request, why, sizeof why) != PROFILER_OK) fail_msg("%s: %s", text, why);
    return request;
}

static ProfileKind kind_of(const char *text) {
    ProfileRequest *request = requested(text);
    ProfileKind kind = profiler_interface.kind(request);
    profiler_interface.discard(request);
    return kind;
}

static void starts(const char *text) {
    ProfileRequest *request = requested(text);
    assert_int_equal(profiler_interface.conflict(request), PROFILE_KINDS);
    if (!profiler_interface.start(request, &host, why, sizeof why)) fail_msg("%s: %s", text, why);
}

static void is_refused(const char *text, ProfileKind with, const char *reason) {
    ProfileRequest *request = requested(text);
    assert_int_equal(profiler_interface.conflict(request), with);
    assert_null(profiler_interface.start(request, &host, why, sizeof why));
    assert_string_equal(why, reason);
}

static void kinds(void **state) {
    (void)state;
    assert_int_equal(kind_of("cpu"), PROFILE_OF_TIME);
    assert_int_equal(kind_of("cpu,wall,counters"), PROFILE_OF_TIME);
    assert_int_equal(kind_of("wall:hz=7:name=mine"), PROFILE_OF_TIME);
    assert_int_equal(kind_of("cpu,call-edge"), PROFILE_OF_EVENTS);
    assert_int_equal(kind_of("alloc"), PROFILE_OF_EVENTS);
    assert_int_equal(kind_of("sampled"), PROFILE_OF_EVENTS);
    assert_int_equal(kind_of("method-count:transport=cab"), PROFILE_OF_EVENTS);
    assert_int_equal(kind_of("method-count:where=shadow"), PROFILE_OF_EVENTS);
}

static void ends(ProfileKind kind) {
    if (!profiler_interface.dump(kind, NULL, &run, true, why, sizeof why)) fail_msg("%s", why);
    profiler_interface.end(kind);
    assert_null(profiler_interface.name(kind));
}

static void conflicts(void **state) {
    (void)state;
    char there[200], time[200];
    snprintf(there, sizeof there,
             "there is the profile events of method-count,call-edge in %s/a, which Profile.end ends", directory);
    snprintf(time, sizeof time, "there is the profile mine of cpu in %s/b, which Profile.end ends", directory);
    starts("method-count,call-edge:file=a");
    assert_string_equal(profiler_interface.name(PROFILE_OF_EVENTS), "events");
    is_refused("branch:file=x", PROFILE_OF_EVENTS, there);
    is_refused("branch,cpu:file=x", PROFILE_OF_EVENTS, there);
    is_refused("cpu:name=events", PROFILE_OF_EVENTS, there);
    starts("cpu:name=mine:file=b");
    assert_string_equal(profiler_interface.name(PROFILE_OF_TIME), "mine");
    is_refused("wall:file=x", PROFILE_OF_TIME, time);
    ends(PROFILE_OF_EVENTS);
    is_refused("branch,wall:file=x", PROFILE_OF_TIME, time);
    is_refused("branch:name=mine", PROFILE_OF_TIME, time);
    ends(PROFILE_OF_TIME);
    // One profile with both mechanisms leaves none for another one.
    snprintf(there, sizeof there, "there is the profile events of cpu,branch in %s/a, which Profile.end ends",
             directory);
    starts("branch,cpu:file=a");
    is_refused("wall:file=x", PROFILE_OF_EVENTS, there);
    is_refused("counters:file=x", PROFILE_OF_EVENTS, there);
    ends(PROFILE_OF_EVENTS);
}

/* Two profiles never write the same file. */
static void files(void **state) {
    (void)state;
    char first[64], second[64], reason[200];
    long pid = (long)getpid();
    snprintf(first, sizeof first, "cabernet-%ld.prof", pid);
    snprintf(reason, sizeof reason, "the profile exact writes %s/%s", directory, first);
    starts("method-count:name=exact");
    char text[100];
    snprintf(text, sizeof text, "cpu:file=%s", first);
    is_refused(text, PROFILE_KINDS, reason);
    is_refused("cpu:file=cabernet-%p.prof", PROFILE_KINDS, reason);
    const char *const names[] = {"time", "mine"};
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "cpu:name=%s", names[i]);
        starts(text);
        ends(PROFILE_OF_TIME);
        snprintf(second, sizeof second, "cabernet-%ld-%s.prof", pid, names[i]);
        assert_int_equal(access(second, R_OK), 0);
    }
    assert_int_equal(access(first, F_OK), -1);
    ends(PROFILE_OF_EVENTS);
    assert_int_equal(access(first, R_OK), 0);
    starts("cpu:file=same");
    is_refused("branch:file=same", PROFILE_KINDS,
               strcat(strcpy(reason, "the profile time writes "), strcat(strcpy(text, directory), "/same")));
    ends(PROFILE_OF_TIME);
}

static EventThread *threads_of(ProfileKind kind, uint64_t id) {
    EventThread *t = profiler_interface.thread_start(kind, id, id == 1 ? "one" : "two", false, NULL);
    assert_non_null(t);
    return t;
}

static void enter(EventThread *t, uint32_t method, int times) {
    for (int i = 0; i < times; i++) {
        t->produced[EVENT_method_entry]++;
        t->method_entry->fn(t->method_entry, method);
    }
}

static void sample(EventThread *t, uint32_t ticks) {
    TimeSample s = {.ticks = ticks, .count = 1, .frames = {{4, 2}}};
    profiler_interface.sample(t, TIME_CPU, &s);
}

/* The file's only analysis of that name, and its threads. */
static void has(const char *path, const char *name, size_t threads, uint64_t recorded, uint64_t lost) {
    ProfFile f;
    prof_file_open(&f, path);
    if (!f.complete) fail_msg("%s: %s", path, f.problem);
    assert_int_equal(f.thread_count, threads);
    assert_string_equal(f.analyses[0].name, name);
    assert_int_equal(f.analyses[0].recorded, recorded);
    assert_int_equal(f.analyses[0].lost, lost);
    assert_string_equal(prof_meta(&f, "cpu-hz", "none"), strcmp(name, "cpu") == 0 ? "1000" : "none");
    for (size_t a = 0; a < f.analysis_count; a++)
        assert_true((strncmp(f.analyses[a].name, "cpu", 3) == 0) == (strcmp(name, "cpu") == 0));
    prof_file_close(&f);
}

/* Each profile has its own records of threads; one begins and ends while the other one records. */
static void apart(void **state) {
    (void)state;
    starts("method-count:file=exact");
    EventThread *one = threads_of(PROFILE_OF_EVENTS, 1), *two = threads_of(PROFILE_OF_EVENTS, 2);
    enter(one, 4, 100);
    profiler_interface.counted(NULL, EVENT_method_entry, NULL, 1);
    assert_null(profiler_interface.thread_start(PROFILE_OF_TIME, 1, "one", false, NULL));
    starts("cpu:file=cpu-1");
    EventThread *time = threads_of(PROFILE_OF_TIME, 1);
    enter(two, 4, 10);
    sample(time, 5);
    sample(one, 1000);  // it takes no samples
    profiler_interface.counted(one, EVENT_method_entry, (uint32_t[]){5}, 2);
    ends(PROFILE_OF_TIME);
    has("cpu-1", "cpu", 1, 5, 0);
    assert_true(time->idle && !one->idle && !two->idle);
    sample(time, 1000);
    enter(one, 4, 1);
    starts("cpu:file=cpu-2");
    assert_ptr_equal(profiler_interface.thread_renew(time, 1, "one", false, NULL), time);
    EventThread *other = threads_of(PROFILE_OF_TIME, 2);
    sample(time, 7);
    sample(other, 2);
    profiler_interface.thread_end(other);
    profiler_interface.thread_end(two);
    ends(PROFILE_OF_EVENTS);
    has("exact", "method-count", 2, 113, 1);
    assert_true(one->idle && !time->idle);
    profiler_interface.thread_end(one);
    sample(time, 1);
    profiler_interface.write(PROFILE_OF_TIME, "exit", &run);
    has("cpu-2", "cpu", 2, 10, 0);
    profiler_interface.end(PROFILE_OF_TIME);
    profiler_interface.thread_end(time);
}

/* In a copy of the process, both are written, also while other threads hold both locks. */
static void crash(void **state) {
    (void)state;
    int status;
    starts("method-count:file=exact");
    starts("cpu:file=cpu");
    EventThread *one = threads_of(PROFILE_OF_EVENTS, 1), *time = threads_of(PROFILE_OF_TIME, 1);
    enter(one, 4, 3);
    sample(time, 0);
    profiler_interface.thread_rename(one, "renamed");
    profiler_before_fork();
    pid_t child = fork();
    if (child == 0) {
        for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) profiler_interface.write(kind, "signal 11", &run);
        _exit(0);
    }
    profiler_after_fork();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    has("exact", "method-count", 1, 3, 0);
    ProfFile f;
    prof_file_open(&f, "cpu");
    assert_string_equal(prof_meta(&f, "ended-by", ""), "signal 11");
    prof_file_close(&f);
    // A copy that continues writes neither.
    unlink("exact");
    unlink("cpu");
    child = fork();
    if (child == 0) {
        profiler_forget();
        for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) profiler_interface.write(kind, "exit", &run);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(access("exact", F_OK) != 0 && access("cpu", F_OK) != 0);
    ends(PROFILE_OF_TIME);
    ends(PROFILE_OF_EVENTS);
}

static int setup(void **state) {
    (void)state;
    return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int clear(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", directory);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kinds), cmocka_unit_test(conflicts), cmocka_unit_test(files),
                                       cmocka_unit_test(apart), cmocka_unit_test(crash)};
    return cmocka_run_group_tests(tests, setup, clear);
}
