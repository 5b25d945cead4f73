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

static struct {
    Lock lock;                          // guards the fields that are not atomic
    _Atomic(ProfileRequest *) at_main;  // the profile to start when main is called, or NULL
    _Atomic bool reflected;             // the next main called by reflection is the program's
    bool stopped;
    int64_t stopped_at;  // thread_now()
    uint64_t off_ns;     // excludes the time since stopped_at
    uint32_t changes;
} profile_control;

__attribute__((format(printf, 3, 4))) static bool refuse(char *error, size_t size, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(error, size, format, args);
    va_end(args);
    return false;
}

static uint64_t off_now(void) {
    return profile_control.off_ns +
        (profile_control.stopped ? (uint64_t)(thread_now() - profile_control.stopped_at) : 0);
}

// The reason why there is no profile for commands to change. NULL: there is one.
static const char *why_none(void) {
    switch (profile_state()) {
        case PROFILE_IN_SHADOWS:
            return "the profile is made in shadows, and cannot pause or change; Profile.dump writes it, Profile.end "
                   "ends it";
        case PROFILE_OF_PARENT: return "the profile is the parent process's";
        case PROFILE_NONE:
        case PROFILE_STARTED:
        case PROFILE_ENDING:
        case PROFILE_OVER: break;
    }
    return profile_is_on() ? NULL : "no profile was started";
}

bool profilecontrol_there_is(char *error, size_t size) {
    const char *why = why_none();
    return !why || refuse(error, size, "%s", why);
}

// ---- the commands, with the lock ----------------------------------------------------------------

static void set_recording(Thread *self, bool on) {
    SamplingRequest sampling;
    bool paused;
    sampling_config(&sampling, &paused);
    if (sampling.mode != SAMPLING_OFF) {
        sampling_configure(&sampling, !on);
        profile_listen(self, on);
    } else {
        profile_record(self, on);
    }
}

static bool resume(Thread *self, const char *text, char *error, size_t size) {
    bool stopped = profile_control.stopped;
    if (text) {
        const char *resumes = stopped ? "; without options, Profile.start resumes it" : "";
        return refuse(error, size, "there is a profile, which Profile.end ends%s", resumes);
    }
    if (!stopped) return refuse(error, size, "the profile is running");
    profile_control.off_ns = off_now();
    profile_control.stopped = false;
    set_recording(self, true);
    return true;
}

static bool start(Thread *self, const char *text, char *error, size_t size) {
    ProfileState state = profile_state();
    const char *why = state == PROFILE_IN_SHADOWS || state == PROFILE_OF_PARENT ? why_none() : NULL;
    if (!why && atomic_load(&profile_control.at_main)) why = "a profile starts when the program's main is called";
    if (why) return refuse(error, size, "%s", why);
    if (profile_is_on()) return resume(self, text, error, size);
    if (!text) return refuse(error, size, "name an analysis or a preset, as after -Xprofile:");
    ProfileRequest *request;
    switch (instrument_hooks.profiler->open(text, &request, error, size)) {
        case PROFILER_REFUSED: return false;
        case PROFILER_HELP: return refuse(error, size, "cabernet -Xprofile:help lists analyses and options");
        case PROFILER_OK: return profile_start_late(self, request, error, size);
        case PROFILER_AT_MAIN: why = "from=main belongs to the command line: the program's main was called"; break;
    }
    instrument_hooks.profiler->discard(request);
    return refuse(error, size, "%s", why);
}

static bool stop(Thread *self, char *error, size_t size) {
    if (!profilecontrol_there_is(error, size)) return false;
    if (profile_control.stopped) return refuse(error, size, "the profile is stopped");
    profile_control.stopped = true;
    profile_control.stopped_at = thread_now();
    set_recording(self, false);
    return true;
}

// A profile that cannot be written stays, stopped. Of one in shadows no more are forked then.
static bool end(Thread *self, const char *path, char *error, size_t size) {
    bool shadows = profile_state() == PROFILE_IN_SHADOWS;
    if (!shadows && !profilecontrol_there_is(error, size)) return false;
    if (!profile_control.stopped && !shadows && !stop(self, error, size)) return false;
    if (!profile_control.stopped) profile_control.stopped_at = thread_now();
    profile_control.stopped = true;
    profile_account(profile_control.off_ns, profile_control.stopped_at, profile_control.changes);
    if (!profile_end(self, path, error, size)) return false;
    profile_control.stopped = false;
    profile_control.stopped_at = 0;
    profile_control.off_ns = 0;
    profile_control.changes = 0;
    return true;
}

static bool set(const char *text, char *error, size_t size) {
    SamplingRequest sampling;
    bool paused;
    if (!profilecontrol_there_is(error, size)) return false;
    if (!text)
        return refuse(error, size, "name what is to change: interval=, jitter=, burst=, or a register of productions");
    sampling_config(&sampling, &paused);
    if (!instrument_hooks.profiler->change_sampling(&sampling, text, error, size)) return false;
    sampling_configure(&sampling, paused);
    profile_control.changes++;
    return true;
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

bool profilecontrol(Thread *self, ProfileCommand command, const char *text, char *error, size_t size) {
    bool ok = refuse(error, size, "no such command");  // Java may pass any number
    lock_enter(self, &profile_control.lock);
    switch (command) {
        case PROFILE_START: ok = start(self, text, error, size); break;
        case PROFILE_STOP: ok = stop(self, error, size); break;
        case PROFILE_SET: ok = set(text, error, size); break;
        case PROFILE_DUMP:
            ok = (profile_state() == PROFILE_IN_SHADOWS || profilecontrol_there_is(error, size)) &&
                profile_dump(self, text, error, size);
            break;
        case PROFILE_END: ok = end(self, text, error, size); break;
    }
    profile_account(profile_control.off_ns, profile_control.stopped ? profile_control.stopped_at : 0,
                    profile_control.changes);
    lock_exit(self, &profile_control.lock);
    return ok;
}

void profilecontrol_status(Thread *self, FILE *out) {
    SamplingRequest s;
    bool paused;
    lock_enter(self, &profile_control.lock);
    sampling_config(&s, &paused);
    if (profile_state() == PROFILE_IN_SHADOWS) {
        fputs(profile_control.stopped ? "stopped, in shadows: Profile.end writes it\n" : "running in shadows\n", out);
    } else if (profile_state() == PROFILE_OF_PARENT) {
        fprintf(out, "%s\n", why_none());
    } else if (!profile_is_on()) {
        fputs(atomic_load(&profile_control.at_main) ? "no profile yet: it starts when the program's main is called\n"
                                                    : "no profile\n",
              out);
    } else {
        fprintf(out, "%s, sampling=%s", profile_control.stopped ? "stopped" : "running",
                instrument_hooks.profiler->mode_name(&s));
        if (s.rate) fprintf(out, " rate=%u", s.rate);
        else if (s.mode == SAMPLING_TIMER) fprintf(out, " interval=%uus", s.interval_us);
        else if (s.mode != SAMPLING_OFF) fprintf(out, " interval=%u", s.interval);
        if (s.mode == SAMPLING_JITTER && !s.rate) fprintf(out, " jitter=%u", s.jitter);
        if (s.mode != SAMPLING_OFF) fprintf(out, " burst=%u", s.burst);
        fprintf(out, ", changed %u times, off for %.3f s, ", profile_control.changes, (double)off_now() / 1e9);
        profile_describe(self, out);
        putc('\n', out);
    }
    lock_exit(self, &profile_control.lock);
}
