// The life of a profile: its start, answers to the VM while it runs, forks, and the table of functions that the VM
// calls (vm/api/profiler.h).
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "profiler/analyses/hotstream.h"
#include "profiler/analyses/productionsites.h"
#include "profiler/analyses/systemcounters.h"
#include "profiler/analyses/timesamples.h"
#include "profiler/concurrency/lockorder.h"
#include "profiler/concurrency/tasks.h"
#include "profiler/control/collections.h"
#include "profiler/control/control_internal.h"
#include "profiler/control/needs.h"
#include "profiler/control/profilefile.h"
#include "profiler/control/records.h"
#include "profiler/control/shadows.h"
#include "profiler/control/snapshot.h"
#include "profiler/ring/ringevents.h"
#include "profiler/ring/transport.h"
#include "profiler/store/writer.h"

#define NO_PROFILE(kind)                                     \
    {                                                        \
        .records = {.lock = PTHREAD_MUTEX_INITIALIZER,       \
                    .unused = PTHREAD_COND_INITIALIZER,      \
                    .closed = true,                          \
                    .last = &profilers[kind].records.first}, \
        .collections = {.lock = PTHREAD_MUTEX_INITIALIZER},  \
    }
Profiler profilers[PROFILE_KINDS] = {NO_PROFILE(PROFILE_OF_EVENTS), NO_PROFILE(PROFILE_OF_TIME)};

static Profiler *const of_events = &profilers[PROFILE_OF_EVENTS];

bool profiler_is_copy(const Profiler *p) { return getpid() != p->process; }

// ---- start -------------------------------------------------------------------------------------

static void discard(Request *r) {
    if (r) request_free(r);
    free(r);
}

static ProfilerParse open_request(const char *text, Request **request, char *error, size_t error_size) {
    ProfilerParse parsed = PROFILER_REFUSED;
    Request *r = calloc(1, sizeof *r);
    if (!r) snprintf(error, error_size, "out of memory");
    else if (request_parse(r, text, error, error_size))
        parsed = r->help ? PROFILER_HELP : r->from_main ? PROFILER_AT_MAIN : PROFILER_OK;
    if (parsed == PROFILER_REFUSED || parsed == PROFILER_HELP) {
        discard(r);
        r = NULL;
    }
    *request = r;
    return parsed;
}

// ---- two profiles ---------------------------------------------------------------------------------

static bool samples_time(const Request *r) {
    bool any = false;
    for (int a = 0; a < ANALYSIS_COUNT; a++) any |= r->analysis[a] && analysis_table[a]->interrupts;
    return any;
}

static ProfileKind kind_of(const Request *r) {
    bool events = r->in_shadows || r->productions || r->transport.on || r->phases || r->sampling.mode != SAMPLING_OFF;
    for (int a = 0; a < ANALYSIS_COUNT; a++) events |= r->analysis[a] && !analysis_table[a]->interrupts;
    return events ? PROFILE_OF_EVENTS : PROFILE_OF_TIME;
}

static const char *name_of(const Request *r) {
    if (r->name) return r->name;
    return kind_of(r) == PROFILE_OF_TIME ? "time" : "events";
}

static const char *name(ProfileKind kind) { return profilers[kind].path ? name_of(profilers[kind].request) : NULL; }

static ProfileKind conflict(const Request *r) {
    ProfileKind kind = kind_of(r);
    if (profilers[kind].path) return kind;
    for (ProfileKind k = 0; k < PROFILE_KINDS; k++)
        if (profilers[k].path && samples_time(r) && samples_time(profilers[k].request)) return k;
    for (ProfileKind k = 0; k < PROFILE_KINDS; k++)
        if (profilers[k].path && strcmp(name(k), name_of(r)) == 0) return k;
    return PROFILE_KINDS;
}

static void put_analyses(const Request *r, FILE *out) {
    const char *separator = "";
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!r->analysis[a]) continue;
        fprintf(out, "%s%s", separator, analysis_table[a]->name);
        separator = ",";
    }
}

static void say_conflict(ProfileKind with, char *error, size_t size) {
    FILE *out = fmemopen(error, size, "w");
    snprintf(error, size, "there is a profile, which Profile.end ends");
    if (!out) return;
    fprintf(out, "there is the profile %s of ", name(with));
    put_analyses(profilers[with].request, out);
    fprintf(out, " in %s, which Profile.end ends", profilers[with].path);
    fclose(out);
    error[size - 1] = '\0';
}

// ---- files ---------------------------------------------------------------------------------------

// Made absolute at the start: native code may change the working directory later. Takes `path` over.
static char *absolute(char *path) {
    char *directory, *whole = NULL;
    if (!path || path[0] == '/' || !(directory = getcwd(NULL, 0))) return path;
    if (asprintf(&whole, "%s/%s", directory, path) < 0) whole = NULL;
    free(directory);
    if (whole) free(path);
    return whole ? whole : path;
}

// The profile's file, malloc'd; NULL with *why. Two profiles never write the same one.
static char *path_of(const Request *r, char *why, size_t size) {
    char *path = absolute(request_file(r, (long)getpid())), *other;
    snprintf(why, size, "out of memory");
    for (ProfileKind k = 0; k < PROFILE_KINDS && path; k++) {
        if (!profilers[k].path || strcmp(path, profilers[k].path) != 0) continue;
        if (r->file) snprintf(why, size, "the profile %s writes %s", name(k), path);
        bool named = !r->file && asprintf(&other, "cabernet-%ld-%s.prof", (long)getpid(), name_of(r)) >= 0;
        free(path);
        path = named ? absolute(other) : NULL;
    }
    return path;
}

// ---- start and end -------------------------------------------------------------------------------

static void forget_request(Profiler *p) {
    if (p == of_events) productionsites_use(NULL, NULL);
    discard(p->request);
    p->request = NULL;
    free(p->path);
    p->path = NULL;
}

// Undoes a start that was rejected, restoring the state before the first start.
static void abandon_start(Profiler *p) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (p->request->analysis[a] && analysis_table[a]->abandon) analysis_table[a]->abandon();
    forget_request(p);
}

// Of these analyses the time or the allocation is what a reader compares with the collections.
static bool lists_collections(const Request *r) {
    return !r->in_shadows &&
        (r->analysis[ANALYSIS_cpu] || r->analysis[ANALYSIS_wall] || r->analysis[ANALYSIS_alloc] ||
         r->analysis[ANALYSIS_alloc_tree]);
}

static const ProfileNeeds *start(Request *r, const ProfileHost *host, char *error, size_t error_size) {
    ProfileKind with = conflict(r);
    char why[PATH_MAX + 320], *path = NULL;
    if (with != PROFILE_KINDS) say_conflict(with, error, error_size);
    else if (!(path = path_of(r, why, sizeof why))) snprintf(error, error_size, "%s", why);
    if (!path) {
        discard(r);
        return NULL;
    }
    Profiler *p = &profilers[kind_of(r)];
    atomic_store(&p->scope_matches, false);
    atomic_store(&p->written, false);
    p->request = r;
    p->host = host;
    p->path = path;
    if (p == of_events) productionsites_use(r->productions, host);
    p->wall_start_ns = clock_wall_ns();
    p->start_ns = clock_monotonic_ns();
    p->process = getpid();
    bool ok = writer_check(path, why, sizeof why);
    if (!ok) snprintf(error, error_size, "cannot write to %s: %s", path, why);
    AnalysisBegin begin = {.host = host,
                           .parts = r->part,
                           .trace = r->trace,
                           .sampling = r->sampling,
                           .locks = (uint8_t)r->locks,
                           .sides = r->transport.tee ? ANALYSIS_SIDES : 1,
                           .between = r->between,
                           .counters = &r->settings.counters};
    for (int a = 0; ok && a < ANALYSIS_COUNT; a++)
        if (r->analysis[a] && analysis_table[a]->begin) ok = analysis_table[a]->begin(&begin, error, error_size);
    if (ok && r->transport.on) ok = transport_start(&r->transport, needs_of_rings(r), error, error_size);
    if (!ok) {
        abandon_start(p);
        return NULL;
    }
    if (r->productions && productions_record_nothing(r->productions, why, sizeof why))
        fprintf(stderr, "cabernet: the productions record nothing: %s\n", why);
    p->needs = needs_make(r);
    if (r->in_shadows) p->needs.shadow_sink = &shadows_sink;
    records_open(p);
    if (lists_collections(r)) collections_begin(p, p->start_ns);
    return &p->needs;
}

// Releases threads that wait for room in a ring before it frees the rings. Consumers stop after that.
static void end(ProfileKind kind) {
    Profiler *p = &profilers[kind];
    if (p->request->transport.on) transport_release();
    pthread_mutex_lock(&p->records.lock);
    records_close(p);
    pthread_mutex_unlock(&p->records.lock);
    if (p->request->transport.on) transport_stop();
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (p->request->analysis[a] && analysis_table[a]->end) analysis_table[a]->end();
    if (p == of_events) {
        productionsites_end();
        shadows_end();
    }
    collections_end(p);
    forget_request(p);
}

// ---- methods and places --------------------------------------------------------------------------

// Events of methods and bytecode: those with a method in their payload. The others are reported whatever the scope.
#define HAS_METHOD_METHOD 1
#define HAS_METHOD_BCI 0
#define HAS_METHOD_FIELD 0
#define HAS_METHOD_CLASS 0
#define HAS_METHOD_THREAD 0
#define HAS_METHOD_OBJECT 0
#define HAS_METHOD_ADDRESS 0
#define HAS_METHOD_VALUE 0
#define HAS_METHOD_NUMBER 0
#define HAS_METHOD(type, name) | HAS_METHOD_##type
static const EventSet of_methods = 0
#define EVENT(id, text, payload, waits, counted, source, made_by) \
    | (0 EVENT_EACH(HAS_METHOD, payload) ? EVENT_BIT(EVENT_##id) : 0)
#include "vm/api/events.def"
    ;

static EventSet match(uint32_t method, const ProfiledMethod *m, const ClassFile *file, const ClassFileMethod *info) {
    const Request *r = of_events->request;
    EventSet events = of_events->needs.events, placed = 0;
    if (!scope_includes(r->scope, m->class_name, m->name, m->desc)) return events & ~of_methods;
    if (!atomic_load_explicit(&of_events->scope_matches, memory_order_relaxed))
        atomic_store(&of_events->scope_matches, true);
    bool watched = !(events & EVENTS_POINTS) ||
        (r->analysis[ANALYSIS_threads] && tasks_watches(m->class_name, m->name)) ||
        (r->analysis[ANALYSIS_lockorder] && lockorder_watches(m->class_name, m->name));
    if (!watched) events &= ~EVENTS_POINTS;
    if (of_events->needs.placed && info) placed = productionsites_match(method, file, info) | tasks_match(method, info);
    return placed ? events | placed | EVENTS_PLACED : events;
}

// Counters decide only where no other analysis wants an event, and only in the thread: those of a consumer change
// later.
static EventSet events_at(uint32_t method, int32_t bci, PlaceGuard *guard) {
    EventSet points = tasks_wants(method, bci);
    if (guard && (points || of_events->request->transport.on || !productionsites_guard(method, bci, guard)))
        guard->count = 0;
    return points | productionsites_wants(method, bci);
}

// ---- while it runs -------------------------------------------------------------------------------

static void add_event(void *arg, enum EventId event, const uint32_t *words, uint64_t times) {
    (void)event, (void)words;
    *(uint64_t *)arg += times;
}

// Events that compiled code only counts in its tree are missing.
static uint64_t count_events(Profiler *p) {
    uint64_t sum = 0;
    pthread_mutex_lock(&p->records.lock);
    for (const Record *r = p->records.first; r; r = r->next) {
        uint64_t produced[EVENT_COUNT];
        records_produced(r, produced);
        for (int e = 0; e < EVENT_COUNT; e++) sum += produced[e];
        if (r->events.thread && p->host->counted) p->host->counted(r->events.thread, true, add_event, &sum);
    }
    pthread_mutex_unlock(&p->records.lock);
    return sum;
}

static void describe(ProfileKind kind, FILE *out) {
    Profiler *p = &profilers[kind];
    fprintf(out, "name=%s analyses=", name(kind));
    put_analyses(p->request, out);
    fprintf(out, " file=%s", p->path);
    if (kind == PROFILE_OF_EVENTS) fprintf(out, ", %llu events", (unsigned long long)count_events(p));
    if (samples_time(p->request)) fprintf(out, ", %llu samples of time", (unsigned long long)timesamples_count());
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    const Request *r = of_events->request;
    // Events that are still in rings refer to objects of before.
    bool pauses = r->transport.ordered;
    if (pauses) transport_pause();
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (r->analysis[a] && analysis_table[a]->forget_dead) analysis_table[a]->forget_dead(each_live, is_live);
    if (pauses) transport_resume();
}

static bool change_sampling(ProfileKind kind, SamplingRequest *s, const char *text, char *error, size_t error_size) {
    Productions *p = profilers[kind].request->productions;
    return p ? request_change_productions(p, s, text, error, error_size) : request_change(s, text, error, error_size);
}

static ProfileSnapshot *snapshot(ProfileKind kind, uint64_t version, const SamplingRequest *sampling) {
    Table tables[ANALYSIS_COUNT] = {{0}};
    Table draft[SNAPSHOT_TABLES] = {{0}};
    int64_t now = clock_monotonic_ns();
    draft[SNAPSHOT_CALLS].failed = records_snapshot(&profilers[kind], tables);
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        SnapshotTable to = analysis_table[a]->snapshot;
        if (to != SNAPSHOT_NONE) table_add_all(&draft[to], &tables[a]);
        table_free(&tables[a]);
    }
    return snapshot_make(draft, version, now, sampling);
}

// ---- forks ---------------------------------------------------------------------------------------

void profiler_before_fork(void) {
    for (int kind = 0; kind < PROFILE_KINDS; kind++) pthread_mutex_lock(&profilers[kind].records.lock);
    for (int kind = 0; kind < PROFILE_KINDS; kind++) pthread_mutex_lock(&profilers[kind].collections.lock);
    transport_fork(true);
    for (int i = 0; i < ANALYSIS_SIDES; i++) activity_lock(&activity_of[i]);
    productionsites_fork(true);
    hotstream_fork(true);
    systemcounters_before_fork();
    timesamples_before_fork();
}

void profiler_after_fork(void) {
    timesamples_after_fork();
    systemcounters_after_fork();
    hotstream_fork(false);
    productionsites_fork(false);
    for (int i = 0; i < ANALYSIS_SIDES; i++) activity_unlock(&activity_of[i]);
    transport_fork(false);
    for (int kind = 0; kind < PROFILE_KINDS; kind++) pthread_mutex_unlock(&profilers[kind].collections.lock);
    for (int kind = 0; kind < PROFILE_KINDS; kind++) pthread_mutex_unlock(&profilers[kind].records.lock);
}

void profiler_forget(void) {
    for (int kind = 0; kind < PROFILE_KINDS; kind++) atomic_store(&profilers[kind].written, true);
    if (!of_events->path) return;
    activity_of[0].trace = NULL;  // it is the parent's
    transport_forget();
}

// ---- the interface ------------------------------------------------------------------------------

const ProfilerInterface profiler_interface = {
    .open = open_request,
    .discard = discard,
    .help = request_help,
    .kind = kind_of,
    .conflict = conflict,
    .name = name,
    .start = start,
    .match = match,
    .events_at = events_at,
    .partners_at = productionsites_partners,
    .site = ringevents_number,
    .room = records_room,
    .thread_start = records_thread_start,
    .thread_renew = records_thread_renew,
    .thread_rename = records_thread_rename,
    .thread_end = records_thread_end,
    .counter = systemcounters_put,
    .counted = records_counted,
    .sample = timesamples_put,
    .forget_dead = forget_dead,
    .collection = collections_add,
    .change_sampling = change_sampling,
    .mode_name = request_mode_name,
    .write = profilefile_write,
    .dump = profilefile_dump,
    .describe = describe,
    .end = end,
    .snapshot = snapshot,
};
