#include "profiler/tool/compare/prof_isolate.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/tool/read/prof_file.h"
#include "profiler/tool/view/prof_view.h"

enum { USUAL_TOP = 20 };

// ---- scores -------------------------------------------------------------------------------------

static double chance(uint32_t part, uint32_t other) { return part + other ? (double)part / (part + other) : 0; }
static double variance(double chance, uint32_t of) { return of ? chance * (1 - chance) / of : 0; }

IsolateScores isolate_scores(const IsolateCounts *c, uint32_t bad_runs) {
    IsolateScores s = {.failure = chance(c->bad_true, c->good_true),
                       .context = chance(c->bad_observed, c->good_observed)};
    double deviation = sqrt(variance(s.failure, c->bad_true + c->good_true) +
                            variance(s.context, c->bad_observed + c->good_observed));
    s.increase = s.failure - s.context;
    s.low = s.increase - 1.96 * deviation;
    s.high = s.increase + 1.96 * deviation;
    double sensitivity = bad_runs > 1 && c->bad_true ? log(c->bad_true) / log(bad_runs) : c->bad_true ? 1 : 0;
    if (s.increase > 0 && sensitivity > 0) s.importance = 2 / (1 / s.increase + 1 / sensitivity);
    return s;
}

// ---- predicates that were true in each run ------------------------------------------------------

typedef struct Seen {
    char *key;  // a row as in export --lines; its last word is the outcome
    uint32_t run;
    bool bad;
} Seen;

typedef struct Runs {
    Seen *seen;
    size_t count, room;
    uint32_t good, bad;
} Runs;

static bool add_run(Runs *r, const char *path, bool bad) {
    ProfFile f;
    bool any = false;
    prof_file_open(&f, path);
    if (!f.complete) fprintf(stderr, "cabernet-prof: %s: %s\n", path, f.problem);
    for (size_t i = 0; f.complete && i < f.analysis_count; i++) {
        const ProfAnalysis *a = &f.analyses[i];
        // Does each row name one of the possible outcomes at a place?
        const char *last = a->column_count ? a->columns[a->column_count - 1].name : "";
        if (strcmp(last, "edge") != 0 && strcmp(last, "sign") != 0 && strcmp(last, "relation") != 0) continue;
        any = true;
        for (size_t row = 0; row < a->merged.rows; row++) {
            GROW_OR_EXIT(r->seen, r->room, r->count + 1);
            r->seen[r->count++] = (Seen){prof_row_key(&f, a, prof_row(a, &a->merged, row)), r->good + r->bad, bad};
        }
    }
    if (f.complete && !any)
        fprintf(stderr,
                "cabernet-prof: %s: no analysis has edges, signs or relations: branch, or productions=isolate\n", path);
    *(bad ? &r->bad : &r->good) += 1;
    prof_file_close(&f);
    return any;
}

static size_t place_length(const char *key) {
    const char *blank = strrchr(key, ' ');
    return blank ? (size_t)(blank - key) : strlen(key);
}

static int by_key(const void *x, const void *y) {
    const Seen *a = x, *b = y;
    size_t m = place_length(a->key), n = place_length(b->key);
    int order = strncmp(a->key, b->key, m < n ? m : n);
    if (!order && m != n) return m < n ? -1 : 1;
    if (!order) order = strcmp(a->key, b->key);
    return order ? order : a->run < b->run ? -1 : a->run > b->run;
}

// Counts the distinct runs that observed a place, whatever the outcome.
static void observed(const Seen *from, size_t count, uint32_t runs, IsolateCounts *to) {
    bool *there = prof_alloc(runs * sizeof *there);
    for (size_t i = 0; i < count; i++) {
        if (there[from[i].run]) continue;
        there[from[i].run] = true;
        ++*(from[i].bad ? &to->bad_observed : &to->good_observed);
    }
    free(there);
}

// ---- ranking ------------------------------------------------------------------------------------

typedef struct Predicate {
    const char *key;
    IsolateCounts counts;
    IsolateScores scores;
} Predicate;

static int by_importance(const void *x, const void *y) {
    const Predicate *a = x, *b = y;
    bool sure_a = a->scores.low > 0, sure_b = b->scores.low > 0;
    if (sure_a != sure_b) return sure_a ? -1 : 1;
    if (a->scores.importance != b->scores.importance) return a->scores.importance > b->scores.importance ? -1 : 1;
    return strcmp(a->key, b->key);
}

// Every predicate with its scores, the most important first.
static Predicate *rank(Runs *r, size_t *count) {
    Predicate *found = prof_alloc(r->count * sizeof *found);
    *count = 0;
    if (r->count) qsort(r->seen, r->count, sizeof *r->seen, by_key);
    for (size_t place = 0, end; place < r->count; place = end) {
        IsolateCounts at = {0};
        const char *key = r->seen[place].key;
        size_t n = place_length(key);
        for (end = place;
             end < r->count && place_length(r->seen[end].key) == n && strncmp(r->seen[end].key, key, n) == 0;)
            end++;
        observed(r->seen + place, end - place, r->good + r->bad, &at);
        for (size_t i = place; i < end; i++) {
            const Seen *s = &r->seen[i];
            if (i == place || strcmp(s->key, s[-1].key) != 0)
                found[(*count)++] = (Predicate){.key = s->key, .counts = at};
            ++*(s->bad ? &found[*count - 1].counts.bad_true : &found[*count - 1].counts.good_true);
        }
    }
    for (size_t i = 0; i < *count; i++) found[i].scores = isolate_scores(&found[i].counts, r->bad);
    if (*count) qsort(found, *count, sizeof *found, by_importance);
    return found;
}

// ---- output -------------------------------------------------------------------------------------

static int print_json(const Runs *r, const Predicate *p, size_t count, FILE *out) {
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const IsolateCounts *c = &p[i].counts;
        const IsolateScores *s = &p[i].scores;
        json_t *row = json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:i, s:i, s:i}", "predicate", p[i].key,
                                "importance", s->importance, "failure", s->failure, "context", s->context, "increase",
                                s->increase, "low", s->low, "high", s->high, "badTrue", (int)c->bad_true, "goodTrue",
                                (int)c->good_true, "badObserved", (int)c->bad_observed, "goodObserved",
                                (int)c->good_observed);
        if (!row || json_array_append_new(rows, row) != 0) prof_out_of_memory();
    }
    json_t *root = json_pack("{s:i, s:i, s:o}", "good", (int)r->good, "bad", (int)r->bad, "predicates", rows);
    int failed = !root || json_dumpf(root, out, JSON_INDENT(1)) != 0;
    putc('\n', out);
    json_decref(root);
    return failed ? 2 : 0;
}

static int use(const char *problem, const char *word) {
    fprintf(stderr, "cabernet-prof: %s%s\nTry: cabernet-prof isolate GOOD... --bad BAD...\n", problem, word);
    return 1;
}

static int finish(Runs *r, bool json, size_t top, FILE *out) {
    size_t count, sure = 0;
    Predicate *p = rank(r, &count);
    while (sure < count && p[sure].scores.low > 0) sure++;
    if (json) {
        int code = print_json(r, p, count, out);
        free(p);
        return code;
    }
    fprintf(out, "%u good and %u bad runs, %zu predicates; %zu of them make failure more likely (95 %% confidence)\n",
            r->good, r->bad, count, sure);
    if (sure)
        fprintf(out, "  %9s %8s %8s %8s  %-17s %5s %5s  %s\n", "importance", "failure", "context", "increase",
                "95 % of increase", "bad", "good", "predicate");
    for (size_t i = 0; i < sure && (!top || i < top); i++) {
        const IsolateScores *s = &p[i].scores;
        fprintf(out, "  %10.3f %8.3f %8.3f %8.3f  %6.3f ... %6.3f %5u %5u  %s\n", s->importance, s->failure, s->context,
                s->increase, s->low, s->high, p[i].counts.bad_true, p[i].counts.good_true, p[i].key);
    }
    if (top && sure > top) fprintf(out, "  (%zu more)\n", sure - top);
    free(p);
    return 0;
}

int prof_isolate(char **argv, FILE *out) {
    Runs r = {0};
    bool json = false, bad = false, ok = true;
    size_t top = USUAL_TOP;
    for (char **word = argv; *word && ok; word++) {
        char *end;
        if (strcmp(*word, "--bad") == 0) bad = true;
        else if (strcmp(*word, "--json") == 0) json = true;
        else if (strcmp(*word, "--top") == 0) {
            if (!*++word) return use("--top needs a number", "");
            errno = 0;
            top = strtoul(*word, &end, 10);
            if (errno || *end || !**word || **word == '-') return use("--top takes a number, not ", *word);
        } else if (**word == '-') return use("isolate has no option ", *word);
        else ok = add_run(&r, *word, bad);
    }
    int code = 2;
    if (ok && (!r.good || !r.bad))
        code = use(r.good ? "isolate needs bad runs after --bad" : "isolate needs good runs", "");
    else if (ok) code = finish(&r, json, top, out);
    for (size_t i = 0; i < r.count; i++) free(r.seen[i].key);
    free(r.seen);
    return code;
}
