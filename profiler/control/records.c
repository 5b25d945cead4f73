#include "profiler/control/records.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "profiler/analyses/contexts.h"
#include "profiler/control/control_internal.h"
#include "vm/api/thread.h"

enum { KEEP_ENDED = 512 };  // ended threads with separate records

bool records_lock(Profiler *p) {
    if (!profiler_is_copy(p)) return pthread_mutex_lock(&p->records.lock) == 0;
    int64_t ns = clock_wall_ns() + 1000000000;
    struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    return pthread_mutex_timedlock(&p->records.lock, &until) == 0;
}

// Requires the lock.
static void append(Record *r) {
    Records *records = &r->profile->records;
    *records->last = r;
    records->last = &r->next;
    records->started++;
}

static void clear(Record *r) {
    for
        EACH_STATES(states, r) {
            states_clear(states);
            if (states != &r->own) free(states);
        }
    for (int a = 0; r->rows && a < ANALYSIS_COUNT; a++) table_free(&r->rows->table[a]);
    free(r->rows);
    free(r->later);
    free(r->phases);
    shards_free(r->shards);
    transport_free(r->transport);
    tee_free(r->tee);
    free(r->name);
}

static void record_free(Record *r) {
    clear(r);
    free(r);
}

// ---- phases ------------------------------------------------------------------------------------

// The states of a new phase. The counters of productions continue.
static States *states_of_phase(Record *r) {
    int64_t counters[EVENT_COUNTERS];
    States *s = calloc(1, sizeof *s);
    memcpy(counters, r->events.counters, sizeof counters);
    Profiler *p = r->profile;
    bool ok = s && states_begin(s, p, &p->request->settings, &r->events, r->id, r->name, NULL);
    memcpy(r->events.counters, counters, sizeof counters);
    if (ok) return s;
    if (s) states_clear(s);
    free(s);
    return NULL;
}

// A burst begins, possibly the first one of another phase, whose states then receive the events. The states of the
// next phase are created beforehand, so that they exist.
static int64_t next_burst(EventThread *t, uint64_t checks, int64_t usual) {
    Record *r = (Record *)t;
    uint32_t next = phases_count(r->phases);
    if (next < PHASES_MOST && !records_states(r, next)) r->later->of[next - 1] = states_of_phase(r);
    bool room = next < PHASES_MOST && records_states(r, next);
    uint32_t phase = phases_burst(r->phases, checks, t->produced, room, &usual);
    if (phase != r->phase && states_listen(records_states(r, phase), r->profile->request, t, r->phases))
        r->phase = phase;
    return usual;
}

static int64_t pace_of_burst(EventThread *t, uint64_t checks, int64_t usual) {
    Record *r = (Record *)t;
    (void)checks;
    return r->transport ? transport_pace(r->transport, usual) : usual;
}

// ---- start -------------------------------------------------------------------------------------

// Makes the states of a zeroed record. False: out of memory.
static bool record_begin(Record *r, uint64_t id, const char *name, bool service, EventPlaces *places) {
    Profiler *p = r->profile;
    Request *request = p->request;
    r->id = id;
    r->service = service;
    states_ignore(&r->events);
    r->name = strdup(name);
    bool ok = r->name && (!request->transport.tee || (r->tee = tee_new(p, id, name)));
    EventThread *besides = r->tee ? &r->tee->events : NULL;
    if (request->transport.on) r->transport = transport_open(&r->events, besides, places);
    ok = ok && (r->transport || !request->transport.on);
    EventThread sinks = {.idle = true}, *back = r->transport ? transport_back(r->transport, 0) : NULL;
    EventThread *to = !r->transport ? &r->events : back ? back : &sinks;
    if (r->transport) states_ignore(to);
    ok = ok && states_begin(&r->own, p, &p->request->settings, to, id, name, places);
    if (r->transport) memcpy(r->events.time, to->time, sizeof to->time);  // samples do not go through the ring
    if (ok && request->phases) {
        r->phases = phases_new(request->phases, request->sampling.burst);
        r->later = calloc(1, sizeof *r->later);
        r->events.next_burst = next_burst;
        ok = r->phases && r->later;
    }
    ok = ok && states_listen(&r->own, request, to, r->phases);
    if (ok && request->transport.shards) ok = (r->shards = shards_new(request, r->transport, &r->own)) != NULL;
    if (ok && transport_paces(&request->transport, request->sampling.rate)) r->events.next_burst = pace_of_burst;
    if (ok && r->transport) transport_begin(r->transport, to);
    return ok;
}

// A thread that starts or ends uses the profile without the lock, in a state that a stop does not wait for. False:
// there is no profile.
static bool use_profile(Records *records) {
    pthread_mutex_lock(&records->lock);
    bool open = !records->closed;
    if (open) records->users++;
    pthread_mutex_unlock(&records->lock);
    return open;
}

// Requires the lock.
static void leave_profile(Records *records) {
    if (--records->users == 0) pthread_cond_broadcast(&records->unused);
}

// The caller uses the profile. `r` is zeroed or idle, or NULL when out of memory; it is freed on failure.
static EventThread *begin_thread(Profiler *p, Record *r, uint64_t thread_id, const char *name, bool service,
                                 EventPlaces *places) {
    if (r) r->profile = p;
    bool ok = r && record_begin(r, thread_id, name, service, places);
    if (!ok && places) {
        contexts_nowhere(&places->context);
        transport_nowhere(&places->ring);
    }
    pthread_mutex_lock(&p->records.lock);
    if (ok) {
        r->places = places;
        r->events.idle = false;
        append(r);
    }
    leave_profile(&p->records);
    pthread_mutex_unlock(&p->records.lock);
    if (ok) return &r->events;
    if (r) record_free(r);
    return NULL;
}

EventThread *records_thread_start(ProfileKind kind, uint64_t thread_id, const char *name, bool service,
                                  EventPlaces *places) {
    Profiler *p = &profilers[kind];
    if (places) contexts_nowhere(&places->context);
    if (!use_profile(&p->records)) return NULL;
    return begin_thread(p, calloc(1, sizeof(Record)), thread_id, name, service, places);
}

// Empties an idle record. The stamps stay, because code of the ended profile may still use their memory.
static void empty(Record *r) {
    Profiler *profile = r->profile;
    struct Thread *thread = r->events.thread;
    Stamps stamps = r->events.stamps;
    memset(r, 0, sizeof *r);
    states_ignore(&r->events);
    r->profile = profile;
    r->events.thread = thread;
    r->events.stamps = stamps;
    r->events.idle = true;
}

// Code of the ended profile may have counted events in the idle record.
EventThread *records_thread_renew(EventThread *idle, uint64_t thread_id, const char *name, bool service,
                                  EventPlaces *places) {
    Record *r = (Record *)idle;
    if (!use_profile(&r->profile->records)) return idle;
    empty(r);
    if (places) contexts_nowhere(&places->context);
    return begin_thread(r->profile, r, thread_id, name, service, places);
}

static void rename_states(States *states, const char *name) {
    for (int a = 0; a < states->count; a++)
        if (states->of[a] && analysis_table[a]->thread_named) analysis_table[a]->thread_named(states->of[a], name);
}

void records_thread_rename(EventThread *t, const char *name) {
    Record *r = (Record *)t;
    char *copy = strdup(name);
    if (!copy) return;
    pthread_mutex_t *lock = &r->profile->records.lock;
    pthread_mutex_lock(lock);
    if (t->idle) {
        pthread_mutex_unlock(lock);
        free(copy);
        return;
    }
    free(r->name);
    r->name = copy;
    // Events before the change belong to the old name.
    if (r->transport) transport_take_ring(r->transport, t->thread == thread_current());
    for
        EACH_STATES(states, r)
    rename_states(states, copy);
    if (r->tee) rename_states(&r->tee->states, copy);
    if (r->transport) transport_release_ring(r->transport);
    pthread_mutex_unlock(lock);
}

void records_room(EventThread *t, enum EventId event, uint64_t **ring) {
    if (t) {
        if (((Record *)t)->transport) {
            transport_room(((Record *)t)->transport, event);
            return;
        }
        transport_nowhere(ring);  // code of an ended profile
        return;
    }
    profilers[PROFILE_OF_EVENTS].records.unattributed[event]++;
    transport_nowhere(ring);
}

// ---- end ---------------------------------------------------------------------------------------

// Adds `r` to `into`. False: out of memory, nothing changed.
static bool fold(Record *into, Record *r) {
    RecordRows *to = records_rows(into), *from = records_rows(r);
    if (!to || !from) return false;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (states_of(&r->own, a)) return false;
        table_combine(&from->table[a]);
        if (!into->folded) table_combine(&to->table[a]);
        table_reserve(&to->table[a], to->table[a].count + from->table[a].count);
        if (to->table[a].failed) {
            to->table[a].failed = false;
            return false;
        }
    }
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        table_merge(&to->table[a], &from->table[a]);
        if (analysis_table[a]->reduce) analysis_table[a]->reduce(&to->table[a]);
        to->lost[a] += from->lost[a];
    }
    for (int e = 0; e < EVENT_COUNT; e++) into->events.produced[e] += r->events.produced[e];
    into->events.collapsed += r->events.collapsed;
    if (r->phases) r->profile->records.phases_unlisted += phases_count(r->phases);
    into->folded += r->folded ? r->folded : 1;
    return true;
}

// Requires the lock. One more thread has ended. If that is one too many, combines the two oldest.
static void note_ended(const Record *ended) {
    Records *records = &ended->profile->records;
    Record *into = NULL;
    if (ended->service || ++records->ended <= KEEP_ENDED) return;
    for (Record **at = &records->first; *at; at = &(*at)->next) {
        Record *r = *at;
        if (!r->ended || r->service) continue;
        if (!into) {
            into = r;
            continue;
        }
        bool first = into->folded == 0;
        if (!fold(into, r)) return;
        if (first) into->folded++;
        *at = r->next;
        if (!*at) records->last = at;
        record_free(r);
        records->ended--;
        return;
    }
}

// An ended thread's states as tables, which take fewer bytes. A state for which memory is short is kept. Built without
// the lock, because the states no longer change.
typedef struct Shrunk {
    bool done[ANALYSIS_COUNT];
    Table table[ANALYSIS_COUNT];
    uint64_t lost[ANALYSIS_COUNT];
} Shrunk;

// Requires the lock, because others read the record.
static void take_shrunk(Record *r, Shrunk *shrunk) {
    uint64_t produced[EVENT_COUNT], discarded[ANALYSIS_COUNT];
    records_produced(r, produced);
    memcpy(r->events.produced, produced, sizeof produced);
    for (int a = 0; a < ANALYSIS_COUNT; a++) discarded[a] = records_discarded(r, a);
    r->transport = NULL;
    RecordRows *rows = records_rows(r);
    r->failed |= !rows;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!rows) table_free(&shrunk->table[a]);
        else if (!shrunk->done[a]) rows->lost[a] += discarded[a];
        if (!rows || !shrunk->done[a]) continue;
        for
            EACH_STATES(states, r) { states_drop(states, a); }
        shards_drop(r->shards, a);
        table_free(&rows->table[a]);
        rows->table[a] = shrunk->table[a];
        rows->lost[a] = shrunk->lost[a];
    }
}

void records_thread_end(EventThread *t) {
    Record *r = (Record *)t;
    Records *records = &r->profile->records;
    Shrunk shrunk = {0};
    pthread_mutex_lock(&records->lock);
    bool idle = r->events.idle;
    records->users += !idle;
    pthread_mutex_unlock(&records->lock);
    if (idle) {
        record_free(r);
        return;
    }
    Transport *transport = r->transport;
    if (transport) transport_end(transport);
    pthread_mutex_lock(&records->lock);
    records_count_entered(r);
    pthread_mutex_unlock(&records->lock);
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (states_of(&r->own, a)) {
            records_collect(r, a, &shrunk.table[a], &shrunk.lost[a], false);
            shrunk.done[a] = records_combine(&shrunk.table[a], a);
        }
    uint64_t differences = r->tee ? tee_compare(r->tee, r->profile->request, shrunk.table) : 0;
    pthread_mutex_lock(&records->lock);
    states_ignore(&r->events);
    take_shrunk(r, &shrunk);
    records->tee_differences += differences;
    tee_free(r->tee);
    r->tee = NULL;
    r->ended = true;
    r->events.thread = NULL;
    note_ended(r);
    pthread_mutex_unlock(&records->lock);
    transport_free(transport);
    pthread_mutex_lock(&records->lock);
    leave_profile(records);
    pthread_mutex_unlock(&records->lock);
}

// ---- the end of a profile ------------------------------------------------------------------------

void records_open(Profiler *p) {
    Records *records = &p->records;
    pthread_mutex_lock(&records->lock);
    records_forget_all(records);
    records->closed = false;
    pthread_mutex_unlock(&records->lock);
}

// The thread keeps the pointer to its record, so the record stays.
static void make_idle(Record *r) {
    if (r->places) contexts_nowhere(&r->places->context);
    if (r->transport) transport_end(r->transport);
    states_ignore(&r->events);
    clear(r);
    empty(r);
}

void records_close(Profiler *p) {
    Records *records = &p->records;
    records->closed = true;
    while (records->users) pthread_cond_wait(&records->unused, &records->lock);
    Record *next;
    for (Record *r = records->first; r; r = next) {
        next = r->next;
        if (r->ended) record_free(r);
        else make_idle(r);
    }
    records_forget_all(records);
}

// ---- shadows -----------------------------------------------------------------------------------

void records_forget_all(Records *records) {
    records->first = NULL;
    records->last = &records->first;
    records->started = 0;
    records->ended = 0;
    records->phases_unlisted = 0;
    records->tee_differences = 0;
    for (int e = 0; e < EVENT_COUNT; e++) records->unattributed[e] = 0;
}

// Requires the lock. Identifies a thread by number and name: shadows may have started different threads of the same
// number.
static Record *record_of(Profiler *p, const WriterThread *t) {
    for (Record *r = p->records.first; r; r = r->next)
        if (r->id == t->id && !r->folded && strcmp(r->name, t->name) == 0) return r;
    Record *r = calloc(1, sizeof *r);
    if (!r || !(r->name = strdup(t->name))) {
        free(r);
        return NULL;
    }
    r->profile = p;
    r->id = t->id;
    r->service = t->service;
    r->ended = true;
    append(r);
    note_ended(r);
    return r;
}

bool records_add(Profiler *p, const WriterThread *t) {
    Record *r = record_of(p, t);
    RecordRows rows;
    Record share = {.profile = p, .rows = &rows};
    if (!r) return false;
    memcpy(share.events.produced, t->produced, sizeof t->produced);
    memcpy(rows.table, t->tables, sizeof rows.table);
    memcpy(rows.lost, t->lost, sizeof rows.lost);
    uint32_t folded = r->folded;
    bool ok = fold(r, &share);
    r->folded = folded;
    return ok;
}
