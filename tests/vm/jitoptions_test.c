// -Xjit and related options: presets, every kind of row, rejected values, and the method filters.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vm/adaptive/jitoptions.h"

static char error[1024];

static int make(JitOptions *o, const char *jit) {
    Options options = {.jit = jit};
    error[0] = 0;
    return jitoptions_make(o, &options, error, sizeof error);
}

static void refused(const char *jit, const char *why) {
    JitOptions o;
    assert_int_equal(make(&o, jit), -1);
    if (!strstr(error, why)) fail_msg("%s: %s", jit, error);
}

static void presets(void **state) {
    (void)state;
    JitOptions o;
    assert_int_equal(make(&o, NULL), 0);
    assert_true(o.enabled && o.template && o.compiler.inlining);
    assert_false(o.blocking || o.compile_all || o.print_compilation || o.perf_map);
    assert_int_equal(o.compiler.opt_level, 2);
    assert_true(o.template_threshold < o.optimize && o.cache >= 1 << 20);
    assert_int_equal(o.deopt_stress, 0);
    assert_int_equal(o.poll_stress, 0);
    assert_false(o.compiler.poll_everywhere);
    assert_null(o.only);
    assert_null(o.compiler.dump);
}

static void kinds_of_rows(void **state) {
    (void)state;
    JitOptions o;
    assert_int_equal(make(&o,
                          "optimize=7,osr=2k,opt=3,inline=off,template=off,,dump=ia,dump-filter=A.b,"
                          "dump-filter=C.d,cache=64m,verify,poll-stress,threads=3,cpu=x86-64-v3,deopt-stress"),
                     0);
    assert_int_equal(o.optimize, 7);
    assert_int_equal(o.osr, 2048);
    assert_int_equal(o.compiler.opt_level, 3);
    assert_false(o.compiler.inlining || o.template);
    assert_string_equal(o.compiler.dump, "ia");
    assert_string_equal(o.compiler.dump_filter->text, "A.b");
    assert_string_equal(o.compiler.dump_filter->next->text, "C.d");
    assert_int_equal(o.cache, 64 << 20);
    assert_true(o.compiler.verify && o.compiler.poll_everywhere);
    assert_int_equal(o.threads, 3);
    assert_string_equal(o.compiler.cpu, "x86-64-v3");
    assert_int_equal(o.deopt_stress, 1);
    assert_int_equal(o.poll_stress, 1);
    assert_int_equal(make(&o, "deopt-stress=5,poll-stress=7,optimize=1,optimize=2"), 0);
    assert_int_equal(o.deopt_stress, 5);
    assert_int_equal(o.poll_stress, 7);
    assert_true(o.compiler.poll_everywhere);
    assert_int_equal(o.optimize, 2);
    assert_int_equal(make(&o, "poll-stress-sites=3"), 0);
    assert_int_equal(o.poll_stress_sites, 3);
    assert_true(o.compiler.poll_everywhere);
}

static void bailouts(void **state) {
    (void)state;
    refused("nonsense", "no such suboption: nonsense; there are osr, optimize, ");
    refused("template,optimize", "optimize needs a value");
    refused("optimize=", "optimize=: a whole number is needed");
    refused("optimize=many", "optimize=many");
    refused("optimize=0", "must be 1...");
    refused("opt=4", "must be 1...3");
    refused("template=yes", "must be on or off");
    refused("only=", "only needs a value");
    refused("dump=ix", "letters are");
    refused("dump-filter=A.b", "needs dump=");
    refused("deopt-stress=0", "must be 1...");
    refused("poll-stress-sites=65536", "must be 0...");
    refused("poll-stress=on", "poll-stress=on");
    refused("cpu=pentium4", "cpu=pentium4: not a processor");
    refused("cache=1k", "must be");
}

static void modes(void **state) {
    (void)state;
    JitOptions o;
    Options options = {.compile_all = true, .print_compilation = true, .replay_record = "f"};
    assert_int_equal(jitoptions_make(&o, &options, error, sizeof error), 0);
    assert_true(o.enabled && o.print_compilation && !o.compile_all && !o.blocking);
    assert_string_equal(o.compiler.replay_record, "f");
    options = (Options){.compile_all = true};
    assert_int_equal(jitoptions_make(&o, &options, error, sizeof error), 0);
    assert_true(o.template && o.template_first_call && !o.compile_all && !o.blocking);
    options = (Options){.jit = "compile-all"};
    assert_int_equal(jitoptions_make(&o, &options, error, sizeof error), 0);
    assert_true(o.compile_all && o.blocking && !o.template && !o.template_first_call);
    options = (Options){.interpret_only = true};
    assert_int_equal(jitoptions_make(&o, &options, error, sizeof error), 0);
    assert_false(o.enabled);
}

static void filters(void **state) {
    (void)state;
    JitOptions o;
    assert_int_equal(make(&o, NULL), 0);
    assert_int_equal(jitoptions_filter(&o, "A", "f", "()V"), JIT_NORMAL);
    assert_int_equal(make(&o, "only=A.*,only=B.f(II*,exclude=A.g,force=*.f"), 0);
    assert_int_equal(jitoptions_filter(&o, "A", "h", "()V"), JIT_NORMAL);
    assert_int_equal(jitoptions_filter(&o, "A", "f", "()V"), JIT_FORCED);
    assert_int_equal(jitoptions_filter(&o, "A", "g", "()V"), JIT_EXCLUDED);
    assert_int_equal(jitoptions_filter(&o, "B", "f", "()V"), JIT_EXCLUDED);
    assert_int_equal(jitoptions_filter(&o, "B", "f", "(II)V"), JIT_FORCED);
    assert_int_equal(jitoptions_filter(&o, "C", "f", "(II)V"), JIT_EXCLUDED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets), cmocka_unit_test(kinds_of_rows), cmocka_unit_test(bailouts),
        cmocka_unit_test(modes),   cmocka_unit_test(filters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
