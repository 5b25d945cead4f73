// The profiler as driven by the VM, and the VM's services for the profiler. Implemented in profiler/; the VM's side is
// vm/instrument/profile.c.
#ifndef CABERNET_VM_API_PROFILER_H
#define CABERNET_VM_API_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bytecode/classfile/classfile.h"
#include "vm/api/eventplaces.h"
#include "vm/api/counters.h"
#include "vm/api/events.h"
#include "vm/api/sampling.h"
#include "vm/api/shadow.h"
#include "vm/api/snapshot.h"
#include "vm/api/timesample.h"

// A method as shown in profiles, also after its class has been unloaded. The strings live as long as the VM, or as a
// loaded class; NULL where there is none.
typedef struct ProfiledMethod {
    const char *class_name;  // internal form, modified UTF-8
    const char *name;
    const char *desc;
    const char *source_file;
    uint16_t flags;    // ACC_* of the class file
    bool application;  // its class came from a class path, a module path or a loader of the program
} ProfiledMethod;

// A field as shown in profiles, with the same lifetimes.
typedef struct ProfiledField {
    const char *class_name;  // internal form, modified UTF-8
    const char *name;
    const char *desc;
    uint16_t flags;    // ACC_* of the class file
    bool application;  // as of a method
} ProfiledField;

// The bytes that a class was defined with: their CRC-32 and length, as archives record them for their entries.
typedef struct ProfiledClassFile {
    uint32_t crc;
    uint64_t size;
    const char *origin;  // the loader's source for them, a URL or a text of the VM; stays; NULL: unknown
} ProfiledClassFile;

// Receives an event that compiled code has counted `times` times. `words`: the constant fields of its payload, in its
// order, as sinks get them (METHOD, BCI, FIELD, CLASS and NUMBER, and VALUE as two words, the lower one first; the
// others are unknown). Arrays that one place has allocated are given the mean of their bytes (allocation.bytes).
typedef void CountedFn(void *arg, enum EventId event, const uint32_t *words, uint64_t times);

// Queries that the VM answers for the profiler while a profile is written or a snapshot is made. Each function may be
// called on any thread, attached or not, and neither allocates Java objects nor throws.
typedef struct ProfileHost {
    // Facts about a method id; false when there is no such method.
    bool (*method)(uint32_t id, ProfiledMethod *out);
    // Source line of a bytecode index; -1 where unknown, and for EVENT_NO_BCI.
    int32_t (*line)(uint32_t method, int32_t bci);
    // Facts about a field id; false when there is no such field. May be NULL.
    bool (*field)(uint32_t id, ProfiledField *out);
    // Name of a class id in internal form, which lives as long as the VM; NULL when there is no such class. May be
    // NULL.
    const char *(*class_name)(uint32_t id);
    // A path of an event `path` as text, malloc'd (vm/instrument/pathprofile.h); NULL when there is none. May be NULL.
    char *(*path)(uint32_t method, int32_t bci, uint32_t path);
    // The present counts that compiled code has made for the thread since it began or handed its counts in
    // (ProfilerInterface.counted). `exact`: threads are stopped, or the thread is the caller. May be NULL.
    void (*counted)(struct Thread *t, bool exact, CountedFn *fn, void *arg);
    // By a class's name, as `method` and the others return it. False: there is no such class, or it is hidden or an
    // array, which have no file. May be NULL.
    bool (*class_file)(const char *class_name, ProfiledClassFile *out);
    // The type of the value that an instruction loads, computes or returns: the first character of its descriptor, I
    // for elements of int and shorter types. '\0': there is no such method any more, or the instruction makes no value.
    // May be NULL.
    char (*value_type)(uint32_t method, int32_t bci);
    // Requests a collection, whose end ProfilerInterface.forget_dead reports, and does not wait for it. Any thread. May
    // be NULL.
    void (*collect_soon)(const char *cause);
} ProfileHost;

// Facts about the run for the file's header.
typedef struct ProfileRun {
    const char *vm_version;
    const char *jdk_version;
    const char *command;       // main class or jar with its arguments; NULL: unknown
    const char *class_path;    // the program's; NULL: none
    const char *mode;          // how code ran: "-Xint", "-Xcomp" or "mixed"
    bool deterministic;        // -Xdeterministic
    bool takes_turns;          // its threads switch at the same points in each run
    uint64_t checks;           // executed by the threads, sampling only
    uint64_t samples;          // checks that recorded
    uint64_t unsampled;        // threads none of whose checks recorded
    uint64_t truncated;        // samples that were cut short, so that part of their events is missing
    uint64_t allocated;        // bytes of the Java heap, while recording, if allocation is an event
    uint64_t off_ns;           // time since the profile's start in which recording was off on purpose
    uint32_t changes;          // number of sampling changes while the program ran
    SamplingRequest sampling;  // the present one
} ProfileRun;

// A collection of the Java heap that has ended.
typedef struct ProfiledCollection {
    uint64_t number;                // of all collections of the process, from 0
    int64_t start_ns;               // CLOCK_MONOTONIC when the threads were asked to stop
    uint64_t pause_ns;              // until they were resumed
    const char *collector, *cause;  // static: the collector's name as its bean has it, and why it collected
    bool young;                     // of young objects only
    uint64_t before, after;         // bytes in use
} ProfiledCollection;

// A process has at most one profile of each kind. They share no mechanism, so both may run at a time; of two profiles
// only one samples time.
typedef enum ProfileKind {
    PROFILE_OF_EVENTS,  // of what instrumented or sampled code and the VM report; may sample time as well
    PROFILE_OF_TIME,    // only interrupts threads at ticks of clocks and counters: all code is unchanged
    PROFILE_KINDS,
} ProfileKind;

// The text after -Xprofile:, parsed. Opaque to the VM.
typedef struct ProfileRequest ProfileRequest;

typedef enum ProfilerParse {
    PROFILER_OK,
    PROFILER_AT_MAIN,  // the same with from=main: begins when the program's main is called
    PROFILER_HELP,     // -Xprofile:help
    PROFILER_REFUSED,  // unknown, illegal or not built yet: *error gives the reason
} ProfilerParse;

// The needs of a profile. They are constant after its start.
typedef struct ProfileNeeds {
    EventSet events;    // reported wherever they happen
    EventSet placed;    // further events, reported only at places that ProfilerInterface.match and events_at select
    EventSet counts;    // events that are only counted, with their constants: compiled code may count them itself
    EventSet delivery;  // how compiled code delivers the others: flags of EVENTS_DELIVERY
    RingForm ring;      // with EVENTS_RING
    SamplingRequest sampling;        // as requested; the VM keeps track of later changes
    uint32_t hz[TIME_CLOCKS];        // samples of time per second and thread, 0: none
    uint64_t allocated;              // bytes from one allocation_sample to the next, 0: none
    const CounterRequest *counters;  // counters of the processor and the kernel for each thread; NULL: none
    const ShadowRequest *shadow;     // with where=shadow; otherwise NULL, like the next one
    const ShadowSink *shadow_sink;
} ProfileNeeds;

// Functions that the VM calls. They are the profiler's (profiler/control/profiler.c); vm/boot/hooks.c passes their
// table to vm/instrument/.
typedef struct ProfilerInterface {
    // Parses the text after -Xprofile: without starting anything. *request is set unless the result is PROFILER_HELP
    // or PROFILER_REFUSED; then *error is a sentence without a newline, NUL-terminated, if the text was refused.
    ProfilerParse (*open)(const char *text, ProfileRequest **request, char *error, size_t error_size);
    // Frees a request that will not be started.
    void (*discard)(ProfileRequest *request);

    // The help that `text` asked for, after PROFILER_HELP. malloc'd; NULL when out of memory.
    char *(*help)(const char *text);

    ProfileKind (*kind)(const ProfileRequest *request);
    // The present profile with the same mechanism or name as the requested one. PROFILE_KINDS: there is none.
    ProfileKind (*conflict)(const ProfileRequest *request);
    // The name of a present profile; it stays as long as the profile. NULL: there is none of the kind.
    const char *(*name)(ProfileKind kind);

    // Starts the requested profile and takes over the request; threads may be attached from now on. `host` must stay
    // valid. NULL with *error on failure, which a conflict is: the previous state is restored, and another profile may
    // start. Not thread-safe.
    const ProfileNeeds *(*start)(ProfileRequest *request, const ProfileHost *host, char *error, size_t error_size);

    // The events needed somewhere in a method, whose names `m` has; called once for each method before its events are
    // requested. EVENTS_PLACED: some only at places for which events_at returns them. `info` NULL: the method has no
    // class file. Any thread; takes a private lock.
    EventSet (*match)(uint32_t method, const ProfiledMethod *m, const ClassFile *file, const ClassFileMethod *info);
    // The placed events needed at one place, EVENT_NO_BCI for the method's entry. *guard: the counters that decide
    // whether they are wanted, which compiled code then tests itself; its count is 0 if they always are. `guard` may be
    // NULL. Any thread.
    EventSet (*events_at)(uint32_t method, int32_t bci, PlaceGuard *guard);
    // For an assignment for which match has requested scalar_pair: the locals that its value is compared with. Any
    // thread.
    unsigned (*partners_at)(uint32_t method, int32_t bci, uint16_t locals[SCALAR_LOCALS]);

    // Compiled code writes events into a ring itself (EVENTS_RING): it stores the number of the event and of its
    // payload, as returned by `site`, at the position set by thread_start, if there is room (RingKind); otherwise it
    // calls `room` first. The fields of the payload in `dynamic`, by position, and those that are not METHOD, BCI,
    // FIELD, CLASS or NUMBER, follow, each in a separate word, with RING_MORE. Without a yieldpoint in between, code
    // writes at most RING_UNPOLLED words, and at most RING_EVENT at once. In a ring that is overwritten
    // (EVENTS_OVERWRITE; RING_CAB and RING_FASTFORWARD) the tested slot is RING_EVENT - 1 ahead, and code calls `room`
    // if it holds RING_END.
    //
    // site: a number for an event and its constants, from 1 to INT32_MAX, the same for equal ones; 0: no number is
    // left. `words`: one for each field, 0 for fields that follow in the ring. Any thread.
    uint32_t (*site)(enum EventId event, uint32_t dynamic, const uint32_t *words);
    // Makes room for an event, on the thread that makes it. Without an EventThread the event is lost. May request a
    // wait; blocks if that has not helped.
    void (*room)(EventThread *t, enum EventId event, uint64_t **ring);

    // A thread's share of a profile. thread_start allocates it and returns NULL when out of memory; the caller then
    // reports each event by `counted`. `places`: filled, and stays valid as long as the thread does; NULL: there is no
    // compiled code. `name` is copied, UTF-8; `service`: a thread of the VM or the class library, which reports keep
    // apart. thread_end takes over the thread's results and frees *t: the thread must make no more events. Thread-safe,
    // may be called on an unattached thread.
    EventThread *(*thread_start)(ProfileKind kind, uint64_t thread_id, const char *name, bool service,
                                 EventPlaces *places);
    // The same for a thread whose EventThread is idle since the end of an earlier profile of the same kind. World
    // stopped. Returns the same EventThread, or frees it and returns NULL when out of memory.
    EventThread *(*thread_renew)(EventThread *idle, uint64_t thread_id, const char *name, bool service,
                                 EventPlaces *places);
    void (*thread_rename)(EventThread *t, const char *name);
    void (*thread_end)(EventThread *t);
    // Takes a sample of time of the thread. On the thread itself, also in a signal handler, or on one that keeps *t
    // from ending. Async-signal-safe.
    void (*sample)(EventThread *t, TimeClock clock, const TimeSample *sample);
    // Adds what a counter has counted for the thread since it was last read; `error` is 0, or the errno with which the
    // system had no counter for the thread. Thread-safe; takes a private lock, allocates nothing.
    void (*counter)(EventThread *t, enum CounterId id, const CounterReading *since, int error);
    // Adds an event that a thread has counted in compiled code that no longer exists. `t` is of a profile of events;
    // NULL: an event that no EventThread could take; `words` may be NULL. Thread-safe.
    void (*counted)(EventThread *t, enum EventId event, const uint32_t *words, uint64_t times);
    // With a profile of events, world stopped, at the end of marking: drops records of memory whose objects are dead.
    // each_live calls fn with all live objects and their sizes; is_live accepts any address that an event reported as
    // an object. Any thread.
    void (*forget_dead)(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object));

    // Adds a collection to the profiles that list them. *c is not kept. The collector's thread, world running; takes a
    // private lock.
    void (*collection)(const ProfiledCollection *c);

    // Changes *s according to "KEY=VALUE:..." (interval, jitter, burst), and registers of productions, which are keys
    // too. False with *error and *s unchanged when that is impossible.
    bool (*change_sampling)(ProfileKind kind, SamplingRequest *s, const char *text, char *error, size_t error_size);
    // As written after sampling=: "off", "counter"... Static.
    const char *(*mode_name)(const SamplingRequest *s);

    // Writes the profile to its file; later calls do nothing. Threads should be stopped; if some make events meanwhile,
    // each count in the profile is from some moment during the call. Failures go to stderr. `why` is for the header:
    // "exit", "signal 11".
    void (*write)(ProfileKind kind, const char *why, const ProfileRun *run);
    // Writes the present profile without messages; write will write it again. `path` NULL: to its file. Threads are
    // stopped. `last`: only `end` follows. False with *error on failure.
    bool (*dump)(ProfileKind kind, const char *path, const ProfileRun *run, bool last, char *error, size_t error_size);
    // Prints the name, the analyses, the file and the present number of events and samples of time. World stopped.
    void (*describe)(ProfileKind kind, FILE *out);
    // Ends the profile without writing it, and frees what it has recorded. The EventThreads of living threads stay and
    // are idle. World stopped; no compile thread asks for events, and no sample of time is being taken. Another profile
    // can start afterwards. Waits for threads that are starting or ending.
    void (*end)(ProfileKind kind);
    // The present counts of the started profile. Only the compiler uses them. Threads continue
    // meanwhile; those that start or end may wait while all counts are copied. `sampling` is recorded in it and copied.
    // NULL: out of memory. Any thread, attached or not; takes the lock of thread_start and thread_end, allocates no
    // Java objects, does not throw.
    ProfileSnapshot *(*snapshot)(ProfileKind kind, uint64_t version, const SamplingRequest *sampling);
} ProfilerInterface;

extern const ProfilerInterface profiler_interface;

// Around a fork, in the parent and in the child: the lock held while a thread merges its results.
void profiler_before_fork(void);
void profiler_after_fork(void);
// In the child of a fork: profiles belong to the parent, and write does nothing from now on. No-op without a
// profile.
void profiler_forget(void);

#endif
