// `cabernet-prof top PID`: shows repeatedly what a running program does. Each look requests the current profile from
// the VM (jcmd's Profile.dump, through the attach interface of the JDK's tools) and shows what was added since the
// previous look.
#include <stdlib.h>

#include "base/clock.h"
#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/base/prof_process.h"
#include "profiler/tool/base/prof_terminal.h"
#include "profiler/tool/prof_commands.h"

enum { DEFAULT_EVERY = 2, DEFAULT_ROWS = 20, RESERVED_LINES = 5 };

// ---- looks -------------------------------------------------------------------------------------

typedef struct Count {
    char *name;
    uint64_t count;  // in the whole profile
    uint64_t fresh;  // since the previous look
} Count;

typedef struct Look {
    Count *counts;  // by name
    size_t count;
    uint64_t total;  // of `fresh`
    bool exact;
    char what[64];  // "method entries"
} Look;

static void look_free(Look *l) {
    for (size_t i = 0; i < l->count; i++) free(l->counts[i].name);
    free(l->counts);
    *l = (Look){0};
}

static size_t add_equal(Count *counts, size_t n) {
    size_t last = 0;
    if (!n) return 0;
    qsort(counts, n, sizeof *counts, prof_by_text);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(counts[last].name, counts[i].name) != 0) {
            counts[++last] = counts[i];
            continue;
        }
        counts[last].count += counts[i].count;
        free(counts[i].name);
    }
    return last + 1;
}

static bool take_look(const ProfFile *f, const ProfOptions *o, const Look *before, Look *out) {
    const ProfAnalysis *a = NULL;  // method entries, or else the first table
    for (size_t i = 0; i < f->analysis_count; i++)
        if (strcmp(f->analyses[i].name, "method-count") == 0 || (!a && !prof_is_tree(&f->analyses[i])))
            a = &f->analyses[i];
    if (!a) return false;
    ProfView v = prof_view(f, a, &a->merged, o);
    *out = (Look){.counts = prof_alloc(v.count * sizeof *out->counts), .exact = prof_is_exact(f)};
    snprintf(out->what, sizeof out->what, "%.60s", a->event);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        out->counts[i] = (Count){prof_row_text(f, a, row), prof_row_count(a, row), 0};
    }
    out->count = add_equal(out->counts, v.count);
    prof_view_free(&v);
    for (size_t i = 0; i < out->count; i++) {
        Count *c = &out->counts[i],
              *old = before->count ? bsearch(c, before->counts, before->count, sizeof *c, prof_by_text) : NULL;
        c->fresh = c->count - (old && old->count < c->count ? old->count : old ? c->count : 0);
        out->total += c->fresh;
    }
    return true;
}

// ---- output ------------------------------------------------------------------------------------

static void print_look(const Look *l, const ProfOptions *o, long pid, double seconds, size_t rows, FILE *out) {
    char total[32], count[32];
    ProfRank *sorted = prof_alloc(l->count * sizeof *sorted);
    for (size_t i = 0; i < l->count; i++) sorted[i] = (ProfRank){l->counts[i].fresh, i};
    if (l->count) qsort(sorted, l->count, sizeof *sorted, prof_by_weight);
    fprintf(out, "process %ld: %s %s%s in %.1f s%s\n\n  %15s  %5s\n", pid, prof_number(total, l->total), l->what,
            l->exact ? "" : " in samples", seconds,
            o->application ? "; the program, --all shows the class library too" : "", "count", "%");
    for (size_t i = 0; i < l->count && i < rows && sorted[i].weight; i++)
        fprintf(out, "  %15s  %5.1f  %s\n", prof_number(count, sorted[i].weight),
                100.0 * (double)sorted[i].weight / (double)l->total, l->counts[sorted[i].item].name);
    free(sorted);
}

static void show(const ProfScreen *screen, const Look *l, const ProfOptions *o, long pid, double seconds) {
    size_t rows = o->top_given            ? (o->top ? o->top : SIZE_MAX)
        : screen->height > RESERVED_LINES ? screen->height - RESERVED_LINES
                                          : DEFAULT_ROWS;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) prof_out_of_memory();
    print_look(l, o, pid, seconds, rows, out);
    if (fclose(out) != 0) prof_out_of_memory();
    if (screen->height) fputs("\033[H\033[J", stdout);  // a terminal's screen
    prof_screen_write(screen, text, size, stdout);
    if (!screen->height) putchar('\n');
    fflush(stdout);
    free(text);
}

// The VM's present profile. False: the program has ended, or there is nothing to show.
static bool dump(ProfProcess *p, ProfFile *f, bool first) {
    char answer[PROCESS_ANSWER];
    bool ok = prof_process_dump(p, answer);
    if (ok) prof_file_open(f, p->path);
    if (ok && f->complete) return true;
    if (!first && prof_process_ended(p)) return false;
    fprintf(stderr, "cabernet-prof: %s\n", ok ? f->problem : answer);
    if (first && !p->silent)
        fprintf(stderr, "cabernet-prof: jcmd %ld Profile.start sampled starts a profile, if there is none\n", p->pid);
    if (ok) prof_file_close(f);
    return false;
}

// Looks until the limit is reached. Returns the number of looks.
static size_t look_again(ProfProcess *p, const ProfOptions *options) {
    ProfScreen screen = prof_screen(options->width);
    Look before = {0};
    size_t looks = 0, every = options->every ? options->every : DEFAULT_EVERY;
    int64_t last = clock_monotonic_ns();
    bool more = true;
    for (ProfFile f; more && dump(p, &f, !looks); looks++) {
        ProfOptions o = *options;
        Look now = {0};
        int64_t at = clock_monotonic_ns();
        o.application = !o.all && !o.filter_count && prof_has_application(&f);
        more = take_look(&f, &o, &before, &now);
        if (more)
            show(&screen, &now, &o, p->pid,
                 looks ? (double)(at - last) / 1e9 : (double)prof_meta_number(&f, "duration-ns") / 1e9);
        else fprintf(stderr, "cabernet-prof: its profile has no counts\n");
        prof_file_close(&f);
        look_free(&before);
        before = now;
        last = at;
        more &= !ferror(stdout) && (!options->times || looks + 1 < options->times) &&
            prof_process_wait(p, (double)every) && !prof_interrupted();
    }
    look_free(&before);
    return looks;
}

int prof_top(const ProfOptions *o) {
    ProfProcess p;
    prof_catch_interrupts();
    int code = prof_process_open(&p, "top", o->files[0]);
    snprintf(p.name, sizeof p.name, "%s", o->name ? o->name : "");
    if (!code && !look_again(&p, o)) code = 2;
    prof_process_close(&p);
    return code;
}
