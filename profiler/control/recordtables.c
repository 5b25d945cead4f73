// The contents of records as tables (records.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/analyses/contexts.h"
#include "profiler/control/control_internal.h"
#include "profiler/control/records.h"

// ---- events ------------------------------------------------------------------------------------

// A ring's events are counted where they are analysed or discarded, not where they are written.
static void count_transported(const Record *r, uint64_t produced[EVENT_COUNT], uint64_t discarded[EVENT_COUNT]) {
    transport_counts(r->transport, produced, discarded);
    for (int e = 0; e < EVENT_COUNT; e++) produced[e] += discarded[e];
}

void records_produced(const Record *r, uint64_t produced[EVENT_COUNT]) {
    uint64_t discarded[EVENT_COUNT];
    memcpy(produced, r->events.produced, sizeof r->events.produced);
    if (r->transport) count_transported(r, produced, discarded);
}

// The events that an analysis records.
static EventSet recorded_by(int a) {
    EventSet taken = analysis_events(analysis_table[a]);
    return analysis_table[a]->event == EVENT_COUNT ? taken : taken & EVENT_BIT(analysis_table[a]->event);
}

uint64_t records_discarded(const Record *r, int a) {
    uint64_t produced[EVENT_COUNT], discarded[EVENT_COUNT], sum = 0;
    if (!r->transport) return 0;
    count_transported(r, produced, discarded);
    EventSet taken = recorded_by(a);
    for (int e = 0; e < EVENT_COUNT; e++)
        if (taken >> e & 1) sum += discarded[e];
    if (analysis_table[a]->thread_shard) sum += transport_unfinished(r->transport);
    return sum;
}

// ---- rows --------------------------------------------------------------------------------------

RecordRows *records_rows(Record *r) {
    if (!r->rows) r->rows = calloc(1, sizeof *r->rows);
    return r->rows;
}

// ---- states ------------------------------------------------------------------------------------

static uint64_t weigh(double weight, uint64_t count) { return (uint64_t)llround(weight * (double)count); }

// Adds the contents of an analysis's states; with phases=, scaled by the weight of the phase.
static void collect_states(const Record *r, int a, Table *table, uint64_t *lost) {
    for
        EACH_STATES(states, r) {
            Table rows = {0};
            uint64_t missing = 0;
            void *state = states_of(states, a);
            if (!state) continue;
            if (!r->phases) {
                analysis_table[a]->collect(state, table, lost);
                continue;
            }
            double weight = phases_weight(r->phases, phase_, recorded_by(a) | analysis_placed(analysis_table[a]));
            if (analysis_table[a]->weighed) analysis_table[a]->weighed(state, weight);
            analysis_table[a]->collect(state, &rows, &missing);
            for (size_t i = 0; i < rows.count; i++) rows.rows[i].count = weigh(weight, rows.rows[i].count);
            table_add_all(table, &rows);
            *lost += weigh(weight, missing);
            table_free(&rows);
        }
    shards_collect(r->shards, a, table, lost);
}

void records_collect(Record *r, int a, Table *table, uint64_t *lost, bool take) {
    RecordRows *rows = r->rows;
    *table = rows && take ? rows->table[a] : (Table){0};
    *lost = (rows ? rows->lost[a] : 0) + records_discarded(r, a);
    if (rows && take) rows->table[a] = (Table){0};
    else if (rows) table_add_all(table, &rows->table[a]);
    collect_states(r, a, table, lost);
}

bool records_combine(Table *table, int a) {
    table_combine(table);
    if (!table->failed && analysis_table[a]->reduce) analysis_table[a]->reduce(table);
    if (!table->failed) return true;
    table_free(table);
    return false;
}

// ---- counts of compiled code ---------------------------------------------------------------------

// The destination of counts from compiled code.
typedef struct Counted {
    const Request *request;
    Table *tables;       // by analysis
    uint64_t *produced;  // by event, or NULL
} Counted;

static void add_counted(void *arg, enum EventId event, const uint32_t *words, uint64_t times) {
    const Counted *c = arg;
    if (c->produced) c->produced[event] += times;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (request_listens(c->request, a)) analysis_count(analysis_table[a], &c->tables[a], event, words, times);
}

void records_counted(EventThread *t, enum EventId event, const uint32_t *words, uint64_t times) {
    Record *r = (Record *)t;
    if (!r) {
        profilers[PROFILE_OF_EVENTS].records.unattributed[event] += times;
        return;
    }
    Profiler *p = r->profile;
    pthread_mutex_lock(&p->records.lock);
    RecordRows *rows = r->events.idle ? NULL : records_rows(r);
    r->failed |= !rows && !r->events.idle;
    if (rows) add_counted(&(Counted){p->request, rows->table, r->events.produced}, event, words, times);
    pthread_mutex_unlock(&p->records.lock);
}

// Adds the counts of compiled code in the tree of a live thread.
static void add_entered(const Record *r, Counted *to) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->places && states_of(&r->own, a) && analysis_table[a]->counted)
            analysis_table[a]->counted(states_of(&r->own, a), add_counted, to);
}

// Adds the counts of words in the ring of a live thread. In a copy of the process they do not change.
static void add_words(const Record *r, Counted *to) {
    bool shared = r->transport && !profiler_is_copy(r->profile);
    if (shared) transport_take_ring(r->transport, false);
    if (r->transport) transport_counted(r->transport, false, add_counted, to);
    if (shared) transport_release_ring(r->transport);
}

void records_count_entered(Record *r) {
    const Request *request = r->profile->request;
    RecordRows *rows = records_rows(r);
    r->failed |= !rows;
    if (rows) add_entered(r, &(Counted){request, rows->table, r->events.produced});
    if (rows && r->transport)
        transport_counted(r->transport, true, add_counted, &(Counted){request, rows->table, NULL});
    if (r->places) contexts_nowhere(&r->places->context);
    r->places = NULL;
}

// ---- all records ---------------------------------------------------------------------------------

static bool fill_thread(WriterThread *t, Record *r, bool take) {
    const Profiler *p = r->profile;
    t->id = r->id;
    t->name = r->folded ? "(ended threads)" : r->name;
    t->service = r->service;
    t->ended = r->ended;
    t->folded = r->folded;
    records_produced(r, t->produced);
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (p->request->analysis[a]) records_collect(r, a, &t->tables[a], &t->lost[a], take && r->ended);
    Counted counted = {p->request, t->tables, t->produced};
    add_entered(r, &counted);
    add_words(r, &counted);
    if (r->events.thread && p->host->counted) p->host->counted(r->events.thread, true, add_counted, &counted);
    bool ok = !r->failed;
    for (int a = 0; a < ANALYSIS_COUNT; a++) ok &= records_combine(&t->tables[a], a);
    return ok;
}

bool records_fill(const Profiler *p, WriterInput *in, RecordsTotal *total, bool take) {
    const Records *records = &p->records;
    size_t count = 0;
    for (const Record *r = records->first; r; r = r->next) count++;
    WriterThread *threads = calloc(count + 1, sizeof *threads);
    in->threads = threads;
    if (!threads) return false;
    for (int e = 0; e < EVENT_COUNT; e++) in->unattributed[e] = records->unattributed[e];
    *total = (RecordsTotal){.tee_differences = records->tee_differences};
    for (Record *r = records->first; r && in->thread_count < count; r = r->next) {
        WriterThread *t = &threads[in->thread_count++];
        total->collapsed += r->events.collapsed;
        if (!fill_thread(t, r, take)) return false;
        if (r->tee) total->tee_differences += tee_compare(r->tee, p->request, t->tables);
    }
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (p->request->transport.tee && request_listens(p->request, a) && analysis_table[a]->differences)
            total->tee_differences += analysis_table[a]->differences();
    return true;
}

void records_free_filled(WriterInput *in) {
    WriterThread *threads = (WriterThread *)in->threads;
    for (size_t i = 0; threads && i < in->thread_count; i++)
        for (int a = 0; a < ANALYSIS_COUNT; a++) table_free(&threads[i].tables[a]);
    free(threads);
}

// Everything slower than copying is done without the lock.
bool records_snapshot(Profiler *p, Table tables[ANALYSIS_COUNT]) {
    Records *records = &p->records;
    uint64_t lost;
    bool failed = false;
    pthread_mutex_lock(&records->lock);
    if (records->closed) {
        pthread_mutex_unlock(&records->lock);
        return true;
    }
    for (const Record *r = records->first; r; r = r->next)
        for (int a = 0; a < ANALYSIS_COUNT; a++) {
            if (analysis_table[a]->snapshot == SNAPSHOT_NONE || p->request->fed[a]) continue;
            if (r->rows) table_add_all(&tables[a], &r->rows->table[a]);
            collect_states(r, a, &tables[a], &lost);
        }
    Counted counted = {p->request, tables, NULL};
    for (const Record *r = records->first; r; r = r->next) {
        add_entered(r, &counted);
        add_words(r, &counted);
    }
    for (const Record *r = records->first; r; r = r->next)
        if (r->events.thread && p->host->counted) p->host->counted(r->events.thread, false, add_counted, &counted);
    pthread_mutex_unlock(&records->lock);
    for (int a = 0; a < ANALYSIS_COUNT; a++) failed |= !records_combine(&tables[a], a);
    return failed;
}
