// `cabernet-prof export --callgrind`: calls, and the work below them, in the format of Valgrind's Callgrind, as its manual has it
// ("Callgrind Format Specification"). Two events, named after the analysis: NAME_entries, entries of methods, is the cost of the method that is
// entered, at line 0 since none of its lines alone is the cause; NAME_calls, calls made, is the cost of the line that makes
// them. Costs of calls are what happens until they return: exact from a call tree, estimates from call edges.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_calls.h"
#include "profiler/tool/view/prof_source.h"
#include "profiler/tool/view/prof_stacks.h"

typedef unsigned long long Number;  // as printf has it

typedef struct Writer {
    const ProfFile *f;
    FILE *out;
    char **names;
    bool *named;       // by method: its name has been written
    size_t *file;      // by method: number of its source
    bool *file_named;  // by number
} Writer;

typedef struct Source {
    char *path;
    size_t method;
} Source;

static int by_path(const void *x, const void *y) {
    const Source *a = x, *b = y;
    return strcmp(a->path, b->path);
}

// Numbers each source.
static void number_sources(Writer *w) {
    size_t n = w->f->method_count;
    Source *sources = prof_alloc(n * sizeof *sources);
    for (size_t i = 0; i < n; i++) {
        char *path = prof_source_path(&w->f->methods[i]);
        if (!path && !(path = strdup("???"))) prof_out_of_memory();
        sources[i] = (Source){path, i};
    }
    if (n) qsort(sources, n, sizeof *sources, by_path);
    for (size_t i = 0, number = 0; i < n; i++) {
        number += i == 0 || strcmp(sources[i - 1].path, sources[i].path) != 0;
        w->file[sources[i].method] = number;
    }
    for (size_t i = 0; i < n; i++) free(sources[i].path);
    free(sources);
}

// A method and its source as two lines, with their names where they occur for the first time.
static void write_function(Writer *w, const char *prefix, uint32_t m) {
    size_t file = w->file[m];
    char *path = w->file_named[file] ? NULL : prof_source_path(&w->f->methods[m]);
    fprintf(w->out, "%s=(%zu)%s%s\n", *prefix == 'c' ? "cfi" : "fl", file, w->file_named[file] ? "" : " ",
            w->file_named[file] ? "" : path ? path : "???");
    fprintf(w->out, "%s=(%u)%s%s\n", prefix, m + 1, w->named[m] ? "" : " ", w->named[m] ? "" : w->names[m]);
    w->file_named[file] = w->named[m] = true;
    free(path);
}

static void write_call(Writer *w, const ProfCall *call) {
    Number line = call->line > 0 ? (Number)call->line : 0, below = prof_rounded(call->below);
    fprintf(w->out, "%llu 0 %llu\n", line, (Number)call->count);
    write_function(w, "cfn", call->callee);
    fprintf(w->out, "calls=%llu 0\n%llu %llu %llu\n", (Number)call->count, line, below,
            below > call->count ? below - (Number)call->count : 0);
}

static void write_header(const ProfFile *f, const ProfCalls *c, FILE *out) {
    const char *name = c->exact ? "call_tree" : "call_edge";
    fprintf(out, "# callgrind format\nversion: 1\ncreator: cabernet-prof\npid: %s\ncmd: %s\npart: 1\n", prof_meta(f, "process", "0"),
            prof_meta(f, "command", ""));
    fprintf(out, "desc: Analysis: %s, %s\n", c->exact ? "call-tree" : "call-edge",
            !prof_is_exact(f) ? "of samples" : c->exact ? "exact" : "exact but for inclusive costs, which are estimated");
    fprintf(out, "positions: line\nevent: %s_entries : entries of methods\nevent: %s_calls : calls made\nevents: %s_entries %s_calls\n",
            name, name, name, name);
}

static void write_methods(Writer *w, const ProfCalls *c, const bool *pass) {
    size_t at = 0;
    uint64_t *entries = prof_alloc(w->f->method_count * sizeof *entries), total = 0;
    for (size_t i = 0; i < c->count; i++)
        if (pass[i]) entries[c->calls[i].callee] += c->calls[i].count, total += c->calls[i].count;
    for (uint32_t m = 0; m < w->f->method_count; m++) {
        bool began = entries[m];
        if (began) putc('\n', w->out), write_function(w, "fn", m), fprintf(w->out, "0 %llu 0\n", (Number)entries[m]);
        for (; at < c->count && c->calls[at].caller == m; at++) {
            if (!pass[at]) continue;
            if (!began) putc('\n', w->out), write_function(w, "fn", m), began = true;
            write_call(w, &c->calls[at]);
        }
    }
    fprintf(w->out, "\ntotals: %llu %llu\n", (Number)total, (Number)total);
    free(entries);
}

// Calls that are wanted; false: there are none.
static bool choose(const ProfFile *f, const ProfOptions *o, const ProfCalls *c, bool *pass) {
    bool *methods = prof_alloc(f->method_count * sizeof *methods), any = false;
    for (size_t m = 0; m < f->method_count; m++) {
        methods[m] = !o->filter_count;
        for (size_t k = 0; k < o->filter_count; k++) methods[m] |= prof_match(&f->methods[m], o->filters[k]);
    }
    for (size_t i = 0; i < c->count; i++) {
        pass[i] = c->calls[i].count && (methods[c->calls[i].caller] || methods[c->calls[i].callee]);
        any |= pass[i];
    }
    free(methods);
    return any;
}

int prof_export_callgrind(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfCalls c;
    if (!prof_calls_by_parent(f, &c) || (o->analysis && strcmp(o->analysis, c.exact ? "call-tree" : "call-edge") != 0)) {
        fprintf(stderr, "cabernet-prof: %s holds no calls%s%s: record call-tree or call-edge\n", f->path, o->analysis ? " of " : "",
                o->analysis ? o->analysis : "");
        prof_calls_free(&c);
        return 1;
    }
    bool *pass = prof_alloc(c.count * sizeof *pass), any = choose(f, o, &c, pass);
    if (any) {
        size_t n = f->method_count;
        Writer w = {f, out, prof_names(f, ""), prof_alloc(n * sizeof(bool)), prof_alloc(n * sizeof(size_t)), prof_alloc((n + 1) * sizeof(bool))};
        number_sources(&w);
        write_header(f, &c, out);
        write_methods(&w, &c, pass);
        prof_names_free(f, w.names);
        free(w.named);
        free(w.file);
        free(w.file_named);
    } else {
        fprintf(stderr, "cabernet-prof: %s has no calls%s\n", f->path, o->filter_count ? " that pass the filter" : "");
    }
    free(pass);
    prof_calls_free(&c);
    return any ? 0 : 1;
}
