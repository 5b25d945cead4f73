// `cabernet-prof report --method NAME`: the callers and callees of a method, with the work below each call.
#include <stdlib.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"
#include "profiler/tool/view/prof_calls.h"

enum { DEFAULT_TOP = 20, MOST_METHODS = 20 };

// Prints the calls to method `m`, or with `made` the calls that it makes.
static void print_calls(const ProfFile *f, const ProfCalls *c, uint32_t m, bool made, size_t top, FILE *out) {
    ProfRank *calls = prof_alloc(c->count * sizeof *calls);
    size_t n = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < c->count; i++) {
        const ProfCall *call = &c->calls[i];
        if ((made ? call->caller : call->callee) != m || !call->count) continue;
        calls[n++] = (ProfRank){call->count, i};
        total += call->count;
    }
    if (n) qsort(calls, n, sizeof *calls, prof_by_weight);
    char count[32], below[32];
    fprintf(out, "  %s %s calls of %zu kinds\n", made ? "makes" : "is called by", prof_number(count, total), n);
    if (n) fprintf(out, "  %15s  %5s  %15s\n", "calls", "%", "entries below");
    for (size_t i = 0; i < n && (!top || i < top); i++) {
        const ProfCall *call = &c->calls[calls[i].item];
        char *text = prof_call_text(f, call);
        fprintf(out, "  %15s  %5.1f  %15s  %s\n", prof_number(count, call->count), prof_percent(call->count, total),
                prof_number(below, prof_rounded(call->below)), text);
        free(text);
    }
    if (top && n > top) fprintf(out, "  (%zu more)\n", n - top);
    free(calls);
}

static void print_method(const ProfFile *f, const ProfCalls *c, uint32_t m, size_t top, FILE *out) {
    char entries[32], below[32], share[32];
    char *text = prof_method_text(&f->methods[m]);
    snprintf(share, sizeof share, "%.1f", c->total ? 100.0 * c->below[m] / (double)c->total : 0);
    fprintf(out, "%s\n  entered %s times; %s method entries while it ran, itself included (%s %% of all%s)\n", text,
            prof_number(entries, c->entries[m]), prof_number(below, prof_rounded(c->below[m])), share,
            c->exact ? "" : "; estimated from call edges, call-tree counts it");
    free(text);
    print_calls(f, c, m, false, top, out);
    print_calls(f, c, m, true, top, out);
    putc('\n', out);
}

int prof_report_method(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfCalls c;
    if (!prof_calls_by_parent(f, NULL, &c)) {
        fprintf(stderr, "cabernet-prof: %s holds no calls: record call-tree or call-edge\n", f->path);
        return 1;
    }
    size_t found = 0;
    for (uint32_t m = 0; m < f->method_count; m++) {
        if (!c.entries[m] || !prof_match(&f->methods[m], o->method)) continue;
        if (found++ < MOST_METHODS) print_method(f, &c, m, o->top_given ? o->top : DEFAULT_TOP, out);
    }
    if (found > MOST_METHODS) fprintf(out, "(%zu more methods match; say more of the name)\n", found - MOST_METHODS);
    if (!found) fprintf(stderr, "cabernet-prof: no method that was entered matches %s\n", o->method);
    prof_calls_free(&c);
    return found ? 0 : 1;
}
