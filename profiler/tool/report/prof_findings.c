// The findings of an analysis of threads: what its sections (profiler/concurrency/activity_report.c) say that a reader
// has to know, in sentences, the costliest first. `report --verbose` prints the sections themselves.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/report/prof_report.h"

enum { MOST_WAITS = 8, MOST_SIGNS = 3 };

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
    if (ns >= 1000000000) snprintf(text, 32, "%.2f s", (double)ns / 1e9);
    else if (ns >= 1000000) snprintf(text, 32, "%.0f ms", (double)ns / 1e6);
    else snprintf(text, 32, "%.1f us", (double)ns / 1e3);
    return text;
}

// Waits of the same kind: equal but for the callers of the places.
typedef struct Waits {
    char *who, *what;  // "pool-1"; "Catalogue's lock, held by pool-2 in Catalogue.audit(Catalogue.java:57), at ..."
    uint64_t ns, count;
} Waits;

static int by_names(const void *x, const void *y) {
    const Waits *a = x, *b = y;
    int order = strcmp(a->who, b->who);
    return order ? order : strcmp(a->what, b->what);
}

static int by_time(const void *x, const void *y) {
    const Waits *a = x, *b = y;
    return a->ns != b->ns ? (a->ns > b->ns ? -1 : 1) : by_names(x, y);
}

static bool is_lock(const ProfSection *s, size_t row) {
    const char *how = cell(s, row, "how")->text;
    return strcmp(how, "monitor") == 0 || strcmp(how, "lock") == 0;
}

static Waits read_wait(const ProfFile *f, const ProfSection *s, size_t row) {
    const Histogram *wait = cell(s, row, "wait")->histogram;
    Waits w = {strdup(cell(s, row, "waiter")->text), NULL, wait->sum, wait->count};
    size_t size;
    FILE *out = open_memstream(&w.what, &size);
    if (!w.who || !out) prof_out_of_memory();
    const char *of = cell(s, row, "for")->text, *by = cell(s, row, "because of")->text;
    if (is_lock(s, row)) fprintf(out, "%s's lock, held by %s", of, by);
    else fprintf(out, "%s, until %s ended the wait", of, by);
    print_place(f, " in ", cell(s, row, "that was at"), out);
    print_place(f, ", at ", cell(s, row, "waiter at"), out);
    if (fclose(out) != 0) prof_out_of_memory();
    return w;
}

// The waits for locks or the others, the longest first. Returns their number.
static size_t read_waits(const ProfFile *f, const ProfSection *s, const ProfOptions *o, bool locks, Waits *waits) {
    size_t n = 0, last = 0;
    for (size_t i = 0; i < s->rows; i++)
        if (is_lock(s, i) == locks && prof_section_passes(s, i, o)) waits[n++] = read_wait(f, s, i);
    if (!n) return 0;
    qsort(waits, n, sizeof *waits, by_names);
    for (size_t i = 1; i < n; i++) {
        if (by_names(&waits[last], &waits[i]) != 0) {
            waits[++last] = waits[i];
            continue;
        }
        waits[last].ns += waits[i].ns;
        waits[last].count += waits[i].count;
        free(waits[i].who);
        free(waits[i].what);
    }
    qsort(waits, last + 1, sizeof *waits, by_time);
    return last + 1;
}

// Waits for locks come first, because a program can avoid them.
static void print_waits(const ProfFile *f, const ProfOptions *o, FILE *out) {
    const ProfSection *s = prof_section(f, "who-waits-for-whom");
    if (!s) return;
    Waits *waits = prof_alloc(s->rows * sizeof *waits);
    for (int locks = 1; locks >= 0; locks--) {
        size_t n = read_waits(f, s, o, locks, waits), most = locks ? MOST_WAITS : MOST_SIGNS;
        char time[32], number[32];
        for (size_t i = 0; i < n; i++) {
            if (i < most)
                fprintf(out, "  %s waited %s for %s", waits[i].who, duration(time, waits[i].ns), waits[i].what);
            if (i < most && waits[i].count > 1) fprintf(out, ", %s times", prof_number(number, waits[i].count));
            if (i < most) putc('\n', out);
            free(waits[i].who);
            free(waits[i].what);
        }
        if (locks && !n) fputs("  no thread waited for a lock\n", out);
    }
    free(waits);
}

static void print_deadlocks(const ProfFile *f, FILE *out) {
    const ProfSection *s = prof_section(f, "deadlocks");
    for (size_t i = 0; s && i < s->rows; i++) {
        fprintf(out, "  deadlock: %s waits for %s's lock", cell(s, i, "threads")->text, cell(s, i, "waits for")->text);
        print_place(f, " at ", cell(s, i, "at"), out);
        putc('\n', out);
    }
}

// Rows of a section that is empty in a program without such a problem.
static void print_signs(const ProfFile *f, const char *name, const char *who, const char *what, const char *of,
                        FILE *out) {
    const ProfSection *s = prof_section(f, name);
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
    static const char *const details[] = {"library-races", "race-detection", "lock-order", "collections"};
    if (strcmp(s->analysis, "threads") == 0) return strcmp(s->name, "between") != 0;
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        if (strcmp(s->name, details[i]) == 0) return true;
    return false;
}
