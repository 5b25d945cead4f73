// The VM's side of profiling (vm/instrument/profile.h): events from frames, facts about methods for the file, and the
// ends of the process at which the file is written.
//
// A thread is instrumented from its first Java method on, because its table is set before it runs any. Only the
// thread itself changes its EventThread; it is read while the world is stopped.
#include "vm/instrument/profile.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signals.h"
#include "bytecode/classfile/opcodes.h"
#include "gc/heap.h"
#include "vm/api/profiler.h"
#include "vm/base/exithooks.h"
#include "vm/base/javahome.h"
#include "vm/instrument/classlabels.h"
#include "vm/instrument/eventwait.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/fieldid.h"
#include "vm/instrument/pathprofile.h"
#include "vm/instrument/sampling.h"
#include "vm/instrument/scope.h"
#include "vm/instrument/unloaded.h"
#include "vm/instrument/vmevents.h"
#include "vm/objects/classes.h"
#include "vm/objects/constpool.h"
#include "vm/threads/profilerthread.h"
#include "vm/threads/thread.h"
#include "vm/base/version.h"
#include "vm/model/classloader.h"
#include "vm/model/vm.h"

// Of a process without a profile.
static const ProfileNeeds no_needs;

typedef struct Profile {
    _Atomic(const ProfileNeeds *) needs;  // no_needs: there is no profile
    bool enabled;                         // it was started; changes while the world is stopped, or before it runs
    _Atomic uint32_t state;               // ProfileState, except that PROFILE_IN_SHADOWS is PROFILE_STARTED
    _Atomic uint64_t off_ns;              // profile_account
    _Atomic int64_t stopped_at;
    _Atomic uint32_t changes;
    uint64_t stopped_ns;  // for which its requests have stopped the world
} Profile;

static struct Profiles {
    Profile of[PROFILE_KINDS];
    // Of the profile of events.
    _Atomic bool prepares;        // code is compiled for shadows; constant while there is a profile
    bool recording;               // changes in the same way as `enabled`
    _Atomic uint32_t generation;  // number of changes of what compiled code reports
    uint64_t allocated_before;    // heap_counted_bytes at the start
    // Checks and samples of threads that have ended, and the number of ended threads without a sample.
    _Atomic uint64_t ended_checks, ended_samples, ended_unsampled;
    // Of both.
    bool crashed;              // this is the copy of a crashed process
    int64_t world_stopped_at;  // by stop_world
    _Atomic int end_signal;    // profile_ends_by_signal; 0: none
} profiles = {.of = {{.needs = &no_needs}, {.needs = &no_needs}}, .recording = true};

static Profile *const events = &profiles.of[PROFILE_OF_EVENTS];

static bool has_started(ProfileKind kind) { return atomic_load(&profiles.of[kind].state) == PROFILE_STARTED; }

EventSet profile_events(const Method *m) {
    return events->enabled && profiles.recording ? profile_shadow_events(m) : 0;
}

EventSet profile_shadow_events(const Method *m) { return instrument_events(m) | events->needs->delivery; }

const ShadowRequest *profile_shadow_request(void) {
    const ProfileNeeds *needs = events->needs;
    return needs->shadow;
}

const ShadowSink *profile_shadow_sink(void) { return events->needs->shadow_sink; }

RingForm profile_ring(void) { return events->needs->ring; }

// Stops the world at a request, and adds up for how long. One request at a time.
static void stop_world(Thread *self) {
    safepoint_stop(self, "profile");
    profiles.world_stopped_at = thread_now();
}
static void resume_world(Thread *self, ProfileKind kind) {
    profiles.of[kind].stopped_ns += (uint64_t)(thread_now() - profiles.world_stopped_at);
    safepoint_resume(self);
}

// ---- threads -----------------------------------------------------------------------------------

// Whether analyses want events; otherwise all code is as without a profile.
static bool wants_events(void) { return (events->needs->events | events->needs->placed) != 0; }

static bool samples_time(ProfileKind kind) {
    const ProfileNeeds *needs = profiles.of[kind].needs;
    return needs->hz[TIME_CPU] || needs->hz[TIME_WALL] || needs->counters;
}

bool profile_samples_time(void) { return samples_time(PROFILE_OF_EVENTS) || samples_time(PROFILE_OF_TIME); }

static void use_table(Thread *t) {
    bool records = events->enabled && profiles.recording && wants_events();
    if (sampling_is_on()) sampling_thread_start(t);
    else thread_set_dispatch(t, instrument_hooks.table(records ? INTERP_INSTRUMENTED : INTERP_PLAIN));
}

// The stamper of a thread without an EventThread: all stamps are in one cell.
static const uint64_t stamped[1];
static const EventThread unstamped = {.stamps.cells = {[0 ... STAMP_SIZES - 1] = (char *)stamped}};

// The thread's share of a profile. False: the thread has one.
static bool join(Thread *t, ProfileKind kind, EventThread *had, EventPlaces *places, EventThread **share) {
    const ProfilerInterface *profiler = instrument_hooks.profiler;
    if (had && !had->idle) return false;
    char name[128];
    thread_name(t, name, sizeof name);
    *share = had ? profiler->thread_renew(had, thread_serial(t), name, thread_is_service(t), places)
                 : profiler->thread_start(kind, thread_serial(t), name, thread_is_service(t), places);
    return true;
}

static void join_time(Thread *t) {
    EventThread *share;
    if (join(t, PROFILE_OF_TIME, t->time_record, NULL, &share)) t->time_record = share;
}

// Sets the table last. A thread that starts while others are stopped may already have its EventThread and its table.
static void join_events(Thread *t) {
    EventThread *share;
    if (!join(t, PROFILE_OF_EVENTS, t->prof, &t->places, &share)) return;
    t->prof = share;
    if (share) share->thread = t;
    t->stamper = share ? (const void *)share : &unstamped;
    instrument_hooks.begin_counting(t);
    use_table(t);
    if (t == thread_current()) vmevents_thread_start(t);
}

void profile_thread_start(Thread *t) {
    if (profiles.of[PROFILE_OF_TIME].enabled) join_time(t);
    if (events->enabled) join_events(t);
}

void profile_forget_dead(void) {
    if (events->enabled) instrument_hooks.profiler->forget_dead(heap_each_live, heap_is_marked);
}

void profile_collection(const ProfiledCollection *c) { instrument_hooks.profiler->collection(c); }

void profile_thread_name(Thread *t, const char *utf8) {
    if (t->prof) instrument_hooks.profiler->thread_rename(t->prof, utf8);
    if (t->time_record) instrument_hooks.profiler->thread_rename(t->time_record, utf8);
}

// The name may have changed since the start.
static void refresh_name(Thread *t) {
    if (!t->java_thread) return;
    char name[128];
    thread_name(t, name, sizeof name);
    profile_thread_name(t, name);
}

static void merge(void *ended) { instrument_hooks.profiler->thread_end(ended); }

void profile_counted(void *thread, enum EventId event, const uint32_t *words, uint64_t times) {
    instrument_hooks.profiler->counted(((const Thread *)thread)->prof, event, words, times);
}

EventSet profile_counts(void) {
    if (!profiles.recording) return 0;
    if (threads.shadow) return profile_shadow_counts();
    bool own = threads.counters && !profiles.prepares;  // otherwise they belong to code for shadows
    return own ? events->needs->counts : 0;
}

// A shadow that counts its checks samples every one, and reports its samples. Whether threads have counters does
// not matter: without them nothing is compiled for shadows, and the interpreter has its own.
EventSet profile_shadow_counts(void) { return events->needs->shadow->checks ? 0 : events->needs->counts; }

// With an interval of one, every check is a sample, and checks are counted.
SamplingRequest profile_shadow_sampling(void) {
    SamplingRequest sampling = events->needs->sampling;
    if (!events->needs->shadow->checks) return sampling;
    sampling.mode = SAMPLING_COUNTER;
    sampling.interval = sampling.burst = 1;
    sampling.checks = CHECKS_ALL;
    return sampling;
}

bool profile_prepares_shadows(void) { return profiles.prepares; }

static void leave_events(Thread *self) {
    vmevents_thread_end(self);
    eventwait_serve(self);
    if (events->enabled) {
        profiles.ended_checks += sampling_checks(self);
        profiles.ended_samples += self->sample.samples;
        profiles.ended_unsampled += self->sample.samples == 0;
    }
    self->sample.samples = self->sample.checks = self->sample.granted = 0;
}

void profile_thread_end(Thread *self) {
    atomic_store(&self->hands_in_counts, true);
    if (events->enabled) instrument_hooks.hand_in_counters(self);
    if (self->prof || self->time_record) refresh_name(self);
    if (self->prof) leave_events(self);
    // Records belong to the profiler afterwards, which may merge them into others. It sorts and merges tables: a stop
    // does not wait for that, and another profile may start meanwhile.
    while (self->prof || self->time_record)
        for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) {
            void *ended = instrument_hooks.take_record(self, kind);
            if (ended) thread_run_safe(self, THREAD_PAUSED, merge, ended);
        }
}

// ---- facts for the file -------------------------------------------------------------------------

static const char *label_of(const Class *c) { return classlabels_of(c->id, c->name->text); }

static bool describe_method(uint32_t id, ProfiledMethod *out) {
    const Method *m = method_by_id(id);
    if (!m) return unloaded_method(id, out);
    *out = (ProfiledMethod){
        .class_name = label_of(m->cls),
        .name = m->name->text,
        .desc = m->desc->text,
        .source_file = m->cls->source_file ? m->cls->source_file->text : NULL,
        .flags = m->flags,
        .application = class_is_applications(m->cls),
    };
    return true;
}

static int32_t line_of(uint32_t id, int32_t bci) {
    if (bci < 0) return -1;
    const Method *m = method_by_id(id);
    int32_t line = m ? method_line_number(m, bci) : unloaded_line(id, bci);
    return line < 0 ? -1 : line;
}

static bool describe_field(uint32_t id, ProfiledField *out) {
    const Field *f = fieldid_field(id);
    if (!f) return unloaded_field(id, out);
    *out = (ProfiledField){label_of(f->cls), f->name->text, f->desc->text, f->flags, class_is_applications(f->cls)};
    return true;
}

static bool describe_class_file(const char *class_name, ProfiledClassFile *out) {
    uint32_t id = classlabels_find(class_name);
    const Class *c = id ? class_by_id(id) : NULL;
    return c ? unloaded_file_of(c, out) : id && unloaded_class_file(id, out);
}

static char value_type(uint32_t id, int32_t bci) {
    const Method *m = method_by_id(id);
    if (!m || !m->info || !m->info->code || bci < 0 || (uint32_t)bci >= m->info->code->code_len) return '\0';
    const uint8_t *at = &m->info->code->code[bci];
    const OpcodeInfo *op = &opcodes_info[*at];
    if (op->flags & OPF_RETURN) return strchr(m->desc->text, ')')[1];
    if (op->flags & OPF_FIELD) return cp_ref_desc(m->cls, (uint16_t)(at[1] << 8 | at[2]))->text[0];
    const char *pushed = op->effect ? strchr(op->effect, '>') + 1 : "";
    return *pushed == 'A' ? 'L' : *pushed;
}

static const char *name_of_class(uint32_t id) {
    const Class *c = class_by_id(id);
    return c ? label_of(c) : unloaded_class(id);
}

// In a crash, a running thread is not at a call, so its stack shows no invocations. A thread that ends moves its
// counts into the profiler's tables, under the lock that a reader of running threads holds throughout. So a reader
// that sees that this has not begun finds none of these counts in the tables.
static void read_counters(Thread *t, bool exact, CountedFn *fn, void *arg) {
    if (!exact && atomic_load(&t->hands_in_counts)) return;
    CountersState state = !exact                   ? COUNTERS_MOVING
        : profiles.crashed && thread_is_running(t) ? COUNTERS_CRASHED
                                                   : COUNTERS_AT_REST;
    instrument_hooks.read_counters(t, state, fn, arg);
}

static const ProfileHost host = {.method = describe_method,
                                 .line = line_of,
                                 .field = describe_field,
                                 .class_name = name_of_class,
                                 .path = paths_text,
                                 .counted = read_counters,
                                 .class_file = describe_class_file,
                                 .value_type = value_type,
                                 .collect_soon = heap_collect_soon};

// Walks the list without its lock, because threads are stopped, or this is the copy of a crashed process.
static void sum_checks(ProfileRun *run) {
    run->checks = profiles.ended_checks;
    run->samples = profiles.ended_samples;
    run->unsampled = profiles.ended_unsampled;
    for (const Thread *t = threads.first; t; t = t->next) {
        run->checks += sampling_checks(t);
        run->samples += t->sample.samples;
        run->unsampled += t->prof && t->sample.samples == 0;
    }
}

SamplingRequest profile_sampling(ProfileKind kind) {
    SamplingRequest sampling = profiles.of[kind].needs->sampling;
    bool paused;
    if (kind == PROFILE_OF_EVENTS) sampling_config(&sampling, &paused);
    return sampling;
}

// `whole`: the world is stopped; false: this is the copy of a process in an arbitrary state. `jdk_version` is the
// caller's to free.
static ProfileRun describe_run(ProfileKind kind, bool whole) {
    const Profile *p = &profiles.of[kind];
    ProfileRun run = {
        .vm_version = CABERNET_NAME,
        .jdk_version = javahome_library_version(vm.java_home),
        .command = options_property(&vm.options, "sun.java.command"),
        .class_path = options_property(&vm.options, "java.class.path"),
        .mode = vm.options.interpret_only ? "-Xint"
            : vm.options.compile_all      ? "-Xcomp"
                                          : "mixed",
        .deterministic = vm.options.deterministic,
        .takes_turns = threads.take_turns,
        .off_ns = p->off_ns + (p->stopped_at ? (uint64_t)(thread_now() - p->stopped_at) : 0),
        .changes = p->changes,
    };
    run.sampling = profile_sampling(kind);
    if (kind == PROFILE_OF_EVENTS) sum_checks(&run);
    if (kind == PROFILE_OF_EVENTS && whole) run.allocated = heap_counted_bytes() - profiles.allocated_before;
    classlabels_make();
    return run;
}

static void write_profile(ProfileKind kind, const char *why, bool whole) {
    ProfileRun run = describe_run(kind, whole);
    instrument_hooks.profiler->write(kind, why, &run);
    free((char *)run.jdk_version);
}

// ---- start -------------------------------------------------------------------------------------

int profile_open(const char *text, ProfileRequest **request, char *error, size_t error_size) {
    ProfilerParse outcome = instrument_hooks.profiler->open(text, request, error, error_size);
    if (outcome == PROFILER_AT_MAIN) return 2;
    if (outcome != PROFILER_HELP) return outcome == PROFILER_REFUSED ? -1 : 0;
    char *help = instrument_hooks.profiler->help(text);
    if (help) fputs(help, stdout);
    free(help);
    return 1;
}

static bool refresh_visitor(Thread *t, void *arg) {
    (void)arg;
    refresh_name(t);
    return true;
}

static void close_shadows(void *arg) {
    (void)arg;
    instrument_hooks.close_shadows();
}

// Samples of time, if analyses of the profile want them.
static void sample_time(ProfileKind kind, bool on) {
    bool wanted = samples_time(kind);
    if (wanted && on) instrument_hooks.sample_time(kind, profiles.of[kind].needs);
    else if (wanted) instrument_hooks.stop_sampling_time();
}

// World stopped. A profile may have been ended meanwhile.
static void write_stopped(Thread *self) {
    thread_each(self, refresh_visitor, NULL);
    eventwait_end();
    instrument_hooks.finish_shadows();
    for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) sample_time(kind, false);
    profilerthread_stop_all();
    char why[40] = "exit";
    int signal_number = atomic_load(&profiles.end_signal);
    if (signal_number) snprintf(why, sizeof why, "exit after signal %d", signal_number);
    for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) {
        if (has_started(kind)) write_profile(kind, why, true);
        atomic_store(&profiles.of[kind].state, PROFILE_OVER);
    }
}

// The thread that ends the process first stops all others, so that the profile is of one moment and contains nothing
// that they do afterwards. A thread that calls exit from native code becomes a running one for the stop.
static void write_at_exit(void) {
    // Where there is no profile, later starts are refused.
    bool any = false;
    for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) {
        uint32_t state = PROFILE_NONE;
        atomic_compare_exchange_strong(&profiles.of[kind].state, &state, PROFILE_OVER);
        any |= state == PROFILE_STARTED;
    }
    if (!any) return;
    Thread *self = thread_current();
    if (self && thread_is_running(self)) thread_run_waiting(self, close_shadows, NULL);
    else close_shadows(NULL);
    bool native = self && !thread_is_running(self);
    if (native) thread_native_to_vm(self);
    bool stop = !safepoint_stopped_by_me();
    if (self && stop) thread_settle_services(self);
    if (stop) safepoint_stop(self, "profile");
    if (has_started(PROFILE_OF_EVENTS) || has_started(PROFILE_OF_TIME)) write_stopped(self);
    if (stop) safepoint_resume(self);
    if (native) thread_vm_to_native(self);
}

void profile_ends_by_signal(int signal) { atomic_store(&profiles.end_signal, signal); }

static void instrument(const SamplingRequest *asked) {
    SamplingRequest sampling = *asked;
    sampling_configure(&sampling, false);
    const ProfileNeeds *needs = events->needs;
    instrument_configure(needs->events, needs->placed);
    instrument_hooks.make_tables(needs->events | needs->placed, profile_counts(), sampling.checks == CHECKS_ALL,
                                 sampling_by_exits());
    if (wants_events()) vmevents_listen(true, needs->allocated);
    profiles.allocated_before = heap_counted_bytes();
    events->enabled = true;
    if (!threads.shadow) sample_time(PROFILE_OF_EVENTS, true);
}

static void instrument_process(void) {
    if (events->needs->counts) thread_use_counters();
    instrument(&events->needs->sampling);
}

void profile_init(void) { exithooks_add(write_at_exit); }

// Claims the place of the process's profile of the kind and starts it. The exit hook either finds the claim or makes it
// fail. There is no safepoint between the claim and the result, so the hook, which stops the world, never writes a
// profile that is half started.
static bool begin(ProfileRequest *request, ProfileKind kind, char *error, size_t error_size) {
    Profile *p = &profiles.of[kind];
    uint32_t state = PROFILE_NONE;
    bool claimed = atomic_compare_exchange_strong(&p->state, &state, PROFILE_STARTED);
    if (!claimed && state == PROFILE_OVER) {
        instrument_hooks.profiler->discard(request);
        snprintf(error, error_size, "the program is ending");
        return false;
    }
    const ProfileNeeds *needs = instrument_hooks.profiler->start(request, &host, error, error_size);
    if (needs) p->needs = needs;
    else if (claimed) atomic_store(&p->state, PROFILE_NONE);
    return needs != NULL;
}

// The program itself records nothing: its threads have the plain table, and its code reports no events.
static void prepare_for_shadows(void) {
    if (!profile_shadow_request()->prepares) return;
    profiles.prepares = true;
    if (profile_shadow_counts()) thread_use_counters();
    instrument_configure(events->needs->events, events->needs->placed);
}

bool profile_start(ProfileRequest *request, char *error, size_t error_size) {
    ProfileKind kind = instrument_hooks.profiler->kind(request);
    if (!begin(request, kind, error, error_size)) return false;
    if (kind == PROFILE_OF_TIME) {
        profiles.of[kind].enabled = true;
        sample_time(kind, true);
    } else if (profile_shadow_request()) {
        prepare_for_shadows();
    } else {
        instrument_process();
    }
    return true;
}

// ---- while the program runs (vm/instrument/profilecontrol.c) ------------------------------------------------

bool profile_is_on(ProfileKind kind) { return profiles.of[kind].enabled; }

bool profile_any_is_on(void) { return profile_is_on(PROFILE_OF_EVENTS) || profile_is_on(PROFILE_OF_TIME); }

ProfileState profile_state(ProfileKind kind) {
    ProfileState state = (ProfileState)atomic_load(&profiles.of[kind].state);
    bool in_shadows = kind == PROFILE_OF_EVENTS && state == PROFILE_STARTED && profile_shadow_request();
    return in_shadows ? PROFILE_IN_SHADOWS : state;
}

uint32_t profile_generation(void) { return atomic_load(&profiles.generation); }

void profile_account(ProfileKind kind, uint64_t ns, int64_t at, uint32_t count) {
    Profile *p = &profiles.of[kind];
    p->off_ns = ns;
    p->stopped_at = at;
    p->changes = count;
}

static bool start_time_visitor(Thread *t, void *arg) {
    (void)arg;
    join_time(t);
    return true;
}

static bool start_visitor(Thread *t, void *arg) {
    (void)arg;
    join_events(t);
    paths_forget(t);
    vmevents_stack(t);
    return true;
}

// Methods that are linked from now on set their events themselves (interp_link_method).
static void instrument_linked_methods(void) {
    for (uint32_t id = 1; id < method_id_limit(); id++) {
        Method *m = method_by_id(id);
        if (m) m->events = instrument_events(m);
    }
}

// Existing code reports for another state of the profile, so it is invalidated, in the same stop as the change:
// nothing is counted in between.
static void change_code(Thread *self) {
    atomic_fetch_add(&profiles.generation, 1);
    instrument_hooks.invalidate_all_code(self);
}

static void start_in_shadows(Thread *self) {
    stop_world(self);
    prepare_for_shadows();
    if (profiles.prepares) instrument_hooks.prepare_shadows();
    resume_world(self, PROFILE_OF_EVENTS);
    instrument_hooks.start_shadows(self);
}

static void start_time(Thread *self) {
    stop_world(self);
    profiles.of[PROFILE_OF_TIME].enabled = true;
    thread_each(self, start_time_visitor, NULL);
    sample_time(PROFILE_OF_TIME, true);
    resume_world(self, PROFILE_OF_TIME);
}

static void start_events(Thread *self) {
    stop_world(self);
    instrument_process();
    instrument_linked_methods();
    thread_each(self, start_visitor, NULL);
    if (wants_events()) change_code(self);
    resume_world(self, PROFILE_OF_EVENTS);
}

bool profile_start_late(Thread *self, ProfileRequest *request, char *error, size_t error_size) {
    ProfileKind kind = instrument_hooks.profiler->kind(request);
    if (!begin(request, kind, error, error_size)) return false;
    profiles.of[kind].stopped_ns = 0;
    if (kind == PROFILE_OF_TIME) start_time(self);
    else if (profile_shadow_request()) start_in_shadows(self);
    else start_events(self);
    return true;
}

// ---- in a shadow (vm/shadow/shadow.h) ---------------------------------------------------------------

void profile_begin_in_shadow(void) {
    SamplingRequest sampling = profile_shadow_sampling();
    profile_shadow_sink()->begin();
    profiles.of[PROFILE_OF_TIME].enabled = false;  // it is the program's
    instrument(&sampling);
    instrument_linked_methods();
    thread_each(NULL, start_visitor, NULL);
    atomic_fetch_add(&profiles.generation, 1);
}

uint64_t profile_checks(void) {
    uint64_t checks = profiles.ended_checks;
    thread_list_lock(NULL);
    for (const Thread *t = threads.first; t; t = t->next) checks += sampling_checks(t);
    thread_list_unlock(NULL);
    return checks;
}

bool profile_export(uint8_t **data, size_t *size) {
    thread_each(NULL, refresh_visitor, NULL);
    classlabels_make();
    return profile_shadow_sink()->give(data, size);
}

static bool record_visitor(Thread *t, void *arg) {
    (void)arg;
    if (profiles.recording) instrument_hooks.begin_counting(t);
    else instrument_hooks.pause_counting(t);
    if (t->prof) use_table(t);
    if (profiles.recording) paths_forget(t);
    if (profiles.recording) vmevents_stack(t);
    return true;
}

void profile_record(Thread *self, ProfileKind kind, bool on) {
    sample_time(kind, on);
    if (kind == PROFILE_OF_TIME || !wants_events()) return;
    stop_world(self);
    profiles.recording = on;
    vmevents_listen(on, events->needs->allocated);
    if (on) instrument_hooks.record_counts(true);
    thread_each(self, record_visitor, NULL);
    if (!on) instrument_hooks.record_counts(false);
    change_code(self);
    resume_world(self, kind);
}

void profile_listen(Thread *self, bool on) {
    sample_time(PROFILE_OF_EVENTS, on);
    stop_world(self);
    vmevents_listen(on, events->needs->allocated);
    resume_world(self, PROFILE_OF_EVENTS);
}

// World stopped.
static bool dump_stopped(Thread *self, ProfileKind kind, const char *path, bool last, char *error, size_t error_size) {
    thread_each(self, refresh_visitor, NULL);
    if (profiles.of[kind].needs->counters) instrument_hooks.read_system_counters(false);
    if (kind == PROFILE_OF_EVENTS && profile_shadow_request()) instrument_hooks.report_shadows();
    ProfileRun run = describe_run(kind, true);
    bool ok = instrument_hooks.profiler->dump(kind, path, &run, last, error, error_size);
    free((char *)run.jdk_version);
    return ok;
}

void profile_describe(Thread *self, ProfileKind kind, FILE *out) {
    stop_world(self);
    instrument_hooks.profiler->describe(kind, out);
    resume_world(self, kind);
    fprintf(out, ", stopped the program for %.3f s", (double)profiles.of[kind].stopped_ns / 1e9);
}

bool profile_dump(Thread *self, ProfileKind kind, const char *path, char *error, size_t error_size) {
    stop_world(self);
    bool ok = dump_stopped(self, kind, path, false, error, error_size);
    resume_world(self, kind);
    return ok;
}

// ---- the end of a profile on request ----------------------------------------------------------------
//
// Compile threads do not stop with the world, and ask what a profile wants. So its memory is freed in a second stop,
// when the compilations that began before the first one are finished; later ones see that nothing is recorded.

static bool leave_visitor(Thread *t, void *arg) {
    (void)arg;
    sampling_thread_end(t);
    thread_set_dispatch(t, instrument_hooks.table(INTERP_PLAIN));
    eventwait_forget(t);
    return true;
}

// All code becomes as without a profile. The counts have been written.
static void leave(Thread *self) {
    profiles.recording = false;
    sampling_end();
    instrument_hooks.forget_counters();
    thread_each(self, leave_visitor, NULL);
    if (wants_events()) change_code(self);
}

static void await_compilations(void *arg) {
    const uint64_t *begun = arg;
    while (!instrument_hooks.compilations_finished(*begun)) usleep(1000);
}

// World stopped.
static void forget(ProfileKind kind) {
    Profile *p = &profiles.of[kind];
    p->enabled = false;
    p->needs = &no_needs;
    instrument_hooks.profiler->end(kind);
    profile_account(kind, 0, 0, 0);
    if (kind == PROFILE_OF_EVENTS) {
        instrument_configure(0, 0);
        instrument_linked_methods();
        vmevents_listen(false, 0);
        profiles.recording = true;
        profiles.ended_checks = profiles.ended_samples = profiles.ended_unsampled = 0;
    }
    if (atomic_load(&p->state) != PROFILE_OVER) atomic_store(&p->state, PROFILE_NONE);
}

// In the program itself nothing was recorded. Code for shadows is discarded with all other code.
static void leave_shadows(Thread *self) {
    profiles.prepares = false;
    instrument_hooks.prepare_none();
    change_code(self);
}

static void await_shadows(void *arg) {
    (void)arg;
    instrument_hooks.close_shadows();
    instrument_hooks.await_shadows();
}

static void forget_shadows(void *arg) {
    (void)arg;
    instrument_hooks.forget_shadows();
}

// World stopped: writes the profile, unless the exit hook has.
static bool write_last(Thread *self, ProfileKind kind, const char *path, char *error, size_t error_size) {
    if (!has_started(kind)) {
        snprintf(error, error_size, "the program is ending");
        return false;
    }
    if (kind == PROFILE_OF_EVENTS && !profile_shadow_request()) vmevents_end();
    return dump_stopped(self, kind, path, true, error, error_size);
}

// No code knows of it.
static bool end_time(Thread *self, const char *path, char *error, size_t error_size) {
    safepoint_stop(self, "profile");
    bool ok = write_last(self, PROFILE_OF_TIME, path, error, error_size);
    if (ok) forget(PROFILE_OF_TIME);
    safepoint_resume(self);
    return ok;
}

static bool end_events(Thread *self, const char *path, char *error, size_t error_size) {
    bool shadows = profile_shadow_request();
    safepoint_stop(self, "profile");
    bool ok = write_last(self, PROFILE_OF_EVENTS, path, error, error_size);
    uint64_t begun = instrument_hooks.compilations_begun();
    if (ok) {
        atomic_store(&events->state, PROFILE_ENDING);
        if (shadows) leave_shadows(self);
        else leave(self);
    }
    safepoint_resume(self);
    if (!ok) return false;
    thread_run_waiting(self, await_compilations, &begun);
    if (shadows) thread_run_waiting(self, forget_shadows, NULL);
    safepoint_stop(self, "profile");
    forget(PROFILE_OF_EVENTS);
    safepoint_resume(self);
    return true;
}

bool profile_end(Thread *self, ProfileKind kind, const char *path, char *error, size_t error_size) {
    if (samples_time(kind)) instrument_hooks.end_sampling_time();
    if (kind == PROFILE_OF_TIME) return end_time(self, path, error, error_size);
    if (profile_shadow_request()) thread_run_waiting(self, await_shadows, NULL);
    return end_events(self, path, error, error_size);
}

ProfileSnapshot *profile_snapshot(uint64_t version) {
    ProfileKind kind = events->enabled ? PROFILE_OF_EVENTS : PROFILE_OF_TIME;
    const Profile *p = &profiles.of[kind];
    if (!p->enabled || atomic_load(&p->state) == PROFILE_ENDING) return NULL;
    SamplingRequest sampling = profile_sampling(kind);
    return instrument_hooks.profiler->snapshot(kind, version, &sampling);
}

// ---- crash -------------------------------------------------------------------------------------

enum { CRASH_SECONDS = 10 };

static void write_in_child(ProfileKind kind, int signal_number) {
    char why[32];
    signals_let_faults_kill();
    signal(SIGALRM, SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    alarm(CRASH_SECONDS);
    snprintf(why, sizeof why, "signal %d", signal_number);
    profiles.crashed = true;
    if (profiles.of[kind].needs->counters) instrument_hooks.read_system_counters(true);
    write_profile(kind, why, false);
    _exit(0);
}

// The child has only this thread. Another thread may have held the allocator's lock, which is then never released:
// the child hangs, and the alarm ends it.
static void write_crashed(ProfileKind kind, int signal_number) {
    pid_t child = _Fork();
    if (child == 0) write_in_child(kind, signal_number);
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (child > 0 && status == 0) return;
    static const char message[] = "cabernet: profile not written: the process is too damaged\n";
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
}

void profile_crash(int signal_number) {
    for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++)
        if (!threads.shadow && has_started(kind)) write_crashed(kind, signal_number);
}

// ---- a fork (vm/boot/subsystems.def) ------------------------------------------------

// Profiles belong to the parent, which writes them.
void profile_after_fork_child(void) {
    eventwait_end();
    for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) {
        uint32_t state = atomic_load(&profiles.of[kind].state);
        if (state == PROFILE_STARTED || state == PROFILE_ENDING)
            atomic_store(&profiles.of[kind].state, PROFILE_OF_PARENT);
    }
}
