// The VM's side of profiling: puts threads on the instrumented dispatch table, turns what the
// interpreter does into events, and has the profile written before the process ends.
//
// Off unless -Xprofile was given; then nothing here costs anything, because the plain table
// contains no call to it. On from the first Java method of the VM to the end of the process.
#ifndef CABERNET_VM_PROFILE_H
#define CABERNET_VM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "vm/api/events.h"
#include "vm/api/sampling.h"
#include "vm/api/snapshot.h"
#include "vm/model/class.h"

// Checks -Xprofile's text before anything boots. 0: fine; 1: help was asked for and printed to
// stdout, the process should exit with 0; 2: fine, and the profile begins with the program's main; -1: refused, *error says why.
int profile_parse(const char *text, char *error, size_t error_size);

// Registers the exit hook that writes the profile. Called once, before any profile starts.
void profile_init(void);

// Starts profiling as `text` says. Call after options_parse and before the first thread is made.
// False with *error when it cannot.
bool profile_start(const char *text, char *error, size_t error_size);

// Every thread that runs Java code, the main thread included: start when its Thread structure is
// made, before it runs Java code; name when java.lang.Thread is known or renamed; end when it will
// run no more. No-ops while profiling is off. The end: running, at a safepoint meanwhile [switch]. The others may be
// called in any state; none of them allocates Java objects or throws.
void profile_thread_start(Thread *self);
void profile_thread_name(Thread *t, const char *utf8);
void profile_thread_end(Thread *self);

// World stopped, at the end of marking (clear_weak_tables of gc/heap.h).
void profile_forget_dead(void);

// An event that the thread has counted in compiled code so often (CountedFn). The thread is the caller or stands still.
void profile_counted(const Thread *t, enum EventId event, const uint32_t *words, uint64_t times);
// The events that are counted instead of reported, by compiled code (vm/api/compiler.h) and the interpreter; none where threads
// have no counters (vm/threads/thread.h), or while nothing is recorded.
EventSet profile_counts(void);
// What compiled code asks of a ring (ProfilerInterface.site, room).
uint32_t profile_event_site(enum EventId event, uint32_t dynamic, const uint32_t *words);
void profile_event_room(Thread *self, enum EventId event);

// What the places of `m` report in code that is compiled now (vm/instrument/scope.h); 0 while nothing is recorded.
EventSet profile_events(const Method *m);

// With where=shadow: the same in code of shadows, and how that samples. Constant but for what profile_events depends on.
EventSet profile_shadow_events(const Method *m);
EventSet profile_shadow_counts(void);
SamplingRequest profile_shadow_sampling(void);
// Code is to be compiled for shadows (prepare=code). Any thread, constant from the start on.
bool profile_prepares_shadows(void);

// ---- for vm/instrument/profilecontrol.c ----
// Starts profiling a program that is running: profile_start, then every thread that there is. Code compiled before reports
// nothing and is invalidated.
// False with *error when it cannot; then another may start. Not with where=shadow.
bool profile_start_late(Thread *self, const char *text, char *error, size_t error_size);
bool profile_is_on(void);  // started in this process, whether it records or not

// The profile of this process.
typedef enum ProfileState {
    PROFILE_NONE,
    PROFILE_STARTED,     // started; written at the end of the process
    PROFILE_IN_SHADOWS,  // the same, with where=shadow
    PROFILE_OF_PARENT,   // the parent's, copied by a fork; not written here
    PROFILE_OVER,        // the process is ending without one; none can start
} ProfileState;
ProfileState profile_state(void);  // any thread, any state
// Exact profiles: whether events are recorded. Stops the world and invalidates code compiled for the other case. True at
// the start.
void profile_record(Thread *self, bool on);
// Sampled profiles: whether events of the VM are recorded, which no check chooses. Stops the world. True at the start.
void profile_listen(Thread *self, bool on);
// Counts the changes of what compiled code has to report. Code whose compilation began under another number is
// no good.
uint32_t profile_generation(void);
// For the profile's header: time in which nothing was recorded, until `stopped_at` (thread_now(); 0: it
// records), and how often sampling was changed.
void profile_account(uint64_t off_ns, int64_t stopped_at, uint32_t changes);
// Writes the profile as it is now; the program and the profile go on. NULL: to the profile's own file.
bool profile_dump(Thread *self, const char *path, char *error, size_t error_size);

// What the profile has counted so far, for the compiler (vm/api/snapshot.h); the caller is its user. NULL: there is no
// profile, or no memory. Any thread, also one that is not attached; nobody is stopped.
ProfileSnapshot *profile_snapshot(uint64_t version);

// ---- for vm/shadow/ ----
// In a shadow, the world stopped: every thread records everything from now on, and counts checks if that is wanted.
void profile_begin_in_shadow(void);
// Checks of all threads so far; takes the list lock. Exact while the world is stopped.
uint64_t profile_checks(void);
// What was recorded, for ProfilerInterface.shadow_take in the process that the shadow is a copy of. World stopped. False:
// out of memory.
bool profile_export(uint8_t **data, size_t *size);

// The process is about to die of `signal`: writes what can be written, from a copy of the process
// so that a second fault or a held lock cannot hang it (10 seconds at most). For the handler of
// fatal signals; async-signal-safe.
void profile_crash(int signal);

// The exit that follows is the library's answer to a signal, after its shutdown hooks: the file says so. Any thread.
void profile_ends_by_signal(int signal);

// After a fork, in the child: its events go on being counted, but no file is written.
void profile_after_fork_child(void);

#endif
