// The VM's side of profiling: puts threads on the instrumented dispatch table, turns actions of the interpreter into
// events, and has the profile written before the process ends.
//
// A profile begins with -Xprofile, or while the program runs (vm/instrument/profilecontrol.h), and ends on request or
// with the process; another one can then begin. One of each kind (vm/api/profiler.h) can run at a time. Outside
// profiles nothing here costs anything, because the plain table contains no call to it.
#ifndef CABERNET_VM_INSTRUMENT_PROFILE_H
#define CABERNET_VM_INSTRUMENT_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "vm/api/profiler.h"
#include "vm/model/class.h"

// Parses -Xprofile's text before anything boots. 0: valid; 1: help was requested and printed to stdout, and the
// process should exit with 0; 2: valid, and the profile begins with the program's main; -1: rejected, *error says
// why. *request is set if the text is valid.
int profile_open(const char *text, ProfileRequest **request, char *error, size_t error_size);

// Registers the exit hook that writes profiles. Called once, before any profile starts.
void profile_init(void);

// Starts the requested profile and takes over the request. Call after options_parse and before the first thread is
// made. False with *error if it cannot start.
bool profile_start(ProfileRequest *request, char *error, size_t error_size);

// Called for every thread that runs Java code, including the main thread. Start: when its Thread structure is made,
// before it runs Java code. Name: when its java.lang.Thread is known or renamed. End: when it will run no more Java
// code; it is running and reaches a safepoint [switch]. The others may be called in any state. None allocates Java
// objects or throws. No-ops while profiling is off.
void profile_thread_start(Thread *self);
void profile_thread_name(Thread *t, const char *utf8);
void profile_thread_end(Thread *self);

// Drops dead objects. World stopped, at the end of marking (clear_weak_tables of gc/heap.h).
void profile_forget_dead(void);
// Hands a collection that has ended to the profile. The collector's thread, world running.
void profile_collection(const ProfiledCollection *c);

// Adds `times` occurrences of an event that the thread has counted (CountedFn). The thread is the caller or stopped.
void profile_counted(void *thread, enum EventId event, const uint32_t *words, uint64_t times);
// The events that compiled code (vm/api/compiler.h) and the interpreter count instead of reporting them. None if
// threads have no counters (vm/threads/thread.h), or while nothing is recorded.
EventSet profile_counts(void);

// How compiled code writes into rings. Requires that profile_events has returned EVENTS_RING. Any thread.
RingForm profile_ring(void);

// Whether an analysis samples time (vm/api/timesample.h). Any thread.
bool profile_samples_time(void);

// The events that code compiled now reports at places of `m` (vm/instrument/scope.h); 0 while nothing is recorded.
EventSet profile_events(const Method *m);

// With where=shadow: the same for code of shadows, and its sampling. Constant, except for the facts on which
// profile_events depends.
EventSet profile_shadow_events(const Method *m);
EventSet profile_shadow_counts(void);
SamplingRequest profile_shadow_sampling(void);
// The request of where=shadow, NULL without it. Constant from the profile's start on.
const ShadowRequest *profile_shadow_request(void);
// The profiler's functions for shadows. Only with where=shadow.
const ShadowSink *profile_shadow_sink(void);
// Whether code is compiled for shadows (prepare=code). Any thread, constant from the start on.
bool profile_prepares_shadows(void);

// ---- for vm/instrument/profilecontrol.c ----
// Starts profiling a running program: profile_start, then every existing thread. Existing code reports nothing and is
// invalidated. False with *error if it cannot start; another profile can then be started. Not with where=shadow.
bool profile_start_late(Thread *self, ProfileRequest *request, char *error, size_t error_size);
// A profile was started in this process, whether it records or not.
bool profile_is_on(ProfileKind kind);
bool profile_any_is_on(void);

// A profile of this process.
typedef enum ProfileState {
    PROFILE_NONE,
    PROFILE_STARTED,     // started; written at the end of the process
    PROFILE_IN_SHADOWS,  // the same, with where=shadow
    PROFILE_OF_PARENT,   // copied from the parent by a fork; not written here
    PROFILE_ENDING,      // written on request; what it has recorded is being freed
    PROFILE_OVER,        // the process is ending; the profile is written, and none can start
} ProfileState;
ProfileState profile_state(ProfileKind kind);  // any thread, any state
// The present sampling of a profile. Any thread.
SamplingRequest profile_sampling(ProfileKind kind);
// Exact profiles and those of time: switches the recording. With events, stops the world and invalidates code compiled
// for the other case. On at the start.
void profile_record(Thread *self, ProfileKind kind, bool on);
// Sampled profiles: switches the recording of the VM's events, which no check selects. Stops the world. On at the
// start.
void profile_listen(Thread *self, bool on);
// The number of changes of what compiled code has to report. Code whose compilation began under another number must
// not be installed.
uint32_t profile_generation(void);
// For the profile's header: the time in which nothing was recorded, up to `stopped_at` (thread_now(); 0: recording is
// on), and the number of changes of the sampling.
void profile_account(ProfileKind kind, uint64_t off_ns, int64_t stopped_at, uint32_t changes);
// Prints the profile's name, analyses, file, the present number of its events and samples, and for how long it has
// stopped the program. The caller is running and stops the world.
void profile_describe(Thread *self, ProfileKind kind, FILE *out);
// Ends the stopped profile: writes it to `path`, NULL: to its own file, and frees what it has recorded. Another one can
// then start. False with *error: it could not be written, and is still stopped. The caller is running [switch].
bool profile_end(Thread *self, ProfileKind kind, const char *path, char *error, size_t error_size);
// Writes the profile in its present state; program and profile continue. NULL: to the profile's own file.
bool profile_dump(Thread *self, ProfileKind kind, const char *path, char *error, size_t error_size);

// The present counts for the compiler (vm/api/snapshot.h), of the profile of events if there is one; the caller becomes
// their user. NULL: there is no profile, or no memory. Any thread, attached or not; no thread is stopped.
ProfileSnapshot *profile_snapshot(uint64_t version);

// ---- for vm/shadow/ ----
// In a shadow, with the world stopped: every thread records everything from now on, and counts checks if that is
// requested.
void profile_begin_in_shadow(void);
// The number of checks that all threads have made; takes the list lock. Exact while the world is stopped.
uint64_t profile_checks(void);
// The recorded data, for ShadowSink.take in the process of which the shadow is a copy. World stopped.
// False: out of memory.
bool profile_export(uint8_t **data, size_t *size);

// The process is about to die of `signal`: writes what can be written, from a copy of the process, so that a second
// fault or a held lock cannot hang it (10 seconds at most). For the handler of fatal signals; async-signal-safe.
void profile_crash(int signal);

// The exit that follows is the class library's reaction to a signal, after its shutdown hooks; the file records that.
// Any thread.
void profile_ends_by_signal(int signal);

// Called after a fork, in the child: its events are still counted, but no file is written.
void profile_after_fork_child(void);

#endif
