// What instrumentation needs of the rooms above: the profiler, the interpreter's tables, compiled code. vm/boot/hooks.c
// fills the table; it is constant.
#ifndef CABERNET_VM_INSTRUMENT_HOOKS_H
#define CABERNET_VM_INSTRUMENT_HOOKS_H

#include "vm/api/profiler.h"
#include "vm/model/dispatch.h"
#include "vm/model/object.h"

// How far a thread's counters (vm/code/counters.h) can be relied on.
typedef enum CountersState {
    COUNTERS_AT_REST,  // the thread stands still at a safepoint or is the caller: what is under way is known from its stack
    COUNTERS_MOVING,   // it may be running: counts are off by what happens meanwhile. The registry's lock is taken
    COUNTERS_CRASHED,  // the same in the copy of a crashed process, where that lock may be nobody's
} CountersState;

typedef struct InstrumentHooks {
    const ProfilerInterface *profiler;
    // vm/interp/interp.h
    void (*make_tables)(EventSet events, EventSet counted, bool entry_checks, bool by_exits);
    const void *const *(*table)(InterpTable which);
    // vm/code/code.h. The world is stopped by the caller
    void (*invalidate_all_code)(Thread *self);
    // vm/interp/flowcounts.h
    void (*begin_counting)(Thread *t);
    void (*pause_counting)(Thread *t);
    void (*record_counts)(bool on);
    // Of both, counters_read and counters_hand_in.
    void (*read_counters)(Thread *t, CountersState state, CountedFn *fn, void *arg);
    void (*hand_in_counters)(Thread *self);
    // The two steps of the end of shadows (vm/shadow/shadow.h).
    void (*close_shadows)(void);
    void (*finish_shadows)(void);
    // A stop request was served in compiled code, for the sake of stress (vm/code/hooks.h).
    void (*polled)(Thread *self);
} InstrumentHooks;

extern const InstrumentHooks instrument_hooks;

#endif
