// Delivers events from places in the VM to the sinks of a thread (vm/instrument/report.h). One function for each row
// of events.def.
#include "vm/instrument/report.h"

#include <stdlib.h>

#include "base/grow.h"
#include "gc/heap.h"
#include "vm/api/callcontext.h"
#include "vm/api/calltree.h"
#include "vm/api/compiler.h"
#include "vm/api/profiler.h"
#include "vm/api/stackwalk.h"
#include "vm/instrument/fieldid.h"
#include "vm/instrument/hooks.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/sampling.h"
#include "vm/instrument/scope.h"
#include "vm/objects/classes.h"
#include "vm/model/object.h"
#include "vm/threads/thread.h"

#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- conversion of payloads for sinks ----

#define TO_SINK_METHOD(name) name->id
#define TO_SINK_BCI(name) name
#define TO_SINK_FIELD(name) (name ? fieldid_of(name) : 0)
#define TO_SINK_CLASS(name) (name ? name->id : 0)
#define TO_SINK_THREAD(name) thread_serial(name)
#define TO_SINK_OBJECT(name) (uintptr_t) name
#define TO_SINK_ADDRESS(name) (uintptr_t) name
#define TO_SINK_VALUE(name) name
#define TO_SINK_NUMBER(name) name
#define TO_SINK(type, name) TO_SINK_##type(name)

// The thread has no EventThread. A function, because EVENT has a parameter of the member's name.
static void lose(enum EventId event) { instrument_hooks.profiler->counted(NULL, event, NULL, 1); }

#define EVENT(id, text, payload, waits, counted, source, made_by)  \
    void report_##id(Thread *self, EVENT_VM_PARAMETERS(payload)) { \
        EventThread *t = self->prof;                               \
        if (UNLIKELY(!t)) {                                        \
            lose(EVENT_##id);                                      \
            return;                                                \
        }                                                          \
        t->produced[EVENT_##id]++;                                 \
        t->id->fn(t->id, EVENT_LIST(TO_SINK, payload));            \
    }
#include "vm/api/events.def"

// ---- callers ----

const Method *report_pseudo(enum PseudoCaller which) {
    static const Method pseudo[CALLER_COUNT] = {
#define PSEUDO(name, text) [CALLER_##name] = {.id = EVENT_PSEUDO(CALLER_##name)},
#include "vm/api/callers.def"
    };
    return &pseudo[which];
}

// The pseudo-caller for the boundary, or CALLER_COUNT where the frame below it is the caller.
static enum PseudoCaller pseudo_caller(int reason) {
    switch ((EntryReason)reason) {
        case ENTRY_VM: return CALLER_VM;
        case ENTRY_CLINIT: return CALLER_CLASS_INIT;
        case ENTRY_THREAD: return CALLER_THREAD;
        case ENTRY_FINALIZER: return CALLER_FINALIZER;
        case ENTRY_JNI:
        case ENTRY_REFLECT:
        case ENTRY_COMPILED:
        case ENTRY_COUNTED:
        case ENTRY_DEOPT: break;
    }
    return CALLER_COUNT;
}

typedef struct Caller {
    const Method *method;
    int32_t bci;
} Caller;

// The nearest visible frame that the walk meets. Without one, native code is outermost, which is how threads begin.
static Caller find_caller(StackWalk *w) {
    w->entries = true;
    while (stackwalk_next(w)) {
        if (w->kind == FRAME_ENTRY) {
            enum PseudoCaller pseudo = pseudo_caller(w->reason);
            if (pseudo != CALLER_COUNT) return (Caller){report_pseudo(pseudo), EVENT_NO_BCI};
        } else if (scope_visible(w->method)) {
            return (Caller){w->method, w->is_native ? EVENT_NO_BCI : w->bci};
        }
    }
    return (Caller){report_pseudo(CALLER_THREAD), EVENT_NO_BCI};
}

// Whether the frame is the boundary of a call that compiled code has counted. Clears that mark, because the call need
// be neither counted again nor taken back.
static bool counted_by_caller(Frame *boundary) {
    if (!boundary || boundary->kind != FRAME_ENTRY || boundary->reason != ENTRY_COUNTED) return false;
    boundary->reason = ENTRY_COMPILED;
    return true;
}

// Begins a walk past `skip` frames.
static void begin_past(StackWalk *w, Thread *self, uint32_t skip) {
    stackwalk_begin(w, self);
    w->entries = true;
    for (; skip > 0; skip--) stackwalk_next(w);
}

static __attribute__((noinline)) void edge_by_walk(Thread *self, const Method *callee, StackWalk *w) {
    Caller caller = find_caller(w);
    report_call_edge(self, caller.method, caller.bci, callee);
}

bool report_wants_edge(const Method *callee) { return instrument_wants(callee, EVENT_NO_BCI, EVENT_call_edge); }

void report_edge_from(Thread *self, uint64_t site, const Method *callee) {
    if (report_wants_edge(callee))
        report_call_edge(self, method_by_id((uint32_t)(site >> 32)), (int32_t)(uint32_t)site, callee);
}

void report_path_counted(uint32_t method, uint32_t path, uint64_t times, CountedFn *fn, void *arg) {
    fn(arg, EVENT_path, (uint32_t[]){method, (uint32_t)EVENT_NO_BCI, path}, times);
}

void report_edge_counted(uint64_t site, uint32_t callee, uint64_t times, CountedFn *fn, void *arg) {
    fn(arg, EVENT_call_edge, (uint32_t[]){(uint32_t)(site >> 32), (uint32_t)site, callee}, times);
}

static void report_allocated(const uint32_t *words, uint64_t objects, uint64_t bytes, CountedFn *fn, void *arg) {
    uint32_t payload[] = {words[0], words[1], words[2], (uint32_t)bytes, (uint32_t)(bytes >> 32)};
    if (objects > 0) fn(arg, EVENT_allocation, payload, objects);
}

bool report_counts_allocations(const Method *m, int32_t bci) {
    return profile_counts() >> EVENT_allocation & 1 && instrument_wants(m, bci, EVENT_allocation);
}

void report_arrays_counted(const uint32_t *words, uint64_t arrays, uint64_t bytes, CountedFn *fn, void *arg) {
    if (arrays == 0) return;
    report_allocated(words, arrays - bytes % arrays, bytes / arrays, fn, arg);
    report_allocated(words, bytes % arrays, bytes / arrays + 1, fn, arg);
}

void report_removed_counted(const uint32_t *words, uint64_t executed, uint64_t objects, CountedFn *fn, void *arg) {
    report_allocated(words, objects, words[3] | (uint64_t)words[4] << 32, fn, arg);
    if (executed > objects) fn(arg, EVENT_allocation_removed, words, executed - objects);
}

void report_counts_lost(void) { lose(EVENT_method_entry); }

void report_edge_undone(Thread *self, const Method *callee, uint32_t skip) {
    StackWalk w;
    if (!report_wants_edge(callee)) return;
    begin_past(&w, self, skip);
    Caller caller = find_caller(&w);
    uint32_t words[] = {caller.method->id, (uint32_t)caller.bci, callee->id};
    profile_counted(self, EVENT_call_edge, words, UINT64_MAX);
}

// Whether compiled code that is being entered was called by code that counts the call. Native code and the VM leave
// the edge to the callee, and so do hidden methods that they or the interpreter call.
static bool called_by_counting_code(StackWalk w) {
    bool in_code = true;
    while (stackwalk_next(&w) && (w.code || (in_code && w.kind == FRAME_INTERP))) {
        if (scope_visible(w.method)) return true;
        in_code = w.code;
    }
    return false;
}

void report_edges_entering(Thread *t, CountedFn *fn, void *arg) {
    StackWalk w;
    stackwalk_begin(&w, t);
    w.entries = true;
    while (stackwalk_next(&w)) {
        const Method *callee = w.code && w.stack_map->entering   ? w.code->method
            : w.kind == FRAME_ENTRY && w.reason == ENTRY_COUNTED ? w.frame->native
                                                                 : NULL;
        if (!callee || !report_wants_edge(callee)) continue;
        if (w.code && !called_by_counting_code(w)) continue;
        StackWalk below = w;
        Caller caller = find_caller(&below);
        fn(arg, EVENT_call_edge, (uint32_t[]){caller.method->id, (uint32_t)caller.bci, callee->id}, UINT64_MAX);
    }
}

static __attribute__((noinline)) void hidden_call(Thread *self) {
    EventThread *t = self->prof;
    if (t) t->collapsed++;
}

void report_call(Thread *self, const Method *callee, Frame *caller) {
    if (scope_visible(callee) && instrument_wants(callee, EVENT_NO_BCI, EVENT_method_entry))
        report_method_entry(self, callee);
    report_entered(self, callee, caller);
}

bool report_entered_context(Thread *self, const Method *callee, const Frame *caller) {
    if (!(callee->events & EVENTS_CONTEXTS) || !report_wants_edge(callee)) return false;
    if (!caller || caller->kind != FRAME_INTERP || !scope_visible(caller->method)) return false;
    uint64_t place = (uint64_t)caller->method->id << 32 | (uint32_t)method_bci(caller->method, caller->pc);
    return context_enter(&self->places.context, place + 1, callee->id);
}

bool report_left_context(Thread *self, const Method *m) {
    return m->events & EVENTS_CONTEXTS && context_leave(&self->places.context, m->id);
}

void report_entered(Thread *self, const Method *callee, Frame *caller) {
    if (report_entered_context(self, callee, caller)) return;
    if (UNLIKELY(!scope_visible(callee))) {
        hidden_call(self);
        return;
    }
    if (!report_wants_edge(callee) || counted_by_caller(caller)) return;
    if (UNLIKELY(!caller || caller->kind != FRAME_INTERP || !scope_visible(caller->method))) {
        StackWalk w;
        stackwalk_begin_at(&w, self, caller);
        edge_by_walk(self, callee, &w);
        return;
    }
    report_call_edge(self, caller->method, method_bci(caller->method, caller->pc), callee);
}

void report_edge_to(Thread *self, const Method *callee, uint32_t skip) {
    StackWalk w;
    begin_past(&w, self, skip);
    StackWalk below = w;
    if (stackwalk_next(&below) && below.kind == FRAME_ENTRY && counted_by_caller(below.frame)) return;
    edge_by_walk(self, callee, &w);
}

// A walk meets inner frames first, but outer frames are reported first. Recursion on the C stack would be unbounded,
// so calls are collected first.
typedef struct Found {
    const Method *callee;
    Caller caller;
} Found;

typedef struct FoundCalls {
    Found *calls;
    uint32_t count, room;
} FoundCalls;

// The calls that make such an event in the frames of the walk, each with its caller. `natives`: includes native
// methods.
static FoundCalls find_calls(StackWalk *w, enum EventId event, bool natives) {
    FoundCalls out = {0};
    Found *open = NULL;  // the call whose caller has not been met yet
    w->entries = true;
    while (stackwalk_next(w)) {
        enum PseudoCaller pseudo = w->kind == FRAME_ENTRY ? pseudo_caller(w->reason) : CALLER_COUNT;
        bool visible = w->kind != FRAME_ENTRY && scope_visible(w->method);
        if (open && pseudo != CALLER_COUNT) open->caller = (Caller){report_pseudo(pseudo), EVENT_NO_BCI};
        else if (open && visible) open->caller = (Caller){w->method, w->is_native ? EVENT_NO_BCI : w->bci};
        if (pseudo != CALLER_COUNT || visible) open = NULL;
        if (!visible || (w->is_native && !natives) || !instrument_wants(w->method, EVENT_NO_BCI, event)) continue;
        GROW_OR_EXIT(out.calls, out.room, out.count + 1);
        open = &out.calls[out.count++];
        *open = (Found){w->method, {report_pseudo(CALLER_THREAD), EVENT_NO_BCI}};
    }
    return out;
}

void report_stack(Thread *t) {
    StackWalk w;
    stackwalk_begin(&w, t);
    FoundCalls found = find_calls(&w, EVENT_stack_frame, false);
    report_stack_taken(t, t);
    while (found.count > 0) {
        const Found *f = &found.calls[--found.count];
        report_stack_frame(t, f->caller.method, f->caller.bci, f->callee);
    }
    free(found.calls);
}

void callcontext_calls(uint32_t callee, CallContextFn *fn, void *arg) {
    Thread *self = thread_current();
    StackWalk w, top;
    if (!self) return;
    stackwalk_begin(&w, self);
    w.entries = true;
    top = w;
    // The callee's own frame exists already, unless the VM itself executes the callee.
    if (stackwalk_next(&top) && top.kind != FRAME_ENTRY && !top.is_native && top.bci <= 0 && top.method->id == callee)
        w = top;
    FoundCalls found = find_calls(&w, EVENT_call_edge, true);
    while (found.count > 0) {
        const Found *f = &found.calls[--found.count];
        fn(arg, f->caller.method->id, f->caller.bci, f->callee->id);
    }
    free(found.calls);
}

static const Class *class_or_null(const void *object) { return object ? object_class(object) : NULL; }

void report_point(Thread *self, const Method *m, const void *receiver, const void *first, const void *second) {
    report_point_enter(self, m, receiver, class_or_null(receiver), first, class_or_null(first), second,
                       class_or_null(second));
}

bool report_point_taken(Thread *self, const Method *m, const void *receiver, const void *first) {
    EventThread *t = self->prof;
    if (!t || !t->takes_point || !t->takes_point(t, m->id, (uintptr_t)receiver, object_class(receiver)->id, first))
        return false;
    t->produced[EVENT_point_enter]++;
    return true;
}

// ---- objects ----

void report_new(Thread *self, const Method *m, int32_t bci, const void *object, uint32_t depth) {
    const Object *o = object;
    const Class *c = object_class(o);
    size_t bytes = class_is_array(c) ? ARRAY_BASE + ((size_t)o->length << c->elem_shift) : c->instance_size;
    bytes = HEAP_GRANULES(bytes) * HEAP_GRANULE;  // what the heap gives to the object
    report_allocation(self, m, bci, c, bytes, o);
    for (int32_t i = 0; depth > 0 && i < o->length; i++)
        if (ARRAY_DATA(o, Object *)[i]) report_new(self, m, bci, ARRAY_DATA(o, Object *)[i], depth - 1);
}

// Whether a sampled profile records an event that happens now, at the frame that the walk has reached. For a native
// method, its own check has just decided. Compiled code does not tell the thread which of its versions runs, but its
// stack map does.
static bool is_recorded(Thread *self, const StackWalk *w, bool in_native) {
    if (!sampling_is_on()) return true;
    bool checked = in_native && self->sample.config.checks == CHECKS_ALL;
    switch (w->code && !checked ? (DeoptSampling)w->stack_map->sampling : DEOPT_KEEPS_SAMPLING) {
        case DEOPT_NOT_SAMPLED: return false;
        case DEOPT_SAMPLED: return true;
        case DEOPT_MAKES_CHECK: return --self->sample.budget < 0 && sample_probe(self);
        case DEOPT_KEEPS_SAMPLING: break;
    }
    return self->sample.instrumented;
}

void report_new_outside(Thread *self, const Object *object, uint32_t depth) {
    StackWalk w;
    bool in_native = false, found;
    stackwalk_begin(&w, self);
    while ((found = stackwalk_next(&w)) && w.is_native) in_native = true;
    bool wanted = found ? instrument_wants(w.method, w.bci, EVENT_allocation)
                        : instrument_wants_outside(EVENT_allocation);
    if (!wanted || !is_recorded(self, &w, in_native)) return;
    if (found) report_new(self, w.method, w.bci, object, depth);
    else report_new(self, report_pseudo(CALLER_VM), EVENT_NO_BCI, object, depth);
}
