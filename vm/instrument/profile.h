// The VM's side of profiling: puts threads on the instrumented dispatch table, turns what the
// interpreter does into events, and has the profile written before the process ends.
//
// Off unless -Xprofile was given; then nothing here costs anything, because the plain table
// contains no call to it. On from the first Java method of the VM to the end of the process.
#ifndef CABERNET_VM_PROFILE_H
#define CABERNET_VM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "vm/model/class.h"

// Checks -Xprofile's text before anything boots. 0: fine; 1: help was asked for and printed to
// stdout, the process should exit with 0; -1: refused, *error says why.
int profile_parse(const char *text, char *error, size_t error_size);

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

// The method_entry event (vm/api/events.def). The instrumented table and the calls of natives
// from C use it, on the current thread, once the callee is certain to run: its frame pushed, its
// monitor held. `caller` is the frame below the callee's, with its pc stored. Does not poll,
// throw or allocate Java objects.
void profile_method_entry(Thread *self, const Method *callee, Frame *caller);
// The same from compiled code: the caller is found by walking the stack, past `skip` frames.
void profile_compiled_entry(Thread *self, const Method *callee, int skip);
// The other events, on the current thread. `site`: an instruction cell or EVENT_SITE_OF_BCI. Neither walks,
// polls, throws nor allocates.
void profile_field_access(Thread *self, Field *field, uint32_t kind);
void profile_branch(Thread *self, const Method *m, uintptr_t site, uint32_t edge);
// The events that are wanted, bits 1u << EVENT_x, and the methods whose entries are events.
uint32_t profile_events(void);
bool profile_visible(const Method *m);

// ---- for vm/instrument/profilecontrol.c ----
// Starts profiling a program that is running: profile_start, then every thread that there is. Code
// compiled before reports nothing and has to be invalidated.
bool profile_start_late(Thread *self, const char *text, char *error, size_t error_size);
bool profile_is_on(void);  // started, whether it records or not
// Exact profiles: whether events are recorded. Stops the world; code compiled for the other case has to be
// invalidated. True at the start.
void profile_record(Thread *self, bool on);
// Counts the changes of what compiled code has to report. Code whose compilation began under another number is
// no good.
uint32_t profile_generation(void);
// For the profile's header: time in which nothing was recorded, until `stopped_at` (thread_now(); 0: it
// records), and how often sampling was changed.
void profile_account(uint64_t off_ns, int64_t stopped_at, uint32_t changes);
// Writes the profile as it is now; the program and the profile go on. NULL: to the profile's own file.
bool profile_dump(Thread *self, const char *path, char *error, size_t error_size);

// The process is about to die of `signal`: writes what can be written, from a copy of the process
// so that a second fault or a held lock cannot hang it (10 seconds at most). For the handler of
// fatal signals; async-signal-safe.
void profile_crash(int signal);

#endif
