// The report of hot-stream. A stream is shown by what is stable across runs: fields and elements, with the stream's
// objects numbered in order of appearance. Streams that look the same for different objects share a row.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "profiler/analyses/given.h"
#include "profiler/analyses/hotstream.h"

enum { SHORTEST = 2, LONGEST = STREAM_LONGEST, BLOCK_WORDS = 8, HEAT_UNIT = STREAM_HEAT_UNIT, MOST_ROWS = 10000 };

typedef struct Row {
    char *text, *made;     // the key; of streams, `made` lists allocation sites
    char *second, *third;  // of fields and neighbours: the rest of the key
    uint64_t length, frequency, heat, kinds_of;
    uint64_t blocks_least, blocks;
} Row;

typedef struct Rows {
    Row *rows;
    size_t count, room;
} Rows;

enum { STREAMS, MINIMAL, FIELDS, PLACES, NEIGHBOURS, LISTS };

// Totals of a report. least: the least heat of a stream; from shadows, the maximum over all.
typedef struct Totals {
    uint64_t references, separators, lost, symbols, objects, nodes, rules, covered, found, least;
} Totals;

typedef struct Draft {
    Sections *out;
    const ProfileHost *host;
    const StreamTrace *trace;
    Rows lists[LISTS];
    Totals n;
    bool minimal;  // the streams being found are minimal ones
    bool failed;
} Draft;

static Draft taken;  // from shadows; results are taken one at a time

static uint64_t weighed(const StreamTrace *t, uint64_t count) { return (uint64_t)llround(t->weight * (double)count); }

// ---- names --------------------------------------------------------------------------------------

static void put_dotted(FILE *out, const char *name) {
    for (; name && *name; name++) putc(*name == '/' ? '.' : *name, out);
}

static void put_place(const ProfileHost *host, const StreamSymbol *symbol, FILE *out) {
    const StreamObject *o = &symbol->object;
    ProfiledMethod m;
    if (o->method == STREAM_UNKNOWN || !host->method(o->method, &m) || !m.name) {
        putc('?', out);
        return;
    }
    put_dotted(out, m.class_name);
    fprintf(out, ".%s", m.name);
    int32_t line = host->line(o->method, o->bci);
    if (line >= 0) fprintf(out, ":%" PRId32, line);
}

static void put_class(const ProfileHost *host, const StreamSymbol *symbol, FILE *out) {
    uint32_t cls = symbol->object.cls;
    const char *name = cls && host->class_name ? host->class_name(cls) : NULL;
    put_dotted(out, name ? name : "?");
}

static void put_what(const ProfileHost *host, const StreamSymbol *symbol, FILE *out) {
    ProfiledField f;
    if (symbol->what & STREAM_ELEMENT) {
        fprintf(out, "[+%" PRIu32 "]", symbol->what & ~STREAM_ELEMENT);
        return;
    }
    bool known = host->field && host->field(symbol->what, &f) && f.name;
    put_dotted(out, known ? f.class_name : "?");
    fprintf(out, ".%s", known ? f.name : "?");
}

static void put_field_class(const ProfileHost *host, const StreamSymbol *symbol, FILE *out) {
    ProfiledField f;
    if (symbol->what & STREAM_ELEMENT) put_class(host, symbol, out);
    else if (host->field && host->field(symbol->what, &f)) put_dotted(out, f.class_name);
    else putc('?', out);
}

// The text written by `put`: malloc'd, NULL when out of memory.
typedef void Put(const ProfileHost *host, const StreamSymbol *symbol, FILE *out);
static char *text_of(const ProfileHost *host, const StreamSymbol *symbol, Put *put) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return NULL;
    put(host, symbol, out);
    return fclose(out) == 0 ? text : NULL;
}

// ---- rows ---------------------------------------------------------------------------------------

static int by_key(const void *x, const void *y) {
    const Row *a = x, *b = y;
    const char *of_a[] = {a->text, a->second, a->third}, *of_b[] = {b->text, b->second, b->third};
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++) order = strcmp(of_a[i] ? of_a[i] : "", of_b[i] ? of_b[i] : "");
    return order;
}

static int by_heat(const void *x, const void *y) {
    const Row *a = x, *b = y;
    if (a->heat != b->heat) return a->heat > b->heat ? -1 : 1;
    return by_key(a, b);
}

static void free_texts(Row *r) {
    free(r->text);
    free(r->made);
    free(r->second);
    free(r->third);
}

static void add_row(Draft *d, Rows *rows, Row row) {
    if (!row.text || !GROW(rows->rows, rows->room, rows->count + 1)) {
        free_texts(&row);
        d->failed = true;
        return;
    }
    rows->rows[rows->count++] = row;
}

// Merges rows with equal keys; the hottest come first.
static void combine(Rows *r) {
    size_t last = 0;
    if (!r->count) return;
    qsort(r->rows, r->count, sizeof *r->rows, by_key);
    for (size_t i = 1; i < r->count; i++) {
        Row *to = &r->rows[last], *from = &r->rows[i];
        if (by_key(to, from) != 0) {
            r->rows[++last] = *from;
            continue;
        }
        // objects older than the shadow
        if (to->made && from->made && strchr(to->made, '?') && !strchr(from->made, '?')) {
            char *made = to->made;
            to->made = from->made;
            from->made = made;
        }
        to->frequency += from->frequency;
        to->heat += from->heat;
        to->kinds_of += from->kinds_of;
        to->blocks_least += from->blocks_least;
        to->blocks += from->blocks;
        free_texts(from);
    }
    r->count = last + 1;
    qsort(r->rows, r->count, sizeof *r->rows, by_heat);
}

// ---- a stream -----------------------------------------------------------------------------------

// The object's number in the stream, from 1; 0: none. `first`: position i is its first occurrence.
static uint32_t number_in(const StreamTrace *t, const uint32_t *terminals, uint32_t i, bool *first) {
    uint32_t numbers[LONGEST], count = 0, object = t->symbols[terminals[i]].object.number;
    *first = false;
    if (!object) return 0;
    for (uint32_t k = 0; k <= i; k++) {
        uint32_t other = t->symbols[terminals[k]].object.number, at = 0;
        while (at < count && numbers[at] != other) at++;
        if (other == object) {
            *first = at == count && k == i;
            return at + 1;
        }
        if (at == count && other) numbers[count++] = other;
    }
    return 0;
}

static void put_stream(const Draft *d, const uint32_t *terminals, uint32_t length, FILE *out, FILE *made) {
    for (uint32_t i = 0; i < length; i++) {
        const StreamSymbol *s = &d->trace->symbols[terminals[i]];
        bool first;
        uint32_t number = number_in(d->trace, terminals, i, &first);
        if (i) putc(' ', out);
        put_what(d->host, s, out);
        if (number) fprintf(out, "#%" PRIu32, number);
        if (!first) continue;
        fprintf(made, "%s#%" PRIu32 " ", number > 1 ? ", " : "", number);
        put_place(d->host, s, made);
    }
}

static int by_number(const void *x, const void *y) {
    uintptr_t a = *(const uintptr_t *)x, b = *(const uintptr_t *)y;
    return a < b ? -1 : a > b;
}

static uint64_t distinct(uintptr_t *numbers, uint32_t count) {
    uint64_t n = count > 0;
    qsort(numbers, count, sizeof *numbers, by_number);
    for (uint32_t i = 1; i < count; i++) n += numbers[i] != numbers[i - 1];
    return n;
}

// The number of 64-byte cache blocks that contain its words, and the least number that could.
static void pack(const StreamTrace *t, const uint32_t *terminals, uint32_t length, Row *row) {
    uintptr_t words[LONGEST], blocks[LONGEST];
    for (uint32_t i = 0; i < length; i++) {
        words[i] = t->symbols[terminals[i]].word;
        blocks[i] = words[i] / BLOCK_WORDS;
    }
    row->blocks_least = (distinct(words, length) + BLOCK_WORDS - 1) / BLOCK_WORDS;
    row->blocks = distinct(blocks, length);
}

static void add_layout(Draft *d, const uint32_t *terminals, uint32_t length, uint64_t frequency) {
    for (uint32_t i = 0; i < length; i++) {
        const StreamSymbol *s = &d->trace->symbols[terminals[i]],
                           *before = i ? &d->trace->symbols[terminals[i - 1]] : NULL;
        bool element = s->what & STREAM_ELEMENT;
        add_row(d, &d->lists[FIELDS],
                (Row){.text = text_of(d->host, s, put_field_class),
                      .heat = frequency,
                      .second = element ? strdup("[]") : text_of(d->host, s, put_what)});
        if (s->object.number)
            add_row(d, &d->lists[PLACES],
                    (Row){.text = text_of(d->host, s, put_place),
                          .second = text_of(d->host, s, put_class),
                          .heat = frequency});
        if (before && s->object.number && before->object.number == s->object.number && before->what != s->what &&
            !element)
            add_row(d, &d->lists[NEIGHBOURS],
                    (Row){.text = text_of(d->host, s, put_field_class),
                          .second = text_of(d->host, before, put_what),
                          .third = text_of(d->host, s, put_what),
                          .heat = frequency});
    }
}

static void add_stream(Draft *d, Rows *to, const uint32_t *terminals, uint32_t length, uint64_t frequency) {
    Row row = {.length = length, .frequency = frequency, .heat = length * frequency, .kinds_of = 1};
    size_t size;
    FILE *out = open_memstream(&row.text, &size), *made = open_memstream(&row.made, &size);
    if (out && made) put_stream(d, terminals, length, out, made);
    else d->failed = true;
    if (out) fclose(out);
    if (made) fclose(made);
    pack(d->trace, terminals, length, &row);
    add_row(d, to, row);
}

static void on_stream(void *arg, const uint32_t *terminals, uint32_t length, uint64_t times) {
    Draft *d = arg;
    uint64_t frequency = weighed(d->trace, times);
    add_stream(d, &d->lists[d->minimal ? MINIMAL : STREAMS], terminals, length, frequency);
    if (d->minimal) return;
    add_layout(d, terminals, length, frequency);
    d->n.covered += length * frequency;
    d->n.found++;
}

// ---- sections -----------------------------------------------------------------------------------

static uint64_t per_thousand(uint64_t part, uint64_t all) { return all ? part * 1000 / all : 0; }

static void report_streams(Draft *d, const Rows *rows, const char *name, const char *title) {
    section_begin(d->out, "hot-stream", name, title,
                  "stream text, made note, length number, frequency number, heat number, objects number, coverage "
                  "permille, packing permille");
    for (size_t i = 0; i < rows->count && i < MOST_ROWS; i++) {
        const Row *r = &rows->rows[i];
        section_text(d->out, r->text);
        section_text(d->out, r->made ? r->made : "");
        section_number(d->out, r->length);
        section_number(d->out, r->frequency);
        section_number(d->out, r->heat);
        section_number(d->out, r->kinds_of);
        section_number(d->out, per_thousand(r->heat, d->n.references));
        section_number(d->out, per_thousand(r->blocks_least, r->blocks));
    }
    section_end(d->out);
}

static void report_keyed(Draft *d, const Rows *rows, const char *name, const char *title, const char *columns,
                         bool third) {
    section_begin(d->out, "hot-stream", name, title, columns);
    for (size_t i = 0; i < rows->count && i < MOST_ROWS; i++) {
        const Row *r = &rows->rows[i];
        section_text(d->out, r->text);
        section_text(d->out, r->second ? r->second : "");
        if (third) section_text(d->out, r->third ? r->third : "");
        section_number(d->out, r->heat);
        section_number(d->out, per_thousand(r->heat, d->n.covered));
    }
    section_end(d->out);
}

static void report_trace(Draft *d) {
    const struct {
        const char *what;
        uint64_t number;
    } rows[] = {
        {"references", d->n.references},         {"references lost", d->n.lost}, {"bursts", d->n.separators},
        {"different references", d->n.symbols},  {"objects", d->n.objects},      {"rules of the grammars", d->n.rules},
        {"symbols of the grammars", d->n.nodes}, {"least heat", d->n.least},     {"streams", d->n.found},
        {"references in streams", d->n.covered},
    };
    section_begin(d->out, "hot-stream", "stream-trace",
                  "What was recorded, what the grammars made of it, and what is in hot streams",
                  "what text, number number");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        section_text(d->out, rows[i].what);
        section_number(d->out, rows[i].number);
    }
    section_end(d->out);
}

static void add_trace(Draft *d, const StreamTrace *t) {
    const Sequitur *s = &t->grammar;
    d->n.references += weighed(t, s->appended);
    d->n.lost += weighed(t, t->lost);
    d->n.symbols += t->different;
    d->n.nodes += s->node_count - s->free_count;
    for (uint32_t r = 0; r < s->rule_count; r++) d->n.rules += s->rules[r].guard != 0;
    d->n.separators += t->bursts;
}

static void find_all(Draft *d) {
    HotStreamState state = hotstream_state();
    for (const StreamTrace *t = state.traces; t; t = t->next)
        if (!t->grammar.busy) add_trace(d, t);
    uint64_t least = state.settings ? d->n.references / HEAT_UNIT * state.settings->heat : 0;
    HotStreamBounds bounds = {.shortest = SHORTEST, .longest = LONGEST};
    if (least < 2 * SHORTEST) least = 2 * SHORTEST;
    d->n.least = least;
    d->n.objects = state.objects;
    d->n.lost += state.lost_untraced;
    for (const StreamTrace *t = state.traces; t; t = t->next) {
        uint64_t recorded = (uint64_t)ceil((double)least / t->weight);
        bounds.heat = recorded > 2 * SHORTEST ? recorded : 2 * SHORTEST;
        d->trace = t;
        if (t->grammar.busy) continue;
        for (int minimal = 0; minimal < 2; minimal++) {
            bounds.minimal = d->minimal = minimal;
            if (!hotstreams_find(&t->grammar, &bounds, on_stream, d)) d->failed = true;
        }
    }
    for (int i = 0; i < LISTS; i++) combine(&d->lists[i]);
}

static void free_lists(Draft *d) {
    for (int i = 0; i < LISTS; i++) {
        for (size_t k = 0; k < d->lists[i].count; k++) free_texts(&d->lists[i].rows[k]);
        free(d->lists[i].rows);
    }
}

static void report_all(Draft *d) {
    report_trace(d);
    report_streams(d, &d->lists[STREAMS], "streams",
                   "Hot data streams: references with the stream's objects numbered, where its objects were made, how "
                   "long it is, how often it came, "
                   "length times frequency, of how many different sets of objects, its part of all references, and the "
                   "packing efficiency: "
                   "cache blocks of 64 bytes that would hold its words, over those they lie in");
    report_streams(d, &d->lists[MINIMAL], "minimal-streams",
                   "Hot data streams in which no shorter one is hot: how often they came in all, also in longer ones");
    report_keyed(d, &d->lists[FIELDS], "stream-fields", "Fields and elements that hot streams touch, for layout",
                 "class text, field text, references number, part permille", false);
    report_keyed(d, &d->lists[PLACES], "stream-objects", "Where objects in hot streams were made",
                 "made text, class text, references number, part permille", false);
    report_keyed(d, &d->lists[NEIGHBOURS], "stream-neighbours",
                 "Fields of one object that hot streams touch one after the other",
                 "class text, first text, second text, times number, part permille", true);
}

void hotstream_report(Sections *out, bool last) {
    Draft own = {.out = out, .host = out->host};
    (void)last;
    if (taken.n.least) {
        taken.out = out;
        report_all(&taken);
        return;
    }
    find_all(&own);
    report_all(&own);
    free_lists(&own);
    out->failed |= own.failed;
}

// ---- from shadows -------------------------------------------------------------------------------

void hotstream_give(const ProfileHost *host, FILE *out) {
    Draft d = {.host = host};
    find_all(&d);
    if (!d.failed) fwrite(&d.n, sizeof d.n, 1, out);  // a give without data counts as damaged
    for (int i = 0; i < LISTS && !d.failed; i++) {
        given_put_number(out, d.lists[i].count);
        for (size_t k = 0; k < d.lists[i].count; k++) {
            const Row *r = &d.lists[i].rows[k];
            const char *const texts[] = {r->text, r->made, r->second, r->third};
            const uint64_t numbers[] = {r->length, r->frequency, r->heat, r->kinds_of, r->blocks_least, r->blocks};
            for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) given_put_text(out, texts[j]);
            for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) given_put_number(out, numbers[j]);
        }
    }
    free_lists(&d);
}

static Row read_row(Given *g) {
    Row r = {.text = NULL};
    char **const texts[] = {&r.text, &r.made, &r.second, &r.third};
    uint64_t *const numbers[] = {&r.length, &r.frequency, &r.heat, &r.kinds_of, &r.blocks_least, &r.blocks};
    for (size_t j = 0; j < sizeof texts / sizeof *texts; j++) *texts[j] = given_text(g);
    for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++) *numbers[j] = given_number(g);
    return r;
}

void hotstream_forget_taken(void) {
    free_lists(&taken);
    taken = (Draft){0};
}

bool hotstream_take(const uint8_t *data, size_t size) {
    Given g = {data, data + size, false};
    Draft d = {.failed = size < sizeof d.n};
    if (!d.failed) {
        memcpy(&d.n, data, sizeof d.n);
        g.at += sizeof d.n;
        for (int i = 0; i < LISTS; i++)
            for (uint64_t n = given_number(&g); n > 0 && !g.bad && !d.failed; n--)
                add_row(&d, &d.lists[i], read_row(&g));
        d.failed |= g.bad || g.at != g.end;
    }
    for (int i = 0; i < LISTS && !d.failed; i++)
        d.failed = d.lists[i].count &&
            !GROW(taken.lists[i].rows, taken.lists[i].room, taken.lists[i].count + d.lists[i].count);
    if (d.failed) {
        free_lists(&d);
        return false;
    }
    for (int i = 0; i < LISTS; i++) {
        Rows *to = &taken.lists[i];
        if (d.lists[i].count) memcpy(to->rows + to->count, d.lists[i].rows, d.lists[i].count * sizeof *to->rows);
        to->count += d.lists[i].count;
        free(d.lists[i].rows);
        combine(to);
    }
    const uint64_t *from = (const uint64_t *)&d.n;
    uint64_t *sum = (uint64_t *)&taken.n, least = taken.n.least > d.n.least ? taken.n.least : d.n.least;
    for (size_t i = 0; i < sizeof d.n / sizeof *from; i++) sum[i] += from[i];
    taken.n.least = least;
    return true;
}
