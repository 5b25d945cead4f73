// The life of the profile: start, changes while it runs, snapshots, forks, and the table of functions that the VM calls
// (vm/api/profiler.h).
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "profiler/analyses/hotstream.h"
#include "profiler/analyses/productionsites.h"
#include "profiler/concurrency/lockorder.h"
#include "profiler/concurrency/tasks.h"
#include "profiler/control/internal.h"
#include "profiler/control/needs.h"
#include "profiler/control/profilefile.h"
#include "profiler/control/records.h"
#include "profiler/control/shadows.h"
#include "profiler/control/shares.h"
#include "profiler/control/snapshot.h"
#include "profiler/ring/transport.h"
#include "profiler/store/writer.h"

struct Profiler profiler;

bool profiler_is_copy(void) { return getpid() != profiler.process; }

// ---- start -------------------------------------------------------------------------------------

static ProfilerParse parse(const char *text, char *error, size_t error_size) {
    Request r;
    bool ok = request_parse(&r, text, error, error_size);
    bool help = r.help, from_main = r.from_main, in_shadows = r.in_shadows;
    request_free(&r);
    if (!ok) return PROFILER_REFUSED;
    return help ? PROFILER_HELP : from_main ? PROFILER_AT_MAIN : in_shadows ? PROFILER_IN_SHADOWS : PROFILER_OK;
}

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

static bool start(const char *text, const ProfileHost *host, char *error, size_t error_size) {
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
    if (ok && (!transport->on || transport_start(transport, needs_only_counts(), error, error_size))) return true;
    abandon_start();
    return false;
}

static bool in_scope(const char *class_name, const char *name, const char *desc) {
    bool is = scope_includes(profiler.request.scope, class_name, name, desc);
    if (is && !atomic_load_explicit(&profiler.scope_matches, memory_order_relaxed)) atomic_store(&profiler.scope_matches, true);
    return is;
}

static bool watches(const char *class_name, const char *name, const char *desc) {
    (void)desc;
    return (profiler.request.analysis[ANALYSIS_threads] && tasks_watches(class_name, name))
           || (profiler.request.analysis[ANALYSIS_lockorder] && lockorder_watches(class_name, name));
}

static void replace(char **to, const char *text) {
    free(*to);
    *to = text ? strdup(text) : NULL;
}

static void describe_run(const ProfileRun *run) {
    replace(&profiler.vm_version, run->vm_version);
    replace(&profiler.jdk_version, run->jdk_version);
    replace(&profiler.command, run->command);
    replace(&profiler.mode, run->mode);
    replace(&profiler.class_path, run->class_path);
    profiler.run = *run;
    profiler.run.vm_version = profiler.vm_version;
    profiler.run.jdk_version = profiler.jdk_version;
    profiler.run.command = profiler.command;
    profiler.run.mode = profiler.mode;
    profiler.run.class_path = profiler.class_path;
}

static void write_file(const char *why) { profilefile_write(why, &profiler.run); }
static bool dump(const char *path, char *error, size_t error_size) {
    return profilefile_dump(path, &profiler.run, error, error_size);
}

static SamplingRequest sampling(void) { return profiler.request.sampling; }

// Of productions, and of lines that are points.
static EventSet match(uint32_t method, const ClassFile *file, const ClassFileMethod *info) {
    return productionsites_match(method, file, info) | tasks_match(method, info);
}
static EventSet wants_at(uint32_t method, int32_t bci) { return productionsites_wants(method, bci) | tasks_wants(method, bci); }

// Counters decide only where no other analysis wants an event.
static bool guard_at(uint32_t method, int32_t bci, PlaceGuard *guard) {
    return !tasks_wants(method, bci) && productionsites_guard(method, bci, guard);
}

static void forget_dead(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object)) {
    for (int a = 0; a < ANALYSIS_COUNT; a++)
        if (profiler.request.analysis[a] && analysis_table[a]->forget_dead) analysis_table[a]->forget_dead(each_live, is_live);
}

static bool change_sampling(SamplingRequest *s, const char *text, char *error,
                              size_t error_size) {
    if (profiler.request.productions) return request_change_productions(profiler.request.productions, s, text, error, error_size);
    return request_change(s, text, error, error_size);
}

static ProfileSnapshot *snapshot(uint64_t version, const SamplingRequest *sampling) {
    Table tables[ANALYSIS_COUNT] = {{0}};
    SnapshotDraft draft = {0};
    int64_t now = clock_monotonic_ns();
    draft.calls.failed = records_snapshot(tables);
    for (int a = 0; a < ANALYSIS_COUNT; a++) {
        if (analysis_table[a]->publish) analysis_table[a]->publish(&tables[a], &draft);
        table_free(&tables[a]);
    }
    return snapshot_make(&draft, version, now, sampling);
}

// ---- forks ---------------------------------------------------------------------------------------

void profiler_before_fork(void) {
    pthread_mutex_lock(&records.lock);
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
    pthread_mutex_unlock(&records.lock);
}

static void forget(void) {
    if (!profiler.path) return;
    atomic_store(&profiler.written, true);
    activity.trace = NULL;  // it is the parent's
    transport_forget();
}

// ---- the interface ------------------------------------------------------------------------------

const ProfilerInterface profiler_interface = {
    .parse = parse,
    .help = request_help,
    .start = start,
    .describe_run = describe_run,
    .events = needs_events,
    .placed_events = needs_placed_events,
    .match = match,
    .wants_at = wants_at,
    .guard_at = guard_at,
    .partners_at = productionsites_partners,
    .counts = needs_counts,
    .has_ring = needs_ring,
    .overwrites = needs_overwriting,
    .stamps = needs_stamps,
    .walks = needs_walks,
    .forget_dead = forget_dead,
    .site = transport_site,
    .room = records_room,
    .waits = needs_waits,
    .sampling = sampling,
    .in_scope = in_scope,
    .watches = watches,
    .mode_name = request_mode_name,
    .change_sampling = change_sampling,
    .has_contexts = needs_contexts,
    .thread_start = records_thread_start,
    .thread_rename = records_thread_rename,
    .thread_end = records_thread_end,
    .counted = records_counted,
    .lost = records_lost,
    .write = write_file,
    .dump = dump,
    .snapshot = snapshot,
    .shadow_request = shadows_request,
    .shadow_begin = shadows_begin,
    .shadow_give = shadows_give,
    .shadow_take = shadows_take,
    .shadow_lost = shadows_lost,
    .shadow_converged = shares_converged,
    .shadow_call = shares_note_call,
    .shadow_phase = shares_look,
    .shadow_native = shadows_native,
    .shadow_facts = shadows_facts,
    .forget = forget,
};
