// Parser of -Xjit and its kin (jitoptions.h). The rows of jitoptions.def say everything about a
// suboption; what follows is one small function per kind of row. Runs once, before anything of the VM
// exists, on one thread: malloc and stdio only. What it allocates lives as long as the process.
#include "vm/adaptive/jitoptions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

// Builds for finding bugs check every stage.
#ifndef JITOPTIONS_VERIFY
#ifdef CABERNET_DEBUG
#define JITOPTIONS_VERIFY true
#else
#define JITOPTIONS_VERIFY false
#endif
#endif

typedef enum RowKind { NUMBER, BYTES, SWITCH, STRESS, TEXT, OUTPUT, PATTERN, HELP } RowKind;

typedef struct Row {
    const char *name;
    RowKind kind;
    size_t offset;
    int64_t preset, low, high;
    const char *help;
} Row;

static const Row rows[] = {
#define JITOPT(kind, name, field, preset, low, high, help) \
    {name, kind, offsetof(JitOptions, field), preset, low, high, help},
#include "vm/adaptive/jitoptions.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

typedef struct Parser {
    JitOptions *options;
    char *error;
    size_t size;
    bool help;
} Parser;

static void *field_of(Parser *p, const Row *row) { return (char *)p->options + row->offset; }

// ---- the kinds of rows -----------------------------------------------------------------------------

static bool refuse_value(Parser *p, const Row *row, const char *value) {
    if (!value) snprintf(p->error, p->size, "%s needs a value: %s=...", row->name, row->name);
    else snprintf(p->error, p->size, "%s=%s: not a value it can have", row->name, value);
    return false;
}

static bool take_number(Parser *p, const Row *row, const char *value) {
    int64_t n;
    if (!value || !options_parse_size(value, &n)) return refuse_value(p, row, value);
    if (n < row->low || n > row->high) {
        snprintf(p->error, p->size, "%s=%s: must be %" PRId64 "...%" PRId64, row->name, value,
                 row->low, row->high);
        return false;
    }
    if (row->kind == BYTES) *(int64_t *)field_of(p, row) = n;
    else *(uint32_t *)field_of(p, row) = (uint32_t)n;
    return true;
}

static bool take_switch(Parser *p, const Row *row, const char *value) {
    bool on = !value || strcmp(value, "on") == 0;
    if (!on && strcmp(value, "off") != 0) {
        snprintf(p->error, p->size, "%s=%s: must be on or off", row->name, value);
        return false;
    }
    *(bool *)field_of(p, row) = on;
    return true;
}

static bool take_pattern(Parser *p, const Row *row, const char *value) {
    if (!value || !*value) return refuse_value(p, row, NULL);
    MethodPattern **end = field_of(p, row);
    while (*end) end = &(*end)->next;
    *end = malloc(sizeof **end);
    if (!*end) abort();
    **end = (MethodPattern){options_copy(value, strlen(value)), NULL};
    return true;
}

static bool take_text(Parser *p, const Row *row, const char *value) {
    if (!value || !*value) return refuse_value(p, row, NULL);
    *(const char **)field_of(p, row) = options_copy(value, strlen(value));
    return true;
}

// Refused now and not when it is too late to say so.
static bool take_output(Parser *p, const Row *row, const char *value) {
    if (!take_text(p, row, value)) return false;
    FILE *f = fopen(value, "ae");
    if (!f) snprintf(p->error, p->size, "%s: %s: %s", row->name, value, strerror(errno));
    return f && fclose(f) == 0;
}

// ---- the list --------------------------------------------------------------------------------------

// One suboption, NUL-terminated; the text is changed.
static bool take_suboption(Parser *p, char *text) {
    const char *value = words_value(text);
    int row = WORDS_FIND(rows, text);
    if (row >= 0) {
        switch (rows[row].kind) {
        case NUMBER:
        case BYTES: return take_number(p, &rows[row], value);
        case SWITCH: return take_switch(p, &rows[row], value);
        case STRESS: return take_number(p, &rows[row], value ? value : "1");
        case TEXT: return take_text(p, &rows[row], value);
        case OUTPUT: return take_output(p, &rows[row], value);
        case PATTERN: return take_pattern(p, &rows[row], value);
        case HELP: p->help = true; return true;
        }
        return false;
    }
    snprintf(p->error, p->size, "no such suboption: %s (see -Xjit:help)", text);
    return false;
}

static bool take_list(Parser *p, const char *list) {
    char *text = options_copy(list, strlen(list)), *rest = text;
    bool ok = true;
    for (char *word; ok && (word = words_next(&rest, ',', WORDS_PLAIN)) != NULL;)
        ok = !*word || take_suboption(p, word);
    free(text);
    return ok;
}

static void print_help(void) {
    printf("-Xjit:SUBOPTION,... where SUBOPTION is one of:\n");
    for (const Row *row = rows; row < rows + ROWS; row++) {
        static const char *const value[] = {
            [NUMBER] = "=N", [BYTES] = "=SIZE", [SWITCH] = "[=on|off]", [STRESS] = "[=N]",
            [TEXT] = "=TEXT", [OUTPUT] = "=FILE", [PATTERN] = "=PATTERN", [HELP] = "",
        };
        char spelling[64];
        snprintf(spelling, sizeof spelling, "%s%s", row->name, value[row->kind]);
        printf("    %-24s %s", spelling, row->help);
        if (row->kind == NUMBER) printf(" (%" PRId64 ")", row->preset);
        if (row->kind == BYTES) printf(" (%" PRId64 "m)", row->preset >> 20);
        if (row->kind == SWITCH && row->preset) printf(" (on)");
        printf("\n");
    }
    printf("A PATTERN is class and method, with descriptor if it has a parenthesis: java/lang/String.indexOf*,\n"
           "demo.*, *.run()V; it may be given several times.\n"
           "Reasons for which a method stays interpreted:\n");
#define BAILOUT(id, text) if (strcmp(#id, "none") != 0) printf("    %s\n", text);
#include "vm/api/bailouts.def"
}

// ---- what belongs together -------------------------------------------------------------------------

static bool check_dump(Parser *p) {
    const CompilerOptions *c = &p->options->compiler;
    if (c->dump && strspn(c->dump, "cpioa") != strlen(c->dump)) {
        snprintf(p->error, p->size, "dump=%s: letters are c, p, i, o and a", c->dump);
        return false;
    }
    if (!c->dump && (c->dump_filter || c->dump_file)) {
        snprintf(p->error, p->size, "dump-%s needs dump=LETTERS", c->dump_filter ? "filter" : "file");
        return false;
    }
    return true;
}

static bool check_cpu(Parser *p) {
    static const char *const known[] = {
#define CPU(name) name,
#include "vm/adaptive/cpus.def"
    };
    const char *cpu = p->options->compiler.cpu;
    if (!cpu || WORDS_FIND(known, cpu) >= 0) return true;
    snprintf(p->error, p->size, "cpu=%s: not a processor that LLVM knows, such as x86-64-v3, skylake or znver2", cpu);
    return false;
}

static bool take_others(Parser *p, const Options *options) {
    JitOptions *o = p->options;
    o->enabled = !options->interpret_only;
    o->compile_all = options->compile_all && o->enabled;
    o->blocking |= o->compile_all || options->replay_file;
    o->print_compilation = options->print_compilation;
    o->compiler.poll_everywhere = o->poll_stress || o->poll_stress_sites;
    o->compiler.replay_record = options->replay_record;
    o->compiler.replay_file = options->replay_file;
    if (o->enabled || (!options->replay_record && !options->replay_file)) return true;
    snprintf(p->error, p->size, "-Xreplay and -Xint exclude each other");
    return false;
}

int jitoptions_make(JitOptions *out, const Options *options, char *error, size_t size) {
    Parser p = {out, error, size, false};
    *p.options = (JitOptions){0};
    for (const Row *row = rows; row < rows + ROWS; row++) {
        if (row->kind == NUMBER || row->kind == STRESS) *(uint32_t *)field_of(&p, row) = (uint32_t)row->preset;
        else if (row->kind == BYTES) *(int64_t *)field_of(&p, row) = row->preset;
        else if (row->kind == SWITCH) *(bool *)field_of(&p, row) = row->preset;
    }
    if (options->jit && !take_list(&p, options->jit)) return -1;
    if (p.help) {
        print_help();
        return 1;
    }
    return check_dump(&p) && check_cpu(&p) && take_others(&p, options) ? 0 : -1;
}

// ---- filters ---------------------------------------------------------------------------------------

JitFilter jitoptions_filter(const JitOptions *o, const char *class_name, const char *name,
                            const char *descriptor) {
    if (pattern_any(o->exclude, class_name, name, descriptor)) return JIT_EXCLUDED;
    if (o->only && !pattern_any(o->only, class_name, name, descriptor)) return JIT_EXCLUDED;
    return pattern_any(o->force, class_name, name, descriptor) ? JIT_FORCED : JIT_NORMAL;
}
