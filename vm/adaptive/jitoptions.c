// Parser of -Xjit and related options (jitoptions.h). The rows of jitoptions.def describe each suboption, for
// base/optionlist.h; this file checks combinations of several. Runs once, on one thread, before any part of the VM
// exists: malloc and stdio only. Its allocations live as long as the process.
#include "vm/adaptive/jitoptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/optionlist.h"

// Debug builds verify every stage.
#ifndef JITOPTIONS_VERIFY
#ifdef CABERNET_DEBUG
#define JITOPTIONS_VERIFY true
#else
#define JITOPTIONS_VERIFY false
#endif
#endif

static bool take_pattern(OptionParse *p, const OptionRow *row, const char *value) {
    MethodPattern **end = optionlist_field(p, row);
    while (*end) end = &(*end)->next;
    *end = malloc(sizeof **end);
    if (!*end) abort();
    **end = (MethodPattern){optionlist_copy(value), NULL};
    return true;
}

static const OptionRow rows[] = {
#define JITOPT(kind, name, field, preset, low, high, state, help) \
    {name, OPTION_##kind, OPTION_##state, offsetof(JitOptions, field), preset, low, high, help},
#include "vm/adaptive/jitoptions.def"
};

static const OptionRow adaptive_rows[] = {
#define ADAPTIVEOPT(kind, name, field, preset, low, high, state, help) \
    {name, OPTION_##kind, OPTION_##state, offsetof(JitOptions, field), preset, low, high, help},
#include "vm/adaptive/adaptiveoptions.def"
};

static const OptionTable adaptive_table = {
    .rows = adaptive_rows,
    .row_count = sizeof adaptive_rows / sizeof *adaptive_rows,
    .called = "suboption",
    .separator = ',',
    .repeatable = true,
    .own = take_pattern,
};

static const OptionTable table = {
    .rows = rows,
    .row_count = sizeof rows / sizeof *rows,
    .called = "suboption",
    .separator = ',',
    .repeatable = true,
    .own = take_pattern,
};

static bool take_list(OptionParse *p, const char *list) {
    char *text = optionlist_copy(list);
    bool ok = optionlist_take_all(p, text);
    free(text);
    return ok;
}

static const char PATTERNS[] =
    "\nA PATTERN is class and method, with descriptor if it has a parenthesis: java/lang/String.indexOf*,\n"
    "demo.*, *.run()V; it may be given several times.\n";

// ---- combinations ----------------------------------------------------------------------------------

static bool check_compiler(OptionParse *p, const CompilerOptions *c) {
    static const char *const known[] = {
#define CPU(name) name,
#include "vm/adaptive/cpus.def"
    };
    if (c->dump && strspn(c->dump, "cpieoa") != strlen(c->dump))
        return optionlist_refuse(p, "dump=%s: letters are c, p, i, e, o and a", c->dump);
    if (!c->dump && (c->dump_filter || c->dump_file))
        return optionlist_refuse(p, "dump-%s needs dump=LETTERS", c->dump_filter ? "filter" : "file");
    if (!c->cpu || WORDS_FIND(known, c->cpu) >= 0) return true;
    return optionlist_refuse(p, "cpu=%s: not a processor that LLVM knows, such as x86-64-v3, skylake or znver2",
                             c->cpu);
}

static void take_others(JitOptions *o, const Options *options) {
    o->enabled = !options->interpret_only;
    o->compile_all &= o->enabled;
    o->template &= o->enabled && !o->compile_all;
    o->template_first_call = options->compile_all && o->template;
    o->blocking |= o->compile_all || options->replay_file;
    o->print_compilation = options->print_compilation;
    o->compiler.poll_everywhere = o->poll_stress || o->poll_stress_sites;
    o->compiler.replay_record = options->replay_record;
    o->compiler.replay_file = options->replay_file;
}

static bool take_replay_when(OptionParse *p, JitOptions *o, const Options *options) {
    static const char warmup[] = "warmup=";
    const char *when = options->replay_when;
    if (!when) return true;
    if (!o->compiler.replay_file) return optionlist_refuse(p, "-Xreplay:when= needs -Xreplay:FILE");
    if (strcmp(when, "hotness") == 0) return true;
    o->replay_when = strcmp(when, "precompile") == 0 ? REPLAY_PRECOMPILE : REPLAY_WARMUP;
    if (o->replay_when == REPLAY_PRECOMPILE) return true;
    o->replay_warmup = when + sizeof warmup - 1;
    return (strncmp(when, warmup, sizeof warmup - 1) == 0 && *o->replay_warmup) ||
        optionlist_refuse(p, "-Xreplay:when=%s: must be hotness, precompile or warmup=PATTERN", when);
}

// The reason why the adaptive system cannot be on, or NULL. It needs template code, which counts; a replay has its
// plans instead.
static const char *why_not_adaptive(const JitOptions *o) {
    if (!o->enabled) return "-Xadaptive and -Xint exclude each other";
    if (o->compile_all) return "-Xadaptive and -Xjit:compile-all exclude each other: code that counts is not made";
    if (!o->template) return "-Xadaptive and -Xjit:template=off exclude each other: code that counts is not made";
    if (o->compiler.replay_file) return "-Xadaptive and -Xreplay exclude each other: a replay follows its file alone";
    if (o->compiler.explain_filter && !o->compiler.explain) return "-Xadaptive: explain-filter needs explain";
    return NULL;
}

static int make_adaptive(JitOptions *o, const Options *options, char *error, size_t size) {
    OptionParse p = {.table = &adaptive_table, .to = o, .error = error, .error_size = size};
    optionlist_presets(&adaptive_table, o);
    o->adaptive = !why_not_adaptive(o) && !options->advice && !o->snapshot;
    if (!options->adaptive && !options->adaptive_options) return 0;
    int n = snprintf(error, size, "-Xadaptive: ");
    p.error += n, p.error_size -= (size_t)n;
    if (options->adaptive_options && !take_list(&p, options->adaptive_options)) return -1;
    if (o->adaptive_help) {
        printf("-Xadaptive, or -Xadaptive:SUBOPTION,... where SUBOPTION is one of:\n");
        optionlist_help(stdout, &adaptive_table);
        fputs(PATTERNS, stdout);
        return 1;
    }
    o->adaptive = !o->adaptive_off;
    const char *why = o->adaptive ? why_not_adaptive(o) : NULL;
    if (!why) return 0;
    snprintf(error, size, "%s", why);
    return -1;
}

int jitoptions_make(JitOptions *out, const Options *options, char *error, size_t size) {
    OptionParse p = {.table = &table, .to = out, .error = error, .error_size = size};
    *out = (JitOptions){0};
    optionlist_presets(&table, out);
    if (options->jit && !take_list(&p, options->jit)) return -1;
    if (out->help) {
        printf("-Xjit:SUBOPTION,... where SUBOPTION is one of:\n");
        optionlist_help(stdout, &table);
        fputs(PATTERNS, stdout);
        printf("\nReasons for which a method stays interpreted:\n");
#define BAILOUT(id, text) \
    if (strcmp(#id, "none") != 0) printf("    %s\n", text);
#include "vm/api/bailouts.def"
        return 1;
    }
    take_others(out, options);
    if (!take_replay_when(&p, out, options) || !check_compiler(&p, &out->compiler)) return -1;
    return make_adaptive(out, options, error, size);
}

// ---- filters ---------------------------------------------------------------------------------------

JitFilter jitoptions_filter(const JitOptions *o, const char *class_name, const char *name, const char *descriptor) {
    if (pattern_any(o->exclude, class_name, name, descriptor)) return JIT_EXCLUDED;
    if (o->only && !pattern_any(o->only, class_name, name, descriptor)) return JIT_EXCLUDED;
    return pattern_any(o->force, class_name, name, descriptor) ? JIT_FORCED : JIT_NORMAL;
}
