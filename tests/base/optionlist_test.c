// Tables of options (base/optionlist.h): every kind of value, rejected values and their messages, help.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>

#include "base/optionlist.h"

typedef struct Values {
    bool fast, slow, help;
    uint32_t count, every;
    int64_t size;
    OptionAmount time;
    int colour;
    char *name, *file, *later;
    char own[64];
} Values;

enum { COUNT = 1, COLOUR = 5 };

static bool take_own(OptionParse *p, const OptionRow *row, const char *value) {
    Values *v = p->to;
    if (*value == '!') return optionlist_refuse(p, "%s: %s is not wanted", row->name, value);
    strcat(v->own, value);
    return true;
}

static const OptionRow rows[] = {
    {"fast", OPTION_SWITCH, OPTION_NOW, offsetof(Values, fast), true, 0, 0, "goes fast"},
    [COUNT] = {"count", OPTION_NUMBER, OPTION_NOW, offsetof(Values, count), 7, 1, 5000, "how many"},
    {"every", OPTION_EVERY, OPTION_NOW, offsetof(Values, every), 0, 1, UINT32_MAX, "each N-th"},
    {"size", OPTION_SIZE, OPTION_NOW, offsetof(Values, size), 3 << 20, 1 << 10, INT64_MAX, "bytes"},
    {"time", OPTION_AMOUNT, OPTION_NOW, offsetof(Values, time), 0, 0, 0, "how long"},
    [COLOUR] = {"colour", OPTION_CHOICE, OPTION_NOW, offsetof(Values, colour), 0, 0, 0, "of the bike shed"},
    {"name", OPTION_TEXT, OPTION_NOW, offsetof(Values, name), 0, 0, 0, "who"},
    {"file", OPTION_FILE, OPTION_NOW, offsetof(Values, file), 0, 0, 0, "where"},
    {"own", OPTION_OWN, OPTION_NOW, offsetof(Values, own), 0, 0, 0, "the owner's"},
    {"soon", OPTION_TEXT, OPTION_LATER, offsetof(Values, later), 0, 0, 0, "to come"},
    {"slow", OPTION_SWITCH, OPTION_COMPARE, offsetof(Values, slow), false, 0, 0, "goes slowly"},
    {"help", OPTION_BARE, OPTION_NOW, offsetof(Values, help), 0, 0, 0, "this"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static const OptionWord words[] = {
    {"red", COLOUR, OPTION_NOW, "like fire"},
    {"green", COLOUR, OPTION_NOW, "like grass"},
    {"gold", COLOUR, OPTION_LATER, "like money"},
    {"blue", COLOUR, OPTION_NOW, "like the sky"},
    {"grey", COLOUR, OPTION_COMPARE, "like the others"},
};

static const OptionTable lasting = {
    .rows = rows,
    .row_count = ROWS,
    .words = words,
    .word_count = sizeof words / sizeof *words,
    .called = "switch",
    .separator = ',',
    .repeatable = true,
    .own = take_own,
};
static const OptionTable once = {
    .rows = rows,
    .row_count = ROWS,
    .words = words,
    .word_count = sizeof words / sizeof *words,
    .called = "switch",
    .separator = ':',
    .escape = WORDS_BACKSLASH,
    .own = take_own,
};

static char error[512];
static bool given[ROWS];
static OptionParse parse;

static bool take(const OptionTable *table, Values *v, const char *text) {
    memset(v, 0, sizeof *v);
    memset(given, 0, sizeof given);
    parse = (OptionParse){.table = table, .to = v, .given = given, .error = error, .error_size = sizeof error};
    optionlist_presets(table, v);
    char *copy = strdup(text);
    bool ok = optionlist_take_all(&parse, copy);
    free(copy);
    return ok;
}

static void end(Values *v) {
    free(v->name);
    free(v->file);
}

static void refused(const OptionTable *table, const char *text, const char *why) {
    Values v;
    assert_false(take(table, &v, text));
    assert_string_equal(error, why);
    end(&v);
}

static void values_of_every_kind(void **state) {
    (void)state;
    Values v;
    assert_true(take(&lasting, &v, ""));
    assert_true(v.fast && !v.help && v.count == 7 && v.every == 0 && v.size == 3 << 20 && v.colour == 0 && !v.name);
    assert_false(v.time.given || given[COUNT]);
    assert_true(take(&lasting, &v, "fast=off,slow,count=2k,every,size=5g,time=30ms,colour=blue,name=a=b,own=x,help"));
    assert_true(!v.fast && v.slow && v.help && v.count == 2048 && v.every == 1 && v.size == INT64_C(5) << 30);
    assert_true(v.time.given && v.time.value == 30);
    assert_string_equal(v.time.unit, "ms");
    assert_int_equal(v.colour, 3);
    assert_string_equal(v.name, "a=b");
    assert_string_equal(v.own, "x");
    assert_true(given[COUNT] && given[COLOUR]);
    end(&v);
}

static void options_given_twice(void **state) {
    (void)state;
    Values v;
    assert_true(take(&lasting, &v, "count=1,,count=2,name=a,name=b,own=x,own=y"));
    assert_int_equal(v.count, 2);
    assert_string_equal(v.name, "b");
    assert_string_equal(v.own, "xy");
    end(&v);
    refused(&once, "count=1:count=1", "count= is given twice");
    refused(&once, "count=1::fast", "there is an empty switch");
    assert_true(take(&once, &v, "name=a\\:b"));
    assert_string_equal(v.name, "a:b");
    end(&v);
}

static void what_is_refused(void **state) {
    (void)state;
    refused(&lasting, "cuont=1",
            "no such switch: cuont (did you mean count?); there are fast, count, every, size, time, colour, name, "
            "file, own, slow and help");
    refused(&lasting, "colour=mauve", "colour=mauve: must be red, green, blue or grey");
    refused(&lasting, "colour=gold", "colour=gold is not built yet");
    refused(&lasting, "soon=1", "soon= is not built yet (to come)");
    refused(&lasting, "fast=maybe", "fast=maybe: must be on or off");
    refused(&lasting, "count", "count needs a value: count=...");
    refused(&lasting, "name=", "name needs a value: name=...");
    refused(&lasting, "count=", "count=: a whole number is needed");
    refused(&lasting, "count=-1", "count=-1: a whole number is needed");
    refused(&lasting, "count=1g", "count=1g: a whole number is needed");
    refused(&lasting, "count=0", "count=0: must be 1...5000");
    refused(&lasting, "count=5k", "count=5k: must be 1...5000");
    refused(&lasting, "size=99999999999999999999", "size=99999999999999999999 is too large");
    refused(&lasting, "every=0", "every=0: must be 1...4294967295");
    refused(&lasting, "time=soon", "time=soon: a whole number is needed");
    refused(&lasting, "help=me", "help takes no value");
    refused(&lasting, "own=!x", "own: !x is not wanted");
    refused(&lasting, "file=/nonexistent/f", "file: /nonexistent/f: No such file or directory");
}

static void amounts(void **state) {
    (void)state;
    static const OptionUnit units[] = {{"us", 1}, {"ms", 1000}};
    Values v;
    uint64_t n = 0;
    assert_true(take(&lasting, &v, "time=30ms"));
    assert_true(optionlist_scale(&v.time, units, 2, &n) && n == 30000);
    assert_false(optionlist_amount(&parse, &rows[4], 1, 100, 50, &n));
    assert_string_equal(error, "time=30ms: a number without a unit is needed");
    assert_true(take(&lasting, &v, "time=18446744073709551615ms"));
    assert_true(optionlist_scale(&v.time, units, 2, &n) && n == UINT64_MAX);
    assert_true(take(&lasting, &v, "time=30"));
    assert_false(optionlist_scale(&v.time, units, 2, &n));
    assert_true(optionlist_amount(&parse, &rows[4], 1, 100, 50, &n) && n == 30);
    assert_false(optionlist_amount(&parse, &rows[4], 1, 29, 50, &n));
    assert_string_equal(error, "time=30: must be 1...29");
    assert_true(take(&lasting, &v, "") && optionlist_amount(&parse, &rows[4], 1, 100, 50, &n) && n == 50);
}

static void files_are_made(void **state) {
    (void)state;
    char directory[] = "/tmp/optionlist-XXXXXX", text[64];
    Values v;
    assert_non_null(mkdtemp(directory));
    snprintf(text, sizeof text, "file=%s/made", directory);
    assert_true(take(&lasting, &v, text));
    assert_int_equal(unlink(v.file), 0);
    rmdir(directory);
    end(&v);
}

static void help(void **state) {
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    optionlist_help(out, &lasting);
    fclose(out);
    assert_non_null(strstr(text, "    fast[=on|off]            goes fast (on)\n"));
    assert_non_null(strstr(text, "    count=N                  how many (7)\n"));
    assert_non_null(strstr(text, "        red                  like fire (default)\n"));
    assert_non_null(strstr(text, "        gold                 like money  [not built yet]\n"));
    assert_non_null(strstr(text, "    soon=TEXT                to come  [not built yet]\n"));
    // Options for comparisons are listed last, and only there.
    const char *last = strstr(text, "    help                     this\n\nFor comparisons and experiments:\n");
    assert_non_null(last);
    assert_non_null(strstr(last, "    slow[=on|off]            goes slowly\n"));
    assert_non_null(strstr(last, "    colour=grey              like the others\n"));
    assert_null(strstr(text, "        grey"));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_every_kind), cmocka_unit_test(options_given_twice),
        cmocka_unit_test(what_is_refused),      cmocka_unit_test(amounts),
        cmocka_unit_test(files_are_made),       cmocka_unit_test(help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
