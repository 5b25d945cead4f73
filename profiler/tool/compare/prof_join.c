// `join`: a beginning in one process and the end with the same key in the other one make a time. Beginnings are matched
// in the order of the wall clock, each with the first end that is left. An end that is before its beginning shows that
// the clocks of two machines differ; its time counts as 0.
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_memory.h"
#include "profiler/tool/compare/prof_compare.h"
#include "profiler/tool/report/prof_json.h"

// A point of one file whose other point may be in the other file.
typedef struct JoinPoint {
    const char *from, *to;
    uint64_t key, at;
    bool ends, matched;
} JoinPoint;

typedef struct JoinPoints {
    JoinPoint *list;  // by pair of points, key, what it is, and time
    size_t count;
    uint64_t dropped;
} JoinPoints;

// Pairs whose beginnings are in file `begins`, and whose ends are in the other one.
typedef struct Joined {
    const char *from, *to;
    int begins;
    Histogram time;
    uint64_t early, without_end, without_beginning;
} Joined;

static int by_pair_and_key(const void *x, const void *y) {
    const JoinPoint *a = x, *b = y;
    int order = strcmp(a->from, b->from);
    if (!order) order = strcmp(a->to, b->to);
    if (!order) order = a->ends - b->ends;
    if (!order) order = a->key < b->key ? -1 : a->key > b->key;
    return order ? order : a->at < b->at ? -1 : a->at > b->at;
}

static const ProfSection *open_points(const ProfFile *f) {
    static const SectionKind kinds[] = {SECTION_TEXT, SECTION_TEXT, SECTION_TEXT, SECTION_NUMBER, SECTION_VARYING};
    enum { COLUMNS = sizeof kinds / sizeof *kinds };
    for (size_t i = 0; i < f->section_count; i++) {
        const ProfSection *s = &f->sections[i];
        bool fits = strcmp(s->name, "between-open") == 0 && s->column_count == COLUMNS;
        for (int c = 0; fits && c < COLUMNS; c++) fits = s->columns[c].kind == kinds[c];
        if (fits) return s;
    }
    return NULL;
}

static JoinPoints read_points(const ProfFile *f) {
    const ProfSection *s = open_points(f);
    JoinPoints p = {0};
    if (!s) return p;
    p.list = prof_alloc((s->rows + 1) * sizeof *p.list);
    for (size_t row = 0; row < s->rows; row++) {
        const ProfCell *c = &s->cells[row * s->column_count];
        if (strcmp(c[2].text, "dropped") == 0) p.dropped += c[3].number;
        else
            p.list[p.count++] = (JoinPoint){
                c[0].text, c[1].text, c[3].number, c[4].number, strcmp(c[2].text, "ended") == 0, false};
    }
    qsort(p.list, p.count, sizeof *p.list, by_pair_and_key);
    return p;
}

// The first end for the beginning that was not taken: one at its time or later, otherwise any.
static JoinPoint *find_end(const JoinPoints *ends, const JoinPoint *begun) {
    JoinPoint wanted = *begun, *early = NULL;
    size_t low = 0, high = ends->count;
    wanted.ends = true;
    wanted.at = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (by_pair_and_key(&ends->list[middle], &wanted) < 0) low = middle + 1;
        else high = middle;
    }
    for (; low < ends->count; low++) {
        JoinPoint *p = &ends->list[low];
        if (!p->ends || p->key != begun->key || strcmp(p->from, begun->from) != 0 || strcmp(p->to, begun->to) != 0)
            break;
        if (p->matched) continue;
        if (p->at >= begun->at) return p;
        if (!early) early = p;
    }
    return early;
}

static Joined *joined_of(Joined *list, size_t *count, const JoinPoint *p, int begins) {
    for (size_t i = *count; i-- > 0;)
        if (list[i].begins == begins && strcmp(list[i].from, p->from) == 0 && strcmp(list[i].to, p->to) == 0)
            return &list[i];
    list[*count] = (Joined){.from = p->from, .to = p->to, .begins = begins};
    return &list[(*count)++];
}

// Pairs of points are few: a profile has at most 32.
static Joined *join(JoinPoints points[2], size_t *count) {
    Joined *list = prof_alloc((points[0].count + points[1].count + 1) * sizeof *list);
    for (int f = 0; f < 2; f++)
        for (size_t i = 0; i < points[f].count; i++) {
            JoinPoint *begun = &points[f].list[i];
            if (begun->ends) continue;
            Joined *j = joined_of(list, count, begun, f);
            JoinPoint *end = find_end(&points[!f], begun);
            if (!end) {
                j->without_end++;
                continue;
            }
            end->matched = true;
            j->early += end->at < begun->at;
            histogram_add(&j->time, end->at > begun->at ? end->at - begun->at : 0);
        }
    for (int f = 0; f < 2; f++)
        for (size_t i = 0; i < points[f].count; i++) {
            const JoinPoint *p = &points[f].list[i];
            if (p->ends && !p->matched) joined_of(list, count, p, !f)->without_beginning++;
        }
    return list;
}

static json_t *json_of(const ProfFile *files, const Joined *j) {
    json_t *o = json_object();
    prof_json_put(o, "from", prof_json_text(j->from));
    prof_json_put(o, "to", prof_json_text(j->to));
    prof_json_put(o, "begins", prof_json_text(files[j->begins].path));
    prof_json_put(o, "count", prof_json_count(j->time.count));
    prof_json_put(o, "median_ns", prof_json_count(histogram_percentile(&j->time, 0.5)));
    prof_json_put(o, "p99_ns", prof_json_count(histogram_percentile(&j->time, 0.99)));
    prof_json_put(o, "max_ns", prof_json_count(j->time.largest));
    prof_json_put(o, "early", prof_json_count(j->early));
    prof_json_put(o, "without_end", prof_json_count(j->without_end));
    prof_json_put(o, "without_beginning", prof_json_count(j->without_beginning));
    return o;
}

static void print_joined(const ProfFile *files, const Joined *j, FILE *out) {
    fprintf(out, "%s in %s .. %s in %s: %llu times", j->from, files[j->begins].path, j->to, files[!j->begins].path,
            (unsigned long long)j->time.count);
    if (j->time.count)
        fprintf(out, ", median %.3f ms, 99%% %.3f ms, longest %.3f ms",
                (double)histogram_percentile(&j->time, 0.5) / 1e6, (double)histogram_percentile(&j->time, 0.99) / 1e6,
                (double)j->time.largest / 1e6);
    fprintf(out, "; %llu without an end, %llu without a beginning\n", (unsigned long long)j->without_end,
            (unsigned long long)j->without_beginning);
    if (j->early)
        fprintf(out, "  %llu ended before they began: the clocks of the machines differ\n",
                (unsigned long long)j->early);
}

int prof_join(const ProfFile *files, const ProfOptions *o, FILE *out) {
    JoinPoints points[2] = {read_points(&files[0]), read_points(&files[1])};
    size_t count = 0;
    Joined *list = join(points, &count);
    json_t *all = json_array();
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any |= list[i].time.count != 0;
        if (o->json) prof_json_push(all, json_of(files, &list[i]));
        else print_joined(files, &list[i], out);
        histogram_free(&list[i].time);
    }
    if (o->json) {
        json_dumpf(all, out, JSON_INDENT(1));
        putc('\n', out);
    }
    json_decref(all);
    for (int f = 0; f < 2; f++) {
        if (points[f].dropped)
            fprintf(stderr, "cabernet-prof: %s has %llu points less than were passed\n", files[f].path,
                    (unsigned long long)points[f].dropped);
        free(points[f].list);
    }
    free(list);
    if (!any) fputs("cabernet-prof: the profiles have no pair of marks with a key in common (between=)\n", stderr);
    return any ? 0 : 1;
}
