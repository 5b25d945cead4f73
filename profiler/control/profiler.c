// The life of the profile: its start, answers to the VM while it runs, forks, and the table of functions that the VM
// calls (vm/api/profiler.h).
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

struct Profiler profiler;

bool profiler_is_copy(void) { return getpid() != profiler.process; }

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

// The file's name, malloc'd. Made absolute at the start: native code may change the working directory later. NULL: out
// of memory.
static char *path_of(const Request *r) {
    char *path = request_file(r, (long)getpid()), *directory, *whole = NULL;
    if (!path || path[0] == '/' || !(directory = getcwd(NULL, 0))) return path;
    if (asprintf(&whole, "%s/%s", directory, path) < 0) whole = NULL;
    free(directory);
    if (whole) free(path);
    return whole ? whole : path;
}

static void forget_request(void) {
    productionsites_use(NULL, NULL);
    discard(profiler.request);
    profiler.request = NULL;
    free(profiler.path);
    profiler.path = NULL;
}

// Undoes a start that was rejected, restoring the state before the first start.
static void abandon_start(void) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request->analysis[a] && analysis_table[a]->abandon) analysis_table[a]->abandon();
    forget_request();
}

// Of these analyses the time or the allocation is what a reader compares with the collections.
static bool lists_collections(const Request *r) {
    return !r->in_shadows &&
        (r->analysis[ANALYSIS_cpu] || r->analysis[ANALYSIS_wall] || r->analysis[ANALYSIS_alloc] ||
         r->analysis[ANALYSIS_alloc_tree]);
}

static const ProfileNeeds *start(Request *r, const ProfileHost *host, char *error, size_t error_size) {
    if (profiler.path) {
        snprintf(error, error_size, "there is a profile");
        discard(r);
        return NULL;
    }
    atomic_store(&profiler.scope_matches, false);
    atomic_store(&profiler.written, false);
    profiler.request = r;
    profiler.host = host;
    productionsites_use(r->productions, host);
    profiler.path = path_of(r);
    profiler.wall_start_ns = clock_wall_ns();
    profiler.start_ns = clock_monotonic_ns();
    profiler.process = getpid();
    char why[320] = "out of memory";
    bool ok = profiler.path && writer_check(profiler.path, why, sizeof why);
    if (!ok) snprintf(error, error_size, "cannot write to %s: %s", profiler.path ? profiler.path : "the file", why);
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
    if (ok && r->transport.on) ok = transport_start(&r->transport, needs_of_rings(), error, error_size);
    if (!ok) {
        abandon_start();
        return NULL;
    }
    if (r->productions && productions_record_nothing(r->productions, why, sizeof why))
        fprintf(stderr, "cabernet: the productions record nothing: %s\n", why);
    profiler.needs = needs_make();
    if (r->in_shadows) profiler.needs.shadow_sink = &shadows_sink;
    records_open();
    if (lists_collections(r)) collections_begin(profiler.start_ns);
    return &profiler.needs;
}

// ---- end ---------------------------------------------------------------------------------------

// Releases threads that wait for room in a ring before it frees the rings. Consumers stop after that.
static void end(void) {
    if (profiler.request->transport.on) transport_release();
    pthread_mutex_lock(&records.lock);
    records_close();
    pthread_mutex_unlock(&records.lock);
    if (profiler.request->transport.on) transport_stop();
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request->analysis[a] && analysis_table[a]->end) analysis_table[a]->end();
    productionsites_end();
    shadows_end();
    collections_end();
    forget_request();
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
    const Request *r = profiler.request;
    EventSet events = profiler.needs.events, placed = 0;
    if (!scope_includes(r->scope, m->class_name, m->name, m->desc)) return events & ~of_methods;
    if (!atomic_load_explicit(&profiler.scope_matches, memory_order_relaxed))
        atomic_store(&profiler.scope_matches, true);
    bool watched = !(events & EVENTS_POINTS) ||
        (r->analysis[ANALYSIS_threads] && tasks_watches(m->class_name, m->name)) ||
        (r->analysis[ANALYSIS_lockorder] && lockorder_watches(m->class_name, m->name));
    if (!watched) events &= ~EVENTS_POINTS;
    if (profiler.needs.placed && info) placed = productionsites_match(method, file, info) | tasks_match(method, info);
    return placed ? events | placed | EVENTS_PLACED : events;
}

// Counters decide only where no other analysis wants an event, and only in the thread: those of a consumer change
// later.
static EventSet events_at(uint32_t method, int32_t bci, PlaceGuard *guard) {
    EventSet points = tasks_wants(method, bci);
    if (guard && (points || profiler.request->transport.on || !productionsites_guard(method, bci, guard)))
        guard->count = 0;
    return points | productionsites_wants(method, bci);
}

// ---- while it runs -------------------------------------------------------------------------------

static void add_event(void *arg, enum EventId event, const uint32_t *words, uint64_t times) {
    (void)event, (void)words;
    *(uint64_t *)arg += times;
}

// Events that compiled code only counts in its tree are missing.
static uint64_t count_events(void) {
    uint64_t sum = 0;
    pthread_mutex_lock(&records.lock);
    for (const Record *r = records.first; r; r = r->next) {
        uint64_t produced[EVENT_COUNT];
        records_produced(r, produced);
        for (int e = 0; e < EVENT_COUNT; e++) sum += produced[e];
        if (r->events.thread && profiler.host->counted) profiler.host->counted(r->events.thread, true, add_event, &sum);
    }
    pthread_mutex_unlock(&records.lock);
    return sum;
}

static void describe(FILE *out) {
    const char *separator = "analyses=";
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (!profiler.request->analysis[a]) continue;
        fprintf(out, "%s%s", separator, analysis_table[a]->name);
        separator = ",";
    }
    fprintf(out, " file=%s, %llu events", profiler.path, (unsigned long long)count_events());
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    // Events that are still in rings refer to objects of before.
    bool pauses = profiler.request->transport.ordered;
    if (pauses) transport_pause();
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request->analysis[a] && analysis_table[a]->forget_dead)
            analysis_table[a]->forget_dead(each_live, is_live);
    if (pauses) transport_resume();
}

static bool change_sampling(SamplingRequest *s, const char *text, char *error, size_t error_size) {
    Productions *p = profiler.request->productions;
    return p ? request_change_productions(p, s, text, error, error_size) : request_change(s, text, error, error_size);
}

static ProfileSnapshot *snapshot(uint64_t version, const SamplingRequest *sampling) {
    Table tables[ANALYSIS_COUNT] = {{0}};
    Table draft[SNAPSHOT_TABLES] = {{0}};
    int64_t now = clock_monotonic_ns();
    draft[SNAPSHOT_CALLS].failed = records_snapshot(tables);
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        SnapshotTable to = analysis_table[a]->snapshot;
        if (to != SNAPSHOT_NONE) table_add_all(&draft[to], &tables[a]);
        table_free(&tables[a]);
    }
    return snapshot_make(draft, version, now, sampling);
}

// ---- forks ---------------------------------------------------------------------------------------

void profiler_before_fork(void) {
    pthread_mutex_lock(&records.lock);
    collections_before_fork();
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
    collections_after_fork();
    pthread_mutex_unlock(&records.lock);
}

void profiler_forget(void) {
    if (!profiler.path) return;
    atomic_store(&profiler.written, true);
    activity_of[0].trace = NULL;  // it is the parent's
    transport_forget();
}

// ---- the interface ------------------------------------------------------------------------------

const ProfilerInterface profiler_interface = {
    .open = open_request,
    .discard = discard,
    .help = request_help,
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
