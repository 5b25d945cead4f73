// Listening to threads and the VM (vm/instrument/vmevents.h).
//
// Pthreads that are none of the VM's threads (the collector's) report into the record of a thread named "VM". They do so
// with the world stopped, so one at a time.
#include "vm/instrument/vmevents.h"

#include <stdlib.h>
#include <string.h>

#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/report.h"
#include "vm/instrument/scope.h"
#include "vm/threads/threadevents.h"

static ThreadEvents table;   // members that are wanted; changes while the world is stopped
static bool listening;       // likewise
static Thread *vm_thread;    // has a record and nothing else; made at the first use

static bool is_listening_to(enum EventId event) { return listening && instrument_wants_anywhere(event); }

// The switches of a thread before its start and after its end, where it has no record, are not events.
static void switch_in(Thread *t, int to, int from) {
    if (!t->prof) return;
    if (is_listening_to(EVENT_switch_in)) report_switch_in(t, (uint32_t)to);
    if (from >= 0 && from != to && is_listening_to(EVENT_migration)) report_migration(t, (uint32_t)from, (uint32_t)to);
}
static void switch_out(Thread *t, int processor, ThreadSwitchReason reason) {
    if (t->prof) report_switch_out(t, (uint32_t)processor, reason);
}
static void monitor_enter_told(Thread *self, Object *o) { report_monitor_enter(self, o); }
static void monitor_contended(Thread *self, Object *o) { report_monitor_contended(self, o); }
static void monitor_acquired(Thread *self, Object *o) { report_monitor_acquired(self, o); }
static void monitor_released(Thread *self, Object *o) { report_monitor_released(self, o); }
static void monitor_wait_told(Thread *self, Object *o) { report_monitor_wait(self, o); }
static void monitor_notify_told(Thread *self, Object *o, bool all) { report_monitor_notify(self, o, all); }
static void park(Thread *self, bool timed) { report_park(self, timed); }
static void unpark(Thread *self, Thread *t) { report_unpark(self, t); }

static Thread *or_vm(Thread *self) {
    if (self) return self;
    if (!vm_thread && (vm_thread = calloc(1, sizeof *vm_thread))) vm_thread->prof = instrument_hooks.profiler->thread_start(0, "VM", true);
    return vm_thread;
}
static void safepoint_begin(Thread *self) {
    if ((self = or_vm(self))) report_safepoint_begin(self, (uint64_t)thread_now());
}
static void safepoint_end(Thread *self) {
    if ((self = or_vm(self))) report_safepoint_end(self, (uint64_t)thread_now());
}

// The member's function if the event is wanted.
#define IF_WANTED(event, function) (instrument_wants_anywhere(EVENT_##event) ? (function) : NULL)

void vmevents_listen(bool on) {
    bool switches = instrument_wants_anywhere(EVENT_switch_in) || instrument_wants_anywhere(EVENT_migration);
    table = (ThreadEvents){
        .switch_in = switches ? switch_in : NULL,
        .switch_out = IF_WANTED(switch_out, switch_out),
        .monitor_enter = IF_WANTED(monitor_enter, monitor_enter_told),
        .monitor_contended = IF_WANTED(monitor_contended, monitor_contended),
        .monitor_acquired = IF_WANTED(monitor_acquired, monitor_acquired),
        .monitor_released = IF_WANTED(monitor_released, monitor_released),
        .monitor_wait = IF_WANTED(monitor_wait, monitor_wait_told),
        .monitor_notify = IF_WANTED(monitor_notify, monitor_notify_told),
        .park = IF_WANTED(park, park),
        .unpark = IF_WANTED(unpark, unpark),
        .safepoint_begin = IF_WANTED(safepoint_begin, safepoint_begin),
        .safepoint_end = IF_WANTED(safepoint_end, safepoint_end),
    };
    static const ThreadEvents nothing;
    listening = on;
    thread_attach_events(on && memcmp(&table, &nothing, sizeof table) ? &table : NULL);
}

void vmevents_thread_start(Thread *self) {
    if (is_listening_to(EVENT_thread_start)) report_thread_start(self, self);
}

void vmevents_thread_end(Thread *self) {
    if (is_listening_to(EVENT_thread_end)) report_thread_end(self, self);
}

void vmevents_collection(void) {
    Thread *t = is_listening_to(EVENT_collection) ? or_vm(NULL) : NULL;
    if (t) report_collection(t, (uint64_t)thread_now());
}
