// The profiler as a whole: which threads are profiled, what each collects, and the file at the end (vm/api/profiler.h).
//
// A Record belongs to one thread: the EventThread that the VM reports to, and a state for each analysis. The sinks of
// the EventThread are those of the analyses, or with transport=cab those of a ring, whose consumer has the analyses'
// sinks. When the thread ends, its states shrink to tables; when very many threads have ended, the oldest are combined
// into one record. All records are in one list under one lock, which is taken when threads start and end and when the
// profile is written, never for an event.
#include "base/clock.h"
#include "base/grow.h"
#include "profiler/analyses/contexts.h"
#include "profiler/analyses/hotstream.h"
#include "profiler/concurrency/lockorder.h"
#include "profiler/analyses/productionsites.h"
#include "profiler/concurrency/tasks.h"
#include "profiler/control/phases.h"
#include "profiler/control/profiler.h"
#include "profiler/control/request.h"
#include "profiler/control/shadows.h"
#include "profiler/control/snapshot.h"
#include "profiler/ring/transport.h"
#include "profiler/store/writer.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// States of analyses, and the sink lists that lead to them. With phases= there is one set per phase.
typedef struct StateSet {
    struct AnySink *sinks;          // memory of the sink lists of `events`, or of the transport's
    void *state[ANALYSIS_COUNT];    // NULL: shrunk to the table
} StateSet;

typedef struct Record {
    EventThread events;  // first: the VM's pointer is the record's
    uint64_t id;
    char *name;
    bool service, ended;
    uint32_t folded;     // number of ended threads combined here
    Transport *transport;           // NULL: none, or it has ended
    EventPlaces *places;            // the thread's, until it ends; NULL: none
    StateSet own;                      // with phases=, that of the first phase
    Phases *phases;                 // NULL: without phases=
    _Atomic(StateSet *) later[PHASES_MOST - 1];  // of the other phases; NULL: none yet
    uint32_t phase;                 // the phase whose set receives the events
    Table table[ANALYSIS_COUNT];
    uint64_t lost[ANALYSIS_COUNT];  // of tables
    struct Record *next;
} Record;

enum { KEEP_ENDED = 512 };  // ended threads with separate records

static struct Profiler {
    Request request;
    _Atomic bool scope_matches;     // scope= includes some method of the program
    const ProfileHost *host;
    char *path;
    int64_t wall_start_ns, start_ns;
    pid_t process;                  // in any other process, only the calling thread exists
    char *vm_version, *jdk_version, *command, *class_path, *mode;
    ProfileRun run;                 // its numbers
    pthread_mutex_t lock;
    Record *first, **last;          // oldest first
    uint64_t started_threads;
    uint32_t ended_threads;
    _Atomic uint64_t unattributed[EVENT_COUNT];
    _Atomic bool written;
    uint64_t phases_unlisted;       // of ended threads that were combined
    ShadowFact *facts;              // about shadows
    int fact_count;
    uint64_t shadow_collapsed;
} profiler = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &profiler.first};

// ---- start -------------------------------------------------------------------------------------

ProfilerParse profiler_parse(const char *text, char *error, size_t error_size) {
    Request r;
    bool ok = request_parse(&r, text, error, error_size);
    bool help = r.help, from_main = r.from_main, in_shadows = r.in_shadows;
    request_free(&r);
    if (!ok) return PROFILER_REFUSED;
    return help ? PROFILER_HELP : from_main ? PROFILER_AT_MAIN : in_shadows ? PROFILER_IN_SHADOWS : PROFILER_OK;
}

char *profiler_help(void) { return request_help(); }

// Resolved at the start: native code may change the working directory later.
static char *absolute(char *path) {
    char *directory, *whole = NULL;
    if (!path || path[0] == '/' || !(directory = getcwd(NULL, 0))) return path;
    if (asprintf(&whole, "%s/%s", directory, path) < 0) whole = NULL;
    free(directory);
    if (whole) free(path);
    return whole ? whole : path;
}

static bool begin_analyses(char *error, size_t error_size) {
    AnalysisBegin b = {profiler.host, profiler.request.part, profiler.request.trace, profiler.request.sampling,
                       (uint8_t)profiler.request.locks, profiler.request.between};
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a] && analysis_table[a]->begin && !analysis_table[a]->begin(&b, error, error_size))
            return false;
    return true;
}

// Does the analysis take events from the VM? Otherwise productions hand them to it.
static bool listens(int a) { return profiler.request.analysis[a] && !profiler.request.fed[a]; }

// Events that are only counted by every analysis that takes them.
static EventSet only_counted(void) {
    EventSet counted = 0, reported = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!listens(a)) continue;
        EventSet counts = analysis_counts(analysis_table[a]);
        counted |= counts;
        reported |= (analysis_events(analysis_table[a]) | analysis_placed(analysis_table[a])) & ~counts;
    }
    return counted & ~reported;
}

// Undoes a start that was rejected, restoring the state before the first start.
static void abandon_start(void) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a] && analysis_table[a]->abandon) analysis_table[a]->abandon();
    productionsites_use(NULL, NULL);
    request_free(&profiler.request);
    profiler.request = (Request){.message = false};
    free(profiler.path);
    profiler.path = NULL;
}

bool profiler_start(const char *text, const ProfileHost *host, char *error, size_t error_size) {
    char why[160] = "out of memory";
    if (profiler.path) {
        snprintf(error, error_size, "there is a profile");
        return false;
    }
    if (!request_parse(&profiler.request, text, error, error_size)) {
        abandon_start();
        return false;
    }
    profiler.run.sampling = profiler.request.sampling;
    atomic_store(&profiler.scope_matches, false);
    profiler.host = host;
    productionsites_use(profiler.request.productions, host);
    profiler.path = absolute(request_file(&profiler.request, (long)getpid()));
    profiler.wall_start_ns = clock_wall_ns();
    profiler.start_ns = clock_monotonic_ns();
    profiler.process = getpid();
    bool ok = profiler.path && writer_check(profiler.path, why, sizeof why);
    if (!ok) snprintf(error, error_size, "cannot write to %s: %s", profiler.path ? profiler.path : "the file", why);
    const TransportRequest *transport = &profiler.request.transport;
    ok = ok && begin_analyses(error, error_size);
    if (ok && (!transport->on || transport_start(transport, only_counted(), error, error_size))) return true;
    abandon_start();
    return false;
}

bool profiler_in_scope(const char *class_name, const char *name, const char *desc) {
    bool is = scope_includes(profiler.request.scope, class_name, name, desc);
    if (is && !atomic_load_explicit(&profiler.scope_matches, memory_order_relaxed)) atomic_store(&profiler.scope_matches, true);
    return is;
}

// Was scope= given without including any method of the program? Probably a typo, not obvious from an empty profile.
static bool scope_is_empty(void) { return profiler.request.scope && !atomic_load(&profiler.scope_matches); }

bool profiler_watches(const char *class_name, const char *name, const char *desc) {
    (void)desc;
    return (profiler.request.analysis[ANALYSIS_threads] && tasks_watches(class_name, name))
           || (profiler.request.analysis[ANALYSIS_lockorder] && lockorder_watches(class_name, name));
}

static void replace(char **to, const char *text) {
    free(*to);
    *to = text ? strdup(text) : NULL;
}

// The class path with absolute names, for readers elsewhere. NULL: out of memory.
static char *absolute_path(const char *list) {
    char *text = NULL, folder[PATH_MAX];
    size_t size;
    FILE *out = getcwd(folder, sizeof folder) ? open_memstream(&text, &size) : NULL;
    for (size_t n; out; list += n + 1) {
        n = strcspn(list, ":");
        fprintf(out, "%s%s%.*s", *list == '/' ? "" : folder, *list == '/' ? "" : "/", (int)n, list);
        if (!list[n]) break;
        putc(':', out);
    }
    if (out) fclose(out);
    return text;
}

void profiler_describe_run(const ProfileRun *run) {
    replace(&profiler.vm_version, run->vm_version);
    replace(&profiler.jdk_version, run->jdk_version);
    replace(&profiler.command, run->command);
    replace(&profiler.mode, run->mode);
    char *absolute = run->class_path && *run->class_path ? absolute_path(run->class_path) : NULL;
    replace(&profiler.class_path, absolute);
    free(absolute);
    profiler.run = *run;
}

EventSet profiler_events(void) {
    EventSet events = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (listens(a)) events |= analysis_events(analysis_table[a]);
    const SamplingRequest *s = &profiler.request.sampling;
    if (s->mode != SAMPLING_OFF && !sampling_has_activations(s)) events &= ~EVENTS_OF_ACTIVATIONS;
    return profiler.request.phases ? events | EVENTS_PHASES : events;
}

EventSet profiler_placed_events(void) {
    EventSet events = 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a]) events |= analysis_placed(analysis_table[a]);
    return events;
}

// Of productions, and of lines that are points.
static EventSet match(uint32_t method, const ClassFile *file, const ClassFileMethod *info) {
    return productionsites_match(method, file, info) | tasks_match(method, info);
}
static EventSet wants_at(uint32_t method, int32_t bci) { return productionsites_wants(method, bci) | tasks_wants(method, bci); }

// Counters decide only where no other analysis wants an event.
static bool guard_at(uint32_t method, int32_t bci, PlaceGuard *guard) {
    return !tasks_wants(method, bci) && productionsites_guard(method, bci, guard);
}

EventSet profiler_counts(void) {
    if (profiler.request.sampling.mode != SAMPLING_OFF || profiler_waits() || profiler.request.transport.on || profiler.request.calls) return 0;
    return only_counted();
}

bool profiler_waits(void) {
    if (profiler.request.transport.on) return !profiler.request.transport.sampled;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a] && analysis_table[a]->waits) return true;
    return false;
}

// Sampled code calls its sinks.
bool profiler_has_ring(void) {
    return profiler.request.transport.on && profiler.request.sampling.mode == SAMPLING_OFF;
}

bool profiler_walks(void) {
    const Request *r = &profiler.request;
    return r->locks != LOCKS_BY_CLASS || (r->analysis[ANALYSIS_call_tree] && r->settings.sampled);
}
bool profiler_stamps(void) { return profiler.request.analysis[ANALYSIS_races] && !profiler.request.analysis[ANALYSIS_event_counts]; }

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a] && analysis_table[a]->forget_dead) analysis_table[a]->forget_dead(each_live, is_live);
}

bool profiler_overwrites(void) { return profiler_has_ring() && profiler.request.transport.sampled; }

// All other analyses that take calls and returns allow them to be counted.
static bool has_contexts(void) {
    bool tree = false;
    if (profiler.request.sampling.mode != SAMPLING_OFF || profiler.request.transport.on || profiler.request.calls || profiler_waits()) return false;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        const Analysis *an = analysis_table[a];
        if (!profiler.request.analysis[a]) continue;
        if (an->thread_placed) tree = true;
        else if ((analysis_events(an) | analysis_placed(an)) & ~analysis_counts(an) & EVENTS_NESTING) return false;
    }
    return tree;
}

const char *profiler_mode_name(const SamplingRequest *s) { return request_mode_name(s); }

SamplingRequest profiler_sampling(void) { return profiler.request.sampling; }

bool profiler_change_sampling(SamplingRequest *s, const char *text, char *error,
                              size_t error_size) {
    if (profiler.request.productions) return request_change_productions(profiler.request.productions, s, text, error, error_size);
    return request_change(s, text, error, error_size);
}

// ---- threads -----------------------------------------------------------------------------------

// Its sets: one, or one per phase that has begun. NULL: no set of that number.
static StateSet *set_of(const Record *r, uint32_t phase) { return phase ? r->later[phase - 1] : (StateSet *)&r->own; }
#define EACH_SET(share, r) \
    (uint32_t phase_ = 0; phase_ < PHASES_MOST; phase_++) for (StateSet *share = set_of((r), phase_); share; share = NULL)

static void set_clear(StateSet *s) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (s->state[a]) analysis_table[a]->thread_free(s->state[a]);
    free(s->sinks);
}

static void record_free(Record *r) {
    for EACH_SET (share, r) {
        set_clear(share);
        if (share != &r->own) free(share);
    }
    for (int a = 0; a < ANALYSIS_COUNT; a++) table_free(&r->table[a]);
    phases_free(r->phases);
    transport_free(r->transport);
    free(r->name);
    free(r);
}

// The last sink of every list.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    static void end_##id(const EventSink_##id *sink, EVENT_SINK_PARAMETERS(payload)) {}
#include "vm/api/events.def"
#pragma GCC diagnostic pop

static const struct Nobody {
#define EVENT(id, text, payload, waits, counted, source, made_by) EventSink_##id id;
#include "vm/api/events.def"
} nobody = {
#define EVENT(id, text, payload, waits, counted, source, made_by) .id = {end_##id, NULL},
#include "vm/api/events.def"
};

static void listen_to_nothing(EventThread *t) {
#define EVENT(id, text, payload, waits, counted, source, made_by) t->id = &nobody.id;
#include "vm/api/events.def"
}

// Room for a sink of any event.
typedef struct AnySink {
    void (*fn)(void);
    void *state;
} AnySink;
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    _Static_assert(sizeof(EventSink_##id) == sizeof(AnySink), "sinks of all events look alike");
#include "vm/api/events.def"

// Everywhere or at single places.
static EventSet heard_by(const StateSet *s, int a) {
    return s->state[a] && listens(a) ? analysis_events(analysis_table[a]) | analysis_placed(analysis_table[a]) : 0;
}

// Distinguishes phases.
static void on_call_edge(const EventSink_call_edge *sink, uint32_t caller, int32_t bci, uint32_t callee) {
    phases_call(sink->state, caller, callee);
    EVENT_PASS(sink, caller, bci, callee);
}

// Builds the adjacent sink lists of all events that any analysis of the set takes, and installs them. False: out of
// memory.
static bool listen(EventThread *t, StateSet *s, Phases *phases) {
    size_t count = phases != NULL;
    EventSet any = phases ? EVENTS_PHASES : 0;
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        EventSet events = heard_by(s, a);
        count += (size_t)__builtin_popcountll(events);
        any |= events;
    }
    if (!s->sinks) s->sinks = calloc(count + (size_t)__builtin_popcountll(any) + 1, sizeof *s->sinks);
    AnySink *at = s->sinks;
    if (!at) return false;
#define EVENT(id, text, payload, waits, counted, source, made_by)                                      \
    if (any & EVENT_BIT(EVENT_##id)) {                                                                 \
        EventSink_##id *sink = (EventSink_##id *)at;                                                   \
        t->id = sink;                                                                                  \
        for (int a = 0; a < ANALYSIS_COUNT; a++)                                                       \
            if (heard_by(s, a) & EVENT_BIT(EVENT_##id))                                                \
                *sink++ = (EventSink_##id){analysis_table[a]->on_##id, s->state[a]};                   \
        at = (AnySink *)sink;                                                                          \
        if (phases && (EVENTS_PHASES & EVENT_BIT(EVENT_##id))) *at++ = (AnySink){(void (*)(void))on_call_edge, phases}; \
        *(EventSink_##id *)at++ = nobody.id;                                                           \
    }
#include "vm/api/events.def"
    if (t->point_enter->fn != end_point_enter && t->point_enter[1].fn != end_point_enter) t->takes_point = NULL;
    return true;
}

// Creates the states of a set. False: out of memory.
static bool set_begin(StateSet *s, EventThread *to, uint64_t id, const char *name, EventPlaces *places) {
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!profiler.request.analysis[a]) continue;
        if (!(s->state[a] = analysis_table[a]->thread_new(&profiler.request.settings))) return false;
        if (places && has_contexts() && analysis_table[a]->thread_placed) analysis_table[a]->thread_placed(s->state[a], &places->context);
        if (analysis_table[a]->thread_attached) analysis_table[a]->thread_attached(s->state[a], to, id, name);
    }
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (s->state[a] && analysis_table[a]->thread_beside) analysis_table[a]->thread_beside(s->state[a], s->state);
    return true;
}

// The set of a new phase. The counters of productions continue.
static StateSet *set_new(Record *r) {
    int64_t counters[EVENT_COUNTERS];
    StateSet *s = calloc(1, sizeof *s);
    memcpy(counters, r->events.counters, sizeof counters);
    bool ok = s && set_begin(s, &r->events, r->id, r->name, NULL);
    memcpy(r->events.counters, counters, sizeof counters);
    if (ok) return s;
    if (s) set_clear(s);
    free(s);
    return NULL;
}

// A burst begins, possibly the first one of another phase, whose set then receives the events. The set of the next
// phase is created beforehand, so that it exists.
static int64_t next_burst(EventThread *t, uint64_t checks, int64_t usual) {
    Record *r = (Record *)t;
    uint32_t next = phases_count(r->phases);
    if (next < PHASES_MOST && !set_of(r, next)) r->later[next - 1] = set_new(r);
    uint32_t phase = phases_burst(r->phases, checks, t->produced, next < PHASES_MOST && set_of(r, next), &usual);
    if (phase != r->phase && listen(t, set_of(r, phase), r->phases)) r->phase = phase;
    return usual;
}

static Record *record_new(uint64_t id, const char *name, bool service, EventPlaces *places) {
    Record *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->id = id;
    r->service = service;
    listen_to_nothing(&r->events);
    r->name = strdup(name);
    if (profiler.request.transport.on) r->transport = transport_open(&r->events, places ? &places->ring : NULL);
    bool ok = r->name && (r->transport || !profiler.request.transport.on);
    EventThread *to = r->transport ? transport_back(r->transport) : &r->events;
    if (r->transport) listen_to_nothing(to);
    ok = ok && set_begin(&r->own, to, id, name, places);
    if (ok && profiler.request.phases) {
        r->phases = phases_new(profiler.request.phases, profiler.request.sampling.burst);
        r->events.next_burst = next_burst;
        ok = r->phases != NULL;
    }
    ok = ok && listen(to, &r->own, r->phases);
    if (ok && r->transport) transport_begin(r->transport);
    if (ok) return r;
    record_free(r);
    return NULL;
}

EventThread *profiler_thread_start(uint64_t thread_id, const char *name, bool service, EventPlaces *places) {
    if (places) contexts_nowhere(&places->context);
    Record *r = record_new(thread_id, name, service, places);
    if (!r) {
        if (places) {
            contexts_nowhere(&places->context);
            transport_nowhere(&places->ring);
        }
        return NULL;
    }
    r->places = places;
    pthread_mutex_lock(&profiler.lock);
    *profiler.last = r;
    profiler.last = &r->next;
    profiler.started_threads++;
    pthread_mutex_unlock(&profiler.lock);
    return &r->events;
}

void profiler_thread_rename(EventThread *t, const char *name) {
    Record *r = (Record *)t;
    char *copy = strdup(name);
    if (!copy) return;
    pthread_mutex_lock(&profiler.lock);
    free(r->name);
    r->name = copy;
    for EACH_SET (share, r)
        for (int a = 0; a < ANALYSIS_COUNT; a++)
            if (share->state[a] && analysis_table[a]->thread_named) analysis_table[a]->thread_named(share->state[a], copy);
    pthread_mutex_unlock(&profiler.lock);
}

// A ring's events are counted where they are analysed or discarded, not where they are written.
static void count_transported(const Record *r, uint64_t produced[EVENT_COUNT], uint64_t discarded[EVENT_COUNT]) {
    transport_counts(r->transport, produced, discarded);
    for (int e = 0; e < EVENT_COUNT; e++) produced[e] += discarded[e];
}

static void produced_by(const Record *r, uint64_t produced[EVENT_COUNT]) {
    uint64_t discarded[EVENT_COUNT];
    memcpy(produced, r->events.produced, sizeof r->events.produced);
    if (r->transport) count_transported(r, produced, discarded);
}

// The events that an analysis records.
static EventSet recorded_by(int a) {
    EventSet taken = analysis_events(analysis_table[a]);
    return analysis_table[a]->event == EVENT_COUNT ? taken : taken & EVENT_BIT(analysis_table[a]->event);
}

// Events of an analysis that the ring has discarded.
static uint64_t discarded_by(const Record *r, int a) {
    uint64_t produced[EVENT_COUNT], discarded[EVENT_COUNT], sum = 0;
    if (!r->transport) return 0;
    count_transported(r, produced, discarded);
    EventSet taken = recorded_by(a);
    for (int e = 0; e < EVENT_COUNT; e++)
        if (taken >> e & 1) sum += discarded[e];
    return sum;
}

static uint64_t weighed(double weight, uint64_t count) { return (uint64_t)llround(weight * (double)count); }

// Adds the contents of an analysis's states; with phases=, scaled by the weight of the phase.
static void collect_states(const Record *r, int a, Table *table, uint64_t *lost) {
    for EACH_SET (share, r) {
        Table rows = {0};
        uint64_t missing = 0;
        if (!share->state[a]) continue;
        if (!r->phases) {
            analysis_table[a]->collect(share->state[a], table, lost);
            continue;
        }
        double weight = phases_weight(r->phases, phase_, recorded_by(a) | analysis_placed(analysis_table[a]));
        if (analysis_table[a]->weighed) analysis_table[a]->weighed(share->state[a], weight);
        analysis_table[a]->collect(share->state[a], &rows, &missing);
        for (size_t i = 0; i < rows.count; i++) rows.rows[i].count = weighed(weight, rows.rows[i].count);
        table_add_all(table, &rows);
        *lost += weighed(weight, missing);
        table_free(&rows);
    }
}

// The contents of a record, as a table that is not combined yet. take: moves the record's own table.
static void collect(Record *r, int a, Table *table, uint64_t *lost, bool take) {
    *table = take ? r->table[a] : (Table){0};
    *lost = r->lost[a] + discarded_by(r, a);
    if (take) r->table[a] = (Table){0};
    else table_add_all(table, &r->table[a]);
    collect_states(r, a, table, lost);
}

// Sorts and adds up; table->failed: out of memory.
static void add_up(Table *table, int a) {
    table_combine(table);
    if (!table->failed && analysis_table[a]->reduce) analysis_table[a]->reduce(table);
}

// False: out of memory, and the table is empty.
static bool combine(Table *table, int a) {
    add_up(table, a);
    if (!table->failed) return true;
    table_free(table);
    return false;
}

// The destination of counts from compiled code.
typedef struct Counted {
    Table *tables;       // by analysis
    uint64_t *produced;  // by event, or NULL
} Counted;

static void add_counted(void *arg, enum EventId event, const uint32_t *words, uint64_t times) {
    const Counted *c = arg;
    if (c->produced) c->produced[event] += times;
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (listens(a)) analysis_count(analysis_table[a], &c->tables[a], event, words, times);
}

// Adds the counts of compiled code in the tree of a live thread.
static void add_entered(const Record *r, Counted *to) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->places && r->own.state[a] && analysis_table[a]->counted) analysis_table[a]->counted(r->own.state[a], add_counted, to);
}

void profiler_counted(EventThread *t, enum EventId event, const uint32_t *words, uint64_t times) {
    Record *r = (Record *)t;
    if (!r) {
        profiler.unattributed[event] += times;
        return;
    }
    pthread_mutex_lock(&profiler.lock);
    add_counted(&(Counted){r->table, r->events.produced}, event, words, times);
    pthread_mutex_unlock(&profiler.lock);
}

// When the thread ends, counts in its tree by compiled code and counts of words by a consumer become counts of the
// record, as in profiler_counted.
static void count_entered(Record *r) {
    pthread_mutex_lock(&profiler.lock);
    add_entered(r, &(Counted){r->table, r->events.produced});
    if (r->transport) transport_counted(r->transport, true, add_counted, &(Counted){r->table, NULL});
    if (r->places) contexts_nowhere(&r->places->context);
    r->places = NULL;
    pthread_mutex_unlock(&profiler.lock);
}

// An ended thread's states as tables, which take fewer bytes. A state for which memory is short is kept. Built without
// the lock, because the states no longer change.
typedef struct Shrunk {
    bool done[ANALYSIS_COUNT];
    Table table[ANALYSIS_COUNT];
    uint64_t lost[ANALYSIS_COUNT];
} Shrunk;

// Adds `r` to `into`. False: out of memory, nothing changed.
static bool fold(Record *into, Record *r) {
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (r->own.state[a]) return false;
        table_combine(&r->table[a]);
        if (!into->folded) table_combine(&into->table[a]);
        table_reserve(&into->table[a], into->table[a].count + r->table[a].count);
        if (into->table[a].failed) {
            into->table[a].failed = false;
            return false;
        }
    }
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        table_merge(&into->table[a], &r->table[a]);
        if (analysis_table[a]->reduce) analysis_table[a]->reduce(&into->table[a]);
        into->lost[a] += r->lost[a];
    }
    for (int e = 0; e < EVENT_COUNT; e++) into->events.produced[e] += r->events.produced[e];
    into->events.collapsed += r->events.collapsed;
    if (r->phases) profiler.phases_unlisted += phases_count(r->phases);
    into->folded += r->folded ? r->folded : 1;
    return true;
}

// Requires the lock. One ended thread too many: combines the two oldest.
static void fold_oldest(void) {
    Record *into = NULL;
    for (Record **at = &profiler.first; *at; at = &(*at)->next) {
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
        if (!*at) profiler.last = at;
        record_free(r);
        profiler.ended_threads--;
        return;
    }
}

void profiler_thread_end(EventThread *t) {
    Record *r = (Record *)t;
    Shrunk shrunk = {0};
    Transport *transport = r->transport;
    if (transport) transport_end(transport);
    count_entered(r);
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->own.state[a]) {
            collect(r, a, &shrunk.table[a], &shrunk.lost[a], false);
            shrunk.done[a] = combine(&shrunk.table[a], a);
        }
    pthread_mutex_lock(&profiler.lock);
    listen_to_nothing(&r->events);
    uint64_t produced[EVENT_COUNT], left[ANALYSIS_COUNT];
    produced_by(r, produced);
    memcpy(r->events.produced, produced, sizeof produced);
    for (int a = 0; a < ANALYSIS_COUNT; a++) left[a] = discarded_by(r, a);
    r->transport = NULL;
    // Under the lock, because others read the record.
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!shrunk.done[a]) continue;
        for EACH_SET (share, r) {
            if (share->state[a]) analysis_table[a]->thread_free(share->state[a]);
            share->state[a] = NULL;
        }
        table_free(&r->table[a]);
        r->table[a] = shrunk.table[a];
        r->lost[a] = shrunk.lost[a];
        left[a] = 0;
    }
    for (int a = 0; a < ANALYSIS_COUNT; a++) r->lost[a] += left[a];
    r->ended = true;
    r->events.thread = NULL;
    if (!r->service && ++profiler.ended_threads > KEEP_ENDED) fold_oldest();
    pthread_mutex_unlock(&profiler.lock);
    transport_free(transport);
}

void profiler_lost(enum EventId event) { profiler.unattributed[event]++; }

static void event_room(EventThread *t, enum EventId event, uint64_t **ring) {
    if (t) {
        transport_room(((Record *)t)->transport);
        return;
    }
    profiler_lost(event);
    transport_nowhere(ring);
}

// ---- the file ----------------------------------------------------------------------------------

// This process is a copy of the one that started the profile: of a crashed one, or a shadow.
static bool is_copy(void) { return getpid() != profiler.process; }

// Takes the lock. Always true in the process that started the profile: the holder releases the lock, however late on a
// busy machine, and ending threads free what the caller reads. In a copy the holder may not exist, and no other thread
// changes the list: after one second the caller reads without the lock.
static bool lock_or_give_up(void) {
    if (!is_copy()) return pthread_mutex_lock(&profiler.lock) == 0;
    int64_t ns = clock_wall_ns() + 1000000000;
    struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    return pthread_mutex_timedlock(&profiler.lock, &until) == 0;
}

// take: the record is not read again, so the data of an ended thread is moved instead of copied.
static bool fill_thread(WriterThread *t, Record *r, bool take) {
    t->id = r->id;
    t->name = r->folded ? "(ended threads)" : r->name;
    t->service = r->service;
    t->ended = r->ended;
    t->folded = r->folded;
    produced_by(r, t->produced);
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a]) collect(r, a, &t->tables[a], &t->lost[a], take && r->ended);
    Counted counted = {t->tables, t->produced};
    add_entered(r, &counted);
    if (r->transport) transport_counted(r->transport, false, add_counted, &counted);
    if (r->events.thread && profiler.host->counted) profiler.host->counted(r->events.thread, true, add_counted, &counted);
    bool ok = true;
    for (int a = 0; a < ANALYSIS_COUNT; a++) ok &= combine(&t->tables[a], a);
    return ok;
}

static void free_threads(WriterThread *threads, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (int a = 0; a < ANALYSIS_COUNT; a++) table_free(&threads[i].tables[a]);
    free(threads);
}

static bool fill_threads(WriterInput *in, uint64_t *collapsed, bool take) {
    size_t count = 0;
    for (const Record *r = profiler.first; r; r = r->next) count++;
    WriterThread *threads = calloc(count + 1, sizeof *threads);
    in->threads = threads;
    if (!threads) return false;
    *collapsed = 0;
    for (Record *r = profiler.first; r && in->thread_count < count; r = r->next) {
        *collapsed += r->events.collapsed;
        if (!fill_thread(&threads[in->thread_count++], r, take)) return false;
    }
    return true;
}

enum { OUTSIDE = 640 };

// The rows of the file's header. The table copies values; keys outlive it.
typedef struct Meta {
    WriterMeta *rows;
    size_t count, capacity;
    bool failed;         // out of memory
} Meta;

static void meta(Meta *m, const char *key, const char *value) {
    char *copy = strdup(value ? value : "unknown");
    if (!copy || !GROW(m->rows, m->capacity, m->count + 1)) {
        free(copy);
        m->failed = true;
        return;
    }
    m->rows[m->count++] = (WriterMeta){key, copy};
}

static void meta_number(Meta *m, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    meta(m, key, text);
}

static void meta_free(Meta *m) {
    for (size_t i = 0; i < m->count; i++) free((char *)m->rows[i].value);
    free(m->rows);
}

// The average interval that resulted from a rate.
static uint64_t came_to(const ProfileRun *run, const SamplingRequest *s) {
    return run->samples ? run->checks * s->burst / run->samples : 0;
}

// Describes how events were chosen. Keys without a meaning in the mode are omitted.
static void describe_sampling(Meta *m, const ProfileRun *run) {
    const SamplingRequest *s = &run->sampling;
    meta(m, "sampling", request_mode_name(s));
    meta_number(m, "samples", run->samples);
    if (run->allocated) meta_number(m, "allocated-bytes", run->allocated);
    meta_number(m, "truncated", run->truncated);
    if (s->mode == SAMPLING_OFF) return;
    meta_number(m, s->mode == SAMPLING_TIMER ? "interval-us" : "interval",
                s->mode == SAMPLING_TIMER ? s->interval_us : s->rate ? came_to(run, s) : s->interval);
    if (s->skip) meta_number(m, "skip", s->skip);
    if (s->rate) meta_number(m, "rate", s->rate);
    meta_number(m, "burst", s->burst);
    if (s->phase) meta_number(m, "phase", s->phase);
    if (s->mode == SAMPLING_JITTER && !s->rate) {
        meta_number(m, "jitter", s->jitter);
        meta_number(m, "seed", s->seed);
    }
    meta(m, "dup", request_dup_name(s->dup));
    meta(m, "checks-at", request_checks_name(s->checks));
    meta(m, "copies", request_copies_name(s->copies));
    meta_number(m, "checks", run->checks);
    meta_number(m, "threads-unsampled", run->unsampled);
    meta_number(m, "changes", run->changes);
    if (profiler.request.phases) meta_number(m, "phases", profiler.request.phases);
    uint64_t without_room = 0;
    for (const Record *r = profiler.first; r; r = r->next) without_room += r->phases ? phases_without_room(r->phases) : 0;
    if (without_room) meta_number(m, "phases-without-room", without_room);
    if (profiler.phases_unlisted) meta_number(m, "phases-unlisted", profiler.phases_unlisted);
}

// Describes the consumers, and the events that were not analysed.
static void describe_transport(Meta *m) {
    const TransportRequest *t = &profiler.request.transport;
    meta(m, "transport", t->on ? "cab" : profiler.request.calls ? "call" : "direct");
    if (!t->on) return;
    TransportFigures f;
    transport_figures(&f);
    meta_number(m, "buffer", t->buffer);
    meta_number(m, "chunk", t->chunk);
    meta_number(m, "consumers", t->consumers);
    if (t->affinity) meta(m, "affinity", t->affinity);
    meta(m, "consume", t->sampled ? "sampled" : "all");
    if (t->sampled) {
        if (t->rate) meta_number(m, "rate", t->rate);
        meta_number(m, "lines", t->lines);
        meta_number(m, "words-written", f.written);
        meta_number(m, "words-sampled", f.sampled);
        meta_number(m, "words-overwritten", f.overwritten);
        return;
    }
    meta_number(m, "waits", f.waits);
    meta_number(m, "waits-ns", f.wait_ns);
    meta_number(m, "holds", f.holds);
    meta_number(m, "holds-ns", f.hold_ns);
    meta_number(m, "discarded", f.discarded);
    meta_number(m, "discarded-laps", f.laps);
}

// Lists what no profile covers, whatever the program does.
static const char *outside_text(char text[static OUTSIDE]) {
    const bool *wanted = profiler.request.analysis;
    snprintf(text, OUTSIDE, "%s%s%s%s",
             "what native code does by itself; what intrinsics do inside; hidden methods (lambda"
             " forms, lambda proxies), ",
             wanted[ANALYSIS_method_count] || wanted[ANALYSIS_call_edge] || wanted[ANALYSIS_call_tree] || wanted[ANALYSIS_call_subtree]
                 ? "whose calls count for the visible method below them; " : "not instrumented; ",
             wanted[ANALYSIS_field_access]
                 ? "fields accessed by reflection, Unsafe, VarHandles and method handles; " : "",
             "what threads that outlived the program's end did after it");
    return text;
}

static void describe(Meta *m, const char *why, uint64_t collapsed) {
    char when[32], outside[OUTSIDE];
    struct tm tm;
    time_t start = (time_t)(profiler.wall_start_ns / 1000000000);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&start, &tm));
    meta(m, "command", profiler.command);
    if (profiler.class_path) meta(m, "class-path", profiler.class_path);
    meta_number(m, "process", (uint64_t)getpid());
    meta(m, "vm", profiler.vm_version);
    meta(m, "jdk", profiler.jdk_version);
    meta(m, "execution", profiler.mode);
    if (profiler.run.deterministic) meta(m, "deterministic", profiler.run.takes_turns ? "all" : "each thread");
    if (profiler.request.from_main) meta(m, "from", "main");
    if (profiler.request.scope_text) meta(m, "scope", profiler.request.scope_text);
    if (scope_is_empty()) meta(m, "scope-matches", "nothing");
    describe_transport(m);
    meta(m, "where", profiler.request.in_shadows ? "shadow" : "process");
    meta(m, "started", when);
    uint64_t duration = (uint64_t)(clock_monotonic_ns() - profiler.start_ns);
    meta_number(m, "duration-ns", duration);
    meta_number(m, "on-ns", profiler.run.off_ns < duration ? duration - profiler.run.off_ns : 0);
    meta_number(m, "off-ns", profiler.run.off_ns);
    meta(m, "ended-by", why);
    meta_number(m, "threads", profiler.started_threads);
    describe_sampling(m, &profiler.run);
    const Request *r = &profiler.request;
    if (r->analysis[ANALYSIS_call_tree]) meta_number(m, "recursion", r->settings.recursion);
    if (r->analysis[ANALYSIS_call_tree] || r->analysis[ANALYSIS_call_subtree] || r->analysis[ANALYSIS_interprocedural_path])
        meta_number(m, "nodes-left", (uint64_t)atomic_load(&profiler.request.settings.nodes_left));
    meta_number(m, "hidden-entries", collapsed + profiler.shadow_collapsed);
    for (int i = 0; i < profiler.fact_count; i++) meta(m, profiler.facts[i].key, profiler.facts[i].text);
    meta(m, "outside", outside_text(outside));
}

static void report_failure(const char *what) {
    fprintf(stderr, "cabernet: profile not written to %s: %s\n", profiler.path, what);
}

// A method's name, "-" if unknown.
static void put_method(Sections *out, bool known, uint32_t id) {
    ProfiledMethod m;
    char text[512];
    if (!known || !out->host->method(id, &m) || !m.name) {
        section_text(out, "-");
        return;
    }
    size_t n = (size_t)snprintf(text, sizeof text, "%s%s%s", m.class_name ? m.class_name : "", m.class_name ? "." : "", m.name);
    for (size_t i = 0; i < n && i < sizeof text; i++)
        if (text[i] == '/') text[i] = '.';
    section_text(out, text);
}

static void report_phases(Sections *out) {
    section_begin(out, "phases", "phases",
                  "Phases of each thread, and what was between them: the call pair that is most frequent, how often the phase began, the checks that its samples stand for, their part "
                  "of the thread's in thousandths, the checks that recorded, and how many checks each of these stands for",
                  "thread text, phase text, caller text, callee text, times number, checks number, part permille, samples number, weight number, known text");
    for (const Record *r = profiler.first; r; r = r->next) {
        char phase[16];
        uint64_t checks = 0;
        uint32_t count = r->phases ? phases_count(r->phases) : 0;
        for (uint32_t i = 0; i < count; i++) checks += phases_facts(r->phases, i).checks;
        for (uint32_t i = 0; i < count && checks; i++) {
            PhaseFacts f = phases_facts(r->phases, i);
            section_text(out, r->name);
            snprintf(phase, sizeof phase, i == PHASE_BETWEEN ? "between" : "%u", i);
            section_text(out, phase);
            put_method(out, f.calls, f.caller);
            put_method(out, f.calls, f.callee);
            section_number(out, f.times);
            section_number(out, f.checks);
            section_number(out, f.checks * 1000 / checks);
            section_number(out, f.bursts * profiler.run.sampling.burst);
            section_number(out, f.bursts ? weighed((double)f.checks / (double)(f.bursts * profiler.run.sampling.burst), 1) : 1);
            section_text(out, f.known ? "yes" : "no");
        }
    }
    section_end(out);
}

// Inside the working directory, a relative name is shorter to read and to type.
static const char *short_path(void) {
    char *directory = getcwd(NULL, 0);
    size_t n = directory ? strlen(directory) : 0;
    bool below = n > 1 && strncmp(profiler.path, directory, n) == 0 && profiler.path[n] == '/';
    free(directory);
    return below ? profiler.path + n + 1 : profiler.path;
}

static void store(const uint8_t *data, size_t size) {
    char error[160];
    if (!writer_store(profiler.path, data, size, error, sizeof error)) report_failure(error);
    else if (profiler.request.message)
        fprintf(stderr, "cabernet: profile written to %s\n", short_path());
    if (scope_is_empty()) fprintf(stderr, "cabernet: scope=%s matches no method: a pattern is for class.method, as demo.Main.*\n", profiler.request.scope_text);
}

// Builds the whole file in memory: *data is malloc'd. False: out of memory.
static bool build(const char *why, bool last, uint8_t **data, size_t *size) {
    bool locked = lock_or_give_up();
    if (profiler.request.transport.on) transport_drain(is_copy());
    ProfileHost host = profiler.request.in_shadows ? shadows_host : *profiler.host;
    host.class_file = profiler.host->class_file;  // classes of shadows are the program's
    Sections sections = {.host = &host};
    WriterInput in = {.host = &host, .wanted = profiler.request.analysis, .fed = profiler.request.fed,
                      .weighed = profiler.request.phases != 0, .sections = &sections};
    for (int e = 0; e < EVENT_COUNT; e++) in.unattributed[e] = profiler.unattributed[e];
    uint64_t collapsed;
    bool ok = fill_threads(&in, &collapsed, last && locked);
    Meta m = {.rows = NULL};
    if (ok) {
        describe(&m, why, collapsed);
        in.meta = m.rows;
        in.meta_count = m.count;
        uint64_t produced[EVENT_COUNT] = {0};
        for (size_t i = 0; i < in.thread_count; i++)
            for (int e = 0; e < EVENT_COUNT; e++) produced[e] += in.threads[i].produced[e];
        sections.produced = produced;
        for (int a = 0; a < ANALYSIS_COUNT; a++)
            if (profiler.request.analysis[a] && analysis_table[a]->report) analysis_table[a]->report(&sections, last);
        if (profiler.request.phases) report_phases(&sections);
        ok = !m.failed && !sections.failed && writer_build(&in, data, size);
    }
    meta_free(&m);
    sections_free(&sections);
    free_threads((WriterThread *)in.threads, in.threads ? in.thread_count : 0);
    if (locked) pthread_mutex_unlock(&profiler.lock);
    return ok;
}

void profiler_write(const char *why) {
    uint8_t *data;
    size_t size;
    if (!profiler.path || atomic_exchange(&profiler.written, true)) return;
    if (!build(why, true, &data, &size)) {
        report_failure("out of memory");
        return;
    }
    store(data, size);
    free(data);
}

bool profiler_dump(const char *path, char *error, size_t error_size) {
    uint8_t *data;
    size_t size;
    if (!build("dump", false, &data, &size)) {
        snprintf(error, error_size, "out of memory");
        return false;
    }
    bool ok = writer_store(path ? path : profiler.path, data, size, error, error_size);
    free(data);
    return ok;
}

// ---- snapshots ---------------------------------------------------------------------------------

// Adds the rows of all threads, which keep running: their states are read as in a crash. Everything slower than copying
// is done without the lock.
static void add_rows(Table tables[ANALYSIS_COUNT]) {
    uint64_t lost;
    pthread_mutex_lock(&profiler.lock);
    for (const Record *r = profiler.first; r; r = r->next)
        for (int a = 0; a < ANALYSIS_COUNT; a++) {
            if (!analysis_table[a]->publish || profiler.request.fed[a]) continue;
            table_add_all(&tables[a], &r->table[a]);
            collect_states(r, a, &tables[a], &lost);
        }
    Counted counted = {tables, NULL};
    for (const Record *r = profiler.first; r; r = r->next) {
        add_entered(r, &counted);
        if (r->transport) transport_counted(r->transport, false, add_counted, &counted);
    }
    for (const Record *r = profiler.first; r; r = r->next)
        if (r->events.thread && profiler.host->counted)
            profiler.host->counted(r->events.thread, false, add_counted, &counted);
    pthread_mutex_unlock(&profiler.lock);
}

ProfileSnapshot *profiler_snapshot(uint64_t version, const SamplingRequest *sampling) {
    Table tables[ANALYSIS_COUNT] = {{0}};
    SnapshotDraft draft = {0};
    int64_t now = clock_monotonic_ns();
    bool failed = false;
    add_rows(tables);
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        add_up(&tables[a], a);
        failed |= tables[a].failed;
        if (analysis_table[a]->publish) analysis_table[a]->publish(&tables[a], &draft);
        table_free(&tables[a]);
    }
    draft.calls.failed |= failed;
    return snapshot_make(&draft, version, now, sampling);
}

// ---- shadows -----------------------------------------------------------------------------------

const ShadowRequest *profiler_shadow_request(void) {
    return profiler.request.in_shadows ? &profiler.request.shadow : NULL;
}

bool profiler_shadow_native(const char *class_name, const char *name, const char *desc) {
    return profiler.request.natives && scope_includes(profiler.request.natives, class_name, name, desc);
}

// The records stay in memory, because their pages are shared with the program until written.
void profiler_shadow_begin(void) {
    profiler.first = NULL;
    profiler.last = &profiler.first;
    profiler.started_threads = 0;
    profiler.ended_threads = 0;
    for (int e = 0; e < EVENT_COUNT; e++) profiler.unattributed[e] = 0;
    atomic_store(&profiler.written, true);
}

bool profiler_shadow_give(uint8_t **data, size_t *size) {
    bool locked = lock_or_give_up();
    WriterInput in = {.host = profiler.host, .wanted = profiler.request.analysis};
    for (int e = 0; e < EVENT_COUNT; e++) in.unattributed[e] = profiler.unattributed[e];
    uint64_t collapsed;
    bool ok = fill_threads(&in, &collapsed, false) && shadows_encode(&in, collapsed, data, size);
    if (locked) pthread_mutex_unlock(&profiler.lock);
    return ok;
}

// Requires the lock. Identifies a thread by number and name: shadows may have started different threads of the same
// number.
static Record *record_of(const WriterThread *t) {
    for (Record *r = profiler.first; r; r = r->next)
        if (r->id == t->id && !r->folded && strcmp(r->name, t->name) == 0) return r;
    Record *r = calloc(1, sizeof *r);
    if (!r || !(r->name = strdup(t->name))) {
        free(r);
        return NULL;
    }
    r->id = t->id;
    r->service = t->service;
    r->ended = true;
    *profiler.last = r;
    profiler.last = &r->next;
    profiler.started_threads++;
    if (!r->service && ++profiler.ended_threads > KEEP_ENDED) fold_oldest();
    return r;
}

// Requires the lock. False: out of memory, record unchanged.
static bool add_share(const WriterThread *t) {
    Record *r = record_of(t), share = {.events = {.produced = {0}}};
    if (!r) return false;
    memcpy(share.events.produced, t->produced, sizeof t->produced);
    memcpy(share.table, t->tables, sizeof share.table);
    memcpy(share.lost, t->lost, sizeof share.lost);
    uint32_t folded = r->folded;
    bool ok = fold(r, &share);
    r->folded = folded;
    return ok;
}

static int first_analysis(void) {
    int a = 0;
    while (a < ANALYSIS_COUNT - 1 && !profiler.request.analysis[a]) a++;
    return a;
}

bool profiler_shadow_take(const uint8_t *data, size_t size, double part) {
    ShadowThreads got;
    if (!shadows_decode(profiler.request.analysis, data, size, &got)) return false;
    pthread_mutex_lock(&profiler.lock);
    bool ok = true;
    for (size_t i = 0; i < got.count && ok; i++) ok = add_share(&got.threads[i]);
    for (int e = 0; ok && e < EVENT_COUNT; e++) profiler.unattributed[e] += got.unattributed[e];
    if (ok) profiler.shadow_collapsed += got.collapsed;
    for (int a = 0; a < ANALYSIS_COUNT && ok; a++)
        if (got.given[a].data) ok = analysis_table[a]->take(got.given[a].data, got.given[a].size);
    shadows_note_shares(&got, first_analysis(), part);
    pthread_mutex_unlock(&profiler.lock);
    shadows_free(&got);
    return ok;
}

void profiler_shadow_lost(void) {
    pthread_mutex_lock(&profiler.lock);
    shadows_note_lost();
    pthread_mutex_unlock(&profiler.lock);
}

bool profiler_shadow_converged(void) { return shadows_converged(); }
void profiler_shadow_call(uint32_t caller, uint32_t callee) { shadows_note_call(caller, callee); }
bool profiler_shadow_phase(void) { return shadows_look(); }

void profiler_shadow_facts(const ShadowFact *facts, int count) {
    free(profiler.facts);
    profiler.facts = malloc((size_t)count * sizeof *facts);
    profiler.fact_count = profiler.facts ? count : 0;
    if (profiler.facts) memcpy(profiler.facts, facts, (size_t)count * sizeof *facts);
}

void profiler_before_fork(void) {
    pthread_mutex_lock(&profiler.lock);
    transport_before_fork();
    activity_lock();
    productionsites_before_fork();
    hotstream_lock();
}

void profiler_after_fork(void) {
    hotstream_unlock();
    productionsites_after_fork();
    activity_unlock();
    transport_after_fork();
    pthread_mutex_unlock(&profiler.lock);
}

void profiler_forget(void) {
    if (!profiler.path) return;
    atomic_store(&profiler.written, true);
    activity.trace = NULL;  // it is the parent's
    transport_forget();
}

// ---- the interface ------------------------------------------------------------------------------

const ProfilerInterface profiler_interface = {
    .parse = profiler_parse,
    .help = profiler_help,
    .start = profiler_start,
    .describe_run = profiler_describe_run,
    .events = profiler_events,
    .placed_events = profiler_placed_events,
    .match = match,
    .wants_at = wants_at,
    .guard_at = guard_at,
    .partners_at = productionsites_partners,
    .counts = profiler_counts,
    .has_ring = profiler_has_ring,
    .overwrites = profiler_overwrites,
    .stamps = profiler_stamps,
    .walks = profiler_walks,
    .forget_dead = forget_dead,
    .site = transport_site,
    .room = event_room,
    .waits = profiler_waits,
    .sampling = profiler_sampling,
    .in_scope = profiler_in_scope,
    .watches = profiler_watches,
    .mode_name = profiler_mode_name,
    .change_sampling = profiler_change_sampling,
    .has_contexts = has_contexts,
    .thread_start = profiler_thread_start,
    .thread_rename = profiler_thread_rename,
    .thread_end = profiler_thread_end,
    .counted = profiler_counted,
    .lost = profiler_lost,
    .write = profiler_write,
    .dump = profiler_dump,
    .snapshot = profiler_snapshot,
    .shadow_request = profiler_shadow_request,
    .shadow_begin = profiler_shadow_begin,
    .shadow_give = profiler_shadow_give,
    .shadow_take = profiler_shadow_take,
    .shadow_lost = profiler_shadow_lost,
    .shadow_converged = profiler_shadow_converged,
    .shadow_call = profiler_shadow_call,
    .shadow_phase = profiler_shadow_phase,
    .shadow_native = profiler_shadow_native,
    .shadow_facts = profiler_shadow_facts,
    .forget = profiler_forget,
};
