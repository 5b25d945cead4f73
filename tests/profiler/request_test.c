/* What -Xprofile accepts and refuses (profiler/request.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/request.h"

static char error[512];

static void accepts(const char *text, bool count, bool edge, const char *file) {
    Request r;
    bool ok = request_parse(&r, text, error, sizeof error);
    if (!ok) print_error("%s: %s\n", text, error);
    assert_true(ok);
    assert_int_equal(r.analysis[ANALYSIS_method_count], count);
    assert_int_equal(r.analysis[ANALYSIS_call_edge], edge);
    char *name = request_file(&r, 42);
    assert_string_equal(name, file);
    free(name);
    request_free(&r);
}

static void accepted(void **state) {
    (void)state;
    accepts("method-count", true, false, "cabernet-42.prof");
    accepts("call-edge", false, true, "cabernet-42.prof");
    accepts("call-edge,method-count", true, true, "cabernet-42.prof");
    accepts("method-count:file=a.prof", true, false, "a.prof");
    accepts("method-count,call-edge:sampling=off:transport=direct:where=process:message=off"
            ":file=/tmp/x-%p-%%.prof", true, true, "/tmp/x-42-%.prof");
    accepts("method-count:file=c\\:\\\\d=e", true, false, "c:\\d=e");
    accepts("exact", true, true, "cabernet-42.prof");
    accepts("exact:sampling=off:file=x", true, true, "x");
}

static void silence(void **state) {
    (void)state;
    Request r;
    assert_true(request_parse(&r, "exact", error, sizeof error));
    assert_true(r.message);
    request_free(&r);
    assert_true(request_parse(&r, "exact:message=off", error, sizeof error));
    assert_false(r.message);
    request_free(&r);
}

/* Refused, and the reason contains `why`. */
static void refuses(const char *text, const char *why) {
    Request r;
    error[0] = '\0';
    assert_false(request_parse(&r, text, error, sizeof error));
    if (!strstr(error, why)) print_error("%s: %s\n", text, error);
    assert_non_null(strstr(error, why));
    assert_null(strchr(error, '\n'));
    request_free(&r);
}

static void refused(void **state) {
    (void)state;
    refuses("", "at least one analysis");
    refuses(":file=x", "at least one analysis");
    refuses("file=x", "before the option file=");
    refuses("methodcount", "no analysis or preset methodcount");
    refuses("method-count,", "missing between commas");
    refuses("method-count,method-count", "twice");
    refuses("method-count:", "missing between colons");
    refuses("method-count::file=x", "missing between colons");
    refuses("method-count:file", "needs a value");
    refuses("method-count:file=", "needs a name");
    refuses("method-count:file=%d", "percent sign");
    refuses("method-count:file=a:file=b", "given twice");
    refuses("method-count:fiel=a", "no option fiel=");
    refuses("method-count:call-edge", "no option call-edge");
    refuses("method-count:sampling=maybe", "no such value");
    refuses("method-count:exact", "must come first");
    refuses("exact,call-edge", "stands alone");
    refuses("call-edge,exact", "stands alone");
    refuses("exact:sampling=off:sampling=off", "given twice");
    refuses("help,exact", "help stands alone");
}

static void not_built_yet(void **state) {
    (void)state;
    static const char *const texts[] = {
        "call-tree", "method-count,path", "branch", "field-access", "alloc", "value", "cache", "locks",
        "threads", "hot-stream", "sampled", "concurrent", "shadow", "bursty",
        "method-count:sampling=counter", "method-count:sampling=jitter", "method-count:sampling=timer",
        "method-count:interval=1000", "method-count:burst=1", "method-count:dup=full",
        "method-count:transport=cab", "method-count:transport=nway", "method-count:transport=lynx",
        "method-count:where=shadow", "method-count:consumers=2", "method-count:load=1",
        "exact:sampling=counter", "method-count:scope=a.B",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) refuses(texts[i], "not built yet");
}

static void asks_for_help(void **state) {
    (void)state;
    Request r;
    assert_true(request_parse(&r, "help", error, sizeof error));
    assert_true(r.help);
    request_free(&r);
    char *help = request_help();
    assert_non_null(strstr(help, "method-count"));
    assert_non_null(strstr(help, "call-tree"));
    assert_non_null(strstr(help, "sampling="));
    assert_non_null(strstr(help, "[not built yet]"));
    free(help);
}

/* A short buffer cuts the reason and nothing else. */
static void short_buffer(void **state) {
    (void)state;
    Request r;
    char small[8];
    assert_false(request_parse(&r, "no-such-thing", small, sizeof small));
    assert_int_equal(strlen(small), 7);
    request_free(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),      cmocka_unit_test(silence),
        cmocka_unit_test(refused),       cmocka_unit_test(not_built_yet),
        cmocka_unit_test(asks_for_help), cmocka_unit_test(short_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
