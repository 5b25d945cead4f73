// productions: the rows of the action count() (docs/PRODUCTIONS.md). Events come only from places where a production
// matches, unless another analysis wants them as well. At each place one event decides. It comes last; operands
// reported by earlier events are stored until then.
#include <stdlib.h>
#include <string.h>

#include "bytecode/classfile/pattern.h"
#include "profiler/analyses/analysis.h"
#include "profiler/analyses/productioncontexts.h"
#include "profiler/analyses/productionsites.h"
#include "profiler/analyses/rowcounts.h"

// The data of an event that productions and handlers use.
typedef struct Happening {
    uint32_t method, caller, field;
    int32_t bci, caller_bci;
    uint32_t number;  // access, edge, or class
    uint32_t type;    // of an array's elements
    uintptr_t object, address;
    uint64_t bytes;
    bool pair;  // a comparison of an assigned value: not the first event of the assignment
    uint32_t partner, relation;
} Happening;

typedef struct ThreadState {
    RowCounts rows;  // first, for rowcounts_collect
    int64_t sources[SOURCES];
    Happening access;  // the last memory access
    EventThread *events;
    int64_t *counters;
    void *const *others;  // states of the thread's other analyses
    uint64_t random;
    char name[128];
} ThreadState;

// ---- rows ---------------------------------------------------------------------------------------

// -1, 0 or 1; for references 0 for null, otherwise 1; 0 for NaN.
static int64_t sign_of(char type, int64_t bits) {
    float f;
    double d = 0;
    uint32_t low = (uint32_t)bits;
    switch (type) {
        case 'F':
            memcpy(&f, &low, sizeof f);
            d = (double)f;
            break;
        case 'D': memcpy(&d, &bits, sizeof d); break;
        case 'A': return bits != 0;
        default: return (bits > 0) - (bits < 0);
    }
    return (d > 0) - (d < 0);
}

static int add_key(const MatchSite *site, enum ProductionKey key, const Happening *h, const int64_t *sources,
                   uint64_t *to) {
    int source;
    switch (key) {
        case KEY_OF_METHOD: to[0] = h->method; return 1;
        case KEY_OF_SITE:
            to[0] = h->method;
            to[1] = (uint32_t)h->bci;
            return 2;
        case KEY_OF_CALLER:
            to[0] = h->caller;
            to[1] = (uint32_t)h->caller_bci;
            return 2;
        case KEY_OF_FIELD: to[0] = h->field; return 1;
        case KEY_OF_WITH: to[0] = h->partner; return 1;
        case KEY_OF_RELATION: to[0] = h->relation; return 1;
        default:
            source = productions_key_source(site, key);
            to[0] = source >= 0 ? (uint64_t)sources[source] : 0;
            if (key == KEY_OF_SIGN) to[0] = (uint64_t)sign_of(site->value_type, (int64_t)to[0]);
            return 1;
    }
}

// The key of a production's row. Its first number is the section number plus one.
static void make_key(const MatchSite *site, uint16_t production, const Happening *h, const int64_t *sources,
                     uint64_t key[TABLE_KEYS]) {
    const Production *r = productions_get(productionsites_productions(), production);
    memset(key, 0, TABLE_KEYS * sizeof *key);
    key[0] = production + 1u;
    for (uint32_t i = 0, at = 1; i < r->key_count; i++) at += (uint32_t)add_key(site, r->keys[i], h, sources, key + at);
}

// ---- events -------------------------------------------------------------------------------------

static bool method_matches(uint32_t id, const char *pattern) {
    ProfiledMethod m;
    if (!productionsites_host()->method(id, &m) || !m.class_name) return false;
    return pattern_matches(pattern, m.class_name, m.name ? m.name : "", m.desc ? m.desc : "");
}

// ---- handlers: receive the event as if the VM had delivered it to their analysis ----------------

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    static inline void last_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) {}
#include "vm/api/events.def"
#pragma GCC diagnostic pop

#define HAND_ON(id, ...)                                                         \
    do {                                                                         \
        if (!a->on_##id) return;                                                 \
        const EventSink_##id sinks[] = {{a->on_##id, state}, {last_##id, NULL}}; \
        a->on_##id(sinks, __VA_ARGS__);                                          \
    } while (0)

static void hand_on(const Analysis *a, void *state, const MatchSite *site, const Happening *now,
                    const Happening *access) {
    switch ((enum ProductionPlace)site->place) {
        case PLACE_OF_entry:
            if (a->on_method_entry) HAND_ON(method_entry, now->method);
            else HAND_ON(call_edge, now->caller, now->caller_bci, now->method);
            return;
        case PLACE_OF_select: HAND_ON(receiver, now->method, now->bci, now->number); return;
        case PLACE_OF_branch: HAND_ON(branch, now->method, now->bci, now->number); return;
        case PLACE_OF_get:
        case PLACE_OF_put:
            HAND_ON(field_access, access->method, access->bci, access->field, access->number, access->object,
                    access->address);
            return;
        case PLACE_OF_array_load:
        case PLACE_OF_array_store:
            HAND_ON(array_access, access->method, access->bci, access->number, access->type, access->object,
                    access->address);
            return;
        case PLACE_OF_allocation:
            HAND_ON(allocation, now->method, now->bci, now->number, now->bytes, now->object);
            return;
        default: return;  // rejected by productions_check
    }
}

static void hand_on_all(ThreadState *t, const Production *r, const MatchSite *site, const Happening *h) {
    static const enum AnalysisId ids[HANDLERS] = {
#define HANDLER(id, name, place_event, places) ANALYSIS_##id,
#include "profiler/productions/words.def"
    };
    for (int i = 0; i < HANDLERS; i++)
        if (r->handlers >> i & 1 && t->others[ids[i]])
            hand_on(analysis_table[ids[i]], t->others[ids[i]], site, h, &t->access);
}

static void change_burst(ThreadState *t, ProductionBurst burst) {
    t->counters[BURST_COUNTER] = burst == BURST_START;
    t->events->bursts += burst == BURST_START;
}

static void act(ThreadState *t, uint16_t production, const MatchSite *site, const Happening *h) {
    const Productions *p = productionsites_productions();
    const Production *r = productions_get(p, production);
    uint64_t key[TABLE_KEYS];
    if (r->counts) {
        make_key(site, production, h, t->sources, key);
        rowcounts_add(&t->rows, key, 1);
    }
    if (r->frames) productioncontexts_take(production, r->frames, site->bci == EVENT_NO_BCI ? h->method : UINT32_MAX);
    if (r->handlers) hand_on_all(t, r, site, h);
    if (r->burst) change_burst(t, r->burst);
    if (r->operations) productions_operate(p, r, t->counters, &t->random);
}

// One of the two steps of a place (profiler/productions/eval.c): tests all conditions, then acts.
static void take_step(ThreadState *t, const MatchSite *site, const Happening *h, bool control) {
    const Productions *p = productionsites_productions();
    ProductionState state = {t->counters, t->sources, t->name, productionsites_host()->class_name, method_matches};
    uint16_t holding[PRODUCTIONS_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < site->count; i++) {
        const Production *r = productions_get(p, site->matches[i].production);
        if (productions_controls(r) != control) continue;
        if (site->place == PLACE_OF_assign && productions_compares(r) != h->pair) continue;
        if (productions_eval(p, site->matches[i].rest, &state)) holding[count++] = site->matches[i].production;
    }
    for (uint32_t i = 0; i < count; i++) act(t, holding[i], site, h);
}

static __attribute__((noinline)) void carry_out(ThreadState *t, const MatchSite *site, const Happening *h) {
    take_step(t, site, h, true);
    take_step(t, site, h, false);
}

static inline void decide(ThreadState *t, enum EventId event, const Happening *h) {
    const MatchSite *site = productionsites_find(h->method, h->bci, event);
    if (site) carry_out(t, site, h);
}

static void on_method_entry(const EventSink_method_entry *sink, uint32_t method) {
    decide(sink->state, EVENT_method_entry, &(Happening){.method = method, .bci = EVENT_NO_BCI});
    EVENT_PASS(sink, method);
}

static void on_call_edge(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    ThreadState *t = sink->state;
    t->sources[SOURCE_CALLER] = caller;
    decide(t, EVENT_call_edge,
           &(Happening){.method = callee, .bci = EVENT_NO_BCI, .caller = caller, .caller_bci = bci});
    EVENT_PASS(sink, caller, bci, callee);
}

static void on_receiver(const EventSink_receiver *sink, uint32_t method, int32_t bci, uint32_t cls) {
    ThreadState *t = sink->state;
    t->sources[SOURCE_CLASS] = cls;
    decide(t, EVENT_receiver, &(Happening){.method = method, .bci = bci, .number = cls});
    EVENT_PASS(sink, method, bci, cls);
}

static void on_backedge(const EventSink_backedge *sink, uint32_t method, int32_t bci) {
    decide(sink->state, EVENT_backedge, &(Happening){.method = method, .bci = bci});
    EVENT_PASS(sink, method, bci);
}

static void on_jump(const EventSink_jump *sink, uint32_t method, int32_t bci) {
    decide(sink->state, EVENT_jump, &(Happening){.method = method, .bci = bci});
    EVENT_PASS(sink, method, bci);
}

static void on_branch(const EventSink_branch *sink, uint32_t method, int32_t bci, uint32_t edge) {
    ThreadState *t = sink->state;
    t->sources[SOURCE_EDGE] = edge;
    decide(t, EVENT_branch, &(Happening){.method = method, .bci = bci, .number = edge});
    EVENT_PASS(sink, method, bci, edge);
}

static void on_instruction(const EventSink_instruction *sink, uint32_t method, int32_t bci, uint64_t first,
                           uint64_t second, uint64_t third, uint64_t fourth, uint64_t fifth) {
    ThreadState *t = sink->state;
    const int64_t operands[] = {(int64_t)first, (int64_t)second, (int64_t)third, (int64_t)fourth, (int64_t)fifth};
    memcpy(t->sources, operands, sizeof operands);
    decide(t, EVENT_instruction, &(Happening){.method = method, .bci = bci});
    EVENT_PASS(sink, method, bci, first, second, third, fourth, fifth);
}

static void on_field_access(const EventSink_field_access *sink, uint32_t method, int32_t bci, uint32_t field,
                            uint32_t access, uintptr_t object, uintptr_t address) {
    ThreadState *t = sink->state;
    t->sources[SOURCE_OBJECT] = (int64_t)object;
    t->access = (Happening){
        .method = method, .bci = bci, .field = field, .number = access, .object = object, .address = address};
    decide(t, EVENT_field_access, &t->access);
    EVENT_PASS(sink, method, bci, field, access, object, address);
}

static void on_array_access(const EventSink_array_access *sink, uint32_t method, int32_t bci, uint32_t access,
                            uint32_t type, uintptr_t array, uintptr_t address) {
    ThreadState *t = sink->state;
    t->sources[SOURCE_OBJECT] = (int64_t)array;
    t->access = (Happening){
        .method = method, .bci = bci, .number = access, .type = type, .object = array, .address = address};
    decide(t, EVENT_array_access, &t->access);
    EVENT_PASS(sink, method, bci, access, type, array, address);
}

static void on_value(const EventSink_value *sink, uint32_t method, int32_t bci, uint64_t value) {
    ThreadState *t = sink->state;
    t->sources[SOURCE_VALUE] = (int64_t)value;
    decide(t, EVENT_value, &(Happening){.method = method, .bci = bci, .field = t->access.field});
    EVENT_PASS(sink, method, bci, value);
}

static void on_allocation(const EventSink_allocation *sink, uint32_t method, int32_t bci, uint32_t cls, uint64_t bytes,
                          uintptr_t object) {
    ThreadState *t = sink->state;
    t->sources[SOURCE_CLASS] = cls;
    t->sources[SOURCE_SIZE] = (int64_t)bytes;
    decide(t, EVENT_allocation,
           &(Happening){.method = method, .bci = bci, .number = cls, .bytes = bytes, .object = object});
    EVENT_PASS(sink, method, bci, cls, bytes, object);
}

// ---- assigned values --------------------------------------------------------------------------------

enum { LESS, EQUAL, GREATER, UNORDERED };
static const char *const relation_words[] = {"<", "=", ">", "unordered", NULL};

static double real_of(char type, int64_t bits) {
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return type == 'F' ? (double)f : d;
}

static uint32_t relation_of(char type, int64_t a, int64_t b) {
    if (type == 'I' || type == 'J') return a < b ? LESS : a > b ? GREATER : EQUAL;
    double x = real_of(type, a), y = real_of(type, b);
    return x < y ? LESS : x > y ? GREATER : x == y ? EQUAL : UNORDERED;
}

static void compare(ThreadState *t, const MatchSite *site, Happening *h, uint32_t partner, uint32_t relation) {
    h->pair = true;
    h->partner = partner;
    h->relation = relation;
    carry_out(t, site, h);
}

// The first event of an assignment: productions without a comparison, then the constants; for floating-point types only
// 0.
static void assigned(ThreadState *t, const MatchSite *site, Happening *h, int64_t value) {
    const ScalarPartners *p = site->partners;
    bool whole = site->value_type == 'I' || site->value_type == 'J';
    carry_out(t, site, h);
    bool compares = false;
    for (uint32_t i = 0; i < site->count; i++)
        compares |= productions_compares(productions_get(productionsites_productions(), site->matches[i].production));
    if (compares) t->rows.lost += p->left_out;
    for (uint32_t i = 0; i < p->constant_count; i++)
        if (whole || p->constants[i] == 0)
            compare(t, site, h, p->local_count + i, relation_of(site->value_type, value, p->constants[i]));
}

static void on_scalar_pair(const EventSink_scalar_pair *sink, uint32_t method, int32_t bci, uint32_t with,
                           uint64_t value, uint64_t other) {
    ThreadState *t = sink->state;
    const MatchSite *site = productionsites_find(method, bci, EVENT_scalar_pair);
    Happening h = {.method = method, .bci = bci};
    t->sources[SOURCE_VALUE] = (int64_t)value;
    if (site && site->partners) {
        uint32_t before = site->partners->local_count + site->partners->constant_count;
        if (with == SCALAR_VALUE) assigned(t, site, &h, (int64_t)value);
        else
            compare(t, site, &h, with == SCALAR_BEFORE ? before : with,
                    relation_of(site->value_type, (int64_t)value, (int64_t)other));
    }
    EVENT_PASS(sink, method, bci, with, value, other);
}

// ---- counted by compiled code: without operands -------------------------------------------------

static void counted(Table *out, enum EventId event, const Happening *h, int64_t edge, uint64_t times) {
    const MatchSite *site = productionsites_find(h->method, h->bci, event);
    int64_t sources[SOURCES] = {[SOURCE_EDGE] = edge};
    for (uint32_t i = 0; site && i < site->count; i++) {
        TableRow row = {.count = times};
        make_key(site, site->matches[i].production, h, sources, row.key);
        table_add(out, &row);
    }
}

static void count_method_entry(Table *out, uint32_t method, uint64_t times) {
    counted(out, EVENT_method_entry, &(Happening){.method = method, .bci = EVENT_NO_BCI}, 0, times);
}
static void count_call_edge(Table *out, uint32_t caller, int32_t bci, uint32_t callee, uint64_t times) {
    counted(out, EVENT_call_edge,
            &(Happening){.method = callee, .bci = EVENT_NO_BCI, .caller = caller, .caller_bci = bci}, 0, times);
}
static void count_backedge(Table *out, uint32_t method, int32_t bci, uint64_t times) {
    counted(out, EVENT_backedge, &(Happening){.method = method, .bci = bci}, 0, times);
}
static void count_jump(Table *out, uint32_t method, int32_t bci, uint64_t times) {
    counted(out, EVENT_jump, &(Happening){.method = method, .bci = bci}, 0, times);
}
static void count_branch(Table *out, uint32_t method, int32_t bci, uint32_t edge, uint64_t times) {
    counted(out, EVENT_branch, &(Happening){.method = method, .bci = bci}, edge, times);
}
static void count_field_access(Table *out, uint32_t method, int32_t bci, uint32_t field, uint32_t access,
                               uintptr_t object, uintptr_t address, uint64_t times) {
    (void)access, (void)object, (void)address;
    counted(out, EVENT_field_access, &(Happening){.method = method, .bci = bci, .field = field}, 0, times);
}

// ---- the analysis -------------------------------------------------------------------------------

static void *thread_new(AnalysisSettings *settings) {
    (void)settings;
    return calloc(1, sizeof(ThreadState));
}

static void thread_free(void *state) {
    rowcounts_free(&((ThreadState *)state)->rows);
    free(state);
}

static void thread_named(void *state, const char *name) {
    ThreadState *t = state;
    strncpy(t->name, name, sizeof t->name - 1);
}

static void thread_attached(void *state, EventThread *events, uint64_t id, const char *name) {
    ThreadState *t = state;
    t->events = events;
    t->counters = events->counters;
    t->random = id << 32 ^ 2;
    thread_named(t, name);
    productions_begin(productionsites_productions(), id, t->counters);
}

static void thread_beside(void *state, void *const *others) { ((ThreadState *)state)->others = others; }

// Each production that counts is shown as a separate analysis, with the columns of its keys.
static bool section(uint32_t i, Analysis *out) {
    static const struct {
        Column columns[2];
        int count;
    } of_key[KEYS] = {
        [KEY_OF_METHOD] = {{{"method", COLUMN_METHOD, NULL}}, 1},
        [KEY_OF_SITE] = {{{"method", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}}, 2},
        [KEY_OF_CALLER] = {{{"caller", COLUMN_METHOD, NULL}, {"site", COLUMN_BCI, NULL}}, 2},
        [KEY_OF_FIELD] = {{{"field", COLUMN_FIELD, NULL}}, 1},
        [KEY_OF_TYPE] = {{{"type", COLUMN_CLASS, NULL}}, 1},
        [KEY_OF_VALUE] = {{{"value", COLUMN_SIGNED, NULL}}, 1},
        [KEY_OF_SIGN] = {{{"sign", COLUMN_SIGNED, NULL}}, 1},
        [KEY_OF_EDGE] = {{{"edge", COLUMN_NUMBER, NULL}}, 1},
        [KEY_OF_LENGTH] = {{{"length", COLUMN_SIGNED, NULL}}, 1},
        [KEY_OF_WITH] = {{{"with", COLUMN_PARTNER, NULL}}, 1},
        [KEY_OF_RELATION] = {{{"relation", COLUMN_WORD, relation_words}}, 1},
    };
    const Productions *p = productionsites_productions();
    if (i >= productions_count(p)) return false;
    const Production *r = productions_get(p, i);
    *out = (Analysis){.name = r->counts ? r->name : NULL, .event = EVENT_COUNT};
    for (uint32_t k = 0, at = 0; k < r->key_count; k++)
        for (int c = 0; c < of_key[r->keys[k]].count; c++) out->columns[at++] = of_key[r->keys[k]].columns[c];
    // Every analysis has a column: count() has one row.
    static const char *const all[] = {"all", NULL};
    if (r->counts && !r->key_count) out->columns[0] = (Column){"events", COLUMN_WORD, all};
    return true;
}

const Analysis analysis_productions = {
    .name = "productions",
    .event = EVENT_COUNT,
    .placed = productionsites_events,
    .placed_counts = productionsites_counts,
    .section = section,
    .thread_new = thread_new,
    .thread_free = thread_free,
    .thread_attached = thread_attached,
    .thread_named = thread_named,
    .thread_beside = thread_beside,
    .give = productioncontexts_give,
    .take = productioncontexts_from_shadow,
    .report = productioncontexts_report,
    .end = productioncontexts_end,
    .collect = rowcounts_collect,
    .on_method_entry = on_method_entry,
    .on_call_edge = on_call_edge,
    .on_receiver = on_receiver,
    .on_backedge = on_backedge,
    .on_jump = on_jump,
    .on_branch = on_branch,
    .on_instruction = on_instruction,
    .on_field_access = on_field_access,
    .on_array_access = on_array_access,
    .on_value = on_value,
    .on_allocation = on_allocation,
    .on_scalar_pair = on_scalar_pair,
    .count_method_entry = count_method_entry,
    .count_call_edge = count_call_edge,
    .count_backedge = count_backedge,
    .count_jump = count_jump,
    .count_branch = count_branch,
    .count_field_access = count_field_access,
};
