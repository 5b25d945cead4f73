// Library work attributed to the program's calls that caused it (prof_view.h).
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"
#include "profiler/tool/view/prof_calls.h"

enum { LIBRARY_TOP = 20 };

void prof_print_library(const ProfFile *f, const ProfOptions *o, FILE *out) {
    ProfCalls c;
    if (!prof_calls(f, &c)) return;
    ProfShare *calls = prof_alloc(c.count * sizeof *calls);
    size_t n = 0;
    double work = 0, running = 0;
    uint64_t own = 0;
    for (size_t i = 0; i < c.count; i++) {
        const ProfCall *call = &c.calls[i];
        if (prof_is_application(&f->methods[call->callee])) own += call->count;
        if (!prof_is_application(&f->methods[call->caller]) || call->library <= 0) continue;
        calls[n++] = (ProfShare){call->library, i};
        work += call->library;
    }
    if (n) qsort(calls, n, sizeof *calls, prof_by_share);
    size_t top = o->top_given ? o->top : LIBRARY_TOP, shown = top && top < n ? top : n;
    char total[32];
    fprintf(out, "\nthe class library, called by the program: %s method entries below %zu calls%s (%% of these)\n",
            prof_number(total, prof_rounded(work)), n,
            c.exact ? "" : " (estimated: each call of a method is taken to cause the same work; call-tree counts it)");
    if (n) fprintf(out, "  %15s  %5s  %5s\n", "entries below", "%", "sum %");
    for (size_t i = 0; i < shown; i++) {
        char *text = prof_call_text(f, &c.calls[calls[i].item]);
        running += calls[i].weight;
        prof_print_row(out, prof_rounded(calls[i].weight), prof_rounded(running), prof_rounded(work),
                       prof_rounded(calls[0].weight), text);
        free(text);
    }
    char more[48];
    snprintf(more, sizeof more, "(%zu more)", n - shown);
    if (shown < n) prof_print_row(out, prof_rounded(work - running), prof_rounded(work), prof_rounded(work), 0, more);
    double rest = (double)c.total - (double)own - work;
    fprintf(out, "\nstart and end of the VM, the library's own threads: %s of %s method entries\n",
            prof_number(total, prof_rounded(rest)), prof_number(more, c.total));
    free(calls);
    prof_calls_free(&c);
}
