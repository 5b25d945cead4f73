// Forwards events of threads and the VM to the sinks (vm/instrument/vmevents.h).
//
// Pthreads other than the VM's threads (the collector's) report into the record of a thread named "VM". They do so
// while the world is stopped, hence one at a time.
#include "vm/instrument/vmevents.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "gc/heap.h"
#include "vm/api/eventsets.h"
#include "vm/api/profiler.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/report.h"
#include "vm/instrument/scope.h"
#include "vm/objects/symbol.h"
#include "vm/threads/threadevents.h"

static struct VmEvents {
    struct Members *members;  // of all profiles; changes while the world is stopped
    bool listening;           // changes while the world is stopped
    Thread *vm_thread;        // has only a record; made at the first use
} vmevents;

// The callbacks that a profile wants. Threads that wait, and carriers, may still read those of an earlier profile, so
// they are neither changed nor freed; profiles with the same events share them.
typedef struct Members {
    struct Members *next;
    ThreadEvents events;
} Members;

// ---- the members of ThreadEvents ----------------------------------------------------------------

static Thread *or_vm(Thread *t) {
    if (t) return t;
    if (!vmevents.vm_thread) vmevents.vm_thread = calloc(1, sizeof *vmevents.vm_thread);
    if (vmevents.vm_thread && !vmevents.vm_thread->prof)
        vmevents.vm_thread->prof = instrument_hooks.profiler->thread_start(PROFILE_OF_EVENTS, 0, "VM", true,
                                                                           &vmevents.vm_thread->places);
    return vmevents.vm_thread;
}

// The thread that reports, or NULL.
#define REPORTER_THREADS(t) or_vm(t)
#define REPORTER_SCHEDULER(t) ((t)->prof ? (t) : NULL)

#define TOLD_THREADS(id, payload, reporter)                          \
    static void told_##id(Thread *t, EVENT_VM_PARAMETERS(payload)) { \
        if ((t = reporter(t))) report_##id(t, EVENT_NAMES(payload)); \
    }
#define TOLD_SCHEDULER TOLD_THREADS
#define TOLD_CODE(id, payload, reporter)
#define TOLD_CALLS(id, payload, reporter)
#define TOLD_VM(id, payload, reporter)
#define EVENT(id, text, payload, waits, counted, source, made_by) TOLD_##source(id, payload, REPORTER_##source)
#include "vm/api/events.def"

#define MEMBER_THREADS(event) .event = instrument_wants_any(EVENT_BIT(EVENT_##event)) ? told_##event : NULL,
#define MEMBER_SCHEDULER MEMBER_THREADS
#define MEMBER_CODE(event)
#define MEMBER_CALLS(event)
#define MEMBER_VM(event)

static const ThreadEvents *members_of(const ThreadEvents *wanted) {
    Members *m = vmevents.members;
    while (m && memcmp(&m->events, wanted, sizeof *wanted) != 0) m = m->next;
    if (!m && (m = calloc(1, sizeof *m))) {
        m->events = *wanted;
        m->next = vmevents.members;
        vmevents.members = m;
    }
    if (!m) grow_out_of_memory(sizeof *m);
    return &m->events;
}

void vmevents_listen(bool on, uint64_t sample_bytes) {
    bool allocates = instrument_wants_any(EVENT_BIT(EVENT_allocation));
    const ThreadEvents wanted = {
#define EVENT(id, text, payload, waits, counted, source, made_by) MEMBER_##source(id)
#include "vm/api/events.def"
        .allocated = allocates ? report_new_outside : NULL,
    };
    vmevents.listening = on;
    bool any = allocates ||
        instrument_wants_any(events_from(EVENTS_THREADS) | events_from(EVENTS_SCHEDULER) | events_made_by(OPF_MONITOR));
    heap_count(on && allocates);
    heap_sample(on ? sample_bytes : 0);
    thread_attach_events(on && any ? members_of(&wanted) : NULL);
}

void vmevents_end(void) {
    Thread *t = vmevents.vm_thread;
    if (!t || !t->prof) return;
    instrument_hooks.profiler->thread_end(t->prof);
    t->prof = NULL;
}

// ---- events from other places ---------------------------------------------------------------------

static bool is_listening_to(enum EventId event) { return vmevents.listening && instrument_wants_any(EVENT_BIT(event)); }

void vmevents_thread_start(Thread *self) {
    if (is_listening_to(EVENT_thread_start)) report_thread_start(self, self);
    const Object *o = self->java_thread;
    if (o && is_listening_to(EVENT_sync_acquire)) report_sync_acquire(self, o, thread_start_address(o));
}

void vmevents_thread_end(Thread *self) {
    if (is_listening_to(EVENT_thread_end)) report_thread_end(self, self);
}

void vmevents_stack(Thread *t) {
    if (t->prof && is_listening_to(EVENT_stack_taken)) report_stack(t);
}

void vmevents_mark(Thread *self, const char *name, uint64_t key) {
    enum { LONGEST = 255 };  // more than any point of between= has
    if (!is_listening_to(EVENT_mark)) return;
    size_t length = strnlen(name, LONGEST);
    report_mark(self, symbol_intern(name, length)->text, key);  // a consumer reads the text later
}

void vmevents_collection(void) {
    Thread *t = is_listening_to(EVENT_collection) ? or_vm(NULL) : NULL;
    if (t) report_collection(t, (uint64_t)thread_now());
}
