// Management: diagnostic commands, flags, memory figures, the file of performance data, requests to attach.
#include "tests/vm/booted.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vm/management/attach.h"
#include "vm/management/diagnostics.h"
#include "vm/management/memorypool.h"
#include "vm/management/perfdata.h"
#include "vm/management/vmflags.h"
#include "vm/objects/objects.h"

// The output of a command line, malloc'd.
static char *execute(const char *line, DiagnosticOutcome expected, char **error) {
    char *text = NULL, *message = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    DiagnosticOutcome outcome = diagnostics_execute(self, line, out, &message);
    fclose(out);
    assert_null(self->exception);
    if (outcome != expected) fail_msg("%s: outcome %d, %s%s", line, outcome, text, message ? message : "");
    assert_true((message != NULL) == (outcome == DIAGNOSTIC_MALFORMED));
    if (error) *error = message;
    return text;
}

static void prints(const char *line, const char *part) {
    char *text = execute(line, DIAGNOSTIC_DONE, NULL);
    if (!strstr(text, part)) fail_msg("expected \"%s\" in the output of %s:\n%s", part, line, text);
    free(text);
}

static void malformed(const char *line, const char *expected) {
    char *error, *text = execute(line, DIAGNOSTIC_MALFORMED, &error);
    assert_string_equal(error, expected);
    assert_string_equal(text, "");
    free(error);
    free(text);
}

// ---- diagnostic commands ------------------------------------------------------------------------

static void the_table_of_commands(void **state) {
    (void)state;
    assert_true(diagnostics_count() > 20);
    for (size_t i = 0; i < diagnostics_count(); i++) {
        const Diagnostic *d = diagnostics_get(i);
        assert_ptr_equal(diagnostics_find(d->name, strlen(d->name)), d);
        if (i > 0) assert_true(strcmp(diagnostics_get(i - 1)->name, d->name) < 0);
        prints("help", d->name);
    }
    assert_null(diagnostics_find("VM.versio", 9));
    assert_null(diagnostics_find("VM.version ", 11));
    assert_non_null(diagnostics_find("VM.version -x", 10));
}

static void commands(void **state) {
    (void)state;
    prints("VM.version", "17");
    prints("  VM.version  ", "17");
    prints("VM.command_line", "jvm_args: -Xint -Xmx256m");
    prints("VM.system_properties", "java.specification.version=17");
    prints("Thread.print", "\"main\"");
    prints("Thread.print -l", "Locked ownable synchronizers");
    prints("GC.class_histogram", "java.lang.String (java.base@17");
    prints("GC.heap_info", "conservative heap");
    prints("VM.uptime", " s");
    prints("help GC.run", "Syntax : GC.run");
    prints("help nothing", "Help unavailable : 'nothing' : No such command");
    char *without = execute("Thread.print -l=false", DIAGNOSTIC_DONE, NULL);
    assert_null(strstr(without, "Locked ownable synchronizers"));
    free(without);
}

static void wrong_command_lines(void **state) {
    (void)state;
    malformed("", "The diagnostic command is empty");
    malformed("  \t", "The diagnostic command is empty");
    malformed("vm.version", "Unknown diagnostic command");
    malformed("VM.version now", "Unknown argument 'now' in diagnostic command.");
    malformed("Thread.print -x", "Unknown argument '-x' in diagnostic command.");
    malformed("Thread.print -l=maybe", "Boolean parsing error in command argument '-l'. Could not parse: maybe.");
    malformed("help one two", "Unknown argument 'two' in diagnostic command.");
}

static void a_command_that_is_refused(void **state) {
    (void)state;
    char *text = execute("Profile.stop", DIAGNOSTIC_REFUSED, NULL);  // there is no profile
    assert_true(strlen(text) > 0);
    free(text);
    text = execute("Profile.start no-such-analysis", DIAGNOSTIC_REFUSED, NULL);
    assert_non_null(strstr(text, "no-such-analysis"));
    free(text);
}

// ---- flags --------------------------------------------------------------------------------------

static void printed(const VMFlag *flag, const char *expected) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    vmflags_print(flag, out);
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void flags(void **state) {
    (void)state;
    for (size_t i = 1; i < vmflags_count(); i++) assert_true(strcmp(vmflags_get(i - 1).name, vmflags_get(i).name) < 0);
    VMFlag f;
    assert_false(vmflags_find("NoSuchFlag", &f));
    assert_true(vmflags_find("MaxHeapSize", &f));
    assert_false(f.is_bool);
    assert_int_equal(f.value, 256 << 20);
    assert_true(f.given);
    assert_false(f.is_default);
    printed(&f, "-XX:MaxHeapSize=268435456");
    assert_true(vmflags_find("UsePerfData", &f));
    assert_true(f.is_bool && f.is_default && !f.given && !f.writeable);
    printed(&f, "-XX:+UsePerfData");
    assert_false(vmflags_set("UsePerfData", false));
    assert_false(vmflags_set("NoSuchFlag", true));
    prints("VM.flags", "-XX:MaxHeapSize=268435456");
    prints("VM.flags -all", "UsePerfData");
}

static void a_flag_that_changes(void **state) {
    (void)state;
    VMFlag f;
    const char *name = "ShowCodeDetailsInExceptionMessages";
    assert_true(vmflags_find(name, &f));
    assert_true(f.writeable && f.value && f.is_default);
    assert_true(vmflags_set(name, false));
    bool off = !vm.options.helpful_npe;
    assert_true(vmflags_find(name, &f));
    assert_true(vmflags_set(name, true));
    assert_true(off);
    assert_int_equal(f.value, 0);
    assert_false(f.is_default);
    printed(&f, "-XX:-ShowCodeDetailsInExceptionMessages");
}

// ---- memory -------------------------------------------------------------------------------------

static void memory_figures(void **state) {
    (void)state;
    for (MemoryPool p = 0; p < POOL_COUNT; p++) {
        memorypool_reset_peak(p);
        MemoryFigures now = memorypool_usage(p), peak = memorypool_peak(p);
        assert_true(now.used > 0);
        assert_true(now.used <= now.committed);
        assert_true(peak.used >= now.used / 2);
    }
    assert_string_not_equal(memorypool_name(POOL_HEAP), memorypool_name(POOL_METADATA));
    int64_t before = memorypool_usage(POOL_METADATA).used;
    assert_true(class_link(self, boot_class("java/util/concurrent/ConcurrentSkipListMap")));
    assert_true(memorypool_usage(POOL_METADATA).used > before);
    assert_true(memorypool_usage(POOL_HEAP).max == 256 << 20);
}

static void peaks(void **state) {
    (void)state;
    enum { BYTES = 64 << 20 };
    memorypool_reset_peak(POOL_HEAP);
    Object *volatile large = object_new_prim_array(self, 'B', BYTES);
    assert_non_null(large);
    int64_t with = memorypool_usage(POOL_HEAP).used;
    assert_true(with >= BYTES);
    heap_collect(&self->heap, "test");
    large = NULL;
    heap_collect(&self->heap, "test");
    assert_true(memorypool_peak(POOL_HEAP).used >= BYTES);
}

static void the_last_collection(void **state) {
    (void)state;
    heap_collect(&self->heap, "first");
    LastCollection first, second;
    assert_true(memorypool_last_collection(&first));
    assert_string_equal(first.cause, "first");
    heap_collect(&self->heap, "second");
    assert_true(memorypool_last_collection(&second));
    assert_string_equal(second.cause, "second");
    assert_int_equal(second.number, first.number + 1);
    assert_true(second.start_ms >= first.end_ms);
    assert_true(second.end_ms >= second.start_ms);
    assert_true(second.after[POOL_HEAP].used <= second.before[POOL_HEAP].used);
    prints("GC.run", "");
    assert_true(memorypool_last_collection(&first));
    assert_string_equal(first.cause, "Diagnostic Command");
}

// ---- tools outside ------------------------------------------------------------------------------

static void performance_data(void **state) {
    (void)state;
    size_t size = 0;
    const char *error = NULL;
    char *data = perfdata_map(NULL, getpid(), &size, &error);
    assert_non_null(data);
    assert_memory_equal(data, "\xCA\xFE\xC0\xC0", 4);
    assert_non_null(memmem(data, size, "java.property.java.home", 23));
    assert_non_null(memmem(data, size, vm.java_home, strlen(vm.java_home)));
    munmap(data, size);
    assert_null(perfdata_map(NULL, 0x7ffffff0, &size, &error));
    assert_string_equal(error, "Process not found");
    assert_null(perfdata_map("no-such-user", getpid(), &size, &error));
    assert_string_equal(error, "Process not found");
    assert_null(perfdata_map("..", getpid(), &size, &error));
    assert_string_equal(error, "Process not found");
}

static void requests_to_attach(void **state) {
    (void)state;
    char trigger[64], path[64];
    snprintf(trigger, sizeof trigger, "/tmp/.attach_pid%ld", (long)getpid());
    snprintf(path, sizeof path, "/tmp/.java_pid%ld", (long)getpid());
    unlink(trigger);  // a killed tool may have left it
    assert_false(attach_requested(self));
    assert_int_equal(access(path, F_OK), -1);
    int fd = open(trigger, O_CREAT | O_EXCL | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    vm.options.disable_attach = true;
    bool disabled = attach_requested(self);
    vm.options.disable_attach = false;
    bool requested = attach_requested(self), again = attach_requested(self);
    unlink(trigger);
    assert_false(disabled);
    assert_true(requested);
    assert_true(again);
    assert_null(self->exception);
    assert_int_equal(access(path, F_OK), 0);
    attach_stop();
    assert_int_equal(access(path, F_OK), -1);
    assert_int_equal(errno, ENOENT);
    assert_false(attach_requested(self));
}

int booted_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_commands),
        cmocka_unit_test(commands),
        cmocka_unit_test(wrong_command_lines),
        cmocka_unit_test(a_command_that_is_refused),
        cmocka_unit_test(flags),
        cmocka_unit_test(a_flag_that_changes),
        cmocka_unit_test(memory_figures),
        cmocka_unit_test(peaks),
        cmocka_unit_test(the_last_collection),
        cmocka_unit_test(performance_data),
        cmocka_unit_test(requests_to_attach),
    };
    return cmocka_run_group_tests(tests, booted_setup, booted_teardown);
}
