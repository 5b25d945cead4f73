// The profiler as the VM drives it, and what the VM lends the profiler. Implemented in profiler/;
// the VM's side is vm/instrument/profile.c.
#ifndef CABERNET_VM_API_PROFILER_H
#define CABERNET_VM_API_PROFILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytecode/classfile/classfile.h"
#include "vm/api/eventplaces.h"
#include "vm/api/events.h"
#include "vm/api/sampling.h"
#include "vm/api/shadow.h"
#include "vm/api/snapshot.h"

// A method as profiles show it, also when its class has been unloaded. The strings live as long as the VM, or as the
// class does while that is loaded; NULL where there is none.
typedef struct ProfiledMethod {
    const char *class_name;   // internal form, modified UTF-8
    const char *name;
    const char *desc;
    const char *source_file;
    uint16_t flags;           // ACC_* of the class file
    bool application;         // of a class that a class path, a module path or a loader of the program brought
} ProfiledMethod;

// A field as profiles show it, likewise.
typedef struct ProfiledField {
    const char *class_name;   // internal form, modified UTF-8
    const char *name;
    const char *desc;
    uint16_t flags;           // ACC_* of the class file
    bool application;         // as of a method
} ProfiledField;

// The bytes that a class was defined with: their CRC-32 and length, as archives have them for their entries.
typedef struct ProfiledClassFile {
    uint32_t crc;
    uint64_t size;
    const char *origin;       // where the loader said that they come from, as a URL or a text of the VM; stays; NULL: it did not say
} ProfiledClassFile;

// Events that compiled code has counted, `times` times the same one. `words`: the constant fields of its payload, in its
// order, as sinks get them (METHOD, BCI, FIELD, CLASS and NUMBER; the others are not known).
typedef void CountedFn(void *arg, enum EventId event, const uint32_t *words, uint64_t times);

// What the VM tells the profiler when asked, while a profile is written or a snapshot is made. Each function may be
// called on any thread, also one that is not attached, and neither allocates Java objects nor
// throws.
typedef struct ProfileHost {
    // Facts of a method id; false when there is no such method.
    bool (*method)(uint32_t id, ProfiledMethod *out);
    // Source line of a bytecode index; -1 where unknown, and for EVENT_NO_BCI.
    int32_t (*line)(uint32_t method, int32_t bci);
    // Facts of a field id; false when there is no such field. May be NULL.
    bool (*field)(uint32_t id, ProfiledField *out);
    // Name of a class id, internal form, which lives as long as the VM; NULL when there is no such class. May be NULL.
    const char *(*class_name)(uint32_t id);
    // A path of an event `path` as text, malloc'd (vm/instrument/paths.h); NULL when there is none. May be NULL.
    char *(*path)(uint32_t method, int32_t bci, uint32_t path);
    // What the thread has counted in compiled code since it began or handed it in (ProfilerInterface.counted), as of now.
    // `exact`: threads stand still, or the thread is the caller. May be NULL.
    void (*counted)(struct Thread *t, bool exact, CountedFn *fn, void *arg);
    // By a class's name, as `method` and the others give it. False: there is no such class, or it is hidden or an array, which come from
    // no file. May be NULL.
    bool (*class_file)(const char *class_name, ProfiledClassFile *out);
} ProfileHost;

// Facts about the run for the file's header. Strings are copied.
typedef struct ProfileRun {
    const char *vm_version;
    const char *jdk_version;
    const char *command;      // main class or jar with its arguments; NULL: unknown
    const char *class_path;   // as the program has it; NULL: none
    const char *mode;         // how code ran: "-Xint", "-Xcomp" or "mixed"
    bool deterministic;       // -Xdeterministic
    bool takes_turns;         // its threads do, at the same points in each run
    uint64_t checks;          // executed by the threads, sampling only
    uint64_t samples;         // checks that recorded
    uint64_t unsampled;       // threads none of whose checks recorded
    uint64_t truncated;       // samples that were cut short: what they would have recorded is missing
    uint64_t allocated;       // bytes of the Java heap, while it recorded, if allocation is an event
    uint64_t off_ns;          // time since profiler_start in which nothing was recorded on purpose
    uint32_t changes;         // how often sampling was changed while the program ran
    SamplingRequest sampling; // as it is now
} ProfileRun;

typedef enum ProfilerParse {
    PROFILER_OK,
    PROFILER_AT_MAIN,  // the same, from=main: it begins when the program's main is called
    PROFILER_IN_SHADOWS,  // the same, where=shadow: it can only begin with the program
    PROFILER_HELP,     // -Xprofile:help
    PROFILER_REFUSED,  // unknown, illegal or not built yet: *error says what and why
} ProfilerParse;

// What the VM calls. The functions are the profiler's (profiler/control/profiler.c); vm/boot/hooks.c gives their table to
// vm/instrument/.
typedef struct ProfilerInterface {
    // Checks the text after -Xprofile: without starting anything. `error` gets a sentence without a
    // newline, NUL-terminated.
    ProfilerParse (*parse)(const char *text, char *error, size_t error_size);

    // The text of -Xprofile:help, malloc'd; NULL when out of memory.
    char *(*help)(void);

    // Starts the profile that `text` asks for; threads may be attached from now on. There is one for a process. `host` must stay.
    // False with *error when it cannot: the state is that before the call, and another profile may start. Not thread-safe.
    bool (*start)(const char *text, const ProfileHost *host, char *error, size_t error_size);
    void (*describe_run)(const ProfileRun *run);

    // What the started profile needs, and how it is sampled (as asked for on the
    // command line; changes are the VM's to keep).
    EventSet (*events)(void);
    // Events that it needs at single places besides; 0: none. Then match decides, once for each method before its events
    // are asked for: those that are needed somewhere in it, EVENT_NO_BCI standing for its entry. wants_at: those that are
    // needed there. Any thread; match takes a lock of its own.
    EventSet (*placed_events)(void);
    EventSet (*match)(uint32_t method, const ClassFile *file, const ClassFileMethod *info);
    EventSet (*wants_at)(uint32_t method, int32_t bci);
    // Whether counters decide that a place is wanted, which compiled code then tests by itself. Any thread.
    bool (*guard_at)(uint32_t method, int32_t bci, PlaceGuard *guard);
    // Of an assignment for whose place match has asked for scalar_pair: the locals that its value is compared with. Any thread.
    unsigned (*partners_at)(uint32_t method, int32_t bci, uint16_t locals[SCALAR_LOCALS]);
    // Those of them of which it only wants to know how often they happen, and with which constants: compiled code may
    // count them. None when it samples.
    EventSet (*counts)(void);
    // Compiled code puts events into a ring by itself: it writes the number of the event and of its payload, as `site`
    // has given it, at the position that thread_start has made, if the slot RING_AHEAD - 1 behind that holds 0; else
    // `room` comes first. Fields of the payload in `dynamic`, by position, and those that are no METHOD, BCI, FIELD, CLASS or
    // NUMBER, follow: each in a word of its own, with RING_MORE. Without a yieldpoint in between it writes RING_UNPOLLED
    // words at most, and RING_EVENT at once.
    bool (*has_ring)(void);
    // The ring is overwritten, and nobody waits: the slot that is looked at is RING_EVENT - 1 behind, and `room` comes if it
    // holds RING_END.
    bool (*overwrites)(void);
    // Compiled code does call_edge, method_exit and method_unwind by itself in the thread's calling context tree, and reports
    // what it does not find there (vm/api/calltree.h).
    bool (*has_contexts)(void);
    // Accesses are compared with stamps before they are events (shared_access): the cell of the variable (Stamps) with
    // EventThread.stamp. A read that finds it in either half, and a write that finds it in the upper half and 0 in the
    // lower one, is none. False: all are events.
    bool (*stamps)(void);
    // Whoever hears of allocations, or of calls in samples, may look at the stack (EVENTS_WALK).
    bool (*walks)(void);
    // World stopped, at the end of marking: forgets what it knows of memory whose objects are dead. each_live calls fn with all
    // that live and their bytes; is_live: of any address that an event gave as an object. Any thread.
    void (*forget_dead)(void (*each_live)(void (*fn)(void *arg, uintptr_t object, size_t bytes), void *arg),
                        bool (*is_live)(const void *object));
    // Equal ones are one number, from 1 to INT32_MAX; 0: there are none left. `words`: one for each field, 0 for what
    // follows. Any thread.
    uint32_t (*site)(enum EventId event, uint32_t dynamic, const uint32_t *words);
    // For an event, on the thread that makes it, which may have no EventThread: it is lost then. May ask for a wait; stands
    // still if that has not helped.
    void (*room)(EventThread *t, enum EventId event, uint64_t **ring);
    bool (*waits)(void);  // its sinks may ask a thread to wait (vm/api/eventwait.h)
    SamplingRequest (*sampling)(void);

    // Whether scope= includes a method: class name in internal form, name, descriptor. True without scope=.
    bool (*in_scope)(const char *class_name, const char *name, const char *desc);
    // Whether its entries and exits are points (events point_enter and point_leave); likewise.
    bool (*watches)(const char *class_name, const char *name, const char *desc);

    // As behind sampling=: "off", "counter"... Static.
    const char *(*mode_name)(const SamplingRequest *s);

    // Changes *s by "KEY=VALUE:..." (interval, jitter, burst), and registers of productions, which are keys too. False with *error and *s unchanged when
    // that cannot be.
    bool (*change_sampling)(SamplingRequest *s, const char *text, char *error, size_t error_size);

    // A thread's share. thread_start allocates it and returns NULL when out of memory; the
    // caller then reports each event with lost. `places`: filled, and stays as long as the thread does; NULL: there is no
    // compiled code. `name` is copied, UTF-8; `service`: a thread
    // of the VM or the class library, which reports keep apart. thread_end takes what the
    // thread collected and frees *t: the thread must emit no more. Thread-safe, may be called on a
    // thread that is not attached.
    EventThread *(*thread_start)(uint64_t thread_id, const char *name, bool service, EventPlaces *places);
    void (*thread_rename)(EventThread *t, const char *name);
    void (*thread_end)(EventThread *t);
    // A thread has counted that in compiled code, which is no more. `t` NULL: an event that no EventThread could take.
    // Thread-safe.
    void (*counted)(EventThread *t, enum EventId event, const uint32_t *words, uint64_t times);
    // An event that no EventThread could take. Thread-safe.
    void (*lost)(enum EventId event);

    // Writes the profile to its file; later calls do nothing. Threads should stand still; if some emit
    // meanwhile, the profile holds each of their counts as of some moment during the call. Failures go
    // to stderr. `why` is for the header: "exit", "signal 11".
    void (*write)(const char *why);

    // Writes the profile so far, and says nothing; write will write it again. `path` NULL: to its file.
    // Threads stand still. False with *error when it cannot.
    bool (*dump)(const char *path, char *error, size_t error_size);

    // What the started profile has counted so far, for the compiler; one user, who is the caller. Threads go on
    // meanwhile; those that start or end may wait for as long as it takes to copy all counts. `sampling` is noted in it
    // and copied. NULL: out of memory. Any thread, also one that is not attached; takes the lock of thread_start and
    // thread_end, allocates no Java objects, does not throw.
    ProfileSnapshot *(*snapshot)(uint64_t version, const SamplingRequest *sampling);

    // What where=shadow asks for, NULL without it. Constant from the start on.
    const ShadowRequest *(*shadow_request)(void);
    // In a shadow, before its first event: what the profile holds is the program's. No thread is known.
    void (*shadow_begin)(void);
    // In a shadow, whose threads stand still: all that was recorded, malloc'd, for shadow_take in the process that it is a
    // copy of. False: out of memory.
    bool (*shadow_give)(uint8_t **data, size_t *size);
    // Adds what a shadow has given to the profile. False: damaged, and the profile is what it was, or out of memory.
    // `part`: of its planned length, how much the shadow ran; 1: all of it. Others are no evidence of convergence.
    bool (*shadow_take)(const uint8_t *data, size_t size, double part);
    // A shadow has ended without results. May block on the profiler's lock.
    void (*shadow_lost)(void);
    // What has come so far does not change much any more.
    bool (*shadow_converged)(void);
    // A call that a thread of the program is in; after those of all threads, whether these are another phase than the time before.
    // What is known of the shares then begins anew if the phase does. The thread that forks shadows.
    void (*shadow_call)(uint32_t caller, uint32_t callee);
    bool (*shadow_phase)(void);
    // Whether natives= lists a native method as benign.
    bool (*shadow_native)(const char *class_name, const char *name, const char *desc);
    // Rows for the profile's header, copied.
    void (*shadow_facts)(const ShadowFact *facts, int count);

    // Called in the child of a fork: the profile is the parent's, and write does nothing from now on. No-op without a profile.
    void (*forget)(void);
} ProfilerInterface;

extern const ProfilerInterface profiler_interface;

// Around a fork, in the parent and in the child: the lock that a thread may hold which hands in what it has collected.
void profiler_before_fork(void);
void profiler_after_fork(void);

#endif
