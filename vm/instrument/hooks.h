// Functions of higher modules that instrumentation calls: of the profiler, the interpreter's tables, compiled code.
// vm/boot/hooks.c fills the table; it is constant.
#ifndef CABERNET_VM_INSTRUMENT_HOOKS_H
#define CABERNET_VM_INSTRUMENT_HOOKS_H

#include "vm/api/profiler.h"
#include "vm/model/dispatch.h"
#include "vm/model/object.h"

// How far a thread's counters (vm/code/codecounters.h) can be relied on.
typedef enum CountersState {
    COUNTERS_AT_REST,  // the thread is stopped at a safepoint or is the caller: its stack shows its active invocations
    COUNTERS_MOVING,   // it may be running: counts are off by concurrent events. Takes the registry's lock
    COUNTERS_CRASHED,  // the same in the copy of a crashed process, which may have no thread to release that lock
} CountersState;

typedef struct InstrumentHooks {
    const ProfilerInterface *profiler;
    // vm/interp/interp.h
    void (*make_tables)(EventSet events, EventSet counted, bool entry_checks, bool by_exits);
    const void *const *(*table)(InterpTable which);
    // vm/code/code.h. The caller has stopped the world
    void (*invalidate_all_code)(Thread *self);
    // vm/interp/flowcounts.h
    void (*begin_counting)(Thread *t);
    void (*pause_counting)(Thread *t);
    void (*record_counts)(bool on);
    // Both for counters of code and of the interpreter: counters_read and counters_hand_in.
    void (*read_counters)(Thread *t, CountersState state, CountedFn *fn, void *arg);
    void (*hand_in_counters)(Thread *self);
    // The profile has ended: what all threads have counted is dropped, and present code no longer counts. World
    // stopped.
    void (*forget_counters)(void);
    // Compilations that have begun, and whether the first `begun` of them are finished (vm/adaptive/compilequeue.h).
    uint64_t (*compilations_begun)(void);
    bool (*compilations_finished)(uint64_t begun);
    // Compiles code for shadows of everything that has code now (vm/adaptive/compilequeue.h).
    void (*prepare_shadows)(void);
    void (*prepare_none)(void);
    // Shadows of a profile that starts while the program runs, their present facts, and the two steps that end them
    // (vm/shadow/shadow.h).
    void (*start_shadows)(Thread *self);
    void (*report_shadows)(void);
    void (*close_shadows)(void);
    void (*finish_shadows)(void);
    // For the end of a profile on request: after close, and when the profile is written.
    void (*await_shadows)(void);
    void (*forget_shadows)(void);
    // A stop request was served in compiled code: for stress modes (vm/code/hooks.h).
    void (*polled)(Thread *self);
    // vm/timing/tick.h
    void (*sample_time)(ProfileKind kind, const ProfileNeeds *needs);
    void (*stop_sampling_time)(void);
    void (*end_sampling_time)(void);
    EventThread *(*take_record)(Thread *self, ProfileKind kind);
    void (*read_system_counters)(bool crashed);
} InstrumentHooks;

extern const InstrumentHooks instrument_hooks;

#endif
