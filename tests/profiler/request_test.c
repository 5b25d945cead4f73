/* Requests that -Xprofile accepts and rejects (profiler/control/request.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/control/request.h"

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
            ":file=/tmp/x-%p-%%.prof",
            true, true, "/tmp/x-42-%.prof");
    accepts("method-count:file=c\\:\\\\d=e", true, false, "c:\\d=e");
    accepts("exact", true, true, "cabernet-42.prof");
    accepts("exact:sampling=off:file=x", true, true, "x");
    accepts("exact,call-edge", true, true, "cabernet-42.prof");
    accepts("call-edge,exact,flame", true, true, "cabernet-42.prof");
    accepts("cpu,coverage,locks", false, true, "cabernet-42.prof");
    accepts("answers", false, false, "cabernet-42.prof");
    accepts("exceptions,method-count", true, false, "cabernet-42.prof");
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

/* The text is rejected, for a reason that contains `why`. */
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
    refuses("methodcount",
            "no analysis or preset methodcount (did you mean method-count?); there are cpu, wall, counters, "
            "method-count, ");
    refuses("method-count,", "missing between commas");
    refuses("method-count,method-count", "twice");
    refuses("method-count:", "missing between colons");
    refuses("method-count::file=x", "missing between colons");
    refuses("method-count:file", "needs a value");
    refuses("method-count:file=", "file needs a value");
    refuses("method-count:file=%d", "percent sign");
    refuses("method-count:name=", "name needs a value");
    refuses("method-count:name=a/b", "name=a/b: at most 40 letters, digits and any of -_.");
    refuses("cpu:name=a b", "letters");
    refuses("cpu:name=12345678901234567890123456789012345678901", "at most 40");
    refuses("method-count:file=a:file=b", "given twice");
    refuses("method-count:fiel=a",
            "no such option: fiel (did you mean file?); there are file, name, message, sampling, ");
    refuses("method-count:call-edge", "no such option: call-edge; there are ");
    refuses("method-count:sampling=maybe", "must be off, counter, jitter, timer or rate");
    refuses("method-count:exact", "must come first");
    refuses("exact:message=answers", "needs cpu or wall");
    refuses("exact,exact", "named twice");
    refuses("exact,sampled", "sampling= is given twice");
    refuses("exact:sampling=off:sampling=off", "given twice");
    refuses("cpu:events=cycles", "events= needs counters");
    refuses("counters:events=cycels", "there is no counter cycels (did you mean cycles?)");
    refuses("counters:where=shadow", "the system counts for the program's threads");
    refuses("help,exact", "help stands alone");
}

static void parts_of_threads(void **state) {
    (void)state;
    Request r;
    assert_true(request_parse(&r, "locks,dependency:trace=t.trace", error, sizeof error));
    assert_true(r.analysis[ANALYSIS_threads] && r.part[PART_locks] && r.part[PART_dependency] && !r.part[PART_quanta]);
    assert_string_equal(r.trace, "t.trace");
    request_free(&r);
    assert_true(request_parse(&r, "threads,method-count", error, sizeof error));
    for (int i = 0; i < PART_COUNT; i++) assert_int_equal(r.part[i], i != PART_updates);  // only on request
    request_free(&r);
    assert_true(request_parse(&r, "updates,threads:locks=instance", error, sizeof error));
    for (int i = 0; i < PART_COUNT; i++) assert_true(r.part[i]);
    assert_int_equal(r.locks, LOCKS_BY_INSTANCE);
    request_free(&r);
    refuses("locks,locks", "named twice");
    refuses("locks,threads", "named already");
    refuses("method-count:trace=x", "needs the analysis threads");
    refuses("tasks:locks=site", "needs the analysis threads or locks");
}

static void not_built_yet(void **state) {
    (void)state;
    static const char *const texts[] = {
        "method-count:transport=lynx",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) refuses(texts[i], "not built yet");
}

static TransportRequest transport(const char *text) {
    Request r;
    bool ok = request_parse(&r, text, error, sizeof error);
    if (!ok) print_error("%s: %s\n", text, error);
    assert_true(ok);
    TransportRequest t = r.transport;
    request_free(&r);
    return t;
}

static void transports(void **state) {
    (void)state;
    assert_false(transport("exact").on);
    TransportRequest t = transport("concurrent");
    assert_true(t.on);
    assert_int_equal(t.chunk, transport_usual_chunk());
    assert_int_equal(t.buffer % t.chunk, 0);
    assert_true(t.buffer <= 2 << 20 && t.buffer > (2 << 20) - t.chunk);
    assert_int_equal(t.consumers, 1);
    t = transport("call-edge:transport=cab:buffer=16k:consumers=3");
    assert_int_equal(t.buffer, 16 << 10);
    assert_int_equal(t.chunk, 4 << 10);
    assert_int_equal(t.consumers, 3);
    t = transport("call-edge:transport=cab:chunk=10000:buffer=1m");
    assert_int_equal(t.chunk, 10000);
    assert_int_equal(t.buffer, 1040000);
    refuses("exact:buffer=1m", "buffer= needs transport=cab");
    refuses("exact:chunk=4k", "chunk= needs transport=cab");
    refuses("exact:consumers=1", "consumers= needs transport=cab");
    refuses("exact:affinity=shared", "affinity= needs transport=cab");
    refuses("concurrent:buffer=16383", "must be 16384...");
    refuses("concurrent:buffer=2g", "must be a number of bytes");
    refuses("concurrent:buffer=2048m", "must be 16384...");
    refuses("concurrent:chunk=4095", "must be 4096...");
    refuses("concurrent:buffer=64k:chunk=17k", "must hold four chunks");
    t = transport("concurrent:consume=sampled");
    assert_true(t.sampled);
    assert_int_equal(t.rate, 0);
    assert_int_equal(t.lines, 1);
    t = transport("concurrent:consume=sampled:rate=5:lines=3");
    assert_int_equal(t.rate, 5);
    assert_int_equal(t.lines, 3);
    refuses("exact:consume=all", "consume= needs transport=cab");
    refuses("concurrent:rate=5", "rate= needs consume=sampled");
    refuses("concurrent:consume=sampled:rate=0", "must be 1...100");
    refuses("concurrent:consume=sampled:rate=101", "must be 1...100");
    refuses("concurrent:consume=sampled:chunk=4k:buffer=16k:lines=65", "must be 1...64");
    refuses("concurrent:consume=sampled:sampling=counter", "one of the two samples");
    refuses("call-tree:transport=cab:consume=sampled", "cannot be sampled");
    refuses("concurrent:consumers=0", "must be 1...64");
    refuses("concurrent:consume=none:consumers=1", "consumers= needs consumers");
    t = transport("concurrent:consume=none");
    assert_true(t.on && t.unread && t.consumers == 0);
    t = transport("concurrent:consume=discard");
    assert_true(t.discards && t.consumers == 1);
}

static void other_queues(void **state) {
    (void)state;
    assert_int_equal(transport("concurrent").kind, RING_CAB);
    TransportRequest t = transport("call-edge:transport=nway:buffer=100k:chunk=10k");
    assert_int_equal(t.kind, RING_NWAY);
    assert_int_equal(t.chunk, 8 << 10);
    assert_int_equal(t.buffer, 96 << 10);
    assert_int_equal(transport_form(&t).bytes, 8 << 10);
    t = transport("call-edge:transport=lamport:buffer=100k");
    assert_int_equal(t.kind, RING_LAMPORT);
    assert_int_equal(t.buffer, 64 << 10);
    assert_true(4 * t.chunk <= t.buffer);
    assert_int_equal(transport_form(&t).bytes, 64 << 10);
    t = transport("call-edge:transport=fastforward:consume=discard");
    assert_true(t.kind == RING_FASTFORWARD && t.discards);
    t = transport("call-edge:transport=tee:consumers=2");
    assert_true(t.tee && t.kind == RING_CAB && t.consumers == 2);
    t = transport("call-edge:transport=word");
    assert_true(t.kind == RING_WORD && t.unread && t.consumers == 0);
    refuses("call-edge:transport=lynx", "not built yet");
    refuses("call-edge:transport=nway:consume=sampled", "consume=sampled needs transport=cab");
    refuses("call-edge:transport=tee:consume=none", "consume= needs transport=cab");
    refuses("call-edge:transport=word:consume=discard", "consume= needs transport=cab");
    refuses("call-edge:transport=word:affinity=shared", "affinity= needs consumers");
    accepts("method-count,races,sharing,lock-order,hot-stream:transport=nway:file=x", true, false, "x");
    refuses("races:transport=nway:consumers=2", "one consumer makes: consumers=1");
    refuses("sharing:transport=cab:consumers=2", "one consumer makes: consumers=1");
    refuses("hot-stream:transport=cab:consume=sampled", "a sample of the rings does not have: consume=all");
    accepts("method-count,lock-order:transport=lamport:consumers=3:consume=discard:file=x", true, false, "x");
    refuses("productions:productions=entry => context(3):transport=cab", "context() examines the stack");
    accepts("method-count,threads,updates:transport=lamport:file=x", true, false, "x");
    refuses("threads:transport=cab:consumers=2", "consumers=1");
    refuses("locks:transport=cab:consume=sampled", "a sample of the rings does not have: consume=all");
    refuses("call-tree:sampling=counter:transport=tee", "transport=direct");
}

static SamplingRequest sampling(const char *text) {
    Request r;
    bool ok = request_parse(&r, text, error, sizeof error);
    if (!ok) print_error("%s: %s\n", text, error);
    assert_true(ok);
    request_free(&r);
    return r.sampling;
}

static void samples(void **state) {
    (void)state;
    assert_true(sampling_has_activations(&(SamplingRequest){.mode = SAMPLING_COUNTER}));
    SamplingRequest skips = sampling("call-tree,path:sampling=timer:skip=500");
    assert_int_equal(skips.skip, 500);
    assert_int_equal(sampling("method-count:sampling=timer").skip, 0);
    refuses("method-count:sampling=counter:skip=5", "skip= needs sampling=timer");
    refuses("method-count:skip=5", "skip= needs sampling=");
    assert_true(sampling_has_activations(&skips));
    refuses("path:sampling=counter:copies=inline", "path cannot be sampled");
    refuses("path:sampling=counter:dup=auto", "path cannot be sampled");
    refuses("call-tree:sampling=counter:transport=cab", "transport=direct");
    refuses("call-subtree:sampling=counter", "call-subtree cannot be sampled");
    SamplingRequest s = sampling("exact");
    assert_int_equal(s.mode, SAMPLING_OFF);
    s = sampling("call-edge:sampling=counter");
    assert_int_equal(s.mode, SAMPLING_COUNTER);
    assert_int_equal(s.interval, 997);
    assert_int_equal(s.burst, 1);
    assert_int_equal(s.jitter, 0);
    assert_int_equal(s.dup, DUP_FULL);
    assert_int_equal(s.checks, CHECKS_ALL);
    s = sampling("call-edge:interval=7:checks=backedges:sampling=counter:burst=3:dup=no");
    assert_int_equal(s.interval, 7);
    assert_int_equal(s.burst, 3);
    assert_int_equal(s.dup, DUP_NO);
    assert_int_equal(s.checks, CHECKS_BACKEDGES);
    assert_int_equal(sampling("sampled:dup=partial").dup, DUP_PARTIAL);
    assert_int_equal(sampling("sampled:dup=auto").dup, DUP_AUTO);
}

static Request shadows_of(const char *text) {
    Request r;
    bool ok = request_parse(&r, text, error, sizeof error);
    if (!ok) print_error("%s: %s\n", text, error);
    assert_true(ok);
    return r;
}

static void shadows(void **state) {
    (void)state;
    Request r = shadows_of("shadow");
    assert_true(r.in_shadows && r.analysis[ANALYSIS_call_edge]);
    assert_true(r.shadow.load == 0.25 && r.shadow.yields && r.shadow.converges);
    assert_int_equal(r.shadow.ns, 100000000);
    assert_int_equal(r.shadow.checks, 0);
    assert_int_equal(r.shadow.limit_ns, 10000000000);
    assert_int_equal(r.shadow.memory, 1 << 30);
    request_free(&r);
    r = shadows_of(
        "branch:where=shadow:load=2:length=10m:timeout=inf:busy=ignore:converge=off:wait=3s:natives=demo.N.*,x.*");
    assert_true(r.shadow.load == 2 && !r.shadow.yields && !r.shadow.converges && r.natives);
    assert_int_equal(r.shadow.checks, 10000000);
    assert_int_equal(r.shadow.ns, 0);
    assert_int_equal(r.shadow.limit_ns, 0);
    assert_int_equal(r.shadow.wait_ns, 3000000000);
    request_free(&r);
    r = shadows_of("shadow:length=inf");
    assert_true(r.shadow.checks == 0 && r.shadow.ns == 0);
    request_free(&r);
    refuses("exact:load=1", "load= needs where=shadow");
    refuses("shadow:load=0", "load=0: must be a number above 0");
    refuses("shadow:load=nan", "load=nan: must be");
    refuses("shadow:load=2x", "load=2x: must be");
    refuses("shadow:length=5x", "length=5x: must be a number of checks");
    refuses("shadow:length=-5ms", "length=-5ms: must be");
    refuses("shadow:period=1us", "period=1us: must be at least 1ms");
    refuses("shadow:sampling=counter", "where=shadow needs sampling=off");
    refuses("shadow:transport=cab", "where=shadow needs transport=direct");
    refuses("call-subtree:where=shadow:length=1m", "call-subtree in shadows needs a length= in time");
    r = shadows_of("call-tree:where=shadow:length=1m");
    assert_true(r.settings.sampled);
    request_free(&r);
    assert_true(shadows_of("hot-stream:where=shadow").shadow.prepares);
    refuses("races:where=shadow", "races cannot be in shadows");
    refuses("lock-order:where=shadow", "lock-order cannot be in shadows");
    refuses("locks:where=shadow", "threads cannot be in shadows");
    assert_true(shadows_of("call-tree,call-subtree:where=shadow").shadow.prepares);
    refuses("shadow:natives=a,,b", "a pattern is missing");
}

static void phases(void **state) {
    (void)state;
    assert_int_equal(sampling("sampled").phase, 0);
    assert_int_equal(sampling("call-edge:phase=7:sampling=counter:interval=7").phase, 7);
    assert_int_equal(sampling("call-edge:sampling=jitter:phase=1").phase, 1);
    refuses("call-edge:sampling=counter:interval=7:phase=8", "phase=8: must be 1...7");
    refuses("call-edge:sampling=counter:phase=0", "phase=0: must be 1...997");
    refuses("call-edge:sampling=timer:phase=1", "phase= counts checks");
    refuses("call-edge:phase=1", "needs sampling=counter, jitter or timer");
    SamplingRequest s = sampling("sampled:sampling=counter:phase=60");
    assert_true(request_change(&s, "interval=60", error, sizeof error));
    assert_int_equal(s.phase, 60);
    assert_true(request_change(&s, "interval=59", error, sizeof error));
    assert_int_equal(s.phase, 0);
    assert_false(request_change(&s, "phase=1", error, sizeof error));
}

static void jitters(void **state) {
    (void)state;
    SamplingRequest s = sampling("call-edge:sampling=jitter");
    assert_int_equal(s.mode, SAMPLING_JITTER);
    assert_int_equal(s.jitter, 99);
    assert_int_equal(s.seed, 1);
    s = sampling("call-edge:seed=18446744073709551615:jitter=49:sampling=jitter:interval=50");
    assert_int_equal(s.jitter, 49);
    assert_true(s.seed == UINT64_MAX);
    assert_int_equal(sampling("call-edge:sampling=jitter:interval=1").jitter, 0);
    refuses("call-edge:sampling=jitter:interval=50:jitter=50", "less than the interval, which is 50");
    refuses("call-edge:sampling=jitter:interval=1:jitter=1", "less than the interval");
}

static void takes_time(void **state) {
    (void)state;
    assert_int_equal(sampling("call-edge:sampling=timer").interval_us, 10000);
    assert_int_equal(sampling("call-edge:sampling=timer:interval=250us").interval_us, 250);
    assert_int_equal(sampling("call-edge:interval=2s:sampling=timer").interval_us, 2000000);
    assert_int_equal(sampling("sampled:sampling=timer").interval_us, 10000);
    refuses("call-edge:sampling=timer:interval=1000", "needs a time");
    refuses("call-edge:sampling=timer:interval=10min", "needs a time");
    refuses("call-edge:sampling=timer:interval=1us", "must be 100us...");
    refuses("call-edge:sampling=timer:interval=99999999999999999s", "must be 100us...");
    refuses("call-edge:sampling=counter:interval=10ms", "without a unit");
}

static void combines(void **state) {
    (void)state;
    refuses("call-edge:interval=10", "needs sampling=counter, jitter or timer");
    refuses("call-edge:sampling=off:interval=10", "needs sampling=counter, jitter or timer");
    refuses("exact:dup=full", "dup= needs sampling=");
    refuses("exact:burst=2", "burst= needs sampling=");
    refuses("exact:checks=all", "checks= needs sampling=");
    refuses("sampled:sampling=off:interval=5", "interval= needs sampling=");
    refuses("call-edge:sampling=counter:jitter=5", "jitter= needs sampling=jitter");
    refuses("call-edge:sampling=timer:seed=5", "seed= needs sampling=jitter");
    refuses("call-edge:sampling=counter:interval=0", "must be 1...");
    refuses("call-edge:sampling=counter:interval=1000000001", "must be 1...");
    refuses("call-edge:sampling=counter:interval=99999999999999999999", "too large");
    refuses("call-edge:sampling=counter:interval=-1", "a whole number is needed");
    refuses("call-edge:sampling=counter:interval=", "a whole number is needed");
    refuses("call-edge:sampling=counter:interval=10percent", "a whole number is needed");
    refuses("call-edge:sampling=counter:burst=0", "must be 1...");
    refuses("call-edge:sampling=counter:dup=half", "must be full, partial, no or auto");
    refuses("call-edge:sampling=counter:checks=some", "must be all or backedges");
}

static void presets_sample(void **state) {
    (void)state;
    SamplingRequest s = sampling("sampled");
    assert_int_equal(s.mode, SAMPLING_JITTER);
    assert_int_equal(s.rate, 10000);
    assert_int_equal(sampling("sampled:rate=500").rate, 500);
    assert_int_equal(sampling("sampled:interval=10").interval, 10);
    assert_int_equal(sampling("sampled:interval=10").rate, 0);
    refuses("sampled:phase=3", "phase= follows from rate=");
    assert_int_equal(sampling("sampled:sampling=jitter").jitter, 99);
    assert_int_equal(sampling("sampled:sampling=off").mode, SAMPLING_OFF);
    s = sampling("bursty");
    assert_int_equal(s.interval, 100000);
    assert_int_equal(s.burst, 1000);
}

static void changes(void **state) {
    (void)state;
    SamplingRequest s = sampling("sampled:sampling=jitter:burst=4");
    assert_true(request_change(&s, "interval=500", error, sizeof error));
    assert_int_equal(s.interval, 500);
    assert_int_equal(s.jitter, 99);
    assert_int_equal(s.burst, 4);
    assert_true(request_change(&s, "interval=50:burst=1", error, sizeof error));
    assert_int_equal(s.jitter, 5);
    assert_int_equal(s.burst, 1);
    SamplingRequest before = s;
    static const char *const bad[] = {
        "interval=0", "jitter=50", "dup=full", "sampling=off", "file=x", "seed=3", "interval=1:interval=2",
        "call-edge",  ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(request_change(&s, bad[i], error, sizeof error));
        assert_memory_equal(&s, &before, sizeof s);
    }
    s = sampling("call-edge:sampling=timer:interval=20ms");
    assert_true(request_change(&s, "burst=2", error, sizeof error));
    assert_int_equal(s.interval_us, 20000);
    assert_true(request_change(&s, "interval=5ms", error, sizeof error));
    assert_int_equal(s.interval_us, 5000);
    assert_false(request_change(&s, "interval=5", error, sizeof error));
    s = sampling("exact");
    assert_false(request_change(&s, "interval=5", error, sizeof error));
    assert_non_null(strstr(error, "exact"));
}

static void asks_for_help(void **state) {
    (void)state;
    Request r;
    assert_true(request_parse(&r, "help", error, sizeof error));
    assert_true(r.help);
    request_free(&r);
    refuses("help=alocc", "did you mean alloc?");
    char *help = request_help("help=all");
    assert_non_null(strstr(help, "method-count"));
    assert_non_null(strstr(help, "call-tree"));
    assert_non_null(strstr(help, "sampling="));
    assert_non_null(strstr(help, "[not built yet]"));
    free(help);
    help = request_help("help=coverage");
    assert_non_null(strstr(help, "path,branch,call-edge"));
    free(help);
}

/* A short buffer truncates the reason and changes nothing else. */
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
        cmocka_unit_test(accepted),         cmocka_unit_test(silence),       cmocka_unit_test(refused),
        cmocka_unit_test(transports),       cmocka_unit_test(other_queues),  cmocka_unit_test(not_built_yet),
        cmocka_unit_test(parts_of_threads), cmocka_unit_test(asks_for_help), cmocka_unit_test(short_buffer),
        cmocka_unit_test(samples),          cmocka_unit_test(jitters),       cmocka_unit_test(phases),
        cmocka_unit_test(shadows),          cmocka_unit_test(takes_time),    cmocka_unit_test(combines),
        cmocka_unit_test(presets_sample),   cmocka_unit_test(changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
