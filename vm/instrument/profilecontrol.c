// Starting, stopping and changing a profile while the program runs (vm/instrument/profilecontrol.h).
//
// A stopped sampled profile still counts checks but takes no samples, so its code stays unchanged. The VM's events,
// which are not sampled, are switched off separately. An exact profile has events everywhere, so its code is
// invalidated when it stops and starts. Running loops leave such code at their next yieldpoint.
#include "vm/instrument/profilecontrol.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/sampling.h"
#include "vm/model/vm.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/threads/lock.h"

typedef struct Pauses {
    bool stopped;
    int64_t stopped_at;  // thread_now()
    uint64_t off_ns;     // excludes the time since stopped_at
    uint32_t changes;
} Pauses;

static struct {
    Lock lock;                          // guards the fields that are not atomic
    _Atomic(ProfileRequest *) at_main;  // the profile to start when main is called, or NULL
    _Atomic bool reflected;             // the next main called by reflection is the program's
    Pauses pauses[PROFILE_KINDS];
} profile_control;

__attribute__((format(printf, 3, 4))) static bool refuse(char *error, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return false;
}

static uint64_t off_now(const Pauses *p) {
    return p->off_ns + (p->stopped ? (uint64_t)(thread_now() - p->stopped_at) : 0);
}

static void account(ProfileKind kind) {
    const Pauses *p = &profile_control.pauses[kind];
    profile_account(kind, p->off_ns, p->stopped ? p->stopped_at : 0, p->changes);
}

// The reason why there is no profile of the kind for commands to change. NULL: there is one.
static const char *why_none(ProfileKind kind) {
    switch (profile_state(kind)) {
        case PROFILE_IN_SHADOWS:
            return "the profile is made in shadows, and cannot pause or change; Profile.dump writes it, Profile.end "
                   "ends it";
        case PROFILE_OF_PARENT: return "the profile is the parent process's";
        case PROFILE_NONE:
        case PROFILE_STARTED:
        case PROFILE_ENDING:
        case PROFILE_OVER: break;
    }
    return profile_is_on(kind) ? NULL : "no profile was started";
}

static bool is_present(ProfileKind kind) { return profile_is_on(kind) || profile_state(kind) == PROFILE_IN_SHADOWS; }

// ---- the commands, with the lock ----------------------------------------------------------------

static const char *name_of(ProfileKind kind) { return instrument_hooks.profiler->name(kind); }

// The profile that a command is for: the named one, or without a name the only one.
static bool find(const char *name, ProfileKind *kind, char *error, size_t size) {
    bool events = is_present(PROFILE_OF_EVENTS), time = is_present(PROFILE_OF_TIME);
    const char *first = events ? name_of(PROFILE_OF_EVENTS) : "", *second = time ? name_of(PROFILE_OF_TIME) : "";
    const char *comma = events && time ? " and " : "";
    *kind = time && (!events || (name && strcmp(name, second) == 0)) ? PROFILE_OF_TIME : PROFILE_OF_EVENTS;
    if (!events && !time) return refuse(error, size, "no profile was started");
    if (!name && events && time)
        return refuse(error, size, "there are two profiles: say name=%s or name=%s", first, second);
    if (name && strcmp(name, name_of(*kind)) != 0)
        return refuse(error, size, "there is no profile %s, but %s%s%s", name, first, comma, second);
    return true;
}

static void set_recording(Thread *self, ProfileKind kind, bool on) {
    if (profile_sampling(kind).mode != SAMPLING_OFF) {
        SamplingRequest sampling = profile_sampling(kind);
        sampling_configure(&sampling, !on);
        profile_listen(self, on);
    } else {
        profile_record(self, kind, on);
    }
}

static bool resume(Thread *self, ProfileKind kind, char *error, size_t size) {
    Pauses *p = &profile_control.pauses[kind];
    const char *why = why_none(kind);
    if (!why && !p->stopped) why = "the profile is running";
    if (why) return refuse(error, size, "%s", why);
    p->off_ns = off_now(p);
    p->stopped = false;
    set_recording(self, kind, true);
    return true;
}

static bool start_requested(Thread *self, ProfileRequest *request, char *error, size_t size) {
    ProfileKind with = instrument_hooks.profiler->conflict(request);
    bool ok = profile_start_late(self, request, error, size);
    size_t n = strlen(error);
    if (!ok && with != PROFILE_KINDS && profile_control.pauses[with].stopped)
        snprintf(error + n, size - n, "; without options, Profile.start resumes it");
    return ok;
}

static bool start(Thread *self, const char *name, const char *text, char *error, size_t size) {
    ProfileRequest *request;
    ProfileKind kind;
    const char *why = NULL;
    for (kind = 0; kind < PROFILE_KINDS; kind++)
        if (profile_state(kind) == PROFILE_OF_PARENT) why = why_none(kind);
    if (atomic_load(&profile_control.at_main)) why = "a profile starts when the program's main is called";
    if (why) return refuse(error, size, "%s", why);
    if (!text && (name || is_present(PROFILE_OF_EVENTS) || is_present(PROFILE_OF_TIME)))
        return find(name, &kind, error, size) && resume(self, kind, error, size);
    if (!text) return refuse(error, size, "name an analysis or a preset, as after -Xprofile:");
    char *named = NULL;
    if (name && asprintf(&named, "%s:name=%s", text, name) < 0) return refuse(error, size, "out of memory");
    ProfilerParse parsed = instrument_hooks.profiler->open(named ? named : text, &request, error, size);
    free(named);
    switch (parsed) {
        case PROFILER_REFUSED: return false;
        case PROFILER_HELP: return refuse(error, size, "cabernet -Xprofile:help lists analyses and options");
        case PROFILER_OK: return start_requested(self, request, error, size);
        case PROFILER_AT_MAIN: break;
    }
    instrument_hooks.profiler->discard(request);
    return refuse(error, size, "from=main belongs to the command line: the program's main was called");
}

static bool stop(Thread *self, ProfileKind kind, char *error, size_t size) {
    Pauses *p = &profile_control.pauses[kind];
    const char *why = why_none(kind);
    if (!why && p->stopped) why = "the profile is stopped";
    if (why) return refuse(error, size, "%s", why);
    p->stopped = true;
    p->stopped_at = thread_now();
    set_recording(self, kind, false);
    return true;
}

// A profile that cannot be written stays, stopped. Of one in shadows no more are forked then.
static bool end(Thread *self, ProfileKind kind, const char *path, char *error, size_t size) {
    Pauses *p = &profile_control.pauses[kind];
    bool shadows = profile_state(kind) == PROFILE_IN_SHADOWS;
    const char *why = shadows ? NULL : why_none(kind);
    if (why) return refuse(error, size, "%s", why);
    if (!p->stopped && !shadows && !stop(self, kind, error, size)) return false;
    if (!p->stopped) p->stopped_at = thread_now();
    p->stopped = true;
    account(kind);
    if (!profile_end(self, kind, path, error, size)) return false;
    *p = (Pauses){0};
    return true;
}

static bool dump(Thread *self, ProfileKind kind, const char *path, char *error, size_t size) {
    const char *why = profile_state(kind) == PROFILE_IN_SHADOWS ? NULL : why_none(kind);
    return why ? refuse(error, size, "%s", why) : profile_dump(self, kind, path, error, size);
}

static bool set(ProfileKind kind, const char *text, char *error, size_t size) {
    SamplingRequest sampling = profile_sampling(kind);
    const char *why = why_none(kind);
    if (why) return refuse(error, size, "%s", why);
    if (!text)
        return refuse(error, size, "name what is to change: interval=, jitter=, burst=, or a register of productions");
    if (!instrument_hooks.profiler->change_sampling(kind, &sampling, text, error, size)) return false;
    sampling_configure(&sampling, profile_control.pauses[kind].stopped);
    profile_control.pauses[kind].changes++;
    return true;
}

bool profilecontrol_there_is(char *error, size_t size) {
    const char *events = why_none(PROFILE_OF_EVENTS), *time = why_none(PROFILE_OF_TIME);
    if (!events || !time) return true;
    return refuse(error, size, "%s", profile_state(PROFILE_OF_EVENTS) == PROFILE_NONE ? time : events);
}

// ---- from=main ----------------------------------------------------------------------------------

void profilecontrol_at_main(ProfileRequest *request) { atomic_store(&profile_control.at_main, request); }

// The launcher of source files is itself a main. It compiles the program and calls the program's main by reflection.
void profilecontrol_calls(Thread *self, const Method *m, bool reflected) {
    char error[512];
    if (!atomic_load(&profile_control.at_main) || !method_is_main(m)) return;
    if (reflected != atomic_load(&profile_control.reflected)) return;
    if (!reflected && strcmp(m->cls->name->text, "com/sun/tools/javac/launcher/Main") == 0) {
        atomic_store(&profile_control.reflected, true);
        return;
    }
    lock_enter(self, &profile_control.lock);
    ProfileRequest *request = atomic_exchange(&profile_control.at_main, NULL);
    bool ok = !request || profile_start_late(self, request, error, sizeof error);
    lock_exit(self, &profile_control.lock);
    if (ok) return;
    exception_clear(self);
    throw_wk(self, "java/lang/InternalError", "-Xprofile:%s: %s", vm.options.profile, error);
}

// ---- entry points -------------------------------------------------------------------------------

bool profilecontrol(Thread *self, ProfileCommand command, const char *name, const char *text, char *error,
                    size_t size) {
    ProfileKind kind = PROFILE_OF_EVENTS;
    bool ok = refuse(error, size, "no such command");  // Java may pass any number
    lock_enter(self, &profile_control.lock);
    if (command == PROFILE_START) ok = start(self, name, text, error, size);
    else if (command <= PROFILE_END && find(name, &kind, error, size)) switch (command) {
            case PROFILE_START: break;
            case PROFILE_STOP: ok = stop(self, kind, error, size); break;
            case PROFILE_SET: ok = set(kind, text, error, size); break;
            case PROFILE_DUMP: ok = dump(self, kind, text, error, size); break;
            case PROFILE_END: ok = end(self, kind, text, error, size); break;
        }
    for (kind = 0; kind < PROFILE_KINDS; kind++) account(kind);
    lock_exit(self, &profile_control.lock);
    return ok;
}

static void print_sampling(const SamplingRequest *s, FILE *out) {
    fprintf(out, "sampling=%s", instrument_hooks.profiler->mode_name(s));
    if (s->rate) fprintf(out, " rate=%u", s->rate);
    else if (s->mode == SAMPLING_TIMER) fprintf(out, " interval=%uus", s->interval_us);
    else if (s->mode != SAMPLING_OFF) fprintf(out, " interval=%u", s->interval);
    if (s->mode == SAMPLING_JITTER && !s->rate) fprintf(out, " jitter=%u", s->jitter);
    if (s->mode != SAMPLING_OFF) fprintf(out, " burst=%u", s->burst);
}

// A line about the profile of the kind. False: there is none.
static bool print_status(Thread *self, ProfileKind kind, FILE *out) {
    const Pauses *p = &profile_control.pauses[kind];
    ProfileState state = profile_state(kind);
    if (state == PROFILE_OF_PARENT) {
        fprintf(out, "%s\n", why_none(kind));
    } else if (state == PROFILE_IN_SHADOWS) {
        fputs(p->stopped ? "stopped, in shadows: Profile.end writes it, " : "running in shadows, ", out);
        profile_describe(self, kind, out);
        putc('\n', out);
    } else if (profile_is_on(kind)) {
        SamplingRequest sampling = profile_sampling(kind);
        fprintf(out, "%s, ", p->stopped ? "stopped" : "running");
        print_sampling(&sampling, out);
        fprintf(out, ", changed %u times, off for %.3f s, ", p->changes, (double)off_now(p) / 1e9);
        profile_describe(self, kind, out);
        putc('\n', out);
    } else {
        return false;
    }
    return true;
}

void profilecontrol_status(Thread *self, FILE *out) {
    bool any = false;
    lock_enter(self, &profile_control.lock);
    for (ProfileKind kind = 0; kind < PROFILE_KINDS; kind++) any |= print_status(self, kind, out);
    if (!any)
        fputs(atomic_load(&profile_control.at_main) ? "no profile yet: it starts when the program's main is called\n"
                                                    : "no profile\n",
              out);
    lock_exit(self, &profile_control.lock);
}
