// Consistency of three tables: HotSpot's flags (hotspotflags.def), the flags that this VM implements (options.def) and
// those that management shows (vmflags.def). Each flag of the latter two must be a HotSpot flag of a matching kind, and
// management's default value must be the default of the corresponding option.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "vm/base/options.h"
#include "vm/management/vmflags.h"
#include "vm/model/vm.h"

typedef enum Kind { NONE, BOOL, INT, SIZE, DOUBLE, TEXT } Kind;

static Kind hotspot_kind(const char *name, size_t length) {
    static const struct {
        const char *name;
        Kind kind;
    } rows[] = {
#define HSFLAG(access, kind, name) {#name, kind},
#include "vm/base/hotspotflags.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strncmp(rows[i].name, name, length) == 0 && !rows[i].name[length]) return rows[i].kind;
    return NONE;
}

static bool is_number(Kind kind) { return kind == INT || kind == SIZE || kind == DOUBLE; }

typedef struct Row {
    const char *kind, *spelling;
} Row;

// Only options that begin with -XX: or are switches are HotSpot flags; those of java's launcher and of cabernet have no
// row.
static void options_are_flags_of_hotspot(void **state) {
    (void)state;
    static const Row rows[] = {
#define OPT(kind, spelling, field, help) {#kind, spelling},
#include "vm/base/options.def"
    };
    int checked = 0;
    for (const Row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        bool is_switch = strcmp(r->kind, "SWITCH") == 0 || strcmp(r->kind, "NEGATED") == 0;
        const char *name = strncmp(r->spelling, "-XX:", 4) == 0 ? r->spelling + 4 : r->spelling;
        if (!is_switch && name == r->spelling) continue;
        Kind kind = hotspot_kind(name, strcspn(name, "="));
        bool fits = is_switch ? kind == BOOL : strcmp(r->kind, "TEXT") == 0 ? kind == TEXT : is_number(kind);
        if (strcmp(r->kind, "WARN") == 0) fits = kind != NONE;
        if (!fits) fail_msg("%s %s is of another kind in hotspotflags.def", r->kind, r->spelling);
        checked++;
    }
    assert_true(checked > 20);
}

static void shown_flags_are_flags_of_hotspot(void **state) {
    (void)state;
    static const Row rows[] = {
#define VMFLAG(kind, name, spelling, value, usual) {#kind, #name},
#include "vm/management/vmflags.def"
    };
    for (const Row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        Kind kind = hotspot_kind(r->spelling, strlen(r->spelling));
        bool fits = strcmp(r->kind, "LONG") == 0 ? is_number(kind) : kind == BOOL;
        if (!fits) fail_msg("%s %s is of another kind in hotspotflags.def", r->kind, r->spelling);
    }
}

// Without options every flag has its default value. The size of the heap depends on the machine.
static void usual_values_are_the_defaults(void **state) {
    (void)state;
    assert_true(options_parse(&vm.options, 0, NULL, NULL, false));
    for (size_t i = 0; i < vmflags_count(); i++) {
        VMFlag flag = vmflags_get(i);
        assert_false(flag.given);
        if (!flag.is_default && strcmp(flag.name, "MaxHeapSize") != 0)
            fail_msg("%s is %lld without options, which is not its usual value", flag.name, (long long)flag.value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_flags_of_hotspot),
        cmocka_unit_test(shown_flags_are_flags_of_hotspot),
        cmocka_unit_test(usual_values_are_the_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
