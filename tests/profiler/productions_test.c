/* Reading productions: accepted texts, error messages and their positions, the sampling shape, conditions and
 * counters. Mutates valid texts thousands of times; none may do harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/splitmix.h"
#include "profiler/productions/productions.h"

static char error[512];

static Productions *read_text(const char *text) {
    Productions *p = productions_new();
    assert_non_null(p);
    error[0] = '\0';
    if (productions_add(p, "t", text, strlen(text), NULL, error, sizeof error) &&
        productions_check(p, error, sizeof error))
        return p;
    productions_free(p);
    return NULL;
}

static Productions *accept(const char *text) {
    Productions *p = read_text(text);
    if (!p) print_error("%s: %s\n", text, error);
    assert_non_null(p);
    return p;
}

static void accepted(void **state) {
    static const char *const texts[] = {
        "call => null",
        "entry => count();",
        "entry => count(method)",
        "entry => count(caller, method);",
        "a: get && value == null => count(site); b: put && value > -5 => count(site, value), inc_1;",
        "# nothing but\nentry # a comment\n=> null",
        "register r = 5k; counter 3 = -random(r); entry && !zero_3 => set_3(-r);",
        "call && callee == \"java.util.Map.put(*\" && arg(2) != null => count(site)",
        "allocation && type == byte[] && (size > 1m || length >= 1000000) => count(type, site)",
        "!(opcode != goto || opcode != if_icmplt) && any => null",
        "any && thread != \"main\" && class == demo.* => count(method)",
        "get => stream; array => stream, burst_stop; entry && burst => context, handler(call-edge)",
        "entry && caller == demo.Main.* => count()",
        "field == demo.P.x => count(field)",
        "callee == *.run* => null",
        "backward_branch && loop_depth >= 2 && line < 100 && bci != 7 => inc_16, dec_1, set_2(7)",
        "assign && value > 2 => count(site, with, relation); assign => count(site, value)",
        "return && annotation == demo.Hot => count(value)",
        "entry=>null;entry=>null;",
        "register r = 7; counter 1 = -random(r) + 2; entry => set_1(-r + 1), set_2(3 + 4)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) productions_free(accept(texts[i]));
}

/* The text is rejected at position `where`, with a message that contains `why`. */
static void refuses(const char *text, const char *where, const char *why) {
    Productions *p = read_text(text);
    if (p || strncmp(error, where, strlen(where)) != 0 || !strstr(error, why)) print_error("%s: %s\n", text, error);
    assert_null(p);
    assert_int_equal(strncmp(error, where, strlen(where)), 0);
    assert_non_null(strstr(error, why));
    assert_null(strchr(error, '\n'));
}

static void refused(void **state) {
    (void)state;
    refuses("call", "t:1:5:", "'=>' is expected, but the text ends");
    refuses("call =>", "t:1:8:", "an action");
    refuses("call => count(foo)", "t:1:15:", "method, site, caller");
    refuses("call\n  => count(site) entry => null", "t:2:18:", "';' is expected, not entry");
    refuses("call => stream", "t:1:9:", "the analysis hot-stream takes nothing at a call");
    refuses("entry => context(33)", "t:1:18:", "from 1 to 32");
    refuses("entry => handler", "t:1:17:", "'(' is expected");
    refuses("call => count(method, method)", "t:1:23:", "named twice");
    refuses("entry => count(caller, site, method)", "t:1:30:", "room for 4 numbers");
    refuses("zero_1 => null", "t:1:1:", "says of no instruction what it is");
    refuses("!call => null", "t:1:1:", "says of no instruction what it is");
    refuses("entry && zero_17 => null", "t:1:10:", "from 1 to 16");
    refuses("entry && zero_ => null", "t:1:10:", "from 1 to 16");
    refuses("entry && foo => null", "t:1:10:", "a class of instructions");
    refuses("entry && method => null", "t:1:17:", "== or != is expected");
    refuses("entry && method < a => null", "t:1:17:", "== or != is expected");
    refuses("entry && method == => null", "t:1:20:", "a pattern");
    refuses("entry && method == \"abc => null", "t:1:20:", "no closing quote");
    refuses("entry && line == 99999999999999999999 => null", "t:1:18:", "too large");
    refuses("get && value < null => null", "t:1:16:", "== and != alone");
    refuses("get && length > 3 => null", "t:1:8:", "length is not known at a get");
    refuses("assign => count(with, relation)", "t:1:17:", "with needs site in front of it");
    refuses("assign || get => count(site, with)", "t:1:18:", "with is not known at a get");
    refuses("assign && object == null => null", "t:1:11:", "object is not known at an assignment of a number");
    refuses("get && edge == 1 => null", "t:1:8:", "edge is not known at a get");
    refuses("memory && arg(1) == 1 => null", "t:1:11:", "arg is not known at a get");
    refuses("memory => count(field)", "t:1:11:", "field is not known at an array load");
    refuses("opcode == foo => null", "t:1:11:", "an instruction's name");
    refuses("call => set_1(x)", "t:1:15:", "a register");
    refuses("call => set_1(5000000000)", "t:1:15:", "less than 4294967296");
    refuses("call => set_1(-5 + )", "t:1:20:", "a number");
    refuses("call => set_1(-5 + 5000000000)", "t:1:20:", "less than 4294967296");
    refuses("register a = 1; register a = 2;", "t:1:26:", "already");
    refuses("counter 17 = 1;", "t:1:9:", "from 1 to 16");
    refuses("counter 1 = 1; counter 1 = 2;", "t:1:24:", "already");
    refuses("a: call => null; a: call => null;", "t:1:18:", "already");
    refuses("call && ((entry => null", "t:1:17:", "')' is expected");
    refuses("call & entry => null", "t:1:6:", "'&'");
    refuses("use \"nowhere.prod\"; call => null", "nowhere.prod:", "No such file");
    refuses("", "productions:", "no production");
    refuses("register r = 1;", "productions:", "no production");
}

static void deep(void **state) {
    char text[3000];
    (void)state;
    memset(text, '(', 2900);
    strcpy(text + 2900, "call");
    refuses(text, "t:1:102:", "parentheses are open");
}

/* ---- the sampling shape ---- */

#define HEAD "register i = 100; register b = 3; counter 1 = -i; counter 2 = -b;"
#define RESET "r: check && overflow_1 && overflow_2 => null, set_1(-i), set_2(-b);"
#define COUNT "c: check && !overflow_1 => null, inc_1;"
#define BURST "d: check && overflow_1 && !overflow_2 => null, inc_2;"
#define BURST_AGAIN "e: entry && overflow_1 && !overflow_2 => null, inc_2;"
#define HOT "hot: entry && overflow_1 => count(method);"
#define HOT_LATER "get && overflow_1 => count(site), inc_3;"

// Figure 4 as printed, with P5's misprint (! overflow_2) corrected, in the words of this language.
#define FIGURE4                                                                               \
    "register sampleFreq = 100; register burstLength = 3;"                                    \
    "counter 1 = -sampleFreq; counter 2 = -burstLength;"                                      \
    "P1: entry && !overflow_1 => null, inc_1;"                                                \
    "P2: backward_branch && !overflow_1 => null, inc_1;"                                      \
    "P3: entry && overflow_1 && !overflow_2 => null, inc_2;"                                  \
    "P4: backward_branch && overflow_1 && !overflow_2 => null, inc_2;"                        \
    "P5: entry && overflow_1 && overflow_2 => null, set_1(-sampleFreq), set_2(-burstLength);" \
    "P6: backward_branch && overflow_1 && overflow_2 => null, set_1(-sampleFreq), set_2(-burstLength);"

static void is_shape(const char *text, bool is, const char *why) {
    Productions *p = accept(text);
    const ProductionShape *s = productions_shape(p);
    if (s->sampled != is || (!is && !strstr(s->why, why))) print_error("%s: %d %s\n", text, s->sampled, s->why);
    assert_int_equal(s->sampled, is);
    if (!is) assert_non_null(strstr(s->why, why));
    productions_free(p);
}

static void shapes(void **state) {
    (void)state;
    is_shape(HEAD RESET COUNT BURST HOT, true, "");
    is_shape(HEAD RESET COUNT BURST HOT "x: get && overflow_1 && value == null => count(site), inc_3;", true, "");
    is_shape(HEAD "entry && overflow_2 && overflow_1 => set_2(-b), set_1(-i); backward_branch && overflow_1 && "
                  "overflow_2 => set_1(-i),"
                  "set_2(-b); (entry || backward_branch) && !overflow_1 => inc_1;" BURST HOT,
             true, "");
    is_shape(HOT, false, "no production counts");
    is_shape(HEAD RESET COUNT HOT, false, "otherwise");
    is_shape(HEAD COUNT RESET BURST HOT, true, "");
    is_shape(HEAD COUNT RESET BURST BURST_AGAIN HOT, false, "otherwise");
    is_shape(FIGURE4 HOT, true, "");
    is_shape(HOT_LATER FIGURE4, true, "");
    is_shape(HEAD RESET "c: entry && !overflow_1 => null, inc_1;" BURST HOT, false, "otherwise");
    is_shape(HEAD RESET COUNT BURST "hot: entry => count(method);", false, "production hot does not just ask");
    is_shape(HEAD RESET COUNT BURST "hot: entry && overflow_1 && !overflow_2 => count(method);", false,
             "production hot does not");
    is_shape(HEAD RESET COUNT BURST "hot: entry && overflow_1 => count(method), inc_1;", false, "changes counter 1");
    is_shape(HEAD HOT RESET COUNT BURST, true, "");
    is_shape("register i = 9; counter 1 = i; counter 2 = -1;"
             "r: check && overflow_1 && overflow_2 => set_1(-i), set_2(-1);" COUNT BURST HOT,
             false, "begin with a negative number");
}

/* The framework's numbers: interval and burst are one more than the increments that the text asks for. */
static void shape_numbers(void **state) {
    (void)state;
    Productions *p = accept(FIGURE4 HOT);
    const ProductionShape *s = productions_shape(p);
    assert_true(productions_increments(p, s->interval_value) == 100 && productions_increments(p, s->burst_value) == 3);
    assert_true(productions_increments(p, s->phase_value) == 100);
    productions_free(p);
    p = accept("register i = 100; counter 1 = -random(i); counter 2 = -3 + 1;" COUNT BURST
               "r: check && overflow_1 && overflow_2 => null, set_1(-i + 1), set_2(-3 + 1);" HOT);
    s = productions_shape(p);
    assert_true(s->sampled && s->phase_value.random);
    assert_true(productions_increments(p, s->interval_value) == 99 && productions_increments(p, s->burst_value) == 2);
    productions_free(p);
}

/* ---- productions that never act ---- */

static void records(const char *text, const char *why_not) {
    Productions *p = accept(text);
    char why[320] = "";
    bool nothing = productions_record_nothing(p, why, sizeof why);
    if (nothing != (why_not != NULL) || (why_not && !strstr(why, why_not))) print_error("%s: %s\n", text, why);
    assert_int_equal(nothing, why_not != NULL);
    if (why_not) assert_non_null(strstr(why, why_not));
    productions_free(p);
}

static void never(void **state) {
    (void)state;
    records("entry => count(method)", NULL);
    records(FIGURE4 HOT, NULL);
    records(FIGURE4, "no production has count()");
    records("entry => null", "no production has count()");
    records(HOT, "hot never acts: its conditions on counters");
    records("check => inc_1;" HOT, "hot never acts");
    records("counter 1 = -5; check => inc_1;" HOT, NULL);
    records("counter 1 = -5; check && overflow_2 => inc_1;" HOT, "hot never acts");
    records("counter 1 = -5; counter 2 = -1; check => inc_2; check && overflow_2 => inc_1;" HOT, NULL);
    records("counter 1 = -random(9); check => dec_1;" HOT, "hot never acts");
    records("get => set_1(-5); put => inc_1;" HOT, NULL);
    records("register r = 0; counter 1 = -r;" HOT, NULL);
    records("counter 1 = -5 + 5;" HOT, NULL);
    records("check => inc_1; x: entry && zero_1 && !zero_1 => count()", "x never acts");
    records("check => inc_1; entry && !zero_1 => count()", NULL);
    records("counter 1 = 3; check => dec_1; entry && zero_1 => count()", NULL);
    records("get && burst => stream", "rule-1 never acts");
    records("get && burst => stream; entry => burst_start", NULL);
    records("a: get && entry => count()", "a never acts: no instruction matches");
    records("a: get && entry => count(); b: get => count()", NULL);
    records(HOT "counter 1 = -5; entry && (line > 3 || overflow_1) => count(), inc_1", NULL);
}

/* ---- counters ---- */

static void counters(void **state) {
    (void)state;
    Productions *p = accept(
        "register n = 3; counter 1 = -n; counter 2 = -random(n); entry => inc_1, dec_3, set_4(-2), set_5(n);");
    int64_t c[PRODUCTION_COUNTERS];
    uint64_t random = 1;
    bool seen[4] = {false};
    for (uint64_t thread = 0; thread < 100; thread++) {
        productions_begin(p, thread, c);
        assert_in_range(COUNTER_LIMIT - c[1], 1, 3);
        seen[COUNTER_LIMIT - c[1]] = true;
    }
    assert_true(seen[1] && seen[2] && seen[3]);
    assert_true(c[0] == COUNTER_LIMIT - 3 && c[2] == 0);
    for (int i = 0; i < 3; i++) {
        assert_true(c[0] < COUNTER_LIMIT);
        productions_operate(p, productions_get(p, 0), c, &random);
    }
    assert_true(c[0] == COUNTER_LIMIT && c[2] == -3 && c[3] == COUNTER_LIMIT - 2 && c[4] == 3);
    productions_register(p, (uint32_t)productions_find_register(p, "n", 1))->value = 7;
    productions_operate(p, productions_get(p, 0), c, &random);
    assert_true(c[4] == 7);
    assert_int_equal(productions_find_register(p, "m", 1), -1);
    productions_free(p);
}

/* ---- mutation ---- */

static const char *const seeds[] = {
    HEAD RESET COUNT BURST HOT,
    "nulls: call && callee == java.util.HashMap.put* && arg(2) == null => count(site);\n# a comment\n"
    "big: allocation && type == byte[] && size > 1m => count(type, site);\n",
    "enter: monitor_enter && method == \"demo.Lock.run(I)V\" => null, inc_1; leave: monitor_exit => dec_1;\n"
    "inside: entry && !zero_1 && thread != \"main\" => count(caller, method), set_2(17);\n",
    "register r = 4k; counter 3 = -random(r); (get || put) && field == demo.P.x && !(value < -3 || value == null) => "
    "count(field, value);",
    "scalars: assign && value != 3 && opcode != iinc => count(site, with, relation);\nsigns: assign || put => "
    "count(site, sign), inc_3;",
    "on: entry && caller == demo.* => burst_start, set_2(-random(9)); paths: memory && burst => context(12), stream, "
    "handler(\"hot-stream\");\n"
    "off: return => burst_stop; taken: branch && !overflow_2 => handler(branch);",
    "use \"isolate.prod\"; register interval = 7; more: assign && overflow_1 => count(site, with, relation);",
    "use \"sampling.prod\"; switch && line >= 10 && bci != 7 && loop_depth < 3 && opcode == tableswitch => count(site, "
    "edge);",
};

static size_t mutate(char *text, size_t size, size_t most, uint64_t *random) {
    static const char *const pieces[] = {
        "&&",     "||",          "(",        ")",       "=>",       ";",          "==",        "!=",     "null",
        "zero_1", "\"",          "count(",   "set_1(-", "#",        "9999999999", "call",      "entry",  ",",
        "\n",     "overflow_16", "-",        "k",       "\xc3\xa9", "use \"",     "register ", "!",      "assign",
        "+",      "with",        "relation", "site",    "context(", "handler(",   "burst",     "stream", "value"};
    for (uint64_t n = 1 + splitmix_next(random) % 4; n > 0; n--) {
        size_t at = splitmix_next(random) % (size + 1), length;
        const char *piece = pieces[splitmix_next(random) % (sizeof pieces / sizeof *pieces)];
        switch (splitmix_next(random) % 4) {
            case 0:
                if (at < size) text[at] = (char)splitmix_next(random);
                break;
            case 1:
                length = splitmix_next(random) % (size - at + 1) % 12;
                memmove(text + at, text + at + length, size - at - length);
                size -= length;
                break;
            case 2:
                length = strlen(piece);
                if (size + length > most) break;
                memmove(text + at + length, text + at, size - at);
                memcpy(text + at, piece, length);
                size += length;
                break;
            default: size = at; break;
        }
    }
    return size;
}

static void mutants(void **state) {
    enum { MUTANTS = 10000, MOST = 2048 };
    uint64_t random = 20051123;
    size_t fine = 0;
    FILE *nowhere = fopen("/dev/null", "w");
    (void)state;
    assert_non_null(nowhere);
    for (int i = 0; i < MUTANTS; i++) {
        const char *seed = seeds[i % (int)(sizeof seeds / sizeof *seeds)];
        size_t size = strlen(seed);
        char *room = malloc(MOST);
        memcpy(room, seed, size);
        size = mutate(room, size, MOST, &random);
        char *text = malloc(size ? size : 1); /* exact size, for the sanitizers */
        memcpy(text, room, size);
        Productions *p = productions_new();
        error[0] = '\0';
        bool ok = productions_add(p, "m", text, size, "profiler/productions", error, sizeof error) &&
            productions_check(p, error, sizeof error);
        fine += ok;
        if (ok) productions_explain(p, nowhere);
        if (!ok) {
            assert_true(strlen(error) > 8);
            assert_null(strchr(error, '\n'));
        }
        productions_free(p);
        free(text);
        free(room);
    }
    fclose(nowhere);
    assert_in_range(fine, MUTANTS / 100, MUTANTS / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),      cmocka_unit_test(refused),  cmocka_unit_test(deep),
        cmocka_unit_test(shapes),        cmocka_unit_test(counters), cmocka_unit_test(mutants),
        cmocka_unit_test(shape_numbers), cmocka_unit_test(never),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
