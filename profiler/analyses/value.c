// value: the values of instructions, of which each place keeps the most frequent ones (Calder, Feller and Eustace,
// "Value Profiling", MICRO 1997; with the sizes of Moseley and others, CGO 2007): a table of 50 values whose lower half
// is evicted every 2000 executions to admit new values. Values without room in the table are counted as others.
//
// Places are loads from fields and arrays, arithmetic, conversions and comparisons, conditional branches and switches
// (the value is the edge taken), arguments, and return values. References are recorded as addresses. A row has the
// value's bits and its type, which is found at the end.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/published.h"
#include "profiler/analyses/analysis.h"

enum { TOP = 50, FIRST_ENTRIES = 4, FLUSH_EVERY = 2000, FIRST_BITS = 8, LAST_BITS = 31 };

enum What { LOAD, RESULT, COMPARISON, RETURN, ARGUMENT };
static const char *const whats[] = {"load",       "result",     "comparison", "return",     "argument-1",
                                    "argument-2", "argument-3", "argument-4", "argument-5", "argument-6",
                                    "argument-7", "argument-8", NULL};
static const char *const rests[] = {"is", "others", NULL};
enum { IS, OTHERS };
static const char *const types[] = {"unknown", "edge", "boolean", "byte",   "char",      "short",
                                    "int",     "long", "float",   "double", "reference", NULL};
static const char descriptors[] = "??ZBCSIJFDL";  // of `types`
enum { UNKNOWN, EDGE };

static const ProfileHost *host;

typedef struct Entry {
    uint64_t value, count;
} Entry;

// The most frequent values of a place, approximately sorted. Outgrown tables stay for readers.
typedef struct Top {
    struct Top *outgrown;
    uint32_t room;
    _Atomic uint32_t used;
    Entry entry[];
} Top;

typedef struct Place {
    uint32_t method, what;
    int32_t bci;
    uint64_t times;
    Top *top;
} Place;

// Open addressing, at most half full (base/published.h).
typedef struct Places {
    PUBLISHED_HEAD;
    Place *slot[];
} Places;

typedef struct Values {
    Places *places;
    uint64_t lost;
} Values;

static void *thread_new(AnalysisSettings *settings) {
    Values *v = calloc(1, sizeof *v);
    (void)settings;
    if (v && (v->places = published_new(sizeof(Places), sizeof(Place *), FIRST_BITS))) return v;
    free(v);
    return NULL;
}

static void thread_free(void *state) {
    Values *v = state;
    if (!v) return;
    for (uint32_t i = 0; i <= v->places->mask; i++) {
        Place *place = v->places->slot[i];
        for (Top *t = place ? place->top : NULL, *next; t; t = next) {
            next = t->outgrown;
            free(t);
        }
        free(place);
    }
    published_free(v->places);
    free(v);
}

// ---- places ------------------------------------------------------------------------------------

static Place **find(Places *p, uint32_t method, int32_t bci, uint32_t what) {
    uint32_t i = ((method * 31 + (uint32_t)bci) * 13 + what) * UINT32_C(0x9e3779b1) >> (p->shift - 32);
    for (const Place *at; (at = p->slot[i]) != NULL; i = (i + 1) & p->mask)
        if (at->method == method && at->bci == bci && at->what == what) break;
    return &p->slot[i];
}

static void move(void *larger, const void *old) {
    const Places *from = old;
    for (uint32_t i = 0; i <= from->mask; i++) {
        Place *at = from->slot[i];
        if (at) *find(larger, at->method, at->bci, at->what) = at;
    }
}

static Top *top_with(uint32_t room) {
    Top *t = calloc(1, sizeof *t + room * sizeof t->entry[0]);
    if (t) t->room = room;
    return t;
}

// NULL: out of memory.
static Place *new_place(Values *v, uint32_t method, int32_t bci, uint32_t what) {
    uint32_t bits = published_bits(v->places) + 1;
    if (v->places->used > v->places->mask / 2 &&
        (bits > LAST_BITS || !published_grow(&v->places, sizeof(Places), sizeof(Place *), bits, move)))
        return NULL;
    Place *place = calloc(1, sizeof *place);
    if (!place || !(place->top = top_with(FIRST_ENTRIES))) {
        free(place);
        return NULL;
    }
    place->method = method;
    place->bci = bci;
    place->what = what;
    __atomic_store_n(find(v->places, method, bci, what), place, __ATOMIC_RELEASE);
    v->places->used++;
    return place;
}

// ---- values ------------------------------------------------------------------------------------

static int by_count(const void *x, const void *y) {
    const Entry *a = x, *b = y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

// Evicts the lower half.
static void flush(Top *t) {
    uint32_t used = atomic_load_explicit(&t->used, memory_order_relaxed);
    if (used <= TOP / 2) return;
    qsort(t->entry, used, sizeof t->entry[0], by_count);
    atomic_store_explicit(&t->used, TOP / 2, memory_order_relaxed);
}

// Makes room for another value. NULL: no room.
static Top *widen(Place *place) {
    Top *t = place->top;
    uint32_t room = t->room == FIRST_ENTRIES ? 4 * FIRST_ENTRIES : TOP;
    if (t->room == TOP) return NULL;
    Top *larger = top_with(room);
    if (!larger) return NULL;
    memcpy(larger->entry, t->entry, t->used * sizeof t->entry[0]);
    larger->used = t->used;
    larger->outgrown = t;
    __atomic_store_n(&place->top, larger, __ATOMIC_RELEASE);
    return larger;
}

static void add_value(Place *place, uint64_t value) {
    Top *t = place->top;
    uint32_t used = atomic_load_explicit(&t->used, memory_order_relaxed), i = 0;
    while (i < used && t->entry[i].value != value) i++;
    if (i < used) {
        t->entry[i].count++;
        if (i > 0 && t->entry[i].count > t->entry[i - 1].count) {
            Entry above = t->entry[i - 1];
            t->entry[i - 1] = t->entry[i];
            t->entry[i] = above;
        }
        return;
    }
    if (used == t->room && !(t = widen(place))) return;
    t->entry[used] = (Entry){value, 1};
    atomic_store_explicit(&t->used, used + 1, memory_order_release);
}

static void add(void *state, uint32_t method, int32_t bci, uint32_t what, uint64_t value) {
    Values *v = state;
    Place *place = *find(v->places, method, bci, what);
    if (__builtin_expect(!place, 0) && !(place = new_place(v, method, bci, what))) {
        v->lost++;
        return;
    }
    place->times++;
    add_value(place, value);
    if (__builtin_expect(place->times % FLUSH_EVERY == 0, 0)) flush(place->top);
}

static void on_value(const EventSink_value *sink, uint32_t method, int32_t bci, uint64_t value) {
    add(sink->state, method, bci, LOAD, value);
    EVENT_PASS(sink, method, bci, value);
}

static void on_result(const EventSink_result *sink, uint32_t method, int32_t bci, uint64_t value) {
    add(sink->state, method, bci, RESULT, value);
    EVENT_PASS(sink, method, bci, value);
}

static void on_branch(const EventSink_branch *sink, uint32_t method, int32_t bci, uint32_t edge) {
    add(sink->state, method, bci, COMPARISON, edge);
    EVENT_PASS(sink, method, bci, edge);
}

static void on_returned(const EventSink_returned *sink, uint32_t method, int32_t bci, uint64_t value) {
    add(sink->state, method, bci, RETURN, value);
    EVENT_PASS(sink, method, bci, value);
}

static void on_argument(const EventSink_argument *sink, uint32_t method, uint32_t number, uint64_t value) {
    add(sink->state, method, EVENT_NO_BCI, ARGUMENT + number, value);
    EVENT_PASS(sink, method, number, value);
}

// ---- rows --------------------------------------------------------------------------------------

// The n-th parameter's descriptor, from 0. "": there is none.
static const char *parameter(const char *desc, uint32_t n) {
    const char *at = *desc == '(' ? desc + 1 : "";
    for (; *at && *at != ')'; n--) {
        if (n == 0) return at;
        at += strspn(at, "[");
        at += *at == 'L' ? strcspn(at, ";") + 1 : 1;
    }
    return "";
}

static uint64_t type_of(const Place *p) {
    ProfiledMethod m;
    char type = '\0';
    if (p->what == COMPARISON) return EDGE;
    if (p->what < ARGUMENT) type = host && host->value_type ? host->value_type(p->method, p->bci) : '\0';
    else if (host && host->method(p->method, &m)) type = *parameter(m.desc, p->what - ARGUMENT);
    const char *at = strchr(descriptors, type == '[' ? 'L' : type);
    return type && at ? (uint64_t)(at - descriptors) : UNKNOWN;
}

static void add_row(Table *out, const Place *p, uint64_t type, uint64_t rest, uint64_t value, uint64_t count) {
    TableRow row = {.key = {p->method, (uint32_t)p->bci, p->what, type, rest, value}, .count = count};
    if (count) table_add(out, &row);
}

static void collect_place(const Place *p, Table *out) {
    const Top *t = __atomic_load_n(&p->top, __ATOMIC_ACQUIRE);
    uint32_t used = atomic_load_explicit(&t->used, memory_order_acquire);
    uint64_t known = 0, type = type_of(p);
    for (uint32_t i = 0; i < used; i++) {
        known += t->entry[i].count;
        add_row(out, p, type, IS, t->entry[i].value, t->entry[i].count);
    }
    add_row(out, p, type, OTHERS, 0, p->times - known);
}

static void collect(const void *state, Table *out, uint64_t *lost) {
    const Values *v = state;
    const Places *p = published_read(&v->places);
    for (uint32_t i = 0; i <= p->mask; i++) {
        const Place *at = __atomic_load_n(&p->slot[i], __ATOMIC_ACQUIRE);
        if (at) collect_place(at, out);
    }
    *lost += v->lost;
}

// ---- combined rows of threads and shadows ----------------------------------------------------------

enum { REST = 4, VALUE };  // the last keys of a row; those before are of the place

static int rows_by_count(const void *x, const void *y) {
    const TableRow *a = x, *b = y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->key[VALUE] > b->key[VALUE]) - (a->key[VALUE] < b->key[VALUE]);
}

// Rows are sorted by keys: those of a place are adjacent, and its row of other values is last.
static void reduce(Table *rows) {
    size_t out = 0;
    for (size_t i = 0, end; i < rows->count; i = end) {
        TableRow *first = &rows->rows[i], others = *first;
        for (end = i + 1;
             end < rows->count && memcmp(rows->rows[end].key, first->key, REST * sizeof first->key[0]) == 0;)
            end++;
        size_t values = end - i;
        bool has_others = rows->rows[end - 1].key[REST] == OTHERS;
        others.key[REST] = OTHERS;
        others.key[VALUE] = 0;
        others.count = has_others ? rows->rows[end - 1].count : 0;
        values -= has_others;
        if (values > TOP) {
            qsort(first, values, sizeof *first, rows_by_count);
            for (; values > TOP; values--) others.count += first[values - 1].count;
        }
        memmove(&rows->rows[out], first, values * sizeof *first);
        out += values;
        if (others.count) rows->rows[out++] = others;
    }
    rows->count = out;
}

static bool begin(const AnalysisBegin *b, char *error, size_t error_size) {
    (void)error, (void)error_size;
    host = b->host;
    return true;
}

const Analysis analysis_value = {
    .name = "value",
    .event = EVENT_COUNT,
    .columns = {{"method", COLUMN_METHOD, NULL},
                {"site", COLUMN_BCI, NULL},
                {"what", COLUMN_WORD, whats},
                {"type", COLUMN_WORD, types},
                {"rest", COLUMN_WORD, rests},
                {"value", COLUMN_SIGNED, NULL}},
    .thread_new = thread_new,
    .thread_free = thread_free,
    .collect = collect,
    .reduce = reduce,
    .begin = begin,
    .on_value = on_value,
    .on_result = on_result,
    .on_branch = on_branch,
    .on_returned = on_returned,
    .on_argument = on_argument,
};
