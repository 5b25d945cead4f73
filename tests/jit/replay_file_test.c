// Reader of recorded plans: correct files are read, and wrong ones are rejected with file and line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jit/replay/replay_file.h"

static char path[] = "/tmp/replay_file_test_XXXXXX";
static char error[512];

static bool read_text(const char *text, size_t length, ReplayRecord **records) {
    FILE *f = fopen(path, "w");
    fwrite(text, 1, length, f);
    fclose(f);
    return replay_read(path, records, error, sizeof error);
}

static const char good[] = "cabernet-advice 1\n"
                           "\n"
                           "# a remark\n"
                           "plan osr=-1 events=0 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V\n"
                           "body 0 bytes=0123abcd p/A.run(I)V\n"
                           "site 3 unresolved\n"
                           "site 6 static type=J initialized=1 field=p/A.count:J\n"
                           "site 9 call_vtable index=7 method=p/A.next()V unique=p/A.next()V\n"
                           "site 12 call_interface method=p/I.go()V receiver=p/B target=p/B.go()V guarded=1\n"
                           "site 15 const_prim type=J bits=-9223372036854775808\n"
                           "body 1 in=0 at=9 bytes=0123abcd p/A.next()V\n"
                           "site 1 class initialized=1 class=[LMain#0;\n"
                           "depends p/A.next()V\n"
                           "code id=0 hotness=1500 hash=0123456789abcdef\n"
                           "plan osr=17 events=5 sampling=1 dup=2 checks=0 stress=1 p/A.<clinit>()V\n"
                           "body 0 bytes=0123abcd p/A.<clinit>()V\n"
                           "code id=1 hotness=0 hash=ffffffffffffffff\n";

// The same with a snapshot.
static const char with_snapshot[] = "cabernet-advice 1\n"
                                    "plan osr=-1 events=6 counted=4 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V\n"
                                    "snapshot version=7 sampling=1 interval=1000 calls=99\n"
                                    "body 0 bytes=0123abcd p/A.run(I)V\n"
                                    "site 3 unresolved\n"
                                    "site 9 call_vtable index=7 method=p/A.next()V targets=12\n"
                                    "calls 9 count=12 p/A.next()V\n"
                                    "calls 9 count=9223372036854775807 p/B.next()V\n"
                                    "receivers 9 count=5 p/B\n"
                                    "receivers 9 count=7 p/C\n"
                                    "code id=0 hotness=1500 hash=0123456789abcdef\n";

static void reads_plans(void **state) {
    (void)state;
    ReplayRecord *r;
    assert_true(read_text(good, sizeof good - 1, &r));
    assert_string_equal(r->method, "p/A.run(I)V");
    assert_int_equal(r->osr_bci, -1);
    assert_int_equal(r->hotness, 1500);
    assert_true(r->hash == UINT64_C(0x0123456789abcdef));
    assert_int_equal(r->body_count, 2);
    assert_int_equal(r->bodies[0].site_count, 5);
    assert_int_equal(r->bodies[0].sites[0].kind, SITE_UNRESOLVED);
    assert_string_equal(r->bodies[0].sites[1].field, "p/A.count:J");
    assert_true(r->bodies[0].sites[1].initialized);
    assert_int_equal(r->bodies[0].sites[2].index, 7);
    assert_string_equal(r->bodies[0].sites[2].unique, "p/A.next()V");
    assert_true(r->bodies[0].sites[3].guarded);
    assert_true(r->bodies[0].sites[4].bits == INT64_MIN);
    assert_int_equal(r->bodies[1].at, 9);
    assert_string_equal(r->bodies[1].sites[0].cls, "[LMain#0;");
    assert_int_equal(r->depend_count, 1);
    assert_int_equal(r->next->osr_bci, 17);
    assert_true(r->next->stress);
    assert_int_equal(r->next->events, 5);
    assert_true(r->next->sampling.on);
    assert_int_equal(r->next->sampling.dup, DUP_NO);
    assert_null(r->next->next);
    assert_true(read_text("cabernet-advice 1\n", 18, &r));
    assert_null(r);
}

static void reads_snapshots(void **state) {
    (void)state;
    ReplayRecord *r;
    assert_true(read_text(with_snapshot, sizeof with_snapshot - 1, &r));
    assert_int_equal(r->snapshot.version, 7);
    assert_int_equal(r->snapshot.sampling, SAMPLING_COUNTER);
    assert_int_equal(r->snapshot.interval, 1000);
    assert_int_equal(r->events, 6);
    assert_int_equal(r->counted, 4);
    assert_int_equal(r->bodies[0].sites[1].targets, 12);
    const ReplayCallsList *calls = &r->bodies[0].calls, *receivers = &r->bodies[0].receivers;
    assert_int_equal(calls->count, 2);
    assert_int_equal(calls->rows[0].bci, 9);
    assert_int_equal(calls->rows[0].count, 12);
    assert_string_equal(calls->rows[1].name, "p/B.next()V");
    assert_true(calls->rows[1].count == INT64_MAX);
    assert_int_equal(receivers->count, 2);
    assert_int_equal(receivers->rows[0].count, 5);
    assert_string_equal(receivers->rows[1].name, "p/C");
    assert_true(read_text(good, sizeof good - 1, &r));
    assert_int_equal(r->snapshot.version, 0);
}

// Replaces line `number` of the file by `line`. The error must have that position and contain `what`.
static void refused_in(const char *file, unsigned number, const char *line, const char *what) {
    char text[sizeof good + 256] = "", place[64];
    const char *at = file;
    ReplayRecord *r;
    for (unsigned n = 1; *at; n++) {
        size_t length = strcspn(at, "\n") + 1;
        if (n == number) strcat(text, line);
        else strncat(text, at, length);
        at += length;
    }
    snprintf(place, sizeof place, "%s:", path);
    assert_false(read_text(text, strlen(text), &r));
    if (!strstr(error, place) || !strstr(error, what)) fail_msg("line %u: %s", number, error);
}

static void refused(unsigned number, const char *line, const char *what) { refused_in(good, number, line, what); }

static void refuses_wrong_snapshots(void **state) {
    (void)state;
    const char *file = with_snapshot;
    refused_in(file, 5, "site 9 call_vtable index=7 method=p/A.next()V targets=0\n", ":5: not a number");
    refused_in(file, 5, "site 9 call_vtable index=7 method=p/A.next()V guarded=1\n", ":5: unexpected: guarded=");
    refused_in(file, 5, "site 9 call_direct method=p/A.next()V targets=4\n", ":5: unexpected: targets=");
    refused_in(file, 2, "", ":2: not the beginning of a plan");
    refused_in(file, 3, "snapshot version=0 sampling=0 interval=1\n", ":3: not a number");
    refused_in(file, 3, "snapshot version=1 sampling=6 interval=1 calls=1\n", ":3: not a number");
    refused_in(file, 6, "guard 9 p/B.next()V\n", ":6: its body has no such guarded site");
    refused_in(file, 6, "guard\n", ":6: missing: bytecode index");
    refused_in(file, 4, "guard 9 p/B.next()V\n", ":4: a guard before");
    refused_in(file, 5, "site 9 call_direct method=p/A.next()V leaves=1\n", ":5: unexpected: leaves=");
    refused_in(file, 6, "block 1 count=3\n", ":6: not a number");
    refused_in(file, 6, "block 0 count=-1\n", ":6: not a number");
    refused_in(file, 6, "block 0 count=5 never=3\n", ":6: no edge is left");
    refused_in(file, 6, "block 0\n", ":6: missing: count");
    refused_in(file, 6, "block 0 count=3 more\n", ":6: unexpected: more");
    refused_in(file, 4, "block 0 count=3\n", ":4: a block without");
    refused_in(file, 3, "snapshot version=1 sampling=0\n", ":3: missing: interval");
    refused_in(file, 3, "snapshot version=1 sampling=0 interval=1 calls=1 more=1\n", ":3: unexpected: more=1");
    refused_in(file, 3, "snapshot version=1 sampling=0 interval=1\n", ":3: missing: calls");
    refused_in(file, 3, "", ":6: calls without a snapshot");
    refused_in(file, 4, "calls 9 count=1 p/A.next()V\n", ":4: calls without");
    refused_in(file, 5, "snapshot version=7 sampling=0 interval=1 calls=1\n", ":5: a snapshot that does not follow");
    refused_in(file, 7, "calls 8 count=12 p/A.next()V\n", ":7: its body has no such site");
    refused_in(file, 7, "calls 9 count=0 p/A.next()V\n", ":7: not a number");
    refused_in(file, 7, "calls 9 count=12\n", ":7: missing: name");
    refused_in(file, 9, "receivers 9 count=0 p/B\n", ":9: not a number");
    refused_in(file, 9, "receivers 9 count=12\n", ":9: missing: name");
    refused_in(file, 9, "receivers 8 count=12 p/B\n", ":9: its body has no such site");
    refused_in(file, 8, "calls 3 count=12 p/A.next()V\n", ":8: not a number");
}

static void refuses_what_is_wrong(void **state) {
    (void)state;
    refused(1, "cabernet-advice 2\n", ":1: not an advice file");
    refused(1, "", ":1: not an advice file");
    refused(4, "plan osr=-1 events=2 sampling=1 dup=0 checks=0 memory=0 stress=0 level=20 p/A.run(I)V\n",
            ":4: a plan of a VM that counted sampling checks in a register");
    refused(4, "plan tier=1 osr=-1 events=0 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V\n",
            ":4: a plan of a VM whose compiler had two tiers");
    refused(4, "plan osr=-2 events=0 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V\n", ":4: not a number");
    refused(4, "plan osr=-1 events=0 sampling=0 dup=0 checks=0 stress=0\n", ":4: missing: name");
    refused(4, "plan osr=-1 events=0 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V more\n", ":4: unexpected: more");
    refused(4, "plan osr= events=0 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V\n", ":4: not a number");
    refused(4, "plan osr=-1 events=2 counted=0 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V\n", ":4: not a number");
    refused(4, "plan events=0 sampling=0 dup=0 checks=0 stress=0 p/A.run(I)V\n", ":4: missing: osr");
    refused(4, "", ":4: not the beginning of a plan");
    refused(5, "body 1 bytes=0123abcd p/A.run(I)V\n", ":5: not a number");
    refused(5, "body 0 bytes=0123abcd p/A.other(I)V\n", ":5: the first body");
    refused(5, "body 0 p/A.run(I)V\n", ":5: missing: bytes");
    refused(5, "body 0 bytes=123abcd p/A.run(I)V\n", ":5: not a hash");
    refused(5, "body 0 bytes=0123abcg p/A.run(I)V\n", ":5: not a hash");
    refused(5, "", ":5: a site before");
    refused(6, "site 70000 unresolved\n", ":6: not a number");
    refused(6, "site 3 resolved\n", ":6: no kind of site");
    refused(6, "site 3 none\n", ":6: a site without");
    refused(6, "sight 3 unresolved\n", ":6: unknown kind of line");
    refused(7, "site 3 static type=J field=p/A.count:J\n", ":7: not a number");
    refused(7, "site 6 static type=JJ field=p/A.count:J\n", ":7: no type character");
    refused(7, "site 6 static type=J field=\n", ":7: unexpected");
    refused(7, "site 6 static type=J\n", ":7: missing: field=");
    refused(7, "site 6 static type=J what=1\n", ":7: unexpected: what=1");
    refused(9, "site 12 call_interface method=p/I.go()V guarded=1\n", ":9: unexpected: guarded=");
    refused(10, "site 15 const_prim type=J bits=9223372036854775808\n", ":10: not a number");
    refused(11, "body 1 in=1 at=9 bytes=0123abcd p/A.next()V\n", ":11: not a number");
    refused(11, "body 1 in=0 at=10 bytes=0123abcd p/A.next()V\n", ":11: its caller has no such site");
    refused(14, "code id=0 hotness=1500 hash=0123456789abcde\n", ":14: not a hash");
    refused(14, "code id=0 hotness=-1 hash=0123456789abcdef\n", ":14: not a number");
    refused(14, "", ":14: the plan before has no code line");
    refused(17, "", ":16: the file ends within a plan");
    refused(17, "code id=1 hotness=0 hash=ffffffffffffffff", ":17: the last line is not complete");
}

// Truncation and random changes lead to a plan or an error, never to anything else.
static void survives_damage(void **state) {
    (void)state;
    ReplayRecord *r;
    char text[sizeof good];
    unsigned seed = 12345;
    for (size_t length = 0; length < sizeof good - 1; length += 7) {
        bool ok = read_text(good, length, &r);
        assert_true(ok || error[0]);
    }
    for (int i = 0; i < 2000; i++) {
        memcpy(text, good, sizeof good);
        for (int k = 0; k < 3; k++) {
            seed = seed * 1103515245u + 12345u;
            text[(seed >> 8) % (sizeof good - 1)] = (char)(seed >> 24);
        }
        bool ok = read_text(text, sizeof good - 1, &r);
        assert_true(ok || error[0]);
    }
    assert_false(replay_read("/nonexistent/plans", &r, error, sizeof error));
    assert_non_null(strstr(error, "/nonexistent/plans: No such file"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plans),           cmocka_unit_test(reads_snapshots),
        cmocka_unit_test(refuses_what_is_wrong), cmocka_unit_test(refuses_wrong_snapshots),
        cmocka_unit_test(survives_damage),
    };
    int fd = mkstemp(path);
    if (fd < 0) return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
