// Names and stacks for the formats of `cabernet-prof export`.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/view/prof_stacks.h"

static const uint64_t MOST_FRAMES = 200 * 1000 * 1000;

// ---- names -------------------------------------------------------------------------------------

char **prof_names(const ProfFile *f, const char *forbidden) {
    char **names = prof_alloc(f->method_count * sizeof *names);
    ProfNamed *sorted = prof_alloc(f->method_count * sizeof *sorted);
    for (size_t i = 0; i < f->method_count; i++) {
        ProfMethod plain = f->methods[i];
        plain.twin = false;  // such methods get their exact names below
        sorted[i] = (ProfNamed){prof_method_text(&plain), i};
    }
    if (f->method_count) qsort(sorted, f->method_count, sizeof *sorted, prof_by_name);
    for (size_t i = 0, end; i < f->method_count; i = end) {
        for (end = i + 1; end < f->method_count && strcmp(sorted[end].name, sorted[i].name) == 0;) end++;
        for (size_t k = i; k < end; k++)
            names[sorted[k].item] = end == i + 1 ? strdup(sorted[k].name)
                                                 : prof_method_exact(&f->methods[sorted[k].item]);
    }
    for (size_t i = 0; i < f->method_count; i++) {
        if (!names[i]) prof_out_of_memory();
        for (char *p = names[i]; (p = strpbrk(p, forbidden)) != NULL;) *p = ':';
        free(sorted[i].name);
    }
    free(sorted);
    return names;
}

void prof_names_free(const ProfFile *f, char **names) {
    for (size_t i = 0; i < f->method_count; i++) free(names[i]);
    free(names);
}

// ---- stacks ------------------------------------------------------------------------------------

bool prof_stacks(const ProfFile *f, const ProfOptions *o, const char *format, ProfStacks *s) {
    const ProfAnalysis *a = prof_stack_tree(f, o->analysis);
    if (!a) {
        fprintf(stderr,
                "cabernet-prof: %s is of whole stacks, which %s does not have: record call-tree, cpu or alloc-tree\n",
                format, o->analysis ? o->analysis : f->path);
        return false;
    }
    size_t rows = a->merged.rows;
    int callee = prof_column(a, "callee");
    *s = (ProfStacks){a,
                      rows,
                      prof_parents(a, &a->merged),
                      prof_alloc(rows * sizeof *s->methods),
                      prof_alloc(rows * sizeof *s->depths),
                      prof_alloc(rows * sizeof *s->counts),
                      0,
                      0,
                      0,
                      NULL,
                      NULL,
                      NULL};
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) s->counts[v.rows[i]] = prof_row_count(a, prof_row(a, &a->merged, v.rows[i]));
    prof_view_free(&v);
    for (size_t i = 0; i < rows; i++) {
        s->methods[i] = (uint32_t)prof_row(a, &a->merged, i)[callee];
        s->depths[i] = s->parents[i] == PROF_NO_ROW ? 0 : s->depths[s->parents[i]] + 1;
        s->total += s->counts[i];
        if (s->depths[i] > s->deepest) s->deepest = s->depths[i];
        if (s->counts[i]) s->frames += s->depths[i] + 1u;
    }
    if (s->total) return true;
    fprintf(stderr, "cabernet-prof: the %s of %s has no %s%s\n", a->name, f->path,
            prof_tick_ns(f, a) ? "samples" : "calls", o->filter_count ? " that pass the filter" : "");
    prof_stacks_free(s);
    return false;
}

ProfPlace prof_stack_place(const ProfStacks *s, size_t row) {
    const ProfAnalysis *a = s->a;
    const uint64_t *cells = prof_row(a, &a->merged, s->origins ? s->origins[row] : row);
    int caller = prof_column(a, "caller"), line = prof_column(a, "line"), bci = prof_column(a, "bci");
    if (caller < 0 || cells[caller] != s->methods[s->parents[row]]) return (ProfPlace){-1, -1};
    return (ProfPlace){line < 0 ? -1 : (int64_t)cells[line], bci < 0 ? -1 : (int64_t)cells[bci]};
}

static int by_method(const void *x, const void *y) {
    const struct ProfLocation *a = x, *b = y;
    if (a->method != b->method) return a->method < b->method ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static struct ProfLocation calling(const ProfStacks *s, size_t row) {
    int64_t line = prof_stack_place(s, row).line;
    return (struct ProfLocation){s->methods[s->parents[row]], line > 0 && line <= INT32_MAX ? (uint32_t)line : 0};
}

static uint32_t number_of(const ProfLocations *l, struct ProfLocation location) {
    const struct ProfLocation *at = bsearch(&location, l->list, l->count, sizeof location, by_method);
    return (uint32_t)(at - l->list) + 1;
}

ProfLocations prof_locations(const ProfStacks *s) {
    ProfLocations l = {prof_alloc(2 * s->rows * sizeof *l.list), 0, prof_alloc(s->rows * sizeof *l.entered),
                       prof_alloc(s->rows * sizeof *l.calling)};
    size_t n = 0;
    for (size_t i = 0; i < s->rows; i++) {
        l.list[n++] = (struct ProfLocation){s->methods[i], 0};
        if (s->parents[i] != PROF_NO_ROW) l.list[n++] = calling(s, i);
    }
    qsort(l.list, n, sizeof *l.list, by_method);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_method(&l.list[i], &l.list[l.count - 1]) != 0) l.list[l.count++] = l.list[i];
    for (size_t i = 0; i < s->rows; i++) {
        l.entered[i] = number_of(&l, (struct ProfLocation){s->methods[i], 0});
        if (s->parents[i] != PROF_NO_ROW) l.calling[i] = number_of(&l, calling(s, i));
    }
    return l;
}

void prof_locations_free(ProfLocations *l) {
    free(l->list);
    free(l->entered);
    free(l->calling);
    *l = (ProfLocations){0};
}

void prof_stacks_free(ProfStacks *s) {
    free(s->parents);
    free(s->methods);
    free(s->depths);
    free(s->counts);
    if (s->file) free(s->file->methods);
    free(s->file);
    free(s->origins);
    free(s->folded);
    *s = (ProfStacks){0};
}

bool prof_stacks_too_many(const ProfFile *f, const ProfStacks *s, const char *format) {
    char frames[32];
    if (s->frames <= MOST_FRAMES) return false;
    fprintf(
        stderr,
        "cabernet-prof: %s writes each stack by itself, and those of %s have %s frames: take --min 0.1%%, --filter, or "
        "--speedscope, which writes the tree, or record with a smaller recursion=\n",
        format, f->path, prof_number(frames, s->frames));
    return true;
}
