// The analyses of memory accesses in reports. Simulated caches have three tables with equal columns: accesses, those
// that missed the first level, and those that missed both (profiler/analyses/cache.c). Reuse distances have one
// (profiler/analyses/reuse_distance.c).
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/report/prof_report.h"

enum { TABLES = 3 };

typedef struct Caches {
    const ProfAnalysis *of[TABLES];
    int method, line, field;  // columns
} Caches;

// The rows of a method, line, field or class.
typedef struct Group {
    uint64_t key[2];         // method and line, or field
    const char *class_name;  // NULL: not by class
    uint64_t count[TABLES];
} Group;

typedef enum Grouping { BY_METHOD, BY_LINE, BY_FIELD, BY_CLASS, GROUPINGS } Grouping;

static bool find_caches(const ProfFile *f, Caches *c) {
    static const char *const names[TABLES] = {"cache", "cache-l1", "cache-l2"};
    *c = (Caches){.method = -1};
    for (size_t i = 0; i < f->analysis_count; i++)
        for (int t = 0; t < TABLES; t++)
            if (strcmp(f->analyses[i].name, names[t]) == 0) c->of[t] = &f->analyses[i];
    if (!c->of[0] || !c->of[1] || !c->of[2]) return false;
    c->method = prof_column(c->of[0], "method");
    c->line = prof_column(c->of[0], "line");
    c->field = prof_column(c->of[0], "field");
    return c->method >= 0 && c->line >= 0 && c->field >= 0;
}

bool prof_is_cache(const ProfAnalysis *a) { return strcmp(a->name, "cache") == 0; }

bool prof_cache_rates(const ProfFile *f, char *text, size_t size) {
    Caches c;
    char accesses[32];
    if (!find_caches(f, &c)) return false;
    uint64_t all = c.of[0]->merged.total;
    snprintf(text, size, "of %s accesses %.2f %% missed L1, and %.2f %% L2 as well; simulated: %s",
             prof_number(accesses, all), prof_percent(c.of[1]->merged.total, all),
             prof_percent(c.of[2]->merged.total, all), prof_meta(f, "cache", "?"));
    return true;
}

static int by_key(const void *x, const void *y) {
    const Group *a = x, *b = y;
    for (int i = 0; i < 2; i++)
        if (a->key[i] != b->key[i]) return a->key[i] < b->key[i] ? -1 : 1;
    return a->class_name ? strcmp(a->class_name, b->class_name) : 0;
}

static Group group_of(const ProfFile *f, const Caches *c, Grouping by, const uint64_t *row) {
    switch (by) {
        case BY_METHOD: return (Group){.key = {row[c->method]}};
        case BY_LINE: return (Group){.key = {row[c->method], row[c->line]}};
        case BY_FIELD: return (Group){.key = {row[c->field]}};
        default: return (Group){.class_name = f->fields[row[c->field]].class_name};
    }
}

// The groups of the rows that the options select; *n: their number.
static Group *make_groups(const ProfFile *f, const Caches *c, Grouping by, const ProfOptions *o, size_t *n) {
    size_t room = 0;
    for (int t = 0; t < TABLES; t++) room += c->of[t]->merged.rows;
    Group *groups = prof_alloc(room * sizeof *groups);
    *n = 0;
    for (int t = 0; t < TABLES; t++) {
        ProfView v = prof_view(f, c->of[t], &c->of[t]->merged, o);
        for (size_t i = 0; i < v.count; i++) {
            const uint64_t *row = prof_row(c->of[t], &c->of[t]->merged, v.rows[i]);
            groups[*n] = group_of(f, c, by, row);
            groups[(*n)++].count[t] = prof_row_count(c->of[t], row);
        }
        prof_view_free(&v);
    }
    if (!*n) return groups;
    qsort(groups, *n, sizeof *groups, by_key);
    size_t last = 0;
    for (size_t i = 1; i < *n; i++) {
        if (by_key(&groups[last], &groups[i]) != 0) groups[++last] = groups[i];
        else
            for (int t = 0; t < TABLES; t++) groups[last].count[t] += groups[i].count[t];
    }
    *n = last + 1;
    return groups;
}

static char *group_text(const ProfFile *f, Grouping by, const Group *g) {
    char *text;
    if (by == BY_FIELD) return prof_field_text(&f->fields[g->key[0]]);
    if (by == BY_METHOD || (by == BY_LINE && (int64_t)g->key[1] < 0)) return prof_method_text(&f->methods[g->key[0]]);
    const ProfMethod *m = &f->methods[g->key[0]];
    if ((by == BY_CLASS ? asprintf(&text, "%s", g->class_name)
                        : asprintf(&text, "%s.%s:%lld", m->class_name, m->name, (long long)g->key[1])) < 0)
        prof_out_of_memory();
    return text;
}

// The groups with the most L1 misses; of those with equally many, the ones with the most accesses.
static int by_misses(const void *x, const void *y) {
    const Group *a = x, *b = y;
    const int order[] = {1, 0, 2};
    for (int i = 0; i < TABLES; i++)
        if (a->count[order[i]] != b->count[order[i]]) return a->count[order[i]] > b->count[order[i]] ? -1 : 1;
    return by_key(a, b);
}

void prof_print_cache(const ProfFile *f, const ProfOptions *o, size_t top, FILE *out) {
    static const char *const titles[GROUPINGS] = {"method", "line", "field", "class"};
    Caches c;
    if (!find_caches(f, &c)) return;
    for (Grouping by = 0; by < GROUPINGS; by++) {
        size_t n;
        Group *groups = make_groups(f, &c, by, o, &n);
        if (n) qsort(groups, n, sizeof *groups, by_misses);
        fprintf(out, "%s  %15s  %15s  %5s  %15s  %5s  by %s\n", by ? "\n" : "", "accesses", "L1 misses", "%",
                "L2 misses", "%", titles[by]);
        for (size_t i = 0; i < n && (!top || i < top); i++) {
            char numbers[TABLES][32], *text = group_text(f, by, &groups[i]);
            const uint64_t *count = groups[i].count;
            for (int t = 0; t < TABLES; t++) prof_number(numbers[t], count[t]);
            fprintf(out, "  %15s  %15s  %5.1f  %15s  %5.1f  %s\n", numbers[0], numbers[1],
                    prof_percent(count[1], count[0]), numbers[2], prof_percent(count[2], count[0]), text);
            free(text);
        }
        if (top && n > top) fprintf(out, "  (%zu more)\n", n - top);
        free(groups);
    }
}

// ---- reuse distances -------------------------------------------------------------------------------

void prof_print_reuse(const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, FILE *out) {
    enum { CLASSES = 65 };  // 0: distance 0; n: distances from 2^(n-1) on; the last one: first accesses
    uint64_t count[CLASSES] = {0}, running = 0, largest = 0;
    int column = prof_column(a, "distance");
    if (strcmp(a->name, "reuse-distance") != 0 || column < 0 || a->columns[column].kind != FORMAT_COLUMN_WORD) return;
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        const char *word = f->strings[row[column]];
        uint64_t least = strtoull(word, NULL, 10);
        int class = *word == 'f' ? CLASSES - 1 : least ? 63 - __builtin_clzll(least) + 1 : 0;
        count[class] += prof_row_count(a, row);
    }
    for (int i = 0; i < CLASSES; i++)
        if (count[i] > largest) largest = count[i];
    fprintf(out, "  %15s  %5s  %5s  %12s  lines accessed since the last access to the same one\n", "accesses", "%",
            "sum %", "");
    for (int i = 0; i < CLASSES; i++) {
        uint64_t least = i ? UINT64_C(1) << (i - 1) : 0;
        char text[64];
        if (!count[i]) continue;
        if (i == CLASSES - 1) strcpy(text, "first access to the line");
        else if (i < 2) snprintf(text, sizeof text, "%d", i);
        else
            snprintf(text, sizeof text, "%llu to %llu", (unsigned long long)least, (unsigned long long)(2 * least - 1));
        prof_print_row(out, count[i], running += count[i], v.all, largest, text);
    }
    putc('\n', out);
    prof_view_free(&v);
}
