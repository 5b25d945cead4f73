// The findings of an analysis of threads: what its sections (profiler/concurrency/activity_report.c) say that a reader
// has to know, in sentences, the costliest first. `report --verbose` prints the sections themselves.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

enum { MOST_WAITS = 8, MOST_SIGNS = 3 };

static const ProfSection *find_section(const ProfFile *f, const char *name) {
    for (size_t i = 0; i < f->section_count; i++)
        if (strcmp(f->sections[i].name, name) == 0) return &f->sections[i];
    return NULL;
}

// The cell of a column; an empty one if there is no such column.
static const ProfCell *cell(const ProfSection *s, size_t row, const char *column) {
    static const Histogram nothing;
    static const ProfCell none = {.text = "", .histogram = (Histogram *)&nothing};
    for (uint32_t c = 0; c < s->column_count; c++)
        if (strcmp(s->columns[c].name, column) == 0) return &s->cells[row * s->column_count + c];
    return &none;
}

static void print_place(const ProfFile *f, const char *before, const ProfCell *stack, FILE *out) {
    if (!stack->number) return;
    char *text = prof_frame_text(f, stack->frames[0]);
    fprintf(out, "%s%s", before, text);
    free(text);
}

static const char *duration(char text[32], uint64_t ns) {
    if (ns >= 10000000000) snprintf(text, 32, "%.1f s", (double)ns / 1e9);
    else if (ns >= 1000000) snprintf(text, 32, "%.0f ms", (double)ns / 1e6);
    else snprintf(text, 32, "%.1f us", (double)ns / 1e3);
    return text;
}

// "pool-1 waited 256 ms for Catalogue's lock, held by pool-2 in Catalogue.audit(Catalogue.java:57), at ..."
static void print_wait(const ProfFile *f, const ProfSection *s, size_t row, FILE *out) {
    char time[32], number[32];
    const Histogram *wait = cell(s, row, "wait")->histogram;
    const char *how = cell(s, row, "how")->text;
    bool lock = strcmp(how, "monitor") == 0 || strcmp(how, "lock") == 0;
    fprintf(out, "  %s waited %s for %s%s", cell(s, row, "waiter")->text, duration(time, wait->sum),
            cell(s, row, "for")->text, lock ? "'s lock" : "");
    fprintf(out, lock ? ", held by %s" : ", until %s ended the wait", cell(s, row, "because of")->text);
    print_place(f, " in ", cell(s, row, "that was at"), out);
    print_place(f, ", at ", cell(s, row, "waiter at"), out);
    if (wait->count > 1) fprintf(out, ", %s times", prof_number(number, wait->count));
    putc('\n', out);
}

// Waits for locks first, as they are what a program can avoid; then the others.
static void print_waits(const ProfFile *f, const ProfOptions *o, FILE *out) {
    const ProfSection *s = find_section(f, "who-waits-for-whom");
    if (!s) return;
    ProfRank *ranks = prof_alloc(s->rows * sizeof *ranks);
    for (int locks = 1; locks >= 0; locks--) {
        size_t n = 0;
        for (size_t i = 0; i < s->rows; i++) {
            const char *how = cell(s, i, "how")->text;
            bool lock = strcmp(how, "monitor") == 0 || strcmp(how, "lock") == 0;
            if (lock == locks && prof_section_passes(s, i, o))
                ranks[n++] = (ProfRank){cell(s, i, "wait")->histogram->sum, i};
        }
        if (n) qsort(ranks, n, sizeof *ranks, prof_by_weight);
        size_t most = locks ? MOST_WAITS : MOST_SIGNS;
        for (size_t i = 0; i < n && i < most; i++) print_wait(f, s, ranks[i].item, out);
        if (locks && !n) fputs("  no thread waited for a lock\n", out);
    }
    free(ranks);
}

static void print_deadlocks(const ProfFile *f, FILE *out) {
    const ProfSection *s = find_section(f, "deadlocks");
    for (size_t i = 0; s && i < s->rows; i++) {
        fprintf(out, "  deadlock: %s waits for %s's lock", cell(s, i, "threads")->text, cell(s, i, "waits for")->text);
        print_place(f, " at ", cell(s, i, "at"), out);
        putc('\n', out);
    }
}

// Rows of a section that is empty in a program without such a problem.
static void print_signs(const ProfFile *f, const char *name, const char *who, const char *what, const char *of,
                        FILE *out) {
    const ProfSection *s = find_section(f, name);
    for (size_t i = 0; s && i < s->rows && i < MOST_SIGNS; i++) {
        fprintf(out, "  %s %s %s", cell(s, i, who)->text, what, cell(s, i, of)->text);
        print_place(f, " at ", cell(s, i, "at"), out);
        putc('\n', out);
    }
    if (s && s->rows > MOST_SIGNS) fprintf(out, "  (%zu more: --verbose)\n", s->rows - MOST_SIGNS);
}

void prof_print_findings(const ProfFile *f, const ProfOptions *o, FILE *out) {
    if (!prof_analysis(f, "threads") || (o->analysis && strcmp(o->analysis, "threads") != 0)) return;
    fputs("\nfindings:\n", out);
    print_deadlocks(f, out);
    print_waits(f, o, out);
    print_signs(f, "priority-inversion", "waiter", "waited for a thread of lower priority with the lock of", "class",
                out);
    print_signs(f, "starvation", "threads", "was overtaken many times in waits for the lock of", "class", out);
    print_signs(f, "retries", "threads", "tried again and again:", "what", out);
}

bool prof_section_is_answer(const ProfSection *s) {
    return strcmp(s->name, "races") == 0 || strcmp(s->name, "possible-deadlocks") == 0;
}

bool prof_section_is_detail(const ProfSection *s) {
    static const char *const details[] = {"library-races", "race-detection", "lock-order"};
    if (strcmp(s->analysis, "threads") == 0) return strcmp(s->name, "between") != 0;
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        if (strcmp(s->name, details[i]) == 0) return true;
    return false;
}
