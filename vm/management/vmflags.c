// The VM's flags under HotSpot's names: the rows of vmflags.def with their current values.
#include "vm/management/vmflags.h"

#include <string.h>

#include "gc/heap.h"
#include "vm/model/vm.h"

typedef struct Row {
    enum { BOOL, LONG, SWITCH } kind;
    const char *name, *spelling;
    int64_t (*value)(void);
    int64_t usual;
    bool *target;  // of a switch
} Row;

static int64_t max_heap(void) {
    HeapStats s;
    heap_stats(&s);
    return (int64_t)s.max;
}

#define VMFLAG(kind, name, spelling, expression, usual) \
    static int64_t value_##name(void) { return (expression); }
#include "vm/management/vmflags.def"

#define TARGET_BOOL(expression) NULL
#define TARGET_LONG(expression) NULL
#define TARGET_SWITCH(variable) &(variable)
static const Row rows[] = {
#define VMFLAG(kind, name, spelling, expression, usual) \
    {kind, #name, spelling, value_##name, usual, TARGET_##kind(expression)},
#include "vm/management/vmflags.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

// -XX:+Name, -XX:-Name, -XX:Name=value, or the alternative spelling followed by anything.
static bool names(const char *argument, const Row *row) {
    if (row->spelling && strncmp(argument, row->spelling, strlen(row->spelling)) == 0) return true;
    if (strncmp(argument, "-XX:", 4) != 0) return false;
    argument += 4;
    size_t n = strlen(row->name);
    if (row->kind != LONG) return (*argument == '+' || *argument == '-') && strcmp(argument + 1, row->name) == 0;
    return strncmp(argument, row->name, n) == 0 && argument[n] == '=';
}

size_t vmflags_count(void) { return ROWS; }

VMFlag vmflags_get(size_t i) {
    const Row *row = &rows[i];
    VMFlag flag = {
        .name = row->name, .is_bool = row->kind != LONG, .value = row->value(), .writeable = row->kind == SWITCH};
    for (size_t n = 0; n < vm.options.argument_count; n++) flag.given |= names(vm.options.arguments[n], row);
    flag.is_default = !flag.given && flag.value == row->usual;
    return flag;
}

bool vmflags_find(const char *name, VMFlag *out) {
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *out = vmflags_get(i);
        return true;
    }
    return false;
}

bool vmflags_set(const char *name, bool value) {
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, name) != 0 || !rows[i].target) continue;
        *rows[i].target = value;
        return true;
    }
    return false;
}

void vmflags_print_table(FILE *out) {
    fprintf(out, "[Global flags]\n");
    for (size_t i = 0; i < ROWS; i++) {
        VMFlag flag = vmflags_get(i);
        char value[32];
        if (flag.is_bool) snprintf(value, sizeof value, "%s", flag.value ? "true" : "false");
        else snprintf(value, sizeof value, "%lld", (long long)flag.value);
        fprintf(out, "%9s %-40s = %-38s {%s} {%s}\n", flag.is_bool ? "bool" : "intx", flag.name, value,
                flag.writeable ? "manageable" : "product",
                flag.given            ? "command line"
                    : flag.is_default ? "default"
                                      : "ergonomic");
    }
}

void vmflags_print(const VMFlag *flag, FILE *out) {
    if (flag->is_bool) fprintf(out, "-XX:%c%s", flag->value ? '+' : '-', flag->name);
    else fprintf(out, "-XX:%s=%lld", flag->name, (long long)flag->value);
}
