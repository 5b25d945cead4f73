// `cabernet-prof export --callgrind`: calls, and the work below them, in the format of Valgrind's Callgrind (its
// manual, "Callgrind Format Specification"). An analysis has two events. NAME_entries, entries of methods, is the cost
// of the entered method; it is at line 0 because no single line causes it. NAME_calls, calls made, is the cost of the
// line that makes them. The cost of a call is what happens until it returns: exact from a call tree, estimated from
// call edges. Every other analysis that has lines is a further event, exact on the lines: field accesses, branches
// executed and taken. How many of these happen below a call is estimated: every entry of a method is assumed to cause
// the same number.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/export/prof_export.h"
#include "profiler/tool/view/prof_calls.h"
#include "profiler/tool/view/prof_source.h"
#include "profiler/tool/view/prof_stacks.h"

typedef unsigned long long Number;  // matches the printf format

// Events besides entries and calls: what an analysis counts at lines of methods.
enum { FIELDS, BRANCHES, TAKEN, PLACE_EVENTS };
static const struct PlaceEvent {
    const char *analysis, *name, *title;
    bool taken;  // without edge 0
} place_events[PLACE_EVENTS] = {
    [FIELDS] = {"field-site", "field_accesses", "accesses of fields", false},
    [BRANCHES] = {"branch", "branches", "branches executed", false},
    [TAKEN] = {"branch", "branches_taken", "branches that went another way than on (a switch: than its first case)",
               true},
};

// The counts of one line of a method.
typedef struct Line {
    uint32_t method, line;
    uint64_t counts[PLACE_EVENTS];
} Line;

typedef struct Writer {
    const ProfFile *f;
    FILE *out;
    char **names;
    bool *named;                               // by method: its name was written
    size_t *file;                              // by method: number of its source
    bool *file_named;                          // by number
    const ProfAnalysis *places[PLACE_EVENTS];  // NULL: not recorded
    Line *lines;                               // by method and line
    size_t line_count;
    double *below[PLACE_EVENTS];  // by call
} Writer;

typedef struct Source {
    char *path;
    size_t method;
} Source;

// Numbers the sources; methods of one source share the number.
static void number_sources(Writer *w) {
    size_t n = w->f->method_count;
    Source *sources = prof_alloc(n * sizeof *sources);
    for (size_t i = 0; i < n; i++) {
        char *path = prof_source_path(&w->f->methods[i]);
        if (!path && !(path = strdup("???"))) prof_out_of_memory();
        sources[i] = (Source){path, i};
    }
    if (n) qsort(sources, n, sizeof *sources, prof_by_text);
    for (size_t i = 0, number = 0; i < n; i++) {
        number += i == 0 || strcmp(sources[i - 1].path, sources[i].path) != 0;
        w->file[sources[i].method] = number;
    }
    for (size_t i = 0; i < n; i++) free(sources[i].path);
    free(sources);
}

// Two lines, source and method; a name is written only at its first occurrence.
static void write_function(Writer *w, const char *prefix, uint32_t m) {
    size_t file = w->file[m];
    char *path = w->file_named[file] ? NULL : prof_source_path(&w->f->methods[m]);
    fprintf(w->out, "%s=(%zu)%s%s\n", *prefix == 'c' ? "cfi" : "fl", file, w->file_named[file] ? "" : " ",
            w->file_named[file] ? ""
                : path          ? path
                                : "???");
    fprintf(w->out, "%s=(%u)%s%s\n", prefix, m + 1, w->named[m] ? "" : " ", w->named[m] ? "" : w->names[m]);
    w->file_named[file] = w->named[m] = true;
    free(path);
}

// ---- events at lines -----------------------------------------------------------------------------

static int by_line(const void *x, const void *y) {
    const Line *a = x, *b = y;
    if (a->method != b->method) return a->method < b->method ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

// The counts of the methods that pass the options, one Line for each line.
static void read_lines(Writer *w, const ProfOptions *o) {
    size_t n = 0, last = 0;
    for (int e = 0; e < PLACE_EVENTS; e++) {
        const ProfAnalysis *a = o->analysis ? NULL : prof_analysis(w->f, place_events[e].analysis);
        int method = a ? prof_column(a, "method") : -1, line = a ? prof_column(a, "line") : -1;
        if (method < 0 || line < 0 || a->columns[method].kind != FORMAT_COLUMN_METHOD) continue;
        w->places[e] = a;
        n += a->merged.rows;
    }
    w->lines = prof_alloc(n * sizeof *w->lines);
    n = 0;
    for (int e = 0; e < PLACE_EVENTS; e++) {
        const ProfAnalysis *a = w->places[e];
        if (!a) continue;
        int method = prof_column(a, "method"), line = prof_column(a, "line"), edge = prof_column(a, "edge");
        ProfView v = prof_view(w->f, a, &a->merged, o);
        for (size_t i = 0; i < v.count; i++) {
            const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
            int64_t at = (int64_t)row[line];
            if (place_events[e].taken && (edge < 0 || !row[edge])) continue;
            w->lines[n] = (Line){.method = (uint32_t)row[method], .line = at > 0 && at <= INT32_MAX ? (uint32_t)at : 0};
            w->lines[n++].counts[e] = prof_row_count(a, row);
        }
        prof_view_free(&v);
    }
    if (!n) return;
    qsort(w->lines, n, sizeof *w->lines, by_line);
    for (size_t i = 1; i < n; i++) {
        if (by_line(&w->lines[last], &w->lines[i]) != 0) w->lines[++last] = w->lines[i];
        else
            for (int e = 0; e < PLACE_EVENTS; e++) w->lines[last].counts[e] += w->lines[i].counts[e];
    }
    w->line_count = last + 1;
}

// Estimates how many of these events happen below each call.
static void estimate_below(Writer *w, const ProfCalls *c) {
    double *weights = prof_alloc(w->f->method_count * sizeof *weights);
    for (int e = 0; e < PLACE_EVENTS; e++) {
        ProfCalls weighted;
        if (!w->places[e]) continue;
        for (size_t m = 0; m < w->f->method_count; m++) weights[m] = 0;
        for (size_t i = 0; i < w->line_count; i++) {
            const Line *l = &w->lines[i];
            if (c->entries[l->method]) weights[l->method] += (double)l->counts[e] / (double)c->entries[l->method];
        }
        w->below[e] = prof_alloc(c->count * sizeof *w->below[e]);
        prof_calls_by_parent(w->f, weights, &weighted);  // has the same calls
        for (size_t i = 0; i < c->count; i++) w->below[e][i] = weighted.calls[i].below;
        prof_calls_free(&weighted);
    }
    free(weights);
}

static void write_counts(const Writer *w, const uint64_t *counts) {
    for (int e = 0; e < PLACE_EVENTS; e++)
        if (w->places[e]) fprintf(w->out, " %llu", (Number)counts[e]);
    putc('\n', w->out);
}

// ---- methods -------------------------------------------------------------------------------------

static void write_call(Writer *w, const ProfCalls *c, size_t i) {
    const ProfCall *call = &c->calls[i];
    Number line = call->line > 0 ? (Number)call->line : 0, below = prof_rounded(call->below);
    uint64_t counts[PLACE_EVENTS];
    for (int e = 0; e < PLACE_EVENTS; e++) counts[e] = w->below[e] ? prof_rounded(w->below[e][i]) : 0;
    fprintf(w->out, "%llu 0 %llu\n", line, (Number)call->count);
    write_function(w, "cfn", call->callee);
    fprintf(w->out, "calls=%llu 0\n%llu %llu %llu", (Number)call->count, line, below,
            below > call->count ? below - (Number)call->count : 0);
    write_counts(w, counts);
}

static void write_header(const Writer *w, const ProfCalls *c) {
    const ProfFile *f = w->f;
    FILE *out = w->out;
    const char *name = c->exact ? "call_tree" : "call_edge";
    fprintf(out, "# callgrind format\nversion: 1\ncreator: cabernet-prof\npid: %s\ncmd: %s\npart: 1\n",
            prof_meta(f, "process", "0"), prof_meta(f, "command", ""));
    fprintf(out, "desc: Analysis: %s, %s\n", c->exact ? "call-tree" : "call-edge",
            !prof_is_exact(f) ? "of samples"
                : c->exact    ? "exact"
                              : "exact but for inclusive costs, which are estimated");
    fprintf(out, "positions: line\nevent: %s_entries : entries of methods\nevent: %s_calls : calls made\n", name, name);
    for (int e = 0; e < PLACE_EVENTS; e++)
        if (w->places[e]) fprintf(out, "event: %s : %s\n", place_events[e].name, place_events[e].title);
    fprintf(out, "events: %s_entries %s_calls", name, name);
    for (int e = 0; e < PLACE_EVENTS; e++)
        if (w->places[e]) fprintf(out, " %s", place_events[e].name);
    putc('\n', out);
}

// Writes the method's heading, once; its costs follow.
static void begin_method(Writer *w, uint32_t m, bool *began) {
    if (!*began) putc('\n', w->out), write_function(w, "fn", m);
    *began = true;
}

static void write_methods(Writer *w, const ProfCalls *c, const bool *pass) {
    size_t at = 0, line = 0;
    uint64_t *entries = prof_alloc(w->f->method_count * sizeof *entries), total = 0, totals[PLACE_EVENTS] = {0};
    for (size_t i = 0; i < c->count; i++)
        if (pass[i]) entries[c->calls[i].callee] += c->calls[i].count, total += c->calls[i].count;
    for (uint32_t m = 0; m < w->f->method_count; m++) {
        bool began = false;
        if (entries[m]) begin_method(w, m, &began), fprintf(w->out, "0 %llu 0\n", (Number)entries[m]);
        for (; line < w->line_count && w->lines[line].method == m; line++) {
            begin_method(w, m, &began);
            fprintf(w->out, "%u 0 0", w->lines[line].line);
            write_counts(w, w->lines[line].counts);
            for (int e = 0; e < PLACE_EVENTS; e++) totals[e] += w->lines[line].counts[e];
        }
        for (; at < c->count && c->calls[at].caller == m; at++)
            if (pass[at]) begin_method(w, m, &began), write_call(w, c, at);
    }
    fprintf(w->out, "\ntotals: %llu %llu", (Number)total, (Number)total);
    write_counts(w, totals);
    free(entries);
}

// Marks the calls to export; false: there are none.
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
    if (!prof_calls_by_parent(f, NULL, &c) ||
        (o->analysis && strcmp(o->analysis, c.exact ? "call-tree" : "call-edge") != 0)) {
        fprintf(stderr, "cabernet-prof: %s holds no calls%s%s: record call-tree or call-edge\n", f->path,
                o->analysis ? " of " : "", o->analysis ? o->analysis : "");
        prof_calls_free(&c);
        return 1;
    }
    bool *pass = prof_alloc(c.count * sizeof *pass), any = choose(f, o, &c, pass);
    if (any) {
        size_t n = f->method_count;
        Writer w = {f,
                    out,
                    prof_names(f, ""),
                    prof_alloc(n * sizeof(bool)),
                    prof_alloc(n * sizeof(size_t)),
                    prof_alloc((n + 1) * sizeof(bool)),
                    {0},
                    NULL,
                    0,
                    {0}};
        number_sources(&w);
        read_lines(&w, o);
        estimate_below(&w, &c);
        write_header(&w, &c);
        write_methods(&w, &c, pass);
        prof_names_free(f, w.names);
        free(w.named);
        free(w.file);
        free(w.file_named);
        free(w.lines);
        for (int e = 0; e < PLACE_EVENTS; e++) free(w.below[e]);
    } else {
        fprintf(stderr, "cabernet-prof: %s has no calls%s\n", f->path, o->filter_count ? " that pass the filter" : "");
    }
    free(pass);
    prof_calls_free(&c);
    return any ? 0 : 1;
}
