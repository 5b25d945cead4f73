// `cabernet-prof overlap` and `cabernet-prof diff`: compares two profiles, analysis by analysis. Items are matched by
// their exact names as in `export --lines`, so profiles of different runs compare.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/tool/base/prof_order.h"
#include "profiler/tool/compare/prof_compare.h"
#include "profiler/tool/compare/prof_overlap.h"
#include "profiler/tool/report/prof_json.h"
#include "profiler/tool/report/prof_report.h"

enum { TOP_DIFFERENCES = 20, MOST_DRAWS = 200 };
#define TOP_PART 0.9
#define WEIGHT_PART 0.05
#define DRAWN_EVENTS 2e7  // in all draws together: takes about a second
#define DRAW_SEED 1u

typedef struct Item {
    char *key;
    OverlapItem n;
} Item;

// The counts of one analysis in both files.
typedef struct Match {
    const ProfAnalysis *analysis;  // of the first file
    Item *items;                   // by key
    size_t count;
    uint64_t all_a, all_b;
    size_t only_a, only_b;
} Match;

// ---- matching ----------------------------------------------------------------------------------

static size_t add_items(Item *to, const ProfFile *f, const ProfAnalysis *a, const ProfOptions *o, bool second) {
    ProfView v = prof_view(f, a, &a->merged, o);
    for (size_t i = 0; i < v.count; i++) {
        const uint64_t *row = prof_row(a, &a->merged, v.rows[i]);
        uint64_t n = prof_row_count(a, row);
        to[i] = (Item){prof_row_key(f, a, row), second ? (OverlapItem){0, n} : (OverlapItem){n, 0}};
    }
    size_t count = v.count;
    prof_view_free(&v);
    return count;
}

static size_t combine(Item *items, size_t count) {
    if (!count) return 0;
    qsort(items, count, sizeof *items, prof_by_text);
    size_t last = 0;
    for (size_t i = 1; i < count; i++) {
        if (strcmp(items[last].key, items[i].key) != 0) {
            items[++last] = items[i];
            continue;
        }
        items[last].n.a += items[i].n.a;
        items[last].n.b += items[i].n.b;
        free(items[i].key);
    }
    return last + 1;
}

static Match match_rows(const ProfFile *files, const ProfAnalysis *a, const ProfAnalysis *b, const ProfOptions *o) {
    Match m = {.analysis = a, .items = prof_alloc((a->merged.rows + b->merged.rows) * sizeof *m.items)};
    size_t n = add_items(m.items, &files[0], a, o, false);
    n += add_items(m.items + n, &files[1], b, o, true);
    m.count = combine(m.items, n);
    for (size_t i = 0; i < m.count; i++) {
        const OverlapItem *c = &m.items[i].n;
        m.all_a += c->a;
        m.all_b += c->b;
        m.only_a += c->a && !c->b;
        m.only_b += c->b && !c->a;
    }
    return m;
}

static const ProfAnalysis *same_analysis(const ProfFile *f, const ProfAnalysis *a) {
    for (size_t i = 0; i < f->analysis_count; i++) {
        const ProfAnalysis *b = &f->analyses[i];
        bool same = strcmp(a->name, b->name) == 0 && a->column_count == b->column_count;
        for (uint32_t c = 0; same && c < a->column_count; c++)
            same = a->columns[c].kind == b->columns[c].kind && strcmp(a->columns[c].name, b->columns[c].name) == 0;
        if (same) return b;
    }
    return NULL;
}

// ---- overlap -----------------------------------------------------------------------------------

typedef struct Ideal {
    bool known;         // one profile is exact, the other sampled
    uint64_t events;    // that the sampled profile recorded
    uint64_t draws_of;  // number of independent events; fewer with bursts
    double expected;    // overlap of draws_of events
    double best;        // with bursts: overlap if all events were independent
    size_t draws;       // 0: too many events to draw
    double low, high;   // bounds of the middle 95 % of the draws
} Ideal;

// Lowest counts of the items over which errors are averaged.
static const uint64_t ERROR_LEAST[] = {1, 100, 1000, 30000};

typedef struct Errors {
    double rate;  // part of the reference's events that the other profile has; 0: the errors are not defined
    OverlapError of[sizeof ERROR_LEAST / sizeof *ERROR_LEAST];
} Errors;

typedef struct Overlap {
    double percent, top_percent;
    size_t top_members;
    double weight_percent;
    size_t weight_members;
    bool has_values;  // the next two fields are valid
    OverlapInvariance invariance;
    OverlapPlace all_places;   // sum over the places, also those that only one profile has
    bool second_is_reference;  // B is exact and A is not
    Ideal ideal;
    Errors errors;
} Overlap;

// Events in one burst are consecutive, so a burst tells little more about the rest of the program than a single event
// does. How much more depends on the program. Each burst therefore counts as one draw, and `best` is the upper bound.
static uint64_t independent_events(const ProfFile *sampled, uint64_t events) {
    uint64_t burst = prof_meta_number(sampled, "burst");
    if (burst < 2) return events;
    uint64_t bursts = (prof_meta_number(sampled, "samples") + burst - 1) / burst;
    return bursts < events ? bursts : events;
}

static Ideal ideal_of(const OverlapItem *items, size_t count, const ProfFile *sampled, uint64_t all) {
    uint64_t events = independent_events(sampled, all);
    Ideal ideal = {.known = true,
                   .events = all,
                   .draws_of = events,
                   .expected = overlap_ideal(items, count, events),
                   .best = overlap_ideal(items, count, all)};
    double draws = events ? fmin(DRAWN_EVENTS / (double)events, MOST_DRAWS) : 0, result[MOST_DRAWS];
    ideal.draws = draws >= 20 ? (size_t)draws : 0;
    if (!ideal.draws) return ideal;
    overlap_draw(items, count, events, DRAW_SEED, result, ideal.draws);
    size_t cut = ideal.draws / 40;
    ideal.low = result[cut];
    ideal.high = result[ideal.draws - 1 - cut];
    return ideal;
}

// Two exact profiles have the rate 1. Without a recorded rate the totals give it, so a difference between the runs
// becomes part of it.
static double rate_of(const ProfFile *reference, const ProfFile *other, uint64_t all, uint64_t recorded) {
    if (prof_is_exact(reference) && prof_is_exact(other)) return 1;
    double words = prof_consumers_sample(other) ? (double)prof_meta_number(other, "words-written") : 0;
    if (words > 0 && prof_is_exact(reference)) return (double)prof_meta_number(other, "words-sampled") / words;
    return all ? (double)recorded / (double)all : 0;
}

static Errors errors_of(const OverlapItem *items, size_t count, double rate) {
    Errors e = {.rate = rate};
    for (size_t i = 0; rate > 0 && i < sizeof e.of / sizeof *e.of; i++)
        e.of[i] = overlap_error(items, count, ERROR_LEAST[i], rate);
    return e;
}

// ---- values: rows of (place, what, is or others, value) -------------------------------------------

static OverlapItem oriented(OverlapItem n, bool swap) { return swap ? (OverlapItem){n.b, n.a} : n; }

static void add_to(OverlapItem *sum, OverlapItem n) {
    sum->a += n.a;
    sum->b += n.b;
}

// rest: the last two words of the row's key.
static void add_value(OverlapPlace *p, const char *rest, OverlapItem n) {
    add_to(&p->times, n);
    if (strncmp(rest, "is ", 3) != 0) return;
    add_to(&p->known, n);
    if (strcmp(rest, "is 0") == 0) add_to(&p->zero, n);
    if (n.a > p->top.a) p->top.a = n.a;
    if (n.b > p->top.b) p->top.b = n.b;
}

// Items are sorted by key, so the items of a place are adjacent.
static void compare_values(Overlap *r, const Match *m) {
    OverlapPlace *places = prof_alloc(m->count * sizeof *places);
    size_t count = 0, length = 0;
    const char *place = NULL;
    for (size_t i = 0; i < m->count; i++) {
        const char *key = m->items[i].key, *end = strrchr(key, ' ');
        while (end && end > key && end[-1] != ' ') end--;
        size_t n = end ? (size_t)(end - key) : strlen(key);  // without its last two words
        if (!place || n != length || memcmp(place, key, n) != 0) count++;
        place = key;
        length = n;
        add_value(&places[count - 1], key + n, oriented(m->items[i].n, r->second_is_reference));
    }
    r->has_values = true;
    r->invariance = overlap_invariance(places, count);
    for (size_t i = 0; i < count; i++) {
        add_to(&r->all_places.times, places[i].times);
        add_to(&r->all_places.top, places[i].top);
        add_to(&r->all_places.known, places[i].known);
        add_to(&r->all_places.zero, places[i].zero);
    }
    free(places);
}

// The reference is the exact profile; A if both or neither is exact.
static Overlap overlap_of(const ProfFile *files, const Match *m) {
    Overlap r = {.second_is_reference = !prof_is_exact(&files[0]) && prof_is_exact(&files[1])};
    OverlapItem *items = prof_alloc(m->count * sizeof *items);
    for (size_t i = 0; i < m->count; i++) {
        OverlapItem n = m->items[i].n;
        items[i] = oriented(n, r.second_is_reference);
    }
    r.percent = overlap_percent(items, m->count);
    r.top_percent = overlap_top_percent(items, m->count, TOP_PART, &r.top_members);
    r.weight_percent = overlap_weight_percent(items, m->count, WEIGHT_PART, &r.weight_members);
    if (prof_column(m->analysis, "rest") >= 0) compare_values(&r, m);
    if (prof_is_exact(&files[0]) != prof_is_exact(&files[1]))
        r.ideal = ideal_of(items, m->count, &files[!r.second_is_reference],
                           r.second_is_reference ? m->all_a : m->all_b);
    bool b = r.second_is_reference;
    double rate = rate_of(&files[b], &files[!b], b ? m->all_b : m->all_a, b ? m->all_a : m->all_b);
    r.errors = errors_of(items, m->count, rate);
    free(items);
    return r;
}

// ---- differences -------------------------------------------------------------------------------

// The items that differ, largest difference first, by share or by count; ties by key, as the items are.
static ProfShare *differences(const Match *m, bool counts, size_t *found) {
    ProfShare *d = prof_alloc(m->count * sizeof *d);
    *found = 0;
    for (size_t i = 0; i < m->count; i++) {
        const OverlapItem *n = &m->items[i].n;
        double size = counts ? fabs((double)n->b - (double)n->a)
                             : fabs(prof_percent(n->b, m->all_b) - prof_percent(n->a, m->all_a));
        if (counts ? n->a != n->b : size > 0) d[(*found)++] = (ProfShare){size, i};
    }
    if (*found) qsort(d, *found, sizeof *d, prof_by_share);
    return d;
}

static size_t limit(const ProfOptions *o, size_t found, size_t otherwise) {
    size_t top = o->top_given ? o->top : otherwise;
    return top && top < found ? top : found;
}

// Without the analysis name, which the title already has.
static const char *item_text(const Item *item) {
    const char *blank = strchr(item->key, ' ');
    return blank ? blank + 1 : item->key;
}

// ---- text --------------------------------------------------------------------------------------

static void print_file(const ProfFile *f, char letter, FILE *out) {
    const char *sampling = prof_meta(f, "sampling", "off");
    fprintf(out, "%c: %s: %s, ", letter, f->path, prof_meta(f, "command", "unknown program"));
    if (prof_is_exact(f)) fprintf(out, "exact (%s)\n", prof_meta(f, "execution", "?"));
    else if (prof_consumers_sample(f))
        fprintf(out, "sampled by consumers, %s of %s words (%s)\n", prof_meta(f, "words-sampled", "?"),
                prof_meta(f, "words-written", "?"), prof_meta(f, "execution", "?"));
    else if (prof_is_unanalysed(f)) fprintf(out, "without events (%s)\n", prof_meta(f, "execution", "?"));
    else if (prof_is_imported(f))
        fprintf(out, "imported from %s, %s samples\n", prof_meta(f, "import", "?"), prof_meta(f, "samples", "?"));
    else if (prof_in_shadows(f))
        fprintf(out, "of %s shadows (%s)\n", prof_meta(f, "shadows", "?"), prof_meta(f, "execution", "?"));
    else
        fprintf(out, "sampled by %s, interval %s, %s samples (%s, dup=%s)\n", sampling,
                prof_meta(f, "interval", prof_meta(f, "interval-us", "?")), prof_meta(f, "samples", "?"),
                prof_meta(f, "execution", "?"), prof_meta(f, "dup", "?"));
}

static void print_errors(const Overlap *r, FILE *out) {
    char least[32], rows[32];
    const Errors *e = &r->errors;
    if (e->rate <= 0) return;
    fprintf(out, "  error     mean of |actual - sampled / rate| / actual, rate %.4g %%, by the row's count in %c\n",
            100 * e->rate, r->second_is_reference ? 'B' : 'A');
    for (size_t i = 0; i < sizeof e->of / sizeof *e->of; i++) {
        const OverlapError *o = &e->of[i];
        if (!o->members) continue;
        fprintf(out, "           %8.2f %%  of %s rows of %s and more", o->percent, prof_number(rows, o->members),
                prof_number(least, ERROR_LEAST[i]));
        if (r->ideal.known && e->rate < 1)
            fprintf(out, "; %.2f %% if each event were in the sample independently", o->ideal);
        fputc('\n', out);
    }
}

static void print_overlap(const Overlap *r, FILE *out) {
    char events[32];
    fprintf(out, "  overlap  %6.2f %%\n", r->percent);
    fprintf(out, "  top 90%%  %6.2f %%  over the %zu most frequent rows of %c\n", r->top_percent, r->top_members,
            r->second_is_reference ? 'B' : 'A');
    fprintf(
        out, "  weight   %6.2f %%  of the %zu most frequent rows of %c (5 %%) is on as many most frequent ones of %c\n",
        r->weight_percent, r->weight_members, r->second_is_reference ? 'B' : 'A', r->second_is_reference ? 'A' : 'B');
    if (r->has_values)
        fprintf(out,
                "  values   %6.2f %%  difference in invariance, over the %zu places that both have; %.2f %% for the 50 "
                "most\n%21sfrequent values, and %.2f %% for zero\n",
                r->invariance.top, r->invariance.members, r->invariance.known, "", r->invariance.zero);
    print_errors(r, out);
    if (!r->ideal.known) return;
    fprintf(out, "  ideal    %6.2f %%  expected of %s events drawn from the exact profile at random", r->ideal.expected,
            prof_number(events, r->ideal.draws_of));
    if (r->ideal.draws_of != r->ideal.events)
        fprintf(out, ",\n%21sas many as there were bursts; %.2f %% if all %s events of the bursts were independent", "",
                r->ideal.best, prof_number(events, r->ideal.events));
    if (r->ideal.draws)
        fprintf(out, "\n%21s(%zu draws with seed %u: 95 %% of them from %.2f to %.2f %%)", "", r->ideal.draws,
                DRAW_SEED, r->ideal.low, r->ideal.high);
    fprintf(out, "\n  missing  %6.2f points to the ideal\n", r->ideal.expected - r->percent);
}

static void print_shares(const Match *m, const ProfOptions *o, FILE *out) {
    size_t found, n;
    ProfShare *d = differences(m, false, &found);
    n = limit(o, found, TOP_DIFFERENCES);
    if (n) fprintf(out, "  largest differences of %zu\n  %8s  %8s  %8s\n", found, "A %", "B %", "B - A");
    for (size_t i = 0; i < n; i++) {
        const Item *item = &m->items[d[i].item];
        double a = prof_percent(item->n.a, m->all_a), b = prof_percent(item->n.b, m->all_b);
        fprintf(out, "  %8.3f  %8.3f  %+8.3f  %s\n", a, b, b - a, item_text(item));
    }
    free(d);
}

static void print_counts(const Match *m, const ProfOptions *o, FILE *out) {
    size_t found, n;
    ProfShare *d = differences(m, true, &found);
    n = limit(o, found, TOP_DIFFERENCES);
    if (!found) fputs("  equal\n", out);
    else fprintf(out, "  %zu rows differ\n  %15s  %15s  %15s\n", found, "A", "B", "B - A");
    for (size_t i = 0; i < n; i++) {
        const OverlapItem *c = &m->items[d[i].item].n;
        char a[32], b[32], size[32], change[34];
        prof_number(size, c->b > c->a ? c->b - c->a : c->a - c->b);
        snprintf(change, sizeof change, "%c%s", c->b > c->a ? '+' : '-', size);
        fprintf(out, "  %15s  %15s  %15s  %s\n", prof_number(a, c->a), prof_number(b, c->b), change,
                item_text(&m->items[d[i].item]));
    }
    if (n < found) fprintf(out, "  (%zu more)\n", found - n);
    free(d);
}

// ---- JSON --------------------------------------------------------------------------------------

static json_t *json_file(const ProfFile *f) {
    json_t *o = json_object();
    prof_json_put(o, "path", prof_json_text(f->path));
    for (size_t i = 0; i < f->meta_count; i++) {
        json_t *value = json_string(f->meta[i].value);
        if (strcmp(f->meta[i].key, "path") != 0 && value) json_object_set_new(o, f->meta[i].key, value);
    }
    return o;
}

static json_t *json_differences(const Match *m, const ProfOptions *o, bool counts) {
    json_t *rows = json_array();
    size_t found, n;
    ProfShare *d = differences(m, counts, &found);
    n = limit(o, found, counts ? 0 : TOP_DIFFERENCES);
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_object();
        const OverlapItem *c = &m->items[d[i].item].n;
        prof_json_put(row, "item", json_string(m->items[d[i].item].key));
        prof_json_put(row, "a", prof_json_count(c->a));
        prof_json_put(row, "b", prof_json_count(c->b));
        prof_json_put(row, "shareA", json_real(prof_percent(c->a, m->all_a)));
        prof_json_put(row, "shareB", json_real(prof_percent(c->b, m->all_b)));
        prof_json_push(rows, row);
    }
    free(d);
    return rows;
}

static json_t *json_ideal(const Ideal *i) {
    json_t *o = json_object();
    prof_json_put(o, "events", prof_json_count(i->events));
    prof_json_put(o, "independentEvents", prof_json_count(i->draws_of));
    prof_json_put(o, "expected", json_real(i->expected));
    prof_json_put(o, "expectedIfAllIndependent", json_real(i->best));
    if (!i->draws) return o;
    prof_json_put(o, "draws", prof_json_count(i->draws));
    prof_json_put(o, "seed", json_integer(DRAW_SEED));
    prof_json_put(o, "low", json_real(i->low));
    prof_json_put(o, "high", json_real(i->high));
    return o;
}

static json_t *json_errors(const Overlap *r) {
    json_t *o = json_object(), *rows = json_array();
    prof_json_put(o, "rate", json_real(r->errors.rate));
    for (size_t i = 0; i < sizeof r->errors.of / sizeof *r->errors.of; i++) {
        const OverlapError *e = &r->errors.of[i];
        json_t *row = json_object();
        prof_json_put(row, "least", prof_json_count(ERROR_LEAST[i]));
        prof_json_put(row, "rows", prof_json_count(e->members));
        if (e->members) prof_json_put(row, "error", json_real(e->percent));
        if (e->members && r->ideal.known && r->errors.rate < 1) prof_json_put(row, "ideal", json_real(e->ideal));
        prof_json_push(rows, row);
    }
    prof_json_put(o, "byCount", rows);
    return o;
}

// Shares of executions in both profiles, as in the report of values, and their difference by place.
static json_t *json_shares(OverlapItem times, OverlapItem part, double difference) {
    json_t *o = json_object();
    prof_json_put(o, "shareA", json_real(prof_percent(part.a, times.a)));
    prof_json_put(o, "shareB", json_real(prof_percent(part.b, times.b)));
    prof_json_put(o, "difference", json_real(difference));
    return o;
}

static void json_invariance(json_t *object, const Overlap *r) {
    bool swap = r->second_is_reference;
    OverlapPlace all = r->all_places;
    OverlapItem times = oriented(all.times, swap);
    json_t *o = json_object();
    prof_json_put(o, "first", json_shares(times, oriented(all.top, swap), r->invariance.top));
    prof_json_put(o, "top50", json_shares(times, oriented(all.known, swap), r->invariance.known));
    prof_json_put(o, "zero", json_shares(times, oriented(all.zero, swap), r->invariance.zero));
    prof_json_put(object, "invarianceDifference", json_real(r->invariance.top));
    prof_json_put(object, "placesOfBoth", prof_json_count(r->invariance.members));
    prof_json_put(object, "invariance", o);
}

static json_t *json_match(const ProfFile *files, const Match *m, const ProfOptions *o, bool counts) {
    json_t *object = json_object();
    prof_json_put(object, "name", json_string(m->analysis->name));
    prof_json_put(object, "event", json_string(m->analysis->event));
    prof_json_put(object, "totalA", prof_json_count(m->all_a));
    prof_json_put(object, "totalB", prof_json_count(m->all_b));
    prof_json_put(object, "rows", prof_json_count(m->count));
    prof_json_put(object, "onlyInA", prof_json_count(m->only_a));
    prof_json_put(object, "onlyInB", prof_json_count(m->only_b));
    if (!counts) {
        Overlap r = overlap_of(files, m);
        prof_json_put(object, "overlap", json_real(r.percent));
        prof_json_put(object, "overlapTop90", json_real(r.top_percent));
        prof_json_put(object, "top90Rows", prof_json_count(r.top_members));
        prof_json_put(object, "weightMatch", json_real(r.weight_percent));
        prof_json_put(object, "weightMatchRows", prof_json_count(r.weight_members));
        if (r.has_values) json_invariance(object, &r);
        if (r.errors.rate > 0) prof_json_put(object, "errors", json_errors(&r));
        if (r.ideal.known) prof_json_put(object, "ideal", json_ideal(&r.ideal));
    }
    prof_json_put(object, "differences", json_differences(m, o, counts));
    return object;
}

// ---- both commands -----------------------------------------------------------------------------

static void compare_text(const ProfFile *files, const Match *m, const ProfOptions *o, bool counts, FILE *out) {
    char a[32], b[32];
    fprintf(out, "\n%s: A has %s %s, B has %s; of %zu rows %zu are only in A, %zu only in B\n", m->analysis->name,
            prof_number(a, m->all_a), m->analysis->event, prof_number(b, m->all_b), m->count, m->only_a, m->only_b);
    if (counts) {
        print_counts(m, o, out);
        return;
    }
    Overlap r = overlap_of(files, m);
    print_overlap(&r, out);
    print_shares(m, o, out);
}

// ---- accuracy, as Mousa and Krintz measure it --------------------------------------------------

// A line, or a list object: accuracy over the items that make up most of the reference, which is A unless only B is
// exact. `events`: number of sampled events; 0: an ideal sample is not defined.
static void put_accuracy(const char *name, const OverlapItem *items, size_t count, uint64_t events, json_t *list,
                         FILE *out) {
    size_t members;
    double percent = overlap_top_percent(items, count, TOP_PART, &members);
    double ideal = events ? overlap_top_ideal(items, count, TOP_PART, events) : 0;
    if (!list) {
        fprintf(out, "  %-24s %8zu  %8.2f %%  ", name, members, percent);
        if (events) fprintf(out, "%8.2f %%  %8.2f\n", ideal, ideal - percent);
        else fprintf(out, "%10s  %8s\n", "-", "-");
        return;
    }
    json_t *o = json_object();
    prof_json_put(o, "name", json_string(name));
    prof_json_put(o, "members", prof_json_count(members));
    prof_json_put(o, "accuracy", json_real(percent));
    if (events) prof_json_put(o, "ideal", json_real(ideal));
    prof_json_push(list, o);
}

static void accuracy_of(const ProfFile *files, const char *name, const Match *m, bool draws, json_t *list, FILE *out) {
    bool swapped = !prof_is_exact(&files[0]) && prof_is_exact(&files[1]);
    bool sampled = prof_is_exact(&files[0]) != prof_is_exact(&files[1]);
    uint64_t all = swapped ? m->all_a : m->all_b;
    OverlapItem *items = prof_alloc(m->count * sizeof *items);
    for (size_t i = 0; i < m->count; i++) items[i] = oriented(m->items[i].n, swapped);
    put_accuracy(name, items, m->count, draws && sampled ? independent_events(&files[!swapped], all) : 0, list, out);
    free(items);
}

static void free_match(Match *m) {
    for (size_t k = 0; k < m->count; k++) free(m->items[k].key);
    free(m->items);
}

static size_t add_section_items(Item *to, const ProfSection *s, bool second) {
    int heat = prof_section_column(s, "heat", SECTION_NUMBER);
    for (size_t i = 0; i < s->rows; i++) {
        uint64_t n = s->cells[i * s->column_count + (size_t)heat].number;
        char *key = strdup(s->cells[i * s->column_count].text);
        if (!key) prof_out_of_memory();
        to[i] = (Item){key, second ? (OverlapItem){0, n} : (OverlapItem){n, 0}};
    }
    return s->rows;
}

// Tables with a text column and a heat column: hot streams.
static size_t compare_sections(const ProfFile *files, json_t *list, FILE *out) {
    size_t matched = 0;
    for (size_t i = 0; i < files[0].section_count; i++)
        for (size_t k = 0; k < files[1].section_count; k++) {
            const ProfSection *a = &files[0].sections[i], *b = &files[1].sections[k];
            bool same = strcmp(a->name, b->name) == 0 && a->column_count && a->columns[0].kind == SECTION_TEXT &&
                prof_section_column(a, "heat", SECTION_NUMBER) >= 0 && b->column_count &&
                b->columns[0].kind == SECTION_TEXT && prof_section_column(b, "heat", SECTION_NUMBER) >= 0;
            if (!same) continue;
            Match m = {.items = prof_alloc((a->rows + b->rows) * sizeof *m.items)};
            size_t n = add_section_items(m.items, a, false);
            m.count = combine(m.items, n + add_section_items(m.items + n, b, true));
            accuracy_of(files, a->name, &m, false, list, out);
            free_match(&m);
            matched++;
        }
    return matched;
}

static int print_json(json_t *list, const ProfFile *files, FILE *out) {
    json_t *root = json_object();
    prof_json_put(root, "a", json_file(&files[0]));
    prof_json_put(root, "b", json_file(&files[1]));
    prof_json_put(root, "analyses", list);
    int failed = json_dumpf(root, out, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    putc('\n', out);
    json_decref(root);
    return failed ? 2 : 0;
}

// Compares each analysis that both files have: as text, or into `list`. Returns the number of such analyses.
static size_t compare_analyses(const ProfFile *files, const ProfOptions *o, bool counts, FILE *out, json_t *list) {
    size_t matched = 0;
    for (size_t i = 0; i < files[0].analysis_count; i++) {
        const ProfAnalysis *a = &files[0].analyses[i], *b = same_analysis(&files[1], a);
        if (!b || (o->analysis && strcmp(o->analysis, a->name) != 0)) continue;
        Match m = match_rows(files, a, b, o);
        matched++;
        if (o->accuracy) accuracy_of(files, a->name, &m, true, list, out);
        else if (!list) compare_text(files, &m, o, counts, out);
        else prof_json_push(list, json_match(files, &m, o, counts));
        free_match(&m);
    }
    if (o->accuracy && !o->analysis) matched += compare_sections(files, list, out);
    return matched;
}

json_t *prof_overlap_json(const ProfFile *files, const ProfOptions *o) {
    json_t *list = json_array();
    compare_analyses(files, o, false, NULL, list);
    return list;
}

static int compare(const ProfFile *files, const ProfOptions *o, FILE *out, bool counts) {
    json_t *list = o->json ? json_array() : NULL;
    for (int i = 0; i < 2 && !o->json; i++) print_file(&files[i], "AB"[i], out);
    if (o->accuracy && !o->json)
        fprintf(out, "\n  %-24s %8s  %10s  %10s  %8s\n", "over 90 % of A", "members", "accuracy", "ideal", "missing");
    if (compare_analyses(files, o, counts, out, list)) return o->json ? print_json(list, files, out) : 0;
    json_decref(list);
    fprintf(stderr, "cabernet-prof: %s and %s have no analysis in common%s%s\n", files[0].path, files[1].path,
            o->analysis ? " that is called " : "", o->analysis ? o->analysis : "");
    return 1;
}

int prof_overlap(const ProfFile *files, const ProfOptions *o, FILE *out) { return compare(files, o, out, false); }

int prof_diff(const ProfFile *files, const ProfOptions *o, FILE *out) { return compare(files, o, out, true); }
